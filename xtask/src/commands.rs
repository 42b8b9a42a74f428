//! The commands, one module each.
//!
//! To add one: write `commands/name.rs` with a `clap::Args` struct that has a `run` method, declare
//! the module here, and give it a variant and an arm below. The doc comment of the `Args` struct is
//! its help text.

mod check;

/// What `cargo xtask` can do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Check(check::Args),
}

impl Command {
    /// Runs the command; an error makes the process exit with a non-zero status.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Check(args) => args.run(),
        }
    }
}
