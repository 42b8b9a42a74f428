//! What a solve cannot answer, and what to do about it.

use std::sync::Arc;

use fastlsq_basis::BasisError;
use fastlsq_ops::{OperatorError, StatementError};
use thiserror::Error;

use crate::control::Limit;
use crate::domain::DomainError;
use crate::lsq::LsqError;
use crate::patches::PatchError;
use crate::problem::{Mistake, list};
use crate::samples::SampleError;

/// A linear problem that cannot be solved as stated.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The domain cannot be sampled as asked.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// An operator is inconsistent.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// Features cannot be built or evaluated.
    #[error(transparent)]
    Basis(#[from] BasisError),
    /// The least-squares system cannot be solved.
    #[error(transparent)]
    Lsq(Arc<LsqError>),
    /// A limit was reached, or the call cancelled, before there was anything to return.
    #[error("stopped before there was a result: {0}")]
    Stopped(#[from] Limit),
    /// The user's data are NaN or infinite somewhere.
    #[error(
        "the data of {label} are {value} at {point:?}; data must be finite on the whole domain"
    )]
    DataNotFinite {
        /// The equation or condition.
        label: String,
        /// The point.
        point: Vec<f64>,
        /// The value there.
        value: f64,
    },
    /// A point that is NaN or infinite.
    #[error("{label} has the point {point:?}; the coordinates of points must be finite")]
    PointNotFinite {
        /// The equation or condition.
        label: String,
        /// The point.
        point: Vec<f64>,
    },
    /// More features than any memory holds.
    #[error(
        "{features} features for each of {unknowns} unknowns do not fit in memory, which must hold the square of their number; ask for fewer"
    )]
    TooManyFeatures {
        /// Features for each unknown.
        features: usize,
        /// The number of unknowns.
        unknowns: usize,
    },
    /// Nothing was asked: no equation, condition or data, or none with rows.
    #[error(
        "there are no rows or no features: add an equation with .equation(…) or data with .data(…), and give each condition at least one row"
    )]
    NothingToSolve,
    /// Points and values of a table that do not match, or lie in another space.
    #[error("{label} has {found} {what}, but {expected} are needed")]
    Table {
        /// The condition.
        label: String,
        /// What is counted.
        what: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An option outside its range.
    #[error("option {option} = {value} is not allowed: {requirement}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },
    /// Mistakes in the equations and conditions.
    #[error("the problem cannot be solved as stated:\n{}", list(.0))]
    Statement(Arc<[Mistake]>),
    /// An expression that cannot be evaluated.
    #[error(transparent)]
    Expression(#[from] StatementError),
    /// An unknown that does not exist.
    #[error("there is no unknown {name:?}; the unknowns are {known:?}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A basis that does not fit the problem.
    #[error("the basis has dimension {basis}, but the domain has dimension {domain}")]
    Dimension {
        /// The dimension of the basis.
        basis: usize,
        /// The dimension of the domain.
        domain: usize,
    },
    /// The thread pool could not be started.
    #[error("a pool of {threads} threads could not be started: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// A solution of another problem.
    #[error("the unknowns are {names:?}, but those of the problem are {known:?}")]
    UnknownNames {
        /// The names of the solution.
        names: Vec<String>,
        /// The names of the problem.
        known: Vec<String>,
    },
    /// Standard deviations for a condition that has no table of values.
    #[error(
        "{label} has standard deviations but no measured values; they belong to conditions at given points (Condition::at)"
    )]
    DeviationsWithoutTable {
        /// The condition.
        label: String,
    },
    /// A block of rows that does not exist.
    #[error("there is no equation or condition {name:?}; there are {known:?}")]
    Block {
        /// The name or number that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Patches cannot solve the problem.
    #[error(transparent)]
    Patches(Arc<PatchError>),
    /// A grid that cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A picture that cannot be drawn or written.
    #[cfg(feature = "plot")]
    #[error(transparent)]
    Plot(Arc<fastlsq_plot::PlotError>),
    /// A backend failed for a reason of its own (a device, a driver).
    #[error("backend {backend}: {reason}")]
    Backend {
        /// The backend.
        backend: String,
        /// Its own words.
        reason: String,
    },
}

impl From<LsqError> for SolveError {
    fn from(error: LsqError) -> Self {
        match error {
            LsqError::Stopped(limit) => Self::Stopped(limit),
            other => Self::Lsq(Arc::new(other)),
        }
    }
}

impl SolveError {
    /// The limit behind this error, if that is all it says.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Self::Stopped(limit) => Some(*limit),
            Self::Lsq(cause) => match **cause {
                LsqError::TooLarge { needed, limit, .. } => Some(Limit::Memory { needed, limit }),
                _ => None,
            },
            Self::TooManyFeatures { .. } => Some(Limit::Memory {
                needed: usize::MAX,
                limit: isize::MAX.unsigned_abs(),
            }),
            _ => None,
        }
    }

    /// Whether this error says that exact conditions cannot be met by the features.
    #[doc(hidden)]
    #[must_use]
    pub fn refuses_features(&self) -> bool {
        matches!(self, Self::Lsq(cause)
            if matches!(**cause, LsqError::InconsistentConstraints { .. }))
    }
}

#[cfg(feature = "plot")]
impl From<fastlsq_plot::PlotError> for SolveError {
    fn from(error: fastlsq_plot::PlotError) -> Self {
        Self::Plot(Arc::new(error))
    }
}

impl From<PatchError> for SolveError {
    fn from(error: PatchError) -> Self {
        match error {
            PatchError::Stated(error) => *error,
            PatchError::Limit(limit) => Self::Stopped(limit),
            error => Self::Patches(Arc::new(error)),
        }
    }
}
