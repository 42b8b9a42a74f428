//! Newton's method on problems with known solutions, and on problems without any.

#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;
use std::sync::{Arc, Mutex};

use fastlsq_newton::problems::{self, NonlinearBenchmark};
use fastlsq_newton::{
    BoxDomain, Condition, Continuation, Interval, NewtonError, NewtonOptions, NewtonStatus,
    NonlinearProblem, NonlinearSolution, Options, PartSelector, Slabs, SpaceTime, Start, StepForm,
    identity,
};

fn error_of(benchmark: &NonlinearBenchmark, options: &NewtonOptions) -> (f64, NewtonStatus, usize) {
    let u = benchmark.problem.solve_with(options).unwrap();
    let error = benchmark.errors(&u, 1000).unwrap().value;
    (error, u.newton().status, u.newton().iterations())
}

#[test]
fn the_papers_five_problems_to_twelve_digits() {
    for benchmark in problems::paper() {
        let (error, status, iterations) = error_of(&benchmark, &NewtonOptions::new());
        assert!(error < 1e-12, "{}: {error:.1e}", benchmark.name);
        assert_eq!(status, NewtonStatus::Converged, "{}", benchmark.name);
        assert!(iterations <= 8, "{}: {iterations} steps", benchmark.name);
    }
}

#[test]
fn the_estimate_is_honest() {
    for benchmark in problems::paper() {
        let u = benchmark.problem.solve().unwrap();
        let error = benchmark.errors(&u, 1000).unwrap().value;
        let ratio = u.report().error_estimate / error;
        assert!(
            (0.2..20.0).contains(&ratio),
            "{}: estimate/error {ratio:.2}",
            benchmark.name
        );
    }
}

#[test]
fn convergence_is_quadratic() {
    let changes = Arc::new(Mutex::new(Vec::new()));
    let seen = changes.clone();
    let options = NewtonOptions::new()
        .solve_options(Options::new().features(60).bandwidth(4.0))
        .start(Start::Zero)
        .progress(move |step| seen.lock().unwrap().push(step.change));
    problems::steady_burgers_1d()
        .problem
        .solve_with(&options)
        .unwrap();
    let changes = changes.lock().unwrap();
    // The last iteration is that of the full size; its small changes square from step to step.
    let steps: Vec<f64> = changes
        .iter()
        .copied()
        .filter(|c| (1e-10..0.3).contains(c))
        .collect();
    let squares = steps
        .windows(2)
        .filter(|pair| pair[1] < 10.0 * pair[0] * pair[0])
        .count();
    assert!(squares >= 2, "{changes:?}");
}

#[test]
fn increments_with_a_ridge_stop_early_new_coefficients_do_not() {
    let benchmark = problems::nl_poisson_2d();
    let solve = Options::new()
        .features(200)
        .bandwidth(3.0)
        .rows(600, 200)
        .weight(100.0);
    let paper = NewtonOptions::new()
        .solve_options(solve.clone())
        .form(StepForm::Increment)
        .start(Start::LinearPart)
        .ridge(1e-10)
        .max_iterations(10);
    let (plateau, _, _) = error_of(&benchmark, &paper);
    let (full, _, _) = error_of(&benchmark, &NewtonOptions::new().solve_options(solve));
    assert!(
        plateau > 1e-10 && plateau < 1e-4,
        "increments: {plateau:.1e}"
    );
    assert!(
        full < 1e-3 * plateau,
        "new coefficients: {full:.1e} against {plateau:.1e}"
    );
}

