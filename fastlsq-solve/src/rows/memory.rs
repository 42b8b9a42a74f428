//! How much memory a candidate takes, and sizes that no memory holds.

use std::sync::Arc;

use fastlsq_basis::Basis;

use crate::SolveError;
use crate::system::RowBlock;

/// What a system and the blocks that it is made of take, beside the factorisation.
#[must_use]
pub fn system_bytes(bases: &[Arc<dyn Basis>], blocks: &[RowBlock]) -> Option<usize> {
    let features = bases
        .iter()
        .map(|basis| basis.len().checked_mul(basis.dim() + 4));
    let mut numbers = features.sum::<Option<usize>>()?;
    for block in blocks {
        numbers = numbers.checked_add(COPIES.checked_mul(block.numbers())?)?;
    }
    numbers.checked_mul(size_of::<f64>())
}

/// Blocks of rows are there twice: with the search, and in the system.
const COPIES: usize = 2;

/// Fails on numbers of features whose square no memory holds.
pub(crate) fn check_size(features: usize, unknowns: usize) -> Result<(), SolveError> {
    let bytes = square_bytes(features, unknowns);
    if bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        Ok(())
    } else {
        Err(SolveError::TooManyFeatures { features, unknowns })
    }
}

/// The bytes of a matrix with a row and a column per feature.
pub(crate) fn square_bytes(features: usize, unknowns: usize) -> Option<usize> {
    let columns = features.checked_mul(unknowns)?;
    columns.checked_mul(columns)?.checked_mul(size_of::<f64>())
}
