//! The commands, one module each.
//!
//! To add one: write `commands/name.rs` with a `clap::Args` struct that has a `run` method, declare
//! the module here, and give it a variant and an arm below. The doc comment of the `Args` struct is
//! its help text.

mod bench;
mod check;
mod compare;
mod fuzz;
mod gallery;
mod list;
mod mpi;
mod readme;
mod reproduce;
mod selection;

/// What `cargo xtask` can do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Reproduce(reproduce::Args),
    Compare(compare::Args),
    Bench(bench::Args),
    Check(check::Args),
    Fuzz(fuzz::Args),
    Gallery(gallery::Args),
    List(list::Args),
    Mpi(mpi::Args),
    Readme(readme::Args),
    #[command(hide = true)]
    MemoryProbe(bench::MemoryArgs),
}

impl Command {
    /// Runs the command; an error makes the process exit with a non-zero status.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Reproduce(args) => args.run(),
            Self::Compare(args) => args.run(),
            Self::Bench(args) => args.run(),
            Self::Check(args) => args.run(),
            Self::Fuzz(args) => args.run(),
            Self::Gallery(args) => args.run(),
            Self::List(args) => args.run(),
            Self::Mpi(args) => args.run(),
            Self::Readme(args) => args.run(),
            Self::MemoryProbe(args) => args.run(),
        }
    }
}
