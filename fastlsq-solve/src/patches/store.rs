//! Leaves and operators, kept from solve to solve.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::PatchError;
use super::frame::{LeafClass, LeafFrame, Linearisation};
use super::grid::Cell;
use super::leaf::Leaf;
use super::mesh::PatchMesh;
use super::operator::{LeafOperator, leaf_operator};
use super::problem::PatchProblem;
use super::sharing::Sharing;

/// Leaves and operators that are kept from solve to solve.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) leaves: HashMap<Cell, Leaf>,
    /// The number of each class.
    classes: HashMap<LeafClass, u32>,
    /// The operators of classes that leaves of this process belong to.
    operators: HashMap<u32, Arc<LeafOperator>>,
    next: u32,
    sharing: Sharing,
}

impl Store {
    pub(super) fn new(sharing: Sharing) -> Self {
        Self {
            sharing,
            ..Self::default()
        }
    }

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
        // A leaf that has changed becomes a new class of its own.
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
        let before = self.next;
        for frame in &frames {
            if let Entry::Vacant(class) = self.classes.entry(frame.class.clone()) {
                class.insert(self.next);
                self.next += 1;
            }
        }
        let numbered: Vec<(LeafFrame, u32)> = frames
            .into_iter()
            .filter_map(|frame| {
                let id = *self.classes.get(&frame.class)?;
                Some((frame, id))
            })
            .collect();
        let leaves = numbered
            .into_par_iter()
            .map(|(frame, id)| Leaf::new(frame, id, &mesh.grid, problem, reference))
            .collect::<Result<Vec<_>, _>>()?;
        for leaf in leaves {
            self.leaves.insert(leaf.frame.cell, leaf);
        }
        // Classes of leaves that have been split are of no use any more.
        let used: HashSet<u32> = self.leaves.values().map(|leaf| leaf.class).collect();
        self.classes.retain(|_, id| used.contains(id));
        let equipped = self.equip(mesh, problem);
        self.sharing.agree(equipped)?;
        Ok((self.next - before) as usize)
    }

    /// Builds the operators that are missing for leaves of this process, and forgets those that it does not need.
    fn equip(&mut self, mesh: &PatchMesh, problem: &PatchProblem) -> Result<(), PatchError> {
        let owners = self.sharing.of_leaves(&mesh.tree);
        let own: Vec<Cell> = (0..owners.len())
            .filter(|&place| owners[place] == self.sharing.rank())
            .map(|place| mesh.tree.leaves[place])
            .collect();
        let of_cell = |cell: &Cell| self.leaves.get(cell);
        let mut needed: BTreeMap<u32, &LeafFrame> = BTreeMap::new();
        for leaf in own.iter().filter_map(of_cell) {
            needed.entry(leaf.class).or_insert(&leaf.frame);
        }
        self.operators.retain(|id, _| needed.contains_key(id));
        needed.retain(|id, _| !self.operators.contains_key(id));
        let missing: Vec<(u32, &LeafFrame)> = needed.into_iter().collect();
        let built = missing
            .par_iter()
            .map(|(id, frame)| Ok((*id, leaf_operator(frame, problem, &mesh.reference)?)))
            .collect::<Result<Vec<_>, PatchError>>()?;
        for (id, operator) in built {
            self.operators.insert(id, Arc::new(operator));
        }
        for leaf in self.leaves.values_mut() {
            leaf.operator = None;
        }
        for cell in &own {
            if let Some(leaf) = self.leaves.get_mut(cell) {
                leaf.operator = self.operators.get(&leaf.class).cloned();
            }
        }
        Ok(())
    }

    /// Bytes of the operators, on the process with the most.
    pub(super) fn bytes(&self) -> usize {
        let own = self.operators.values().map(|o| o.bytes()).sum();
        self.sharing.largest(own)
    }
}
