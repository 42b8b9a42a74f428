//! The virtual environment of the peers: made once under the target directory, whole or not at all.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// What is installed, with exact versions.
const REQUIREMENTS: &str = include_str!("../../../peers/requirements.txt");
/// The directory under the target directory.
const NAME: &str = "peers";
/// A copy of the requirements in the environment: what it was made from.
const STAMP: &str = "requirements.txt";

/// The packages with their versions.
pub(super) fn pinned() -> impl Iterator<Item = &'static str> + Clone {
    REQUIREMENTS.lines().filter(|line| !line.starts_with('#'))
}

/// An environment that has everything of [`REQUIREMENTS`].
#[derive(Debug)]
pub(super) struct Environment {
    directory: PathBuf,
}

impl Environment {
    /// The environment under this directory, made if there is none with these requirements.
    pub(super) fn prepare(target: &Path, python: Option<&Path>) -> Result<Self> {
        let directory = target.join(NAME);
        let made_from = fs::read_to_string(directory.join(STAMP)).unwrap_or_default();
        if made_from != REQUIREMENTS {
            let python = match python {
                Some(path) => {
                    check(path)?;
                    path.to_owned()
                }
                None => find_python()?,
            };
            make(&python, target, &directory)?;
        }
        Ok(Self { directory })
    }

    /// The interpreter.
    pub(super) fn python(&self) -> PathBuf {
        interpreter(&self.directory)
    }

    /// Where libraries may keep what they like: nothing is written outside the target directory.
    pub(super) fn caches(&self) -> PathBuf {
        self.directory.join(CACHES)
    }
}

/// The subdirectory for what libraries keep between runs.
const CACHES: &str = "caches";

fn interpreter(environment: &Path) -> PathBuf {
    if cfg!(windows) {
        environment.join("Scripts").join("python.exe")
    } else {
        environment.join("bin").join("python")
    }
}

/// A Python that can make virtual environments.
fn find_python() -> Result<PathBuf> {
    let candidates = ["python3", "python"].map(PathBuf::from);
    let mut problems = Vec::new();
    for candidate in candidates {
        match check(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(problem) => problems.push(format!("{problem:#}")),
        }
    }
    bail!(
        "the comparison needs Python 3.11 or later with the module `venv`, but none was found ({}); \
         install it, or name its path with --python",
        problems.join("; ")
    )
}

/// Whether this Python is recent enough and can make virtual environments.
fn check(python: &Path) -> Result<()> {
    let test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    let output = Command::new(python)
        .args(["-c", test])
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{}` cannot be run", python.display()))?;
    if !output.status.success() {
        bail!(
            "`{}` is older than 3.11, or lacks the module `venv` or `ensurepip`",
            python.display()
        );
    }
    Ok(())
}

/// Makes the environment under another name and renames it when it is complete.
fn make(python: &Path, target: &Path, directory: &Path) -> Result<()> {
    eprintln!(
        "making a virtual environment with\n{}in {} (once; several minutes and gigabytes, most of it torch) …",
        pinned().fold(String::new(), |text, line| text + "  " + line + "\n"),
        directory.display()
    );
    let unfinished = target.join(format!("{NAME}.partial"));
    let result = fill(python, target, &unfinished).and_then(|()| {
        remove(directory)?;
        fs::rename(&unfinished, directory)
            .with_context(|| format!("cannot rename {}", unfinished.display()))
    });
    if result.is_err() {
        remove(&unfinished)?;
    }
    result
}

fn fill(python: &Path, target: &Path, unfinished: &Path) -> Result<()> {
    fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))?;
    remove(unfinished)?;
    run(
        Command::new(python).args(["-m", "venv"]).arg(unfinished),
        "cannot make a virtual environment",
    )?;
    let stamp = unfinished.join(STAMP);
    fs::write(&stamp, REQUIREMENTS).with_context(|| format!("cannot write {}", stamp.display()))?;
    // The index, the proxy and all else are the user's configuration of pip.
    run(
        Command::new(interpreter(unfinished))
            .args(["-m", "pip", "install", "--disable-pip-version-check"])
            // Gigabytes in the user's cache would outlive the target directory.
            .args(["--no-cache-dir", "--quiet", "--progress-bar", "off", "-r"])
            .arg(&stamp),
        "cannot install the Python packages: is there a network, and does `pip install` work here?",
    )
}

fn run(command: &mut Command, problem: &'static str) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .context(problem)?;
    if !status.success() {
        bail!("{problem} ({status})");
    }
    Ok(())
}

fn remove(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)
            .with_context(|| format!("cannot remove {}", directory.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Environment, NAME, STAMP, pinned};
    use std::{fs, path::Path};

    fn scratch(name: &str) -> std::path::PathBuf {
        let directory =
            std::env::temp_dir().join(format!("fastlsq-compare-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn every_requirement_is_pinned() {
        for line in pinned() {
            assert!(line.split("==").count() == 2, "{line}");
        }
        for name in ["fastlsq", "torch", "scikit-fem", "scipy", "pysindy"] {
            assert!(pinned().any(|line| line.starts_with(&format!("{name}=="))));
        }
    }

    #[test]
    fn without_python_there_is_a_message_and_nothing_is_left() {
        let target = scratch("missing");
        let python = Path::new("/no/such/python");
        let error = Environment::prepare(&target, Some(python)).unwrap_err();
        let message = format!("{error:#}");
        assert!(message.contains("/no/such/python"), "{message}");
        assert!(message.contains("cannot be run"), "{message}");
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
        fs::remove_dir_all(target).unwrap();
    }

    /// A program that passes for Python but cannot install: as without a network.
    #[cfg(unix)]
    #[test]
    fn a_failed_installation_leaves_nothing() {
        use std::os::unix::fs::PermissionsExt;

        let target = scratch("failed");
        let python = target.join("python");
        let script = "#!/bin/sh\n\
            case \"$2\" in\n\
            venv) mkdir -p \"$3/bin\" && cp \"$0\" \"$3/bin/python\" ;;\n\
            pip) exit 1 ;;\n\
            esac\n";
        fs::write(&python, script).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        let error = Environment::prepare(&target, Some(&python)).unwrap_err();
        assert!(format!("{error:#}").contains("network"), "{error:#}");
        let left: Vec<_> = fs::read_dir(&target).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");

        // The same program with a pip that works: the environment is there, and is used again.
        fs::write(&python, script.replace("exit 1", "exit 0")).unwrap();
        Environment::prepare(&target, Some(&python)).unwrap();
        let again = Environment::prepare(&target, Some(Path::new("/no/such/python"))).unwrap();
        assert!(again.python().is_file());
        // One with other requirements is not.
        fs::write(target.join(NAME).join(STAMP), "torch==0\n").unwrap();
        Environment::prepare(&target, Some(Path::new("/no/such/python"))).unwrap_err();
        fs::remove_dir_all(target).unwrap();
    }
}
