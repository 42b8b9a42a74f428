//! `cargo xtask`: the commands that work on the whole workspace.
//!
//! Each command is one file in `commands/`; `cargo xtask help` lists them.

#![expect(
    clippy::print_stdout,
    reason = "a command-line program: its results belong on standard output"
)]

mod backend;
mod cache_experiment;
mod cargo;
mod commands;
mod format;
mod machine;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

/// The command line.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
