//! The leaves: a set of cells that tile the domain, neighbours within one halving of each other.

use std::collections::HashMap;

use super::grid::{Cell, Grid, UNIT};

/// The leaves in the order of the tree, and where each one stands.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    pub(super) leaves: Vec<Cell>,
    places: HashMap<Cell, usize>,
    finest: u64,
}

impl Tree {
    pub(super) fn new(mut leaves: Vec<Cell>) -> Self {
        // Any fixed order will do; this one keeps neighbours in memory near each other.
        leaves.sort_unstable_by_key(|cell| (cell.corner[2], cell.corner[1], cell.corner[0]));
        let places = leaves
            .iter()
            .enumerate()
            .map(|(place, cell)| (*cell, place))
            .collect();
        let finest = leaves.iter().map(|cell| cell.size).min().unwrap_or(UNIT);
        Self {
            leaves,
            places,
            finest,
        }
    }

    /// Where a cell stands among the leaves, if it is one.
    pub(super) fn place(&self, cell: &Cell) -> Option<usize> {
        self.places.get(cell).copied()
    }

    /// The leaf that holds a lattice unit.
    pub(super) fn find(&self, at: [u64; 3], dim: usize) -> Option<usize> {
        let mut size = UNIT;
        while size >= self.finest.max(1) {
            let mut corner = [0; 3];
            for axis in 0..dim {
                corner[axis] = at[axis] & !(size - 1);
            }
            if let Some(place) = self.place(&Cell { corner, size }) {
                return Some(place);
            }
            size /= 2;
        }
        None
    }

    /// The tree with these leaves replaced by their children, and whatever else keeps neighbours within one halving.
    pub(super) fn split(&self, marked: &[usize], grid: &Grid) -> Self {
        let mut cells = self.leaves.clone();
        let mut pending: Vec<usize> = marked.to_vec();
        let mut tree = self.clone();
        while !pending.is_empty() {
            let mut split = vec![false; cells.len()];
            for &place in &pending {
                split[place] = true;
            }
            let mut next = Vec::with_capacity(cells.len() + (pending.len() << grid.dim));
            for (cell, split) in cells.iter().zip(&split) {
                if *split && cell.size > 1 {
                    next.extend((0..1 << grid.dim).map(|part| cell.child(part, grid.dim)));
                } else {
                    next.push(*cell);
                }
            }
            tree = Self::new(next);
            cells.clone_from(&tree.leaves);
            pending = tree.too_coarse(grid);
        }
        tree
    }

    /// Leaves with a neighbour of less than half their size.
    fn too_coarse(&self, grid: &Grid) -> Vec<usize> {
        let mut coarse = Vec::new();
        for cell in &self.leaves {
            for axis in 0..grid.dim {
                for upper in [false, true] {
                    let across = grid.across(cell, axis, upper);
                    let neighbour = across.and_then(|at| self.find(at, grid.dim));
                    coarse.extend(neighbour.filter(|n| self.leaves[*n].size > 2 * cell.size));
                }
            }
        }
        coarse.sort_unstable();
        coarse.dedup();
        coarse
    }
}
