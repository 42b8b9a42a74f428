//! The orthogonal factor of a streamed QR.

use super::block::{BlockReflectors, join};
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

/// The orthogonal factor as a tree of reflectors.
#[derive(Clone, Debug)]
pub(crate) enum QNode {
    /// One stream: its blocks in order, the first dense and the others stacked.
    Stream(Vec<BlockReflectors>),
    /// Two neighbours and the merge of their triangles.
    Merge(Box<[QNode; 2]>, BlockReflectors),
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
