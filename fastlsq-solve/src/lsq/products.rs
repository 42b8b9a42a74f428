//! Matrix products whose result does not depend on the number of threads.

use super::block::join;
use super::work::Work;
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Widest group of columns that one task computes.
const CHUNK: usize = 128;
/// Below this many multiplications a second task costs more than it saves.
const WORTH_A_TASK: usize = 400_000;

/// C += α·A·B, split by the columns of C; unfinished if the work is stopped.
pub(crate) fn add_product<'w>(
    mut c: MatMut<'_, f64>,
    alpha: f64,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    work: impl Into<Work<'w>>,
) {
    let work: Work<'w> = work.into();
    let columns = c.ncols();
    if columns > CHUNK {
        let half = (columns / 2).next_multiple_of(4);
        let (c1, c2) = c.split_at_col_mut(half);
        let (b1, b2) = b.split_at_col(half);
        join(
            work.parallel && a.nrows() * a.ncols() * columns > WORTH_A_TASK,
            || add_product(c1, alpha, a, b1, work),
            || add_product(c2, alpha, a, b2, work),
        );
    } else if columns > 0 && a.nrows() > 0 && !work.is_over() {
        matmul(c.rb_mut(), Accum::Add, a, b, alpha, Par::Seq);
    }
}

/// A·B.
pub(crate) fn product<'w>(
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    work: impl Into<Work<'w>>,
) -> Mat<f64> {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    add_product(c.as_mut(), 1.0, a, b, work);
    c
}

/// Aᵀ·B for a narrow B, split by the columns of A.
pub(crate) fn transpose_product(
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    parallel: bool,
) -> Mat<f64> {
    let mut c = Mat::zeros(a.ncols(), b.ncols());
    fill_transpose_product(c.as_mut(), a, b, parallel);
    c
}

fn fill_transpose_product(
    c: MatMut<'_, f64>,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    parallel: bool,
) {
    let rows = c.nrows();
    if rows > CHUNK {
        let half = (rows / 2).next_multiple_of(4);
        let (c1, c2) = c.split_at_row_mut(half);
        let (a1, a2) = a.split_at_col(half);
        join(
            parallel && a.nrows() * rows * b.ncols() > WORTH_A_TASK,
            || fill_transpose_product(c1, a1, b, parallel),
            || fill_transpose_product(c2, a2, b, parallel),
        );
    } else if rows > 0 && c.ncols() > 0 {
        matmul(c, Accum::Replace, a.transpose(), b, 1.0, Par::Seq);
    }
}
