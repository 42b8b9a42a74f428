//! An estimate of the relative error of u that costs nothing extra.
//!
//! Every candidate that was tried has a held-out score sᵢ and values uᵢ at the probe points. Where
//! uᵢ is worse than the final u, ‖uᵢ − u‖/‖u‖ is about its true error, so κᵢ = ‖uᵢ − u‖/(‖u‖ sᵢ)
//! measures how this problem turns residuals into errors. The estimate is 2.7 κ s, where κ is the geometric mean over
//! candidates of other draws, each with the weight (1 + log₁₀ sᵢ/s)^−3/2: coarse candidates turn residuals into errors
//! differently from fine ones (boundary layers: ten times less), but a single neighbour is a matter of chance. The usual value,
//! κ = 0.1, counts as one more candidate with the weight 0.1: where there are only one or two candidates, an unusual κ is
//! more likely to be theirs than the problem's.
//!
//! Where the equations are linear, the error itself can be looked for: it solves the problem whose data are the residual of u.
//! Other features on other points see as much of it as they hold, which is most of it: with 0.7 times the number of features
//! what they find is between 0.6 and 2.2 times the error in nine of ten problems. It is biased otherwise than κ s (too small
//! where u misses what no feature holds), so that a geometric mean of the two is better than either.
//!
//! The constants come from some 6000 solves of random problems (900 at a time, three tolerances). On 900 others the estimate is
//! within 1/5 … 20 of the error in 99.3 … 99.7 %. The rest are functions of one direction in four dimensions (too large) and
//! layers on patches.

use super::state::is_unresolved;
use crate::rows::{Score, rms};

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

/// How many witnesses are heard.
const WITNESSES: usize = 6;
/// Better somewhat too large than too small.
const SAFETY: f64 = 2.7;
/// The error over the residual that is usual, and its weight beside those of witnesses.
const USUAL: f64 = 0.1;
const USUAL_WEIGHT: f64 = 0.1;

/// The factor on what is found to be missing.
const MISSING_SAFETY: f64 = 1.7;
/// Its weight beside the estimate without it: between 0.3 and 0.7 all are nearly as good.
const MISSING_WEIGHT: f64 = 0.3;
/// What is found is taken to be at most that many times smaller or larger than the estimate without it: beyond, features see
/// nothing of the error, or rounding that they amplify.
const MISSING_RANGE: (f64, f64) = (30.0, 10.0);

/// The estimate with what other features find to be missing, relative to u.
pub(crate) fn with_missing(estimate: f64, missing: f64, last: &Score) -> f64 {
    if is_unresolved(last.worst) || !missing.is_finite() {
        return estimate;
    }
    let (smaller, larger) = MISSING_RANGE;
    let missing = missing.clamp(estimate / smaller, estimate * larger);
    let both =
        estimate.powf(1.0 - MISSING_WEIGHT) * (MISSING_SAFETY * missing).powf(MISSING_WEIGHT);
    both.max(f64::EPSILON)
}

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
    // Candidates better than the final one are no witnesses: their distance to it is its error, not theirs.
    let worse = ratios.iter().filter(|(score, _)| *score >= last.worst);
    let mut chosen: Vec<(f64, f64)> = worse.copied().take(WITNESSES).collect();
    if chosen.is_empty() {
        chosen = ratios.into_iter().take(WITNESSES).collect();
    }
    if chosen.is_empty() {
        return last.worst;
    }
    let weight = |score: f64| (1.0 + (score / last.worst).max(1.0).log10()).powf(-1.5);
    let total: f64 = USUAL_WEIGHT + chosen.iter().map(|(score, _)| weight(*score)).sum::<f64>();
    let logs = chosen
        .iter()
        .map(|(score, ratio)| weight(*score) * ratio.ln());
    let log_mean = (USUAL_WEIGHT * USUAL.ln() + logs.sum::<f64>()) / total;
    // Nothing is known better than to rounding.
    let estimate = (SAFETY * last.worst * log_mean.exp()).max(f64::EPSILON);
    if is_unresolved(last.worst) {
        // Candidates that all miss the solution may well agree with each other.
        estimate.max(last.worst)
    } else {
        estimate
    }
}
