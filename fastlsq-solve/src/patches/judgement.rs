//! Whether a solution is good enough, and which leaves to split if not.

use super::grid::Cell;
use super::indicator::LeafQuality;
use super::options::PatchOptions;
use super::report::Round;
use super::step::Factored;
use super::tree::Tree;

/// The share of the tolerance that a leaf's own residual may have.
const LEAF_SHARE: f64 = 0.1;

/// The error that comes with a residual × h²/a of size 1, where nothing is known yet of how this problem turns residuals
/// into errors. First solves of forty problems (peaks, corners, layers, fronts, waves) had between 0.03 and 3.
const FIRST: f64 = 0.3;
/// That error is never taken to be less than this: changes at the level of rounding say nothing.
const LEAST: f64 = 1e-3;
/// A share of what refinements said before counts as well: on a line of the last two, where every other one may gain much
/// more than the one between; elsewhere of the last one, since what a first, coarse tree said has little to do with how
/// resolved leaves err.
const BEFORE: f64 = 0.1;
/// How many refinements count beside the last one.
const fn remembered(dim: usize) -> usize {
    if dim == 1 { 2 } else { 1 }
}
/// Better somewhat too large than too small: over 170 solves of these problems the estimate is about 1.5 times the error in
/// the median; it was up to 20 times with 2.5 here, on boundary layers, and too small in first solves only.
const SAFETY: f64 = 2.0;

/// Indicator, change and estimate of one solve.
#[derive(Debug)]
pub(super) struct Judgement {
    /// The largest |u|.
    pub(super) scale: f64,
    pub(super) indicator: f64,
    /// The size of u in L2, over the root of the measure.
    pub(super) norm: f64,
    /// The residuals × h²/a in L2, relative to u.
    pub(super) residual: f64,
    pub(super) change: Option<f64>,
    pub(super) estimate: f64,
}

impl Judgement {
    pub(super) fn new(
        qualities: &[LeafQuality],
        rounds: &[Round],
        compared: bool,
        dim: usize,
    ) -> Self {
        let scale = qualities.iter().map(|q| q.largest).fold(0.0, f64::max);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let volume: f64 = qualities.iter().map(|q| q.volume).sum();
        let mean_of = |f: &dyn Fn(&LeafQuality) -> f64| {
            (qualities.iter().map(|q| f(q) * q.volume).sum::<f64>() / volume).sqrt()
        };
        let mean = |f: fn(&LeafQuality) -> f64| mean_of(&f);
        let norm = mean(|q| q.mean_square);
        let norm = if norm > 0.0 { norm } else { 1.0 };
        let indicator = qualities.iter().map(|q| q.residual).fold(0.0, f64::max) / scale;
        let residual = mean(|q| q.residual * q.residual) / norm;
        let change = compared.then(|| mean(|q| q.change) / norm);
        let estimate = match change {
            None => FIRST * indicator.max(residual),
            // A change of u is the error of the solve before, whose residual is known: that is how this problem turns
            // residuals into errors.
            Some(change) => {
                let now = ratio(change, rounds.last());
                let pairs = rounds.windows(2).rev().take(remembered(dim));
                let earlier = pairs.map(|pair| {
                    let change = pair[1].change.unwrap_or(0.0);
                    BEFORE * ratio(change, pair.first())
                });
                let known = earlier.fold(now.max(LEAST), f64::max);
                // That holds where something was split. On a line, what the residual of a leaf that was not split is passed on
                // to all others, and its effect has not shown behind larger residuals; in the plane it stays near.
                let elsewhere = if dim == 1 { known.max(FIRST) } else { known };
                // In the plane and in space, what may be rounding counts as rounding of u: it oscillates from point to point,
                // and a function that has it as its source is smaller by as much as derivatives are larger. On a line it may
                // be passed on by a flow.
                let truncation: fn(&LeafQuality) -> f64 = match dim {
                    1 => |q| q.residual,
                    _ => |q| (q.residual - q.floor).max(0.0),
                };
                let part = |old: bool| {
                    let own = |q: &LeafQuality| if q.old == old { truncation(q) } else { 0.0 };
                    mean_of(&|q| own(q).powi(2)) / norm
                };
                let rounding = mean(|q| q.rounding * q.rounding) / norm;
                SAFETY
                    * (known * part(false))
                        .hypot(elsewhere * part(true))
                        .hypot(rounding)
            }
        };
        Self {
            scale,
            indicator,
            norm,
            residual,
            change,
            estimate,
        }
    }

    /// The record of the solve.
    pub(super) fn round(&self, factored: &Factored<'_>, operators: usize) -> Round {
        Round {
            leaves: factored.leaves.len(),
            skeleton: factored.elimination.unknowns(),
            indicator: self.indicator,
            residual: self.residual,
            change: self.change,
            estimate: self.estimate,
            fronts: factored.elimination.factored,
            operators,
        }
    }

    /// The leaves to split: those whose residual is a fair share of the largest and above rounding. Where all of them are
    /// small beside the tolerance and the estimate is not, errors are larger than residuals by as much as these two differ,
    /// and the residual of a leaf must be smaller by as much.
    pub(super) fn marked(
        &self,
        qualities: &[LeafQuality],
        tree: &Tree,
        options: &PatchOptions,
    ) -> Vec<usize> {
        let above = |least: f64| self.above(least, qualities, tree, options);
        let least = LEAF_SHARE * options.tolerance * self.scale;
        let marked = above(least);
        if marked.is_empty() && self.estimate > options.tolerance {
            return above(least * (self.indicator / self.estimate).min(1.0));
        }
        marked
    }

    /// The leaves whose residual is a fair share of the largest, above rounding and above this.
    pub(super) fn above(
        &self,
        least: f64,
        qualities: &[LeafQuality],
        tree: &Tree,
        options: &PatchOptions,
    ) -> Vec<usize> {
        let threshold = options.share * self.indicator * self.scale;
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

/// A change of u over the residual of the solve that it corrected.
fn ratio(change: f64, before: Option<&Round>) -> f64 {
    let residual = before.map_or(0.0, |round| round.residual);
    if residual > 0.0 {
        change / residual
    } else {
        0.0
    }
}
