//! The ways in which a nonlinear benchmark problem is solved, and what is recorded of it.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use fastlsq_newton::problems::NonlinearBenchmark;
use fastlsq_newton::{FrequencyLaw, NewtonOptions, NonlinearSolution, SinusoidalBasis};

use super::solving::{TEST_POINTS, note_errors, of_report};
use crate::backend::on_backend;
use crate::commands::reproduce::item::Plan;
use crate::commands::reproduce::results::{Run, Sigma};

/// Whether features carry the factor 1/√N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scaling {
    Normalised,
    Plain,
}

/// The paper's method and settings: increments with a ridge, 1500 features. A quick run has a third.
///
/// The features are given as a basis: with a bandwidth instead, a smaller companion would be solved too, for the
/// error estimate, and its time would count.
pub(super) fn paper_options(
    benchmark: &NonlinearBenchmark,
    scaling: Scaling,
    plan: &Plan,
    seed: u64,
) -> Result<NewtonOptions> {
    let missing = || format!("the paper has no settings for {}", benchmark.name);
    let options = benchmark.paper_options().with_context(missing)?;
    let protocol = benchmark.protocol.as_ref().with_context(missing)?;
    let basis = SinusoidalBasis::builder(benchmark.problem.domain().dim(), features(plan))
        .law(FrequencyLaw::Isotropic(protocol.sigma))
        .seed(seed)
        .normalised(scaling == Scaling::Normalised)
        .build()?;
    let share = plan.pick(3, 1);
    let (interior, conditions) = protocol.rows;
    let solve = options
        .solve
        .clone()
        .basis(Arc::new(basis))
        .rows(interior / share, conditions / share);
    Ok(options.solve_options(on_backend(solve)).seed(seed))
}

/// Solves with the paper's method, possibly changed, and measures the error.
pub(super) fn solve_as_paper(
    benchmark: &NonlinearBenchmark,
    options: &NewtonOptions,
    seed: u64,
) -> Result<Run> {
    let mut run = solve(benchmark, options, seed)?;
    let protocol = benchmark.protocol.as_ref();
    run.sigma = protocol.map(|protocol| Sigma::Isotropic(protocol.sigma));
    Ok(run)
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
    note_errors(&mut run, &errors);
    run.iterations = Some(newton.iterations());
    run.status = newton.status.to_string();
    let steps = newton.history.iter();
    let start = std::iter::once(newton.start_residual);
    let residuals = start.chain(steps.clone().map(|step| step.residual));
    let changes = steps.clone().map(|step| step.change);
    let times = steps.map(|step| step.seconds);
    // A divergent iteration ends with numbers that the file cannot hold.
    run.series = [
        (
            "residual".to_owned(),
            residuals.take_while(|r| r.is_finite()).collect(),
        ),
        (
            "change".to_owned(),
            changes.take_while(|c| c.is_finite()).collect(),
        ),
    ]
    .into();
    if let Some(steps) = newton.cold_iterations() {
        run.more.insert("cold_iterations".to_owned(), steps as f64);
    }
    if newton.iterations() > 0 {
        let each = times.sum::<f64>() / newton.iterations() as f64;
        run.more.insert("seconds_per_iteration".to_owned(), each);
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::{Scaling, paper_options, solve};
    use crate::commands::reproduce::item::Plan;
    use fastlsq_newton::problems::allen_cahn_1d;
    use fastlsq_newton::{NewtonOptions, Start};

    /// The residual at the start, and the steps.
    fn course(options: &NewtonOptions) -> (f64, usize) {
        let run = solve(&allen_cahn_1d(), options, 0).unwrap();
        (run.series["residual"][0], run.iterations.unwrap())
    }

    #[test]
    fn the_start_that_is_asked_for_is_the_one_that_is_used() {
        let plan = Plan::new(true, None);
        let paper = paper_options(&allen_cahn_1d(), Scaling::Normalised, &plan, 0).unwrap();
        let (linear, many) = course(&paper);
        let (zero, few) = course(&paper.start(Start::Zero));
        // The linear part of this problem is nearly singular: its solution is 56 times too large.
        assert!(linear > 1e3 * zero, "{linear:e} and {zero:e}");
        assert!(many > few && few > 2, "{many} and {few} steps");
    }
}
