//! Runs cargo the way a person would type it.

use std::{
    ffi::OsString,
    fmt,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// One cargo invocation. Displayed, it is the line to paste into a shell to run it again.
#[derive(Debug, Clone)]
pub(crate) struct Cargo {
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

impl Cargo {
    /// The invocation with these arguments, separated by white space.
    pub(crate) fn new(args: &str) -> Self {
        Self {
            args: args.split_whitespace().map(str::to_owned).collect(),
            env: Vec::new(),
        }
    }

    /// Sets a variable in the environment of this invocation only.
    pub(crate) fn env(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.env.push((key, value.into()));
        self
    }

    /// Shows the invocation and runs it in `root`, its output going straight to the terminal.
    pub(crate) fn run(&self, root: &Path) -> Result<()> {
        eprintln!("      $ {self}");
        let status = self
            .command(root)
            .status()
            .with_context(|| format!("cannot start `{self}`"))?;
        if !status.success() {
            bail!("`{self}` failed ({status})");
        }
        Ok(())
    }

    /// Runs the invocation in `root` and returns its standard output. Standard error goes straight
    /// to the terminal.
    pub(crate) fn output(&self, root: &Path) -> Result<Vec<u8>> {
        let output = self
            .command(root)
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("cannot start `{self}`"))?;
        if !output.status.success() {
            bail!("`{self}` failed ({})", output.status);
        }
        Ok(output.stdout)
    }

    /// Fails, naming the remedy, unless the cargo subcommand of a rustup component can be run.
    pub(crate) fn require_component(subcommand: &str, component: &str, root: &Path) -> Result<()> {
        let installed = Self::new(&format!("{subcommand} --version"))
            .command(root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("cannot start cargo")?
            .success();
        if !installed {
            bail!(
                "`cargo {subcommand}` is not available in this toolchain; \
                 install it with `rustup component add {component}`"
            );
        }
        Ok(())
    }

    fn command(&self, root: &Path) -> Command {
        // Under `cargo run` this is the very cargo that started us, so that one toolchain does all.
        let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(program);
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .current_dir(root);
        command
    }
}

impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.env {
            write!(f, "{key}={value:?} ")?;
        }
        write!(f, "cargo {}", self.args.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Cargo;

    #[test]
    fn displays_as_typed_in_a_shell() {
        let doc = Cargo::new("doc --no-deps  --release").env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            doc.to_string(),
            "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps --release"
        );
    }
}
