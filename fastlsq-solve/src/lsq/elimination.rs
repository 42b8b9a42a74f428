//! The elimination behind pivoted QR: panels, pending updates and the columns that are left.

use super::block::join;
use super::kernels::{column, column_mut, dot, norm, reflect_columns, scale};
use super::panel::{apply_dense_transpose, dense_panel, move_top_rows};
use super::products::add_product;
use super::work::Work;
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Widest group of columns that one task updates.
const CHUNK: usize = 128;
/// Below this many multiplications a second task costs more than it saves.
const WORTH_A_TASK: usize = 400_000;

/// A panel of reflectors I − V T Vᵀ; V starts at this row and column of the vectors.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) start: usize,
    pub(super) t: Mat<f64>,
}

impl Panel {
    pub(super) fn vectors<'a>(&self, all: MatRef<'a, f64>) -> MatRef<'a, f64> {
        all.submatrix(
            self.start,
            self.start,
            all.nrows() - self.start,
            self.t.ncols(),
        )
    }
}

/// The state between two panels: the first `rank` columns of `a` hold Householder vectors.
pub(super) struct Elimination<'a> {
    pub(super) a: Mat<f64>,
    pub(super) r: Mat<f64>,
    pub(super) order: Vec<usize>,
    pub(super) panels: Vec<Panel>,
    pub(super) rank: usize,
    /// W of the last panel, whose update C ← C − V·W of the columns behind is still to be made.
    pending: Option<Mat<f64>>,
    work: Work<'a>,
}

impl<'a> Elimination<'a> {
    /// Nothing eliminated yet.
    pub(super) fn new(a: Mat<f64>, work: Work<'a>) -> Self {
        let (m, n) = a.shape();
        Self {
            r: Mat::zeros(m.min(n), n),
            order: (0..n).collect(),
            panels: Vec::new(),
            rank: 0,
            pending: None,
            a,
            work,
        }
    }

    /// The part of A that is left. Only up to date when nothing is pending.
    pub(super) fn rest(&self) -> MatRef<'_, f64> {
        let (m, n) = self.a.shape();
        self.a
            .as_ref()
            .submatrix(self.rank, self.rank, m - self.rank, n - self.rank)
    }

    /// Exchanges place i of the columns left with the place in the i-th entry.
    pub(super) fn swap(&mut self, swaps: &[usize]) {
        for (i, &from) in swaps.iter().enumerate() {
            let (here, there) = (self.rank + i, self.rank + from);
            swap_columns(self.a.as_mut(), here, there);
            swap_columns(self.r.as_mut(), here, there);
            self.order.swap(here, there);
            if let Some(w) = &mut self.pending {
                swap_columns(w.as_mut(), i, from);
            }
        }
    }

    /// Brings the next `width` columns up to date and reduces them, and updates the others meanwhile.
    /// Returns the columns before the reduction, and T.
    pub(super) fn reduce_next_panel(&mut self, width: usize) -> (Mat<f64>, Mat<f64>) {
        let (rank, work) = (self.rank, self.work);
        let rows = self.a.nrows() - rank;
        let pending = self.pending.take();
        let (done, behind) = self.a.as_mut().split_at_col_mut(rank);
        let (mut next, rest) = behind.split_at_col_mut(width);
        let r = self.r.as_mut().submatrix_mut(rank, rank, width, width);
        let last = self.panels.last().zip(pending.as_ref());
        let last = last.map(|(panel, w)| (panel.start, panel.vectors(done.rb()), w.as_ref()));
        let reduce = || {
            if let Some((start, v, w)) = last {
                let c = next.rb_mut().subrows_mut(start, v.nrows());
                add_product(c, -1.0, v, w.subcols(0, width), work.alone());
            }
            let panel = next.subrows_mut(rank, rows);
            let unreduced = panel.rb().to_owned();
            let mut t = Mat::zeros(width, width);
            dense_panel(r, panel, t.as_mut());
            (unreduced, t)
        };
        let update = || {
            if let Some((start, v, w)) = last {
                let c = rest.subrows_mut(start, v.nrows());
                add_product(c, -1.0, v, w.subcols(width, w.ncols() - width), work);
            }
        };
        join(work.parallel && last.is_some(), reduce, update).0
    }

    /// Takes the reduced panel into Q and computes its rows of R; the rest of the update stays pending.
    pub(super) fn accept(&mut self, t: Mat<f64>) {
        let (m, n) = self.a.shape();
        let (start, width) = (self.rank, t.ncols());
        let end = start + width;
        let panel = Panel { start, t };
        let (done, behind) = self.a.as_mut().split_at_col_mut(end);
        let v = panel.vectors(done.rb());
        let c = behind.rb().subrows(start, m - start);
        let mut w = Mat::zeros(width, n - end);
        products(v, panel.t.as_ref(), c, w.as_mut(), self.work);
        let mut r = self.r.as_mut().submatrix_mut(start, end, width, n - end);
        r.copy_from(c.subrows(0, width));
        add_product(r, -1.0, v.subrows(0, width), w.as_ref(), false);
        self.panels.push(panel);
        self.pending = Some(w);
        self.rank = end;
    }

    /// Makes the pending update.
    pub(super) fn update_pending(&mut self) {
        if let Some((w, panel)) = self.pending.take().zip(self.panels.last()) {
            let (done, behind) = self.a.as_mut().split_at_col_mut(self.rank);
            let v = panel.vectors(done.rb());
            let c = behind.subrows_mut(panel.start, v.nrows());
            add_product(c, -1.0, v, w.as_ref(), self.work);
        }
    }

    /// Reduces the columns of a panel in the order of their true norms, as far as these exceed `tolerance`.
    pub(super) fn reduce_carefully(&mut self, panel: Mat<f64>, tolerance: f64) {
        let (m, n) = self.a.shape();
        let start = self.rank;
        self.a
            .as_mut()
            .submatrix_mut(start, start, m - start, panel.ncols())
            .copy_from(&panel);
        let (swaps, v, t) = careful_panel(panel, tolerance);
        self.swap(&swaps);
        let width = v.ncols();
        if width == 0 {
            return;
        }
        eliminate(
            v.as_ref(),
            t.as_ref(),
            self.a
                .as_mut()
                .submatrix_mut(start, start, m - start, n - start),
            self.r
                .as_mut()
                .submatrix_mut(start, start, width, n - start),
            self.work,
        );
        self.a
            .as_mut()
            .submatrix_mut(start, start, m - start, width)
            .copy_from(&v);
        self.panels.push(Panel { start, t });
        self.rank += width;
    }
}

