//! A new right-hand side on a factored system.

use anyhow::Result;

use super::{Measurement, Scope};
use crate::cache_experiment::{HALF, PAPER, measure};

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let sizes = scope.pick(HALF, PAPER);
    let measured = measure(sizes, 0)?;
    let case = format!("{}x{}", sizes.rows(), sizes.features);
    let new = |figure, value| Measurement::new("cached", &case, figure, value);
    let speedup = measured.full_seconds / measured.cached_seconds;
    Ok(vec![
        new("full solve over cached right-hand side", speedup).at_least(300.0),
        new("milliseconds, full solve", 1e3 * measured.full_seconds),
        new(
            "milliseconds, full solve, method chosen automatically",
            1e3 * measured.chosen_seconds,
        ),
        new("milliseconds, cached", 1e3 * measured.cached_seconds),
        new(
            "cached error over fresh error",
            measured.cached_error / measured.fresh_error,
        ),
    ])
}
