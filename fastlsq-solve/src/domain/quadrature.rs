//! Points with weights for integrals over a domain.

use super::checks::check_memory;
use super::{BoundingBox, DomainError};
use fastlsq_basis::legendre::value_and_slope;
use ndarray::Array2;
use std::f64::consts::PI;

/// Points xᵢ and weights wᵢ with ∫ f ≈ Σ wᵢ f(xᵢ).
#[derive(Clone, Debug, PartialEq)]
pub struct Quadrature {
    /// One point per row.
    pub points: Array2<f64>,
    /// One positive weight for each point.
    pub weights: Vec<f64>,
}

impl Quadrature {
    /// The same weight for every point, adding up to `volume`.
    #[must_use]
    pub fn equal(points: Array2<f64>, volume: f64) -> Self {
        let count = points.nrows();
        Self {
            points,
            weights: vec![volume / count.max(1) as f64; count],
        }
    }

    /// Gauss' rule along every axis of a box, with about `count` points in all.
    ///
    /// # Errors
    /// More points than memory can hold.
    pub fn gauss(bounds: &BoundingBox, count: usize) -> Result<Self, DomainError> {
        let dim = bounds.dim();
        let per_axis = share_of_last_axis(count, dim);
        let exponent = u32::try_from(dim).unwrap_or(u32::MAX);
        let total = per_axis.checked_pow(exponent).unwrap_or(usize::MAX);
        check_memory(total, dim + 1)?;
        let rule = gauss_legendre(per_axis);
        let mut points = Array2::zeros((total, dim));
        let mut weights = vec![1.0; total];
        for (i, weight) in weights.iter_mut().enumerate() {
            let mut digits = i;
            for (axis, (lo, extent)) in bounds.lo().iter().zip(bounds.extents()).enumerate() {
                let (x, w) = rule[digits % per_axis];
                digits /= per_axis;
                points[(i, axis)] = lo + 0.5 * (1.0 + x) * extent;
                *weight *= 0.5 * extent * w;
            }
        }
        Ok(Self { points, weights })
    }

    /// One rule after the other.
    pub(super) fn joined(rules: &[Self], dim: usize) -> Result<Self, DomainError> {
        let total = rules.iter().map(|rule| rule.weights.len()).sum();
        check_memory(total, dim + 1)?;
        let mut points = Array2::zeros((total, dim));
        let rows = rules.iter().flat_map(|rule| rule.points.rows());
        for (mut row, point) in points.rows_mut().into_iter().zip(rows) {
            row.assign(&point);
        }
        let weights = rules.iter().flat_map(|rule| rule.weights.iter().copied());
        Ok(Self {
            points,
            weights: weights.collect(),
        })
    }

    /// Every point of this rule with every point of Gauss' rule of about `count` points on [lo, hi], as its last
    /// coordinate.
    pub(super) fn times_interval(
        &self,
        lo: f64,
        hi: f64,
        count: usize,
    ) -> Result<Self, DomainError> {
        let line = Self::gauss(&BoundingBox::new(&[lo], &[hi])?, count)?;
        let (rows, dim) = self.points.dim();
        let total = rows.saturating_mul(line.weights.len());
        check_memory(total, dim + 2)?;
        let points = Array2::from_shape_fn((total, dim + 1), |(i, k)| {
            if k < dim {
                self.points[(i % rows, k)]
            } else {
                line.points[(i / rows, 0)]
            }
        });
        let weights = (0..total).map(|i| self.weights[i % rows] * line.weights[i / rows]);
        Ok(Self {
            points,
            weights: weights.collect(),
        })
    }

    /// Σ wᵢ f(xᵢ).
    pub fn integrate(&self, f: impl Fn(&[f64]) -> f64) -> f64 {
        let rows = self.points.rows().into_iter().zip(&self.weights);
        rows.map(|(x, w)| match x.as_slice() {
            Some(x) => w * f(x),
            None => w * f(&x.to_vec()),
        })
        .sum()
    }
}

/// How many of about `count` points in `dim` dimensions a product rule has along its last axis.
pub(super) fn share_of_last_axis(count: usize, dim: usize) -> usize {
    let share = (count.max(1) as f64).powf(1.0 / dim.max(1) as f64);
    ((share - 1e-9).ceil() as usize).max(1)
}

/// Nodes and weights of Gauss' rule with n points on [−1, 1], nodes ascending.
pub(crate) fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .rev()
        .map(|i| {
            let mut x = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            let mut slope = 1.0;
            // Newton's method on the Legendre polynomial; it converges from here for every n.
            for _ in 0..20 {
                let (value, derivative) = value_and_slope(n, x);
                slope = derivative;
                let step = value / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_is_exact_for_polynomials_of_degree_below_twice_its_points() {
        for n in [1, 2, 3, 7, 20, 64] {
            let rule = gauss_legendre(n);
            assert!(rule.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for degree in [0, 2 * n - 2, 2 * n - 1] {
                let power = i32::try_from(degree).unwrap();
                let sum: f64 = rule.iter().map(|(x, w)| w * x.powi(power)).sum();
                let exact = if degree % 2 == 0 {
                    2.0 / (degree as f64 + 1.0)
                } else {
                    0.0
                };
                assert!((sum - exact).abs() < 1e-13, "{n} {degree}: {sum}");
            }
        }
    }
}
