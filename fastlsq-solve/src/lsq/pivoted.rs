//! Column-pivoted QR that stops at the numerical rank.
//!
//! Classical pivoting looks at every column after every reflector and is bound by memory. Here the
//! pivots of a whole panel are chosen on a small random sketch Y = G·A (a few more rows than the
//! panel has columns): pivoted QR of Y is cheap and orders the columns nearly as well. The panel is
//! then reduced and the trailing matrix updated by matrix products; the sketch follows the reflectors
//! (G ← G·Q, Y ← Y − G₁·R₁₂) and is never rebuilt from A. The rank is decided on the true diagonal and,
//! before stopping, on the true norms of the columns that are left.
//!
//! The sketch is drawn from a fixed seed: the factorisation is a function of its input.

use super::block::join;
use super::kernels::{column, column_mut, dot, norm, reflect_columns, scale};
use super::panel::{apply_dense, apply_dense_transpose, dense_panel, move_top_rows};
use super::pivots::Sketch;
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Widest group of columns that one task updates.
const CHUNK: usize = 128;
/// Below this many multiplications a second task costs more than it saves.
const WORTH_A_TASK: usize = 400_000;

/// A·P = Q·[R₁₁ R₁₂; 0 E] with ‖columns of E‖ below the threshold.
#[derive(Clone, Debug)]
pub(crate) struct PivotedQr {
    /// r×n: [R₁₁ R₁₂], columns in pivoted order.
    pub(crate) r: Mat<f64>,
    /// `order[i]` is the column of A that stands at place i.
    pub(crate) order: Vec<usize>,
    /// Norms of the columns of E, in pivoted order.
    pub(crate) dropped: Vec<f64>,
    panels: Vec<Reflectors>,
    rows: usize,
}

/// A panel's reflectors I − V T Vᵀ acting on the rows from `row` on.
#[derive(Clone, Debug)]
struct Reflectors {
    row: usize,
    v: Mat<f64>,
    t: Mat<f64>,
}

/// Panel width: narrow, because choosing the pivots of a panel costs its width squared a column.
fn panel_width(n: usize) -> usize {
    if n <= 300 { 16 } else { 32 }
}

/// Factors `a`, which is overwritten. Columns whose remaining norm is below `tolerance` are dropped.
pub(crate) fn pivoted_qr(mut a: Mat<f64>, tolerance: f64, parallel: bool) -> PivotedQr {
    let (m, n) = a.shape();
    let mut order: Vec<usize> = (0..n).collect();
    let mut r = Mat::zeros(m.min(n), n);
    let mut panels = Vec::new();
    let mut sketch = Sketch::new(a.as_ref(), panel_width(n));
    let mut rank = 0;
    let mut dropped = Vec::new();
    let mut slack = 1.0;
    while rank < m.min(n) {
        let width = panel_width(n).min(m.min(n) - rank);
        for (i, from) in sketch.bring_pivots_forward(width).into_iter().enumerate() {
            swap_columns(a.as_mut(), rank + i, rank + from);
            swap_columns(r.as_mut(), rank + i, rank + from);
            order.swap(rank + i, rank + from);
        }
        let panel = a.as_ref().submatrix(rank, rank, m - rank, width).to_owned();
        let mut v = panel.clone();
        let mut t = Mat::zeros(width, width);
        dense_panel(
            r.as_mut().submatrix_mut(rank, rank, width, width),
            v.as_mut(),
            t.as_mut(),
        );
        let smallest = (0..width)
            .map(|i| r[(rank + i, rank + i)].abs())
            .fold(f64::INFINITY, f64::min);
        if smallest > tolerance {
            let reflectors = Reflectors { row: rank, v, t };
            eliminate(&mut a, &mut r, &reflectors, rank + width, parallel);
            let behind = r
                .as_ref()
                .submatrix(rank, rank + width, width, n - rank - width);
            sketch.follow(reflectors.v.as_ref(), reflectors.t.as_ref(), behind);
            rank += width;
            panels.push(reflectors);
            continue;
        }
        // The rank lies inside this panel (or the sketch misled): order it by its true norms.
        let (swaps, v, t) = careful_panel(panel, tolerance);
        for (i, from) in swaps.into_iter().enumerate() {
            swap_columns(a.as_mut(), rank + i, rank + from);
            swap_columns(r.as_mut().subrows_mut(0, rank), rank + i, rank + from);
            order.swap(rank + i, rank + from);
        }
        let width = v.ncols();
        if width > 0 {
            let reflectors = Reflectors { row: rank, v, t };
            eliminate(&mut a, &mut r, &reflectors, rank, parallel);
            rank += width;
            panels.push(reflectors);
        }
        let rest = a.as_ref().submatrix(rank, rank, m - rank, n - rank);
        dropped = (0..n - rank).map(|j| norm(column(rest, j))).collect();
        // Near the noise level of the data a few columns may always stick out: settle for less each time.
        if dropped.iter().all(|&size| size <= slack * tolerance) {
            break;
        }
        slack *= 2.0;
        sketch = Sketch::new(rest, panel_width(n));
    }
    if rank == m.min(n) {
        dropped = vec![0.0; n - rank];
    }
    r.truncate(rank, n);
    for j in 0..rank {
        column_mut(r.as_mut(), j)[j + 1..].fill(0.0);
    }
    PivotedQr {
        r,
        order,
        dropped,
        panels,
        rows: m,
    }
}

