//! Blocked QR of one row block, alone or merged into an existing triangle.
//!
//! Panels of a fixed width are reduced one after the other; while the columns behind a panel are
//! updated, the next panel is already being reduced. The columns are updated in chunks whose
//! boundaries depend on the sizes only, so the result is the same on any number of threads.

use super::panel::{
    apply_dense, apply_dense_transpose, apply_stacked, apply_stacked_transpose, dense_panel,
    move_top_rows, stacked_panel,
};
use super::work::Work;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};

/// Widest group of columns that one task updates.
const CHUNK: usize = 128;

/// Below this many multiplications a second task costs more than it saves.
const WORTH_A_TASK: usize = 400_000;

/// What the rows of a block look like and where its triangle goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A dense block on its own: R is created.
    Dense,
    /// A dense block below an existing triangle R.
    Stacked,
    /// An upper-triangular block below an existing triangle R: its zeros are not touched.
    StackedTriangle,
}

impl Shape {
    /// The rows (start, count) of a block of `p` rows that a panel of `width` columns at `column` acts on.
    fn rows(self, p: usize, column: usize, width: usize) -> (usize, usize) {
        match self {
            Self::Dense => (column, p - column),
            Self::Stacked => (0, p),
            Self::StackedTriangle => (0, p.min(column + width)),
        }
    }

    /// Operations of reducing `n` columns of a block of `p` rows, with `k` columns carried along: 4 for each entry that a
    /// reflector passes over.
    pub(crate) fn flops(self, p: usize, n: usize, k: usize) -> u64 {
        let entries = |j: usize| {
            let rows = match self {
                Self::Dense => p - j,
                Self::Stacked => p,
                Self::StackedTriangle => p.min(j + 1),
            };
            (rows * (n + k - j)) as u64
        };
        4 * (0..self.reducible(p, n)).map(entries).sum::<u64>()
    }

    /// How many columns a block of `p` rows can reduce.
    fn reducible(self, p: usize, n: usize) -> usize {
        match self {
            Self::Dense => n.min(p),
            Self::Stacked | Self::StackedTriangle => n,
        }
    }
}

/// Panel width for `n` columns: wide enough for fast products, narrow enough that panels stay cheap.
pub(crate) fn panel_width(n: usize) -> usize {
    if n <= 400 { 32 } else { 64 }
}

/// Runs both closures, at the same time if `parallel`.
pub(crate) fn join<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if parallel {
        rayon::join(a, b)
    } else {
        (a(), b())
    }
}

/// One reduced panel: where it sits and the triangular factor of its compact form.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    column: usize,
    t: Mat<f64>,
}

/// The Householder vectors of a reduced block, enough to apply its Q later.
#[derive(Clone, Debug)]
pub(crate) struct BlockReflectors {
    shape: Shape,
    panels: Vec<Panel>,
    v: Mat<f64>,
}

/// Reduces the first `n` columns of the block `b`; the columns behind are carried along.
///
/// `r` has `n` rows and as many columns as `b`: the triangle and the carried columns. On return the
/// reduced columns of `b` hold the Householder vectors and the carried ones what is left of them. Work that is stopped
/// leaves both unfinished.
pub(crate) fn reduce_block(
    shape: Shape,
    mut r: MatMut<'_, f64>,
    mut b: MatMut<'_, f64>,
    n: usize,
    work: Work<'_>,
) -> Vec<Panel> {
    let parallel = work.parallel;
    let p = b.nrows();
    let total = shape.reducible(p, n);
    let width = panel_width(n);
    let mut panels = Vec::with_capacity(total.div_ceil(width.max(1)));
    if total == 0 || work.is_over() {
        return panels;
    }
    let mut column = 0;
    let mut w = width.min(total);
    panels.push(reduce_panel(
        shape,
        r.rb_mut().subcols_mut(0, w),
        b.rb_mut().subcols_mut(0, w),
        0,
    ));
    loop {
        let end = column + w;
        let next_w = width.min(total - end);
        let (start, len) = shape.rows(p, column, w);
        let (done, trailing) = b.rb_mut().split_at_col_mut(end);
        let v = done.rb().submatrix(start, column, len, w);
        let (mut next_b, rest_b) = trailing.split_at_col_mut(next_w);
        let (mut next_r, rest_r) = r
            .rb_mut()
            .subcols_mut(end, next_b.ncols() + rest_b.ncols())
            .split_at_col_mut(next_w);
        let Some(t) = panels.last().map(|panel: &Panel| panel.t.as_ref()) else {
            break;
        };
        let (next, ()) = join(
            parallel && len * w * rest_b.ncols() > WORTH_A_TASK,
            || {
                (next_w > 0).then(|| {
                    update_columns(
                        shape,
                        v,
                        t,
                        next_r.rb_mut().subrows_mut(column, w),
                        next_b.rb_mut().subrows_mut(start, len),
                        work.alone(),
                    );
                    reduce_panel(shape, next_r, next_b, end)
                })
            },
            || {
                update_columns(
                    shape,
                    v,
                    t,
                    rest_r.subrows_mut(column, w),
                    rest_b.subrows_mut(start, len),
                    work,
                );
            },
        );
        let Some(next) = next else { break };
        if work.is_over() {
            break;
        }
        panels.push(next);
        (column, w) = (end, next_w);
    }
    panels
}

