//! L-BFGS-B against SciPy's on problems with active bounds: the same minima with no more work.
//!
//! The reference values are in `fixtures/scipy_lbfgsb.json`, made by
//! `fixtures/make_scipy_lbfgsb.py`.

use std::collections::BTreeMap;

use fastlsq_inverse::optimise::test_functions::{TestProblem, bounded_problems};
use fastlsq_inverse::optimise::{
    Bounds, LbfgsbOptions, Method, MinimiseOptions, Minimum, Objective, minimise,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    problems: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    name: String,
    bounds: Bounds,
    start: Vec<f64>,
    value_at_start: f64,
    runs: BTreeMap<String, Run>,
}

#[derive(Deserialize)]
struct Run {
    x: Vec<f64>,
    value: f64,
    evaluations: u64,
}

fn pairs() -> Vec<(TestProblem, Reference)> {
    let fixture: Fixture =
        serde_json::from_str(include_str!("../fixtures/scipy_lbfgsb.json")).expect("valid fixture");
    let problems = bounded_problems().expect("valid boxes");
    assert_eq!(problems.len(), fixture.problems.len());
    problems.into_iter().zip(fixture.problems).collect()
}

fn run(problem: &TestProblem, settings: LbfgsbOptions) -> Minimum {
    let options = MinimiseOptions::new()
        .method(Method::Lbfgsb(settings))
        .max_iterations(100_000);
    minimise(
        &problem.objective,
        &problem.start,
        &problem.bounds,
        &options,
    )
    .expect("a minimum")
}

#[test]
fn the_problems_are_those_of_the_fixture() {
    for (problem, reference) in pairs() {
        assert_eq!(problem.name, reference.name);
        assert_eq!(problem.bounds, reference.bounds, "{}", problem.name);
        assert_eq!(problem.start, reference.start, "{}", problem.name);
        let mut start = problem.start.clone();
        problem.bounds.project(&mut start).unwrap();
        let mut gradient = vec![0.0; start.len()];
        let value = problem
            .objective
            .value_and_gradient(&start, &mut gradient)
            .unwrap();
        let error = (value - reference.value_at_start).abs();
        assert!(error <= 1e-13 * value.abs(), "{}: {error:e}", problem.name);
    }
}

/// Both solvers with tight tolerances: the minimum agrees to 1e-8 relative (absolute where it is
/// 0), and so do the minimisers where the objective determines them.
#[test]
fn reaches_the_minima_of_scipy_with_at_most_half_more_evaluations() {
    for (problem, reference) in pairs() {
        let tight = LbfgsbOptions::scipy()
            .decrease_tolerance(1e-14)
            .gradient_tolerance(1e-8);
        let minimum = run(&problem, tight);
        let expected = &reference.runs["tight"];
        let name = problem.name;
        assert!(minimum.status.is_converged(), "{name}: {}", minimum.status);
        let scale = if expected.value < 1e-10 {
            1.0
        } else {
            expected.value
        };
        let error = (minimum.value - expected.value).abs() / scale;
        assert!(
            error <= 1e-8,
            "{name}: {} {} {error:e}",
            minimum.value,
            expected.value
        );
        for (ours, theirs) in minimum.parameters.iter().zip(&expected.x) {
            assert!(
                (ours - theirs).abs() < 1e-5 * theirs.abs().max(1.0),
                "{name}"
            );
        }
        assert_eq!(
            minimum.at_bounds,
            problem.bounds.active(&expected.x),
            "{name}: the same sides are active"
        );
        let allowed = 3 * expected.evaluations / 2;
        let used = minimum.evaluations;
        assert!(
            used <= allowed,
            "{name}: {used} evaluations, SciPy {}",
            expected.evaluations
        );
    }
}

#[test]
fn needs_no_more_evaluations_with_the_default_tolerances_of_scipy() {
    for (problem, reference) in pairs() {
        let minimum = run(&problem, LbfgsbOptions::scipy());
        let expected = &reference.runs["default"];
        let name = problem.name;
        let allowed = 3 * expected.evaluations / 2;
        let used = minimum.evaluations;
        assert!(
            used <= allowed,
            "{name}: {used} evaluations, SciPy {}",
            expected.evaluations
        );
        let excess = minimum.value - expected.value;
        assert!(
            excess <= 1e-7 * expected.value.max(1.0),
            "{name}: {excess:e}"
        );
    }
}

/// The default settings are as good although their tests do not depend on units.
#[test]
fn the_default_settings_reach_the_minima_in_any_units() {
    for (problem, reference) in pairs() {
        let expected = reference.runs["tight"].value;
        let name = problem.name;
        for unit in [1.0, 1e-9, 1e6] {
            let objective = fastlsq_inverse::optimise::FnObjective::new(
                problem.start.len(),
                |x: &[f64], g: &mut [f64]| {
                    let value = problem
                        .objective
                        .value_and_gradient(x, g)
                        .expect("right shape");
                    g.iter_mut().for_each(|g| *g *= unit);
                    unit * value
                },
            );
            let options = MinimiseOptions::new().max_iterations(100_000);
            let minimum =
                minimise(&objective, &problem.start, &problem.bounds, &options).expect("a minimum");
            let excess = minimum.value / unit - expected;
            assert!(
                excess <= 1e-8 * expected.max(1.0),
                "{name} in units of {unit}: {excess:e}, {}",
                minimum.status
            );
        }
    }
}
