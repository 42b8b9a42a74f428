//! The workspace as cargo describes it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cargo::Cargo;

/// The workspace: where it is, its crates, and the settings under `[workspace.metadata.xtask]`.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The directory of the root `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Where cargo puts what it builds; files that commands make go there too.
    pub(crate) target: PathBuf,
    /// The members, in the order of the root manifest.
    pub(crate) packages: Vec<Package>,
    /// Settings for the workspace.
    pub(crate) settings: WorkspaceSettings,
}

/// One crate of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    /// What each feature enables.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) targets: Vec<Target>,
    /// The registries it may go to; all of them if nothing is said.
    publish: Option<Vec<String>>,
    metadata: Option<Tables<PackageSettings>>,
}

/// A library, program, example, test or benchmark.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
    #[serde(default, rename = "required-features")]
    pub(crate) required_features: Vec<String>,
}

/// `[workspace.metadata.xtask]`
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WorkspaceSettings {
    /// Tracked files that may be large, relative to the root.
    pub(crate) large_files: Vec<PathBuf>,
}

/// `[package.metadata.xtask]`
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct PackageSettings {
    /// Examples that are built but not run, such as long measurements.
    pub(crate) skip_examples: Vec<String>,
    /// Examples that also run as programs in which a panic ends the process.
    pub(crate) abort_examples: Vec<String>,
}

/// The `metadata` table of a manifest, of which only `xtask` is ours.
#[derive(Debug, Deserialize)]
#[serde(bound = "T: Default + Deserialize<'de>")]
struct Tables<T> {
    #[serde(default)]
    xtask: T,
}

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
    packages: Vec<Package>,
    metadata: Option<Tables<WorkspaceSettings>>,
}

impl Workspace {
    /// Asks cargo about the workspace that this program belongs to, from any current directory.
    pub(crate) fn load() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the xtask crate has no parent directory")?;
        let json = Cargo::new("metadata --format-version 1 --no-deps").output(root)?;
        Self::from_metadata(root, &json)
    }

    fn from_metadata(root: &Path, json: &[u8]) -> Result<Self> {
        let metadata: Metadata =
            serde_json::from_slice(json).context("cannot read the output of `cargo metadata`")?;
        Ok(Self {
            root: root.to_owned(),
            target: metadata.target_directory,
            packages: metadata.packages,
            settings: metadata.metadata.map(|m| m.xtask).unwrap_or_default(),
        })
    }
}

impl Package {
    /// The directory of the crate's manifest.
    pub(crate) fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }

    /// Whether the crate is for others.
    pub(crate) fn is_published(&self) -> bool {
        self.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    }

    /// The crate's examples.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().filter(|target| target.is_example())
    }

    /// Examples that are built but not run.
    pub(crate) fn skipped_examples(&self) -> &[String] {
        self.metadata
            .as_ref()
            .map_or(&[], |metadata| &metadata.xtask.skip_examples)
    }

    /// Examples that also run as programs in which a panic ends the process.
    pub(crate) fn abort_examples(&self) -> &[String] {
        self.metadata
            .as_ref()
            .map_or(&[], |metadata| &metadata.xtask.abort_examples)
    }
}

impl Target {
    /// Whether this is an example.
    pub(crate) fn is_example(&self) -> bool {
        self.kind.iter().any(|kind| kind == "example")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Workspace;
    use std::path::Path;

    /// A workspace of two crates, in the format of `cargo metadata`.
    pub(crate) const METADATA: &str = r#"{
        "packages": [
            {
                "name": "waves",
                "manifest_path": "/ws/waves/Cargo.toml",
                "features": { "default": ["std"], "serde": ["dep:serde"], "std": [] },
                "targets": [
                    { "name": "waves", "kind": ["lib"] },
                    { "name": "quick", "kind": ["example"] },
                    { "name": "rates", "kind": ["example"], "required-features": ["serde"] }
                ],
                "metadata": { "docs": { "rs": {} }, "xtask": { "skip-examples": ["rates"] } }
            },
            {
                "name": "plain",
                "manifest_path": "/ws/plain/Cargo.toml",
                "features": { "default": [], "extra": [] },
                "targets": [{ "name": "plain", "kind": ["lib"] }],
                "publish": [],
                "metadata": null
            }
        ],
        "target_directory": "/ws/target",
        "metadata": { "xtask": { "large-files": ["data/reference.bin"] } },
        "version": 1
    }"#;

    /// [`METADATA`], parsed.
    pub(crate) fn sample() -> Workspace {
        Workspace::from_metadata(Path::new("/ws"), METADATA.as_bytes()).unwrap()
    }

    #[test]
    fn reads_crates_examples_and_settings() {
        let workspace = sample();
        let waves = &workspace.packages[0];
        assert_eq!(waves.directory(), Path::new("/ws/waves"));
        let examples: Vec<_> = waves.examples().map(|t| t.name.as_str()).collect();
        assert_eq!(examples, ["quick", "rates"]);
        assert_eq!(waves.skipped_examples(), ["rates"]);
        assert!(workspace.packages[1].skipped_examples().is_empty());
        assert!(waves.is_published() && !workspace.packages[1].is_published());
        assert_eq!(
            workspace.settings.large_files,
            [Path::new("data/reference.bin")]
        );
    }

    #[test]
    fn misspelt_setting_is_an_error() {
        let json = METADATA.replace("skip-examples", "skip-example");
        let error = Workspace::from_metadata(Path::new("/ws"), json.as_bytes()).unwrap_err();
        assert!(format!("{error:#}").contains("skip-example"), "{error:#}");
    }

    #[test]
    fn this_workspace_contains_this_crate() {
        let workspace = Workspace::load().unwrap();
        assert!(workspace.packages.iter().any(|p| p.name == "xtask"));
        assert!(workspace.root.join("Cargo.toml").is_file());
    }
}
