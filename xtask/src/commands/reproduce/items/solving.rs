//! The ways in which a linear benchmark problem is solved.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use fastlsq_basis::{MultiquadricBasis, TanhBasis, WeightLaw};
use fastlsq_solve::problems::{Benchmark, Errors};
use fastlsq_solve::{Basis, InputMap, Options, PAPER_GRID, Report, Solution, Status, UnitSampler};

use crate::backend::on_backend;
use crate::commands::reproduce::item::Plan;
use crate::commands::reproduce::results::{Run, Sigma};

/// Points at which errors are measured, as in the paper.
pub(crate) const TEST_POINTS: usize = 5_000;
/// Shape parameters of the multiquadrics, on the domain mapped to [−1, 1]^d.
pub(super) const SHAPES: [f64; 8] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// Problems that take long to the last digit: a quick run asks for fewer.
pub(super) const LONG: [&str; 3] = ["heat-5d", "wave-2d-ms", "elastic-wave-2d"];
/// The tolerance for those.
pub(super) const QUICK_TOLERANCE: f64 = 1e-6;

/// A way of solving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// The paper's numbers of features and rows and its weight; σ from its grid by held-out residual.
    Protocol,
    /// Nothing but the problem and a seed.
    Auto,
    /// The protocol with tanh features.
    Tanh,
    /// The protocol with multiquadrics; the shape parameter by held-out residual.
    Kansa,
}

impl Variant {
    pub(super) const ALL: [Self; 4] = [Self::Protocol, Self::Auto, Self::Tanh, Self::Kansa];

    /// The name in results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Auto => "auto",
            Self::Tanh => "tanh",
            Self::Kansa => "kansa",
        }
    }

    /// Repetitions: all for the sines, a few for what stands beside them.
    pub(super) fn seeds(self, plan: &Plan) -> usize {
        match self {
            Self::Protocol | Self::Auto => plan.seeds,
            Self::Tanh | Self::Kansa => plan.few_seeds(),
        }
    }

    /// The paper's columns for this variant: value, gradient, time.
    pub(super) fn paper_columns(self) -> Option<[&'static str; 3]> {
        match self {
            Self::Protocol | Self::Auto => {
                Some(["fastlsq_value", "fastlsq_gradient", "fastlsq_time"])
            }
            Self::Tanh => Some(["tanh_value", "tanh_gradient", "tanh_time"]),
            Self::Kansa => None,
        }
    }

    /// Solves a problem in this way and measures the error.
    pub(super) fn run(self, benchmark: &Benchmark, plan: &Plan, seed: u64) -> Result<Run> {
        match self {
            Self::Auto => {
                let mut options = on_backend(Options::new().seed(seed));
                if plan.quick && LONG.contains(&benchmark.name) {
                    options = options.tolerance(QUICK_TOLERANCE);
                }
                let solution = benchmark.problem.solve_with(&options)?;
                measured(benchmark, &solution, seed)
            }
            Self::Protocol => {
                let benchmark = &sized(benchmark, plan);
                let options =
                    protocol(benchmark, plan, seed).bandwidth_grid(&PAPER_GRID, plan.pick(1, 3));
                let solution = benchmark.protocol_problem().solve_with(&options)?;
                measured(benchmark, &solution, seed)
            }
            Self::Tanh => {
                let benchmark = &sized(benchmark, plan);
                let dim = benchmark.problem.domain().dim();
                let scales = PAPER_GRID.into_iter().step_by(plan.pick(2, 1));
                let (mut run, sigma) = best_of(scales, benchmark, plan, seed, |sigma| {
                    tanh_basis(dim, features(plan), sigma, seed)
                })?;
                run.sigma = Some(Sigma::Isotropic(sigma));
                Ok(run)
            }
            Self::Kansa => {
                let benchmark = &sized(benchmark, plan);
                let shapes = SHAPES.into_iter().step_by(plan.pick(2, 1));
                let (mut run, shape) = best_of(shapes, benchmark, plan, seed, |shape| {
                    multiquadrics(benchmark, features(plan), shape, seed)
                })?;
                run.more.insert("shape".to_owned(), shape);
                Ok(run)
            }
        }
    }
}

/// Features of the protocol: the paper's 1500, fewer in a quick run.
pub(super) fn features(plan: &Plan) -> usize {
    plan.pick(1000, 1500)
}

