//! Every example builds and runs to a successful end; what it prints and draws is kept.
//!
//! One cargo invocation builds them all, with the features and dependencies of the tests, and the
//! programs are then started directly. `cargo run` for each would resolve each crate alone and
//! compile the heavy dependencies again for every new set of features.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::abort::{self, Libraries};
use crate::{
    cargo::Cargo,
    format,
    workspace::{Package, Target, Workspace},
};

/// An example that was run.
#[derive(Debug)]
pub(crate) struct Shown {
    /// Its name.
    pub(crate) name: String,
    /// The crate that it belongs to.
    pub(crate) package: String,
    /// Its program text.
    pub(crate) source: String,
    /// The command that runs it and draws its pictures.
    pub(crate) command: String,
    /// What it printed.
    pub(crate) output: String,
    /// Its pictures, in its directory.
    pub(crate) pictures: Vec<String>,
    /// How long it took.
    pub(crate) time: Duration,
}

/// What came of the examples.
#[derive(Debug)]
pub(super) struct Ran {
    /// Those that ran to a successful end.
    pub(super) shown: Vec<Shown>,
    /// What the others said.
    pub(super) failures: Vec<String>,
    /// How many were only built.
    pub(super) build_only: usize,
}

/// Builds all examples with all features and runs them, or the chosen ones, each in a directory of its own name below `site`.
/// Without `keep_going` the first failure ends it.
pub(super) fn run(
    workspace: &Workspace,
    chosen: &[String],
    site: &Path,
    keep_going: bool,
) -> Result<Ran> {
    let (mut to_run, build_only) = split(workspace)?;
    let known = |name: &&String| to_run.iter().any(|(_, example)| example.name == **name);
    if let Some(unknown) = chosen.iter().find(|name| !known(name)) {
        bail!("`{unknown}` is not an example that is run");
    }
    if !chosen.is_empty() {
        to_run.retain(|(_, example)| chosen.contains(&example.name));
    }
    let build = "build --workspace --all-features --release --examples";
    eprintln!("      $ cargo {build}");
    let messages = Cargo::new(&format!("{build} --message-format json-render-diagnostics"))
        .output(&workspace.root)?;
    let (programs, libraries) = artifacts(&messages)?;

    let (mut shown, mut failures) = (Vec::new(), Vec::new());
    for (package, example) in to_run {
        let key = (package.manifest_path.clone(), example.name.clone());
        let ran = programs
            .get(&key)
            .with_context(|| {
                let (name, package) = (&example.name, &package.name);
                format!("example `{name}` of {package} is not a program")
            })
            .and_then(|program| show(package, example, program, site))
            .and_then(|ran| {
                if package.abort_examples().contains(&example.name) {
                    abort::run(package, example, &libraries, &workspace.target)?;
                }
                Ok(ran)
            });
        match ran {
            Ok(ran) => shown.push(ran),
            Err(error) if keep_going => failures.push(format!("{error:#}")),
            Err(error) => return Err(error),
        }
    }
    Ok(Ran {
        shown,
        failures,
        build_only,
    })
}

/// The examples to run, and the number of those that are only built.
pub(super) fn split(workspace: &Workspace) -> Result<(Vec<(&Package, &Target)>, usize)> {
    let mut to_run: Vec<(&Package, &Target)> = Vec::new();
    let mut build_only = 0;
    for package in &workspace.packages {
        let skipped = package.skipped_examples();
        for (list, names) in [
            ("skip-examples", skipped),
            ("abort-examples", package.abort_examples()),
        ] {
            let known = |name: &String| package.examples().any(|example| example.name == *name);
            if let Some(unknown) = names.iter().find(|name| !known(name)) {
                bail!(
                    "{list} of {} names `{unknown}`, which is not an example",
                    package.name
                );
            }
        }
        let aborting = package.abort_examples();
        if let Some(name) = aborting.iter().find(|name| skipped.contains(name)) {
            bail!("`{name}` of {} is both skipped and to be run", package.name);
        }
        for example in package.examples() {
            if skipped.contains(&example.name) {
                build_only += 1;
            } else if let Some((other, _)) = to_run.iter().find(|(_, e)| e.name == example.name) {
                // Their programs would overwrite each other in the target directory.
                bail!(
                    "{} and {} both have an example `{}`",
                    other.name,
                    package.name,
                    example.name
                );
            } else {
                to_run.push((package, example));
            }
        }
    }
    Ok((to_run, build_only))
}

/// Example programs by manifest and name.
type Programs = HashMap<(PathBuf, String), PathBuf>;

