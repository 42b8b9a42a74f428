//! What the cost model says about machines that are not here, as figures.

use anyhow::{Context, Result};
use fastlsq_solve::lsq::RowsCost;
use fastlsq_solve::team::Machine;

use super::model::{plain_table, show};
use super::trees::{By, Patches, pays_from};
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
use crate::workspace::Workspace;

/// Where the figures go.
const DIRECTORY: &str = "fastlsq-solve/mpi";
/// Rows and features.
const ROWS: [(usize, usize); 3] = [(20_000_000, 5000), (20_000_000, 1000), (1_000_000, 1000)];
/// Patches, with what they are called.
const TREES: [(&str, Patches); 2] = [
    (
        "16384 patches in the plane",
        Patches {
            cells: [128, 128, 1],
            side: 14,
        },
    ),
    (
        "8192 patches in space",
        Patches {
            cells: [32, 16, 16],
            side: 66,
        },
    ),
];
/// Nodes as a data sheet has them, not measured here: cores of a node; latency and bandwidth between nodes.
const CORES: f64 = 32.0;
const LATENCY: f64 = 2e-6;
const BANDWIDTH: f64 = 1e10;
/// Bytes per second that one core packs and copies, fitted to measured fronts: no Schur complement and no column of a
/// front travels faster.
const COPIES: f64 = 5e8;
/// Numbers of nodes.
const NODES: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Draws both figures, and tells where several ranks should share a front.
pub(super) fn draw(here: &Machine, workspace: &Workspace) -> Result<()> {
    let node = Machine {
        flop_rate: CORES * here.flop_rate,
        latency: LATENCY,
        bandwidth: BANDWIDTH,
    };
    let caption = format!(
        "Forecast of a model, not a measurement: nodes of {CORES} cores that do {:.1e} operations per second each (one core, \
         measured), {LATENCY:e} s latency and {BANDWIDTH:e} bytes per second between nodes (assumed), {COPIES:e} bytes per second \
         where fronts are packed and copied (fitted to measurements). Grey: the time of one node over their number.",
        here.flop_rate
    );
    println!("\n{caption}");
    let [fronts_here, fronts_there] = [here, &node].map(|machine| Machine {
        bandwidth: COPIES,
        ..*machine
    });
    for figure in [rows(&node, &caption), trees(&fronts_there, &caption)] {
        let mut table = plain_table(&["nodes", "16", "64", "256", "1024"]);
        for series in figure
            .series
            .iter()
            .filter(|series| !series.label.is_empty())
        {
            let begin = series.points.first().map_or(0.0, |(_, seconds)| *seconds);
            let gain = |nodes: f64| {
                let found = series.points.iter().find(|(x, _)| *x == nodes);
                found.map_or_else(String::new, |(_, seconds)| {
                    format!("{:.1}×", begin / seconds)
                })
            };
            let gains = [16.0, 64.0, 256.0, 1024.0].map(gain);
            table.add_row(std::iter::once(series.label.clone()).chain(gains));
        }
        show(&mut table);
        let path = workspace
            .root
            .join(DIRECTORY)
            .join(format!("{}.svg", figure.name));
        std::fs::write(&path, figure.svg()?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
    }
    println!("\na front with e unknowns on the cut is faster by several ranks from e =");
    let mut table = plain_table(&[
        "ranks",
        "processes here, b = 0",
        "b = 2e",
        "nodes of the forecast, b = 0",
        "b = 2e",
    ]);
    for ranks in [2, 4, 16, 64] {
        let machines = [fronts_here, fronts_here, fronts_there, fronts_there];
        let from = std::iter::zip(&machines, [0, 2, 0, 2]).map(|(machine, ties)| {
            let found = pays_from(ranks, ties, machine);
            found.map_or_else(|| "never".to_owned(), |e| e.to_string())
        });
        table.add_row(std::iter::once(ranks.to_string()).chain(from));
    }
    show(&mut table);
    Ok(())
}

/// A curve over the number of nodes, and what an even share would be.
fn with_ideal(label: String, look: Look, seconds: impl Fn(usize) -> f64) -> [Series; 2] {
    let ideal = seconds(1);
    let over = |of: &dyn Fn(usize) -> f64| NODES.map(|nodes| (nodes as f64, of(nodes))).to_vec();
    [
        Series::new(label, over(&seconds), look),
        Series::new("", over(&|nodes| ideal / nodes as f64), Look::Reference),
    ]
}

fn figure(name: &str, title: &str, caption: &str, series: Vec<Series>) -> Figure {
    Figure {
        name: name.to_owned(),
        title: format!("FORECAST (not measured): {title}"),
        caption: caption.to_owned(),
        x: Axis::log("nodes"),
        y: Axis::log("seconds, forecast"),
        series,
    }
}

/// One factorisation of many rows.
fn rows(node: &Machine, caption: &str) -> Figure {
    let series = ROWS.into_iter().enumerate().flat_map(|(colour, (m, n))| {
        with_ideal(
            format!("{m} rows, {n} features"),
            Look::Line(colour),
            |nodes| RowsCost::new(m, n, 1, nodes).seconds(node),
        )
    });
    figure(
        "forecast-rows",
        "one factorisation of rows",
        caption,
        series.collect(),
    )
}

/// One elimination of patches, large fronts by several nodes (as it is done) and each by one (for comparison).
fn trees(node: &Machine, caption: &str) -> Figure {
    let series = TREES
        .into_iter()
        .enumerate()
        .flat_map(|(colour, (name, tree))| {
            let own = with_ideal(name.to_owned(), Look::Line(colour), |nodes| {
                tree.seconds(nodes, node, By::Several(node))
            });
            let label = format!("{name}, each front by one node");
            let [single, _] = with_ideal(label, Look::Thin(colour), |nodes| {
                tree.seconds(nodes, node, By::One)
            });
            own.into_iter().chain([single])
        });
    figure(
        "forecast-patches",
        "the fronts of one elimination",
        caption,
        series.collect(),
    )
}
