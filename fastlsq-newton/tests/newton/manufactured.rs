//! Problems made from their solutions: whatever the nonlinearity, the domain and the conditions, the solution is recovered.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_newton::{
    Ball, BoxDomain, Domain, Ellipse, Expr, Interval, LinearProblem, NewtonError, NewtonOptions,
    NewtonStatus, NonlinearProblem, NonlinearSolution, Options, SolveError, Start, WALLS, X, Y,
    cos, div, dot, exp, grad, laplacian, normal_derivative, sin, sqrt, tanh, unknown, unknowns,
};
use proptest::prelude::*;

/// The largest error of u at points of the domain.
fn error(solution: &NonlinearSolution, domain: &dyn Domain, exact: &Expr) -> f64 {
    let difference = unknown("u") - exact;
    let points = domain
        .sample_interior(200, &mut fastlsq_newton::UnitSampler::halton(7))
        .unwrap();
    let errors = solution.evaluate(difference, points.view()).unwrap();
    errors.into_iter().fold(0.0, |most, e| e.abs().max(most))
}

/// Solves left(u) = left(exact) with u = exact on the boundary, and returns the error.
fn recovered(
    domain: impl Domain + 'static,
    left: impl Fn(Expr) -> Expr,
    exact: &Expr,
) -> (f64, NonlinearSolution) {
    let domain: Arc<dyn Domain> = Arc::new(domain);
    let solution = NonlinearProblem::on_shared(Arc::clone(&domain))
        .equation(left(unknown("u").into()), left(exact.clone()))
        .dirichlet(exact)
        .solve_with(&NewtonOptions::new().tolerance(1e-8))
        .unwrap();
    (error(&solution, &*domain, exact), solution)
}

#[test]
fn equations_of_many_kinds() {
    let slope = |w: &Expr| dot(grad(w), grad(w));
    let exact = exp(0.5 * X) * cos(Y);
    let square = || BoxDomain::unit(2);
    let cases: Vec<(&str, f64)> = vec![
        // Steep where u is: the equation of minimal surfaces, and a conductivity that depends on the temperature.
        (
            "minimal surface",
            recovered(square(), |w| div(grad(&w) / sqrt(1.0 + slope(&w))), &exact).0,
        ),
        (
            "conductivity",
            recovered(square(), |w| div((1.0 + w.powi(2)) * grad(&w)), &exact).0,
        ),
        // First order with a little viscosity, on a disc.
        (
            "eikonal",
            recovered(Ball::unit(2), |w| slope(&w) - 0.5 * laplacian(&w), &exact).0,
        ),
        // Not a polynomial of u, on an ellipse.
        (
            "saturation",
            recovered(
                Ellipse::new([0.2, 0.0], [1.0, 0.6]).unwrap(),
                |w| -laplacian(&w) + tanh(&w) + w.d(X) / (1.0 + w.powi(2)),
                &exact,
            )
            .0,
        ),
        // A cube of the slope, on the line.
        (
            "drag",
            recovered(
                Interval::unit(),
                |w| w.d(X).d(X) + w.d(X).powi(3) - sin(&w),
                &exp(-X),
            )
            .0,
        ),
    ];
    for (name, error) in cases {
        assert!(error < 1e-7, "{name}: {error:.1e}");
    }
}

#[test]
fn radiation_through_the_boundary() {
    // Δu = 0 inside, ∂u/∂n + u⁴ = g on the walls.
    let u = unknown("u");
    let exact = 1.0 + 0.3 * X - 0.2 * Y + 0.1 * X * Y;
    let radiated = |w: Expr| normal_derivative(&w) + w.powi(4);
    let domain = BoxDomain::unit(2);
    let solution = NonlinearProblem::on(domain.clone())
        .equation(laplacian(u), 0.0)
        .condition(WALLS, radiated(u.into()), radiated(exact.clone()))
        .solve_with(
            &NewtonOptions::new()
                .tolerance(1e-8)
                .start(Start::From(Arc::new(constant(&domain, 1.0)))),
        )
        .unwrap();
    let error = error(&solution, &domain, &exact);
    assert!(error < 1e-7, "{error:.1e}");
}

