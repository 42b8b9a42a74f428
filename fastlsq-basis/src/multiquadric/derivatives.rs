//! D^α of √s with s = c² + |y|², for any α.
//!
//! Each axis contributes to the Taylor series of s on its own, s(y + t) = s + Σ (2yₖtₖ + tₖ²), hence
//!
//! D^α f(s) = Σ_m f^{(|α|−|m|)}(s) Πₖ αₖ! / (mₖ! (αₖ − 2mₖ)!) (2yₖ)^{αₖ−2mₖ},
//!
//! over all m with 2mₖ ≤ αₖ. With u = y/√s, which is bounded by 1, every term carries the same power
//! of s: D^α √s = √s^{1−|α|} Σ_M ff(|α| − M) [Σ_{|m|=M} Πₖ …(2uₖ)^{αₖ−2mₖ}], where ff(n) is the
//! falling factorial ½(½−1)…(½−n+1). The inner sum is a product of polynomials, one for each axis.
//! Rounding errors grow like 2^{|α|}: harmless up to the orders that occur in equations.

use crate::{BasisError, MultiIndex};

/// Beyond this order the coefficients leave the range of `f64`.
const MAX_ORDER: u32 = 150;

/// One derivative D^α, prepared for evaluation at many points.
#[derive(Debug, Clone)]
pub(super) struct RootDerivative {
    /// 1 − |α|.
    power: i32,
    /// ff(|α| − M) for M = 0, 1, …, times the factor of the term.
    falling: Vec<f64>,
    /// The axes with αₖ > 0.
    axes: Vec<AxisFactor>,
}

/// Σ_m α!/(m!(α−2m)!) (2u)^{α−2m} along one axis.
#[derive(Debug, Clone)]
struct AxisFactor {
    axis: usize,
    /// Whether α is odd, so that a factor 2u is left at the highest m.
    odd: bool,
    /// The coefficients for m = 0, 1, …, ⌊α/2⌋.
    coefficients: Vec<f64>,
}

impl RootDerivative {
    /// The derivative times a factor, with respect to coordinates of these half-widths.
    pub(super) fn new(alpha: &MultiIndex, half: &[f64], factor: f64) -> Result<Self, BasisError> {
        let order = alpha.order();
        if order > MAX_ORDER {
            return Err(BasisError::Parameter {
                what: "order of the derivative",
                value: f64::from(order),
                requirement: "at most 150 for multiquadrics",
            });
        }
        let inverse: Vec<f64> = half.iter().map(|h| 1.0 / h).collect();
        let factor = factor * alpha.monomial(&inverse);
        let axes: Vec<_> = alpha
            .orders()
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0)
            .map(|(axis, &n)| AxisFactor::new(axis, n))
            .collect();
        let highest: usize = axes.iter().map(|axis| axis.coefficients.len() - 1).sum();
        let falling = (0..=highest)
            .map(|m| factor * falling_factorial(order as usize - m))
            .collect();
        Ok(Self {
            power: 1 - order as i32,
            falling,
            axes,
        })
    }

    /// The number of terms: M runs from 0 to Σ ⌊αₖ/2⌋.
    pub(super) fn terms(&self) -> usize {
        self.falling.len()
    }

    /// The derivative where √s = `root` and y/√s = `u`; what is in the work space is overwritten.
    pub(super) fn at(&self, u: &[f64], root: f64, work: &mut WorkSpace) -> f64 {
        let WorkSpace { sums, values } = work;
        sums[..self.terms()].fill(0.0);
        sums[0] = 1.0;
        let mut degree = 0;
        for factor in &self.axes {
            let top = factor.write_terms(2.0 * u[factor.axis], values);
            degree += top;
            // The product of two polynomials in place, highest coefficient first.
            for total in (0..=degree).rev() {
                sums[total] = (0..=top.min(total))
                    .map(|m| values[m] * sums[total - m])
                    .sum();
            }
        }
        let sum: f64 = self.falling.iter().zip(sums).map(|(f, s)| f * *s).sum();
        sum * root.powi(self.power)
    }
}

/// Room for the polynomials of a derivative.
#[derive(Debug)]
pub(super) struct WorkSpace {
    sums: Vec<f64>,
    values: Vec<f64>,
}

impl WorkSpace {
    /// Enough for each of these derivatives.
    pub(super) fn of(derivatives: &[RootDerivative]) -> Self {
        let terms = derivatives.iter().map(RootDerivative::terms).max();
        let zeros = vec![0.0; terms.unwrap_or(0)];
        Self {
            sums: zeros.clone(),
            values: zeros,
        }
    }
}

