//! The nonlinear problems by Newton's method: accuracy, steps, and the course of the iteration.

use anyhow::Context as _;
use fastlsq_newton::NewtonOptions;
use fastlsq_newton::problems::{self, NonlinearBenchmark};

use super::nonlinear::{self, Scaling};
use super::regression::{self, FitFeatures};
use super::standard_tables;
use crate::backend::newton_on_backend;
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};
use crate::format;

/// The ways of solving.
const SOLVED: [&str; 2] = ["protocol", "auto"];
/// The fit of the known solution, which the paper's table has beside the solve.
const FITTED: &str = "regression";

pub(super) struct Newton;

impl Item for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn shows(&self) -> &'static str {
        "nonlinear PDEs by Newton's method: accuracy, steps, convergence"
    }

    fn source(&self) -> &'static str {
        "Table 2, Figures 5 and 6"
    }

    fn settings(&self, plan: &Plan) -> String {
        format!(
            "protocol: the paper's method (increments with the ridge μ = 1e-10, start from the linear part, line \
             search, its σ and weights, {} features{}); Burgers moves ν through 1, 0.5, 0.2 to 0.1, here with the \
             source of ν = 0.1 throughout. auto: nothing given but the seed. regression: no equation, a fit of the known \
             solution with the protocol's σ and features, {}.",
            nonlinear::features(plan),
            plan.pick(", a third of its rows", " and rows"),
            format::count(plan.few_seeds(), "seed"),
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let mut jobs = Vec::new();
        for benchmark in problems::paper() {
            for variant in SOLVED.into_iter().chain([FITTED]) {
                let id = format!("newton/{}/{variant}", benchmark.name);
                let effort = match variant {
                    "auto" => plan.seeds as f64 * 0.1,
                    FITTED => plan.few_seeds() as f64 * plan.pick(0.1, 0.5),
                    _ => plan.seeds as f64 * plan.pick(0.3, 1.5),
                };
                let benchmark = benchmark.clone();
                jobs.push(Job::new(id, effort, move |context| {
                    Ok(match variant {
                        FITTED => fit(&benchmark, context),
                        _ => solve(&benchmark, variant, context),
                    })
                }));
            }
        }
        jobs
    }

    fn tables(&self, rows: &[&Row], paper: &Paper) -> Vec<Table> {
        let accuracy = standard_tables::accuracy("newton", "Nonlinear problems: accuracy", rows);
        vec![
            accuracy,
            steps(rows, paper),
            standard_tables::details("newton-details", "Nonlinear problems: how", rows),
        ]
    }

    fn figures(&self, rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        let mut cases: Vec<&str> = rows.iter().map(|row| row.case.as_str()).collect();
        cases.dedup();
        cases
            .into_iter()
            .map(|case| convergence(case, rows))
            .collect()
    }
}

/// Solves for every seed. Other experiments that need the same row take it from here.
pub(super) fn solve(benchmark: &NonlinearBenchmark, variant: &str, context: &Context<'_>) -> Row {
    let name = benchmark.name;
    if let Some(row) = context.results.find(&format!("newton/{name}/{variant}")) {
        return row.clone();
    }
    let runs = context.each_seed(|seed| {
        if variant == "auto" {
            return nonlinear::solve(
                benchmark,
                &newton_on_backend(NewtonOptions::new().seed(seed)),
                seed,
            );
        }
        let plan = &context.plan;
        let options = nonlinear::paper_options(benchmark, Scaling::Normalised, plan, seed)?;
        nonlinear::solve_as_paper(benchmark, &options, seed)
    });
    let entry = |column| context.paper.entry("newton", name, column);
    Row::of_runs("newton", name, variant, runs)
        .with_paper("value", entry("value"))
        .with_paper("gradient", entry("gradient"))
        .with_paper("iterations", entry("iterations"))
        .with_paper("time", entry("total_time"))
        .with_paper("time_per_iteration", entry("time_per_iteration"))
}

/// Fits the exact solution with the paper's σ and features.
fn fit(benchmark: &NonlinearBenchmark, context: &Context<'_>) -> Row {
    let plan = &context.plan;
    let runs = context.seeds(plan.few_seeds(), |seed| {
        let protocol = benchmark.protocol.as_ref();
        let protocol = protocol.context("the paper has no settings for this problem")?;
        let features = FitFeatures::Sine(protocol.sigma);
        regression::fit(benchmark, features, nonlinear::features(plan), plan, seed)
    });
    let published = context
        .paper
        .entry("newton", benchmark.name, "regression_value");
    Row::of_runs("newton", benchmark.name, FITTED, runs).with_paper("value", published)
}

/// Steps and times beside the paper's.
fn steps(rows: &[&Row], paper: &Paper) -> Table {
    let mut table = Table::new(
        "newton-steps",
        "Nonlinear problems: steps",
        vec![
            "problem", "variant", "σ: paper", "ours", "steps: paper", "ours", "from a generic start", "s per step: paper", "ours", "s in all: paper", "ours",
            "paper / ours", "status",
        ],
    )
    .note(
        "None of the paper's runs stopped by convergence: every one shows the largest number of steps allowed. An \
         automatic search solves with few features first and starts the larger sets from there: the steps from a generic \
         start are those of the first set that converged without such help. Ours in \
         all includes the search for bandwidth and features. The paper's times are from a T4 GPU.",
    );
    for row in rows.iter().filter(|row| row.variant != FITTED) {
        let sigma = row.median.sigma.as_ref().map(Sigma::text);
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::words(&row.variant),
            Cell::Paper(paper.number("newton", &row.case, "sigma"), Style::Plain),
            Cell::words(sigma.unwrap_or_default()),
            Cell::Paper(row.paper_number("iterations"), Style::Count),
            Cell::ours(row, "iterations", Style::Count),
            Cell::ours(row, "cold_iterations", Style::Count),
            Cell::Paper(row.paper_number("time_per_iteration"), Style::Plain),
            Cell::ours(row, "seconds_per_iteration", Style::Plain),
            Cell::Paper(row.paper_number("time"), Style::Plain),
            Cell::ours(row, "seconds", Style::Plain),
            Cell::ratio(row.paper_number("time"), row.median.seconds),
            Cell::words(&row.median.status),
        ]);
    }
    table
}

/// Residual and change of u after each step.
fn convergence(case: &str, rows: &[&Row]) -> Figure {
    let mut series = Vec::new();
    for (colour, variant) in SOLVED.into_iter().enumerate() {
        let Some(row) = rows
            .iter()
            .find(|row| row.case == case && row.variant == variant)
        else {
            continue;
        };
        for (name, label, first, look) in [
            ("residual", "residual", 0.0, Look::Line(colour)),
            ("change", "change of u", 1.0, Look::Thin(colour)),
        ] {
            let values = row.median.series.get(name).into_iter().flatten();
            series.push(Series {
                label: format!("{variant}: {label}"),
                points: values
                    .enumerate()
                    .map(|(k, &v)| (first + k as f64, v))
                    .collect(),
                look,
            });
        }
    }
    Figure {
        name: format!("newton-{case}"),
        title: format!("{case}: convergence of Newton's method"),
        caption: "Root mean square of the weighted residual, and ‖Δu‖/‖u‖, after each step of the run in the middle."
            .to_owned(),
        x: Axis::linear("step"),
        y: Axis::log("residual, relative change"),
        series,
    }
}
