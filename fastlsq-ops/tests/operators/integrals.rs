//! Integrals along axes against quadrature, and how they compose.

use fastlsq_ops::{
    Field, Operator, OperatorError, antiderivative, definite_integral, identity, laplacian, partial,
};
use proptest::prelude::*;

use crate::support::{Scene, rows, scene};

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

/// Checks ∫ₐ^{b(x)} Lu dx_axis for each feature and point, where `inner` is L.
fn check(
    scene: &Scene,
    integral: &Operator,
    inner: &Operator,
    axis: usize,
    a: f64,
    b: Option<f64>,
) {
    let basis = scene.basis();
    let written = scene.rows(&integral.of(inner));
    for (i, x) in scene.points.rows().into_iter().enumerate() {
        for j in 0..4 {
            let upper = b.unwrap_or(x[axis]);
            let expected = quadrature(a, upper, |t| {
                let mut point = x.to_owned();
                point[axis] = t;
                rows(inner, &basis, point.insert_axis(ndarray::Axis(0)).view())[(0, j)]
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
        scene in scene(1..=3), axis in 0..3usize, a in -1.0..1.0f64, b in -1.0..1.0f64
    ) {
        let (dim, axis) = (scene.dim, axis % scene.dim);
        for inner in [identity(dim), laplacian(dim) + 2.0 * partial(dim, 0)] {
            check(&scene, &antiderivative(dim, axis, a), &inner, axis, a, None);
            check(&scene, &definite_integral(dim, axis, a, b), &inner, axis, a, Some(b));
        }
    }

    #[test]
    fn integrals_over_two_axes_commute(scene in scene(2..=4), a in -1.0..1.0f64, b in -1.0..1.0f64) {
        let dim = scene.dim;
        let (first, second) = (definite_integral(dim, 0, a, b), antiderivative(dim, 1, b));
        prop_assert!((first.of(&second) - second.of(&first)).is_zero());
        check(&scene, &first, &second, 0, a, Some(b));
    }

    /// A definite integral no longer depends on its axis: integrating again gives lengths.
    #[test]
    fn definite_integrals_can_be_integrated_again(scene in scene(1..=2), a in -1.0..1.0f64) {
        let inner = definite_integral(scene.dim, 0, 0.0, 1.0);
        check(&scene, &definite_integral(scene.dim, 0, a, 2.0), &inner, 0, a, Some(2.0));
        check(&scene, &antiderivative(scene.dim, 0, a), &inner, 0, a, None);
    }
}

#[test]
fn a_derivative_undoes_an_antiderivative() {
    let integral = antiderivative(2, 0, 0.5);
    assert!((partial(2, 0).of(&integral) - identity(2)).is_zero());
    assert_eq!(
        laplacian(2).of(&integral).to_string(),
        "∂/∂x₀ + ∫_{0.5}^{x₀} ∂²/∂x₁² · dx₀"
    );
    assert!(
        partial(2, 0)
            .of(&definite_integral(2, 0, 0.0, 1.0))
            .is_zero()
    );
}

#[test]
fn coefficients_may_pass_under_an_integral_along_another_axis() {
    let integral = definite_integral(2, 1, 0.0, 1.0);
    let along_zero = integral.of(&(Field::coordinate(0) * identity(2)));
    assert_eq!(along_zero.to_string(), "x₀ ∫₀¹ · dx₁");
    let refused = integral.of(&(Field::coordinate(1) * identity(2)));
    assert!(matches!(
        refused.validate(),
        Err(OperatorError::NoClosedForm { .. })
    ));
    let unknown = Field::new("c", |x| x[0]);
    assert!(integral.of(&(&unknown * identity(2))).validate().is_err());
    let declared = unknown.with_derivative(1, Field::constant(0.0));
    assert!(integral.of(&(declared * identity(2))).validate().is_ok());
}

#[test]
fn antiderivatives_along_one_axis_do_not_nest() {
    let integral = antiderivative(1, 0, 0.0);
    let error = integral.of(&integral).validate().unwrap_err();
    assert_eq!(
        error.to_string(),
        "∫₀^{x₀} · dx₀ after ∫₀^{x₀} · dx₀ has no closed form: \
         an antiderivative cannot be integrated again along its axis"
    );
}
