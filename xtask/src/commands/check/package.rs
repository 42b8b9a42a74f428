//! Every crate that is published can be packaged: what users download is complete.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{
    cargo::Cargo,
    format,
    workspace::{Package, Workspace},
};

/// What every package holds.
const NEEDED: [&str; 4] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"];

pub(super) fn run(workspace: &Workspace) -> Result<String> {
    let published: Vec<&Package> = workspace
        .packages
        .iter()
        .filter(|package| package.is_published())
        .collect();
    let names: Vec<String> = published
        .iter()
        .map(|package| format!("--package {}", package.name))
        .collect();
    let names = names.join(" ");
    // Dependencies among these crates are taken from here: nothing is looked up in a registry.
    Cargo::new(&format!(
        "package {names} --no-verify --allow-dirty --offline"
    ))
    .run(&workspace.root)?;
    for package in &published {
        let list = format!(
            "package --package {} --list --allow-dirty --offline",
            package.name
        );
        let list = String::from_utf8(Cargo::new(&list).output(&workspace.root)?)?;
        let files: Vec<&str> = list.lines().collect();
        let missing = missing(package.directory(), &files)?;
        if !missing.is_empty() {
            bail!(
                "the package of {} lacks {}",
                package.name,
                missing.join(", ")
            );
        }
    }
    Ok(format::count(published.len(), "crate"))
}

/// What a package lacks: files that every package holds, and those that its code includes.
fn missing(directory: &Path, files: &[&str]) -> Result<Vec<String>> {
    let mut missing: Vec<String> = NEEDED
        .iter()
        .filter(|needed| !files.contains(needed))
        .map(|needed| (*needed).to_owned())
        .collect();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        let path = directory.join(file);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for name in included(&text) {
            let target = tidy(Path::new(file).parent().unwrap_or(Path::new("")), name);
            if !files.contains(&target.as_str()) {
                missing.push(target);
            }
        }
    }
    Ok(missing)
}

/// The files that `include_str!` and `include_bytes!` name.
fn included(text: &str) -> impl Iterator<Item = &str> {
    ["include_str!(\"", "include_bytes!(\""]
        .into_iter()
        .flat_map(|call| text.split(call).skip(1))
        .filter_map(|rest| rest.split('"').next())
}

/// A file as it is named from the root of its crate.
fn tidy(directory: &Path, name: &str) -> String {
    let mut parts: Vec<&str> = directory.iter().filter_map(|part| part.to_str()).collect();
    for part in name.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::{included, tidy};
    use std::path::Path;

    #[test]
    fn included_files_are_found_from_the_root_of_the_crate() {
        let text = concat!(
            "a(include_",
            "str!(\"../../data/x.json\")); include_",
            "bytes!(\"y.ttf\")"
        );
        let names: Vec<&str> = included(text).collect();
        assert_eq!(names, ["../../data/x.json", "y.ttf"]);
        assert_eq!(tidy(Path::new("src/a"), names[0]), "data/x.json");
        assert_eq!(tidy(Path::new("src/a"), names[1]), "src/a/y.ttf");
    }
}
