//! The cost model: its constants measured, its predictions beside counted runs, its forecast drawn.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use fastlsq_solve::lsq::{Machine, RowsCost};

use super::launcher::{Launcher, Results};
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
use crate::workspace::Workspace;

/// Where the figure goes, and what it was made of.
const FIGURE: &str = "fastlsq-solve/mpi/forecast.svg";
/// Rows and features of the forecast.
const FORECAST: [(usize, usize); 3] = [(20_000_000, 5000), (20_000_000, 1000), (1_000_000, 1000)];
/// A network between nodes, as a data sheet has it: not measured here.
const NETWORK: (f64, f64) = (2e-6, 1e10);
/// Numbers of nodes of the forecast.
const NODES: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Measures, compares and draws.
pub(super) fn model(launcher: &Launcher, workspace: &Workspace) -> Result<()> {
    let constants = launcher.results(2, &["constants"])?;
    for (name, value) in &constants {
        println!("{name}: {value}");
    }
    compare(launcher)?;
    patches(launcher)?;
    let here = Machine {
        flop_rate: number(&constants, "flop rate of a thread")?,
        latency: number(&constants, "latency")?,
        bandwidth: number(&constants, "bandwidth")?,
    };
    let figure = forecast(&here);
    let path = workspace.root.join(FIGURE);
    std::fs::write(&path, figure.svg()?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("\n{}\n{}", figure.caption, path.display());
    Ok(())
}

fn number(results: &Results, name: &str) -> Result<f64> {
    let found = results.iter().find(|(own, _)| own == name);
    let (_, value) = found.with_context(|| format!("no {name} was measured"))?;
    value.parse().with_context(|| format!("{name} is {value}"))
}

fn plain_table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(head);
    table
}

fn show(table: &mut Table) {
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("\n{table}");
}

/// Rows: predicted beside counted.
fn compare(launcher: &Launcher) -> Result<()> {
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

/// Patches: how evenly the fronts are spread.
fn patches(launcher: &Launcher) -> Result<()> {
    let mut table = plain_table(&[
        "ranks",
        "leaves",
        "flops of all fronts",
        "busiest × ranks / all",
        "messages",
        "bytes",
    ]);
    for ranks in [2, 3, 4, 6, 8] {
        let results = launcher.results(ranks, &["patch-costs"])?;
        let of = |name: &str| number(&results, name);
        table.add_row([
            ranks.to_string(),
            of("leaves")?.to_string(),
            format!("{:.3e}", of("flops of fronts, all")?),
            format!("{:.2}", of("share of the busiest times ranks")?),
            of("messages")?.to_string(),
            of("bytes")?.to_string(),
        ]);
    }
    show(&mut table);
    Ok(())
}

/// Times of one factorisation over the number of nodes.
fn forecast(here: &Machine) -> Figure {
    let network = Machine {
        latency: NETWORK.0,
        bandwidth: NETWORK.1,
        ..*here
    };
    let mut series = Vec::new();
    for (colour, (rows, columns)) in FORECAST.into_iter().enumerate() {
        let seconds = |nodes: &usize| {
            let cost = RowsCost::new(rows, columns, 1, *nodes);
            (*nodes as f64, cost.seconds(&network))
        };
        let points: Vec<(f64, f64)> = NODES.iter().map(seconds).collect();
        let ideal = points.first().map_or(0.0, |(_, seconds)| *seconds);
        series.push(Series {
            label: format!("{rows} rows, {columns} features"),
            points,
            look: Look::Line(colour),
        });
        series.push(Series {
            label: String::new(),
            points: NODES
                .iter()
                .map(|n| (*n as f64, ideal / *n as f64))
                .collect(),
            look: Look::Reference,
        });
    }
    let mut caption = String::from("Forecast of a model, not a measurement: ");
    let _ = write!(
        caption,
        "{:.2e} operations a second on each node (one thread, measured), {:.1e} s latency and {:.1e} bytes a second \
         between nodes (assumed; {:.1e} s and {:.1e} bytes a second were measured between processes of one machine). Grey: \
         the time of one node over their number.",
        network.flop_rate, network.latency, network.bandwidth, here.latency, here.bandwidth
    );
    Figure {
        name: "forecast".to_owned(),
        title: "FORECAST (not measured): seconds of one factorisation".to_owned(),
        caption,
        x: Axis::log("nodes"),
        y: Axis::log("seconds, forecast"),
        series,
    }
}
