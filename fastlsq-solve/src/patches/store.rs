//! Leaves and operators, kept from solve to solve.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::PatchError;
use super::frame::{LeafClass, LeafFrame, Linearisation};
use super::grid::Cell;
use super::leaf::Leaf;
use super::mesh::PatchMesh;
use super::operator::{LeafOperator, leaf_operator};
use super::problem::PatchProblem;

/// A frame, and the number and the operator of its class.
type Unfinished = (LeafFrame, u32, Arc<LeafOperator>);

/// Leaves and operators that are kept from solve to solve.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) leaves: HashMap<Cell, Leaf>,
    classes: HashMap<LeafClass, (u32, Arc<LeafOperator>)>,
    next: u32,
}

impl Store {
    /// Makes sure that every leaf of the tree is there; the answer is the number of new operators.
    pub(super) fn provide(
        &mut self,
        mesh: &PatchMesh,
        problem: &PatchProblem,
    ) -> Result<usize, PatchError> {
        let tree = &mesh.tree;
        self.leaves.retain(|cell, _| tree.place(cell).is_some());
        let missing: Vec<Cell> = tree
            .leaves
            .iter()
            .copied()
            .filter(|cell| !self.leaves.contains_key(cell))
            .collect();
        let frames: Vec<LeafFrame> = missing
            .into_par_iter()
            .map(|cell| LeafFrame::new(cell, &mesh.grid, problem, &mesh.reference))
            .collect::<Result<_, _>>()?;
        self.take(frames, mesh, problem)
    }

    /// Makes sure that every leaf of the tree is there, with an operator near that of the equations linearised at a function;
    /// the answer is the number of new operators.
    pub(super) fn provide_linearised(
        &mut self,
        mesh: &PatchMesh,
        problem: &PatchProblem,
        coefficients: &[Vec<f64>],
        how: Linearisation,
    ) -> Result<usize, PatchError> {
        let tree = &mesh.tree;
        self.leaves.retain(|cell, _| tree.place(cell).is_some());
        let leaves = &self.leaves;
        let frames: Vec<Option<LeafFrame>> = tree
            .leaves
            .par_iter()
            .zip(coefficients)
            .map(|(cell, c)| {
                let (grid, reference) = (&mesh.grid, &mesh.reference);
                let frame = LeafFrame::linearised(*cell, grid, problem, reference, c, how)?;
                let known = leaves.get(cell);
                let stays = known.is_some_and(|leaf| leaf.frame.is_near(&frame, how.slack));
                Ok((!stays).then_some(frame))
            })
            .collect::<Result<_, PatchError>>()?;
        let frames: Vec<LeafFrame> = frames.into_iter().flatten().collect();
        // A leaf that has changed is a class of its own anew.
        for frame in &frames {
            self.classes.remove(&LeafClass::Own(frame.cell));
        }
        self.take(frames, mesh, problem)
    }

    fn take(
        &mut self,
        frames: Vec<LeafFrame>,
        mesh: &PatchMesh,
        problem: &PatchProblem,
    ) -> Result<usize, PatchError> {
        let reference = &mesh.reference;
        let mut new: Vec<&LeafFrame> = Vec::new();
        let mut seen = HashSet::new();
        for frame in &frames {
            if !self.classes.contains_key(&frame.class) && seen.insert(&frame.class) {
                new.push(frame);
            }
        }
        let built = new
            .par_iter()
            .map(|frame| leaf_operator(frame, problem, reference))
            .collect::<Result<Vec<_>, _>>()?;
        let operators = built.len();
        let classes: Vec<LeafClass> = new.iter().map(|frame| frame.class.clone()).collect();
        for (class, operator) in classes.into_iter().zip(built) {
            self.classes.insert(class, (self.next, Arc::new(operator)));
            self.next += 1;
        }
        let work: Vec<Unfinished> = frames
            .into_iter()
            .filter_map(|frame| {
                let (id, operator) = self.classes.get(&frame.class)?;
                Some((frame, *id, Arc::clone(operator)))
            })
            .collect();
        let leaves = work
            .into_par_iter()
            .map(|(frame, id, operator)| {
                Leaf::new(frame, id, operator, &mesh.grid, problem, reference)
            })
            .collect::<Result<Vec<_>, _>>()?;
        for leaf in leaves {
            self.leaves.insert(leaf.frame.cell, leaf);
        }
        // Operators of leaves that have been split are of no use any more.
        let used: HashSet<u32> = self.leaves.values().map(|leaf| leaf.class).collect();
        self.classes.retain(|_, (id, _)| used.contains(id));
        Ok(operators)
    }

    pub(super) fn bytes(&self) -> usize {
        self.classes.values().map(|(_, o)| o.bytes()).sum()
    }
}
