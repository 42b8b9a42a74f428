//! QR of a tall matrix whose rows stream by.
//!
//! The rows are cut into streams; each stream keeps one upper triangle and merges row blocks into it,
//! and the triangles of the streams are merged pairwise in a fixed tree. Right-hand sides travel as
//! extra columns, so Qᵀb and the residual norms come out with R. Memory is a few triangles plus one
//! block per thread, whatever the number of rows, unless the reflectors are kept.

use super::block::{BlockReflectors, Shape, join, reduce_block};
use super::error::{Input, LsqError};
use super::kernels::{column, dot};
use super::reflected::QNode;
use super::row_blocks::TASK_ROWS;
use super::shared::RowFactor;
use super::source::{RowSource, check_finite};
use super::triangle::clear_below_diagonal;
use super::work::Work;
use crate::control::Control;
use crate::team::Tally;
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
        // Many streams serve many processes; one process loses two percent by them.
        while streams < MOST_STREAMS && m / (2 * streams) >= n.saturating_mul(16).max(4 * block) {
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

    /// The first of `m` rows of a stream, or the end of the last one.
    pub(crate) fn cut(&self, m: usize, stream: usize) -> usize {
        m / self.streams * stream + (m % self.streams).min(stream)
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
    pub(crate) q: Option<RowFactor>,
}

/// What stays the same over all streams.
pub(super) struct Context<'a> {
    pub(super) source: &'a dyn RowSource,
    pub(super) rhs: MatRef<'a, f64>,
    pub(super) layout: Layout,
    pub(super) keep_q: bool,
    pub(super) work: Work<'a>,
    /// Where operations are counted.
    pub(super) tally: Option<&'a Tally>,
}

/// One subtree of streams, reduced.
pub(super) struct Reduced {
    pub(super) r: Mat<f64>,
    pub(super) residual_squares: Vec<f64>,
    pub(super) q: Option<QNode>,
}

/// Streams all rows of `source`, and of `rhs` beside it (M×k, k may be 0), on this process.
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
        tally: None,
    };
    let reduced = context.reduce_streams(0, layout.streams)?;
    work.control.check()?;
    Ok(Streamed {
        r: reduced.r,
        residual_squares: reduced.residual_squares,
        q: reduced.q.map(RowFactor::Own),
    })
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
    pub(super) fn reduce_streams(&self, from: usize, to: usize) -> Result<Reduced, LsqError> {
        if to - from == 1 {
            let cut = |stream| self.layout.cut(self.source.nrows(), stream);
            return self.reduce_stream(cut(from), cut(to));
        }
        let middle = usize::midpoint(from, to);
        let (left, right) = join(
            self.work.parallel,
            || self.reduce_streams(from, middle),
            || self.reduce_streams(middle, to),
        );
        let (mut left, right) = (left?, right?);
        let merged = self.merge(
            &mut left.r,
            &mut left.residual_squares,
            right.r,
            &right.residual_squares,
        );
        let children = left.q.zip(right.q);
        left.q = children
            .zip(merged)
            .map(|((a, b), merge)| QNode::Merge(Box::new([a, b]), merge));
        Ok(left)
    }

    /// Merges a second triangle into a first one; returns the reflectors, if they are kept.
    pub(super) fn merge(
        &self,
        r: &mut Mat<f64>,
        residual_squares: &mut [f64],
        mut other: Mat<f64>,
        other_squares: &[f64],
    ) -> Option<BlockReflectors> {
        let n = self.source.ncols();
        let shape = Shape::StackedTriangle;
        let panels = reduce_block(shape, r.as_mut(), other.as_mut(), n, self.work);
        self.count(shape, n);
        let squares = residual_squares.iter_mut().zip(other_squares);
        for (j, (sum, square)) in squares.enumerate() {
            let rest = column(other.as_ref(), n + j);
            *sum += square + dot(&rest, &rest);
        }
        self.keep_q.then(|| {
            other.truncate(n, n);
            BlockReflectors::new(shape, panels, other)
        })
    }

    /// Takes note of a block with this many rows.
    fn count(&self, shape: Shape, rows: usize) {
        if let Some(tally) = self.tally {
            tally.worked(shape.flops(rows, self.source.ncols(), self.rhs.ncols()));
        }
    }

    /// Rows `start .. end` as one stream.
    fn reduce_stream(&self, start: usize, end: usize) -> Result<Reduced, LsqError> {
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
            self.count(shape, rows);
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
        Ok(Reduced {
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

/// Most streams, and so the most processes that rows are shared out to.
const MOST_STREAMS: usize = 1024;
