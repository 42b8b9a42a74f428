//! The columns that carry the numerical rank.

use super::error::{Input, LsqError};
use super::factor::with_threads;
use super::methods::orthogonal::equilibrated_pivoted_qr;
use super::options::LsqOptions;
use super::source::check_finite;
use faer::Mat;

/// As many columns as the numerical rank of `matrix`, chosen by column-pivoted QR: all others are combinations of
/// them to the threshold of the options. In increasing order.
///
/// # Errors
/// Options out of range, entries that are not finite, a matrix without rows or columns.
///
/// ```
/// use faer::mat;
/// use fastlsq_solve::lsq::{LsqOptions, spanning_columns};
/// // The third column is the sum of the others.
/// let a = mat![[1.0, 0.0, 1.0], [0.0, 2.0, 2.0], [1.0, 1.0, 2.0], [3.0, 0.0, 3.0]];
/// assert_eq!(spanning_columns(a, &LsqOptions::new())?.len(), 2);
/// # Ok::<(), fastlsq_solve::lsq::LsqError>(())
/// ```
pub fn spanning_columns(matrix: Mat<f64>, options: &LsqOptions) -> Result<Vec<usize>, LsqError> {
    options.validate()?;
    let (rows, cols) = (matrix.nrows(), matrix.ncols());
    if rows == 0 || cols == 0 {
        return Err(LsqError::Empty { rows, cols });
    }
    check_finite(matrix.as_ref(), 0, Input::Matrix)?;
    with_threads(options, |work| {
        let (qr, _) = equilibrated_pivoted_qr(matrix, options, cols, work);
        work.control.check()?;
        let mut columns = qr.order[..qr.rank()].to_vec();
        columns.sort_unstable();
        Ok(columns)
    })
}
