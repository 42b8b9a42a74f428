//! Leaves and operators, kept from solve to solve.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::PatchError;
use super::grid::{Cell, Grid};
use super::leaf::{Leaf, LeafClass, LeafFrame, LeafOperator, leaf_operator};
use super::problem::PatchProblem;
use super::reference::Reference;
use super::tree::Tree;

/// A frame, the number and the operator of its class, and its P f if the class is its own.
type Unfinished = (LeafFrame, u32, Arc<LeafOperator>, Option<Vec<f64>>);

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
        tree: &Tree,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<usize, PatchError> {
        self.leaves.retain(|cell, _| tree.place(cell).is_some());
        let missing: Vec<Cell> = tree
            .leaves
            .iter()
            .copied()
            .filter(|cell| !self.leaves.contains_key(cell))
            .collect();
        let frames: Vec<LeafFrame> = missing
            .into_par_iter()
            .map(|cell| LeafFrame::new(cell, grid, problem, reference))
            .collect::<Result<_, _>>()?;
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
        let mut own: HashMap<Cell, Vec<f64>> = HashMap::new();
        let classes: Vec<(LeafClass, Cell)> =
            new.iter().map(|f| (f.class.clone(), f.cell)).collect();
        for ((class, cell), (operator, particular)) in classes.into_iter().zip(built) {
            if let Some(particular) = particular {
                own.insert(cell, particular);
            }
            self.classes.insert(class, (self.next, Arc::new(operator)));
            self.next += 1;
        }
        let work: Vec<Unfinished> = frames
            .into_iter()
            .filter_map(|frame| {
                let (id, operator) = self.classes.get(&frame.class)?;
                let own = own.remove(&frame.cell);
                Some((frame, *id, Arc::clone(operator), own))
            })
            .collect();
        let leaves = work
            .into_par_iter()
            .map(|(frame, id, operator, own)| {
                Leaf::new(frame, id, operator, own, grid, problem, reference)
            })
            .collect::<Result<Vec<_>, _>>()?;
        for leaf in leaves {
            self.leaves.insert(leaf.frame.cell, leaf);
        }
        // Operators of leaves that have been split are of no use any more.
        self.classes.retain(|class, _| match class {
            LeafClass::Own(cell) => tree.place(cell).is_some(),
            LeafClass::Shared(_) => true,
        });
        Ok(operators)
    }

    pub(super) fn bytes(&self) -> usize {
        self.classes.values().map(|(_, o)| o.bytes()).sum()
    }
}
