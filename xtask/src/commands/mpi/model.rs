//! The cost model: its constants measured, and its predictions beside counted runs.

use anyhow::{Context, Result, ensure};
use comfy_table::{CellAlignment, Table, presets};
use fastlsq_solve::patches::FrontCost;
use fastlsq_solve::team::Machine;

use super::forecast;
use super::launcher::{Launcher, Results};
use super::trees::{By, Patches, TreeCost};
use crate::workspace::Workspace;

/// Patches along each axis of the counted runs, and the unknowns on a side of one.
const CELLS: usize = 16;
const SIDE: usize = 14;

/// Measures, compares and draws.
pub(super) fn model(launcher: &Launcher, workspace: &Workspace) -> Result<()> {
    let constants = launcher.results(2, &["constants"])?;
    let here = Machine {
        flop_rate: number(&constants, "flop rate of a thread")?,
        latency: number(&constants, "latency")?,
        bandwidth: number(&constants, "bandwidth")?,
    };
    println!(
        "{:.2e} operations per second on one thread; {:.2e} s latency and {:.2e} bytes per second between two processes here",
        here.flop_rate, here.latency, here.bandwidth
    );
    rows(launcher)?;
    for how in ["single", "joint"] {
        patches(launcher, how)?;
    }
    fronts(launcher, &here)?;
    forecast::draw(&here, workspace)
}

fn number(results: &Results, name: &str) -> Result<f64> {
    let found = results.iter().find(|(own, _)| own == name);
    let (_, value) = found.with_context(|| format!("no {name} was measured"))?;
    value.parse().with_context(|| format!("{name} is {value}"))
}

pub(super) fn plain_table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(head);
    table
}

pub(super) fn show(table: &mut Table) {
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("\n{table}");
}

/// Rows: the job itself fails where messages or bytes are not as predicted, or operations by more than 5 %.
fn rows(launcher: &Launcher) -> Result<()> {
    let mut table = plain_table(&[
        "ranks",
        "flops of the busiest, counted",
        "over predicted",
        "messages",
        "predicted",
        "bytes",
        "predicted",
    ]);
    for ranks in 1..=8 {
        let results = launcher.results(ranks, &["costs"])?;
        let of = |name: &str| number(&results, name);
        let (counted, predicted) = (of("flops, most, counted")?, of("flops, most, predicted")?);
        let ratio = if counted > 0.0 {
            format!("{:.3}", counted / predicted)
        } else {
            "–".to_owned()
        };
        table.add_row([
            ranks.to_string(),
            format!("{counted:.3e}"),
            ratio,
            of("messages, counted")?.to_string(),
            of("messages, predicted")?.to_string(),
            of("bytes, counted")?.to_string(),
            of("bytes, predicted")?.to_string(),
        ]);
    }
    show(&mut table);
    Ok(())
}

/// Operations take long and messages nothing: whatever can be shared is.
const EAGER: Machine = Machine {
    flop_rate: 1.0,
    latency: 0.0,
    bandwidth: f64::INFINITY,
};

