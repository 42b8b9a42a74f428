//! Functions that can be differentiated exactly, wherever they come from.

use fastlsq_basis::Basis;
use fastlsq_solve::{EquationRow, Sites, Solution, SolveError};

use crate::slabs::SlabSolution;

/// The unknowns as functions.
pub(crate) enum Function<'a> {
    /// Expansions, with the coefficients of all unknowns one after the other.
    Expansion(Vec<&'a dyn Basis>, &'a [f64]),
    /// A solution in slabs of time.
    Slabs(&'a SlabSolution),
}

impl<'a> Function<'a> {
    pub(crate) fn of(solution: &'a Solution) -> Self {
        let bases = solution.bases().iter().map(AsRef::as_ref).collect();
        Self::Expansion(bases, solution.coefficients())
    }

    pub(crate) fn apply(
        &self,
        row: &EquationRow,
        sites: Sites<'_>,
    ) -> Result<Vec<f64>, SolveError> {
        match self {
            Self::Expansion(bases, beta) => Ok(row.apply(bases, beta, sites)?),
            Self::Slabs(slabs) => slabs.apply_row(row, sites),
        }
    }

    /// Several rows at the same sites.
    pub(crate) fn apply_all(
        &self,
        rows: &[EquationRow],
        sites: Sites<'_>,
    ) -> Result<Vec<Vec<f64>>, SolveError> {
        match self {
            Self::Expansion(bases, beta) => Ok(EquationRow::apply_all(rows, bases, beta, sites)?),
            Self::Slabs(slabs) => rows.iter().map(|row| slabs.apply_row(row, sites)).collect(),
        }
    }
}
