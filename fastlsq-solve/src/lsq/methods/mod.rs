//! One file a method: each turns rows into an A ≈ Q₁·T and a way to invert T.

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
use faer::{Mat, MatRef};

/// What a method is given.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) source: &'a dyn RowSource,
    pub(crate) rhs: MatRef<'a, f64>,
    pub(crate) options: &'a LsqOptions,
    pub(crate) work: Work<'a>,
}

impl Task<'_> {
    /// Fails if the work was stopped: what came out of it means nothing.
    pub(crate) fn check(self) -> Result<(), LsqError> {
        Ok(self.work.control.check()?)
    }

    /// Fails if a step of so many operations, at the rate that others had, would not end in time.
    pub(crate) fn allow_flops(self, flops: f64, rate: f64) -> Result<(), LsqError> {
        Ok(self.work.control.allow_seconds(flops / rate)?)
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
