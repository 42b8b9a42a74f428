//! The solvers compile for browsers.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::Cargo;

const TARGET: &str = "wasm32-unknown-unknown";
/// The crates that must compile there.
const CRATES: [&str; 4] = [
    "fastlsq-basis",
    "fastlsq-ops",
    "fastlsq-solve",
    "fastlsq-newton",
];

pub(super) fn run(root: &Path) -> Result<String> {
    if !is_installed()? {
        return Ok(format!("skipped: to run it, rustup target add {TARGET}"));
    }
    let packages = CRATES.map(|name| format!("--package {name}")).join(" ");
    Cargo::new(&format!("check --release --target {TARGET} {packages}")).run(root)?;
    Ok(format!("{} crates for {TARGET}", CRATES.len()))
}

/// Whether the compiler has the standard library of the target.
fn is_installed() -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .context("cannot start rustc")?;
    let directory = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success() && Path::new(directory.trim()).is_dir())
}
