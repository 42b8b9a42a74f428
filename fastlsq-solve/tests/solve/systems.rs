//! Several unknowns.

use std::f64::consts::PI;

use fastlsq_solve::ndarray::array;
use fastlsq_solve::{
    BoxDomain, Condition, DomainExt, Expr, INITIAL, LinearProblem, Options, Solution, T, WALLS, X,
    Y, cos, div, dot, exp, grad, identity_matrix, laplacian, normal, sin, strain, unknowns, vector,
};

use super::error_of;

fn assert_exact(solution: &Solution, exact: impl IntoIterator<Item = (Expr, f64)>) {
    for (unknown, (exact, bar)) in solution.unknowns().iter().zip(exact) {
        let error = error_of(solution, *unknown, exact);
        assert!(error < bar, "{unknown}: {error:.1e}\n{}", solution.report());
    }
}

/// The force is what −Δ and ∇ make of the exact flow, the curl of sin² πx sin² πy / π.
#[test]
fn stokes() {
    let [u, v, p] = unknowns(["u", "v", "p"]);
    let stream = sin(PI * X).powi(2) * sin(PI * Y).powi(2) / PI;
    let flow = vector([stream.d(Y), -stream.d(X)]);
    let pressure = cos(PI * X) * sin(PI * Y);
    let solution = LinearProblem::on(BoxDomain::unit(2))
        .equation(
            -laplacian([u, v]) + grad(p),
            -laplacian(&flow) + grad(&pressure),
        )
        .equation(div([u, v]), 0.0)
        .condition(WALLS, [u, v], 0.0)
        .with(Condition::at(array![[0.0, 0.5]], p, &[1.0]).named("pin"))
        .solve_with(&Options::new().features(300).bandwidth(6.0))
        .unwrap();
    let exact = [(stream.d(Y), 1e-6), (-stream.d(X), 1e-6), (pressure, 1e-4)];
    assert_exact(&solution, exact);

    // An unknown of its own, an unknown that does not exist, and what the flow conserves.
    let alone = solution.unknown("v").unwrap();
    assert_eq!(
        alone.value(&[0.2, 0.7]).unwrap(),
        solution.at(v, &[0.2, 0.7]).unwrap()
    );
    let error = solution.unknown("q").unwrap_err().to_string();
    assert!(
        error.contains("\"q\"") && error.contains("\"v\""),
        "{error}"
    );
    assert!(solution.at(div([u, v]), &[0.2, 0.7]).unwrap().abs() < 1e-4);
}

/// A square under its own load, held at three sides; the stress is given at the fourth.
#[test]
fn elasticity() {
    let [u, v] = unknowns(["u", "v"]);
    let (mu, lambda) = (1.0, 1.5);
    let stress = |field: Expr| 2.0 * mu * strain(&field) + lambda * div(field) * identity_matrix();
    let field = vector([u, v]);
    let exact = vector([sin(2.0 * X) * exp(Y), X * cos(2.0 * Y)]);
    let solution = LinearProblem::on(BoxDomain::unit(2))
        .equation(-div(stress(field.clone())), -div(stress(exact.clone())))
        .condition(X.lo(), &field, &exact)
        .condition(Y.lo(), &field, &exact)
        .condition(Y.hi(), &field, &exact)
        .condition(
            X.hi(),
            dot(stress(field), normal()),
            dot(stress(exact), normal()),
        )
        .solve()
        .unwrap();
    let exact = [(sin(2.0 * X) * exp(Y), 1e-9), (X * cos(2.0 * Y), 1e-9)];
    assert_exact(&solution, exact);
}

/// The wave equation as a system of first order: what a vector condition at the initial time says.
#[test]
fn a_system_over_time() {
    let [p, w] = unknowns(["p", "w"]);
    let exact = [sin(PI * X) * cos(PI * T), -(cos(PI * X) * sin(PI * T))];
    let solution = LinearProblem::on(fastlsq_solve::Interval::unit().over(0.0, 1.0).unwrap())
        .equation([p.d(T), w.d(T)], [w.d(X), p.d(X)].map(|flux| -flux))
        .condition(INITIAL, [p, w], [sin(PI * X), 0.0.into()])
        .condition(WALLS, p, 0.0)
        .solve()
        .unwrap();
    assert_exact(&solution, exact.map(|exact| (exact, 1e-10)));
}

/// Cauchy–Riemann, u given on the walls and v at one point: eᶻ.
#[test]
fn cauchy_riemann() {
    let [u, v] = unknowns(["u", "v"]);
    let solution = LinearProblem::on(BoxDomain::unit(2))
        .equation(u.d(X), v.d(Y))
        .equation(u.d(Y), -v.d(X))
        .condition(WALLS, u, exp(X) * cos(Y))
        .with(Condition::at(array![[0.0, 0.0]], v, &[0.0]))
        .solve()
        .unwrap();
    let exact = [(exp(X) * cos(Y), 1e-11), (exp(X) * sin(Y), 1e-10)];
    assert_exact(&solution, exact);
}