/// Patches: fronts are exact, messages and bytes follow from the steps of the solve.
fn patches(launcher: &Launcher, how: &str) -> Result<()> {
    let by = match how {
        "joint" => By::Several(&EAGER),
        _ => By::One,
    };
    println!("\nfronts: {how}");
    let mut table = plain_table(&[
        "ranks",
        "patches",
        "flops of all fronts over predicted",
        "of the busiest over predicted",
        "busiest × ranks / all",
        "messages",
        "predicted",
        "bytes",
        "predicted",
    ]);
    let grid = Patches {
        cells: [CELLS, CELLS, 1],
        side: SIDE,
    };
    for ranks in 2..=8 {
        let results = launcher.results(ranks, &["patch-costs", &CELLS.to_string(), how])?;
        let of = |name: &str| number(&results, name);
        ensure!(
            of("unknowns")? == grid.unknowns() as f64,
            "the number of unknowns is not as predicted"
        );
        let cost = grid.cost(ranks, by);
        let (all, most) = (of("flops of fronts, all")?, of("flops of fronts, most")?);
        let ratios = [all / cost.all_flops, most / cost.most_flops];
        ensure!(
            ratios.iter().all(|ratio| (ratio - 1.0).abs() < 1e-3),
            "fronts on {ranks} ranks: counted over predicted is {ratios:?}"
        );
        let (messages, numbers) = traffic(&grid, &cost, ranks, of("functions of a leaf")?);
        ensure!(
            of("messages")? == messages && of("bytes")? == 8.0 * numbers,
            "messages or bytes on {ranks} ranks are not as predicted"
        );
        table.add_row([
            ranks.to_string(),
            of("leaves")?.to_string(),
            format!("{:.4}", ratios[0]),
            format!("{:.4}", ratios[1]),
            format!("{:.2}", most / all * ranks as f64),
            of("messages")?.to_string(),
            messages.to_string(),
            of("bytes")?.to_string(),
            (8.0 * numbers).to_string(),
        ]);
    }
    show(&mut table);
    Ok(())
}

/// Fronts by one rank and by two, in time: the model beside the clock, which includes whatever else the machine does, and beside the
/// processor time of the busiest rank without messages, which does not.
fn fronts(launcher: &Launcher, here: &Machine) -> Result<()> {
    let mut table = plain_table(&[
        "e",
        "b",
        "ms by one",
        "work",
        "predicted",
        "ms by two",
        "work",
        "predicted",
        "gain",
        "work",
        "predicted",
    ]);
    let results = launcher.results(2, &["fronts"])?;
    let names = results
        .iter()
        .filter_map(|(name, _)| name.strip_suffix(" alone"));
    for size in names {
        let (e, b) = size.split_once(' ').context("no size of a front")?;
        let predicted = |members: usize| -> Result<f64> {
            Ok(FrontCost::new(e.parse()?, b.parse()?, members).seconds(here))
        };
        let measured = |how: &str| number(&results, &format!("{size} {how}"));
        let one = [measured("alone")?, measured("alone, work")?, predicted(1)?];
        let two = [measured("joint")?, measured("joint, work")?, predicted(2)?];
        let times = one.iter().chain(&two);
        let times = times.map(|seconds| format!("{:.2}", 1e3 * seconds));
        let gains = one
            .iter()
            .zip(&two)
            .map(|(one, two)| format!("{:.2}", one / two));
        let size = [e.to_owned(), b.to_owned()];
        table.add_row(size.into_iter().chain(times).chain(gains));
    }
    show(&mut table);
    Ok(())
}

/// Messages and numbers of a solve in three steps (the first, one of refinement, one that measures rounding).
///
/// A Schur complement for every crossing, and what joint fronts take; for every step, traces up and down at every crossing, the sum of the solved
/// traces, and the coefficients of all leaves from each rank to all; once, eight indicators of each leaf, and two norms.
fn traffic(grid: &Patches, cost: &TreeCost, ranks: usize, functions: f64) -> (f64, f64) {
    const STEPS: f64 = 3.0;
    let (others, p) = (ranks as f64 - 1.0, ranks as f64);
    let leaves = grid.cells.iter().product::<usize>() as f64;
    let crossings = cost.crossings as f64;
    let messages = crossings
        + cost.joint[0] as f64
        + STEPS * (2.0 * crossings + 2.0 * others + p * others)
        + p * others
        + 2.0 * others;
    let unknowns = grid.unknowns() as f64;
    let numbers = cost.schur as f64
        + cost.joint[1] as f64
        + STEPS * (2.0 * cost.open as f64 + 2.0 * others * unknowns + others * leaves * functions)
        + 8.0 * others * leaves
        + 4.0 * others;
    (messages, numbers)
}