/// The example programs and the workspace's libraries among cargo's messages.
fn artifacts(messages: &[u8]) -> Result<(Programs, Libraries)> {
    #[derive(Deserialize)]
    #[serde(tag = "reason", rename_all = "kebab-case")]
    enum Message {
        CompilerArtifact {
            manifest_path: PathBuf,
            target: Target,
            executable: Option<PathBuf>,
            #[serde(default)]
            filenames: Vec<PathBuf>,
        },
        #[serde(other)]
        Other,
    }

    let (mut programs, mut libraries) = (Programs::new(), Libraries::new());
    for message in serde_json::Deserializer::from_slice(messages).into_iter() {
        let message: Message = message.context("cannot read the messages of `cargo build`")?;
        let Message::CompilerArtifact {
            manifest_path,
            target,
            executable,
            filenames,
        } = message
        else {
            continue;
        };
        match executable {
            Some(executable) if target.is_example() => {
                programs.insert((manifest_path, target.name), executable);
            }
            None if target.name.starts_with("fastlsq") => {
                let library = filenames
                    .into_iter()
                    .find(|file| file.extension().is_some_and(|e| e == "rlib"));
                if let Some(library) = library {
                    libraries.insert(target.name.replace('-', "_"), library);
                }
            }
            _ => {}
        }
    }
    Ok((programs, libraries))
}

/// Runs one program in its directory below `site`.
fn show(package: &Package, example: &Target, program: &Path, site: &Path) -> Result<Shown> {
    let command = cargo_run(package, example);
    eprintln!("      $ {command}");
    let directory = site.join(&example.name);
    fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let start = Instant::now();
    let ran = Command::new(program)
        .current_dir(&directory)
        .env("CARGO_MANIFEST_DIR", package.directory())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let (time, output) = (
        start.elapsed(),
        String::from_utf8_lossy(&ran.stdout).into_owned(),
    );
    if !ran.status.success() {
        eprint!("{output}");
        bail!("`{command}` failed ({})", ran.status);
    }
    eprintln!("        took {}", format::duration(time));
    let path = package
        .directory()
        .join("examples")
        .join(format!("{}.rs", example.name));
    let source =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut pictures = Vec::new();
    for entry in fs::read_dir(&directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".png") || name.ends_with(".svg") {
            pictures.push(name);
        }
    }
    // The one that has the name of the example comes first: "." is before "-" here.
    pictures.sort_by_key(|name| name.replace('.', " "));
    let plot = if package.features.contains_key("plot") {
        " --features plot"
    } else {
        ""
    };
    Ok(Shown {
        name: example.name.clone(),
        package: package.name.clone(),
        command: format!("{command}{plot}"),
        source,
        output,
        pictures,
        time,
    })
}

/// The command for people to run one example.
fn cargo_run(package: &Package, example: &Target) -> Cargo {
    let mut args = format!(
        "run --release --package {} --example {}",
        package.name, example.name
    );
    if !example.required_features.is_empty() {
        args += &format!(" --features {}", example.required_features.join(","));
    }
    Cargo::new(&args)
}

#[cfg(test)]
mod tests {
    use super::{artifacts, cargo_run, split};
    use crate::workspace;
    use std::path::{Path, PathBuf};

    #[test]
    fn listed_examples_are_only_built() {
        let workspace = workspace::tests::sample();
        let (to_run, build_only) = split(&workspace).unwrap();
        let names: Vec<_> = to_run.iter().map(|(_, example)| &example.name).collect();
        assert_eq!(names, ["quick"]);
        assert_eq!(build_only, 1);
    }

    #[test]
    fn stale_skip_list_is_an_error() {
        let mut workspace = workspace::tests::sample();
        workspace.packages[0]
            .targets
            .retain(|target| target.name != "rates");
        let error = split(&workspace).unwrap_err().to_string();
        assert!(error.contains("`rates`"), "{error}");
    }

    #[test]
    fn command_names_the_required_features() {
        let workspace = workspace::tests::sample();
        let package = &workspace.packages[0];
        let commands: Vec<_> = package
            .examples()
            .map(|e| cargo_run(package, e).to_string())
            .collect();
        assert_eq!(
            commands,
            [
                "cargo run --release --package waves --example quick",
                "cargo run --release --package waves --example rates --features serde",
            ]
        );
    }

    #[test]
    fn programs_are_the_executables_of_examples() {
        let messages = r#"
            {"reason":"build-script-executed","package_id":"x"}
            {"reason":"compiler-artifact","manifest_path":"/ws/waves/Cargo.toml",
             "target":{"name":"fastlsq_waves","kind":["lib"]},"executable":null,
             "filenames":["/t/libwaves.rmeta","/t/libwaves.rlib"]}
            {"reason":"compiler-artifact","manifest_path":"/ws/waves/Cargo.toml",
             "target":{"name":"quick","kind":["example"]},"executable":"/t/examples/quick"}
            {"reason":"build-finished","success":true}"#;
        let (programs, libraries) = artifacts(messages.as_bytes()).unwrap();
        let key = (PathBuf::from("/ws/waves/Cargo.toml"), "quick".to_owned());
        assert_eq!(programs.len(), 1);
        assert_eq!(programs[&key], Path::new("/t/examples/quick"));
        assert_eq!(libraries["fastlsq_waves"], Path::new("/t/libwaves.rlib"));
    }
}