/// W = Tᵀ·Vᵀ·C, in chunks of columns.
fn products(
    v: MatRef<'_, f64>,
    t: MatRef<'_, f64>,
    c: MatRef<'_, f64>,
    w: MatMut<'_, f64>,
    work: Work<'_>,
) {
    let columns = c.ncols();
    if columns > CHUNK {
        let half = (columns / 2).next_multiple_of(4);
        let (c1, c2) = c.split_at_col(half);
        let (w1, w2) = w.split_at_col_mut(half);
        join(
            work.parallel && v.nrows() * v.ncols() * columns > WORTH_A_TASK,
            || products(v, t, c1, w1, work),
            || products(v, t, c2, w2, work),
        );
    } else if columns > 0 && !work.is_over() {
        let mut product = Mat::zeros(v.ncols(), columns);
        matmul(
            product.as_mut(),
            Accum::Replace,
            v.transpose(),
            c,
            1.0,
            Par::Seq,
        );
        matmul(w, Accum::Replace, t.transpose(), &product, 1.0, Par::Seq);
    }
}

/// Applies a panel's Qᵀ to columns of A and moves the finished rows to R.
fn eliminate(
    v: MatRef<'_, f64>,
    t: MatRef<'_, f64>,
    mut a: MatMut<'_, f64>,
    r: MatMut<'_, f64>,
    work: Work<'_>,
) {
    let columns = a.ncols();
    if columns > CHUNK {
        let half = (columns / 2).next_multiple_of(4);
        let (a1, a2) = a.split_at_col_mut(half);
        let (r1, r2) = r.split_at_col_mut(half);
        join(
            work.parallel && v.nrows() * v.ncols() * columns > WORTH_A_TASK,
            || eliminate(v, t, a1, r1, work),
            || eliminate(v, t, a2, r2, work),
        );
    } else if columns > 0 && !work.is_over() {
        apply_dense_transpose(v, t, a.rb_mut());
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
            let product = dot(&column(panel.as_ref(), i), &column(panel.as_ref(), j));
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
