//! What makes blocks of rows, and unknowns, comparable.

use super::score::sizes;
use crate::SolveError;
use crate::problem::{ConcreteProblem, Imposition};
use crate::system::{RowBlock, System};

/// Rows that stand for a block when its scale is measured.
const SCALE_ROWS: usize = 24;
/// Blocks with entries below this share of the largest are looked at more closely.
const SMALL_ENTRIES: f64 = 1e-8;
/// Entries below this share of the same operator's in the interior are rounding.
const NO_ENTRIES: f64 = 1e-12;
/// How much more a condition counts than an equation, by default.
const CONDITION_WEIGHT: f64 = 10.0;

/// The factor on each block: the paper's λ if it is given, otherwise blocks made comparable.
///
/// By default each block is scaled so that its rows have unit root mean square and the block as a
/// whole weighs as much as the first one; conditions then count ten times as much.
///
/// # Errors
/// Rows that cannot be written.
pub fn block_weights(
    problem: &ConcreteProblem,
    lambda: Option<f64>,
    system: &System,
) -> Result<Vec<f64>, SolveError> {
    let equations = problem.equations.len();
    let reference = system.blocks().first().map_or(1, RowBlock::len).max(1) as f64;
    let scales = (0..system.blocks().len()).map(|index| system.block_scale(index, SCALE_ROWS));
    let scales: Vec<f64> = scales.collect::<Result<_, _>>()?;
    let largest = scales.iter().copied().fold(0.0, f64::max);
    let mut weights = Vec::with_capacity(system.blocks().len());
    for (index, block) in system.blocks().iter().enumerate() {
        let condition = index
            .checked_sub(equations)
            .and_then(|k| problem.conditions.get(k));
        let own = condition.map_or(Imposition::Default, |c| c.imposition);
        let factor = match own {
            Imposition::Weighted(weight) => weight,
            _ if condition.is_none() || equations == 0 => 1.0,
            _ => lambda.unwrap_or(CONDITION_WEIGHT),
        };
        if lambda.is_some() {
            weights.push(factor);
            continue;
        }
        let scale = scales[index];
        // Rows that vanish but for rounding (odd features on their axis) would get all the weight there is.
        if scale < SMALL_ENTRIES * largest
            && scale <= NO_ENTRIES * system.block_terms(index, SCALE_ROWS)?
        {
            weights.push(0.0);
            continue;
        }
        let scale = if scale > 0.0 && scale.is_finite() {
            scale
        } else {
            1.0
        };
        let share = (reference / block.len().max(1) as f64).sqrt();
        weights.push(factor * share / scale);
    }
    Ok(weights)
}

/// The size of each unknown, so that several can be compared; one for a single unknown, and for one that vanishes.
#[must_use]
pub fn comparable_sizes(values: &[f64], unknowns: usize) -> Vec<f64> {
    if unknowns < 2 {
        return vec![1.0; unknowns];
    }
    let own = sizes(values, unknowns);
    let usable = |size: &f64| *size > 0.0 && size.is_finite();
    own.iter()
        .map(|size| if usable(size) { *size } else { 1.0 })
        .collect()
}
