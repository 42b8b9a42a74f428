//! What a search hands out.

use super::super::candidate::Candidate;
use super::ROUNDING_SCORE;
use crate::options::Options;
use crate::posed::Posedness;
use crate::report::{CandidateReport, Status};

/// What a search found.
#[derive(Debug)]
pub struct Found<X> {
    /// The winning candidate.
    pub best: Candidate<X>,
    /// Its estimated relative error.
    pub estimate: f64,
    /// How well the question was posed.
    pub posedness: Posedness,
    /// Why the search ended.
    pub status: Status,
    /// Every candidate that was tried.
    pub candidates: Vec<CandidateReport>,
    /// How the choice was made, in a sentence.
    pub choice: String,
    /// Why the search gave up although more features were allowed, if it did.
    pub unpromising: Option<String>,
    /// The structure that was found in the data, in words; empty if there is none.
    pub structure: String,
}

impl<X> Found<X> {
    /// Whether something else might do better: the tolerance is not met, and not because of rounding.
    #[must_use]
    pub fn is_wanting(&self) -> bool {
        let searched = matches!(self.status, Status::Saturated | Status::LimitReached);
        let at_rounding = self.best.score.worst < ROUNDING_SCORE && self.unpromising.is_none();
        searched && !at_rounding
    }

    /// The same, judged by what these options ask for and no more.
    pub(in crate::search) fn judged_by(mut self, options: &Options) -> Self {
        let searched = matches!(self.status, Status::Saturated | Status::LimitReached);
        if searched && self.estimate <= options.tolerance && self.posedness.is_fine() {
            self.status = Status::ToleranceMet;
        }
        self
    }
}
