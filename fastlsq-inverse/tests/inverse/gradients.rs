//! Gradients and Jacobians of the misfit against differences, for every way of depending on the
//! parameters.

#![allow(clippy::unwrap_used)]

use fastlsq_inverse::optimise::check_gradient;
use fastlsq_inverse::{
    BoxDomain, Condition, InverseProblem, LsqOptions, Observations, Options, Prepared, Sought, X,
    Y, exp, laplacian, parameters, sin, unknown,
};
use ndarray::Array2;
use proptest::prelude::*;

fn sensors() -> Array2<f64> {
    ndarray::array![
        [0.2, 0.3],
        [0.55, 0.45],
        [0.8, 0.7],
        [0.35, 0.85],
        [0.6, 0.15]
    ]
}

fn options() -> Options {
    Options::new().features(120).bandwidth(4.0).rows(500, 160)
}

fn few() -> Options {
    Options::new().features(60).bandwidth(4.0).rows(300, 60)
}

/// Sources and boundary values depend on the parameters, the operator does not.
fn data_problem(values: &[f64], options: Options) -> Prepared {
    let u = unknown("u");
    let [x, y, strength, wall] = parameters(["x0", "y0", "strength", "wall"]);
    let source = strength * exp(-((X - x).powi(2) + (Y - y).powi(2)) / 0.1);
    InverseProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + u, source)
        .dirichlet(wall * (X + x * Y))
        .find(Sought::new(x, 0.4).within(0.0, 1.0))
        .find(Sought::new(y, 0.6).within(0.0, 1.0))
        .find(Sought::new(strength, 1.0).prior(1.2, 0.7))
        .find(Sought::new(wall, 0.1))
        .observe(Observations::of(u, sensors(), values).deviation(0.01))
        .observe(Observations::of(u.d(X), sensors(), values).deviation(0.05))
        .options(options)
        .prepare()
        .unwrap()
}

/// The operator depends on the parameters in the equation and in a boundary condition. The data do
/// not meet at the corners, so the residual is not small; the condition number is (at 60 features),
/// so that differences of a misfit that is exact to rounding can be trusted.
fn operator_problem(values: &[f64], options: Options, exact: bool) -> Prepared {
    let u = unknown("u");
    let [k, drift, source] = parameters(["k", "drift", "source"]);
    let wall = Condition::on(X.lo(), (1.0 + 0.2 * drift * drift) * u, 0.5);
    let wall = if exact { wall.exact().rows(5) } else { wall };
    let advection = drift * exp(Y + 0.1 * k) * u.d(X);
    InverseProblem::on(BoxDomain::unit(2))
        .equation(
            laplacian(u) + k * k * u + advection,
            source * X + sin(k * Y),
        )
        .with(wall.named("wall"))
        .condition(X.hi(), u, Y)
        .condition(Y.lo(), u, 0.5 * (1.0 - X))
        .condition(Y.hi(), u, 0.5 + 0.5 * X)
        .find(Sought::new(k, 2.0).within(0.5, 4.0))
        .find(Sought::new(drift, 0.3))
        .find(Sought::new(source, 0.2))
        .observe(Observations::of(u, sensors(), values).deviation(0.01))
        .options(options)
        .prepare()
        .unwrap()
}

/// max |J − differences| / max |J|, by central differences of order four.
fn jacobian_error(problem: &Prepared, at: &[f64]) -> f64 {
    let jacobian = problem.jacobian_at(at).unwrap();
    let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
    for k in 0..at.len() {
        let residuals = |offset: f64| {
            let mut moved = at.to_vec();
            moved[k] += offset;
            problem.residuals_at(&moved).unwrap()
        };
        let h = 1e-3;
        let [a, b, c, d] = [h, -h, 2.0 * h, -2.0 * h].map(residuals);
        for i in 0..a.len() {
            let difference = (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h);
            worst = worst.max((difference - jacobian[(i, k)]).abs());
            scale = scale.max(difference.abs());
        }
    }
    worst / scale
}

/// JᵀR against the gradient by the adjoint: two different ways to get the same numbers.
fn agreement(problem: &Prepared, at: &[f64]) -> f64 {
    let jacobian = problem.jacobian_at(at).unwrap();
    let residuals = problem.residuals_at(at).unwrap();
    let (_, gradient) = problem.misfit(at).unwrap();
    let size = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
    (0..at.len())
        .map(|k| {
            let own: f64 = residuals
                .iter()
                .enumerate()
                .map(|(i, r)| r * jacobian[(i, k)])
                .sum();
            (own - gradient[k]).abs() / size
        })
        .fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn data_that_depend_on_parameters(
        at in [0.2..0.8f64, 0.2..0.8f64, 0.5..2.0f64, -0.5..0.5f64],
        values in prop::collection::vec(-0.2..0.2f64, 5),
    ) {
        for options in [options(), options().lsq(LsqOptions::new().ridge(1e-8))] {
            let problem = data_problem(&values, options);
            let check = check_gradient(&problem, &at).unwrap();
            prop_assert!(check.relative_error < 1e-6, "{check:?}");
            let error = jacobian_error(&problem, &at);
            prop_assert!(error < 1e-6, "Jacobian {error}");
            prop_assert!(agreement(&problem, &at) < 1e-9);
        }
    }

    #[test]
    fn operators_that_depend_on_parameters(
        at in [1.0..3.0f64, -0.6..0.6f64, -0.5..0.5f64],
        values in prop::collection::vec(-0.2..0.9f64, 5),
    ) {
        for (options, exact) in [
            (few(), false),
            (few().lsq(LsqOptions::new().ridge(1e-6)), false),
            (few(), true),
            (few().lsq(LsqOptions::new().ridge(1e-6)), true),
        ] {
            let problem = operator_problem(&values, options, exact);
            let check = check_gradient(&problem, &at).unwrap();
            prop_assert!(check.relative_error < 1e-6, "exact {exact}: {check:?}");
            let error = jacobian_error(&problem, &at);
            prop_assert!(error < 1e-6, "exact {exact}: Jacobian {error}");
            prop_assert!(agreement(&problem, &at) < 1e-7);
        }
    }
}

/// With few features the residual of the equation is large, and the part of the derivative that
/// carries it cannot hide.
#[test]
fn the_residual_takes_part_in_the_derivative() {
    let coarse = Options::new().features(25).bandwidth(3.0).rows(200, 60);
    for lsq in [LsqOptions::new(), LsqOptions::new().ridge(1e-2)] {
        for exact in [false, true] {
            let options = coarse.clone().lsq(lsq.clone());
            let problem = operator_problem(&[0.1, 0.5, -0.2, 0.3, 0.4], options, exact);
            let at = [2.2, 0.4, 0.1];
            let check = check_gradient(&problem, &at).unwrap();
            assert!(check.relative_error < 1e-7, "{lsq:?} {exact}: {check:?}");
            let error = jacobian_error(&problem, &at);
            assert!(error < 1e-7, "{lsq:?} {exact}: {error}");
        }
    }
}
