//! How many features and rows the next candidate gets.

use super::super::candidate::CandidateMaker;
use super::super::repeated::PointChoice;
use super::{ROUNDING_SCORE, Rows, Search, is_unresolved};

/// Growth of the number of features from level to level.
const GROWTH: f64 = 1.7;
/// The smallest growth that is worth a level.
const SMALLEST_GROWTH: f64 = 1.25;
/// Growth beyond what the trend of the scores calls for.
const MARGIN: f64 = 1.1;
/// Rows are for this many times the rank that is expected, if that is less than the number of features.
const COLUMNS_FOR_RANK: f64 = 1.5;
/// How much the rank may rise from one level to the next.
const RANK_GROWTH: f64 = 1.3;
/// Residuals that are this many times larger between the rows than on them call for more rows.
const OVERFIT: f64 = 100.0;
/// Where more rows did not help, they are tried again once the residuals differ this many times more.
const OVERFIT_AGAIN: f64 = 10.0;
/// The same where the search would end without having met the tolerance.
const OVERFIT_AT_LAST: f64 = 2.0;
/// The most rows, as a multiple of the usual number.
const MOST_ROWS: f64 = 4.0;
/// The points of a final number of features are those of no level.
const SETTLED_LEVEL: u64 = 600;

impl<W: CandidateMaker> Search<'_, W> {
    /// The next number of features, after `count` of them brought the score from `last` to `score`.
    ///
    /// With score ∝ Nᵖ through the last two levels, the estimate needs N·(estimate/tolerance)^(−1/p);
    /// it gets a little more than that, and never more than the usual growth.
    pub(in crate::search) fn grown(&self, count: usize, score: f64, last: f64) -> usize {
        let missing = self.estimate() / self.options().tolerance;
        let gained = last / score;
        let growth = if missing > 1.0 && gained > 1.0 && gained.is_finite() {
            let needed = (missing.ln() / gained.ln() * GROWTH.ln()).exp();
            (MARGIN * needed).clamp(SMALLEST_GROWTH, GROWTH)
        } else {
            GROWTH
        };
        let more = (count as f64 * growth) as usize;
        more.max(count.saturating_add(1)).min(self.limit())
    }

    /// Rows for this many features per unknown; each level has points of its own.
    pub(in crate::search) fn rows(&self, features: usize, level: u64) -> Result<Rows, W::Error> {
        self.rows_for(self.independent(features), level)
    }

    /// Rows for this many independent features per unknown.
    pub(in crate::search) fn rows_for(
        &self,
        features: usize,
        level: u64,
    ) -> Result<Rows, W::Error> {
        let options = self.options();
        let seed = options
            .seed
            .wrapping_mul(0x1_0000_0001)
            .wrapping_add(level * 7919);
        let wanted = features as f64 * self.row_factor;
        self.rows_at(PointChoice {
            features: wanted as usize,
            given: options.rows,
            seed,
            all_samples: false,
        })
    }

    /// Rows at these points.
    pub(in crate::search) fn rows_at(&self, points: PointChoice) -> Result<Rows, W::Error> {
        let blocks = self
            .maker
            .rows(points.features, points.given, points.seed)?;
        Ok(Rows { blocks, points })
    }

    /// Whether the best candidate's residual is so much larger between the rows than on them that more rows are called
    /// for; then there will be. Where they did not help before, it must be larger still.
    pub(in crate::search) fn more_rows(&mut self) -> bool {
        self.more_rows_above(OVERFIT.max(OVERFIT_AGAIN * self.rows_in_vain))
    }

    /// The same where nothing else is left to be tried: then rows cost little beside what was.
    pub(in crate::search) fn more_rows_at_last(&mut self) -> bool {
        self.more_rows_above(OVERFIT_AT_LAST)
    }

    fn more_rows_above(&mut self, overfit: f64) -> bool {
        let Some(best) = &self.best else {
            return false;
        };
        let wanted = best.overfit > overfit
            && best.score.worst > ROUNDING_SCORE
            && self.row_factor < MOST_ROWS
            && self.options().rows.is_none();
        if wanted {
            self.row_factor *= 2.0;
            self.rows_in_vain = best.overfit;
        }
        wanted
    }

    /// Says whether the rows that were added helped: from then on as many are taken, or as few as before.
    pub(in crate::search) fn rows_helped(&mut self, helped: bool) {
        if helped {
            self.rows_in_vain = 0.0;
        } else {
            self.row_factor *= 0.5;
        }
    }

    /// Ends with this many features, whatever the number that was enough.
    pub(in crate::search) fn settle_on(&mut self, count: usize) -> Result<(), W::Error> {
        let Some(best) = &self.best else {
            return Ok(());
        };
        if best.features.count() == count || best.features.rows().is_some() {
            return Ok(());
        }
        let features = best.features.with_count(count);
        let blocks = self.rows(count, SETTLED_LEVEL)?;
        let before = self.best.take();
        let settled = self.consider(features, &blocks);
        if self.best.is_none() {
            self.best = before;
        }
        settled.map(|_| ())
    }

    /// About how many of this many features per unknown are independent, with a reserve: redundant
    /// features need no rows of their own.
    pub(in crate::search) fn independent(&self, features: usize) -> usize {
        let Some(best) = &self.best else {
            return features;
        };
        let rank = best.info.rank as f64 / best.bases.len().max(1) as f64;
        let expected = COLUMNS_FOR_RANK * RANK_GROWTH * rank;
        if is_unresolved(best.score.worst) {
            features
        } else {
            features.min(expected.ceil() as usize)
        }
    }
}
