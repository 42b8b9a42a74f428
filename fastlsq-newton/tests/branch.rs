//! Branches of solutions past folds, against the closed form of Bratu's problem.

#![allow(clippy::unwrap_used)]

use fastlsq_newton::{
    BranchEnd, BranchOptions, Interval, NewtonError, NewtonOptions, NonlinearProblem, X, exp,
    parameter, unknown,
};

fn bratu() -> NonlinearProblem {
    let (u, load) = (unknown("u"), parameter("λ"));
    NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + load * exp(u), 0.0)
        .dirichlet(0.0)
        .parameter(load, 1.0)
}

/// λ of the solution u = 2 ln(cosh θ / cosh(θ(1 − 2x))), whose middle is 2 ln cosh θ: λ = 8θ²/cosh²θ.
fn load_of(middle: f64) -> f64 {
    let theta = (0.5 * middle).exp().acosh();
    8.0 * (theta / theta.cosh()).powi(2)
}

#[test]
fn both_branches_of_bratu_and_the_fold_between_them() {
    let branch = bratu()
        .follow(&BranchOptions::new().first_step(0.5).within(0.9, 4.0))
        .unwrap();
    assert_eq!(branch.end(), BranchEnd::LeftInterval);
    for point in branch.points() {
        let middle = point.solution.value(&[0.5]).unwrap();
        let exact = load_of(middle);
        assert!(
            (point.parameter - exact).abs() < 1e-7 * exact,
            "λ = {} where u(½) = {middle} asks for {exact}",
            point.parameter
        );
    }
    // Up to the fold and back on the other side.
    let [fold] = branch.folds() else {
        panic!("{} folds", branch.folds().len())
    };
    assert!(
        (fold.parameter - 3.513_830_719_125).abs() < 1e-8,
        "{}",
        fold.parameter
    );
    let last = branch.points().last().unwrap();
    assert!(last.parameter < 1.0 && last.solution.value(&[0.5]).unwrap() > 4.0);
    let lengths: Vec<f64> = branch
        .points()
        .iter()
        .map(|point| point.arclength)
        .collect();
    assert!(lengths.is_sorted(), "{lengths:?}");
}

#[test]
fn a_branch_that_cannot_begin_is_a_typed_error() {
    let u = unknown("u");
    let without = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + exp(u), 0.0)
        .dirichlet(0.0);
    let options = BranchOptions::new();
    assert!(matches!(
        without.follow(&options),
        Err(NewtonError::NoParameter)
    ));
    for step in [0.0, f64::NAN, f64::INFINITY] {
        let result = bratu().follow(&BranchOptions::new().first_step(step));
        assert!(matches!(result, Err(NewtonError::Option { .. })), "{step}");
    }
}

#[test]
fn with_several_parameters_the_moving_one_is_named() {
    // A source of strength q besides the load: where it vanishes the fold is Bratu's.
    let (u, load, q) = (unknown("u"), parameter("λ"), parameter("q"));
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + load * exp(u), q)
        .dirichlet(0.0)
        .parameter(load, 1.0)
        .parameter(q, 0.0);
    let options = BranchOptions::new().first_step(0.5).within(0.9, 4.0);
    let refused = problem.follow(&options).unwrap_err();
    assert!(matches!(&refused, NewtonError::SeveralParameters { names } if names == &["λ", "q"]));
    let moving = options.newton(NewtonOptions::new().moving(load));
    let branch = problem.follow(&moving).unwrap();
    assert!((branch.folds()[0].parameter - 3.513_830_719_125).abs() < 1e-8);
}

#[test]
fn the_number_of_points_is_a_limit() {
    let branch = bratu()
        .follow(&BranchOptions::new().first_step(0.1).max_points(4))
        .unwrap();
    assert_eq!(
        (branch.points().len(), branch.end()),
        (4, BranchEnd::PointLimit)
    );
}
