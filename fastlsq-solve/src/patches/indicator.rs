//! How good a solution is, leaf by leaf and as a whole.

use ndarray::Array2;
use rayon::prelude::*;

use super::PatchError;
use super::coefficients::place;
use super::leaf::{Leaf, apply};
use super::reference::Reference;
use super::solution::PatchSolution;

/// Rounding errors of a residual, in units of ε times the sizes of its terms.
const ROUNDING: f64 = 4.0;

/// What is known about one leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeafQuality {
    /// rms of the residual × h²/a, before division by the size of u.
    pub(super) residual: f64,
    /// What rounding alone may contribute to it.
    pub(super) floor: f64,
    /// The largest |u| at the check points.
    pub(super) largest: f64,
    /// Mean of u² there.
    pub(super) mean_square: f64,
    /// Mean of the squared change since the last solve.
    pub(super) change: f64,
    /// Measure of the leaf.
    pub(super) volume: f64,
}

/// Measures every leaf; `before` is the last solution.
pub(super) fn measure(
    leaves: &[&Leaf],
    coefficients: &[Vec<f64>],
    reference: &Reference,
    unknowns: usize,
    before: Option<&PatchSolution>,
) -> Result<Vec<LeafQuality>, PatchError> {
    leaves
        .par_iter()
        .zip(coefficients)
        .map(|(leaf, c)| measure_leaf(leaf, c, reference, unknowns, before))
        .collect()
}

fn measure_leaf(
    leaf: &Leaf,
    c: &[f64],
    reference: &Reference,
    unknowns: usize,
    before: Option<&PatchSolution>,
) -> Result<LeafQuality, PatchError> {
    let rank = reference.rank();
    let checks = reference.check.len();
    let left = apply(leaf.operator.residual.as_ref(), c);
    let sum: f64 = left
        .iter()
        .zip(&leaf.check_source)
        .map(|(l, f)| (l - f) * (l - f))
        .sum();
    // Rounding of Σ βⱼ Lφⱼ: ε times the sizes of coefficients and of the rows.
    let row_size = reference.residual_size;
    let beta: f64 = (0..unknowns)
        .map(|v| apply(reference.compression.as_ref(), &c[v * rank..(v + 1) * rank]))
        .flat_map(|beta| beta.into_iter().map(|b| b * b))
        .sum();
    let floor = ROUNDING * f64::EPSILON * row_size * beta.sqrt();
    let mut quality = LeafQuality {
        residual: (sum / left.len() as f64).sqrt() / leaf.frame.stiffness,
        floor,
        largest: 0.0,
        mean_square: 0.0,
        change: 0.0,
        volume: leaf.frame.half.iter().map(|h| 2.0 * h).product(),
    };
    let values: Vec<Vec<f64>> = (0..unknowns)
        .map(|v| apply(reference.check_values.as_ref(), &c[v * rank..(v + 1) * rank]))
        .collect();
    for value in values.iter().flatten() {
        quality.largest = quality.largest.max(value.abs());
        quality.mean_square += value * value / checks as f64;
    }
    if let Some(before) = before {
        for (v, values) in values.iter().enumerate() {
            let old = match before.tree.place(&leaf.frame.cell) {
                Some(place) => {
                    let c = &before.coefficients[place][v * rank..(v + 1) * rank];
                    apply(reference.check_values.as_ref(), c)
                }
                None => {
                    let points: Array2<f64> =
                        place(reference.check.points.view(), &leaf.frame.center, &leaf.frame.half);
                    let value = fastlsq_basis::MultiIndex::zero(reference.dim);
                    before.derivatives(v, points.view(), &value)?
                }
            };
            for (new, old) in values.iter().zip(old) {
                quality.change += (new - old) * (new - old) / checks as f64;
            }
        }
    }
    Ok(quality)
}
