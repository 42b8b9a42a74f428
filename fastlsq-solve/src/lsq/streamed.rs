//! QR of a tall matrix whose rows stream by.
//!
//! The rows are cut into streams; each stream keeps one upper triangle and merges row blocks into it,
//! and the triangles of the streams are merged pairwise in a fixed tree. Right-hand sides travel as
//! extra columns, so Qᵀb and the residual norms come out with R. Memory is a few triangles plus one
//! block a thread, whatever the number of rows, unless the reflectors are kept.

use super::block::{BlockReflectors, Shape, join, reduce_block};
use super::error::{Input, LsqError};
use super::kernels::{column, dot};
use super::row_blocks::TASK_ROWS;
use super::source::{RowSource, check_finite};
use super::triangle::clear_below_diagonal;
use super::work::Work;
use crate::control::Control;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};

/// How the rows are cut. A function of the sizes only, never of the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Independent streams.
    pub(crate) streams: usize,
    /// Rows of the first block of a stream.
    pub(crate) first: usize,
    /// Rows of the following blocks.
    pub(crate) block: usize,
}

impl Layout {
    /// The layout for an `m`×`n` matrix.
    pub(crate) fn new(m: usize, n: usize) -> Self {
        let block = if n <= 512 { 1024 } else { 512 };
        // A merge of two triangles costs 2n³/3: worth it when a stream has several times n rows.
        let mut streams = 1;
        while streams < 16 && m / (2 * streams) >= n.saturating_mul(4).max(block) {
            streams *= 2;
        }
        let rows = m.div_ceil(streams);
        let first = if rows <= n.saturating_mul(3).saturating_add(block) {
            rows
        } else {
            n.max(block)
        };
        Self {
            streams,
            first,
            block,
        }
    }

    /// Whether all `m` rows make up a single block.
    pub(crate) fn is_one_block(&self, m: usize) -> bool {
        self.streams == 1 && self.first >= m
    }
}

/// The result of streaming: the triangle, the carried right-hand sides and optionally Q.
#[derive(Clone, Debug)]
pub(crate) struct Streamed {
    /// N×(N+k): R and the first N rows of Qᵀb.
    pub(crate) r: Mat<f64>,
    /// Squared norms of what no x can fit, one for each right-hand side.
    pub(crate) residual_squares: Vec<f64>,
    /// The reflectors, if kept.
    pub(crate) q: Option<QNode>,
}

/// The orthogonal factor as a tree of reflectors.
#[derive(Clone, Debug)]
pub(crate) enum QNode {
    /// One stream: its blocks in order, the first dense and the others stacked.
    Stream(Vec<BlockReflectors>),
    /// Two neighbours and the merge of their triangles.
    Merge(Box<[QNode; 2]>, BlockReflectors),
}

/// What stays the same over all streams.
struct Context<'a> {
    source: &'a dyn RowSource,
    rhs: MatRef<'a, f64>,
    layout: Layout,
    keep_q: bool,
    work: Work<'a>,
}

/// Streams all rows of `source`, and of `rhs` beside it (M×k, k may be 0).
pub(crate) fn stream_qr(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    keep_q: bool,
    work: Work<'_>,
) -> Result<Streamed, LsqError> {
    let layout = Layout::new(source.nrows(), source.ncols());
    let context = Context {
        source,
        rhs,
        layout,
        keep_q,
        work,
    };
    let streamed = context.reduce_streams(0, layout.streams)?;
    work.control.check()?;
    Ok(streamed)
}

/// R and the first N rows of Qᵀb for A = QR with more rows than columns: the same least-squares problem up to a
/// constant, with N rows.
///
/// # Errors
/// Values that are not finite, wrong sizes, a limit of the control, and whatever the source reports.
pub(crate) fn reduce_rows(
    source: &dyn RowSource,
    rhs: MatRef<'_, f64>,
    control: &Control,
) -> Result<(Mat<f64>, Mat<f64>), LsqError> {
    let work = Work {
        parallel: true,
        control,
    };
    Ok(stream_qr(source, rhs, false, work)?.triangle_and_carried(source.ncols()))
}

