//! What can go wrong in a least-squares problem.

use crate::control::Limit;
use thiserror::Error;

/// Which of the given data an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// The matrix A.
    Matrix,
    /// The right-hand side b.
    RightHandSide,
    /// The constraint matrix C.
    Constraints,
    /// The constraint values d.
    ConstraintValues,
    /// The vector handed to the adjoint.
    Adjoint,
}

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Matrix => "the matrix A",
            Self::RightHandSide => "the right-hand side",
            Self::Constraints => "the constraint matrix C",
            Self::ConstraintValues => "the constraint values d",
            Self::Adjoint => "the adjoint input",
        })
    }
}

/// An error of the least-squares engine. Every variant says what to do about it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LsqError {
    /// There is nothing to solve.
    #[error("the matrix is {rows}×{cols}: give at least one row and one column")]
    Empty {
        /// Rows of A.
        rows: usize,
        /// Columns of A.
        cols: usize,
    },
    /// Two inputs do not fit together.
    #[error("{input} has {found} rows but {expected} are needed: one for each {each}")]
    Shape {
        /// The input with the wrong size.
        input: Input,
        /// What a row stands for.
        each: &'static str,
        /// Rows needed.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// A NaN or an infinity in the data.
    #[error(
        "{input} has the value {value} in row {row}, column {column}: check the coefficients and data that produce this row"
    )]
    NotFinite {
        /// Where the value was found.
        input: Input,
        /// Its row, counted from 0.
        row: usize,
        /// Its column, counted from 0.
        column: usize,
        /// The value.
        value: f64,
    },
    /// The problem does not fit into the allowed memory; nothing was allocated.
    #[error(
        "a {rows}×{cols} problem needs about {needed} bytes but {limit} are allowed: use fewer columns, do not keep Q, or raise the memory limit"
    )]
    TooLarge {
        /// Rows of A.
        rows: usize,
        /// Columns of A.
        cols: usize,
        /// Estimated need, saturating at the largest integer.
        needed: usize,
        /// The limit in force.
        limit: usize,
    },
    /// The time is up, or the call was cancelled.
    #[error(transparent)]
    Stopped(#[from] Limit),
    /// An option outside its range.
    #[error("option `{option}` is {value}: it must be {requirement}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        requirement: &'static str,
    },
    /// Plain QR met a column that depends exactly on the ones before it.
    #[error(
        "column {column} is a combination of earlier columns, so plain QR has no solution: use the rank-revealing QR or add a ridge"
    )]
    Singular {
        /// The dependent column.
        column: usize,
    },
    /// New right-hand sides need the orthogonal factor, which was not kept.
    #[error(
        "the orthogonal factor was not kept: factor with `keep_q(true)` to solve for new right-hand sides or for the adjoint"
    )]
    QNotKept,
    /// The equality constraints contradict each other.
    #[error(
        "the constraints contradict each other: their relative residual cannot go below {residual:.1e}; remove one of the conflicting conditions"
    )]
    InconsistentConstraints {
        /// ‖Cx − d‖ / ‖d‖ for the best x.
        residual: f64,
    },
    /// The rows could not be produced.
    #[error("the rows from {row} on could not be produced: {cause}")]
    Source {
        /// First row of the failed block.
        row: usize,
        /// The cause.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A pool with the requested number of threads could not be started.
    #[error(
        "could not start {threads} threads ({reason}): leave `threads` unset to use the running pool"
    )]
    Threads {
        /// Threads requested.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

impl LsqError {
    /// The error of rows that were counted from a row other than the first.
    pub(crate) fn moved(mut self, first: usize) -> Self {
        if let Self::NotFinite { row, .. } = &mut self {
            *row += first;
        }
        self
    }
}
