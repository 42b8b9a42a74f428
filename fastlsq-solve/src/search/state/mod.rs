//! The search: bandwidths at a small size, then growth until the tolerance is met.

mod asked;
mod finish;
mod found;
mod levels;
mod moments;
mod stopping;

use super::candidate::{Candidate, CandidateMaker};
use super::estimate::{self, Witness};
use super::features::Features;
use super::repeated::PointChoice;
use super::trend::Trend;
use super::tune;
use crate::SolveError;
use crate::control::Stage;
use crate::options::{FeatureChoice, Options};
use crate::posed::Posedness;
use crate::report::{CandidateReport, Status};
use crate::rows::square_bytes;
use crate::system::RowBlock;

pub use found::Found;

/// Scores below this are near rounding.
const ROUNDING_SCORE: f64 = 1e-12;
/// With this score and above nothing is resolved yet, and stagnation means nothing.
const UNRESOLVED: f64 = 3e-2;
/// Companions smaller than this say nothing.
pub(super) const SMALLEST_COMPANION: usize = 16;

/// Solves a problem as far as its options leave something to choose. The options are those of a call that was
/// [started](Options::started).
///
/// # Errors
/// Whatever keeps a candidate from being solved, and a limit that is reached before there is one.
pub fn search<W: CandidateMaker>(maker: &mut W) -> Result<Found<W::Extra>, W::Error> {
    let choice = maker.options().choice.clone();
    let dim = maker.bounding_box()?.dim();
    let mut search = Search {
        maker,
        dim,
        best: None,
        companion: None,
        missing: Missing::NotLookedFor,
        witnesses: Vec::new(),
        candidates: Vec::new(),
        misfits: Vec::new(),
        row_factor: 1.0,
        rows_in_vain: 0.0,
        judged: None,
        refused: None,
        trend: Trend::default(),
        unpromising: None,
        given_up: None,
        structure: String::new(),
    };
    let ended = match &choice {
        FeatureChoice::Basis(basis) => search.single(Features::Given(basis.clone()), None),
        FeatureChoice::Repeated(choices) => search.repeat(choices),
        FeatureChoice::Law(law) => search.explicit(law),
        FeatureChoice::Grid { bandwidths, trials } => search.grid(bandwidths, *trials),
        FeatureChoice::Automatic => tune::automatic(&mut search),
    };
    search.finish(ended)
}

/// Sampled rows, and where they come from.
#[derive(Debug)]
pub(super) struct Rows {
    blocks: Vec<RowBlock>,
    points: PointChoice,
}

/// Why a search ended, and how the choice was made.
pub(super) type Ending = (Status, String);

/// What other features find to be missing from a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Missing {
    NotLookedFor,
    /// It cannot be found.
    Unknown,
    /// Relative to u.
    Share(f64),
}

/// The state of a search: what was tried, and the best of it.
pub(super) struct Search<'a, W: CandidateMaker> {
    pub(super) maker: &'a mut W,
    dim: usize,
    best: Option<Candidate<W::Extra>>,
    /// A candidate that serves the estimate only, unless there is nothing else to return.
    companion: Option<Candidate<W::Extra>>,
    witnesses: Vec<Witness>,
    /// What is missing from the best candidate.
    missing: Missing,
    candidates: Vec<CandidateReport>,
    /// For each candidate its features per unknown and what it leaves of the data.
    misfits: Vec<(usize, f64)>,
    /// How many times the usual rows are taken.
    row_factor: f64,
    /// The overfit at which more rows were tried and did not help.
    rows_in_vain: f64,
    /// How well the question was posed, once it was judged.
    judged: Option<Posedness>,
    /// Why the last candidate that could not be solved could not.
    refused: Option<W::Error>,
    trend: Trend,
    unpromising: Option<String>,
    /// Why more features were too expensive for what they promise, if they were.
    given_up: Option<String>,
    structure: String,
}

impl<W: CandidateMaker> Search<'_, W> {
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn options(&self) -> &Options {
        self.maker.options()
    }

    /// Whether no further candidate may begin.
    pub(super) fn is_over(&self) -> bool {
        self.options().control().is_over()
    }

    /// The most features an unknown may get.
    pub(super) fn limit(&self) -> usize {
        self.options()
            .features
            .unwrap_or(self.options().max_features)
    }

    /// Runs a candidate, keeps it if it is the best, and returns its score.
    pub(super) fn consider(&mut self, features: Features, rows: &Rows) -> Result<f64, W::Error> {
        let stage = Stage::Candidate {
            features: features.count(),
        };
        let control = self.options().control().clone();
        control.enter(stage).map_err(SolveError::from)?;
        // No solve can do with less than this: what does not fit is not drawn either.
        let least = square_bytes(features.count(), self.maker.parity().len().max(1));
        control.allow_bytes(least).map_err(SolveError::from)?;
        let mut candidate = match self.maker.run(features, &rows.blocks) {
            Ok(candidate) => candidate,
            Err(error) if W::refuses_features(&error) => {
                self.refused = Some(error);
                return Ok(f64::INFINITY);
            }
            Err(error) => return Err(error),
        };
        candidate.points = Some(rows.points);
        // A candidate and the best so far are compared on one scale.
        let mut standing = f64::INFINITY;
        if let Some(best) = &self.best {
            standing = best.score.beside(&candidate.score);
            candidate.score.worst = candidate.score.beside(&best.score);
        }
        let score = candidate.score.worst;
        control.note_score(score);
        self.candidates.push(CandidateReport::of(&candidate));
        self.misfits
            .push((candidate.features.count(), candidate.score.misfit()));
        self.witnesses.push(Witness {
            score,
            values: candidate.score.values.clone(),
            draw: candidate.features.draw(),
        });
        if self.best.is_none() || score < standing {
            self.missing = Missing::NotLookedFor;
            self.best = Some(candidate);
        }
        Ok(score)
    }

    /// How many candidates were tried.
    pub(super) fn probe_count(&self) -> usize {
        self.candidates.len()
    }

    /// The estimated relative error of the best candidate so far.
    pub(super) fn estimate(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| {
            let estimate =
                estimate::relative_error(&best.score, best.features.draw(), &self.witnesses);
            match self.missing {
                Missing::Share(missing) => estimate::with_missing(estimate, missing, &best.score),
                Missing::NotLookedFor | Missing::Unknown => estimate,
            }
        })
    }
}

/// Whether a score says that nothing is resolved yet.
pub(super) fn is_unresolved(score: f64) -> bool {
    score.is_nan() || score >= UNRESOLVED
}