/// Applies a panel to the columns `from ..` of A and moves the finished rows to R.
fn eliminate(
    a: &mut Mat<f64>,
    r: &mut Mat<f64>,
    reflectors: &Reflectors,
    from: usize,
    parallel: bool,
) {
    let (m, n) = a.shape();
    let (row, width) = (reflectors.row, reflectors.v.ncols());
    eliminate_chunks(
        reflectors,
        a.as_mut().submatrix_mut(row, from, m - row, n - from),
        r.as_mut().submatrix_mut(row, from, width, n - from),
        parallel,
    );
}

fn eliminate_chunks(q: &Reflectors, mut a: MatMut<'_, f64>, r: MatMut<'_, f64>, parallel: bool) {
    let columns = a.ncols();
    if columns > CHUNK {
        let half = (columns / 2).next_multiple_of(4);
        let (a1, a2) = a.split_at_col_mut(half);
        let (r1, r2) = r.split_at_col_mut(half);
        join(
            parallel && q.v.nrows() * q.v.ncols() * columns > WORTH_A_TASK,
            || eliminate_chunks(q, a1, r1, parallel),
            || eliminate_chunks(q, a2, r2, parallel),
        );
    } else if columns > 0 {
        apply_dense_transpose(q.v.as_ref(), q.t.as_ref(), a.rb_mut());
        move_top_rows(a, r);
    }
}

/// Pivoted QR of one panel by its true column norms, stopped at `tolerance`: the swaps, V and T.
fn careful_panel(mut panel: Mat<f64>, tolerance: f64) -> (Vec<usize>, Mat<f64>, Mat<f64>) {
    let (rows, width) = panel.shape();
    let mut swaps = Vec::new();
    let mut t = Mat::zeros(width, width);
    for j in 0..width.min(rows) {
        let (best, size) = (j..width)
            .map(|c| (c, norm(&column(panel.as_ref(), c)[j..])))
            .fold(
                (j, 0.0),
                |best, next| if next.1 > best.1 { next } else { best },
            );
        if size <= tolerance {
            break;
        }
        swap_columns(panel.as_mut(), j, best);
        swaps.push(best);
        let (left, right) = panel.as_mut().split_at_col_mut(j + 1);
        let v = column_mut(left, j);
        v[..j].fill(0.0);
        let alpha = v[j];
        let beta = -alpha.signum() * size;
        let tau = (beta - alpha) / beta;
        v[j] = 1.0;
        scale(1.0 / (alpha - beta), &mut v[j + 1..]);
        reflect_columns(&v[j..], tau, right.subrows_mut(j, rows - j));
        for i in 0..j {
            let product = dot(column(panel.as_ref(), i), column(panel.as_ref(), j));
            for l in 0..=i {
                t[(l, j)] -= tau * t[(l, i)] * product;
            }
        }
        t[(j, j)] = tau;
    }
    let rank = swaps.len();
    panel.truncate(rows, rank);
    t.truncate(rank, rank);
    (swaps, panel, t)
}

