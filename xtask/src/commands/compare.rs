//! `cargo xtask compare`: the same problems through the Python package, finite elements, SciPy and PySINDy.

mod discovery;
mod eigen;
mod environment;
mod equal;
mod evolution;
mod exchange;
mod fem;
mod laws;
mod lbfgsb;
mod linear;
mod newton;
mod patches;
mod peer;
mod regression;
mod rows;
mod sample;
mod shapes;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use rayon::ThreadPoolBuilder;

use self::environment::Environment;
use self::exchange::Exchange;
use self::peer::Launcher;
pub(crate) use self::rows::Spread;
use self::rows::{Meta, Row};
use super::reproduce::items::laws::check_data;
use super::selection::chosen;
use crate::{format, machine::Machine, workspace::Workspace};

/// Compare with Python peers in one run: errors, times, ratios
///
/// Makes a virtual environment in the target directory (Python 3.11 or later and a network are needed once), then
/// runs this library and its peers in turns, on the same number of threads.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The comparisons to run; see `cargo xtask list` [default: all]
    #[arg(value_name = "ITEM")]
    items: Vec<String>,

    /// Fewer features, rows and repeats
    #[arg(long)]
    quick: bool,

    /// Turns that each side takes [default: 5, with --quick 3]
    #[arg(long, value_name = "K")]
    repeats: Option<usize>,

    /// Threads for each side [default: all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// The Python that makes the virtual environment [default: python3]
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,

    /// The directory of published data for the discovery of laws (`ks_u.npy` and so on); without it, cases that need them
    /// are left out
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Where `compare.json`, `compare.csv` and the data go [default: target/compare, with --quick and the items in its
    /// name if they are given, so that a short run does not overwrite a long one]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// One comparison.
pub(crate) struct Comparison {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// What it compares.
    pub(crate) shows: &'static str,
    run: fn(&Scope, &mut Record) -> Result<()>,
}

/// All comparisons. To add one: a file in `compare/`, a program in `peers/`, and a line here.
pub(crate) fn registry() -> Vec<Comparison> {
    vec![
        Comparison {
            name: "linear",
            shows: "linear PDEs: the Python package, finite elements, Kansa's method",
            run: linear::run,
        },
        Comparison {
            name: "newton",
            shows: "nonlinear PDEs: the Python package, finite elements, SciPy's solve_bvp, Kansa's method",
            run: newton::run,
        },
        Comparison {
            name: "regression",
            shows: "fits of known solutions: the Python package",
            run: regression::run,
        },
        Comparison {
            name: "shapes",
            shows: "holes and corners: finite elements",
            run: shapes::run,
        },
        Comparison {
            name: "patches",
            shows: "a re-entrant corner and a peak: adaptive finite elements",
            run: patches::run,
        },
        Comparison {
            name: "evolution",
            shows: "evolutions: ETDRK4 with FFT, SciPy's Radau and DOP853 on the same trial space",
            run: evolution::run,
        },
        Comparison {
            name: "eigen",
            shows: "eigenvalues: Chebyshev collocation",
            run: eigen::run,
        },
        Comparison {
            name: "discovery",
            shows: "laws from noisy samples: PySINDy by differences, smoothed, in weak form",
            run: discovery::run,
        },
        Comparison {
            name: "laws",
            shows: "laws of fields on grids: PySINDy's weak form (published data with --data DIR)",
            run: laws::run,
        },
        Comparison {
            name: "lbfgsb",
            shows: "minimisation in a box: SciPy's L-BFGS-B",
            run: lbfgsb::run,
        },
    ]
}

/// How much to do, and with whom.
pub(crate) struct Scope {
    quick: bool,
    repeats: usize,
    launcher: Launcher,
    exchange: Exchange,
    workspace: Workspace,
    data: Option<PathBuf>,
}

/// What has been measured: on disk as soon as it is there.
struct Record {
    directory: PathBuf,
    meta: Meta,
    rows: Vec<Row>,
}

impl Record {
    /// Takes up the rows of a case and saves all.
    fn add(&mut self, rows: Vec<Row>) -> Result<()> {
        self.rows.extend(rows);
        rows::save(&self.directory, &self.meta, &self.rows)
    }
}

impl Scope {
    /// One of two sizes.
    fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }
}

