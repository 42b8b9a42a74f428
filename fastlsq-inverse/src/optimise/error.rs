//! What can go wrong in an optimisation that no status can express.

use std::fmt;

use fastlsq_solve::Limit;
use thiserror::Error;

use super::bounds::BoundsError;

/// The error of a user's objective or residual function: anything that is an error.
pub type EvaluationError = Box<dyn std::error::Error + Send + Sync + 'static>;

/// Why an optimisation has no answer.
///
/// Not having converged is not an error: see [`Status`](super::Status).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OptimiseError {
    /// The box, or the start as a point for it, is unusable.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// The box has another dimension than the problem.
    #[error("the problem has {expected} parameters but the bounds are for {found}")]
    BoundsDimension {
        /// Number of parameters of the problem.
        expected: usize,
        /// Dimension of the box.
        found: usize,
    },
    /// The problem has nothing to optimise or, for least squares, no residuals.
    #[error("the problem has no {what}; at least one is needed")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// A solver was started without a parameter vector.
    #[error("no start: give the solver's state a parameter vector before running it")]
    MissingStart,
    /// A coordinate of the start is NaN or infinite.
    #[error("coordinate {index} of the start is {value}; give a finite start")]
    NonFiniteStart {
        /// Index of the coordinate.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The objective is NaN or infinite where it must have a value.
    #[error(
        "the objective is {value} at {point}; start, or bound the parameters, where it is finite"
    )]
    NonFiniteValue {
        /// Where.
        point: Point,
        /// What the objective returned.
        value: f64,
    },
    /// A component of the gradient is NaN or infinite where it must have a value.
    #[error(
        "component {index} of the gradient is {value} at {point}; start, or bound the parameters, \
         where it is finite"
    )]
    NonFiniteGradient {
        /// Where.
        point: Point,
        /// Index of the component.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// An entry of the Jacobian is NaN or infinite at a point where the residuals are finite.
    #[error("entry ({row}, {column}) of the Jacobian is {value} at {point}")]
    NonFiniteJacobian {
        /// Where.
        point: Point,
        /// Index of the residual.
        row: usize,
        /// Index of the parameter.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A user function returned an array of the wrong length.
    #[error("the {what} has length {found} where {expected} was expected")]
    Length {
        /// Which array.
        what: &'static str,
        /// The length needed.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// The user's function failed.
    #[error("the evaluation at {point} failed: {source}")]
    Evaluation {
        /// Where.
        point: Point,
        /// Its own error.
        source: EvaluationError,
    },
    /// An option has a value outside its range.
    #[error("option `{name}` is {value} but must be {requirement}")]
    Option {
        /// Name of the option.
        name: &'static str,
        /// Value given.
        value: f64,
        /// What is allowed.
        requirement: &'static str,
    },
    /// A multi-start was given no starts.
    #[error("no starts were given; give at least one")]
    NoStarts,
    /// Every run of a multi-start failed.
    #[error("all {count} starts failed; the first one: {first}")]
    AllStartsFailed {
        /// Number of starts.
        count: usize,
        /// Error of the first start.
        first: Box<OptimiseError>,
    },
    /// The optimisation framework itself failed.
    #[error("the optimisation framework failed: {source}")]
    Framework {
        /// Its error.
        source: EvaluationError,
    },
}

impl OptimiseError {
    /// The limit behind this error, where an evaluation was stopped by one.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(self);
        // Chains of causes are short; this bound is beyond any.
        for _ in 0..32 {
            let error = cause?;
            if let Some(limit) = error.downcast_ref::<Limit>() {
                return Some(*limit);
            }
            cause = error.source();
        }
        None
    }

    /// Recovers the typed error from the framework's erased one.
    pub(crate) fn from_framework(error: argmin::core::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(other) => Self::Framework {
                source: other.into(),
            },
        }
    }
}

/// A point in parameter space, as carried by errors; prints at most its first eight coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Point(pub Vec<f64>);

impl From<&[f64]> for Point {
    fn from(coordinates: &[f64]) -> Self {
        Self(coordinates.to_vec())
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        f.write_str("x = (")?;
        for (i, x) in self.0.iter().take(SHOWN).enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{x}")?;
        }
        if self.0.len() > SHOWN {
            write!(f, ", … {} in all", self.0.len())?;
        }
        f.write_str(")")
    }
}

/// Refuses an option outside its range; `requirement` says what the range is.
pub(crate) fn require(
    condition: bool,
    name: &'static str,
    value: f64,
    requirement: &'static str,
) -> Result<(), OptimiseError> {
    if condition {
        Ok(())
    } else {
        Err(OptimiseError::Option {
            name,
            value,
            requirement,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_points_are_abbreviated() {
        assert_eq!(Point(vec![1.0, 2.5]).to_string(), "x = (1, 2.5)");
        let long = Point(vec![0.0; 100]).to_string();
        assert!(long.ends_with("… 100 in all)"), "{long}");
    }

    #[test]
    fn typed_errors_survive_the_framework() {
        let error = argmin::core::Error::from(OptimiseError::NoStarts);
        assert!(matches!(
            OptimiseError::from_framework(error),
            OptimiseError::NoStarts
        ));
    }
}
