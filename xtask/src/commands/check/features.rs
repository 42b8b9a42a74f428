//! Each crate builds alone, with each feature alone, without a warning.
//!
//! Clippy does the building because it denies warnings in the workspace's own code only: setting
//! `RUSTFLAGS` instead would compile every dependency anew. Each crate is built beside one that names the features of what is
//! below the linear algebra and used by no crate itself; these packages would otherwise be compiled anew for most of them.

use anyhow::Result;

use super::Context;
use crate::{cargo::Cargo, format, workspace::Package};

/// The crate that stands beside each.
const BESIDE: &str = "compiled-once";

pub(super) fn run(context: &Context) -> Result<String> {
    let root = &context.workspace.root;
    let packages = context.workspace.packages.iter();
    let packages: Vec<&Package> = packages.filter(|package| package.name != BESIDE).collect();
    Cargo::require_component("clippy", "clippy", root)?;
    let builds: Vec<String> = packages.iter().copied().flat_map(builds).collect();
    context.for_each(&builds, |build| {
        Cargo::new(&format!("clippy {build} --release -- -D warnings")).run(root)
    })?;
    Ok(format!(
        "{} of {}",
        format::count(builds.len(), "build"),
        format::count(packages.len(), "crate")
    ))
}

/// The cargo arguments of each build of a crate: with no feature, with the default features where
/// these are not none, and with each feature alone.
fn builds(package: &Package) -> Vec<String> {
    let crate_alone = format!("--package {} --package {BESIDE}", package.name);
    let no_feature = format!("{crate_alone} --no-default-features");
    let has_defaults = package
        .features
        .get("default")
        .is_some_and(|f| !f.is_empty());
    let each_feature = package
        .features
        .keys()
        .filter(|&feature| feature != "default")
        .map(|feature| format!("{no_feature} --features {feature}"));

    let mut builds = vec![no_feature.clone()];
    builds.extend(has_defaults.then_some(crate_alone));
    builds.extend(each_feature);
    builds
}

#[cfg(test)]
mod tests {
    use super::builds;
    use crate::workspace;

    #[test]
    fn no_feature_then_defaults_then_each_alone() {
        let workspace = workspace::tests::sample();
        assert_eq!(
            builds(&workspace.packages[0]),
            [
                "--package waves --package compiled-once --no-default-features",
                "--package waves --package compiled-once",
                "--package waves --package compiled-once --no-default-features --features serde",
                "--package waves --package compiled-once --no-default-features --features std",
            ]
        );
    }

    #[test]
    fn empty_defaults_are_not_built_twice() {
        let workspace = workspace::tests::sample();
        assert_eq!(
            builds(&workspace.packages[1]),
            [
                "--package plain --package compiled-once --no-default-features",
                "--package plain --package compiled-once --no-default-features --features extra",
            ]
        );
    }
}
