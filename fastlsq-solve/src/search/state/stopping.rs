//! Whether the search ends here: the tolerance, the question, the trend.

use fastlsq_basis::Basis;

use super::super::candidate::CandidateMaker;
use super::super::estimate;
use super::{Missing, ROUNDING_SCORE, Search, UNRESOLVED};
use crate::posed::{CONTRADICTION, Posedness};
use crate::report::Status;

/// A level that improves the score by less than this factor is the last.
const WORTHWHILE: f64 = 2.0;
/// Features are dependent if their rank is less than this share of their number.
const DEPENDENT: f64 = 0.85;
/// Systems with more columns than this are not tried where the last levels brought nothing.
const CHEAP_COLUMNS: usize = 2000;
/// With this many times the first number of features a misfit must be about what it was to count as a contradiction.
const MORE_FEATURES: f64 = 1.5;
/// A misfit above this share of the one with few features has stayed.
const STAYS: f64 = 0.6;
/// The points of a companion are those of no level.
const COMPANION_LEVEL: u64 = 500;
/// So are those of the features that look for what is missing, whose draw is that of no candidate, and their number relative
/// to that of the candidate: half of them overlook too much.
const OTHER_LEVEL: u64 = 501;
const OTHER_DRAW: u64 = 0x3331;
const OTHER_FEATURES: f64 = 0.7;

