//! The crate outside the workspace: it inherits nothing, so its manifest is compared.

use std::{collections::HashMap, fs, path::Path};

use anyhow::{Context, Result};

/// Where it is.
const DIRECTORY: &str = "fastlsq-solve/mpi";
/// What its manifest has in common with the workspace's.
const COMMON: [&str; 5] = ["version", "edition", "rust-version", "license", "authors"];

/// Keys of its manifest and packages of its lock file that differ from those of the workspace.
pub(super) fn findings(root: &Path) -> Result<Vec<String>> {
    let read = |path: String| {
        let text = fs::read_to_string(root.join(&path));
        text.with_context(|| format!("cannot read {path}"))
    };
    let apart = |name: &str| read(format!("{DIRECTORY}/{name}"));
    let ours = read("Cargo.toml".to_owned())?;
    let mut findings = differing_keys(&ours, &apart("Cargo.toml")?);
    let locked = read("Cargo.lock".to_owned())?;
    findings.extend(differing_packages(&locked, &apart("Cargo.lock")?));
    let place = |finding| format!("{DIRECTORY}: {finding}");
    Ok(findings.into_iter().map(place).collect())
}

fn differing_keys(workspace: &str, apart: &str) -> Vec<String> {
    let value = |manifest: &str, table: &str, key: &str| {
        let inside = manifest.lines().skip_while(|line| *line != table).skip(1);
        let mut inside = inside.take_while(|line| !line.starts_with('['));
        let start = format!("{key} = ");
        inside.find_map(|line| line.strip_prefix(&start).map(str::to_owned))
    };
    let differs = |key: &&&str| {
        value(workspace, "[workspace.package]", key) != value(apart, "[package]", key)
    };
    let keys = COMMON.iter().filter(differs);
    keys.map(|key| format!("`{key}` in Cargo.toml differs from that of the workspace"))
        .collect()
}

/// Packages of the second lock file whose versions the first one does not have, though it has others.
fn differing_packages(workspace: &str, apart: &str) -> Vec<String> {
    let ours = versions(workspace);
    let mut findings = Vec::new();
    for (name, theirs) in versions(apart) {
        if let Some(ours) = ours.get(name) {
            let others = theirs.iter().filter(|version| !ours.contains(version));
            findings.extend(others.map(|version| {
                format!(
                    "Cargo.lock has {name} {version}, the workspace {}; copy Cargo.lock there and run `cargo metadata`",
                    ours.join(", ")
                )
            }));
        }
    }
    findings.sort_unstable();
    findings
}

/// The versions of every package of a lock file.
fn versions(lock: &str) -> HashMap<&str, Vec<&str>> {
    let mut versions: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut name = "";
    for line in lock.lines() {
        match line.split_once(" = ") {
            Some(("name", text)) => name = text.trim_matches('"'),
            Some(("version", text)) if !name.is_empty() => {
                versions
                    .entry(name)
                    .or_default()
                    .push(text.trim_matches('"'));
            }
            _ => {}
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::{differing_keys, differing_packages};

    #[test]
    fn another_version_of_the_same_package_is_found() {
        let lock = |versions: &[(&str, &str)]| -> String {
            let package = |(name, version): &(&str, &str)| {
                format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n")
            };
            versions.iter().map(package).collect()
        };
        let ours = lock(&[("faer", "0.24.4"), ("rand", "0.8.5"), ("rand", "0.10.3")]);
        let same = lock(&[
            ("faer", "0.24.4"),
            ("rand", "0.10.3"),
            ("ferrompi", "0.7.0"),
        ]);
        assert!(differing_packages(&ours, &same).is_empty());
        let found = differing_packages(&ours, &lock(&[("faer", "0.24.5")]));
        assert!(found[0].contains("faer 0.24.5"), "{found:?}");
    }

    #[test]
    fn another_key_is_found_in_its_table() {
        let workspace = "[workspace.package]\nversion = \"0.1.0\"\nedition = \"2024\"\n[other]\nlicense = \"MIT\"";
        let apart = "[package]\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        let found = differing_keys(workspace, apart);
        assert_eq!(
            found,
            ["`edition` in Cargo.toml differs from that of the workspace"]
        );
    }
}
