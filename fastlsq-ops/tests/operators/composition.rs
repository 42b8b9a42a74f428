//! Composition is the product of symbols, and associative.

use fastlsq_ops::{Field, OperatorError, identity, laplacian, partial, partial_order, zero};
use proptest::prelude::*;

use crate::support::{cosine_field, scene, scene_with_two};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_symbol_of_a_composition_is_the_product_of_symbols(
        (scene, a, b) in scene_with_two(1..=6, 3)
    ) {
        let composed = a.compose(&b);
        for w in scene.frequencies.rows() {
            let w = w.to_vec();
            let (pa, qa) = a.symbol(&w).unwrap();
            let (pb, qb) = b.symbol(&w).unwrap();
            let (p, q) = composed.symbol(&w).unwrap();
            let scale = scene.scale(&composed);
            prop_assert!((p - (pa * pb - qa * qb)).abs() <= 1e-13 * scale);
            prop_assert!((q - (pa * qb + qa * pb)).abs() <= 1e-13 * scale);
        }
        scene.assert_same(&composed, &b.compose(&a));
    }

    /// L sin(w·x + b) = p sin z + q cos z.
    #[test]
    fn rows_are_the_symbol_times_the_sinusoid((scene, a, _) in scene_with_two(1..=6, 5)) {
        let rows = scene.rows(&a);
        let scale = scene.scale(&a);
        for (j, w) in scene.frequencies.rows().into_iter().enumerate() {
            let (p, q) = a.symbol(&w.to_vec()).unwrap();
            for (i, x) in scene.points.rows().into_iter().enumerate() {
                let (sin, cos) = (w.dot(&x) + scene.phases[j]).sin_cos();
                prop_assert!((rows[(i, j)] - (p * sin + q * cos)).abs() <= 1e-13 * scale);
            }
        }
    }

    #[test]
    fn composition_with_fields_is_associative(
        (scene, a, b) in scene_with_two(1..=2, 2), s in -2.0..2.0f64
    ) {
        let c = cosine_field(6) * &b + s * Field::coordinate(0) * partial(scene.dim, 0);
        let left = a.of(&c).of(&b);
        let right = a.of(&c.of(&b));
        left.validate().unwrap();
        scene.assert_same(&left, &right);
        let left = a.of(&b).of(&c);
        scene.assert_same(&left, &a.of(&b.of(&c)));
    }

    #[test]
    fn the_identity_and_zero_compose_as_they_should((scene, a, _) in scene_with_two(1..=4, 4)) {
        let one = identity(scene.dim);
        prop_assert!((a.of(&one) - &a).is_zero() && (one.of(&a) - &a).is_zero());
        prop_assert!(a.of(&zero(scene.dim)).is_zero() && zero(scene.dim).of(&a).is_zero());
    }

    /// [∂ₖ, xₖ] = 1: the canonical commutation relation.
    #[test]
    fn derivative_and_coordinate_do_not_commute(scene in scene(1..=3), k in 0..3usize) {
        let k = k % scene.dim;
        let multiply = Field::coordinate(k) * identity(scene.dim);
        let derive = partial(scene.dim, k);
        let commutator = derive.of(&multiply) - multiply.of(&derive);
        prop_assert_eq!(commutator.to_string(), "1");
    }
}

#[test]
fn high_powers_of_a_coordinate_stay_small_sums() {
    let power = (0..8).fold(Field::constant(1.0), |p, _| p * Field::coordinate(0));
    let operator = partial_order(1, 0, 8).of(&(power * identity(1)));
    // ∂⁸(x⁸u) = Σ (8 over k)² k! x^{8−k} u^{(8−k)}: nine terms, the last one 8! u.
    assert_eq!(operator.terms().len(), 9);
    let last = operator
        .terms()
        .iter()
        .find(|t| t.coefficient().is_constant());
    assert_eq!(last.unwrap().coefficient().factor(), 40320.0);
}

#[test]
fn a_missing_derivative_is_named() {
    let nu = Field::new("ν", |x| x[0]).with_derivative(0, Field::constant(1.0));
    let flux = &nu * partial(2, 1);
    assert!(partial(2, 0).of(&flux).validate().is_ok());
    let missing = OperatorError::MissingDerivative {
        field: "ν".into(),
        axis: 1,
    };
    assert_eq!(partial(2, 1).of(&flux).validate(), Err(missing.clone()));
    let message = missing.to_string();
    assert!(
        message.contains("the field ν along axis 1") && message.contains("with_derivative"),
        "{message}"
    );
    // The outer coefficient is never differentiated.
    assert!((nu * partial(2, 1)).of(&laplacian(2)).validate().is_ok());
}

#[test]
fn orders_that_overflow_are_refused() {
    let high = partial_order(1, 0, u32::MAX);
    assert!(high.of(&zero(1)).is_zero());
    assert!(matches!(
        high.of(&partial(1, 0)).validate(),
        Err(OperatorError::Parameter { .. })
    ));
}
