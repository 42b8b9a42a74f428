//! An estimate of the relative error of u that costs nothing extra.
//!
//! Every candidate that was tried has a held-out score sᵢ and values uᵢ at the probe points. Where
//! uᵢ is much worse than the final u, ‖uᵢ − u‖/‖u‖ is its true error, so κᵢ = ‖uᵢ − u‖/(‖u‖ sᵢ)
//! measures how this problem turns residuals into errors. The estimate is κ s, with κ from the
//! candidates of other draws whose scores lie closest above the final one.

use super::score::{Score, rms};
use super::search::is_unresolved;

/// A candidate that was tried on the way.
#[derive(Debug)]
pub(crate) struct Witness {
    pub(crate) score: f64,
    pub(crate) values: Vec<f64>,
    /// The draw behind its features; candidates of one draw share their points too, and err alike.
    pub(crate) draw: Option<u64>,
}

/// Whether a witness has features and points of its own.
pub(crate) fn is_independent(witness: &Witness, draw: Option<u64>) -> bool {
    witness.draw.is_none() || witness.draw != draw
}

/// How many witnesses speak.
const WITNESSES: usize = 5;
/// A witness must be worse than the final score by this factor to know the error well.
const CLEARLY_WORSE: f64 = 3.0;

/// Better somewhat too large than too small.
const SAFETY: f64 = 3.0;

/// The estimated relative error of the final candidate, by witnesses of other draws if there are any.
pub(crate) fn relative_error(last: &Score, draw: Option<u64>, witnesses: &[Witness]) -> f64 {
    let norm = rms(last.values.iter().copied());
    if norm == 0.0 || last.worst == 0.0 {
        return last.worst;
    }
    let independent = witnesses.iter().any(|w| is_independent(w, draw));
    let mut ratios: Vec<(f64, f64)> = witnesses
        .iter()
        .filter(|w| !independent || is_independent(w, draw))
        .filter(|w| w.score.is_finite() && w.score > 0.0 && w.values != last.values)
        .map(|w| {
            let difference = rms(w.values.iter().zip(&last.values).map(|(a, b)| a - b));
            (w.score, difference / norm / w.score)
        })
        .filter(|(_, ratio)| ratio.is_finite() && *ratio > 0.0)
        .collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let clear: Vec<f64> = ratios
        .iter()
        .filter(|(score, _)| *score >= CLEARLY_WORSE * last.worst)
        .map(|(_, ratio)| *ratio)
        .take(WITNESSES)
        .collect();
    let chosen = if clear.is_empty() {
        // All witnesses are about as good: their distance is an error by itself.
        ratios
            .iter()
            .map(|(_, ratio)| *ratio)
            .take(WITNESSES)
            .collect()
    } else {
        clear
    };
    if chosen.is_empty() {
        return last.worst;
    }
    let log_mean = chosen.iter().map(|ratio| ratio.ln()).sum::<f64>() / chosen.len() as f64;
    // Nothing is known better than to rounding.
    let estimate = (SAFETY * last.worst * log_mean.exp()).max(f64::EPSILON);
    if is_unresolved(last.worst) {
        // Candidates that all miss the solution may well agree with each other.
        estimate.max(last.worst)
    } else {
        estimate
    }
}