#[test]
fn a_linear_residual_is_recognised() {
    let u = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(|u, x| -u.laplacian() - 2.0 * PI * PI * (PI * x[0]).sin() * (PI * x[1]).sin())
        .dirichlet(|_| 0.0)
        .solve()
        .unwrap();
    assert!(u.newton().linear);
    assert_eq!(u.newton().iterations(), 1);
    assert!((u.value(&[0.5, 0.5]).unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn evolution_problems_from_their_data() {
    for (benchmark, bar) in [
        (problems::klein_gordon(), 1e-10),
        (problems::fisher_front(), 1e-9),
    ] {
        let options = NewtonOptions::new().tolerance(1e-11);
        let (error, status, _) = error_of(&benchmark, &options);
        assert!(error < bar, "{}: {error:.1e}", benchmark.name);
        assert_eq!(status, NewtonStatus::Converged);
    }
}

#[test]
fn nonlinear_conditions_hold() {
    // u″ = 0 with u(0) = 1 and u′ = −u² at 1: u = 1 − s x with s = (1 − s)².
    let s = 0.5 * (3.0 - 5f64.sqrt());
    let u = NonlinearProblem::on(Interval::unit())
        .equation(|u, _| u.partial_order(0, 2))
        .dirichlet_on("x0=lo", |_| 1.0)
        .condition(PartSelector::Named("x0=hi".into()), |u, _| {
            u.normal_derivative() + u.value().powi(2)
        })
        .solve_with(&NewtonOptions::new().solve_options(Options::new().features(40).bandwidth(2.0)))
        .unwrap();
    assert!((u.value(&[0.7]).unwrap() - (1.0 - 0.7 * s)).abs() < 1e-11);
}

#[test]
fn continuation_reaches_what_a_plain_start_does_not_need() {
    let benchmark = problems::steady_burgers_1d();
    for continuation in [
        Continuation::Through(vec![1.0, 0.5, 0.2]),
        Continuation::From(1.0),
    ] {
        let options = NewtonOptions::new().continuation(continuation.clone());
        let u = benchmark.problem.solve_with(&options).unwrap();
        let error = benchmark.errors(&u, 1000).unwrap().value;
        assert!(error < 1e-12, "{continuation:?}: {error:.1e}");
    }
}

#[test]
fn slabs_keep_the_symmetry_and_the_conditions_of_the_first() {
    // A wave that swings about zero, even in x.
    let exact = |x: &[f64]| (2.0 * x[0]).cos() * (5f64.sqrt() * x[1]).cos();
    let space = Interval::new(-1.0, 1.0).unwrap();
    let initial = Condition::on(PartSelector::Initial, identity(2), exact);
    let problem = NonlinearProblem::on(SpaceTime::new(space, 0.0, 4.0).unwrap())
        .equation(|u, _| u.partial_order(1, 2) - u.partial_order(0, 2) + u.value())
        .with(initial.rows(37))
        .initial_velocity(|_: &[f64]| 0.0)
        .dirichlet(exact);
    let options = NewtonOptions::new().tolerance(1e-9);
    let slabs = problem.solve_in_slabs(Slabs::Count(6), &options).unwrap();
    for (piece, start) in slabs.pieces().iter().zip(slabs.times()) {
        let report = piece.solution().report();
        assert!(report.symmetry.contains("even in x0"), "{start}: {report}");
        assert_eq!(report.blocks[1].rows, 37, "{start}: {report}");
    }
    for point in [[0.3, 0.7], [-0.8, 1.9], [0.0, 3.9]] {
        let difference = slabs.value(&point).unwrap() - exact(&point);
        assert!(difference.abs() < 1e-8, "{point:?}: {difference}");
    }
}

#[test]
fn slabs_agree_with_one_solve() {
    let domain = SpaceTime::new(Interval::unit(), 0.0, 0.5).unwrap();
    let exact = |x: &[f64]| (PI * x[0]).sin() * (-x[1]).exp();
    let problem = NonlinearProblem::on(domain)
        .equation(move |u, x| {
            let v = exact(x);
            u.time() - u.partial_order(0, 2) + u.value().powi(3) - ((PI * PI - 1.0) * v + v.powi(3))
        })
        .initial_value(exact)
        .dirichlet(|_| 0.0);
    let options = NewtonOptions::new().tolerance(1e-10);
    let whole = problem.solve_with(&options).unwrap();
    let slabs = problem.solve_in_slabs(Slabs::Count(2), &options).unwrap();
    assert_eq!(slabs.times(), [0.0, 0.25, 0.5]);
    for point in [[0.3, 0.1], [0.5, 0.25], [0.7, 0.45]] {
        let (a, b) = (whole.value(&point).unwrap(), slabs.value(&point).unwrap());
        assert!((a - exact(&point)).abs() < 1e-9, "whole {a}");
        assert!((b - exact(&point)).abs() < 1e-8, "slabs {b}");
    }
}

#[test]
fn a_problem_without_solution_ends_with_a_status() {
    // u″ + 10 eᵘ = 0 with u = 0 at both ends has no solution beyond λ = 3.5138.
    let u = NonlinearProblem::on(Interval::unit())
        .equation(|u, _| u.partial_order(0, 2) + 10.0 * u.value().exp())
        .dirichlet(|_| 0.0)
        .solve_with(&NewtonOptions::new().solve_options(Options::new().features(40).bandwidth(4.0)))
        .unwrap();
    assert_ne!(u.newton().status, NewtonStatus::Converged);
    assert!(u.report().held_out_residual > 1e-3);
}

#[test]
fn bad_input_is_a_typed_error() {
    let empty = NonlinearProblem::on(Interval::unit())
        .dirichlet(|_| 0.0)
        .solve();
    assert!(matches!(empty, Err(NewtonError::NoEquation)));

    let axis = NonlinearProblem::on(Interval::unit())
        .equation(|u, _| u.partial(3))
        .solve();
    assert!(matches!(axis, Err(NewtonError::Request { .. })));

    let nan = NonlinearProblem::on(Interval::unit())
        .equation(|u, x| u.partial_order(0, 2) + (x[0] - 2.0).sqrt())
        .dirichlet(|_| 0.0)
        .solve();
    assert!(
        matches!(nan, Err(NewtonError::ResidualNotFinite { .. })),
        "{nan:?}"
    );

    let parameter = problems::nl_poisson_2d()
        .problem
        .solve_with(&NewtonOptions::new().continuation(Continuation::From(1.0)));
    assert!(matches!(parameter, Err(NewtonError::NoParameter)));

    let damping = problems::allen_cahn_1d()
        .problem
        .solve_with(&NewtonOptions::new().damping(0.0));
    assert!(matches!(damping, Err(NewtonError::Option { .. })));

    let time = problems::allen_cahn_1d()
        .problem
        .solve_in_slabs(Slabs::Automatic, &NewtonOptions::new());
    assert!(matches!(time, Err(NewtonError::NoTime)));

    // What a nonlinear condition at the initial time means at a later one is not known.
    let start = NonlinearProblem::on(SpaceTime::new(Interval::unit(), 0.0, 1.0).unwrap())
        .equation(|u, _| u.time() - u.partial_order(0, 2))
        .condition(PartSelector::Initial, |u, _| u.value().powi(2) - 1.0)
        .dirichlet(|_| 1.0)
        .solve_in_slabs(Slabs::Count(2), &NewtonOptions::new());
    assert!(matches!(
        start,
        Err(NewtonError::NonlinearInitialCondition { .. })
    ));
}

#[test]
fn compressed_features_lead_to_the_same_solution() {
    let benchmark = problems::nl_poisson_2d();
    let given = Options::new().features(700).bandwidth(3.0).seed(1);
    let options = NewtonOptions::new().solve_options(given);
    let whole = benchmark.problem.solve_with(&options).unwrap();
    let small = benchmark
        .problem
        .solve_with(&options.compress(true))
        .unwrap();
    let features = |u: &NonlinearSolution| u.bases()[0].len();
    assert_eq!(features(&whole), 700);
    assert!(features(&small) < 400, "{} are left", features(&small));
    for solution in [whole, small] {
        let error = benchmark.errors(&solution, 500).unwrap().value;
        assert!(error < 1e-11, "{error:e}");
    }
}

#[test]
fn steps_from_a_generic_start_are_reported_apart() {
    let benchmark = problems::nl_poisson_2d();
    let solution = benchmark.problem.solve().unwrap();
    let newton = solution.newton();
    let cold = newton.cold_iterations().unwrap();
    assert!((2..=8).contains(&cold), "{cold} steps");
    assert!(newton.candidates.iter().any(|candidate| candidate.warm));
    assert!(newton.to_string().contains("from a generic start took"));
}
