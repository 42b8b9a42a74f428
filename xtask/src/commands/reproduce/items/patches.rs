//! Local structure: corners, peaks, layers, jumps and many wave lengths, solved with nothing given but a tolerance.

use std::time::Instant;

use anyhow::{Context as _, Result};
use fastlsq_solve::lsq::Method;
use fastlsq_solve::patches::{LeafSize, PatchOptions};
use fastlsq_solve::problems::{self, Benchmark, HelmholtzWaves, PlaneWave, WaveSizes, local};
use fastlsq_solve::{Backend, CpuBackend, LinearProblem, LsqOptions, Options, Solution};

use super::shared::Shared;
use super::solving::{TEST_POINTS, finite, measured, note_errors, of_report};
use crate::backend::on_backend;
use crate::commands::reproduce::figure::Figure;
use crate::commands::reproduce::item::{Context, Item, Job, Plan};
use crate::commands::reproduce::paper::Paper;
use crate::commands::reproduce::results::{Row, Run};
use crate::commands::reproduce::table::{Cell, Style, Table};

pub(super) struct Patches;

/// What the error of a row is measured against.
enum Truth {
    /// A formula.
    Known(Benchmark),
    /// A solution of the same problem with more functions in each patch and a smaller tolerance.
    Finer(LinearProblem),
}

/// A problem and the tolerance that is asked for.
struct Case {
    name: &'static str,
    tolerance: f64,
    truth: Truth,
}

fn cases() -> Result<Vec<Case>> {
    let known = |benchmark: Benchmark, tolerance: f64| Case {
        name: benchmark.name,
        tolerance,
        truth: Truth::Known(benchmark),
    };
    Ok(vec![
        known(local::l_shape_singular()?, 1e-10),
        Case {
            name: "l-shape-source",
            tolerance: 3e-10,
            truth: Truth::Finer(local::l_shape_source()?),
        },
        known(local::square_source(), 1e-10),
        known(local::peak_2d(1000.0, [0.37, 0.61]), 1e-9),
        known(local::layer_1d("layer-1d-2e-3", 2e-3), 1e-10),
        known(local::layer_1d("layer-1d-1e-4", 1e-4), 1e-9),
        known(local::layer_1d("layer-1d-1e-6", 1e-6), 1e-8),
        known(local::layer_2d(1e-3), 1e-8),
        known(local::helmholtz_waves("helmholtz-k50", 50.0), 1e-11),
        known(local::helmholtz_waves("helmholtz-k100", 100.0), 1e-11),
        known(local::helmholtz_waves("helmholtz-k200", 200.0), 1e-11),
        known(local::helmholtz_waves("helmholtz-k400", 400.0), 1e-10),
        known(local::interface_square(1000.0)?, 1e-10),
        known(local::elastic_l()?, 1e-9),
    ])
}

/// Left out of a quick run: it takes as long as all the others.
const LONG: [&str; 1] = ["helmholtz-k400"];

impl Item for Patches {
    fn name(&self) -> &'static str {
        "patches"
    }

    fn shows(&self) -> &'static str {
        "corners, peaks, layers, jumps and many wave lengths, to tolerance on patches"
    }

    fn source(&self) -> &'static str {
        "beyond the paper"
    }

    fn settings(&self, plan: &Plan) -> String {
        let left_out = if plan.quick {
            format!("; {} left out", LONG.join(", "))
        } else {
            String::new()
        };
        format!(
            "Nothing given but the tolerance and the seed: the solver tries one sum of waves and hands over to patches. \
             Errors are relative, in L², at independent points; where there is no formula, against a solution with more functions \
             in each patch and a tolerance of 1e-12{left_out}."
        )
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        let factorisation = Shared::new();
        let all = match cases() {
            Ok(all) => all,
            Err(error) => {
                let reason = format!("{error:#}");
                let failing = Job::new("patches/cases/auto", 1.0, move |_| {
                    anyhow::bail!("{reason}")
                });
                return vec![failing];
            }
        };
        all.into_iter()
            .filter(|case| !(plan.quick && LONG.contains(&case.name)))
            .map(|case| {
                let factorisation = factorisation.clone();
                let effort = plan.seeds as f64 * if LONG.contains(&case.name) { 4.0 } else { 0.7 };
                let id = format!("patches/{}/auto", case.name);
                Job::new(id, effort, move |context| {
                    solve(&case, context, &factorisation)
                })
            })
            .collect()
    }

    fn tables(&self, rows: &[&Row], _paper: &Paper) -> Vec<Table> {
        vec![table(rows)]
    }

    fn figures(&self, _rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        Vec::new()
    }
}