/// Exchanges two columns.
fn swap_columns(a: MatMut<'_, f64>, i: usize, j: usize) {
    if i == j {
        return;
    }
    let (low, high) = (i.min(j), i.max(j));
    let (left, right) = a.split_at_col_mut(high);
    column_mut(left, low).swap_with_slice(column_mut(right, 0));
}

impl PivotedQr {
    /// Numerical rank.
    pub(crate) fn rank(&self) -> usize {
        self.r.nrows()
    }

    /// |diagonal of R₁₁|.
    pub(crate) fn pivots(&self) -> Vec<f64> {
        (0..self.rank()).map(|i| self.r[(i, i)].abs()).collect()
    }

    /// R₁₁.
    pub(crate) fn r11(&self) -> MatRef<'_, f64> {
        self.r.as_ref().subcols(0, self.rank())
    }

    /// C ← Qᵀ C; the first `rank` rows are the coordinates in the range of A.
    pub(crate) fn apply_transpose(&self, mut c: MatMut<'_, f64>) {
        for q in &self.panels {
            let c = c.rb_mut().subrows_mut(q.row, q.v.nrows());
            apply_dense_transpose(q.v.as_ref(), q.t.as_ref(), c);
        }
    }

    /// B ← B·Q for a block of rows.
    pub(crate) fn apply_from_the_right(&self, mut b: MatMut<'_, f64>) {
        for q in &self.panels {
            let b = b.rb_mut().subcols_mut(q.row, q.v.nrows());
            let mut products = Mat::zeros(b.nrows(), q.v.ncols());
            matmul(
                products.as_mut(),
                Accum::Replace,
                b.rb(),
                &q.v,
                1.0,
                Par::Seq,
            );
            let mut w = Mat::zeros(b.nrows(), q.v.ncols());
            matmul(w.as_mut(), Accum::Replace, &products, &q.t, 1.0, Par::Seq);
            matmul(b, Accum::Add, &w, q.v.transpose(), -1.0, Par::Seq);
        }
    }

    /// [R₁₁ R₁₂]·Pᵀ·S, transposed: N×r with row j multiplied by `factors[j]`.
    pub(crate) fn right_factor_transposed(&self, factors: &[f64]) -> Mat<f64> {
        let mut out = Mat::zeros(self.order.len(), self.rank());
        for (place, &unknown) in self.order.iter().enumerate() {
            for (i, value) in column(self.r.as_ref(), place).iter().enumerate() {
                out[(unknown, i)] = value * factors[unknown];
            }
        }
        out
    }

    /// Q·[c; 0], for c with `rank` or more rows.
    pub(crate) fn expand(&self, c: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        let mut out = Mat::zeros(self.rows, c.ncols());
        out.as_mut().subrows_mut(0, c.nrows()).copy_from(c);
        self.apply_chunks(out.as_mut(), parallel);
        out
    }

    fn apply_chunks(&self, mut c: MatMut<'_, f64>, parallel: bool) {
        let columns = c.ncols();
        if columns > CHUNK {
            let (c1, c2) = c.split_at_col_mut((columns / 2).next_multiple_of(4));
            join(
                parallel,
                || self.apply_chunks(c1, parallel),
                || self.apply_chunks(c2, parallel),
            );
            return;
        }
        for q in self.panels.iter().rev() {
            let rows = c.rb_mut().subrows_mut(q.row, q.v.nrows());
            apply_dense(q.v.as_ref(), q.t.as_ref(), rows);
        }
    }
}
