//! A system of equations in several unknowns.

use faer::MatMut;
use fastlsq_basis::Basis;

use super::EquationRow;
use crate::error::{require_dim, require_size};
use crate::{Operator, OperatorError, Sites};

/// A block operator: it maps m unknowns to n equations, each an [`EquationRow`].
///
/// ```
/// use fastlsq_ops::{BlockOperator, laplacian, partial};
/// // Stokes flow: −Δu + ∂p/∂x₀, −Δv + ∂p/∂x₁, ∂u/∂x₀ + ∂v/∂x₁
/// let stokes = BlockOperator::new(3)
///     .equation([Some(-laplacian(2)), None, Some(partial(2, 0))])
///     .equation([None, Some(-laplacian(2)), Some(partial(2, 1))])
///     .equation([Some(partial(2, 0)), Some(partial(2, 1)), None]);
/// stokes.validate()?;
/// assert_eq!((stokes.equations(), stokes.unknowns()), (3, 3));
/// # Ok::<(), fastlsq_ops::OperatorError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BlockOperator {
    unknowns: usize,
    rows: Vec<EquationRow>,
}

impl BlockOperator {
    /// A system without equations in this many unknowns.
    #[must_use]
    pub fn new(unknowns: usize) -> Self {
        Self {
            unknowns,
            rows: Vec::new(),
        }
    }

    /// The system with one more equation: an operator for each unknown in turn, `None` where an
    /// unknown does not appear.
    #[must_use]
    pub fn equation(self, operators: impl IntoIterator<Item: Into<Option<Operator>>>) -> Self {
        self.row(EquationRow::new(operators))
    }

    /// The system with one more equation.
    #[must_use]
    pub fn row(mut self, row: EquationRow) -> Self {
        self.rows.push(row);
        self
    }

    /// The number of unknowns.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// The number of equations.
    #[must_use]
    pub fn equations(&self) -> usize {
        self.rows.len()
    }

    /// The equations, in the order they were added.
    #[must_use]
    pub fn rows(&self) -> &[EquationRow] {
        &self.rows
    }

    /// Checks every equation, and that all have the same unknowns and the same space.
    ///
    /// # Errors
    /// The first mistake that was made.
    pub fn validate(&self) -> Result<(), OperatorError> {
        let mut dim = None;
        for row in &self.rows {
            require_size("an equation's unknowns", self.unknowns, row.unknowns())?;
            if let Some(own) = row.dim()? {
                require_dim("an equation", *dim.get_or_insert(own), own)?;
            }
        }
        Ok(())
    }

    /// Writes the rows of one equation over all unknowns side by side, on the calling thread.
    ///
    /// # Errors
    /// An equation that does not exist, a mistake in it, or arguments that do not fit.
    pub fn write_rows<'a>(
        &self,
        equation: usize,
        bases: &[&dyn Basis],
        sites: impl Into<Sites<'a>>,
        out: MatMut<'_, f64>,
    ) -> Result<(), OperatorError> {
        self.require_equation(equation)?
            .write_rows(bases, sites, out)
    }

    /// Writes the rows of one equation on all threads of the current pool.
    ///
    /// # Errors
    /// As [`write_rows`](BlockOperator::write_rows).
    pub fn assemble_into<'a>(
        &self,
        equation: usize,
        bases: &[&dyn Basis],
        sites: impl Into<Sites<'a>>,
        out: MatMut<'_, f64>,
    ) -> Result<(), OperatorError> {
        self.require_equation(equation)?
            .assemble_into(bases, sites, out)
    }

    fn require_equation(&self, equation: usize) -> Result<&EquationRow, OperatorError> {
        self.validate()?;
        self.rows.get(equation).ok_or(OperatorError::Equation {
            equation,
            equations: self.rows.len(),
        })
    }
}

impl From<Operator> for BlockOperator {
    /// One equation in one unknown.
    fn from(operator: Operator) -> Self {
        Self::new(1).row(operator.into())
    }
}