fn solve(case: &Case, context: &Context<'_>, factorisation: &Shared<f64>) -> Result<Row> {
    let reference = match &case.truth {
        Truth::Known(_) => None,
        Truth::Finer(problem) => Some(finer(problem)?),
    };
    // The measure of this machine is taken in full runs only: it takes longer than most rows.
    let unit = match context.plan.quick {
        true => None,
        false => Some(*factorisation.get(|| one_factorisation())?),
    };
    let runs = context.each_seed(|seed| {
        let options = on_backend(Options::new().tolerance(case.tolerance).seed(seed));
        let mut run = match (&case.truth, &reference) {
            (Truth::Known(benchmark), _) => {
                let solution = benchmark.problem.solve_with(&options)?;
                let run = measured(benchmark, &solution, seed)?;
                with_patches(run, &solution)
            }
            (Truth::Finer(problem), Some(reference)) => {
                let solution = problem.solve_with(&options)?;
                let mut run = of_report(solution.report(), seed);
                note_errors(&mut run, &difference(problem, &solution, reference)?);
                with_patches(run, &solution)
            }
            (Truth::Finer(_), None) => anyhow::bail!("there is no reference"),
        };
        if let (Some(unit), Some(seconds)) = (unit, run.seconds) {
            run.more.insert("factorisations".to_owned(), seconds / unit);
        }
        Ok(run)
    });
    Ok(Row::of_runs("patches", case.name, "auto", runs))
}

/// What the report says of patches.
fn with_patches(mut run: Run, solution: &Solution) -> Run {
    if let Some(patches) = &solution.report().patches {
        run.more.insert("patches".to_owned(), patches.leaves as f64);
        run.more
            .insert("depth".to_owned(), f64::from(patches.depth));
        run.more
            .insert("solves".to_owned(), patches.rounds.len() as f64);
    }
    run
}

fn finer(problem: &LinearProblem) -> Result<Solution> {
    let leaves = PatchOptions::new().leaf(LeafSize::legendre(24, 18, 26));
    Ok(problem.solve_with(&Options::new().tolerance(1e-12).patches(leaves))?)
}

/// Relative differences of values and gradients at independent points.
fn difference(
    problem: &LinearProblem,
    solution: &Solution,
    reference: &Solution,
) -> Result<problems::Errors> {
    let points = problems::test_points(problem.domain(), TEST_POINTS)?;
    let relative = |found: &[f64], exact: &[f64]| {
        let pairs = found.iter().zip(exact);
        let square: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
        (square / exact.iter().map(|b| b * b).sum::<f64>()).sqrt()
    };
    let slopes = |of: &Solution| -> Result<Vec<f64>> {
        Ok(of.gradients(points.view())?.into_iter().collect())
    };
    let values = (
        solution.values(points.view())?,
        reference.values(points.view())?,
    );
    Ok(problems::Errors {
        value: relative(&values.0, &values.1),
        gradient: relative(&slopes(solution)?, &slopes(reference)?),
    })
}

/// Seconds for one QR of 12 000 rows and 1500 features on this machine, in this run.
fn one_factorisation() -> Result<f64> {
    let waves = HelmholtzWaves::new(WaveSizes::of(12_000, 1_500), 0)?;
    let system = waves.system(PlaneWave::PLAIN)?;
    let begin = Instant::now();
    CpuBackend.factor(
        &system,
        &LsqOptions::default().method(Method::RankRevealingQr),
    )?;
    finite(begin.elapsed().as_secs_f64()).context("no time")
}

fn table(rows: &[&Row]) -> Table {
    let mut table = Table::new(
        "patches",
        "Local structure",
        vec![
            "problem", "value error", "worst", "gradient error", "estimate", "estimate / error",
            "patches", "depth", "solves", "seconds", "in QRs of 12000×1500", "status",
        ],
    )
    .note(
        "Seconds are those of the whole solve, the search for one sum of waves included. A solution without patches has none \
         in their columns.",
    );
    for row in rows {
        table.rows.push(vec![
            Cell::words(&row.case),
            Cell::ours(row, "value_error", Style::Scientific),
            Cell::ours(row, "value_error_worst", Style::Scientific),
            Cell::ours(row, "gradient_error", Style::Scientific),
            Cell::ours(row, "estimate", Style::Scientific),
            Cell::ratio(row.median.estimate, row.median.value_error),
            Cell::ours(row, "patches", Style::Count),
            Cell::ours(row, "depth", Style::Count),
            Cell::ours(row, "solves", Style::Count),
            Cell::ours(row, "seconds", Style::Plain),
            Cell::ours(row, "factorisations", Style::Plain),
            Cell::words(&row.median.status),
        ]);
    }
    table
}