impl Streamed {
    /// R with clean zeros, and the carried right-hand sides.
    pub(crate) fn triangle_and_carried(&self, n: usize) -> (Mat<f64>, Mat<f64>) {
        let (triangle, carried) = self.r.as_ref().split_at_col(n);
        let mut triangle = triangle.to_owned();
        clear_below_diagonal(triangle.as_mut());
        (triangle, carried.to_owned())
    }
}

impl Context<'_> {
    /// Streams `from .. to`, merged into one triangle.
    fn reduce_streams(&self, from: usize, to: usize) -> Result<Streamed, LsqError> {
        if to - from == 1 {
            let rows = self.source.nrows();
            let cut =
                |s: usize| rows / self.layout.streams * s + (rows % self.layout.streams).min(s);
            return self.reduce_stream(cut(from), cut(to));
        }
        let middle = usize::midpoint(from, to);
        let (left, right) = join(
            self.work.parallel,
            || self.reduce_streams(from, middle),
            || self.reduce_streams(middle, to),
        );
        Ok(self.merge(left?, right?))
    }

    fn merge(&self, mut left: Streamed, mut right: Streamed) -> Streamed {
        let n = self.source.ncols();
        let panels = reduce_block(
            Shape::StackedTriangle,
            left.r.as_mut(),
            right.r.as_mut(),
            n,
            self.work,
        );
        for (sum, (j, other)) in left
            .residual_squares
            .iter_mut()
            .zip(right.residual_squares.iter().enumerate())
        {
            let rest = column(right.r.as_ref(), n + j);
            *sum += other + dot(&rest, &rest);
        }
        let q = left.q.zip(right.q).map(|(a, b)| {
            right.r.truncate(n, n);
            QNode::Merge(
                Box::new([a, b]),
                BlockReflectors::new(Shape::StackedTriangle, panels, right.r),
            )
        });
        Streamed {
            r: left.r,
            residual_squares: left.residual_squares,
            q,
        }
    }

    /// Rows `start .. end` as one stream.
    fn reduce_stream(&self, start: usize, end: usize) -> Result<Streamed, LsqError> {
        let (n, k) = (self.source.ncols(), self.rhs.ncols());
        let mut r = Mat::zeros(n, n + k);
        let mut residual_squares = vec![0.0; k];
        let mut kept = Vec::new();
        let mut workspace = Mat::zeros(0, 0);
        let mut row = start;
        while row < end {
            let first = row == start;
            let rows = (end - row).min(if first {
                self.layout.first
            } else {
                self.layout.block
            });
            if workspace.nrows() != rows {
                workspace = Mat::zeros(rows, n + k);
            }
            self.write_block(row, workspace.as_mut())?;
            let shape = if first { Shape::Dense } else { Shape::Stacked };
            let panels = reduce_block(shape, r.as_mut(), workspace.as_mut(), n, self.work);
            self.work.control.check()?;
            for (j, sum) in residual_squares.iter_mut().enumerate() {
                let rest = column(workspace.as_ref(), n + j);
                *sum += dot(&rest, &rest);
            }
            if self.keep_q {
                let mut v = std::mem::replace(&mut workspace, Mat::zeros(0, 0));
                v.truncate(rows, n);
                kept.push(BlockReflectors::new(shape, panels, v));
            }
            row += rows;
        }
        let q = self.keep_q.then_some(QNode::Stream(kept));
        Ok(Streamed {
            r,
            residual_squares,
            q,
        })
    }

    fn write_block(&self, row: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        let rows = out.nrows();
        let (mut a, mut b) = out.split_at_col_mut(self.source.ncols());
        for first in (0..rows).step_by(TASK_ROWS) {
            self.work.control.check()?;
            let count = TASK_ROWS.min(rows - first);
            let mut part = a.rb_mut().subrows_mut(first, count);
            self.source.write_rows(row + first, part.rb_mut())?;
            check_finite(part.rb(), row + first, Input::Matrix)?;
        }
        b.copy_from(self.rhs.subrows(row, rows));
        check_finite(b.rb(), row, Input::RightHandSide)
    }
}

