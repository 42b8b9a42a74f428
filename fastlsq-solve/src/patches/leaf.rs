//! One leaf: its operator, its data, and what holds on its outer sides.

use std::sync::Arc;

use faer::MatRef;

use super::PatchError;
use super::frame::LeafFrame;
use super::grid::Grid;
use super::operator::LeafOperator;
use super::outer::OuterSide;
use super::problem::PatchProblem;
use super::reference::Reference;

/// A leaf with everything that does not change from solve to solve.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) frame: LeafFrame,
    pub(super) class: u32,
    /// The operator of its class, on the process that has the leaf.
    pub(super) operator: Option<Arc<LeafOperator>>,
    /// f of linear equations at the inner points, over the leaf's scale.
    pub(super) inner_source: Vec<f64>,
    /// f at the check points, over the leaf's scale.
    pub(super) check_source: Vec<f64>,
    /// For each side that lies on the outer boundary, what holds there.
    pub(super) outer: Vec<Option<OuterSide>>,
}

impl Leaf {
    pub(super) fn new(
        frame: LeafFrame,
        class: u32,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let inner_source = frame.source_at(&reference.inner, problem)?;
        let check_source = frame.source_at(&reference.check, problem)?;
        let outer = (0..2 * reference.dim)
            .map(|side| OuterSide::new(&frame, side, grid, problem, reference))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            frame,
            class,
            operator: None,
            inner_source,
            check_source,
            outer,
        })
    }
}

/// A·x.
pub(super) fn apply(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; a.nrows()];
    faer::linalg::matmul::matmul(
        faer::ColMut::from_slice_mut(&mut y).as_mat_mut(),
        faer::Accum::Replace,
        a,
        faer::ColRef::from_slice(x).as_mat(),
        1.0,
        faer::Par::Seq,
    );
    y
}

/// Calls `work` with where the traces of one unknown on a side begin among those of a single unknown, and among all.
pub(super) fn each_trace(
    reference: &Reference,
    unknowns: usize,
    unknown: usize,
    mut work: impl FnMut(usize, usize),
) {
    let nodes = reference.side_nodes();
    for side in 0..2 * reference.dim {
        work(side * nodes, (side * unknowns + unknown) * nodes);
    }
}
