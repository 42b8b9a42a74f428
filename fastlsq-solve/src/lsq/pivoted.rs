//! Column-pivoted QR that stops at the numerical rank.
//!
//! Classical pivoting looks at every column after every reflector and is bound by memory. Here the
//! pivots of a whole panel are chosen on a small random sketch Y = G·A (a few more rows than the
//! panel has columns): pivoted QR of Y is cheap and orders the columns nearly as well. The panel is
//! then reduced and the trailing matrix updated by matrix products; the sketch follows without looking at A
//! again (Y ← Y − G₁·R₁₂), so the next panel can be chosen and reduced while the other columns are still being
//! updated. The rank is decided on the true diagonal and, before stopping, on the true norms of the columns
//! that are left.
//!
//! The sketch is drawn from a fixed seed: the factorisation is a function of its input.

use super::block::join;
use super::elimination::{Elimination, Panel};
use super::kernels::{column, norm};
use super::panel::{apply_dense, apply_dense_transpose};
use super::pivots::Sketch;
use super::triangle::clear_below_diagonal;
use super::work::Work;
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Widest group of columns that Q is applied to in one task.
const CHUNK: usize = 128;

/// A·P = Q·[R₁₁ R₁₂; 0 E] with pivots above and columns of E not much above the threshold.
#[derive(Clone, Debug)]
pub(crate) struct PivotedQr {
    /// r×n: [R₁₁ R₁₂], columns in pivoted order.
    pub(crate) r: Mat<f64>,
    /// `order[i]` is the column of A that stands at place i.
    pub(crate) order: Vec<usize>,
    /// Norms of the columns of E, in pivoted order.
    pub(crate) dropped: Vec<f64>,
    /// The Householder vectors, a column for each pivot.
    v: Mat<f64>,
    panels: Vec<Panel>,
}

/// Panel width: narrow, because choosing the pivots of a panel costs its width squared per column.
fn panel_width(n: usize) -> usize {
    if n <= 64 { 16 } else { 32 }
}

/// Factors `a`, which is overwritten. Stops when the pivots and the remaining columns reach `tolerance`; with fewer pivots
/// if the work is stopped.
pub(crate) fn pivoted_qr<'w>(a: Mat<f64>, tolerance: f64, work: impl Into<Work<'w>>) -> PivotedQr {
    let work: Work<'w> = work.into();
    let parallel = work.parallel;
    let (m, n) = a.shape();
    let limit = m.min(n);
    let mut sketch = Sketch::new(a.as_ref(), panel_width(n), parallel);
    let mut state = Elimination::new(a, work);
    let mut dropped = Vec::new();
    // The order is only nearly the best, and near the noise level of the data a few columns always stick
    // out: settle for columns somewhat above the tolerance, and for less each time.
    let mut slack = 2.0;
    while state.rank < limit && !work.is_over() {
        let width = panel_width(n).min(limit - state.rank);
        state.swap(&sketch.bring_pivots_forward(width));
        let (unreduced, t) = state.reduce_next_panel(width);
        let (start, end) = (state.rank, state.rank + width);
        let smallest = (start..end)
            .map(|i| state.r[(i, i)].abs())
            .fold(f64::INFINITY, f64::min);
        if smallest > tolerance {
            state.accept(t);
            let r11 = state.r.as_ref().submatrix(start, start, width, width);
            let r12 = state.r.as_ref().submatrix(start, end, width, n - end);
            if !sketch.follow(r11, r12) && end < limit {
                state.update_pending();
                sketch = Sketch::new(state.rest(), panel_width(n), parallel);
            }
            continue;
        }
        // The rank lies inside this panel (or the sketch misled): order it by its true norms.
        state.reduce_carefully(unreduced, tolerance);
        let rest = state.rest();
        dropped = (0..rest.ncols()).map(|j| norm(&column(rest, j))).collect();
        // Where nothing was found, the same sketch would find nothing again: every round adds a pivot or is the last.
        let left = dropped.iter().any(|&size| size > slack * tolerance);
        if !left || state.rank == start {
            break;
        }
        slack *= 2.0;
        sketch = Sketch::new(rest, panel_width(n), parallel);
    }
    let Elimination {
        mut a,
        mut r,
        order,
        panels,
        rank,
        ..
    } = state;
    if rank == limit {
        dropped = vec![0.0; n - rank];
    }
    r.truncate(rank, n);
    clear_below_diagonal(r.as_mut());
    if 2 * rank < n {
        a = a.as_ref().subcols(0, rank).to_owned();
    }
    PivotedQr {
        r,
        order,
        dropped,
        v: a,
        panels,
    }
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
        for panel in &self.panels {
            let v = panel.vectors(self.v.as_ref());
            let c = c.rb_mut().subrows_mut(panel.start, v.nrows());
            apply_dense_transpose(v, panel.t.as_ref(), c);
        }
    }

    /// B ← B·Q for a block of rows.
    pub(crate) fn apply_from_the_right(&self, mut b: MatMut<'_, f64>) {
        for panel in &self.panels {
            let v = panel.vectors(self.v.as_ref());
            let b = b.rb_mut().subcols_mut(panel.start, v.nrows());
            let mut products = Mat::zeros(b.nrows(), v.ncols());
            matmul(products.as_mut(), Accum::Replace, b.rb(), v, 1.0, Par::Seq);
            let mut w = Mat::zeros(b.nrows(), v.ncols());
            matmul(
                w.as_mut(),
                Accum::Replace,
                &products,
                &panel.t,
                1.0,
                Par::Seq,
            );
            matmul(b, Accum::Add, &w, v.transpose(), -1.0, Par::Seq);
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
        let mut out = Mat::zeros(self.v.nrows(), c.ncols());
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
        for panel in self.panels.iter().rev() {
            let v = panel.vectors(self.v.as_ref());
            let rows = c.rb_mut().subrows_mut(panel.start, v.nrows());
            apply_dense(v, panel.t.as_ref(), rows);
        }
    }
}

#[cfg(test)]
#[path = "pivoted_tests.rs"]
mod tests;
