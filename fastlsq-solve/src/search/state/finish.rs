//! The end of a search: estimate, posedness and status of its best candidate.

use super::super::candidate::CandidateMaker;
use super::super::repeated::PointChoice;
use super::{Ending, Found, Search};
use crate::SolveError;
use crate::options::FeatureChoice;
use crate::posed::Posedness;
use crate::report::Status;
use crate::system::RowBlock;

impl<W: CandidateMaker> Search<'_, W> {
    /// Ends the search with its best candidate.
    ///
    /// If there is no candidate of another draw to compare with, one is made, so that the error
    /// estimate rests on something. A limit that was reached ends the search like any other end: only without any
    /// candidate is it an error.
    pub(super) fn finish(
        mut self,
        ended: Result<Ending, W::Error>,
    ) -> Result<Found<W::Extra>, W::Error> {
        let ended = ended.and_then(|ending| {
            // The candidate that was asked for is the one returned, however well its companion does.
            let keep = ending.0 == Status::Explicit;
            self.call_a_companion(keep)?;
            self.look_for_what_is_missing()?;
            self.fit_all_samples()?;
            Ok(ending)
        });
        let (status, choice) = match ended {
            Ok(ending) => ending,
            Err(error) => match W::limit(&error) {
                Some(limit) => {
                    self.best = self.best.or(self.companion.take());
                    if self.best.is_none() {
                        return Err(self.refused.unwrap_or(error));
                    }
                    (limit.into(), format!("cut short: {limit}"))
                }
                None => return Err(error),
            },
        };
        let mut posedness = self.judge();
        if posedness.is_fine()
            && let Some((misfit, blocks)) = self.contradiction()
        {
            let labels = self.maker.labels();
            let blocks = blocks
                .into_iter()
                .filter_map(|index| labels.get(index).cloned());
            posedness = Posedness::Contradictory {
                misfit,
                blocks: blocks.collect(),
            };
        }
        let mut estimate = self.estimate();
        let mut choice = choice;
        if let Some(reason) = self.given_up.take() {
            choice = format!("{choice}; {reason}");
        }
        if let Some(best) = &self.best {
            if let Some(ridge) = best.ridge.words() {
                choice = format!("{choice}, {ridge}");
            }
            estimate = posedness.estimate(estimate, best.score.worst);
            // Before a tolerance is said to be met, the data are looked at more closely than rows can; where they cannot
            // be (they need not be finite where no row is), nothing more is known. What was overlooked is a residual like the
            // others, and this problem turns it into an error in the same way.
            if estimate <= self.options().tolerance
                && let Some(unseen) = self.maker.unseen(best).ok().flatten()
                && unseen.share > best.score.worst
            {
                let ratio = unseen.share / best.score.worst.max(f64::MIN_POSITIVE);
                estimate = estimate.max((estimate * ratio).min(unseen.share));
                choice = format!(
                    "{choice}; the data of {} have detail near {:.4?} that no row has seen",
                    unseen.label, unseen.point
                );
            }
        }
        let tolerance = self.options().tolerance;
        let stopped = self.options().control().check().err();
        let none = self.refused.unwrap_or_else(|| {
            let reason = stopped.map_or(SolveError::NothingToSolve, SolveError::from);
            reason.into()
        });
        let best = self.best.ok_or(none)?;
        let status = match status {
            Status::Explicit | Status::Cancelled => status,
            // A misfit that stays may be that of a singular solution, which is not the question's fault.
            _ if matches!(posedness, Posedness::Contradictory { .. }) => match status {
                Status::LimitReached => Status::LimitReached,
                _ => Status::Saturated,
            },
            _ if !posedness.is_fine() => Status::IllPosed,
            _ if estimate <= tolerance => Status::ToleranceMet,
            Status::ToleranceMet => Status::LimitReached,
            other => other,
        };
        Ok(Found {
            best,
            estimate,
            posedness,
            status,
            candidates: self.candidates,
            choice,
            unpromising: self.unpromising,
            structure: self.structure,
        })
    }

    /// Once everything is chosen, held-out samples have done their work: the best candidate is fitted to all samples. What is
    /// said of it is what was found without them.
    fn fit_all_samples(&mut self) -> Result<(), W::Error> {
        let wanted = match &self.options().choice {
            FeatureChoice::Automatic => true,
            FeatureChoice::Repeated(choices) => choices.points.all_samples,
            _ => false,
        };
        let Some((best, points)) = self
            .best
            .as_ref()
            .and_then(|best| Some((best, best.points?)))
        else {
            return Ok(());
        };
        if !wanted || self.is_over() {
            return Ok(());
        }
        let Some(blocks) = self.maker.all_samples(&points)? else {
            return Ok(());
        };
        let rows: Vec<usize> = blocks.iter().map(RowBlock::len).collect();
        if rows == best.rows {
            return Ok(());
        }
        let (features, ridge) = (best.features.clone(), best.ridge);
        self.maker.set_ridge(ridge);
        let all = self.maker.run(features, &blocks)?;
        if let Some(best) = &mut self.best {
            best.points = Some(PointChoice {
                all_samples: true,
                ..points
            });
            (best.beta, best.info, best.weights, best.rows) =
                (all.beta, all.info, all.weights, all.rows);
            best.seconds = all.seconds;
        }
        Ok(())
    }
}