impl Args {
    /// Runs the chosen comparisons.
    pub(crate) fn run(self) -> Result<()> {
        let comparisons = chosen(registry(), |item| item.name, "comparison", &self.items)?;
        let repeats = self.repeats.unwrap_or(if self.quick { 3 } else { 5 });
        if repeats == 0 {
            bail!("--repeats must be at least 1");
        }
        if let Some(directory) = &self.data {
            check_data(directory)?;
        }
        if let Some(threads) = self.threads {
            if threads == 0 {
                bail!("--threads must be at least 1");
            }
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .build_global()
                .with_context(|| format!("cannot start {threads} threads"))?;
        }
        let workspace = Workspace::load()?;
        let environment = Environment::prepare(&workspace.target, self.python.as_deref())?;
        let out = self
            .out
            .unwrap_or_else(|| workspace.target.join(directory(self.quick, &self.items)));
        let scope = Scope {
            quick: self.quick,
            repeats,
            launcher: Launcher {
                python: environment.python(),
                scripts: peer::scripts(&workspace.root),
                caches: environment.caches(),
                threads: rayon::current_num_threads(),
            },
            exchange: Exchange::create(&out)?,
            workspace,
            data: self.data,
        };
        let meta = Meta {
            mode: scope.pick("quick", "full"),
            repeats,
            peers: environment::pinned().map(str::to_owned).collect(),
            machine: Machine::here(&scope.workspace.root),
        };
        let mut record = Record {
            directory: out.clone(),
            meta,
            rows: Vec::new(),
        };
        let mut broken = Vec::new();
        for (index, comparison) in comparisons.iter().enumerate() {
            let (number, of) = (index + 1, comparisons.len());
            eprintln!("[{number}/{of}] {}: {}", comparison.name, comparison.shows);
            let before = record.rows.len();
            if let Err(error) = (comparison.run)(&scope, &mut record) {
                // The others may still go well.
                eprintln!("{} broke off: {error:#}", comparison.name);
                broken.push(comparison.name);
            }
            let rows = record.rows.get(before..).unwrap_or_default();
            println!("\n{}\n{}\n", comparison.name, rows::table(rows));
        }
        if !broken.is_empty() {
            bail!("{} broke off", broken.join(" and "));
        }
        println!(
            "Medians of {repeats} turns (least–largest), both sides on {} (lbfgsb, and the peers of evolution and eigen: 1); above 1× ours is better.",
            format::count(scope.launcher.threads, "thread")
        );
        println!("written to {}", out.join("compare.{json,csv}").display());
        let ours = record.rows.iter().filter(|row| row.against.is_none());
        let failed = ours.filter(|row| row.failures > 0).count();
        if failed > 0 {
            bail!("{} of ours failed", format::count(failed, "row"));
        }
        Ok(())
    }
}

/// Where the files go below the target directory.
fn directory(quick: bool, items: &[String]) -> String {
    let mut parts = vec!["compare"];
    parts.extend(quick.then_some("quick"));
    parts.extend(items.iter().map(String::as_str));
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::{directory, peer};

    #[test]
    fn a_short_run_does_not_overwrite_a_long_one() {
        assert_eq!(directory(false, &[]), "compare");
        assert_eq!(
            directory(true, &["newton".to_owned()]),
            "compare-quick-newton"
        );
    }

    #[test]
    fn every_peer_has_a_program() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap();
        for name in [
            "package",
            "finite_elements",
            "boundary_value",
            "kansa",
            "sindy",
            "sindy_grids",
            "lbfgsb",
            "shapes",
            "adaptive",
            "evolution",
            "chebyshev",
        ] {
            let program = peer::scripts(root).join(name).with_extension("py");
            assert!(program.is_file(), "{}", program.display());
        }
    }
}
