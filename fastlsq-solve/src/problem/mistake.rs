//! What can be wrong with a statement, in the words of whoever made it.

use std::fmt;

use fastlsq_ops::StatementError;

use crate::domain::DomainError;

/// Something wrong with one equation or condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// The equation or condition.
    pub label: String,
    /// How it was written.
    pub text: String,
    /// What is wrong.
    pub reason: MistakeReason,
}

/// What can be wrong with an equation or condition.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MistakeReason {
    /// In the expression itself.
    #[error(transparent)]
    Expression(#[from] StatementError),
    /// In the part of the boundary.
    #[error(transparent)]
    Part(#[from] DomainError),
    /// A linear problem with a nonlinear term.
    #[error(
        "the term {term} is not linear in the unknowns; state the problem as a NonlinearProblem"
    )]
    Nonlinear {
        /// The term.
        term: String,
    },
    /// A normal where there is no boundary.
    #[error("it contains the normal, which is known on parts of the boundary only")]
    Normal,
    /// Values at points for several components at once.
    #[error(
        "values at points belong to a number, not to a vector: state one condition for each component"
    )]
    VectorAtPoints,
    /// A condition where one of its unknowns does not live.
    #[error(
        "{unknown} lives in the region \"{region}\", which does not reach this part; state the condition for an unknown that does"
    )]
    Elsewhere {
        /// The unknown.
        unknown: String,
        /// Its region.
        region: String,
    },
    /// Regions in a problem that does not know what to do with them.
    #[error("equations in regions are for a LinearProblem; state the equation on the whole domain")]
    RegionsAreLinear,
    /// The image of a part is not where another part is.
    #[error(
        "the motion takes the point {point:?} of this part to {image:?}, where the boundary does not match: check the motion, and that both parts are congruent"
    )]
    NotCongruent {
        /// A point of the part.
        point: Vec<f64>,
        /// Its image.
        image: Vec<f64>,
    },
    /// Parts are glued by values and slopes only.
    #[error(
        "an equation of order {order} needs more than values and slopes to agree; state each with Condition::identified(…)"
    )]
    IdentifiedOrder {
        /// The order of the equation.
        order: u32,
    },
    /// Waves that cannot leave.
    #[error(
        "p + iq can be outgoing if both live outside an obstacle and satisfy Δu + k²u = 0 with the same constant k: {what}"
    )]
    NotOutgoing {
        /// What is missing.
        what: &'static str,
    },
    /// An unbounded domain with an equation whose behaviour at infinity is not known.
    #[error(
        "on an unbounded domain, only Δu = 0 and Δu + k²u = 0 (with .outgoing(…)) can be solved for {unknown}; for other equations, put the obstacle into a large box"
    )]
    AtInfinity {
        /// The unknown.
        unknown: String,
    },
    /// A mean over a domain that is not made of boxes.
    #[error(
        "means are known over boxes and unions of boxes, where integrals of features have a closed form; fix a value at a point with .value_at(…)"
    )]
    MeanOfShape,
    /// An equation or condition that says nothing about the unknowns.
    #[error("it contains none of the unknowns ({})", unknowns.join(", "))]
    WithoutUnknown {
        /// The unknowns of the problem.
        unknowns: Vec<String>,
    },
    /// A condition of a system that does not name its unknown.
    #[error(
        "it does not say which of the unknowns {} it is about; write it as {example}",
        unknowns.join(", ")
    )]
    UnnamedUnknown {
        /// The unknowns of the problem.
        unknowns: Vec<String>,
        /// How to write it.
        example: String,
    },
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.label, self.text, self.reason)
    }
}

/// Several mistakes, one per line.
pub(crate) fn list(mistakes: &[Mistake]) -> String {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
