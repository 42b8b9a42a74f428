//! Local structure: corners, peaks, layers, jumps and many wave lengths, solved with nothing given but a tolerance.

use std::time::Instant;

use anyhow::{Context as _, Result};
use fastlsq_newton::problems::{self as nonlinear_problems, NonlinearBenchmark};
use fastlsq_newton::{NewtonOptions, NonlinearProblem};
use fastlsq_solve::lsq::Method;
use fastlsq_solve::ndarray::Array2;
use fastlsq_solve::patches::{LeafSize, PatchOptions};
use fastlsq_solve::problems::{self, Benchmark, HelmholtzWaves, PlaneWave, WaveSizes, local};
use fastlsq_solve::{
    Backend, CpuBackend, Domain, EquationRow, LinearProblem, LsqOptions, Options, Solution,
    UnitSampler,
};

use super::shared::Shared;
use super::solving::{TEST_POINTS, finite, note_errors, of_report};
use crate::backend::on_backend;
use crate::commands::reproduce::figure::{Axis, Figure, Look, Series};
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
    /// A formula, for Newton's method.
    KnownNonlinear(NonlinearBenchmark),
    /// As `Finer`, for Newton's method.
    FinerNonlinear(NonlinearProblem),
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
        known(local::l_shape_singular()?, 3e-11),
        Case {
            name: "l-shape-source",
            tolerance: 3e-10,
            truth: Truth::Finer(local::l_shape_source()?),
        },
        known(local::square_source(), 3e-11),
        known(local::peak_2d(1000.0, [0.37, 0.61]), 3e-10),
        known(local::peak_3d(200.0, [0.4, 0.55, 0.45]), 1e-6),
        known(local::layer_1d("layer-1d-2e-3", 2e-3), 3e-11),
        known(local::layer_1d("layer-1d-1e-4", 1e-4), 3e-10),
        known(local::layer_1d("layer-1d-1e-6", 1e-6), 3e-9),
        known(local::layer_2d(1e-3), 3e-9),
        known(local::helmholtz_waves("helmholtz-k50", 50.0), 3e-12),
        known(local::helmholtz_waves("helmholtz-k100", 100.0), 3e-12),
        known(local::helmholtz_waves("helmholtz-k200", 200.0), 3e-12),
        known(local::helmholtz_waves("helmholtz-k400", 400.0), 3e-11),
        known(local::interface_square(1000.0)?, 3e-11),
        known(local::elastic_l()?, 3e-10),
        Case {
            name: "interior-layer",
            tolerance: 3e-9,
            truth: Truth::KnownNonlinear(nonlinear_problems::local::interior_layer(0.02, 0.5)),
        },
        Case {
            name: "bratu-corner",
            tolerance: 3e-9,
            truth: Truth::FinerNonlinear(nonlinear_problems::local::bratu_corner()?),
        },
    ])
}

/// Left out of a quick run: they take as long as all the others.
const LONG: [&str; 2] = ["peak-3d", "helmholtz-k400"];

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
             Errors are relative, in L², by eight random points in every patch; where there is no formula, against a solution with more functions \
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

    fn figures(&self, rows: &[&Row], _paper: &Paper) -> Vec<Figure> {
        let shown = |name: &str| rows.iter().any(|row| row.case == name);
        let Ok(corner) = local::l_shape_singular() else {
            return Vec::new();
        };
        let drawn = [(corner, 1e-6), (local::peak_2d(1000.0, [0.37, 0.61]), 1e-8)];
        let drawn = drawn.iter().filter(|(benchmark, _)| shown(benchmark.name));
        drawn
            .filter_map(|(benchmark, tolerance)| outlines(benchmark, *tolerance))
            .collect()
    }
}

/// The patches that a problem in the plane ends with.
fn outlines(benchmark: &Benchmark, tolerance: f64) -> Option<Figure> {
    let options = PatchOptions::new().tolerance(tolerance);
    let solution = benchmark.problem.solve_in_patches(&options).ok()?;
    let report = solution.report();
    let sides = report.boxes.iter().flat_map(|leaf| {
        let ([x0, y0], [x1, y1]) = ([leaf.lo[0], leaf.lo[1]], [leaf.hi[0], leaf.hi[1]]);
        [
            (x0, y0),
            (x1, y0),
            (x1, y1),
            (x0, y1),
            (x0, y0),
            (f64::NAN, f64::NAN),
        ]
    });
    Some(Figure {
        name: format!("patches-{}", benchmark.name),
        title: format!("{}: {} patches", benchmark.name, report.leaves),
        caption: format!(
            "The patches of {} at a tolerance of {tolerance:.0e}, up to {} halvings deep.",
            benchmark.equation, report.depth
        ),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        series: vec![Series::new("patches", sides.collect(), Look::Edge)],
    })
}

