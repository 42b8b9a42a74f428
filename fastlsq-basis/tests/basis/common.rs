//! Independent references for the tests.

use std::ops::Mul;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Action, Coefficient, Form};
use ndarray::Array2;

/// Nodes and weights of the Gauss–Legendre rule with n points on [−1, 1], by Newton's method.
pub(crate) fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..100 {
                let (mut before, mut current) = (0.0, 1.0);
                for k in 0..n {
                    let k = k as f64;
                    let next = ((2.0 * k + 1.0) * x * current - k * before) / (k + 1.0);
                    (before, current) = (current, next);
                }
                slope = n as f64 * (x * current - before) / (x * x - 1.0);
                let step = current / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// ∫ₐᵇ f by a rule of 60 points.
pub(crate) fn quadrature(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    gauss_legendre(60)
        .into_iter()
        .map(|(x, w)| w * f(middle + half * x))
        .sum::<f64>()
        * half
}

/// ∫ f over a box by a product of rules with 24 points per axis.
pub(crate) fn box_quadrature(f: &dyn Fn(&[f64]) -> f64, lower: &[f64], upper: &[f64]) -> f64 {
    let rule = gauss_legendre(24);
    let mut nodes = vec![(Vec::new(), 1.0)];
    for (a, b) in lower.iter().zip(upper) {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        nodes = nodes
            .iter()
            .flat_map(|(point, weight)| {
                rule.iter().map(move |(x, w)| {
                    let mut point: Vec<f64> = point.clone();
                    point.push(middle + half * x);
                    (point, weight * w * half)
                })
            })
            .collect();
    }
    nodes.into_iter().map(|(x, w)| w * f(&x)).sum()
}

/// f′(x) by a central difference of order 8.
pub(crate) fn slope(f: impl Fn(f64) -> f64, x: f64, step: f64) -> f64 {
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let sum: f64 = (1..=4)
        .map(|k| {
            let shift = k as f64 * step;
            weights[k - 1] * (f(x + shift) - f(x - shift))
        })
        .sum();
    sum / step
}

/// A complex number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Complex(pub(crate) f64, pub(crate) f64);

impl Complex {
    /// e^{it}.
    pub(crate) fn turn(t: f64) -> Self {
        Self(t.cos(), t.sin())
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(
            self.0 * other.0 - self.1 * other.1,
            self.0 * other.1 + self.1 * other.0,
        )
    }
}

/// The distance of two doubles in units in the last place.
pub(crate) fn ulps(a: f64, b: f64) -> u64 {
    let key = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    key(a).abs_diff(key(b))
}

/// A sum of actions with coefficients ½, 3/2, 5/2, …
pub(crate) fn some_form(actions: &[Action]) -> Form<'_> {
    let mut form = Form::new();
    for (t, action) in actions.iter().enumerate() {
        form.push(Coefficient::Constant(0.5 + t as f64), action);
    }
    form
}

/// Points of the unit cube.
pub(crate) fn test_points(count: usize, dim: usize) -> Array2<f64> {
    UnitSampler::independent(8).points(count, dim)
}
