//! Matrices that are produced a block of rows at a time.

use super::error::{Input, LsqError};
use super::kernels::{all_finite, column};
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

/// A matrix A that can write any block of its rows.
///
/// Nothing else is asked of A, so it never has to exist as a whole: rows are assembled, merged into
/// the triangular factor and forgotten. Blocks are requested from several threads at once and in any
/// order; a row must come out the same each time it is asked for.
pub trait RowSource: Sync {
    /// Number of rows M.
    fn nrows(&self) -> usize;

    /// Number of columns N.
    fn ncols(&self) -> usize;

    /// Writes rows `start .. start + out.nrows()` into `out`, which has [`ncols`](Self::ncols) columns
    /// and column-major storage. The content of `out` on entry is unspecified.
    ///
    /// # Errors
    /// Whatever keeps the rows from being produced; [`LsqError::Source`] wraps any other error type.
    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError>;

    /// Writes only the given columns of those rows: `out` has one column for each entry of `columns`.
    ///
    /// The provided method writes all columns and picks; sources that can produce a column on its own
    /// do better.
    ///
    /// # Errors
    /// As for [`write_rows`](Self::write_rows).
    fn write_columns(
        &self,
        start: usize,
        columns: &[usize],
        mut out: MatMut<'_, f64>,
    ) -> Result<(), LsqError> {
        let mut all = Mat::zeros(out.nrows(), self.ncols());
        self.write_rows(start, all.as_mut())?;
        for (place, &j) in columns.iter().enumerate() {
            out.rb_mut().col_mut(place).copy_from(all.as_ref().col(j));
        }
        Ok(())
    }
}

/// Some columns of another source.
pub(crate) struct ColumnSubset<'a> {
    pub(crate) source: &'a dyn RowSource,
    pub(crate) columns: &'a [usize],
}

impl RowSource for ColumnSubset<'_> {
    fn nrows(&self) -> usize {
        self.source.nrows()
    }

    fn ncols(&self) -> usize {
        self.columns.len()
    }

    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        self.source.write_columns(start, self.columns, out)
    }
}

/// Neighbouring rows of another source.
pub(crate) struct RowRange<'a> {
    pub(crate) source: &'a dyn RowSource,
    pub(crate) first: usize,
    pub(crate) rows: usize,
}

impl RowSource for RowRange<'_> {
    fn nrows(&self) -> usize {
        self.rows
    }

    fn ncols(&self) -> usize {
        self.source.ncols()
    }

    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        self.source.write_rows(self.first + start, out)
    }
}

impl RowSource for MatRef<'_, f64> {
    fn nrows(&self) -> usize {
        MatRef::nrows(self)
    }

    fn ncols(&self) -> usize {
        MatRef::ncols(self)
    }

    fn write_rows(&self, start: usize, mut out: MatMut<'_, f64>) -> Result<(), LsqError> {
        let rows = out.nrows();
        out.copy_from(self.subrows(start, rows));
        Ok(())
    }

    fn write_columns(
        &self,
        start: usize,
        columns: &[usize],
        mut out: MatMut<'_, f64>,
    ) -> Result<(), LsqError> {
        let rows = self.subrows(start, out.nrows());
        for (place, &j) in columns.iter().enumerate() {
            out.rb_mut().col_mut(place).copy_from(rows.col(j));
        }
        Ok(())
    }
}

impl RowSource for Mat<f64> {
    fn nrows(&self) -> usize {
        Mat::nrows(self)
    }

    fn ncols(&self) -> usize {
        Mat::ncols(self)
    }

    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        self.as_ref().write_rows(start, out)
    }

    fn write_columns(
        &self,
        start: usize,
        columns: &[usize],
        out: MatMut<'_, f64>,
    ) -> Result<(), LsqError> {
        self.as_ref().write_columns(start, columns, out)
    }
}

impl<S: RowSource + ?Sized> RowSource for &S {
    fn nrows(&self) -> usize {
        (**self).nrows()
    }

    fn ncols(&self) -> usize {
        (**self).ncols()
    }

    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        (**self).write_rows(start, out)
    }

    fn write_columns(
        &self,
        start: usize,
        columns: &[usize],
        out: MatMut<'_, f64>,
    ) -> Result<(), LsqError> {
        (**self).write_columns(start, columns, out)
    }
}

/// Fails on the first row of `block` that holds a NaN or an infinity; `start` is the row it begins with.
pub(crate) fn check_finite(
    block: MatRef<'_, f64>,
    start: usize,
    input: Input,
) -> Result<(), LsqError> {
    let mut found: Option<(usize, usize)> = None;
    for j in 0..block.ncols() {
        let values = column(block, j);
        if all_finite(&values) {
            continue;
        }
        for i in 0..block.nrows() {
            if !block[(i, j)].is_finite() && found.is_none_or(|(row, _)| i < row) {
                found = Some((i, j));
            }
        }
    }
    match found {
        None => Ok(()),
        Some((i, column)) => Err(LsqError::NotFinite {
            input,
            row: start + i,
            column,
            value: block[(i, column)],
        }),
    }
}
