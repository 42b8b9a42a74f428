//! Test functions ψ = Π (1 − s²)^p over windows of a grid, and where the windows lie.

use super::axis::{Stencil, apply_along};
use super::column::{Column, Piece, Prepared};

/// Distance between neighbouring windows in standard deviations of ψ.
const STRIDE: f64 = 1.25;
/// Narrowest half-width, in points: the trapezoidal rule then integrates ψ and its derivatives to
/// eight digits and more.
pub(crate) const NARROWEST: usize = 8;

/// The shape of the windows: half-widths in points, one for each axis, and the exponent p.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) half: Vec<usize>,
    pub(crate) power: u32,
}

/// The exponent that leaves ψ smooth after this many derivatives along one axis.
pub(crate) fn exponent(order: u32) -> u32 {
    (2 * order + 2).max(10)
}

/// The standard deviation of (1 − s²)^p is the half-width over this.
pub(crate) fn spread(power: u32) -> f64 {
    f64::from(2 * power + 3).sqrt()
}

impl Windows {
    /// Standard deviation of ψ in points.
    fn deviation(&self, axis: usize) -> f64 {
        self.half[axis] as f64 / spread(self.power)
    }

    fn stride(&self, axis: usize) -> usize {
        ((STRIDE * self.deviation(axis)).round() as usize).max(1)
    }

    /// Spacing of the points that are enough for sums of products of test functions.
    pub(crate) fn coarse(&self, axis: usize) -> usize {
        ((0.85 * self.deviation(axis)).round() as usize).max(1)
    }

    /// Middles of the windows along an axis; none if the record is too short.
    pub(crate) fn centres(&self, axis: usize, count: usize) -> Vec<usize> {
        let half = self.half[axis];
        if half >= count.div_ceil(2) {
            return Vec::new();
        }
        let room = count - 1 - 2 * half;
        let stride = self.stride(axis);
        // What does not divide evenly is left at both ends.
        let first = half + room % stride / 2;
        (first..count - half).step_by(stride).collect()
    }

    /// (−1)ⁿ dⁿψ/dxⁿ at the points of a window, over the sum of ψ.
    pub(crate) fn kernel(&self, axis: usize, order: u32, step: f64) -> Vec<f64> {
        let half = self.half[axis];
        let reach = half as f64;
        // Powers of s in (1 − s²)^p, differentiated term by term.
        let mut powers = vec![0.0; 2 * self.power as usize + 1];
        let mut binomial = 1.0;
        for k in 0..=self.power {
            powers[2 * k as usize] = if k % 2 == 0 { binomial } else { -binomial };
            binomial *= f64::from(self.power - k) / f64::from(k + 1);
        }
        let mass: f64 = (0..=2 * half)
            .map(|i| horner(&powers, i as f64 / reach - 1.0))
            .sum();
        for _ in 0..order {
            powers = (1..powers.len()).map(|k| k as f64 * powers[k]).collect();
        }
        let scale = (-1.0 / (reach * step)).powi(i32::try_from(order).unwrap_or(i32::MAX)) / mass;
        (0..=2 * half)
            .map(|i| scale * horner(&powers, i as f64 / reach - 1.0))
            .collect()
    }

    /// ∫ψ T over the mass of ψ for every window of a trajectory, the last axis fastest.
    pub(crate) fn integrate(&self, data: &Prepared<'_>, column: &Column) -> Vec<f64> {
        let mut total: Vec<f64> = Vec::new();
        for piece in &column.pieces {
            let rows = self.piece(data, piece);
            if total.is_empty() {
                total = rows;
            } else {
                for (t, r) in total.iter_mut().zip(&rows) {
                    *t += r;
                }
            }
        }
        total
    }

    fn piece(&self, data: &Prepared<'_>, piece: &Piece) -> Vec<f64> {
        let mut values = self.average(data, &piece.values, &piece.outer);
        for v in &mut values {
            *v *= piece.factor;
        }
        values
    }

    /// ∫ψ D^α of values on the grid over the mass of ψ for every window, one axis after the other.
    pub(crate) fn average(&self, data: &Prepared<'_>, values: &[f64], outer: &[u32]) -> Vec<f64> {
        let mut shape = data.shape.clone();
        let mut now: Option<Vec<f64>> = None;
        for axis in 0..shape.len() {
            let centres = self.centres(axis, shape[axis]);
            if centres.is_empty() {
                return Vec::new();
            }
            let weights = self.kernel(axis, outer[axis], data.run.axes[axis].step);
            let stencils: Vec<Stencil> = centres
                .into_iter()
                .map(|centre| Stencil {
                    first: centre - self.half[axis],
                    weights: weights.clone(),
                })
                .collect();
            let from = now.as_deref().unwrap_or(values);
            now = Some(apply_along(from, &shape, axis, &stencils));
            shape[axis] = stencils.len();
        }
        now.unwrap_or_default()
    }
}

fn horner(powers: &[f64], s: f64) -> f64 {
    powers.iter().rev().fold(0.0, |sum, c| sum * s + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_move_onto_the_test_function() {
        // Σ (−1)ⁿψ⁽ⁿ⁾ f = Σ ψ f⁽ⁿ⁾ for a smooth f, to the accuracy of the trapezoidal rule.
        let step = 0.1;
        // Faster than any power of the number of nodes, for every order.
        for (half, allowed) in [(8, 1e-2), (12, 1e-3), (20, 1e-6), (25, 1e-8)] {
            let windows = Windows {
                half: vec![half],
                power: 10,
            };
            let psi = windows.kernel(0, 0, step);
            assert!((psi.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            for order in 0..=4u32 {
                let f = |x: f64, n: u32| {
                    let turns = f64::from(n) * std::f64::consts::FRAC_PI_2;
                    1.7f64.powi(i32::try_from(n).unwrap()) * (1.7 * x + 0.4 + turns).sin()
                };
                let at = |i: usize| step * (i as f64 - half as f64);
                let moved = windows.kernel(0, order, step);
                let weak: f64 = (0..=2 * half).map(|i| moved[i] * f(at(i), 0)).sum();
                let strong: f64 = (0..=2 * half).map(|i| psi[i] * f(at(i), order)).sum();
                let error = (weak - strong).abs();
                assert!(error < allowed, "{half} {order}: {error:.1e}");
            }
        }
    }

    #[test]
    fn windows_stay_inside() {
        let windows = Windows {
            half: vec![20],
            power: 10,
        };
        for count in [41, 42, 60, 301] {
            let centres = windows.centres(0, count);
            assert!(!centres.is_empty());
            assert!(centres.iter().all(|c| *c >= 20 && c + 20 < count));
        }
        assert!(windows.centres(0, 40).is_empty());
    }
}
