//! Normal equations by Cholesky.

use super::{Parts, Task};
use crate::lsq::block::join;
use crate::lsq::error::{Input, LsqError};
use crate::lsq::products::add_product;
use crate::lsq::range_map::RangeMap;
use crate::lsq::row_blocks::for_each_block;
use crate::lsq::solution_map::SolutionMap;
use crate::lsq::source::check_finite;
use crate::lsq::triangle::{inverse_or_one, triangle_condition};
use crate::lsq::work::Work;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltError, LltParams, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, Auto, Mat, MatMut, MatRef, Par, Spec};
use web_time::Instant;

/// Why the normal equations could not be solved.
pub(crate) enum GramOutcome {
    /// Solved.
    Solved(Box<Parts>),
    /// AᵀA + μI is not positive definite to working accuracy: the pivot where that showed.
    Indefinite(usize),
}

/// Cholesky of D·AᵀA·D + μD², with D from the diagonal when equilibrating.
pub(crate) fn normal_equations(task: Task<'_>) -> Result<GramOutcome, LsqError> {
    let clock = Instant::now();
    let (m, n, k) = (task.source.nrows(), task.source.ncols(), task.rhs.ncols());
    check_finite(task.rhs, 0, Input::RightHandSide)?;
    let mut gram = Mat::zeros(n, n);
    let mut coordinates = Mat::zeros(n, k);
    let mut kept = Mat::zeros(if task.options.keep_q { m } else { 0 }, n);
    for_each_block(task.source, task.work, |row, a| {
        add_lower_gram(gram.as_mut(), a, 0, task.work);
        let b = task.rhs.subrows(row, a.nrows());
        add_product(coordinates.as_mut(), 1.0, a.transpose(), b, false);
        if task.options.keep_q {
            kept.as_mut().subrows_mut(row, a.nrows()).copy_from(a);
        }
    })?;
    task.check()?;
    let reduction_seconds = clock.elapsed().as_secs_f64();
    let cube = (n as f64).powi(3) / 3.0;
    let flops = m as f64 * (n as f64).powi(2) + cube;
    // The decomposition cannot be interrupted, and runs on one thread.
    let rate = (flops - cube) / reduction_seconds.max(f64::MIN_POSITIVE);
    task.allow_flops(cube, rate / rayon::current_num_threads().max(1) as f64)?;
    let clock = Instant::now();
    let norms: Vec<f64> = (0..n).map(|i| gram[(i, i)].sqrt()).collect();
    let scaling = if task.options.equilibrate {
        inverse_or_one(&norms)
    } else {
        vec![1.0; n]
    };
    for j in 0..n {
        for i in j..n {
            gram[(i, j)] *= scaling[i] * scaling[j];
        }
        gram[(j, j)] += task.options.ridge * scaling[j] * scaling[j];
    }
    let params = Spec::<LltParams, f64>::from(<LltParams as Auto<f64>>::auto());
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, params));
    let stack = MemStack::new(&mut memory);
    if let Err(error) =
        cholesky_in_place(gram.as_mut(), Default::default(), Par::Seq, stack, params)
    {
        let LltError::NonPositivePivot { index } = error;
        return Ok(GramOutcome::Indefinite(index));
    }
    let r = Mat::from_fn(n, n, |i, j| if i <= j { gram[(j, i)] } else { 0.0 });
    let pivots = (0..n).map(|i| r[(i, i)]);
    // Pivots of the size of the rounding errors in AᵀA mean nothing.
    let noise = 10.0 * f64::EPSILON * pivots.clone().fold(0.0, f64::max).powi(2);
    if let Some(index) = pivots.clone().position(|pivot| pivot * pivot <= noise) {
        return Ok(GramOutcome::Indefinite(index));
    }
    let parts = Parts {
        range: task.options.keep_q.then_some(RangeMap::Matrix(kept)),
        coordinates,
        outside: None,
        rank: n,
        largest_pivot: pivots.clone().fold(0.0, f64::max),
        smallest_pivot: pivots.fold(f64::INFINITY, f64::min),
        largest_dropped: 0.0,
        condition: triangle_condition(r.as_ref()),
        map: SolutionMap::Gram { r, scaling },
        flops,
        reduction_seconds,
        rank_seconds: clock.elapsed().as_secs_f64(),
        fallback: None,
    };
    Ok(GramOutcome::Solved(Box::new(parts)))
}

/// Columns of the Gram matrix that one task updates.
const CHUNK: usize = 128;

/// Adds AᵀA to the lower triangle of the Gram matrix; `g` holds its columns from `first` on.
fn add_lower_gram(mut g: MatMut<'_, f64>, a: MatRef<'_, f64>, first: usize, work: Work<'_>) {
    let columns = g.ncols();
    if columns > CHUNK {
        let half = (columns / 2).next_multiple_of(4);
        let (g1, g2) = g.split_at_col_mut(half);
        join(
            work.parallel,
            || add_lower_gram(g1, a, first, work),
            || add_lower_gram(g2, a, first + half, work),
        );
        return;
    }
    if work.is_over() {
        return;
    }
    let below = a.ncols() - first;
    let left = a.subcols(first, below).transpose();
    let right = a.subcols(first, columns);
    let target = g.rb_mut().subrows_mut(first, below);
    matmul(target, Accum::Add, left, right, 1.0, Par::Seq);
}
