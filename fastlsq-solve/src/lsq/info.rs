//! What a solve did.

use super::options::Method;
use std::fmt;

/// The record of a factorisation: what was chosen and why, what was found, what it cost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LsqInfo {
    /// The method that produced the solution.
    pub method: Method,
    /// Why this method, in a sentence.
    pub reason: String,
    /// Methods that were tried first and gave up, with the cause.
    pub fallbacks: Vec<String>,
    /// Rows of A.
    pub rows: usize,
    /// Columns of A.
    pub cols: usize,
    /// Numerical rank.
    pub rank: usize,
    /// The relative threshold of the rank decision.
    pub threshold: f64,
    /// Largest pivot (or singular value) of the matrix the rank was decided on.
    pub largest_pivot: f64,
    /// Smallest pivot (or singular value) that was kept.
    pub smallest_pivot: f64,
    /// What was neglected, on the same scale: the largest remaining column norm or dropped singular value.
    pub largest_dropped: f64,
    /// Estimate of the 2-norm condition number of the kept part.
    pub condition: f64,
    /// Floating-point operations of the factorisation, to leading order.
    pub flops: f64,
    /// Time of each stage.
    pub seconds: StageSeconds,
}

impl LsqInfo {
    /// The record of a factorisation of full rank, for backends to fill in.
    #[must_use]
    pub fn new(method: Method, reason: impl Into<String>, rows: usize, cols: usize) -> Self {
        Self {
            method,
            reason: reason.into(),
            fallbacks: Vec::new(),
            rows,
            cols,
            rank: rows.min(cols),
            threshold: 0.0,
            largest_pivot: 1.0,
            smallest_pivot: 1.0,
            largest_dropped: 0.0,
            condition: 1.0,
            flops: 0.0,
            seconds: StageSeconds::default(),
        }
    }
}

/// Wall-clock seconds of the stages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StageSeconds {
    /// Producing the rows and reducing them to a triangle (or Gram matrix, or sketch).
    pub reduction: f64,
    /// Finding the rank.
    pub rank_revealing: f64,
    /// Forming the solution.
    pub solution: f64,
}

impl StageSeconds {
    /// All stages together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.reduction + self.rank_revealing + self.solution
    }
}

impl fmt::Display for LsqInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}×{} by {} ({}): rank {}, condition {:.1e}, {:.1} ms",
            self.rows,
            self.cols,
            self.method,
            self.reason,
            self.rank,
            self.condition,
            1e3 * self.seconds.total()
        )?;
        for fallback in &self.fallbacks {
            write!(f, "; {fallback}")?;
        }
        Ok(())
    }
}
