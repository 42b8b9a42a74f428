//! Dependencies that are compiled once for everything.
//!
//! Cargo chooses features anew for each call: a package that this program, or the crate outside the workspace, uses
//! with other features than the tests is compiled again for the tests, and with it all that depends on it. Their
//! manifests therefore name the features that the tests bring.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use crate::cargo::Cargo;

/// What the tests are built with.
const TESTS: &str = "--workspace --all-features --edges normal,build,dev";
/// What is built beside them, whose manifest says with which features, and whether it is outside the workspace.
const OTHERS: [(&str, &str, bool); 2] = [
    ("xtask", "--package xtask --edges normal,build", false),
    (
        "fastlsq-solve/mpi",
        "--manifest-path fastlsq-solve/mpi/Cargo.toml --edges normal,build,dev",
        true,
    ),
];

/// Packages that would be compiled twice.
pub(super) fn findings(root: &Path) -> Result<Vec<String>> {
    let tree = |which: &str| -> Result<String> {
        let args = format!("tree {which} --prefix none --no-dedupe --format {{p}}|{{f}}");
        String::from_utf8(Cargo::new(&args).output(root)?).context("cargo tree is not UTF-8")
    };
    let tests = tree(TESTS)?;
    let mut findings = Vec::new();
    for (name, which, outside) in OTHERS {
        let own = tree(which)?;
        for (package, features) in differing(&tests, &own, outside) {
            findings.push(format!(
                "{name}/Cargo.toml: {package} would be compiled twice, here with the features [{features}]; \
                 name those that the tests have it with"
            ));
        }
    }
    Ok(findings)
}

/// Packages of the second tree that the first one has with other features only. To cargo, the crates of the workspace are others
/// where they are seen from outside it.
fn differing<'a>(tests: &str, own: &'a str, outside: bool) -> Vec<(&'a str, &'a str)> {
    let name = |package: &str| package.split(' ').next().unwrap_or_default().to_owned();
    let tests: BTreeSet<(&str, &str)> = packages(tests).collect();
    let known: BTreeSet<String> = tests.iter().map(|(package, _)| name(package)).collect();
    let own: BTreeSet<(&str, &str)> = packages(own).collect();
    own.into_iter()
        .filter(|pair| !tests.contains(pair) && known.contains(&name(pair.0)))
        .filter(|(package, _)| !(outside && package.contains("(/")))
        .collect()
}

/// Packages with their features.
fn packages(tree: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = tree.lines().filter_map(|line| line.split_once('|'));
    lines.map(|(package, features)| (package, features.trim_end_matches(" (*)")))
}

#[cfg(test)]
mod tests {
    use super::differing;

    #[test]
    fn other_features_of_the_same_package_are_found() {
        let tests = "xtask v0.1.0 (/w/xtask)|\nfaer v0.24.4|rayon,std\nrand v0.10.3|std,sys_rng\nsolve v0.1.0 (/w/solve)|plot\n";
        let own = "xtask v0.1.0 (/w/xtask)|\nfaer v0.24.4|rayon,std (*)\nrand v0.10.3|std\nclap v4.6.7|std\nsolve v0.1.0 (/w/solve)|\n";
        assert_eq!(
            differing(tests, own, false),
            [("rand v0.10.3", "std"), ("solve v0.1.0 (/w/solve)", "")]
        );
        assert_eq!(differing(tests, own, true), [("rand v0.10.3", "std")]);
    }
}