/// Reduces the panel whose columns are `b`, at position `column` of the whole block.
fn reduce_panel(shape: Shape, r: MatMut<'_, f64>, b: MatMut<'_, f64>, column: usize) -> Panel {
    let w = b.ncols();
    let (start, len) = shape.rows(b.nrows(), column, w);
    let mut t = Mat::zeros(w, w);
    let r = r.subrows_mut(column, w);
    let b = b.subrows_mut(start, len);
    match shape {
        Shape::Dense => dense_panel(r, b, t.as_mut()),
        Shape::Stacked | Shape::StackedTriangle => stacked_panel(r, b, t.as_mut()),
    }
    Panel { column, t }
}

/// Applies a panel's Qᵀ to further columns, in chunks.
fn update_columns(
    shape: Shape,
    v: MatRef<'_, f64>,
    t: MatRef<'_, f64>,
    r: MatMut<'_, f64>,
    mut b: MatMut<'_, f64>,
    work: Work<'_>,
) {
    let columns = b.ncols();
    if columns > CHUNK {
        let half = (columns / 2).next_multiple_of(4);
        let (r1, r2) = r.split_at_col_mut(half);
        let (b1, b2) = b.split_at_col_mut(half);
        join(
            work.parallel && v.nrows() * v.ncols() * columns > WORTH_A_TASK,
            || update_columns(shape, v, t, r1, b1, work),
            || update_columns(shape, v, t, r2, b2, work),
        );
    } else if columns > 0 && !work.is_over() {
        match shape {
            Shape::Dense => {
                apply_dense_transpose(v, t, b.rb_mut());
                move_top_rows(b, r);
            }
            Shape::Stacked | Shape::StackedTriangle => apply_stacked_transpose(v, t, r, b),
        }
    }
}

impl BlockReflectors {
    /// Keeps the reflectors that [`reduce_block`] left in `v`.
    pub(crate) fn new(shape: Shape, panels: Vec<Panel>, v: Mat<f64>) -> Self {
        Self { shape, panels, v }
    }

    /// Rows of the block.
    pub(crate) fn nrows(&self) -> usize {
        self.v.nrows()
    }

    fn vectors(&self, panel: &Panel) -> (usize, MatRef<'_, f64>) {
        let w = panel.t.ncols();
        let (start, len) = self.shape.rows(self.v.nrows(), panel.column, w);
        (
            start,
            self.v.as_ref().submatrix(start, panel.column, len, w),
        )
    }

    /// Applies Qᵀ to the rows `c` of this block; `top` holds the rows of the triangle.
    pub(crate) fn apply_transpose(&self, mut top: MatMut<'_, f64>, mut c: MatMut<'_, f64>) {
        for panel in &self.panels {
            let (start, v) = self.vectors(panel);
            let c = c.rb_mut().subrows_mut(start, v.nrows());
            match self.shape {
                Shape::Dense => apply_dense_transpose(v, panel.t.as_ref(), c),
                Shape::Stacked | Shape::StackedTriangle => {
                    let top = top.rb_mut().subrows_mut(panel.column, v.ncols());
                    apply_stacked_transpose(v, panel.t.as_ref(), top, c);
                }
            }
        }
        if self.shape == Shape::Dense {
            let rows = top.nrows().min(c.nrows());
            move_top_rows(c, top.subrows_mut(0, rows));
        }
    }

    /// Applies Q to [top; c]. For a dense block `top` moves into the first rows of `c`.
    pub(crate) fn apply(&self, mut top: MatMut<'_, f64>, mut c: MatMut<'_, f64>) {
        if self.shape == Shape::Dense {
            let rows = top.nrows().min(c.nrows());
            move_top_rows(top.rb_mut(), c.rb_mut().subrows_mut(0, rows));
        }
        for panel in self.panels.iter().rev() {
            let (start, v) = self.vectors(panel);
            let c = c.rb_mut().subrows_mut(start, v.nrows());
            match self.shape {
                Shape::Dense => apply_dense(v, panel.t.as_ref(), c),
                Shape::Stacked | Shape::StackedTriangle => {
                    let top = top.rb_mut().subrows_mut(panel.column, v.ncols());
                    apply_stacked(v, panel.t.as_ref(), top, c);
                }
            }
        }
    }
}