/// A constant as a solution.
fn constant(domain: &(impl Domain + Clone + 'static), value: f64) -> fastlsq_newton::Solution {
    LinearProblem::on(domain.clone())
        .equation(unknown("u"), value)
        .solve()
        .unwrap()
}

#[test]
fn two_unknowns_that_drive_each_other() {
    let [u, v] = unknowns(["u", "v"]);
    let (p, q) = (sin(PI * X), X * (1.0 - X));
    let first = |u: Expr, v: Expr| u.d(X).d(X) + u * v.powi(2);
    let second = |u: Expr, v: Expr| v.d(X).d(X) - exp(u) * v;
    let solution = NonlinearProblem::on(Interval::unit())
        .equation(first(u.into(), v.into()), first(p.clone(), q.clone()))
        .equation(second(u.into(), v.into()), second(p, q))
        .condition(WALLS, u, 0.0)
        .condition(WALLS, v, 0.0)
        .solve_with(&NewtonOptions::new().tolerance(1e-9))
        .unwrap();
    for x in [0.1_f64, 0.45, 0.8] {
        let (one, other) = (solution.at(u, &[x]).unwrap(), solution.at(v, &[x]).unwrap());
        assert!((one - (PI * x).sin()).abs() < 1e-8, "u({x}) = {one}");
        assert!((other - x * (1.0 - x)).abs() < 1e-8, "v({x}) = {other}");
    }
}

/// The orders log e₃/e₂ : log e₂/e₁ of successive changes, where these are neither large nor rounding.
fn orders(solution: &NonlinearSolution) -> Vec<f64> {
    let history = &solution.newton().history;
    let changes: Vec<f64> = history.iter().map(|step| step.change).collect();
    let small = |change: &f64| (1e-11..0.1).contains(change);
    let in_range = changes.windows(2).filter(|pair| pair.iter().all(small));
    in_range.map(|pair| pair[1].ln() / pair[0].ln()).collect()
}

#[test]
fn every_step_near_the_solution_doubles_the_digits() {
    let exact = exp(0.5 * X) * cos(Y);
    let kinds: [fn(Expr) -> Expr; 3] = [
        |w| -laplacian(&w) + w.powi(3),
        |w| div((1.0 + w.powi(2)) * grad(&w)),
        |w| dot(grad(&w), grad(&w)) - laplacian(&w),
    ];
    let u = unknown("u");
    let given = Options::new().features(150).bandwidth(2.0);
    for (number, left) in kinds.into_iter().enumerate() {
        let solution = NonlinearProblem::on(BoxDomain::unit(2))
            .equation(left(u.into()), left(exact.clone()))
            .dirichlet(&exact)
            .solve_with(
                &NewtonOptions::new()
                    .solve_options(given.clone())
                    .start(Start::Zero),
            )
            .unwrap();
        assert_eq!(solution.newton().status, NewtonStatus::Converged);
        let orders = orders(&solution);
        assert!(!orders.is_empty(), "{}", solution.newton());
        assert!(
            orders.iter().all(|order| *order > 1.6),
            "equation {number}: {orders:?}\n{}",
            solution.newton()
        );
    }
}

#[test]
fn damped_steps_leave_their_share_of_the_error() {
    // With the factor θ on every step the error shrinks by 1 − θ, and so do the changes.
    let exact = exp(0.5 * X) * cos(Y);
    let left = |w: Expr| -laplacian(&w) + w.powi(3);
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(left(unknown("u").into()), left(exact.clone()))
        .dirichlet(&exact);
    for share in [0.5, 0.8] {
        let options = NewtonOptions::new()
            .solve_options(Options::new().features(120).bandwidth(2.0))
            .start(Start::Zero)
            .line_search(false)
            .damping(share)
            .max_iterations(12);
        let solution = problem.solve_with(&options).unwrap();
        let history = &solution.newton().history;
        let ratios = history.windows(2).skip(4).take(3);
        for ratio in ratios.map(|pair| pair[1].change / pair[0].change) {
            assert!((ratio - (1.0 - share)).abs() < 0.03, "{share}: {ratio}");
        }
    }
}

#[test]
fn every_start_leads_to_the_only_solution() {
    let exact = sin(2.0 * X) + 0.3 * Y;
    let left = |w: Expr| -laplacian(&w) + exp(w);
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(left(unknown("u").into()), left(exact.clone()))
        .dirichlet(&exact);
    let far = constant(&BoxDomain::unit(2), -3.0);
    for start in [
        Start::Best,
        Start::Zero,
        Start::LinearPart,
        Start::HighestOrder,
        Start::From(Arc::new(far)),
    ] {
        let name = format!("{start:?}");
        let options = NewtonOptions::new()
            .solve_options(Options::new().features(150).bandwidth(2.5))
            .start(start);
        let solution = problem.solve_with(&options).unwrap();
        let error = error(&solution, &BoxDomain::unit(2), &exact);
        assert!(error < 1e-9, "{name}: {error:.1e}");
    }
}

#[test]
fn the_start_decides_between_two_solutions() {
    // u″ + 2eᵘ = 0 with u = 0 at the ends has a lower and an upper solution.
    let u = unknown("u");
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X) + 2.0 * exp(u), 0.0)
        .dirichlet(0.0);
    let from = |height: f64| {
        let start = LinearProblem::on(Interval::unit())
            .equation(u, height * 4.0 * X * (1.0 - X))
            .solve()
            .unwrap();
        problem
            .solve_with(&NewtonOptions::new().start(Start::From(Arc::new(start))))
            .unwrap()
    };
    let maxima = [0.3, 3.0].map(|height| from(height).value(&[0.5]).unwrap());
    for maximum in maxima {
        // ½u′² + 2eᵘ = 2eᵐ with the maximum m, so that ∫ du/√(4(eᵐ − eᵘ)) from 0 to m is ½: 2 artanh √(1 − e⁻ᵐ) = √eᵐ.
        let root = (1.0 - (-maximum).exp()).sqrt();
        let residual = 2.0 * root.atanh() - maximum.exp().sqrt();
        assert!(residual.abs() < 1e-7, "{maximum}: {residual:.1e}");
    }
    assert!(maxima[1] - maxima[0] > 1.0, "{maxima:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// −u″ + a u + u³ + c v = f, −v″ + b v − c u + v³ = g: monotone whatever c is, so that the solution is the only one.
    #[test]
    fn systems_on_the_line(
        a in 0.0_f64..5.0,
        b in 0.0_f64..5.0,
        c in -3.0_f64..3.0,
        wave in 0.5_f64..4.0,
        phase in 0.0_f64..6.0,
    ) {
        let [u, v] = unknowns(["u", "v"]);
        let exact = [sin(wave * X + phase), 0.5 * cos(wave * X) + X];
        let first = |u: &Expr, v: &Expr| -u.d(X).d(X) + a * u + u.powi(3) + c * v;
        let second = |u: &Expr, v: &Expr| -v.d(X).d(X) + b * v - c * u + v.powi(3);
        let solution = NonlinearProblem::on(Interval::unit())
            .equation(first(&u.into(), &v.into()), first(&exact[0], &exact[1]))
            .equation(second(&u.into(), &v.into()), second(&exact[0], &exact[1]))
            .condition(WALLS, u, &exact[0])
            .condition(WALLS, v, &exact[1])
            .solve_with(&NewtonOptions::new().tolerance(1e-8))
            .unwrap();
        for x in [0.15, 0.5, 0.9] {
            for (own, exact) in [u, v].into_iter().zip(&exact) {
                let error = solution.at(own - exact, &[x]).unwrap().abs();
                prop_assert!(error < 1e-7, "{own} at {x}: {error:.1e}\n{}", solution.newton());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// −u″ + a u + b u³ + c u u′ = f is monotone for a, b ≥ 0 and small c: one solution, the one it was made from.
    #[test]
    fn semilinear_problems_on_the_line(
        a in 0.0_f64..5.0,
        b in 0.0_f64..5.0,
        c in -1.0_f64..1.0,
        wave in 0.5_f64..4.0,
        phase in 0.0_f64..6.0,
    ) {
        let exact = sin(wave * X + phase) + 0.5 * X;
        let left = |w: Expr| -w.d(X).d(X) + a * &w + b * w.powi(3) + c * &w * w.d(X);
        let (error, solution) = recovered(Interval::unit(), left, &exact);
        prop_assert!(error < 1e-7, "{error:.1e}\n{}", solution.newton());
    }
}

#[test]
fn options_out_of_range_are_named() {
    let u = unknown("u");
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), u.powi(3) + 1.0)
        .dirichlet(0.0);
    let new = NewtonOptions::new;
    let nan = f64::NAN;
    for (name, options) in [
        ("max_iterations", new().max_iterations(0)),
        ("damping", new().damping(1.5)),
        ("damping", new().damping(nan)),
        ("ridge", new().ridge(-1.0)),
        ("ridge", new().ridge(f64::INFINITY)),
        ("change_tolerance", new().change_tolerance(nan)),
        ("change_tolerance", new().change_tolerance(-1e-9)),
        (
            "least_norm",
            new().solve_options(Options::new().least_norm()),
        ),
    ] {
        match problem.solve_with(&options) {
            Err(NewtonError::Option { option, .. }) => assert_eq!(option, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    let tolerance = problem.solve_with(&new().tolerance(nan));
    assert!(
        matches!(
            tolerance,
            Err(NewtonError::Solve(SolveError::Option { .. }))
        ),
        "{tolerance:?}"
    );
}

#[test]
fn a_start_of_another_problem_is_refused() {
    let u = unknown("u");
    let problem = NonlinearProblem::on(Interval::unit())
        .equation(u.d(X).d(X), u.powi(3) + 1.0)
        .dirichlet(0.0);
    let flat = Arc::new(constant(&BoxDomain::unit(2), 1.0));
    let started = problem.solve_with(&NewtonOptions::new().start(Start::From(flat)));
    assert!(started.is_err(), "{started:?}");
}