impl<W: CandidateMaker> Search<'_, W> {
    /// Whether the best candidate so far is good enough.
    ///
    /// Candidates of one draw err alike, so before the answer is yes, a companion of the best with
    /// features and points of its own is asked too.
    pub(in crate::search) fn tolerance_met(&mut self) -> Result<bool, W::Error> {
        if self.estimate() > self.options().tolerance {
            return Ok(false);
        }
        self.call_a_companion(false)?;
        if self.estimate() > self.options().tolerance {
            return Ok(false);
        }
        self.look_for_what_is_missing()?;
        Ok(self.estimate() <= self.options().tolerance)
    }

    /// Has other features look for what is missing from the best candidate, once for each that becomes the best.
    pub(in crate::search) fn look_for_what_is_missing(&mut self) -> Result<(), W::Error> {
        let Some(best) = &self.best else {
            return Ok(());
        };
        let (Missing::NotLookedFor, Some(seed)) = (&self.missing, best.features.draw()) else {
            return Ok(());
        };
        let count = (OTHER_FEATURES * best.features.count() as f64).ceil() as usize;
        let others = best
            .features
            .with_seed(seed.wrapping_add(OTHER_DRAW))
            .with_count(count);
        let found = if others.draw() == Some(seed) {
            None
        } else {
            let rows = self.rows(count, OTHER_LEVEL)?;
            match self.maker.missing(best, others, &rows.blocks) {
                Err(error) if W::refuses_features(&error) => None,
                found => found?,
            }
        };
        self.missing = found.map_or(Missing::Unknown, Missing::Share);
        Ok(())
    }

    /// Tries the best candidate's features once more from another draw, unless some candidate of
    /// another draw was tried already. Unless the best is to be kept, the companion takes its place if it is better.
    pub(in crate::search) fn call_a_companion(&mut self, keep: bool) -> Result<(), W::Error> {
        let Some(best) = &self.best else {
            return Ok(());
        };
        let draw = best.features.draw();
        let Some(seed) = draw else {
            return Ok(());
        };
        if self
            .witnesses
            .iter()
            .any(|witness| estimate::is_independent(witness, draw))
        {
            return Ok(());
        }
        let companion = best.features.with_seed(seed.wrapping_add(0x7717));
        let blocks = self.rows(best.features.count(), COMPANION_LEVEL)?;
        let kept = if keep { self.best.take() } else { None };
        let called = self.consider(companion, &blocks);
        if kept.is_some() {
            self.best = kept;
        }
        called.map(|_| ())
    }

    /// Notes what was found in the data.
    pub(in crate::search) fn say(&mut self, structure: String) {
        self.structure = structure;
    }

    /// Whether nothing more is to be done, and why: the question was wrong, the tolerance is met, a limit is reached.
    pub(in crate::search) fn settled(&mut self) -> Result<Option<Status>, W::Error> {
        Ok(if !self.judge().is_fine() {
            Some(Status::IllPosed)
        } else if self.tolerance_met()? {
            Some(Status::ToleranceMet)
        } else {
            self.is_over().then_some(Status::LimitReached)
        })
    }

    /// As [`settled`](Self::settled), with a close look at the data before the tolerance is said to be met: where they have
    /// detail between the rows, more features are worth trying.
    pub(in crate::search) fn settled_closely(&mut self) -> Result<Option<Status>, W::Error> {
        let settled = self.settled()?;
        let tolerance = self.options().tolerance;
        let unseen = match (&settled, &self.best) {
            (Some(Status::ToleranceMet), Some(best)) => self.maker.unseen(best).ok().flatten(),
            _ => None,
        };
        Ok(settled.filter(|_| unseen.is_none_or(|unseen| unseen.share <= tolerance)))
    }

    /// Whether growth ends at this level, and why. `last` is the score of the level before.
    pub(in crate::search) fn should_stop(
        &mut self,
        score: f64,
        last: f64,
        count: usize,
    ) -> Result<Option<Status>, W::Error> {
        self.trend.push(count, score);
        let settled = self.settled()?;
        Ok(if settled.is_some() {
            settled
        } else if count >= self.limit() {
            Some(Status::LimitReached)
        } else if self.at_rounding(score)
            || (score < UNRESOLVED && self.are_dependent() && last < WORTHWHILE * score)
        {
            Some(Status::Saturated)
        } else if self.maker.may_give_up() {
            let missing = self.estimate() / self.options().tolerance;
            self.unpromising = self.trend.objection(missing, self.limit());
            self.unpromising.as_ref().map(|_| Status::Saturated)
        } else if self.is_expensive(self.grown(count, score, last)) {
            self.given_up = self.trend.stagnation();
            self.given_up.as_ref().map(|_| Status::Saturated)
        } else {
            None
        })
    }

    /// Whether a level with this many features per unknown takes so long that it needs a reason.
    fn is_expensive(&self, features: usize) -> bool {
        features.saturating_mul(self.maker.parity().len().max(1)) > CHEAP_COLUMNS
    }

    /// How well the question was posed, judged once. A judgement that fails (for want of memory, say) counts as none.
    pub(in crate::search) fn judge(&mut self) -> Posedness {
        if let Some(judged) = &self.judged {
            return judged.clone();
        }
        let Some(best) = &self.best else {
            return Posedness::NotExamined;
        };
        let judged = self.maker.posedness(best).unwrap_or_default();
        self.judged = Some(judged.clone());
        judged
    }

    /// Equations and conditions that do not hold together: what is left of the data does not fall with the number of
    /// features.
    pub(in crate::search) fn contradiction(&self) -> Option<(f64, Vec<usize>)> {
        let best = self.best.as_ref()?;
        let misfit = best.score.misfit();
        let fewest = self.misfits.iter().map(|(count, _)| *count).min()? as f64;
        let smallest = |more: bool| {
            let own = self
                .misfits
                .iter()
                .filter(|(count, _)| (*count as f64 >= MORE_FEATURES * fewest) == more);
            own.map(|(_, misfit)| *misfit).reduce(f64::min)
        };
        let stays = smallest(true)? > STAYS * smallest(false)?;
        (stays && misfit > CONTRADICTION).then(|| (misfit, best.score.misfits()))
    }

    /// Whether the score is a matter of rounding: about as small as scores get, and features that are numerically
    /// dependent, so that more of them span nothing new.
    fn at_rounding(&self, score: f64) -> bool {
        score < ROUNDING_SCORE && self.are_dependent()
    }

    /// Whether the features of the best candidate are numerically dependent.
    pub(in crate::search) fn are_dependent(&self) -> bool {
        self.best.as_ref().is_some_and(|best| {
            let columns: usize = best.bases.iter().map(Basis::len).sum();
            (best.info.rank as f64) < DEPENDENT * columns as f64
        })
    }
}
