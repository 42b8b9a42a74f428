//! `cargo xtask bench`: speed as ratios within one run.

mod assembly;
mod cached;
mod discovery;
mod limits;
mod lstsq;
mod memory;
mod newton;
mod patches;
mod scaling;
mod timing;

use std::path::PathBuf;

use anyhow::{Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

pub(crate) use memory::Args as MemoryArgs;

use super::reproduce::results::write_atomically;
use super::selection::chosen;
use crate::{format, machine::Machine, workspace::Workspace};

/// Measure speed as ratios within one run, beside the targets
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The benchmarks to run; see `cargo xtask list` [default: all]
    #[arg(value_name = "ITEM")]
    items: Vec<String>,

    /// Where `bench.json` goes [default: target/bench]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Smaller sizes, for a first look: the targets are for the full ones
    #[arg(long)]
    quick: bool,

    /// Fail if a target is missed
    #[arg(long)]
    strict: bool,
}

/// One benchmark.
pub(crate) struct Bench {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// What it measures.
    pub(crate) shows: &'static str,
    run: fn(&Scope) -> Result<Vec<Measurement>>,
}

/// All benchmarks. To add one: a file in `bench/`, and a line here.
pub(crate) fn registry() -> Vec<Bench> {
    vec![
        Bench {
            name: "limits",
            shows: "this machine: matrix products, writing memory, sine and cosine",
            run: limits::run,
        },
        Bench {
            name: "assembly",
            shows: "rows of an operator: against std's sin, on two threads, of fourth order, against memory",
            run: assembly::run,
        },
        Bench {
            name: "lstsq",
            shows: "the streamed factorisation against the rate of matrix products",
            run: lstsq::run,
        },
        Bench {
            name: "newton",
            shows: "automatic nonlinear solves against steps of the paper's size, a step against a linear solve",
            run: newton::run,
        },
        Bench {
            name: "patches",
            shows: "how the time of patches grows with their number, stage by stage",
            run: patches::run,
        },
        Bench {
            name: "cached",
            shows: "a new right-hand side on a factored system against a full solve",
            run: cached::run,
        },
        Bench {
            name: "discovery",
            shows: "rows, LASSO path and selection of a law against the fit before them",
            run: discovery::run,
        },
        Bench {
            name: "scaling",
            shows: "time against rows and features, memory of a million rows, automatic choices against one solve",
            run: scaling::run,
        },
    ]
}

/// How much to do, and how to report what goes on.
pub(crate) struct Scope {
    quick: bool,
}

impl Scope {
    /// One of two sizes.
    fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// One figure of a benchmark.
#[derive(Debug, Clone, Serialize)]
struct Measurement {
    bench: &'static str,
    case: String,
    figure: &'static str,
    value: f64,
    /// What the project asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// Whether it is met.
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
}

impl Measurement {
    fn new(bench: &'static str, case: impl Into<String>, figure: &'static str, value: f64) -> Self {
        Self {
            bench,
            case: case.into(),
            figure,
            value,
            target: None,
            met: None,
        }
    }

    fn at_least(mut self, limit: f64) -> Self {
        self.target = Some(format!("≥ {limit}"));
        self.met = Some(self.value >= limit);
        self
    }

    fn at_most(mut self, limit: f64) -> Self {
        self.target = Some(format!("≤ {limit}"));
        self.met = Some(self.value <= limit);
        self
    }
}

#[derive(Serialize)]
struct File {
    meta: Meta,
    rows: Vec<Measurement>,
}

#[derive(Serialize)]
struct Meta {
    mode: &'static str,
    #[serde(flatten)]
    machine: Machine,
}

impl Args {
    /// Runs the chosen benchmarks.
    pub(crate) fn run(self) -> Result<()> {
        let benches = chosen(registry(), |bench| bench.name, "benchmark", &self.items)?;
        let workspace = Workspace::load()?;
        let out = self.out.unwrap_or_else(|| workspace.target.join("bench"));
        let scope = Scope { quick: self.quick };
        let mut rows = Vec::new();
        for (index, bench) in benches.iter().enumerate() {
            eprintln!(
                "[{}/{}] {}: {} …",
                index + 1,
                benches.len(),
                bench.name,
                bench.shows
            );
            rows.extend((bench.run)(&scope)?);
        }
        if self.quick {
            // The targets are for the full sizes.
            for row in &mut rows {
                row.met = None;
            }
        }
        let missed = rows.iter().filter(|row| row.met == Some(false)).count();
        println!("\n{}", table(&rows));
        let file = File {
            meta: Meta {
                mode: scope.pick("quick", "full"),
                machine: Machine::here(&workspace.root),
            },
            rows,
        };
        std::fs::create_dir_all(&out)?;
        let path = out.join("bench.json");
        write_atomically(
            &path,
            (serde_json::to_string_pretty(&file)? + "\n").as_bytes(),
        )?;
        println!("\nwritten to {}", path.display());
        if missed > 0 {
            let message = format!("{} missed", format::count(missed, "target"));
            if self.strict {
                bail!(message);
            }
            println!("{message}");
        }
        Ok(())
    }
}

fn table(rows: &[Measurement]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_header(["bench", "case", "figure", "value", "target", ""]);
    for row in rows {
        table.add_row([
            row.bench,
            &row.case,
            row.figure,
            &format::significant(row.value),
            row.target.as_deref().unwrap_or_default(),
            match row.met {
                None => "",
                Some(true) => "met",
                Some(false) => "MISSED",
            },
        ]);
    }
    if let Some(column) = table.column_mut(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
