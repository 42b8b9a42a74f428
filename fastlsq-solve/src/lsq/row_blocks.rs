//! Passing over all rows of a source, a block at a time.

use super::block::join;
use super::error::{Input, LsqError};
use super::source::{RowSource, check_finite};
use super::work::Work;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};

/// Rows that one task writes.
pub(super) const TASK_ROWS: usize = 256;
/// Rows that are in memory at once.
const BLOCK_ROWS: usize = 2048;

/// Calls `visit` with each block of rows in order; the rows of a block are written in parallel.
pub(crate) fn for_each_block(
    source: &dyn RowSource,
    work: Work<'_>,
    mut visit: impl FnMut(usize, MatRef<'_, f64>),
) -> Result<(), LsqError> {
    let (m, n) = (source.nrows(), source.ncols());
    let mut block = Mat::zeros(BLOCK_ROWS.min(m), n);
    let mut row = 0;
    while row < m {
        let rows = BLOCK_ROWS.min(m - row);
        let mut part = block.as_mut().subrows_mut(0, rows);
        write_parallel(source, row, part.rb_mut(), work)?;
        visit(row, part.rb());
        row += rows;
    }
    Ok(())
}

/// Writes and checks the rows from `start` on.
pub(crate) fn write_parallel(
    source: &dyn RowSource,
    start: usize,
    mut out: MatMut<'_, f64>,
    work: Work<'_>,
) -> Result<(), LsqError> {
    let rows = out.nrows();
    if rows > TASK_ROWS {
        let half = (rows / 2).next_multiple_of(TASK_ROWS / 2);
        let (upper, lower) = out.split_at_row_mut(half);
        let (a, b) = join(
            work.parallel,
            || write_parallel(source, start, upper, work),
            || write_parallel(source, start + half, lower, work),
        );
        return a.and(b);
    }
    work.control.check()?;
    source.write_rows(start, out.rb_mut())?;
    check_finite(out.rb(), start, Input::Matrix)
}
