//! What can be wrong with a statement, in the words it was made in.

use thiserror::Error;

/// A mistake in an expression, found where it is made concrete.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StatementError {
    /// A space without axes.
    #[error("the space has no axes")]
    EmptySpace,
    /// A coordinate that the domain does not have.
    #[error("there is no coordinate {coordinate} here; the coordinates are {}", known.join(", "))]
    NoSuchCoordinate {
        /// What was asked for.
        coordinate: String,
        /// The coordinates there are.
        known: Vec<String>,
    },
    /// An unknown that no equation determines.
    #[error("{name} is not an unknown of this problem; its unknowns are {}", known.join(", "))]
    NoSuchUnknown {
        /// What was asked for.
        name: String,
        /// The unknowns there are.
        known: Vec<String>,
    },
    /// A parameter without a value.
    #[error(
        "the parameter {name} has no value: give it one with .parameter({name}, value), \
         or look for it with an inverse problem"
    )]
    FreeParameter {
        /// The parameter.
        name: String,
    },
    /// A name that is empty or too long.
    #[error("“{name}” cannot be a name: names have between 1 and 30 bytes")]
    Name {
        /// The name, or its beginning.
        name: String,
    },
    /// One name for two things.
    #[error("the name {name} stands for two different things; give one of them another name")]
    NameClash {
        /// The name.
        name: String,
    },
    /// A vector where a number is needed, or components that do not fit.
    #[error("in {expression}: {found} was found where {needed} is needed")]
    Rank {
        /// Where.
        expression: String,
        /// What is there.
        found: String,
        /// What should be.
        needed: String,
    },
    /// A given function whose derivative is needed.
    #[error(
        "the derivative of {function} along {coordinate} is needed, but {function} is given as code: \
         write it as an expression, or supply its gradient with .with_gradient(…)"
    )]
    MissingDerivative {
        /// The function.
        function: String,
        /// The coordinate.
        coordinate: String,
    },
    /// A function given as code that would have to be differentiated three times.
    #[error(
        "{function} is given as code and would have to be differentiated three times; write it as an expression"
    )]
    ThirdDerivative {
        /// The function.
        function: String,
    },
    /// The normal inside a derivative.
    #[error("the normal is known on the boundary only and cannot be differentiated")]
    NormalDifferentiated,
    /// An operator that is not linear.
    #[error("{expression} is not linear in the unknowns")]
    Nonlinear {
        /// What was asked for.
        expression: String,
    },
    /// An integral or multiplier without a closed form.
    #[error("{expression} has no closed form: {reason}")]
    NoClosedForm {
        /// What was asked for.
        expression: String,
        /// Why.
        reason: &'static str,
    },
    /// An improper order.
    #[error("the order {order} of a fractional Laplacian must be finite and not negative")]
    FractionalOrder {
        /// The order.
        order: f64,
    },
    /// A number that is NaN or infinite.
    #[error("it contains the number {value}; all numbers must be finite")]
    NotFinite {
        /// The number.
        value: f64,
    },
    /// An expression that is far too large.
    #[error("{what} is too large")]
    TooLarge {
        /// What.
        what: &'static str,
    },
}
