//! Some examples once more, as programs in which a panic ends the process.
//!
//! A library that returns errors must not rely on panics being caught on the way, and where `panic = "abort"` is set
//! they cannot be. The strategy is the program's, not its dependencies': so the libraries that are there already are
//! linked again, which takes seconds, instead of compiling everything in another profile. Such an example is one file
//! that uses crates of this workspace only.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};

use crate::workspace::{Package, Target};

/// The libraries of the workspace that were just built, by the name that code uses.
pub(super) type Libraries = BTreeMap<String, PathBuf>;

/// Compiles and runs one example in this way.
pub(super) fn run(
    package: &Package,
    example: &Target,
    libraries: &Libraries,
    target: &Path,
) -> Result<()> {
    let source = package
        .directory()
        .join("examples")
        .join(format!("{}.rs", example.name));
    let directory = target.join("panic-abort");
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let program = directory.join(&example.name);

    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler
        .args([
            "--edition",
            "2024",
            "-C",
            "panic=abort",
            "--cap-lints",
            "allow",
        ])
        .arg(&source)
        .arg("-o")
        .arg(&program);
    for (name, library) in libraries {
        let mut external = std::ffi::OsString::from(format!("{name}="));
        external.push(library);
        compiler.arg("--extern").arg(external);
    }
    let folders: std::collections::BTreeSet<_> = libraries
        .values()
        .filter_map(|library| library.parent())
        .collect();
    for folder in folders {
        let mut search = std::ffi::OsString::from("dependency=");
        search.push(folder);
        compiler.arg("-L").arg(search);
    }
    eprintln!("      $ rustc -C panic=abort {}", source.display());
    let status = compiler.status().context("cannot start rustc")?;
    if !status.success() {
        bail!("{} does not compile with panic=abort", source.display());
    }
    let status = Command::new(&program)
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !status.success() {
        bail!(
            "example `{}` with panic=abort failed ({status})",
            example.name
        );
    }
    Ok(())
}
