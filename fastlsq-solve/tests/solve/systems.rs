//! Several unknowns.

use std::f64::consts::PI;

use fastlsq_solve::ndarray::array;
use fastlsq_solve::{BoxDomain, Condition, LinearProblem, Options, identity, laplacian, partial};

/// Stokes flow −Δv + ∇p = f, div v = 0 with v = curl ψ, ψ = sin² πx sin² πy / π, p = cos πx sin πy.
#[test]
fn stokes() {
    let s = |x: f64| (PI * x).sin();
    let velocity = move |x: &[f64], k: usize| {
        let side = |a: f64, b: f64| s(a) * s(a) * (2.0 * PI * b).sin();
        if k == 0 {
            side(x[0], x[1])
        } else {
            -side(x[1], x[0])
        }
    };
    // Δ(sin² πa sin 2πb) = 2π² cos 2πa sin 2πb − 4π² sin² πa sin 2πb.
    let laplacian_of = move |x: &[f64], k: usize| {
        let side = |a: f64, b: f64| {
            let wave = (2.0 * PI * b).sin();
            2.0 * PI * PI * (2.0 * PI * a).cos() * wave - 4.0 * PI * PI * s(a) * s(a) * wave
        };
        if k == 0 {
            side(x[0], x[1])
        } else {
            -side(x[1], x[0])
        }
    };
    let pressure = |x: &[f64]| (PI * x[0]).cos() * (PI * x[1]).sin();
    let force = move |k: usize| {
        move |x: &[f64]| {
            let slope = if k == 0 {
                -PI * (PI * x[0]).sin() * (PI * x[1]).sin()
            } else {
                PI * (PI * x[0]).cos() * (PI * x[1]).cos()
            };
            slope - laplacian_of(x, k)
        }
    };
    let pin = array![[0.5, 0.5]];
    let flow = LinearProblem::on(BoxDomain::unit(2))
        .unknowns(&["v0", "v1", "p"])
        .equation((-laplacian(2)).on(0, 3) + partial(2, 0).on(2, 3), force(0))
        .equation((-laplacian(2)).on(1, 3) + partial(2, 1).on(2, 3), force(1))
        .equation(partial(2, 0).on(0, 3) + partial(2, 1).on(1, 3), |_| 0.0)
        .dirichlet_for("v0", |_| 0.0)
        .dirichlet_for("v1", |_| 0.0)
        .with(Condition::at(pin, identity(2).on(2, 3), &[pressure(&[0.5, 0.5])]).named("pin"));
    let u = flow
        .solve_with(&Options::new().features(300).bandwidths(&[6.0, 6.0]))
        .unwrap();
    let (v0, v1, p) = (
        u.unknown("v0").unwrap(),
        u.unknown("v1").unwrap(),
        u.unknown("p").unwrap(),
    );
    for x in [[0.2, 0.7], [0.5, 0.45], [0.9, 0.1]] {
        assert!(
            (v0.value(&x).unwrap() - velocity(&x, 0)).abs() < 1e-6,
            "{}",
            u.report()
        );
        assert!((v1.value(&x).unwrap() - velocity(&x, 1)).abs() < 1e-6);
        assert!((p.value(&x).unwrap() - pressure(&x)).abs() < 1e-4);
    }
    let error = u.unknown("q").unwrap_err().to_string();
    assert!(error.contains("\"q\"") && error.contains("v1"), "{error}");
}

/// Cauchy–Riemann: u_x = v_y, u_y = −v_x, u given on the walls and v at one point: eᶻ.
#[test]
fn cauchy_riemann() {
    let real = |x: &[f64]| x[0].exp() * x[1].cos();
    let imaginary = |x: &[f64]| x[0].exp() * x[1].sin();
    let u = LinearProblem::on(BoxDomain::unit(2))
        .unknowns(&["u", "v"])
        .equation(partial(2, 0).on(0, 2) - partial(2, 1).on(1, 2), |_| 0.0)
        .equation(partial(2, 1).on(0, 2) + partial(2, 0).on(1, 2), |_| 0.0)
        .dirichlet_for("u", real)
        .with(Condition::at(
            array![[0.0, 0.0]],
            identity(2).on(1, 2),
            &[0.0],
        ))
        .solve()
        .unwrap();
    let v = u.unknown("v").unwrap();
    let x = [0.7, 0.4];
    assert!(
        (u.value(&x).unwrap() - real(&x)).abs() < 1e-11,
        "{}",
        u.report()
    );
    assert!(
        (v.value(&x).unwrap() - imaginary(&x)).abs() < 1e-10,
        "{}",
        u.report()
    );
}
