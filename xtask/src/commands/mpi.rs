//! `cargo xtask mpi`: the tests and measurements of `fastlsq-mpi` under `mpirun`.

mod failures;
mod forecast;
mod launcher;
mod model;
mod trees;

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use comfy_table::{CellAlignment, Table, presets};

use crate::{format, workspace::Workspace};
pub(crate) use launcher::Launcher;

/// Test the solve by several processes under mpirun: against one process, and with ranks that fail
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Numbers of ranks, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4")]
    ranks: Vec<usize>,

    /// Measure the constants of the cost model, compare it with counted runs of 1 to 8 ranks, and draw its forecast
    #[arg(long)]
    model: bool,

    /// Measure the memory of a rank: ten million rows of 500 features on 4 ranks (takes minutes)
    #[arg(long)]
    memory: bool,
}

impl Args {
    /// Runs what was asked for.
    pub(crate) fn run(self) -> Result<()> {
        let workspace = Workspace::load()?;
        let Some(launcher) = Launcher::find(&workspace)? else {
            bail!("no mpirun; on Debian: {}", launcher::INSTALL);
        };
        ensure!(!self.ranks.contains(&0), "a job has at least one rank");
        if self.model {
            return model::model(&launcher, &workspace);
        }
        if self.memory {
            return memory(&launcher);
        }
        tests(&launcher, &self.ranks).map(|remark| println!("{remark}"))
    }
}

/// Ten million rows on four ranks, each of which may have 1 GiB.
fn memory(launcher: &Launcher) -> Result<()> {
    const MOST: f64 = 1024.0;
    let launcher = launcher.patient(Duration::from_secs(4 * 3600));
    let results = launcher.results(4, &["memory", "10000000", "500"])?;
    for (name, value) in &results {
        println!("{name}: {value}");
    }
    let peaks = results.iter().filter(|(name, _)| name.starts_with("MiB"));
    for (name, value) in peaks {
        let peak: f64 = value.parse()?;
        ensure!(peak <= MOST, "{name}: {peak}, more than {MOST}");
    }
    Ok(())
}

/// All tests; the remark says how many.
pub(crate) fn tests(launcher: &Launcher, ranks: &[usize]) -> Result<String> {
    let mut columns = Vec::new();
    for &count in ranks {
        let mut results = launcher.results(count, &["suite"])?;
        results.extend(launcher.results(count, &["problems"])?);
        columns.push(results);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let heads = ranks.iter().map(|count| format::count(*count, "rank"));
    table.set_header(std::iter::once("difference from one process".to_owned()).chain(heads));
    let names = columns.first().into_iter().flatten().map(|(name, _)| name);
    for name in names {
        let value = |results: &launcher::Results| {
            let found = results.iter().find(|(own, _)| own == name);
            found.map_or_else(String::new, |(_, value)| value.clone())
        };
        let values = columns.iter().map(value);
        table.add_row(std::iter::once(name.clone()).chain(values));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    eprintln!("{table}");
    let failures = failures::run(launcher)?;
    Ok(format!(
        "{}, {failures}",
        format::count(ranks.len(), "number") + " of ranks"
    ))
}
