//! Whether a solution is good enough, and which leaves to split if not.

use super::grid::Cell;
use super::indicator::LeafQuality;
use super::options::PatchOptions;
use super::report::Round;
use super::tree::Tree;

/// The share of the tolerance that a leaf's own residual may have.
const LEAF_SHARE: f64 = 0.1;

/// The error that comes with a residual, over residual × h²/a: the functions of the kernel of the traces that a residual
/// excites have several waves in a leaf. Measured between 0.01 (corners) and 0.05 (peaks).
const SPREAD: f64 = 0.03;

/// Indicator, change and estimate of one solve.
#[derive(Debug)]
pub(super) struct Judgement {
    /// The largest |u|.
    pub(super) scale: f64,
    pub(super) indicator: f64,
    /// The residuals × h²/a in L2, relative to u.
    pub(super) residual: f64,
    pub(super) change: Option<f64>,
    pub(super) estimate: f64,
}

impl Judgement {
    pub(super) fn new(qualities: &[LeafQuality], rounds: &[Round], compared: bool) -> Self {
        let scale = qualities.iter().map(|q| q.largest).fold(0.0, f64::max);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let volume: f64 = qualities.iter().map(|q| q.volume).sum();
        let mean = |f: fn(&LeafQuality) -> f64| {
            (qualities.iter().map(|q| f(q) * q.volume).sum::<f64>() / volume).sqrt()
        };
        let norm = mean(|q| q.mean_square);
        let norm = if norm > 0.0 { norm } else { 1.0 };
        let indicator = qualities.iter().map(|q| q.residual).fold(0.0, f64::max) / scale;
        let residual = mean(|q| q.residual * q.residual) / norm;
        let change = compared.then(|| mean(|q| q.change) / norm);
        let estimate = match change {
            None => SPREAD * indicator.max(residual),
            Some(change) => {
                // The error that is left, if the next changes shrink as the last ones did; at first, as residuals did.
                let last = rounds.last().map_or((indicator, 1.0), |round| {
                    let residuals = (indicator, round.indicator);
                    round.change.map_or(residuals, |last| (change, last))
                });
                let ratio = (last.0 / last.1.max(f64::MIN_POSITIVE)).clamp(0.0, 0.9);
                (change * ratio / (1.0 - ratio)).max(SPREAD * residual)
            }
        };
        Self {
            scale,
            indicator,
            residual,
            change,
            estimate,
        }
    }

    /// The leaves to split: those whose residual is a fair share of the largest and above rounding.
    pub(super) fn marked(
        &self,
        qualities: &[LeafQuality],
        tree: &Tree,
        options: &PatchOptions,
    ) -> Vec<usize> {
        let threshold = options.share * self.indicator * self.scale;
        let least = LEAF_SHARE * options.tolerance * self.scale;
        let worth = |(quality, cell): (&LeafQuality, &Cell)| {
            quality.residual > threshold.max(least).max(quality.floor)
                && cell.depth() < options.max_depth
        };
        let pairs = qualities.iter().zip(&tree.leaves).enumerate();
        pairs
            .filter(|(_, pair)| worth(*pair))
            .map(|(place, _)| place)
            .collect()
    }

    pub(super) fn at_depth_limit(tree: &Tree, options: &PatchOptions) -> bool {
        tree.leaves
            .iter()
            .any(|cell| cell.depth() >= options.max_depth)
    }
}
