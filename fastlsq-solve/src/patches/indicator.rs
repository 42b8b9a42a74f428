//! How good a solution is, leaf by leaf and as a whole.

use faer::{Mat, MatRef};
use rayon::prelude::*;

use super::PatchError;
use super::groups::{Group, groups};
use super::leaf::{Leaf, apply};
use super::pointwise;
use super::reference::{Reference, times};
use super::solution::Snapshot;
use super::step::{Factored, State};

/// Rounding errors of a residual, in units of ε times the sizes of its terms.
const ROUNDING: f64 = 4.0;

/// What is known about one leaf.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeafQuality {
    /// rms of the residual × h²/a, before division by the size of u.
    pub(super) residual: f64,
    /// What rounding alone may contribute to it.
    pub(super) floor: f64,
    /// The rounding of u itself: second derivatives amplify it to the floor.
    pub(super) rounding: f64,
    /// The largest |u| at the check points.
    pub(super) largest: f64,
    /// Mean of u² there.
    pub(super) mean_square: f64,
    /// Mean of the squared change since the last solve.
    pub(super) change: f64,
    /// Measure of the leaf.
    pub(super) volume: f64,
    /// Whether the last tree had it too.
    pub(super) old: bool,
}

/// Measures every leaf; `before` is the last solution.
pub(super) fn measure(
    factored: &Factored<'_>,
    state: &State,
    before: Option<&Snapshot>,
) -> Result<Vec<LeafQuality>, PatchError> {
    let (problem, reference) = (factored.problem, factored.reference);
    let (leaves, coefficients) = (&factored.leaves, &state.coefficients);
    let residuals = if problem.is_pointwise() {
        pointwise::residuals(leaves, coefficients, &reference.check, problem, reference)?
    } else {
        vec![Vec::new(); leaves.len()]
    };
    let groups = groups(leaves);
    let measured = groups
        .par_iter()
        .map(|group| measure_group(group, factored, state, &residuals, before))
        .collect::<Result<Vec<Vec<(usize, LeafQuality)>>, PatchError>>();
    let mut all = vec![Vec::new(); leaves.len()];
    for (place, quality) in factored.sharing.agree(measured)?.into_iter().flatten() {
        all[place] = quality.numbers().to_vec();
    }
    let length = LeafQuality::default().numbers().len();
    factored
        .sharing
        .complete(&factored.owners, length, &mut all);
    Ok(all
        .iter()
        .map(|own| LeafQuality::from_numbers(own))
        .collect())
}

impl LeafQuality {
    fn numbers(&self) -> [f64; 8] {
        [
            self.residual,
            self.floor,
            self.rounding,
            self.largest,
            self.mean_square,
            self.change,
            self.volume,
            f64::from(self.old),
        ]
    }

    fn from_numbers(numbers: &[f64]) -> Self {
        let [
            residual,
            floor,
            rounding,
            largest,
            mean_square,
            change,
            volume,
            old,
        ] = std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(f64::NAN));
        Self {
            residual,
            floor,
            rounding,
            largest,
            mean_square,
            change,
            volume,
            old: old == 1.0,
        }
    }
}

fn measure_group(
    group: &Group<'_>,
    factored: &Factored<'_>,
    state: &State,
    residuals: &[Vec<f64>],
    before: Option<&Snapshot>,
) -> Result<Vec<(usize, LeafQuality)>, PatchError> {
    let coefficients = &state.coefficients;
    let (reference, unknowns) = (factored.reference, factored.problem.unknowns);
    let (rank, checks) = (reference.rank(), reference.check.len());
    let c = group.columns(unknowns * rank, |p| &coefficients[p]);
    let left = match &group.operator.residual {
        Some(residual) => times(residual.as_ref(), c.as_ref()),
        None => group.columns(unknowns * checks, |p| &residuals[p]),
    };
    let of_unknowns = |map: &dyn Fn(MatRef<'_, f64>) -> Mat<f64>| -> Vec<Mat<f64>> {
        let part = |v: usize| c.as_ref().subrows(v * rank, rank);
        (0..unknowns).map(|v| map(part(v))).collect()
    };
    let betas = of_unknowns(&|own| reference.compression.times(own));
    let values = of_unknowns(&|own| times(reference.check_values.as_ref(), own));
    let mut measured = Vec::with_capacity(group.places.len());
    for (j, &place) in group.places.iter().enumerate() {
        let leaf = factored.leaves[place];
        let mut rest = left.col_as_slice(j).to_vec();
        for (l, f) in rest.iter_mut().zip(&factored.data[place].check) {
            *l -= f;
        }
        if let Some(border) = &factored.border {
            border.add_sources(&mut rest, leaf, &reference.check, &state.multipliers);
        }
        let sum: f64 = rest.iter().map(|l| l * l).sum();
        // Rounding of Σ βⱼ Lφⱼ: ε times the sizes of coefficients and of the rows.
        let beta: f64 = betas.iter().map(|b| b.col(j).squared_norm_l2()).sum();
        let rounding = ROUNDING * f64::EPSILON * beta.sqrt();
        let mut quality = LeafQuality {
            residual: (sum / left.nrows() as f64).sqrt() / leaf.frame.stiffness,
            floor: reference.residual_size * rounding,
            rounding,
            largest: 0.0,
            mean_square: 0.0,
            change: 0.0,
            volume: leaf.frame.half.iter().map(|h| 2.0 * h).product(),
            old: before.is_some_and(|before| before.tree.place(&leaf.frame.cell).is_some()),
        };
        for (v, values) in values.iter().enumerate() {
            let values = values.col_as_slice(j);
            for value in values {
                quality.largest = quality.largest.max(value.abs());
                quality.mean_square += value * value / checks as f64;
            }
            if let Some(before) = before {
                let old = earlier(before, leaf, v, reference)?;
                for (new, old) in values.iter().zip(old) {
                    quality.change += (new - old) * (new - old) / checks as f64;
                }
            }
        }
        measured.push((place, quality));
    }
    Ok(measured)
}

/// The last solution at the check points of a leaf.
fn earlier(
    before: &Snapshot,
    leaf: &Leaf,
    unknown: usize,
    reference: &Reference,
) -> Result<Vec<f64>, PatchError> {
    let rank = reference.rank();
    if let Some(same) = before.tree.place(&leaf.frame.cell) {
        let c = &before.coefficients[same][unknown * rank..(unknown + 1) * rank];
        return Ok(apply(reference.check_values.as_ref(), c));
    }
    before.values(&leaf.frame.cell, unknown, &reference.check.points)
}
