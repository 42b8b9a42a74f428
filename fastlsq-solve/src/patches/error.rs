//! What patches cannot answer, and what to do about it.

use fastlsq_basis::BasisError;
use fastlsq_ops::OperatorError;
use thiserror::Error;

/// A problem that patches cannot solve as stated.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum PatchError {
    /// An operator is inconsistent, or its coefficients are not finite somewhere.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// Features cannot be built or evaluated.
    #[error(transparent)]
    Basis(#[from] BasisError),
    /// The statement of the problem is at fault.
    #[error(transparent)]
    Stated(Box<crate::SolveError>),
    /// A domain that is neither an interval nor a union of boxes.
    #[error("patches need an interval or a union of boxes; this domain is neither")]
    NotABox,
    /// A limit was reached before there was a solution.
    #[error(transparent)]
    Limit(#[from] crate::control::Limit),
    /// What one of several processes could not do.
    #[error("{message} (on one of the processes)")]
    OnOneProcess {
        /// What happened there.
        message: String,
    },
    /// Equations without a value at the function that Newton's method begins with.
    #[error(
        "the equations have no value at the start of Newton's method; begin from another function"
    )]
    NoStart,
    /// A condition that is not linear.
    #[error("{label} is not linear; patches take linear conditions")]
    NonlinearCondition {
        /// The condition.
        label: String,
    },
    /// Patches in space that were not asked for, for equations that are not linear.
    #[error(
        "in space, patches for nonlinear equations take long: ask for them with Options::patches"
    )]
    InSpace,
    /// The options forbid them.
    #[error("the options forbid patches")]
    Forbidden,
    /// An equation whose second derivatives do not make it elliptic.
    #[error(
        "the equations of box {index} are not elliptic at {point:?}: patches need second derivatives \
         along every direction"
    )]
    NotElliptic {
        /// Which box, from 0.
        index: usize,
        /// Where.
        point: Vec<f64>,
    },
    /// A condition that holds neither on a face nor between opposite faces.
    #[error(
        "{label} is neither a condition on a part of the boundary, nor plain periodicity, nor an exact value at one of a few points; \
         patches take no other conditions"
    )]
    Place {
        /// The condition.
        label: String,
    },
    /// Boxes that do not make up a domain.
    #[error("box {index} {reason}")]
    Box {
        /// Which box, from 0.
        index: usize,
        /// What is wrong, and what is needed.
        reason: &'static str,
    },
    /// Something else about the statement.
    #[error("{what}: {requirement}")]
    Statement {
        /// What is at fault.
        what: &'static str,
        /// What is needed.
        requirement: &'static str,
    },
    /// An equation that is not of second order, or uses integrals or multipliers.
    #[error(
        "equation {equation} of box {index} is not a differential equation of second order; \
         patches need derivatives of order 2, and none above"
    )]
    NotSecondOrder {
        /// Which box, from 0.
        index: usize,
        /// Which equation of it, from 0.
        equation: usize,
    },
    /// A condition that uses derivatives above the first, integrals or multipliers.
    #[error("condition {index} must be made of values and first derivatives")]
    NotFirstOrder {
        /// Which condition, from 0.
        index: usize,
    },
    /// A piece of the boundary without a condition.
    #[error(
        "no condition covers the boundary at {point:?} with outward normal {normal:?}; \
         add one there (later conditions are used where earlier ones do not apply)"
    )]
    NoCondition {
        /// A point of the boundary.
        point: Vec<f64>,
        /// The normal there.
        normal: Vec<f64>,
    },
    /// Data that are NaN or infinite somewhere.
    #[error("the data of {label} are {value} at {point:?}; data must be finite")]
    DataNotFinite {
        /// The equation or condition.
        label: String,
        /// The point.
        point: Vec<f64>,
        /// The value there.
        value: f64,
    },
    /// The equations do not determine the solution.
    #[error(
        "the patches' equations are singular: the problem does not determine its solution \
         (only normal derivatives are given, say); fix a value somewhere"
    )]
    Singular,
    /// Values at points or means that the equations and conditions do not allow.
    #[error(
        "values at points and means contradict the equations and conditions (what is missing is a source that makes up {misfit:.1e} of \
         the solution): where only normal derivatives are given, they must balance the source; elsewhere nothing is left to fix"
    )]
    Contradiction {
        /// The missing source's share of the solution.
        misfit: f64,
    },
    /// A point outside the boxes.
    #[error("the point {point:?} lies outside the domain")]
    Outside {
        /// The point.
        point: Vec<f64>,
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

impl From<crate::SolveError> for PatchError {
    fn from(error: crate::SolveError) -> Self {
        Self::Stated(Box::new(error))
    }
}
