//! In which order leaves are merged.
//!
//! Two orders are tried, and the cheaper one is taken. Cells of the tree, halved axis by axis, are nested dissection on a
//! uniform grid. Where a tree is deep at a point that several root cells share, their common sides would stay open
//! through all levels; there it is better to merge neighbours greedily, the smallest front first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use super::grid::{Cell, Grid, UNIT};
use super::skeleton::Skeleton;
use super::tree::Tree;

/// Blocks with the number of ties that leaves inside have to them.
type Ties = Vec<(u32, u32)>;

/// One step of an order: leaf i is step i; later steps merge two earlier ones.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) children: Option<[usize; 2]>,
    /// Blocks of the front, those that are eliminated first.
    pub(super) blocks: Vec<u32>,
    ties: Vec<u32>,
    pub(super) eliminated: usize,
    pub(super) height: usize,
}

/// An order of merging.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) steps: Vec<Step>,
    cost: f64,
}

impl Order {
    /// The cheaper one of the two orders.
    pub(super) fn new(tree: &Tree, grid: &Grid, skeleton: &Skeleton) -> Self {
        let by_cells = Self::by_cells(tree, grid, skeleton);
        let sizes: BTreeSet<u64> = tree.leaves.iter().map(|cell| cell.size).collect();
        if sizes.len() < 3 {
            return by_cells;
        }
        let greedy = Self::greedy(tree, skeleton);
        if greedy.cost < by_cells.cost {
            greedy
        } else {
            by_cells
        }
    }

    fn leaves(tree: &Tree, skeleton: &Skeleton) -> Self {
        let mut order = Self {
            steps: Vec::with_capacity(2 * tree.leaves.len()),
            cost: 0.0,
        };
        for leaf in 0..tree.leaves.len() {
            let ties = |block: u32| {
                let links = skeleton.links[leaf].iter();
                let count = links.filter(|link| link.block() == Some(block)).count();
                u32::try_from(count).unwrap_or(0)
            };
            let own = skeleton.blocks_of(leaf).into_iter();
            order.push(
                own.map(|block| (block, ties(block))).collect(),
                None,
                skeleton,
            );
        }
        order
    }

    fn by_cells(tree: &Tree, grid: &Grid, skeleton: &Skeleton) -> Self {
        let mut order = Self::leaves(tree, skeleton);
        let mut to = [1; 3];
        for (axis, count) in to.iter_mut().enumerate() {
            *count = grid.roots_along(axis);
        }
        Cells {
            tree,
            grid,
            skeleton,
            order: &mut order,
        }
        .roots([0; 3], to);
        order
    }

    fn greedy(tree: &Tree, skeleton: &Skeleton) -> Self {
        let mut order = Self::leaves(tree, skeleton);
        let mut regions: Vec<Region> = tree.leaves.iter().map(Region::new).collect();
        let mut at: HashMap<u32, BTreeSet<usize>> = HashMap::new();
        let mut alive: BTreeMap<usize, ()> = BTreeMap::new();
        for (index, step) in order.steps.iter().enumerate() {
            alive.insert(index, ());
            for &block in &step.blocks[step.eliminated..] {
                at.entry(block).or_default().insert(index);
            }
        }
        let mut queue = BinaryHeap::new();
        for index in 0..regions.len() {
            for other in order.neighbours(index, &at) {
                if other > index {
                    queue.push(Reverse(order.candidate(index, other, &regions)));
                }
            }
        }
        while let Some(Reverse((_, _, a, b))) = queue.pop() {
            if !(alive.contains_key(&a) && alive.contains_key(&b)) {
                continue;
            }
            let merged = order.merge(a, b, skeleton);
            alive.remove(&a);
            alive.remove(&b);
            alive.insert(merged, ());
            regions.push(regions[a].with(&regions[b]));
            for old in [a, b] {
                let step = &order.steps[old];
                for block in &step.blocks[step.eliminated..] {
                    if let Some(there) = at.get_mut(block) {
                        there.remove(&old);
                    }
                }
            }
            let step = &order.steps[merged];
            for &block in &step.blocks[step.eliminated..] {
                at.entry(block).or_default().insert(merged);
            }
            for other in order.neighbours(merged, &at) {
                queue.push(Reverse(order.candidate(other, merged, &regions)));
            }
        }
        order
    }

    /// Steps that share an open block with this one.
    fn neighbours(&self, index: usize, at: &HashMap<u32, BTreeSet<usize>>) -> BTreeSet<usize> {
        let step = &self.steps[index];
        let open = step.blocks[step.eliminated..].iter();
        open.filter_map(|block| at.get(block))
            .flatten()
            .copied()
            .filter(|other| *other != index)
            .collect()
    }