fn solve(case: &Case, context: &Context<'_>, factorisation: &Shared<f64>) -> Result<Row> {
    let reference = match &case.truth {
        Truth::Known(_) | Truth::KnownNonlinear(_) => None,
        Truth::Finer(problem) => Some(problem.solve_with(&finer(1e-12))?),
        Truth::FinerNonlinear(problem) => {
            let options = NewtonOptions::new().solve_options(finer(1e-11));
            Some(problem.solve_with(&options)?.into_solution())
        }
    };
    // The measure of this machine is taken in full runs only: it takes longer than most rows.
    let unit = match context.plan.quick {
        true => None,
        false => Some(*factorisation.get(one_factorisation)?),
    };
    let runs = context.each_seed(|seed| {
        let options = on_backend(Options::new().tolerance(case.tolerance).seed(seed));
        let mut run = match (&case.truth, &reference) {
            (Truth::Known(benchmark), _) => {
                let solution = benchmark.problem.solve_with(&options)?;
                let truth = |x: &[f64]| (benchmark.exact(x), benchmark.exact_gradient(x));
                measured(benchmark.problem.domain(), &solution, &truth, seed)?
            }
            (Truth::Finer(problem), Some(reference)) => {
                let solution = problem.solve_with(&options)?;
                measured(problem.domain(), &solution, &of_reference(reference), seed)?
            }
            (Truth::KnownNonlinear(benchmark), _) => {
                let options = NewtonOptions::new().solve_options(options);
                let solution = benchmark.problem.solve_with(&options)?;
                let truth = |x: &[f64]| (benchmark.exact(x), benchmark.exact_gradient(x));
                let mut run = measured(benchmark.problem.domain(), &solution, &truth, seed)?;
                run.iterations = Some(solution.newton().iterations());
                run
            }
            (Truth::FinerNonlinear(problem), Some(reference)) => {
                let options = NewtonOptions::new().solve_options(options);
                let solution = problem.solve_with(&options)?;
                let truth = of_reference(reference);
                let mut run = measured(problem.domain(), &solution, &truth, seed)?;
                run.iterations = Some(solution.newton().iterations());
                run
            }
            (Truth::Finer(_) | Truth::FinerNonlinear(_), None) => {
                anyhow::bail!("there is no reference")
            }
        };
        if let (Some(unit), Some(seconds)) = (unit, run.seconds) {
            run.more.insert("factorisations".to_owned(), seconds / unit);
        }
        Ok(run)
    });
    Ok(Row::of_runs("patches", case.name, "auto", runs))
}

/// More functions in each patch.
fn finer(tolerance: f64) -> Options {
    let leaves = PatchOptions::new().leaf(LeafSize::legendre(24, 18, 26));
    Options::new().tolerance(tolerance).patches(leaves)
}

/// Values and gradients of all unknowns at a point; empty where they cannot be evaluated.
type AtPoint<'a> = dyn Fn(&[f64]) -> (Vec<f64>, Vec<Vec<f64>>) + 'a;

fn of_reference(reference: &Solution) -> impl Fn(&[f64]) -> (Vec<f64>, Vec<Vec<f64>>) + '_ {
    |x| match (reference.value(x), reference.gradient(x)) {
        (Ok(value), Ok(gradient)) => (vec![value], vec![gradient]),
        _ => (Vec::new(), Vec::new()),
    }
}

/// Points in each patch at which errors are measured.
const POINTS_IN_PATCH: usize = 8;

/// Points with the measure that each stands for: random ones in every patch, so that no small one is missed.
fn weighted_points(domain: &dyn Domain, solution: &Solution) -> Result<(Array2<f64>, Vec<f64>)> {
    let Some(patches) = &solution.report().patches else {
        let points = problems::test_points(domain, TEST_POINTS)?;
        let weights = vec![1.0; points.nrows()];
        return Ok((points, weights));
    };
    let dim = domain.dim();
    let mut points = UnitSampler::independent(999).points(POINTS_IN_PATCH * patches.leaves, dim);
    let mut weights = Vec::with_capacity(points.nrows());
    for (i, mut point) in points.rows_mut().into_iter().enumerate() {
        let patch = patches
            .boxes
            .get(i / POINTS_IN_PATCH)
            .context("a patch is missing")?;
        let extents: Vec<f64> = patch.lo.iter().zip(&patch.hi).map(|(a, b)| b - a).collect();
        for (k, x) in point.iter_mut().enumerate() {
            *x = patch.lo[k] + extents[k] * *x;
        }
        weights.push(extents.iter().product());
    }
    Ok((points, weights))
}

/// The errors of a solution, with what its report says.
fn measured(
    domain: &dyn Domain,
    solution: &Solution,
    truth: &AtPoint<'_>,
    seed: u64,
) -> Result<Run> {
    let (points, weights) = weighted_points(domain, solution)?;
    let (dim, unknowns) = (solution.dim(), solution.unknowns().len());
    let exact: Vec<_> = points
        .rows()
        .into_iter()
        .map(|point| truth(&point.to_vec()))
        .collect();
    // Sums of squares of differences and of the truth.
    let (mut value, mut gradient) = ([0.0; 2], [0.0; 2]);
    let add = |sums: &mut [f64; 2], weight: f64, found: f64, exact: f64| {
        sums[0] += weight * (found - exact).powi(2);
        sums[1] += weight * exact.powi(2);
    };
    for unknown in 0..unknowns {
        let found = solution.apply_row(&EquationRow::value(dim, unknown, unknowns), &points)?;
        for ((found, (exact, _)), weight) in found.iter().zip(&exact).zip(&weights) {
            let exact = exact.get(unknown).context("no exact value")?;
            add(&mut value, *weight, *found, *exact);
        }
        for axis in 0..dim {
            let row = EquationRow::slope(dim, axis, unknown, unknowns);
            let found = solution.apply_row(&row, &points)?;
            for ((found, (_, exact)), weight) in found.iter().zip(&exact).zip(&weights) {
                let exact = exact.get(unknown).and_then(|own| own.get(axis));
                add(
                    &mut gradient,
                    *weight,
                    *found,
                    *exact.context("no exact slope")?,
                );
            }
        }
    }
    let mut run = of_report(solution.report(), seed);
    let errors = problems::Errors {
        value: (value[0] / value[1]).sqrt(),
        gradient: (gradient[0] / gradient[1]).sqrt(),
    };
    note_errors(&mut run, &errors);
    if let Some(patches) = &solution.report().patches {
        run.more.insert("patches".to_owned(), patches.leaves as f64);
        run.more
            .insert("depth".to_owned(), f64::from(patches.depth));
        run.more
            .insert("solves".to_owned(), patches.rounds.len() as f64);
    }
    Ok(run)
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
