//! Matrix products whose result does not depend on the number of threads.

use super::block::join;
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Widest group of columns that one task computes.
const CHUNK: usize = 256;
/// Below this many multiplications a second task costs more than it saves.
const WORTH_A_TASK: usize = 1_000_000;

/// C += α·A·B, split by the columns of C.
pub(crate) fn add_product(
    mut c: MatMut<'_, f64>,
    alpha: f64,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    parallel: bool,
) {
    let columns = c.ncols();
    if columns > CHUNK {
        let half = (columns / 2).next_multiple_of(4);
        let (c1, c2) = c.split_at_col_mut(half);
        let (b1, b2) = b.split_at_col(half);
        join(
            parallel && a.nrows() * a.ncols() * columns > WORTH_A_TASK,
            || add_product(c1, alpha, a, b1, parallel),
            || add_product(c2, alpha, a, b2, parallel),
        );
    } else if columns > 0 && a.nrows() > 0 {
        matmul(c.rb_mut(), Accum::Add, a, b, alpha, Par::Seq);
    }
}

/// A·B.
pub(crate) fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    add_product(c.as_mut(), 1.0, a, b, parallel);
    c
}
