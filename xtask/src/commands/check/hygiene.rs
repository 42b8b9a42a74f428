//! Checks of the repository itself that no other tool makes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{format, workspace::Workspace};

/// Files above this size must be listed under `large-files`: they weigh on every clone, for ever.
const LARGE_FILE: u64 = 1 << 20;

/// What each manifest takes from the workspace.
const INHERITED: [&str; 5] = [
    "package.version",
    "package.edition",
    "package.rust-version",
    "package.license",
    "lints",
];

/// Macros of unfinished work. Clippy finds them only in code that is compiled here and now.
const UNFINISHED: [&str; 3] = [
    concat!("dbg", "!("),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
];

pub(super) fn run(workspace: &Workspace) -> Result<String> {
    let (files, remark) = match git_files(&workspace.root) {
        Some(files) => (files, ""),
        None => (
            crate_files(workspace)?,
            " (in the crates only: git does not know this directory)",
        ),
    };
    let mut findings = manifest_findings(workspace)?;
    findings.extend(super::apart::findings(&workspace.root)?);
    findings.extend(super::shared::findings(&workspace.root)?);
    findings.extend(file_findings(workspace, &files)?);
    if !findings.is_empty() {
        bail!("\n        {}", findings.join("\n        "));
    }
    Ok(format!("{}{remark}", format::count(files.len(), "file")))
}

/// Crates without a README, and keys that a manifest does not inherit.
fn manifest_findings(workspace: &Workspace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        if !package.directory().join("README.md").is_file() {
            findings.push(format!("{}: README.md is missing", package.name));
        }
        let manifest = fs::read_to_string(&package.manifest_path)
            .with_context(|| format!("cannot read {}", package.manifest_path.display()))?;
        for key in INHERITED.iter().filter(|key| !inherits(&manifest, key)) {
            findings.push(format!(
                "{}: Cargo.toml does not inherit `{key}` from the workspace",
                package.name
            ));
        }
    }
    Ok(findings)
}

/// Whether a manifest says `key.workspace = true`, in any of the spellings of TOML.
fn inherits(manifest: &str, key: &str) -> bool {
    let dotted = format!("{key}.workspace=true");
    let inline = format!("{key}={{workspace=true}}");
    let mut table = String::new();
    manifest.lines().any(|line| {
        let code = line.split('#').next().unwrap_or_default();
        let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        if let Some(name) = code.strip_prefix('[').and_then(|c| c.strip_suffix(']')) {
            table = format!("{name}.");
            return false;
        }
        let entry = format!("{table}{code}");
        entry == dotted || entry == inline
    })
}

/// Large files that are not listed, and sources with macros of unfinished work.
fn file_findings(workspace: &Workspace, files: &[PathBuf]) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in files {
        let path = workspace.root.join(file);
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue; // deleted, but git has not been told yet
        };
        if metadata.len() > LARGE_FILE && !workspace.settings.large_files.contains(file) {
            findings.push(format!(
                "{}: {} KiB; if it must be here, list it in the root Cargo.toml: \
                 [workspace.metadata.xtask] large-files",
                file.display(),
                metadata.len() >> 10
            ));
        }
        if metadata.is_file() && file.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", file.display()))?;
            findings.extend(
                unfinished(&source)
                    .map(|(line, name)| format!("{}:{line}: `{name}…)`", file.display())),
            );
        }
    }
    Ok(findings)
}

/// Line numbers and names of the macros of unfinished work outside comments.
fn unfinished(source: &str) -> impl Iterator<Item = (usize, &'static str)> {
    source.lines().zip(1..).flat_map(|(line, number)| {
        let code = line.split("//").next().unwrap_or_default();
        let names = UNFINISHED.iter().filter(move |&name| code.contains(name));
        names.map(move |&name| (number, name))
    })
}

/// The files that are in git or would be added by `git add --all`, relative to the root; `None`
/// where there is no git or no repository, as in an unpacked archive.
fn git_files(root: &Path) -> Option<Vec<PathBuf>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let names = String::from_utf8_lossy(&output.stdout);
    let files = names.split_terminator('\0').map(PathBuf::from).collect();
    Some(files)
}

/// The files of all crates, relative to the root.
fn crate_files(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories: Vec<PathBuf> = workspace
        .packages
        .iter()
        .map(|package| package.directory().to_owned())
        .collect();
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(&directory)
            .with_context(|| format!("cannot list {}", directory.display()))?;
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                directories.push(path);
            } else {
                files.push(
                    path.strip_prefix(&workspace.root)
                        .unwrap_or(&path)
                        .to_owned(),
                );
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{UNFINISHED, crate_files, inherits, unfinished};
    use crate::workspace::Workspace;
    use std::path::Path;

    #[test]
    fn inheritance_in_each_spelling() {
        let manifest = "
            [package]
            name = \"waves\"
            version.workspace = true # the same for all
            edition = { workspace = true }
            rust-version = \"1.95\"
            # license.workspace = true
            [package.authors]
            workspace = true
            [lints]
            workspace = true
            [dependencies]
            license.workspace = true";
        for key in [
            "package.version",
            "package.edition",
            "package.authors",
            "lints",
        ] {
            assert!(inherits(manifest, key), "{key}");
        }
        for key in ["package.rust-version", "package.license", "package.lints"] {
            assert!(!inherits(manifest, key), "{key}");
        }
    }

    #[test]
    fn unfinished_work_is_found_outside_comments() {
        let [debug, to_do, _] = UNFINISHED;
        let source =
            format!("fn f() {{\n    {debug}1);\n    // {to_do})\n    g() // ok\n}}\n{to_do})");
        let found: Vec<_> = unfinished(&source).collect();
        assert_eq!(found, [(2, debug), (6, to_do)]);
        assert_eq!(unfinished("my_dbg(1); todo();").count(), 0);
    }

    #[test]
    fn files_of_the_crates_are_found_without_git() {
        let workspace = Workspace::load().unwrap();
        let files = crate_files(&workspace).unwrap();
        assert!(
            files
                .iter()
                .any(|file| file == Path::new("xtask/src/main.rs"))
        );
    }
}