    /// The size of the merged front first, then how small a cell of the lattice holds it.
    fn candidate(&self, a: usize, b: usize, regions: &[Region]) -> (usize, u32, usize, usize) {
        let open = |index: usize| {
            let step = &self.steps[index];
            &step.blocks[step.eliminated..]
        };
        let (first, second) = (open(a), open(b));
        let common = second.iter().filter(|block| first.contains(block)).count();
        let size = first.len() + second.len() - common;
        (size, regions[a].with(&regions[b]).level(), a, b)
    }

    fn merge(&mut self, a: usize, b: usize, skeleton: &Skeleton) -> usize {
        let open = |step: &Step| -> Ties {
            let pairs = step.blocks.iter().copied().zip(step.ties.iter().copied());
            pairs.skip(step.eliminated).collect()
        };
        let mut blocks = open(&self.steps[a]);
        let known: HashMap<u32, usize> = blocks.iter().enumerate().map(|(i, b)| (b.0, i)).collect();
        for (block, ties) in open(&self.steps[b]) {
            match known.get(&block) {
                Some(&place) => blocks[place].1 += ties,
                None => blocks.push((block, ties)),
            }
        }
        self.push(blocks, Some([a, b]), skeleton)
    }

    fn push(&mut self, blocks: Ties, children: Option<[usize; 2]>, skeleton: &Skeleton) -> usize {
        let complete = |(block, ties): &(u32, u32)| skeleton.touched[*block as usize] == *ties;
        let (mut ordered, open): (Ties, Ties) = blocks.into_iter().partition(complete);
        let eliminated = ordered.len();
        ordered.extend(open);
        let (e, all) = (eliminated as f64, ordered.len() as f64);
        self.cost += e * all * all;
        let below = children.into_iter().flatten();
        let height = below.map(|child| self.steps[child].height + 1).max();
        let (blocks, ties) = ordered.into_iter().unzip();
        self.steps.push(Step {
            children,
            blocks,
            ties,
            eliminated,
            height: height.unwrap_or(0),
        });
        self.steps.len() - 1
    }
}

/// The bounding box of a set of leaves, by the corners of their first units.
#[derive(Debug, Clone, Copy)]
struct Region {
    lo: [u64; 3],
    hi: [u64; 3],
}

impl Region {
    fn new(cell: &Cell) -> Self {
        let hi = cell.corner.map(|x| x + cell.size - 1);
        Self {
            lo: cell.corner,
            hi,
        }
    }

    fn with(&self, other: &Self) -> Self {
        let mut both = *self;
        for axis in 0..3 {
            both.lo[axis] = both.lo[axis].min(other.lo[axis]);
            both.hi[axis] = both.hi[axis].max(other.hi[axis]);
        }
        both
    }

    /// Bits of the smallest cell of the lattice that holds the region.
    fn level(&self) -> u32 {
        let bits = |(lo, hi): (&u64, &u64)| u64::BITS - (lo ^ hi).leading_zeros();
        self.lo.iter().zip(&self.hi).map(bits).max().unwrap_or(0)
    }
}

/// Merging along the tree.
struct Cells<'a> {
    tree: &'a Tree,
    grid: &'a Grid,
    skeleton: &'a Skeleton,
    order: &'a mut Order,
}

impl Cells<'_> {
    /// The part of the domain between root cells `from` and `to`, halved along its longest axis.
    fn roots(&mut self, from: [usize; 3], to: [usize; 3]) -> Option<usize> {
        let length = |axis: usize| to[axis] - from[axis];
        let axes = (0..self.grid.dim).rev();
        let axis = axes.max_by_key(|axis| length(*axis)).unwrap_or(0);
        if length(axis) == 1 {
            let mut corner = [0; 3];
            for (x, root) in corner.iter_mut().zip(from) {
                *x = root as u64 * UNIT;
            }
            let cell = Cell { corner, size: UNIT };
            self.grid.owner(&cell)?;
            return self.cell(cell);
        }
        let middle = from[axis] + length(axis) / 2;
        let (mut first_to, mut second_from) = (to, from);
        first_to[axis] = middle;
        second_from[axis] = middle;
        let first = self.roots(from, first_to);
        let second = self.roots(second_from, to);
        self.merge(first, second)
    }

    fn cell(&mut self, cell: Cell) -> Option<usize> {
        if let Some(leaf) = self.tree.place(&cell) {
            return Some(leaf);
        }
        if cell.size <= 1 {
            return None;
        }
        self.children(&cell, 0, 0)
    }

    /// The children of a cell whose halves along the first `axis` axes are given.
    fn children(&mut self, cell: &Cell, axis: usize, part: usize) -> Option<usize> {
        if axis == self.grid.dim {
            return self.cell(cell.child(part, self.grid.dim));
        }
        let first = self.children(cell, axis + 1, part);
        let second = self.children(cell, axis + 1, part | 1 << axis);
        self.merge(first, second)
    }

    fn merge(&mut self, first: Option<usize>, second: Option<usize>) -> Option<usize> {
        match (first, second) {
            (Some(a), Some(b)) => Some(self.order.merge(a, b, self.skeleton)),
            _ => first.or(second),
        }
    }
}