impl AxisFactor {
    fn new(axis: usize, order: u32) -> Self {
        // α!/(m!(α−2m)!): each step m → m+1 multiplies by (α−2m)(α−2m−1)/(m+1).
        let mut coefficients = vec![1.0];
        let mut last = 1.0;
        for m in 0..order / 2 {
            let left = f64::from(order - 2 * m);
            last *= left * (left - 1.0) / f64::from(m + 1);
            coefficients.push(last);
        }
        Self {
            axis,
            odd: order % 2 == 1,
            coefficients,
        }
    }

    /// Writes the terms for m = 0, 1, … and returns the highest m.
    fn write_terms(&self, twice_u: f64, values: &mut [f64]) -> usize {
        let mut power = if self.odd { twice_u } else { 1.0 };
        for (value, coefficient) in values.iter_mut().zip(&self.coefficients) {
            *value = *coefficient;
        }
        let top = self.coefficients.len() - 1;
        for value in values[..=top].iter_mut().rev() {
            *value *= power;
            power *= twice_u * twice_u;
        }
        top
    }
}

/// ½ (½ − 1) … (½ − n + 1).
fn falling_factorial(n: usize) -> f64 {
    (0..n).map(|i| 0.5 - i as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn at(derivative: &RootDerivative, u: &[f64], root: f64) -> f64 {
        let mut work = WorkSpace::of(std::slice::from_ref(derivative));
        derivative.at(u, root, &mut work)
    }

    fn evaluate(alpha: &[u32], y: &[f64], shape: f64) -> f64 {
        let root = (shape * shape + y.iter().map(|y| y * y).sum::<f64>()).sqrt();
        let u: Vec<f64> = y.iter().map(|y| y / root).collect();
        at(
            &RootDerivative::new(&MultiIndex::new(alpha), &vec![1.0; y.len()], 1.0).unwrap(),
            &u,
            root,
        )
    }

    #[test]
    fn low_orders_match_the_textbook() {
        let (y, c) = ([0.7, -1.3], 0.4);
        let s: f64 = c * c + 0.49 + 1.69;
        let root = s.sqrt();
        assert_relative_eq!(evaluate(&[0, 0], &y, c), root, max_relative = 1e-15);
        assert_relative_eq!(evaluate(&[1, 0], &y, c), y[0] / root, max_relative = 1e-15);
        let second = 1.0 / root - y[1] * y[1] / root.powi(3);
        assert_relative_eq!(evaluate(&[0, 2], &y, c), second, max_relative = 1e-14);
        let mixed = -y[0] * y[1] / root.powi(3);
        assert_relative_eq!(evaluate(&[1, 1], &y, c), mixed, max_relative = 1e-15);
        // ∂³/∂y₀³ = −3 y₀ (s − y₀²) / s^{5/2}
        let third = -3.0 * y[0] * (s - y[0] * y[0]) / root.powi(5);
        assert_relative_eq!(evaluate(&[3, 0], &y, c), third, max_relative = 1e-14);
    }

    /// On one axis f = √(c² + y²) satisfies (c² + y²) f″ + y f′ = f; differentiate it n times.
    #[test]
    fn high_orders_satisfy_the_differential_equation() {
        for y in [0.0, 0.3, -1.1, 4.0] {
            let (c, s): (f64, f64) = (0.8, 0.64 + y * y);
            for n in 0..30_u32 {
                let f = |k: u32| evaluate(&[k], &[y], c);
                let n64 = f64::from(n);
                let terms = [
                    s * f(n + 2),
                    (2.0 * n64 + 1.0) * y * f(n + 1),
                    (n64 * n64 - 1.0) * f(n),
                ];
                let size: f64 = terms.iter().map(|t| t.abs()).sum();
                let sum: f64 = terms.iter().sum();
                // Away from the centre the terms of a derivative of order n cancel by about 2ⁿ.
                let bound = 1e-14 * 2f64.powi(n as i32 + 2);
                assert!(
                    sum.abs() <= bound * size,
                    "y={y} n={n}: {sum:e} of {size:e}"
                );
            }
        }
    }

    #[test]
    fn orders_beyond_the_range_are_errors() {
        let alpha = MultiIndex::new([100, 51]);
        assert!(RootDerivative::new(&alpha, &[1.0, 1.0], 1.0).is_err());
        let alpha = MultiIndex::new([100, 50]);
        let derivative = RootDerivative::new(&alpha, &[1.0, 1.0], 1.0).unwrap();
        assert!(at(&derivative, &[0.6, 0.7], 2.0).is_finite());
    }
}
