//! Integrals along axes against quadrature, and how they compose.

use fastlsq_ops::{
    Coordinate, Expr, StatementError, X, Y, antiderivative, axis, given, integral, laplacian,
};
use proptest::prelude::*;

use crate::support::{Scene, operator, rows, scene, try_operator, u};

/// Nodes and weights of Gauss–Legendre quadrature on [−1, 1] with eight points.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// ∫ₐᵇ f by eight-point Gauss on eight panels.
fn quadrature(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let h = (b - a) / 16.0;
    let panel = |k: usize| {
        let middle = a + h * (2 * k + 1) as f64;
        GAUSS
            .iter()
            .map(|(x, w)| w * (f(middle + h * x) + f(middle - h * x)))
            .sum::<f64>()
    };
    h * (0..8).map(panel).sum::<f64>()
}

fn integrated(inner: &Expr, along: Coordinate, from: f64, to: Option<f64>) -> Expr {
    match to {
        Some(to) => integral(inner, along, from, to),
        None => antiderivative(inner, along, from),
    }
}

/// Checks ∫ₐ^{b(x)} Lu dx_axis for each feature and point.
fn check(scene: &Scene, inner: &Expr, k: usize, a: f64, b: Option<f64>) {
    let basis = scene.basis();
    let written = scene.rows(integrated(inner, axis(k), a, b));
    let inner = scene.operator(inner);
    for (i, x) in scene.points.rows().into_iter().enumerate() {
        for j in 0..4 {
            let expected = quadrature(a, b.unwrap_or(x[k]), |t| {
                let mut point = x.to_owned();
                point[k] = t;
                rows(&inner, &basis, point.insert_axis(ndarray::Axis(0)).view())[(0, j)]
            });
            let error = (written[(i, j)] - expected).abs();
            assert!(error < 1e-11, "{error:e}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn integrals_agree_with_quadrature(
        scene in scene(1..=3), k in 0..3usize, a in -1.0..1.0f64, b in -1.0..1.0f64
    ) {
        for inner in [u().into(), laplacian(u()) + 2.0 * u().d(X)] {
            check(&scene, &inner, k % scene.dim, a, None);
            check(&scene, &inner, k % scene.dim, a, Some(b));
        }
    }

    #[test]
    fn integrals_over_two_axes_commute(scene in scene(2..=4), a in -1.0..1.0f64, b in -1.0..1.0f64) {
        let (along, across) = (axis(0), axis(1));
        let one = integral(antiderivative(u(), across, b), along, a, b);
        let other = antiderivative(integral(u(), along, a, b), across, b);
        prop_assert!(scene.operator(one - other).is_zero());
        check(&scene, &antiderivative(u(), across, b), 0, a, Some(b));
    }

    /// A definite integral no longer depends on its axis: integrating again gives lengths.
    #[test]
    fn definite_integrals_can_be_integrated_again(scene in scene(1..=2), a in -1.0..1.0f64) {
        let inner = integral(u(), X, 0.0, 1.0);
        check(&scene, &inner, 0, a, Some(2.0));
        check(&scene, &inner, 0, a, None);
    }
}

#[test]
fn a_derivative_undoes_an_antiderivative() {
    let inner = antiderivative(u(), X, 0.5);
    assert!(operator(2, inner.d(X) - u()).is_zero());
    assert_eq!(
        operator(2, laplacian(&inner)).to_string(),
        "∂/∂x₀ + ∫_{0.5}^{x₀} ∂²/∂x₁² · dx₀"
    );
    assert!(operator(2, integral(u(), X, 0.0, 1.0).d(X)).is_zero());
}

#[test]
fn coefficients_may_pass_under_an_integral_along_another_axis() {
    let over_y = |e: Expr| try_operator(2, integral(e, Y, 0.0, 1.0));
    assert_eq!(over_y(X * u()).unwrap().to_string(), "x₀ ∫₀¹ · dx₁");
    let refused = over_y(Y * u());
    assert!(matches!(refused, Err(StatementError::NoClosedForm { .. })));
    let unknown = given("c", |x| x[0]);
    assert!(over_y(&unknown * u()).is_err());
    let declared = unknown.with_gradient([(Y, 0.0.into())]);
    assert!(over_y(declared * u()).is_ok());
}

#[test]
fn what_has_no_closed_form_is_refused() {
    let refused = |e: Expr| match try_operator(1, e) {
        Err(StatementError::NoClosedForm { expression, reason }) => (expression, reason),
        other => panic!("{other:?}"),
    };
    let twice = antiderivative(antiderivative(u(), X, 0.0), X, 0.0);
    assert_eq!(
        refused(twice),
        (
            "∫[0, x](∫[0, x](u) dx) dx".to_owned(),
            "an antiderivative cannot be integrated again along its coordinate"
        )
    );
    refused(antiderivative(u() * u(), X, 0.0));
    refused(antiderivative(u() + X, X, 0.0));
    refused(antiderivative(X, X, 0.0));
}
