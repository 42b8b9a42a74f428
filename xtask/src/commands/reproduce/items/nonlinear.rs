//! The ways in which a nonlinear benchmark problem is solved, and what is recorded of it.

use anyhow::{Context as _, Result};
use fastlsq_newton::problems::NonlinearBenchmark;
use fastlsq_newton::{NewtonOptions, NonlinearSolution};

use super::solving::{TEST_POINTS, finite, of_report};
use crate::commands::reproduce::item::Plan;
use crate::commands::reproduce::results::Run;

/// The paper's method and settings: increments with a ridge, 1500 features. A quick run has a third.
pub(super) fn paper_options(
    benchmark: &NonlinearBenchmark,
    plan: &Plan,
    seed: u64,
) -> Result<NewtonOptions> {
    let mut options = benchmark
        .paper_options()
        .with_context(|| format!("the paper has no settings for {}", benchmark.name))?;
    if let Some(protocol) = benchmark.protocol.as_ref().filter(|_| plan.quick) {
        let (interior, conditions) = protocol.rows;
        let fewer = options.solve.clone().features(features(plan));
        options = options.solve_options(fewer.rows(interior / 3, conditions / 3));
    }
    Ok(options.seed(seed))
}

/// Features of the paper's protocol.
pub(super) fn features(plan: &Plan) -> usize {
    plan.pick(500, 1500)
}

/// Solves with these options and measures the error.
pub(super) fn solve(
    benchmark: &NonlinearBenchmark,
    options: &NewtonOptions,
    seed: u64,
) -> Result<Run> {
    let solution = benchmark.problem.solve_with(options)?;
    measured(benchmark, &solution, seed)
}

fn measured(
    benchmark: &NonlinearBenchmark,
    solution: &NonlinearSolution,
    seed: u64,
) -> Result<Run> {
    let errors = benchmark.errors(solution, TEST_POINTS)?;
    let newton = solution.newton();
    let mut run = of_report(solution.report(), seed);
    run.value_error = finite(errors.value);
    run.gradient_error = finite(errors.gradient);
    run.iterations = Some(newton.iterations());
    run.status = newton.status.to_string();
    if run.value_error.is_none() {
        run.reason = Some("the solution is not finite".to_owned());
    }
    let steps = newton.history.iter();
    let start = std::iter::once(newton.start_residual);
    let residuals = start.chain(steps.clone().map(|step| step.residual));
    let times = steps.clone().map(|step| step.seconds);
    run.series = [
        ("residual".to_owned(), residuals.collect()),
        ("change".to_owned(), steps.map(|step| step.change).collect()),
    ]
    .into();
    if newton.iterations() > 0 {
        let each = times.sum::<f64>() / newton.iterations() as f64;
        run.more.insert("seconds_per_iteration".to_owned(), each);
    }
    Ok(run)
}
