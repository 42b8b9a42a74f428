//! Branches of solutions past folds, against closed forms.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use fastlsq_newton::{
    Ball, BranchEnd, BranchOptions, Interval, LinearProblem, NewtonError, NewtonOptions,
    NonlinearProblem, Options, Start, WALLS, X, exp, laplacian, normal_derivative, parameter,
    unknown,
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

#[test]
fn the_fold_in_the_disc_is_where_theory_has_it() {
    // Δu + λ eᵘ = 0 in the unit disc, u = 0 on the rim: u = 2 ln((1 + β)/(1 + β r²)), λ = 8β/(1 + β)², at most 2.
    let (u, load) = (unknown("u"), parameter("λ"));
    let branch = NonlinearProblem::on(Ball::unit(2))
        .equation(laplacian(u) + load * exp(u), 0.0)
        .dirichlet(0.0)
        .parameter(load, 1.45)
        .follow(&BranchOptions::new().first_step(0.2).within(1.4, 3.0))
        .unwrap();
    assert_eq!(branch.end(), BranchEnd::LeftInterval);
    for point in branch.points() {
        let beta = (0.5 * point.solution.value(&[0.0, 0.0]).unwrap()).exp() - 1.0;
        let exact = 8.0 * beta / (1.0 + beta).powi(2);
        // No worse than the point says of itself.
        assert!(
            (point.parameter - exact).abs() < point.held_out_residual.clamp(1e-9, 1e-5),
            "λ = {} where β = {beta} asks for {exact}",
            point.parameter
        );
    }
    let [fold] = branch.folds() else {
        panic!("{} folds", branch.folds().len())
    };
    assert!((fold.parameter - 2.0).abs() < 1e-7, "{}", fold.parameter);
}

#[test]
fn two_folds_on_one_branch() {
    // u″ = u³ − 3u − q with u′ = 0 at the ends: constants with q = u³ − 3u turn at (2, −1) and (−2, 1).
    let (u, load) = (unknown("u"), parameter("q"));
    let low = LinearProblem::on(Interval::unit())
        .equation(u, -2.2)
        .solve()
        .unwrap();
    let newton = NewtonOptions::new()
        .solve_options(Options::new().features(30).bandwidth(1.5))
        .start(Start::From(Arc::new(low)));
    let branch = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), u.powi(3) - 3.0 * u - load)
        .condition(WALLS, normal_derivative(u), 0.0)
        .parameter(load, -4.0)
        .follow(
            &BranchOptions::new()
                .first_step(0.5)
                .within(-4.1, 4.0)
                .newton(newton),
        )
        .unwrap();
    for point in branch.points() {
        let value = point.solution.value(&[0.3]).unwrap();
        let exact = value.powi(3) - 3.0 * value;
        assert!(
            (point.parameter - exact).abs() < 1e-7,
            "q = {} where u = {value} asks for {exact}",
            point.parameter
        );
    }
    let folds: Vec<(f64, f64)> = branch
        .folds()
        .iter()
        .map(|fold| (fold.parameter, fold.solution.value(&[0.7]).unwrap()))
        .collect();
    let [first, second] = folds.as_slice() else {
        panic!("{folds:?}")
    };
    // Beside a fold u changes like the square root of q.
    for ((q, value), (exact_q, exact)) in [(first, (2.0, -1.0)), (second, (-2.0, 1.0))] {
        assert!((q - exact_q).abs() < 1e-7, "{folds:?}");
        assert!((value - exact).abs() < 1e-3, "{folds:?}");
    }
    assert_eq!(branch.end(), BranchEnd::LeftInterval);
    assert!(branch.points().last().unwrap().parameter > 4.0);
}
