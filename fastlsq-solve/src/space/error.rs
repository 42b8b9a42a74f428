//! What a trial space cannot be built from.

use fastlsq_basis::BasisError;
use fastlsq_ops::{OperatorError, StatementError};
use thiserror::Error;

use crate::domain::DomainError;
use crate::lsq::LsqError;
use crate::patches::PatchError;
use crate::samples::SampleError;

/// A trial space that cannot be built or used as asked.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// The domain cannot be sampled as asked.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A grid that cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A function on patches that cannot be evaluated.
    #[error(transparent)]
    Patches(#[from] PatchError),
    /// A picture that cannot be drawn.
    #[cfg(feature = "plot")]
    #[error(transparent)]
    Plot(std::sync::Arc<fastlsq_plot::PlotError>),
    /// An operator is inconsistent, or not finite somewhere.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// An expression that cannot be made concrete.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// No unknown, or several.
    #[error("one unknown is needed, but there are {}: {}", names.len(), names.join(", "))]
    Unknowns {
        /// The unknowns that were found.
        names: Vec<String>,
    },
    /// An expression that does not vanish with the unknown, or does not contain it.
    #[error("every term of {expression} must contain the unknown")]
    NotHomogeneous {
        /// The expression.
        expression: String,
    },
    /// Features cannot be built or evaluated.
    #[error(transparent)]
    Basis(#[from] BasisError),
    /// An operator with integrals or multipliers, which have no meaning on joined pieces.
    #[error(
        "{operator} holds an integral or a multiplier; trial spaces take derivatives with coefficients"
    )]
    NotDifferential {
        /// The operator.
        operator: String,
    },
    /// An option outside its range.
    #[error("{option} = {value} is not allowed: {requirement}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },
    /// A function to be represented that is NaN or infinite somewhere.
    #[error(
        "a function to be represented is {value} at {point:?}; it must be finite on the whole domain"
    )]
    NotFinite {
        /// The point.
        point: Vec<f64>,
        /// The value there.
        value: f64,
    },
    /// Nothing is left once the conditions are imposed.
    #[error(
        "{conditions} independent conditions leave nothing of {modes} modes; there are more conditions than the equation takes, or the tolerance is too coarse"
    )]
    Empty {
        /// Independent conditions.
        conditions: usize,
        /// Modes before the conditions.
        modes: usize,
    },
    /// Conditions at one end of an interval that repeat or contradict each other.
    #[error(
        "the {given} conditions at the {end} end say only {independent} different things; leave out those that repeat others"
    )]
    EndConditions {
        /// Which end.
        end: &'static str,
        /// The conditions there.
        given: usize,
        /// How many are independent.
        independent: usize,
    },
    /// More functions than dense matrices can serve.
    #[error(
        "the space needs about {needed} functions, more than the limit of {limit}; coarsen the tolerance, or raise the limit if memory and time allow"
    )]
    TooLarge {
        /// Functions that would be needed.
        needed: usize,
        /// The limit.
        limit: usize,
    },
    /// Vectors or matrices of the wrong size.
    #[error("{what} has {found} entries, but {expected} are needed")]
    Size {
        /// What it is.
        what: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A factorisation failed, which does not happen with finite, moderate numbers.
    #[error(
        "{what} did not converge; look for coefficients of extreme size in the conditions or the equation"
    )]
    Numerical {
        /// The computation.
        what: &'static str,
    },
}

impl From<LsqError> for SpaceError {
    fn from(_: LsqError) -> Self {
        Self::Numerical {
            what: "the orthogonal factorisation of the features",
        }
    }
}
