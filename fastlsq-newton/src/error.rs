//! What a nonlinear solve cannot answer.

use fastlsq_solve::space::SpaceError;
use fastlsq_solve::{DomainError, Limit, OperatorError, SolveError};
use thiserror::Error;

use crate::evolution::ode::OdeError;

/// A nonlinear problem that cannot be solved as stated.
///
/// A Newton iteration that does not converge is not an error: see
/// [`NewtonStatus`](crate::NewtonStatus).
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum NewtonError {
    /// Something about domain, conditions, features or least squares.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A residual that is NaN or infinite at the start.
    #[error("the residual of {label} is {value} at {point:?}; give a start where it is finite")]
    ResidualNotFinite {
        /// The equation or condition.
        label: String,
        /// The point.
        point: Vec<f64>,
        /// The value there.
        value: f64,
    },
    /// No equation was given.
    #[error("the problem has no equation; add one with .equation(…)")]
    NoEquation,
    /// Continuation without a parameter that has a value.
    #[error("continuation needs a parameter with a value; give it one with .parameter(p, value)")]
    NoParameter,
    /// Continuation with several parameters.
    #[error("the parameters are {}; say which one is moved with NewtonOptions::moving", names.join(", "))]
    SeveralParameters {
        /// Their names.
        names: Vec<String>,
    },
    /// A branch whose first points Newton's method does not reach.
    #[error(
        "the branch is lost at {name} = {parameter}: take a shorter first step, or start from a solution nearby"
    )]
    BranchLost {
        /// The parameter's name.
        name: String,
        /// Its value.
        parameter: f64,
    },
    /// Slabs in time on a domain that has no time axis.
    #[error("slabs need a space-time domain")]
    NoTime,
    /// Slabs in time from an initial condition that is not linear, and so cannot be carried over.
    #[error(
        "{label} at the initial time cannot be carried from slab to slab: state initial values by linear conditions"
    )]
    NonlinearInitialCondition {
        /// The condition.
        label: String,
    },
    /// A problem that was to be evolved in time and cannot be.
    #[error("the problem cannot be followed in time: {reason}; use solve()")]
    NoEvolution {
        /// Why not.
        reason: String,
    },
    /// A trial space that cannot be built.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// An ordinary differential equation that cannot be integrated.
    #[error(transparent)]
    Ode(#[from] OdeError),
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
}

impl NewtonError {
    /// The limit behind this error, if that is all it says.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Self::Solve(cause) => cause.limit(),
            _ => None,
        }
    }
}

impl From<Limit> for NewtonError {
    fn from(limit: Limit) -> Self {
        Self::Solve(limit.into())
    }
}

impl From<OperatorError> for NewtonError {
    fn from(error: OperatorError) -> Self {
        Self::Solve(error.into())
    }
}

impl From<DomainError> for NewtonError {
    fn from(error: DomainError) -> Self {
        Self::Solve(error.into())
    }
}
