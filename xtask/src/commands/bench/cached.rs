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
    let against_qr = measured.qr_seconds / measured.cached_seconds;
    Ok(vec![
        // The full solve is the work-horse; the automatic choice, a sketch at these sizes, is faster itself.
        new("rank-revealing QR over cached right-hand side", against_qr).at_least(300.0),
        new("full solve over cached, one method for both", speedup),
        new("milliseconds, full solve", 1e3 * measured.full_seconds),
        new("milliseconds, rank-revealing QR", 1e3 * measured.qr_seconds),
        new(
            "milliseconds, factored to be kept",
            1e3 * measured.factor_seconds,
        ),
        new("milliseconds, cached", 1e3 * measured.cached_seconds),
        new(
            "cached error over fresh error",
            measured.cached_error / measured.fresh_error,
        ),
    ])
}
