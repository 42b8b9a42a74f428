//! What can go wrong when features are built or evaluated.

use thiserror::Error;

use crate::Action;

/// A request to a basis that cannot be answered.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BasisError {
    /// Points, multi-indices, frequencies or operands of another dimension.
    #[error("{what} has dimension {found}, but dimension {expected} is needed")]
    Dimension {
        /// Which argument is at fault.
        what: &'static str,
        /// The dimension that is needed.
        expected: usize,
        /// The dimension that was given.
        found: usize,
    },
    /// An output or a coefficient vector of the wrong size.
    #[error("{what} has size {found}, but {expected} is needed")]
    Shape {
        /// Which argument is at fault.
        what: &'static str,
        /// The size that is needed.
        expected: usize,
        /// The size that was given.
        found: usize,
    },
    /// An axis that does not exist.
    #[error("axis {axis} does not exist in dimension {dim} (axes are numbered from 0)")]
    Axis {
        /// The axis that was asked for.
        axis: usize,
        /// The dimension of the space.
        dim: usize,
    },
    /// A number that must be finite is NaN or infinite.
    #[error("{what} must be finite, but entry {index} is {value}")]
    NotFinite {
        /// Which argument is at fault.
        what: &'static str,
        /// Its first offending entry.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// A parameter outside its range.
    #[error("{what} = {value} is not allowed: {requirement}")]
    Parameter {
        /// The parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },
    /// More features than memory can hold.
    #[error("{count} features in dimension {dim} do not fit in memory; ask for fewer")]
    TooMany {
        /// How many were asked for.
        count: usize,
        /// The dimension of the space.
        dim: usize,
    },
    /// A list that must not be empty.
    #[error("{what} must not be empty")]
    Empty {
        /// Which argument is at fault.
        what: &'static str,
    },
    /// A point where the functions are not defined.
    #[error("the point {point:?} lies outside the domain of the functions")]
    Outside {
        /// The point.
        point: Vec<f64>,
    },
    /// An action that this kind of basis has no closed form for.
    #[error("a {basis} has no closed form for {action}")]
    Unsupported {
        /// The kind of basis.
        basis: &'static str,
        /// What was asked of it.
        action: String,
    },
}

/// Checks that every value is finite, or names the first that is not.
pub(crate) fn require_finite(what: &'static str, values: &[f64]) -> Result<(), BasisError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(BasisError::NotFinite {
            what,
            index,
            value: values[index],
        }),
        None => Ok(()),
    }
}

/// Checks a dimension.
///
/// # Errors
/// [`BasisError::Dimension`], which names the argument.
pub fn require_dim(what: &'static str, expected: usize, found: usize) -> Result<(), BasisError> {
    if expected == found {
        Ok(())
    } else {
        Err(BasisError::Dimension {
            what,
            expected,
            found,
        })
    }
}

/// Checks a size.
///
/// # Errors
/// [`BasisError::Shape`], which names the argument.
pub fn require_size(what: &'static str, expected: usize, found: usize) -> Result<(), BasisError> {
    if expected == found {
        Ok(())
    } else {
        Err(BasisError::Shape {
            what,
            expected,
            found,
        })
    }
}

/// Checks that there is at least one of something.
pub(crate) fn require_some(what: &'static str, size: usize) -> Result<(), BasisError> {
    if size == 0 {
        Err(BasisError::Empty { what })
    } else {
        Ok(())
    }
}

/// Checks that this many random features can be held: the draw, and the features made of it.
pub(crate) fn require_memory(count: usize, dim: usize) -> Result<(), BasisError> {
    let numbers = dim
        .checked_mul(2)
        .and_then(|each| count.checked_mul(each.checked_add(4)?));
    let fits = numbers.is_some_and(|n| Vec::<f64>::new().try_reserve_exact(n).is_ok());
    if fits {
        Ok(())
    } else {
        Err(BasisError::TooMany { count, dim })
    }
}

/// Checks that an action is nothing but a derivative, for bases that know nothing else.
pub(crate) fn require_derivative(basis: &'static str, action: &Action) -> Result<(), BasisError> {
    let action = if let Some(multiplier) = &action.multiplier {
        format!(
            "the Fourier multiplier {} (sinusoidal features have one)",
            multiplier.name()
        )
    } else if !action.integrals.is_empty() {
        "integrals along axes (sinusoidal and polynomial features have one)".to_owned()
    } else {
        return Ok(());
    };
    Err(BasisError::Unsupported { basis, action })
}
