//! One file per method: each turns rows into an A ≈ Q₁·T and a way to invert T.

pub(crate) mod gram;
pub(crate) mod orthogonal;
pub(crate) mod sketch;
pub(crate) mod svd;

use super::error::LsqError;
use super::options::{LsqOptions, Method};
use super::range_map::RangeMap;
use super::solution_map::SolutionMap;
use super::source::RowSource;
use super::work::Work;
use crate::team::Team;
use faer::{Mat, MatRef};
use std::sync::Arc;
use std::time::Duration;

/// What a method is given.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) source: &'a dyn RowSource,
    pub(crate) rhs: MatRef<'a, f64>,
    pub(crate) options: &'a LsqOptions,
    pub(crate) work: Work<'a>,
    /// Whether the rows are shared out among the team of the control.
    pub(crate) shared: bool,
}

impl<'a> Task<'a> {
    /// The processes that share the rows, if there are several.
    pub(crate) fn team(self) -> Option<&'a Arc<dyn Team>> {
        let team = self.work.control.team()?;
        (self.shared && team.size() > 1).then_some(team)
    }

    /// Fails if the work was stopped: what came out of it means nothing.
    pub(crate) fn check(self) -> Result<(), LsqError> {
        Ok(self.work.control.check()?)
    }

    /// Fails if a step of this many operations, at the rate of earlier ones, would not end in time.
    pub(crate) fn allow_flops(self, flops: f64, rate: f64) -> Result<(), LsqError> {
        let control = self.work.control;
        let mut seconds = flops / rate;
        if self.team().is_some() {
            let own = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            seconds = control.agreed(own).as_secs_f64();
        } else if control.team().is_some() {
            // Rates differ from process to process, and this step is not one that they meet at.
            return Ok(());
        }
        Ok(control.allow_seconds(seconds)?)
    }
}

/// What a method delivers.
pub(crate) struct Parts {
    /// Q₁, if it was to be kept.
    pub(crate) range: Option<RangeMap>,
    /// The inverse of T.
    pub(crate) map: SolutionMap,
    /// Q₁ᵀb.
    pub(crate) coordinates: Mat<f64>,
    /// Squared norms of the part of b outside the range; `None` where the method cannot tell.
    pub(crate) outside: Option<Vec<f64>>,
    pub(crate) rank: usize,
    pub(crate) largest_pivot: f64,
    pub(crate) smallest_pivot: f64,
    pub(crate) largest_dropped: f64,
    pub(crate) condition: f64,
    pub(crate) flops: f64,
    pub(crate) reduction_seconds: f64,
    pub(crate) rank_seconds: f64,
    /// The method that stepped in for the one asked for, and why.
    pub(crate) fallback: Option<(Method, String)>,
}