impl QNode {
    /// Rows that this part of the tree acts on.
    pub(crate) fn nrows(&self) -> usize {
        match self {
            Self::Stream(blocks) => blocks.iter().map(BlockReflectors::nrows).sum(),
            Self::Merge(children, _) => children.iter().map(Self::nrows).sum(),
        }
    }

    /// The first N rows of Qᵀ c, for c with [`nrows`](Self::nrows) rows (used as workspace).
    fn transpose_times(&self, n: usize, mut c: MatMut<'_, f64>, parallel: bool) -> Mat<f64> {
        match self {
            Self::Stream(blocks) => {
                let mut top = Mat::zeros(n, c.ncols());
                for block in blocks {
                    let (rows, rest) = c.split_at_row_mut(block.nrows());
                    block.apply_transpose(top.as_mut(), rows);
                    c = rest;
                }
                top
            }
            Self::Merge(children, merge) => {
                let (c1, c2) = c.split_at_row_mut(children[0].nrows());
                let (mut top, mut other) = join(
                    parallel,
                    || children[0].transpose_times(n, c1, parallel),
                    || children[1].transpose_times(n, c2, parallel),
                );
                merge.apply_transpose(top.as_mut(), other.as_mut());
                top
            }
        }
    }

    /// Q [top; 0], written into `out`. `top` (N rows) is used as workspace.
    fn times(&self, mut top: MatMut<'_, f64>, mut out: MatMut<'_, f64>, parallel: bool) {
        match self {
            Self::Stream(blocks) => {
                out.fill(0.0);
                let mut end = out.nrows();
                for block in blocks.iter().rev() {
                    let start = end - block.nrows();
                    block.apply(top.rb_mut(), out.rb_mut().subrows_mut(start, end - start));
                    end = start;
                }
            }
            Self::Merge(children, merge) => {
                let mut other = Mat::zeros(top.nrows(), top.ncols());
                merge.apply(top.rb_mut(), other.as_mut());
                let (out1, out2) = out.split_at_row_mut(children[0].nrows());
                join(
                    parallel,
                    || children[0].times(top, out1, parallel),
                    || children[1].times(other.as_mut(), out2, parallel),
                );
            }
        }
    }

    /// The first N rows of Qᵀ c.
    pub(crate) fn project(&self, n: usize, c: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        let mut work = c.to_owned();
        let mut top = Mat::zeros(n, c.ncols());
        self.project_chunks(work.as_mut(), top.as_mut(), parallel);
        top
    }

    fn project_chunks(&self, c: MatMut<'_, f64>, mut top: MatMut<'_, f64>, parallel: bool) {
        if c.ncols() > COLUMNS_AT_ONCE {
            let half = (c.ncols() / 2).next_multiple_of(4);
            let (c1, c2) = c.split_at_col_mut(half);
            let (top1, top2) = top.split_at_col_mut(half);
            join(
                parallel,
                || self.project_chunks(c1, top1, parallel),
                || self.project_chunks(c2, top2, parallel),
            );
        } else {
            let result = self.transpose_times(top.nrows(), c, parallel);
            top.copy_from(result);
        }
    }

    /// Q [top; 0] for `top` with N rows: M rows.
    pub(crate) fn expand(&self, top: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        let mut work = top.to_owned();
        let mut out = Mat::zeros(self.nrows(), top.ncols());
        self.expand_chunks(work.as_mut(), out.as_mut(), parallel);
        out
    }

    fn expand_chunks(&self, top: MatMut<'_, f64>, out: MatMut<'_, f64>, parallel: bool) {
        if top.ncols() > COLUMNS_AT_ONCE {
            let half = (top.ncols() / 2).next_multiple_of(4);
            let (top1, top2) = top.split_at_col_mut(half);
            let (out1, out2) = out.split_at_col_mut(half);
            join(
                parallel,
                || self.expand_chunks(top1, out1, parallel),
                || self.expand_chunks(top2, out2, parallel),
            );
        } else {
            self.times(top, out, parallel);
        }
    }
}

/// Widest group of columns that Q or Qᵀ is applied to in one task.
const COLUMNS_AT_ONCE: usize = 160;
