//! A parameter that is moved on the way to its value.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

use fastlsq_newton::{
    Continuation, Interval, NewtonOptions, NewtonStatus, NonlinearProblem, NonlinearSolution,
    Options, Status, X, exp, parameter, unknown,
};

/// u″ + λ eᵘ = 0 with u = 0 at the ends: solutions for λ ≤ 3.5138 only.
fn bratu(load: f64, continuation: Continuation) -> NonlinearSolution {
    let (u, own) = (unknown("u"), parameter("λ"));
    NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + own * exp(u), 0.0)
        .dirichlet(0.0)
        .parameter(own, load)
        .solve_with(
            &NewtonOptions::new()
                .solve_options(Options::new().features(60).bandwidth(5.0))
                .continuation(continuation),
        )
        .unwrap()
}

/// The values of the parameter on the way, each once.
fn values(solution: &NonlinearSolution) -> Vec<f64> {
    let history = &solution.newton().history;
    let mut values: Vec<f64> = history.iter().filter_map(|step| step.parameter).collect();
    values.dedup();
    values
}

#[test]
fn given_values_are_passed_in_their_order() {
    let stages = vec![1.0, 2.5, 2.0];
    let solution = bratu(3.0, Continuation::Through(stages.clone()));
    assert_eq!(values(&solution), [stages, vec![3.0]].concat());
    assert_eq!(solution.newton().status, NewtonStatus::Converged);
    let direct = bratu(3.0, Continuation::None).value(&[0.4]).unwrap();
    assert!((solution.value(&[0.4]).unwrap() - direct).abs() < 1e-10);
}

#[test]
fn steps_of_its_own_lead_to_the_value_without_turning_back() {
    let solution = bratu(3.5, Continuation::From(0.1));
    let values = values(&solution);
    assert_eq!((values.first(), values.last()), (Some(&0.1), Some(&3.5)));
    assert!(values.is_sorted(), "{values:?}");
    // The lower of the two solutions: λ = 8θ²/cosh²θ with the smaller θ, u(½) = 2 ln cosh θ.
    let middle = solution.value(&[0.5]).unwrap();
    let theta = (0.5 * middle).exp().acosh();
    let load = 8.0 * (theta / theta.cosh()).powi(2);
    assert!((load - 3.5).abs() < 1e-8, "u(½) = {middle}: λ = {load}");
    assert!(theta < 1.199_678, "the upper solution");
}

#[test]
fn beyond_the_last_solution_the_status_says_so() {
    let solution = bratu(3.7, Continuation::From(1.0));
    assert_ne!(solution.newton().status, NewtonStatus::Converged);
    let reached = values(&solution);
    assert!(reached.iter().all(|value| *value <= 3.7), "{reached:?}");
    assert_ne!(solution.report().status, Status::ToleranceMet);
}
