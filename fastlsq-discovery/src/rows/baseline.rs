//! Baselines on a grid: difference quotients and Savitzky–Golay filters.

use fastlsq_basis::MultiIndex;

use crate::regression::thin::gram_solve;
use crate::{DiscoveryError, Samples};

/// A way to differentiate data on a grid without a fit by features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Baseline {
    /// Local polynomial of degree equal to the order, through the nearest points.
    Differences,
    /// Local least-squares polynomial of this degree over this many points.
    SavitzkyGolay { window: usize, degree: usize },
}

impl Baseline {
    fn name(self) -> &'static str {
        match self {
            Self::Differences => "finite differences",
            Self::SavitzkyGolay { .. } => "Savitzky–Golay",
        }
    }

    /// Window and degree for a derivative of this order.
    fn stencil(self, order: usize) -> (usize, usize) {
        match self {
            // Second-order central differences: 3 points for orders 1 and 2, 5 for 3 and 4.
            Self::Differences => {
                let window = order + 1 + order % 2;
                (window, window - 1)
            }
            Self::SavitzkyGolay { window, degree } => (window, degree.max(order)),
        }
    }
}

/// D^α of gridded samples at the samples, for each α; the data need not be in any order.
pub(crate) fn grid_derivatives(
    samples: &Samples,
    alphas: &[MultiIndex],
    baseline: Baseline,
) -> Result<Vec<Vec<f64>>, DiscoveryError> {
    let grid = Grid::new(samples, baseline.name())?;
    alphas
        .iter()
        .map(|alpha| {
            let mut values = grid.ordered(samples.values());
            for (axis, &order) in alpha.orders().iter().enumerate().filter(|(_, n)| **n > 0) {
                values = grid.differentiate(&values, axis, order as usize, baseline)?;
            }
            Ok(grid.restore(&values))
        })
        .collect()
}

/// A tensor grid found in scattered samples.
struct Grid {
    coordinates: Vec<Vec<f64>>,
    /// Place of each sample in lexicographic order, the last axis fastest.
    place: Vec<usize>,
}

impl Grid {
    fn new(samples: &Samples, method: &'static str) -> Result<Self, DiscoveryError> {
        let points = samples.points();
        let (lower, upper) = samples.bounds();
        let coordinates: Vec<Vec<f64>> = (0..samples.dim())
            .map(|k| {
                let tolerance = 1e-9 * (upper[k] - lower[k]);
                let mut values = points.column(k).to_vec();
                values.sort_by(f64::total_cmp);
                values.dedup_by(|a, b| (*a - *b).abs() <= tolerance);
                values
            })
            .collect();
        let counts: Vec<usize> = coordinates.iter().map(Vec::len).collect();
        let refuse = || DiscoveryError::NotAGrid {
            method,
            counts: counts.clone(),
            found: samples.len(),
        };
        if counts.iter().try_fold(1_usize, |a, b| a.checked_mul(*b)) != Some(samples.len()) {
            return Err(refuse());
        }
        let mut seen = vec![false; samples.len()];
        let mut place = Vec::with_capacity(samples.len());
        for point in points.rows() {
            let mut index = 0;
            for (x, axis) in point.iter().zip(&coordinates) {
                let after = axis.partition_point(|c| c < x);
                let near = |i: usize| axis.get(i).map_or(f64::INFINITY, |c| (c - x).abs());
                let best = if after > 0 && near(after - 1) < near(after) {
                    after - 1
                } else {
                    after
                };
                index = index * axis.len() + best.min(axis.len() - 1);
            }
            if std::mem::replace(&mut seen[index], true) {
                return Err(refuse());
            }
            place.push(index);
        }
        Ok(Self { coordinates, place })
    }

    fn ordered(&self, values: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; values.len()];
        for (value, &place) in values.iter().zip(&self.place) {
            out[place] = *value;
        }
        out
    }

    fn restore(&self, ordered: &[f64]) -> Vec<f64> {
        self.place.iter().map(|&place| ordered[place]).collect()
    }

    fn differentiate(
        &self,
        values: &[f64],
        axis: usize,
        order: usize,
        baseline: Baseline,
    ) -> Result<Vec<f64>, DiscoveryError> {
        let x = &self.coordinates[axis];
        let (window, degree) = baseline.stencil(order);
        if window > x.len() || window <= degree {
            return Err(DiscoveryError::Setting {
                what: "window of the derivative filter",
                value: window as f64,
                requirement: "more points than the degree of the polynomial, and at most as many as the grid has",
            });
        }
        let inner: usize = self.coordinates[axis + 1..].iter().map(Vec::len).product();
        let filters: Vec<(usize, Vec<f64>)> = (0..x.len())
            .map(|i| {
                let first = i.saturating_sub(window / 2).min(x.len() - window);
                (
                    first,
                    filter(&x[first..first + window], x[i], order, degree),
                )
            })
            .collect();
        Ok((0..values.len())
            .map(|place| {
                let i = place / inner % x.len();
                let base = place - i * inner;
                let (first, weights) = &filters[i];
                weights
                    .iter()
                    .enumerate()
                    .map(|(k, w)| w * values[base + (first + k) * inner])
                    .sum()
            })
            .collect())
    }
}

/// Weights that give the derivative at `at` of the least-squares polynomial through the nodes.
fn filter(nodes: &[f64], at: f64, order: usize, degree: usize) -> Vec<f64> {
    let scale = nodes
        .iter()
        .map(|x| (x - at).abs())
        .fold(0.0, f64::max)
        .max(f64::MIN_POSITIVE);
    let powers: Vec<Vec<f64>> = (0..=degree)
        .map(|d| {
            let d = i32::try_from(d).unwrap_or(i32::MAX);
            nodes.iter().map(|x| ((x - at) / scale).powi(d)).collect()
        })
        .collect();
    let columns: Vec<&[f64]> = powers.iter().map(Vec::as_slice).collect();
    let factorial: f64 = (1..=order).map(|k| k as f64).product();
    let factor = factorial / scale.powi(i32::try_from(order).unwrap_or(i32::MAX));
    // The shortest weights that reproduce the derivative of every polynomial up to the degree.
    let wanted: Vec<f64> = (0..=degree)
        .map(|d| if d == order { factor } else { 0.0 })
        .collect();
    let combination = gram_solve(&columns, &wanted).unwrap_or_default();
    (0..nodes.len())
        .map(|k| {
            combination
                .iter()
                .zip(&powers)
                .map(|(v, column)| v * column[k])
                .sum()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_differentiate_polynomials_exactly() {
        let nodes: Vec<f64> = (0..9).map(|i| 0.3 * f64::from(i)).collect();
        let weights = filter(&nodes, 0.9, 2, 4);
        let value: f64 = nodes.iter().zip(&weights).map(|(x, w)| w * x.powi(4)).sum();
        assert!((value - 12.0 * 0.81).abs() < 1e-10);
    }

    #[test]
    fn central_differences_have_the_usual_weights() {
        let weights = filter(&[-0.5, 0.0, 0.5], 0.0, 2, 2);
        for (w, expected) in weights.iter().zip([4.0, -8.0, 4.0]) {
            assert!((w - expected).abs() < 1e-12);
        }
    }
}
