//! What an inverse problem cannot answer, and what to do about it.

use fastlsq_basis::BasisError;
use fastlsq_solve::{DomainError, Limit, LsqError, OperatorError, SolveError, StatementError};
use thiserror::Error;

use crate::optimise::{BoundsError, OptimiseError};

/// An inverse problem that cannot be posed or solved as stated.
///
/// Parameters that the data do not determine, a fit that has not converged, a start outside the box
/// are not errors: the reports say so.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InverseError {
    /// The forward problem cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The optimisation has no answer.
    #[error(transparent)]
    Optimise(#[from] OptimiseError),
    /// The box is not valid, or does not belong to these parameters.
    #[error("parameter {name:?}: {source}")]
    Bounds {
        /// The parameter.
        name: String,
        /// What is wrong with its bounds.
        source: BoundsError,
    },
    /// A number of a parameter is unusable.
    #[error("parameter {name:?}: its {what} is {value}; {requirement}")]
    Parameter {
        /// The parameter.
        name: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },
    /// There is nothing to find.
    #[error("nothing is sought: say what is with .find(Sought::new(…))")]
    NoParameters,
    /// There is nothing to find it from.
    #[error("there are no observations: add some with .observe(…)")]
    NoObservations,
    /// No equation or condition contains a parameter that is sought.
    #[error(
        "{name} is sought, but no equation or condition contains it: put it into one, or leave out its .find(…)"
    )]
    NothingDepends {
        /// The parameter.
        name: String,
    },
    /// A parameter is sought twice.
    #[error("{name} is sought twice: one .find(…) is enough")]
    SoughtTwice {
        /// The parameter.
        name: String,
    },
    /// A parameter has a value and is sought.
    #[error(
        "{name} has the value {value} and is sought: leave out .parameter({name}, {value}) or .find(…)"
    )]
    GivenAndSought {
        /// The parameter.
        name: String,
        /// Its value.
        value: f64,
    },
    /// An equation or condition that is not linear in the unknowns.
    #[error(
        "{label}: the term {term} is not linear in the unknowns; inverse problems are linear in all but the parameters"
    )]
    Nonlinear {
        /// The equation or condition.
        label: String,
        /// The term.
        term: String,
    },
    /// An expression that cannot be observed.
    #[error("the observations {label:?}: {source}")]
    Observed {
        /// The observations.
        label: String,
        /// What is wrong with the expression.
        source: StatementError,
    },
    /// A parameter that is sought, in an expression that is observed.
    #[error(
        "the observations {label:?} contain {name}, which is sought: let an equation define what is observed as an unknown"
    )]
    SoughtInObservations {
        /// The observations.
        label: String,
        /// The parameter.
        name: String,
    },
    /// Tables of an observation that do not fit together.
    #[error("the observations {label:?} have {found} {what}, but {expected} are needed")]
    Shape {
        /// The observations.
        label: String,
        /// What is counted.
        what: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An observation where the solution does not exist.
    #[error(
        "observation {index} of {label:?} is at {point:?}, outside the domain; move it or leave it out"
    )]
    Outside {
        /// The observations.
        label: String,
        /// Which of them.
        index: usize,
        /// Where it is.
        point: Vec<f64>,
    },
    /// A number of an observation is unusable.
    #[error("observation {index} of {label:?}: its {what} is {value}; {requirement}")]
    Observation {
        /// The observations.
        label: String,
        /// Which of them.
        index: usize,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },
    /// A function of the parameters is NaN or infinite, or its derivative is.
    #[error(
        "the {what} of {label:?} is not finite (or its derivative is not) at the point {point:?} for the parameters {parameters:?}; restrict the parameters by bounds where it is defined"
    )]
    NotFinite {
        /// What was evaluated.
        what: &'static str,
        /// The equation or condition.
        label: String,
        /// The point.
        point: Vec<f64>,
        /// The parameters.
        parameters: Vec<f64>,
    },
    /// A combination that is not implemented.
    #[error("not supported: {what}; {hint}")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
        /// What to do instead.
        hint: &'static str,
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
}

macro_rules! through_solve {
    ($($source:ty),*) => {$(
        impl From<$source> for InverseError {
            fn from(source: $source) -> Self {
                Self::Solve(source.into())
            }
        }
    )*};
}
through_solve!(
    BasisError,
    OperatorError,
    DomainError,
    LsqError,
    StatementError
);

impl InverseError {
    /// The limit behind this error, if that is all it says.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Self::Solve(cause) => cause.limit(),
            Self::Optimise(cause) => cause.limit(),
            _ => None,
        }
    }
}
