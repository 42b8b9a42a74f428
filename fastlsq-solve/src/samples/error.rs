//! Grids that cannot be sampled.

use thiserror::Error;

use crate::domain::DomainError;

/// What is wrong with a grid.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The domain has no box around it.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The function does not know where it is defined.
    #[error(
        "the function does not know its domain: tell it with .on_domain(…), or give the places themselves with .on_axes(…)"
    )]
    NoDomain,
    /// The number of axes is not that of the coordinates.
    #[error("{found} axes were given for {expected} coordinates; time is one of them")]
    Counts {
        /// The number of coordinates.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// Places that do not increase.
    #[error("axis {axis} needs at least one place; places must be finite and increasing")]
    Places {
        /// The axis.
        axis: usize,
    },
    /// More points than memory should hold.
    #[error("a grid may hold {most} values at most: take fewer points along the axes")]
    TooLarge {
        /// The most values.
        most: usize,
    },
    /// A function that does not exist.
    #[error("there is no function {name:?}; there are {known:?}")]
    Name {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
}
