//! Behaviour under reflections.

use fastlsq_basis::{InputMap, Parity, SinusoidalBasis};
use fastlsq_ops::{
    Field, Multiplier, Operator, advection, antiderivative, definite_integral,
    fractional_laplacian, identity, laplacian, multiplier, normal_derivative, partial, zero,
};
use ndarray::Array2;

use crate::support::{assert_close, rows};

fn samples() -> Array2<f64> {
    Array2::from_shape_fn((12, 2), |(i, k)| (i as f64 * 0.7 + k as f64).sin())
}

#[test]
fn derivatives_of_odd_order_change_parity() {
    assert_eq!(laplacian(2).reflection_parity(0), Some(1));
    assert_eq!((laplacian(2) + 100.0).reflection_parity(1), Some(1));
    assert_eq!(partial(2, 0).reflection_parity(0), Some(-1));
    assert_eq!(partial(2, 0).reflection_parity(1), Some(1));
    assert_eq!((laplacian(2) + partial(2, 0)).reflection_parity(0), None);
    assert_eq!(advection(&[1.0, 2.0]).reflection_parity(0), None);
    assert_eq!(zero(2).reflection_parity(0), Some(1));
    assert_eq!(partial(2, 0).reflection_parity(2), None);
    assert_eq!((partial(2, 0) + partial(3, 0)).reflection_parity(0), None);
}

#[test]
fn multipliers_are_tested_at_frequencies() {
    assert_eq!(fractional_laplacian(2, 0.7).reflection_parity(0), Some(1));
    assert_eq!(
        fractional_laplacian(2, 0.7)
            .of(&partial(2, 0))
            .reflection_parity(0),
        Some(-1)
    );
    let skew = multiplier(2, Multiplier::new("m", |w| w[0] * w[1]));
    assert_eq!(skew.reflection_parity(0), None);
}

#[test]
fn fields_are_tested_at_points() {
    let points = samples();
    let at = |operator: &Operator, mirror| operator.reflection_parity_at(0, mirror, points.view());
    let even = Field::new("e", |x| (x[0] - 0.5).cos() + x[1]);
    let odd = Field::new("o", |x| (x[0] - 0.5).powi(3));
    let neither = Field::new("f", |x| x[0].exp());
    assert_eq!((&even * laplacian(2)).reflection_parity(0), None);
    assert_eq!(at(&(&even * laplacian(2)), 0.5), Some(1));
    assert_eq!(at(&(&even * laplacian(2)), 0.4), None);
    assert_eq!(at(&(&odd * partial(2, 0) + laplacian(2)), 0.5), Some(1));
    assert_eq!(at(&(&odd * laplacian(2) + partial(2, 0)), 0.5), Some(-1));
    assert_eq!(at(&(&neither * identity(2)), 0.5), None);
    // Coefficients of one action are judged together: eˣ + e^{1−x} is even about ½.
    let sum = &neither * identity(2) + Field::new("g", |x| (1.0 - x[0]).exp());
    assert_eq!(at(&sum, 0.5), Some(1));
    assert_eq!(at(&normal_derivative(2), 0.5), None);
    assert_eq!(at(&laplacian(2), 0.5), Some(1));
    assert_eq!(
        laplacian(3).reflection_parity_at(0, 0.5, points.view()),
        None
    );
}

#[test]
fn integrals_need_limits_that_fit_the_mirror() {
    let points = samples();
    let at = |operator: &Operator| operator.reflection_parity_at(0, 0.5, points.view());
    assert_eq!(antiderivative(2, 0, 0.5).reflection_parity(0), None);
    assert_eq!(at(&antiderivative(2, 0, 0.5)), Some(-1));
    assert_eq!(at(&antiderivative(2, 0, 0.0)), None);
    assert_eq!(at(&definite_integral(2, 0, 0.0, 1.0)), Some(1));
    assert_eq!(at(&definite_integral(2, 0, 0.0, 0.5)), None);
    assert_eq!(antiderivative(2, 1, 0.0).reflection_parity(0), Some(1));
}

/// What the sign means: L maps features of one parity to functions of parity times the sign.
#[test]
fn the_sign_is_that_of_features_with_parity() {
    let points = samples();
    let mut mirrored = points.clone();
    for x in mirrored.column_mut(0) {
        *x = 1.0 - *x;
    }
    let basis = SinusoidalBasis::builder(2, 9)
        .map(InputMap::from_box(&[0.0, 0.0], &[1.0, 1.0]).unwrap())
        .parity([Parity::Even, Parity::None])
        .build()
        .unwrap();
    let odd = Field::new("o", |x| (x[0] - 0.5).sin());
    for operator in [
        laplacian(2),
        partial(2, 0),
        &odd * partial(2, 0) + 3.0,
        &odd * laplacian(2),
        antiderivative(2, 0, 0.5),
        fractional_laplacian(2, 0.3).of(&partial(2, 0)),
    ] {
        let sign = operator
            .reflection_parity_at(0, 0.5, points.view())
            .unwrap();
        let there = rows(&operator, &basis, &mirrored) * faer::Scale(f64::from(sign));
        assert_close(&rows(&operator, &basis, &points), &there, 1e-12);
    }
}
