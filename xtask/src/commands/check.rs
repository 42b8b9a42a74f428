//! `cargo xtask check`: everything that must hold before a change goes in.
//!
//! All steps use the release profile. The heavy dependencies are then compiled once to run
//! (tests, doctests and examples share them) and once to check (clippy and docs share them); only
//! the step `features`, whose point is to resolve each crate alone, checks some of them again.

mod apart;
mod features;
mod hygiene;
mod package;
mod shared;
mod summary;
mod web;

use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;

use super::{fuzz, gallery, mpi, readme};
use crate::{cargo::Cargo, format, workspace::Workspace};
use summary::{Outcome, Row};

/// Check format, lints, tests, docs, features, examples and the repository itself
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The steps to run [default: all]
    #[arg(value_enum, value_name = "STEP")]
    steps: Vec<Step>,

    /// Repair what can be repaired automatically (format, README) instead of reporting it
    #[arg(long)]
    fix: bool,

    /// Run the remaining steps after a failure
    #[arg(long)]
    keep_going: bool,
}

/// One thing to check, in the order of running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// The code is formatted
    Format,
    /// No compiler or clippy warning in any target with all features
    Clippy,
    /// Unit and integration tests
    Tests,
    /// Examples in the documentation
    Doctests,
    /// The documentation builds without a warning
    Docs,
    /// Each crate builds alone: without features, with its default ones, with each single one
    Features,
    /// The solvers compile for browsers (wasm32), where the compiler can
    Web,
    /// Every crate can be packaged, with licences, README and all files that its code names
    Package,
    /// Every example builds and runs to a successful end; the gallery that they make has no dead end
    Examples,
    /// Random calls neither panic nor overrun their limits
    Fuzz,
    /// Several processes agree with one; skipped where there is no mpirun
    Mpi,
    /// The README's results are those of the committed run
    Readme,
    /// Manifests inherit from the workspace, crates have a README, no large or unfinished files
    Hygiene,
}

/// How long the step `fuzz` goes on at most.
const FUZZ_SECONDS: f64 = 8.0;
/// The cases of the step `fuzz`: the same on every machine, fast or slow.
const FUZZ_CASES: u64 = 3000;

/// Numbers of ranks of the step `mpi`.
const MPI_RANKS: [usize; 4] = [1, 2, 3, 4];

/// What a step may use.
struct Context {
    workspace: Workspace,
    fix: bool,
    keep_going: bool,
}

impl Args {
    /// Runs the chosen steps and prints the summary.
    pub(crate) fn run(self) -> Result<()> {
        let steps = chosen(&self.steps);
        let context = Context {
            workspace: Workspace::load()?,
            fix: self.fix,
            keep_going: self.keep_going,
        };
        let start = Instant::now();
        let mut rows = Vec::with_capacity(steps.len());
        for (index, step) in steps.iter().enumerate() {
            let name = step.name();
            let failed = rows.iter().any(Row::failed);
            if failed && !self.keep_going {
                rows.push(Row::new(name, Outcome::NotRun));
                continue;
            }
            eprintln!("[{}/{}] {name} …", index + 1, steps.len());
            let step_start = Instant::now();
            let result = step.run(&context);
            let time = step_start.elapsed();
            if let Err(error) = &result {
                eprintln!("      {name} FAILED: {error:#}");
            }
            rows.push(Row::new(name, Outcome::from_result(result, time)));
        }

        println!("\n{}", summary::table(&rows, start.elapsed()));
        let failed: Vec<_> = rows.iter().filter(|row| row.failed()).collect();
        if !failed.is_empty() {
            let names = failed.iter().map(|row| row.step.as_str());
            let names = names.collect::<Vec<_>>().join(" ");
            bail!(
                "{} failed; to run again: cargo xtask check {names}",
                format::count(failed.len(), "step"),
            );
        }
        Ok(())
    }
}

/// The steps to run in their fixed order, whatever the order on the command line.
fn chosen(steps: &[Step]) -> Vec<Step> {
    Step::value_variants()
        .iter()
        .copied()
        .filter(|step| steps.is_empty() || steps.contains(step))
        .collect()
}

