//! What can go wrong when operators are built, combined or applied.

use fastlsq_basis::BasisError;
use thiserror::Error;

/// An operator that makes no sense, or that cannot be applied as asked.
///
/// Arithmetic on operators reads like the equation and therefore cannot return a `Result`; an
/// operator that was put together wrongly carries its first error and returns it wherever it is
/// used (see [`Operator::validate`](crate::Operator::validate)).
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OperatorError {
    /// A space without axes.
    #[error("an operator needs a space with at least one axis, but the dimension given is 0")]
    EmptySpace,
    /// A number that must be finite is NaN or infinite.
    #[error("{what} must be finite, but it is {value}")]
    NotFinite {
        /// Which number is at fault.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A field that is NaN or infinite at a point.
    #[error(
        "the field {field} is {value} at the point {point:?}; \
         keep the points away from its singularities or write it in a form that stays finite"
    )]
    FieldValue {
        /// The field's name.
        field: String,
        /// Its value.
        value: f64,
        /// Where it was evaluated.
        point: Vec<f64>,
    },
    /// An operator with normals was applied at points that came without.
    #[error("the operator needs normals; supply them with Sites::with_normals")]
    MissingNormals,
    /// An operator with a tabulated coefficient was applied at points without that column.
    #[error(
        "the coefficient {field} is column {column} of a table with {available} columns; \
         supply the table with Sites::with_table"
    )]
    MissingColumn {
        /// The coefficient's name.
        field: String,
        /// The column that was asked for.
        column: usize,
        /// The number of columns that came with the points.
        available: usize,
    },
    /// An unknown that the system does not have.
    #[error("unknown {unknown} does not exist in a system of {unknowns} (numbered from 0)")]
    Unknown {
        /// The unknown that was asked for.
        unknown: usize,
        /// The number of unknowns.
        unknowns: usize,
    },
    /// Operands, points or lists of another dimension or size, or an action that the basis has no closed form for.
    #[error(transparent)]
    Basis(#[from] BasisError),
}

/// Checks that a number is finite.
pub(crate) fn require_finite(what: &'static str, value: f64) -> Result<(), OperatorError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(OperatorError::NotFinite { what, value })
    }
}
