//! One leaf: its operator, what holds on its outer sides, and what is given in it.

use std::sync::Arc;

use faer::MatRef;

use super::PatchError;
use super::frame::LeafFrame;
use super::grid::{Cell, Grid};
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
    /// For each side that lies on the outer boundary, what holds there.
    pub(super) outer: Vec<Option<OuterSide>>,
    /// What the problem gives.
    pub(super) data: LeafData,
}

/// What is given in a leaf and on its sides: right-hand sides, on which no operator and no factor depends.
#[derive(Debug, Clone, Default)]
pub(super) struct LeafData {
    /// f of linear equations at the inner points, over the leaf's scale.
    pub(super) inner: Vec<f64>,
    /// f at the check points, over the leaf's scale.
    pub(super) check: Vec<f64>,
    pub(super) sides: Vec<SideData>,
}

/// What is given on a side of a leaf, as traces ordered by unknown; empty where nothing is.
#[derive(Debug, Clone, Default)]
pub(super) struct SideData {
    /// On an outer side, the values or the right-hand sides of its rows; between two leaves, by how much u is
    /// larger here than across.
    pub(super) traces: Vec<f64>,
    /// Between two leaves, what the flux out of this one lacks to balance that out of the other.
    pub(super) fluxes: Vec<f64>,
}

impl Leaf {
    pub(super) fn new(
        frame: LeafFrame,
        class: u32,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<Self, PatchError> {
        let outer = (0..2 * reference.dim)
            .map(|side| match neighbour(&frame.cell, side, grid) {
                Some(_) => Ok(None),
                None => OuterSide::new(&frame, side, problem, reference).map(Some),
            })
            .collect::<Result<_, _>>()?;
        let mut leaf = Self {
            frame,
            class,
            operator: None,
            outer,
            data: LeafData::default(),
        };
        leaf.data = leaf.data_of(grid, problem, reference)?;
        Ok(leaf)
    }

    /// What a problem with the same operators gives here.
    pub(super) fn data_of(
        &self,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<LeafData, PatchError> {
        let frame = &self.frame;
        let on_side = |(side, outer): (usize, &Option<OuterSide>)| match outer {
            Some(outer) => Ok(SideData {
                traces: outer.data(frame, side, problem, reference)?,
                fluxes: Vec::new(),
            }),
            None => match neighbour(&frame.cell, side, grid) {
                Some(across) => problem.jump_into(frame, side, across, reference),
                None => Ok(SideData::default()),
            },
        };
        Ok(LeafData {
            inner: frame.source_at(&reference.inner, problem)?,
            check: frame.source_at(&reference.check, problem)?,
            sides: self
                .outer
                .iter()
                .enumerate()
                .map(on_side)
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The box across a side, if there is one.
fn neighbour(cell: &Cell, side: usize, grid: &Grid) -> Option<usize> {
    let corner = grid.across(cell, side / 2, side % 2 == 1)?;
    let size = cell.size;
    grid.owner(&Cell { corner, size })
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
