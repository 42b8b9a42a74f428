//! Fits of known solutions: what the basis can represent.

use anyhow::Result;
use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_solve::{Draw, LinearProblem, Options, PAPER_GRID, Symmetry, UnitSampler};

use super::solving::{TEST_POINTS, note_errors, of_report};
use super::{solving, standard_tables};
use crate::backend::on_backend;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run, Sigma};
use crate::commands::reproduce::table::{Cell, Style, Table};

/// Points of a fit, as in the paper.
const FIT_POINTS: usize = 5_000;

pub(super) struct Regression;

/// The features of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FitFeatures {
    /// Sines with this bandwidth.
    Sine(f64),
    /// Sines with the best bandwidth of the paper's grid.
    SineGrid,
    /// Tanh with this bandwidth.
    Tanh(f64),
    /// Whatever the library chooses.
    Automatic,
}

impl Item for Regression {
    fn name(&self) -> &'static str {
        "regression"
    }

    fn shows(&self) -> &'static str {
        "fits of known solutions: what the features can represent"
    }

    fn source(&self) -> &'static str {
        "Table 5"
    }

    fn settings(&self, plan: &Plan) -> String {
        format!(
            "Values at {} random points, no equation. protocol: {} sine features, σ the best of the paper's nine \
             values by the residual at held-out points; tanh: the same with tanh features; auto: nothing given but the \
             data and a seed. Kovasznay is its first velocity component, as in the paper.",
            points(plan),
            features(plan)
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let mut jobs = Vec::new();
        for benchmark in problems::solved() {
            for variant in ["protocol", "auto", "tanh"] {
                let id = format!("regression/{}/{variant}", benchmark.name);
                let one = plan.pick(2.0, 10.0);
                let benchmark = benchmark.clone();
                jobs.push(Job::new(id, plan.seeds as f64 * one, move |context| {
                    Ok(fit_for_every_seed(&benchmark, variant, context))
                }));
            }
        }
        jobs
    }

    fn tables(&self, rows: &[&Row], paper: &Paper) -> Vec<Table> {
        vec![
            standard_tables::accuracy("regression", "Fits: accuracy", rows),
            networks(rows, paper),
            standard_tables::details("regression-details", "Fits: how", rows),
        ]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

/// Features of a fit with the paper's settings.
fn features(plan: &Plan) -> usize {
    plan.pick(600, 1500)
}

/// Points of a fit.
fn points(plan: &Plan) -> usize {
    plan.pick(FIT_POINTS / 2, FIT_POINTS)
}

fn fit_for_every_seed(
    benchmark: &NonlinearBenchmark,
    variant: &'static str,
    context: &Context<'_>,
) -> Row {
    let plan = &context.plan;
    let count = features(plan);
    let runs = context.each_seed(|seed| match variant {
        "auto" => fit(benchmark, FitFeatures::Automatic, count, plan, seed),
        "tanh" => {
            let fits =
                PAPER_GRID.map(|sigma| fit(benchmark, FitFeatures::Tanh(sigma), count, plan, seed));
            best(fits.into_iter().collect::<Result<Vec<Run>>>()?)
        }
        _ => fit(benchmark, FitFeatures::SineGrid, count, plan, seed),
    });
    let columns = if variant == "tanh" {
        ["tanh_value", "tanh_gradient"]
    } else {
        ["fastlsq_value", "fastlsq_gradient"]
    };
    let entry = |column| context.paper.entry("regression", benchmark.name, column);
    Row::of_runs("regression", benchmark.name, variant, runs)
        .with_paper("value", entry(columns[0]))
        .with_paper("gradient", entry(columns[1]))
}

/// The networks that the paper's table has beside its fits.
fn networks(rows: &[&Row], paper: &Paper) -> Table {
    let mut table = Table::new(
        "regression-networks",
        "Networks beside the fits",
        vec![
            "problem", "network: value", "seconds", "our fit", "seconds", "network / ours",
        ],
    )
    .note(
        "The best network that the paper quotes, for solving an equation (not one that these functions satisfy); ours is \
         the automatic fit of a known function. They stand beside each other in the paper and are not comparable; the \
         item `solved` solves the equations.",
    );
    for row in rows.iter().filter(|row| row.variant == "auto") {
        let number = |column| paper.number("regression", &row.case, column);
        let Some(value) = number("pinn_value") else {
            continue;
        };
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::Paper(Some(value), Style::Scientific),
            Cell::Paper(number("pinn_time"), Style::Plain),
            Cell::ours(row, "value_error", Style::Scientific),
            Cell::ours(row, "seconds", Style::Plain),
            Cell::ratio(Some(value), row.median.value_error),
        ]);
    }
    table
}

/// The run with the smallest held-out residual, with the time of all.
fn best(runs: Vec<Run>) -> Result<Run> {
    let seconds = runs.iter().filter_map(|run| run.seconds).sum();
    let residual = |run: &Run| run.held_out_residual.unwrap_or(f64::INFINITY);
    let best = runs
        .into_iter()
        .min_by(|a, b| residual(a).total_cmp(&residual(b)));
    let mut best = best.ok_or_else(|| anyhow::anyhow!("nothing to choose from"))?;
    best.seconds = Some(seconds);
    Ok(best)
}

/// Fits the exact solution of a problem and measures the error.
pub(super) fn fit(
    benchmark: &NonlinearBenchmark,
    features: FitFeatures,
    count: usize,
    plan: &Plan,
    seed: u64,
) -> Result<Run> {
    let domain = benchmark.problem.domain();
    let points = domain.sample_interior(points(plan), &mut UnitSampler::independent(seed))?;
    let values: Vec<f64> = points
        .rows()
        .into_iter()
        .map(|x| {
            benchmark
                .exact(&x.to_vec())
                .first()
                .copied()
                .unwrap_or(f64::NAN)
        })
        .collect();
    let given = on_backend(Options::new())
        .features(count)
        .symmetry(Symmetry::Ignore)
        .draw(Draw::Independent)
        .seed(seed);
    let options = match features {
        FitFeatures::Automatic => on_backend(Options::new().seed(seed)),
        FitFeatures::Sine(sigma) => given.bandwidth(sigma),
        FitFeatures::SineGrid => given.bandwidth_grid(&PAPER_GRID, 1),
        FitFeatures::Tanh(sigma) => {
            given.basis(solving::tanh_basis(domain.dim(), count, sigma, seed)?)
        }
    };
    let solution = LinearProblem::fit(points.view(), &values)?.solve_with(&options)?;
    let errors = benchmark.errors(&solution, TEST_POINTS)?;
    let mut run = of_report(solution.report(), seed);
    note_errors(&mut run, &errors);
    if let FitFeatures::Sine(sigma) | FitFeatures::Tanh(sigma) = features {
        run.sigma = Some(Sigma::Isotropic(sigma));
    }
    Ok(run)
}
