//! Automatic nonlinear solves against steps of the paper's size, and a step against a linear solve.

use anyhow::{Context as _, Result};
use fastlsq_newton::NewtonOptions;
use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_solve::{LinearProblem, X, laplacian, unknown};

use super::timing::take_turns;
use super::{Measurement, Scope};
use crate::format::middle;

/// Steps of the paper's size that an automatic solve is compared with.
const PAPER_STEPS: f64 = 30.0;
/// Steps that are timed.
const TIMED_STEPS: usize = 3;

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let mut rows = Vec::new();
    for benchmark in problems::paper() {
        measure(scope, &benchmark, &mut rows)?;
    }
    Ok(rows)
}

fn measure(
    scope: &Scope,
    benchmark: &NonlinearBenchmark,
    rows: &mut Vec<Measurement>,
) -> Result<()> {
    let missing = || format!("the paper has no settings for {}", benchmark.name);
    let protocol = benchmark.protocol.as_ref().with_context(missing)?;
    let mut paper = benchmark.paper_options().with_context(missing)?;
    // All steps at the last value of the parameter; steps that have converged cost the same.
    paper = paper
        .continuation(fastlsq_newton::Continuation::None)
        .max_iterations(TIMED_STEPS)
        .change_tolerance(f64::MIN_POSITIVE);
    let features = scope.pick(500, 1500);
    paper.solve = paper.solve.features(features);
    // The same number of rows and features, one linear equation.
    let linear = linear_problem(benchmark)?
        .equation(laplacian(unknown("u")), X)
        .dirichlet(0.0);
    let mut linear_options = paper.solve.clone();
    linear_options.rows = Some(protocol.rows);

    let cut = paper.clone().compress(true);
    let (mut steps, mut cut_steps, mut solves) = (Vec::new(), Vec::new(), Vec::new());
    let [auto, _, _, _] = take_turns(
        scope.pick(1, 7),
        [
            &mut || {
                benchmark.problem.solve_with(&NewtonOptions::new())?;
                Ok(())
            },
            &mut || {
                let u = benchmark.problem.solve_with(&paper)?;
                steps.extend(u.newton().history.iter().map(|step| step.seconds));
                Ok(())
            },
            &mut || {
                let u = benchmark.problem.solve_with(&cut)?;
                cut_steps.extend(u.newton().history.iter().map(|step| step.seconds));
                Ok(())
            },
            &mut || {
                let u = linear.solve_with(&linear_options)?;
                solves.push(u.report().solve_seconds);
                Ok(())
            },
        ],
    )?;
    let step = middle(steps).unwrap_or(f64::NAN);
    let cut_step = middle(cut_steps).unwrap_or(f64::NAN);
    let solve = middle(solves).unwrap_or(f64::NAN);
    let new = |figure, value| Measurement::new("newton", benchmark.name, figure, value);
    rows.push(
        new(
            "30 steps of the paper's size over automatic solve",
            PAPER_STEPS * step / auto,
        )
        .at_least(20.0),
    );
    rows.push(new("one step over one linear solve of its size", step / solve).at_most(1.3));
    rows.push(new(
        "one step over one step with features cut to their rank",
        step / cut_step,
    ));
    rows.push(new("milliseconds, automatic", 1e3 * auto));
    rows.push(new(
        "milliseconds, one step of the paper's size",
        1e3 * step,
    ));
    Ok(())
}

/// A linear problem on the same domain.
fn linear_problem(benchmark: &NonlinearBenchmark) -> Result<LinearProblem> {
    let bounds = benchmark.problem.domain().bounding_box()?;
    let domain = fastlsq_solve::BoxDomain::new(bounds.lo(), bounds.hi())?;
    Ok(LinearProblem::on(domain))
}
