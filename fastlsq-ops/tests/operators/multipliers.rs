//! Fourier multipliers and the fractional Laplacian.

use fastlsq_ops::{
    Frame, Multiplier, Space, StatementError, X, antiderivative, biharmonic, fractional_laplacian,
    laplacian, multiplier,
};
use proptest::prelude::*;

use crate::support::{assert_close, scene, try_operator, u};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The symbol |ω|² is −Δ, whichever way it is written.
    #[test]
    fn the_first_power_is_minus_the_laplacian(scene in scene(1..=6)) {
        let u = u();
        scene.assert_same(fractional_laplacian(u, 1.0), -laplacian(u));
        let square = Multiplier::new("|ω|²", |w| w.iter().map(|w| w * w).sum());
        scene.assert_same(multiplier(u, square), -laplacian(u));
        scene.assert_same(fractional_laplacian(u, 2.0), biharmonic(u));
        prop_assert!(scene.operator(fractional_laplacian(u, 0.0) - u).is_zero());
        // The power is continuous in s.
        let near = scene.rows(fractional_laplacian(u, 1.0 + 1e-9));
        let scale = scene.scale(laplacian(u));
        assert_close(&near, &scene.rows(-laplacian(u)), 1e-6 * scale * scale.max(1.0));
    }

    #[test]
    fn powers_form_a_semigroup(scene in scene(1..=6), s in 0.0..1.5f64, t in 0.0..1.5f64) {
        let both = scene.rows(fractional_laplacian(u(), s + t));
        let scale = crate::support::largest(&both).max(1.0);
        let nested = fractional_laplacian(fractional_laplacian(u(), t), s);
        assert_close(&scene.rows(nested), &both, 1e-12 * scale);
        let halves = fractional_laplacian(fractional_laplacian(u(), 0.5), 0.5);
        let scale = scene.scale(laplacian(u()));
        assert_close(&scene.rows(halves), &scene.rows(-laplacian(u())), 1e-12 * scale);
    }

    #[test]
    fn multipliers_commute_with_derivatives(scene in scene(1..=4), s in 0.1..1.9f64) {
        let (outside, inside) = (fractional_laplacian(u().d(X), s), fractional_laplacian(u(), s).d(X));
        prop_assert!(scene.operator(outside - inside).is_zero());
    }
}

/// On space-time the symbol is |ω|^{2s} over space: a wave in time alone is not seen.
#[test]
fn fractional_powers_do_not_touch_time() {
    let frame = Frame::new(Space::new(2).with_time(), [u()]);
    for s in [0.5, 1.0, 1.3] {
        let row = frame
            .lower_scalar(&fractional_laplacian(u(), s))
            .unwrap()
            .row()
            .unwrap();
        let symbol = |w: &[f64]| row.block(0).unwrap().symbol(w).unwrap();
        assert_eq!(symbol(&[0.0, 0.0, 5.0]), (0.0, 0.0));
        assert!((symbol(&[3.0, 4.0, 5.0]).0 - 25f64.powf(s)).abs() < 1e-12 * 25f64.powf(s));
    }
}

#[test]
fn multipliers_refuse_coefficients_and_integrals_but_not_the_other_way_round() {
    let u = u();
    let half = |e: fastlsq_ops::Expr| fractional_laplacian(e, 0.5);
    for inner in [X * u, antiderivative(u, X, 0.0)] {
        let refused = try_operator(1, half(inner));
        assert!(matches!(refused, Err(StatementError::NoClosedForm { .. })));
    }
    assert!(try_operator(1, X * half(u.into())).is_ok());
    assert!(try_operator(1, antiderivative(half(u.into()), X, 0.0)).is_ok());
    let nonlinear = Frame::new(Space::new(1), [u]).lower(&half(u * u));
    assert!(matches!(
        nonlinear,
        Err(StatementError::NoClosedForm { .. })
    ));
}

#[test]
fn negative_and_infinite_powers_are_refused() {
    for s in [-0.5, f64::NAN, f64::INFINITY] {
        let refused = try_operator(2, fractional_laplacian(u(), s));
        assert!(matches!(
            refused,
            Err(StatementError::FractionalOrder { .. })
        ));
    }
}