impl Step {
    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Runs the step; on success returns a remark for the summary.
    fn run(self, context: &Context) -> Result<String> {
        let root = &context.workspace.root;
        let cargo = |args: &str| Cargo::new(args).run(root).map(|()| String::new());
        match self {
            Self::Format => {
                Cargo::require_component("fmt", "rustfmt", root)?;
                let check = if context.fix { "" } else { "--check" };
                for manifest in ["Cargo.toml", "fastlsq-solve/mpi/Cargo.toml"] {
                    cargo(&format!("fmt --all --manifest-path {manifest} {check}")).map_err(
                        |error| anyhow!("{error}; to repair: cargo xtask check --fix format"),
                    )?;
                }
                Ok(String::new())
            }
            Self::Clippy => {
                Cargo::require_component("clippy", "clippy", root)?;
                cargo("clippy --workspace --all-targets --all-features --release -- -D warnings")
            }
            Self::Tests => {
                let keep_going = if context.keep_going {
                    "--no-fail-fast"
                } else {
                    ""
                };
                cargo(&format!(
                    "test --workspace --all-features --release --tests {keep_going}"
                ))
            }
            Self::Doctests => cargo("test --workspace --all-features --release --doc"),
            Self::Docs => Cargo::new("doc --workspace --all-features --release --no-deps")
                .env("RUSTDOCFLAGS", "-D warnings")
                .run(root)
                .map(|()| String::new()),
            Self::Features => features::run(context),
            Self::Web => web::run(root),
            Self::Package => package::run(&context.workspace),
            Self::Examples => gallery::make(&context.workspace, &[], context.keep_going),
            Self::Fuzz => {
                let report = fuzz::fuzz(FUZZ_SECONDS, 0, 0..FUZZ_CASES)?;
                report.verdict()?;
                Ok(format::count(report.cases() as usize, "call"))
            }
            Self::Mpi => match mpi::Launcher::find(&context.workspace)? {
                Some(launcher) => mpi::tests(&launcher, &MPI_RANKS),
                None => Ok("skipped: there is no mpirun".to_owned()),
            },
            Self::Readme if context.fix => readme::rewrite(root).map(|changes| changes.join(", ")),
            Self::Readme => readme::check(root),
            Self::Hygiene => hygiene::run(&context.workspace),
        }
    }
}

impl Context {
    /// Runs `action` for each item. Stops at the first failure, unless the user asked to keep going:
    /// then the error lists all failures.
    fn for_each<T>(
        &self,
        items: impl IntoIterator<Item = T>,
        mut action: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut failures = Vec::new();
        for item in items {
            if let Err(error) = action(item) {
                failures.push(format!("{error:#}"));
                if !self.keep_going {
                    break;
                }
            }
        }
        if failures.is_empty() {
            Ok(())
        } else {
            bail!("{}", failures.join("\n      "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Context, Step, chosen};
    use crate::workspace;
    use anyhow::{Result, bail};
    use clap::ValueEnum;

    #[test]
    fn steps_run_once_in_their_fixed_order() {
        assert_eq!(chosen(&[]), Step::value_variants());
        assert_eq!(
            chosen(&[Step::Docs, Step::Format, Step::Docs]),
            [Step::Format, Step::Docs]
        );
    }

    #[test]
    fn keep_going_visits_all_and_tells_every_failure() {
        let visit = |keep_going| {
            let context = Context {
                workspace: workspace::tests::sample(),
                fix: false,
                keep_going,
            };
            let mut visited = Vec::new();
            let result: Result<()> = context.for_each(1..=4, |i| {
                visited.push(i);
                if i % 2 == 0 {
                    bail!("{i} is even")
                } else {
                    Ok(())
                }
            });
            (visited, result.unwrap_err().to_string())
        };
        assert_eq!(visit(false), (vec![1, 2], "2 is even".to_owned()));
        let (visited, message) = visit(true);
        assert_eq!(visited, [1, 2, 3, 4]);
        assert!(message.contains("2 is even") && message.contains("4 is even"));
    }
}
