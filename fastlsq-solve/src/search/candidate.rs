//! One candidate, and what a search needs to know of a problem to make one.

use std::sync::Arc;

use fastlsq_basis::{Basis, Parity};

use super::features::Features;
use super::homes::Surroundings;
use super::repeated::PointChoice;
use super::ridge::Ridge;
use super::structure::{Structure, structure};
use super::unseen::Unseen;
use crate::SolveError;
use crate::control::Limit;
use crate::domain::BoundingBox;
use crate::lsq::LsqInfo;
use crate::options::Options;
use crate::posed::Posedness;
use crate::problem::ConcreteProblem;
use crate::rows::Score;
use crate::system::RowBlock;

/// A solved candidate; `extra` is what its maker wants to remember.
#[derive(Debug)]
pub struct Candidate<X> {
    /// Its features.
    pub features: Features,
    /// The bases built from them, one for each unknown.
    pub bases: Vec<Arc<dyn Basis>>,
    /// The coefficients.
    pub beta: Vec<f64>,
    /// How well it does at held-out points.
    pub score: Score,
    /// The record of the (last) factorisation.
    pub info: LsqInfo,
    /// The factor on each block.
    pub weights: Vec<f64>,
    /// The rows of each block.
    pub rows: Vec<usize>,
    /// Where they come from; the search notes it.
    pub points: Option<PointChoice>,
    /// The ridge that the search has set.
    pub ridge: Ridge,
    /// How many times larger the residual is at held-out points than at the fitted ones, for the worst blocks; 1 where
    /// that is not known.
    pub overfit: f64,
    /// Seconds for everything.
    pub seconds: f64,
    /// Whatever else the maker knows.
    pub extra: X,
}

/// What a search needs to know of a problem: how to sample rows, and how to solve a candidate.
///
/// A linear problem has one; a nonlinear problem has another, whose `run` is a Newton iteration.
pub trait CandidateMaker {
    /// What a candidate carries besides the coefficients.
    type Extra;
    /// What can go wrong.
    type Error: From<SolveError>;

    /// The problem; what is not linear in it stands as rows without operators.
    fn problem(&self) -> &ConcreteProblem;

    /// The options in force.
    fn options(&self) -> &Options;

    /// The domain's bounding box.
    ///
    /// # Errors
    /// A domain without one.
    fn bounding_box(&self) -> Result<BoundingBox, Self::Error> {
        let bounds = self.problem().domain.bounding_box();
        Ok(bounds.map_err(SolveError::from)?)
    }

    /// The parity of each unknown along each axis.
    fn parity(&self) -> &[Vec<Parity>];

    /// What the geometry says of the features of every candidate.
    fn beside(&self) -> Option<&Surroundings> {
        None
    }

    /// Solutions of the equations themselves, more of them from level to level; `None` where there are none, or no more.
    ///
    /// # Errors
    /// Functions that cannot be built.
    fn particular(&self, level: usize) -> Result<Option<Features>, Self::Error> {
        let _ = level;
        Ok(None)
    }

    /// Whether waves may be of use, or nothing but such solutions.
    fn may_use_waves(&self) -> bool {
        true
    }

    /// Whether there are only data to fit, and no equation.
    fn only_data(&self) -> bool {
        false
    }

    /// The ridge of the candidates from now on; only where there are [only data](Self::only_data).
    fn set_ridge(&mut self, ridge: Ridge) {
        let _ = ridge;
    }

    /// What the data tell of the solution before any solve.
    fn structure(&self) -> Option<Structure> {
        structure(self.problem(), self.options())
    }

    /// The class of each axis, where axes of one class can be exchanged: none where that is not known.
    fn exchangeable(&self) -> Option<Vec<usize>> {
        None
    }

    /// Whether something else is at hand where one sum of waves will not do: then the search ends as soon as its trend
    /// says so.
    fn may_give_up(&self) -> bool {
        false
    }

    /// Fresh rows for this many features per unknown; `explicit` numbers are obeyed.
    ///
    /// # Errors
    /// A domain that cannot be sampled, data that are not finite.
    fn rows(
        &self,
        features: usize,
        explicit: Option<(usize, usize)>,
        seed: u64,
    ) -> Result<Vec<RowBlock>, Self::Error>;

    /// All samples of a fit, the held-out ones too; `None` where there is more than samples.
    ///
    /// # Errors
    /// Data that are not finite.
    fn all_samples(&self, points: &PointChoice) -> Result<Option<Vec<RowBlock>>, Self::Error> {
        let _ = points;
        Ok(None)
    }

    /// Solves a candidate on these rows and judges it.
    ///
    /// # Errors
    /// Whatever keeps it from being solved.
    fn run(
        &mut self,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Candidate<Self::Extra>, Self::Error>;

    /// What other features, on rows of their own, find to be missing from a candidate: the solution for its residual, relative
    /// to its own size. `None` where that cannot be found.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn missing(
        &self,
        candidate: &Candidate<Self::Extra>,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Option<f64>, Self::Error> {
        let _ = (candidate, features, blocks);
        Ok(None)
    }

    /// The limit that an error speaks of, if it says nothing but that one was reached: the search then ends with the best
    /// that it has.
    #[must_use]
    fn limit(error: &Self::Error) -> Option<Limit>;

    /// The names of the equations and conditions, in the order of the blocks of rows.
    fn labels(&self) -> Vec<String> {
        self.problem().labels()
    }

    /// How well the question was posed, judged around a candidate.
    ///
    /// # Errors
    /// Rows that cannot be written or factored.
    fn posedness(&self, best: &Candidate<Self::Extra>) -> Result<Posedness, Self::Error>;

    /// Detail of the data that a candidate has not seen; none where data cannot be looked at by themselves.
    ///
    /// # Errors
    /// Data that cannot be evaluated.
    fn unseen(&self, best: &Candidate<Self::Extra>) -> Result<Option<Unseen>, Self::Error> {
        let _ = best;
        Ok(None)
    }

    /// Whether an error speaks only against these features, so that others are worth trying:
    /// they cannot take on the values of exact conditions, say.
    #[must_use]
    fn refuses_features(error: &Self::Error) -> bool {
        let _ = error;
        false
    }
}
