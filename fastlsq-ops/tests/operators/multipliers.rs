//! Fourier multipliers and the fractional Laplacian.

use fastlsq_ops::{
    Field, Multiplier, OperatorError, antiderivative, biharmonic, fractional_laplacian, identity,
    laplacian, multiplier, partial,
};
use proptest::prelude::*;

use crate::support::{assert_close, scene};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The symbol |ω|² is −Δ, whichever way it is written.
    #[test]
    fn the_first_power_is_minus_the_laplacian(scene in scene(1..=6)) {
        let dim = scene.dim;
        scene.assert_same(&fractional_laplacian(dim, 1.0), &-laplacian(dim));
        let square = Multiplier::new("|ω|²", |w| w.iter().map(|w| w * w).sum());
        scene.assert_same(&multiplier(dim, square), &-laplacian(dim));
        scene.assert_same(&fractional_laplacian(dim, 2.0), &biharmonic(dim));
        prop_assert!((fractional_laplacian(dim, 0.0) - identity(dim)).is_zero());
        // The power is continuous in s.
        let near = scene.rows(&fractional_laplacian(dim, 1.0 + 1e-9));
        let scale = scene.scale(&laplacian(dim));
        assert_close(&near, &scene.rows(&-laplacian(dim)), 1e-7 * scale);
    }

    /// (−Δ)^s (−Δ)^t = (−Δ)^{s+t}.
    #[test]
    fn powers_form_a_semigroup(scene in scene(1..=6), s in 0.0..1.5f64, t in 0.0..1.5f64) {
        let power = |s| fractional_laplacian(scene.dim, s);
        let both = scene.rows(&power(s + t));
        let scale = crate::support::largest(&both).max(1.0);
        assert_close(&scene.rows(&power(s).of(&power(t))), &both, 1e-12 * scale);
        let halves = scene.rows(&power(0.5).of(&power(0.5)));
        assert_close(&halves, &scene.rows(&-laplacian(scene.dim)), 1e-12 * scene.scale(&laplacian(scene.dim)));
    }

    #[test]
    fn multipliers_commute_with_derivatives(scene in scene(1..=4), s in 0.1..1.9f64) {
        let (power, derivative) = (fractional_laplacian(scene.dim, s), partial(scene.dim, 0));
        prop_assert!((power.of(&derivative) - derivative.of(&power)).is_zero());
    }
}

#[test]
fn multipliers_refuse_fields_and_integrals_but_not_the_other_way_round() {
    let half = fractional_laplacian(1, 0.5);
    let field = Field::coordinate(0) * identity(1);
    let integral = antiderivative(1, 0, 0.0);
    for inner in [&field, &integral] {
        let refused = half.of(inner).validate();
        assert!(matches!(refused, Err(OperatorError::NoClosedForm { .. })));
        assert!(inner.of(&half).validate().is_ok());
    }
}

#[test]
fn negative_and_infinite_powers_are_refused() {
    for s in [-0.5, f64::NAN, f64::INFINITY] {
        let refused = fractional_laplacian(2, s).validate();
        assert!(matches!(refused, Err(OperatorError::Parameter { .. })));
    }
}
