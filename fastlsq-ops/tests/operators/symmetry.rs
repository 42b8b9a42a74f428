//! Behaviour under reflections.

use fastlsq_basis::{InputMap, Parity, SinusoidalBasis};
use fastlsq_ops::{
    Expr, Multiplier, Operator, X, Y, antiderivative, cos, exp, fractional_laplacian, integral,
    laplacian, multiplier, normal_derivative, sin,
};
use ndarray::Array2;

use crate::support::{assert_close, operator, rows, u};

fn samples() -> Array2<f64> {
    Array2::from_shape_fn((12, 2), |(i, k)| (i as f64 * 0.7 + k as f64).sin())
}

fn parity(expression: impl Into<Expr>, axis: usize) -> Option<i32> {
    operator(2, expression).reflection_parity(axis)
}

fn parity_at(expression: impl Into<Expr>, mirror: f64) -> Option<i32> {
    operator(2, expression).reflection_parity_at(0, mirror, samples().view())
}

#[test]
fn derivatives_of_odd_order_change_parity() {
    let u = u();
    assert_eq!(parity(laplacian(u), 0), Some(1));
    assert_eq!(parity(laplacian(u) + 100.0 * u, 1), Some(1));
    assert_eq!(parity(u.d(X), 0), Some(-1));
    assert_eq!(parity(u.d(X), 1), Some(1));
    assert_eq!(parity(laplacian(u) + u.d(X), 0), None);
    assert_eq!(parity(u.d(X) + 2.0 * u.d(Y), 0), None);
    assert_eq!(parity(0.0 * u, 0), Some(1));
    assert_eq!(parity(u.d(X), 2), None);
    let invalid = operator(2, u).plus(&operator(3, u));
    assert_eq!(invalid.reflection_parity(0), None);
}

#[test]
fn multipliers_are_tested_at_frequencies() {
    let u = u();
    assert_eq!(parity(fractional_laplacian(u, 0.7), 0), Some(1));
    assert_eq!(parity(fractional_laplacian(u.d(X), 0.7), 0), Some(-1));
    let skew = Multiplier::new("m", |w| w[0] * w[1]);
    assert_eq!(parity(multiplier(u, skew), 0), None);
}

#[test]
fn coefficients_are_tested_at_points() {
    let u = u();
    let even = cos(X - 0.5) + Y;
    let odd = (X - 0.5).powi(3);
    assert_eq!(parity(&even * laplacian(u), 0), None);
    assert_eq!(parity_at(&even * laplacian(u), 0.5), Some(1));
    assert_eq!(parity_at(&even * laplacian(u), 0.4), None);
    assert_eq!(parity_at(&odd * u.d(X) + laplacian(u), 0.5), Some(1));
    assert_eq!(parity_at(&odd * laplacian(u) + u.d(X), 0.5), Some(-1));
    assert_eq!(parity_at(exp(X) * u, 0.5), None);
    // Coefficients of one action are judged together: eˣ + e^{1−x} is even about ½.
    assert_eq!(parity_at(exp(X) * u + exp(1.0 - X) * u, 0.5), Some(1));
    assert_eq!(parity_at(normal_derivative(u), 0.5), None);
    assert_eq!(parity_at(laplacian(u), 0.5), Some(1));
    let other = operator(3, laplacian(u)).reflection_parity_at(0, 0.5, samples().view());
    assert_eq!(other, None);
}

#[test]
fn integrals_need_limits_that_fit_the_mirror() {
    let u = u();
    assert_eq!(parity(antiderivative(u, X, 0.5), 0), None);
    assert_eq!(parity_at(antiderivative(u, X, 0.5), 0.5), Some(-1));
    assert_eq!(parity_at(antiderivative(u, X, 0.0), 0.5), None);
    assert_eq!(parity_at(integral(u, X, 0.0, 1.0), 0.5), Some(1));
    assert_eq!(parity_at(integral(u, X, 0.0, 0.5), 0.5), None);
    assert_eq!(parity(antiderivative(u, Y, 0.0), 0), Some(1));
}

/// What the sign means: L maps features of one parity to functions of parity times the sign.
#[test]
fn the_sign_is_that_of_features_with_parity() {
    let (u, points) = (u(), samples());
    let mut mirrored = points.clone();
    for x in mirrored.column_mut(0) {
        *x = 1.0 - *x;
    }
    let basis = SinusoidalBasis::builder(2, 9)
        .map(InputMap::from_box(&[0.0, 0.0], &[1.0, 1.0]).unwrap())
        .parity([Parity::Even, Parity::None])
        .build()
        .unwrap();
    let odd = sin(X - 0.5);
    for expression in [
        laplacian(u),
        u.d(X),
        &odd * u.d(X) + 3.0 * u,
        &odd * laplacian(u),
        antiderivative(u, X, 0.5),
        fractional_laplacian(u.d(X), 0.3),
    ] {
        let operator: Operator = operator(2, expression);
        let sign = operator
            .reflection_parity_at(0, 0.5, points.view())
            .unwrap();
        let there = rows(&operator, &basis, &mirrored) * faer::Scale(f64::from(sign));
        assert_close(&rows(&operator, &basis, &points), &there, 1e-12);
    }
}