/// The problem with the paper's numbers of rows, or half of them in a quick run.
pub(super) fn sized(benchmark: &Benchmark, plan: &Plan) -> Benchmark {
    let benchmark = benchmark.clone();
    if !plan.quick {
        return benchmark;
    }
    let (interior, weight) = (benchmark.interior_rows / 2, benchmark.weight);
    let conditions: Vec<usize> = if benchmark.condition_rows.is_empty() {
        vec![1000; 8] // the protocol's 2000 each where nothing else is said
    } else {
        benchmark
            .condition_rows
            .iter()
            .map(|rows| rows / 2)
            .collect()
    };
    benchmark.protocol_rows(interior, &conditions, weight)
}

/// The paper's protocol with this seed.
pub(super) fn protocol(benchmark: &Benchmark, plan: &Plan, seed: u64) -> Options {
    on_backend(benchmark.protocol().features(features(plan)).seed(seed))
}

/// Random tanh features; weights and biases normal with standard deviation σ.
pub(super) fn tanh_basis(
    dim: usize,
    count: usize,
    sigma: f64,
    seed: u64,
) -> Result<Arc<dyn Basis>> {
    let basis = TanhBasis::builder(dim, count)
        .weights(WeightLaw::Gaussian(sigma))
        .seed(seed)
        .normalised(true)
        .build()?;
    Ok(Arc::new(basis))
}

/// Multiquadrics about points spread over the domain.
fn multiquadrics(
    benchmark: &Benchmark,
    count: usize,
    shape: f64,
    seed: u64,
) -> Result<Arc<dyn Basis>> {
    let domain = benchmark.problem.domain();
    let centres = domain.sample_interior(count, &mut UnitSampler::halton(seed))?;
    let bounds = domain.bounding_box()?;
    let map = InputMap::from_box(bounds.lo(), bounds.hi())?;
    Ok(Arc::new(MultiquadricBasis::with_map(
        centres.view(),
        shape,
        map,
    )?))
}

/// Solves the protocol with the basis of each candidate and keeps the smallest held-out residual.
fn best_of<C: Copy>(
    candidates: impl IntoIterator<Item = C>,
    benchmark: &Benchmark,
    plan: &Plan,
    seed: u64,
    basis: impl Fn(C) -> Result<Arc<dyn Basis>>,
) -> Result<(Run, C)> {
    let problem = benchmark.protocol_problem();
    let mut best: Option<(Solution, C)> = None;
    let mut seconds = 0.0;
    for candidate in candidates {
        let options = protocol(benchmark, plan, seed).basis(basis(candidate)?);
        let solution = problem.solve_with(&options)?;
        seconds += solution.report().seconds;
        let residual = solution.report().held_out_residual;
        let better = best
            .as_ref()
            .is_none_or(|(best, _)| residual < best.report().held_out_residual);
        if better {
            best = Some((solution, candidate));
        }
    }
    let (solution, candidate) = best.context("nothing to choose from")?;
    let mut run = measured(benchmark, &solution, seed)?;
    run.seconds = Some(seconds);
    Ok((run, candidate))
}

/// The errors of a solution, with what its report says.
pub(super) fn measured(benchmark: &Benchmark, solution: &Solution, seed: u64) -> Result<Run> {
    let errors = benchmark.errors(solution, TEST_POINTS)?;
    let mut run = of_report(solution.report(), seed);
    note_errors(&mut run, &errors);
    Ok(run)
}

/// Takes up the errors; a solution that is not finite has none, and the run says so.
pub(super) fn note_errors(run: &mut Run, errors: &Errors) {
    run.value_error = finite(errors.value);
    run.gradient_error = finite(errors.gradient);
    if run.value_error.is_none() {
        run.reason = Some("the solution is not finite".to_owned());
    }
}

pub(super) fn of_report(report: &Report, seed: u64) -> Run {
    Run {
        held_out_residual: finite(report.held_out_residual),
        estimate: finite(report.error_estimate),
        seconds: Some(report.seconds),
        solve_seconds: Some(report.solve_seconds),
        features: Some(report.features),
        rows: Some(report.rows),
        rank: Some(report.rank),
        sigma: Sigma::of(&report.bandwidths),
        status: match report.status {
            Status::ToleranceMet => "tolerance met",
            Status::Saturated => "saturated",
            Status::LimitReached => "limit reached",
            Status::Cancelled => "cancelled",
            Status::Explicit => "explicit",
            Status::IllPosed => "ill-posed",
            _ => "other",
        }
        .to_owned(),
        seed,
        ..Run::default()
    }
}

/// JSON knows no infinities.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
