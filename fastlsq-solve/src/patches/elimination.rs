//! Elimination of the skeleton along the tree.
//!
//! Leaves are merged in pairs of neighbours, then pairs of pairs, up to the whole domain. A block of traces is
//! eliminated in the smallest merge that holds all leaves tied to it. A front depends on the shapes of its two halves
//! and on how their blocks meet, not on where it stands: equal fronts are factored once, however often they occur,
//! and kept from one solve to the next.

use std::collections::HashMap;
use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;

use super::PatchError;
use super::front::Front;
use super::grid::{Cell, Grid, UNIT};
use super::leaf::Leaf;
use super::reference::Reference;
use super::skeleton::{LinkShape, Skeleton};
use super::tree::Tree;

/// What a front depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Shape {
    Leaf {
        class: u32,
        links: Vec<LinkShape>,
        eliminated: Vec<u32>,
    },
    /// Two fronts and, for each block of the merged front, its place in the first and in the second.
    Merge {
        parts: [u32; 2],
        places: Vec<[Option<u32>; 2]>,
        eliminated: u32,
    },
}

/// Fronts by shape, kept between solves.
#[derive(Debug, Default)]
pub(super) struct FrontCache {
    known: HashMap<Shape, u32>,
    fronts: HashMap<u32, Arc<Front>>,
    next: u32,
}

impl FrontCache {
    /// Bytes of all fronts.
    pub(super) fn bytes(&self) -> usize {
        self.fronts.values().map(|front| front.bytes()).sum()
    }
}

/// One node of the elimination tree.
#[derive(Debug)]
struct Node {
    eliminated: Vec<u32>,
    boundary: Vec<u32>,
    front: Arc<Front>,
}

/// The factored skeleton.
#[derive(Debug)]
pub(super) struct Elimination {
    nodes: Vec<Node>,
    /// Unknowns in a block.
    size: usize,
    blocks: usize,
    /// The largest number of unknowns that were eliminated at once.
    pub(super) widest: usize,
    /// Fronts that had to be factored for this solve.
    pub(super) factored: usize,
}

/// A node before its front is known.
struct Draft {
    children: Option<[usize; 2]>,
    leaf: Option<usize>,
    /// Blocks in the order of the front, those to be eliminated first, with the number of ties inside.
    blocks: Vec<(u32, u32)>,
    eliminated: usize,
    id: u32,
    height: usize,
}

struct Builder<'a> {
    tree: &'a Tree,
    grid: &'a Grid,
    skeleton: &'a Skeleton,
    drafts: Vec<Draft>,
}

impl Builder<'_> {
    /// The part of the domain between root cells `from` and `to`, halved along its longest axis.
    fn roots(&mut self, from: [usize; 3], to: [usize; 3]) -> Option<usize> {
        let length = |axis: usize| to[axis] - from[axis];
        let axis = (0..self.grid.dim)
            .rev()
            .max_by_key(|axis| length(*axis))
            .unwrap_or(0);
        if length(axis) == 1 {
            let mut corner = [0; 3];
            for (x, root) in corner.iter_mut().zip(from) {
                *x = root as u64 * UNIT;
            }
            let cell = Cell { corner, size: UNIT };
            self.grid.owner(&cell)?;
            return self.cell(cell);
        }
        // The larger power of two that fits keeps the halves alike, so that their fronts are shared.
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
            return Some(self.leaf(leaf));
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

    fn leaf(&mut self, leaf: usize) -> usize {
        let own = self.skeleton.blocks_of(leaf);
        let ties = |block: u32| {
            let links = self.skeleton.links[leaf].iter();
            let count = links.filter(|link| link.block() == Some(block)).count();
            u32::try_from(count).unwrap_or(0)
        };
        let blocks: Vec<(u32, u32)> = own.iter().map(|&block| (block, ties(block))).collect();
        self.push(blocks, None, Some(leaf), 0)
    }

    fn merge(&mut self, first: Option<usize>, second: Option<usize>) -> Option<usize> {
        let (Some(a), Some(b)) = (first, second) else {
            return first.or(second);
        };
        let rest = |draft: &Draft| draft.blocks[draft.eliminated..].to_vec();
        let mut blocks = rest(&self.drafts[a]);
        let mut at: HashMap<u32, usize> =
            blocks.iter().enumerate().map(|(i, b)| (b.0, i)).collect();
        for (block, ties) in rest(&self.drafts[b]) {
            if let Some(&known) = at.get(&block) {
                blocks[known].1 += ties;
            } else {
                at.insert(block, blocks.len());
                blocks.push((block, ties));
            }
        }
        let height = 1 + self.drafts[a].height.max(self.drafts[b].height);
        Some(self.push(blocks, Some([a, b]), None, height))
    }

    fn push(
        &mut self,
        blocks: Vec<(u32, u32)>,
        children: Option<[usize; 2]>,
        leaf: Option<usize>,
        height: usize,
    ) -> usize {
        let complete = |(block, ties): &(u32, u32)| self.skeleton.touched[*block as usize] == *ties;
        let (mut ordered, open): (Vec<_>, Vec<_>) = blocks.into_iter().partition(complete);
        let eliminated = ordered.len();
        ordered.extend(open);
        self.drafts.push(Draft {
            children,
            leaf,
            blocks: ordered,
            eliminated,
            id: 0,
            height,
        });
        self.drafts.len() - 1
    }
}

impl Elimination {
    /// Factors the skeleton, with the fronts that the cache already has.
    pub(super) fn new(
        tree: &Tree,
        grid: &Grid,
        skeleton: &Skeleton,
        leaves: &[&Leaf],
        reference: &Reference,
        unknowns: usize,
        cache: &mut FrontCache,
    ) -> Result<Self, PatchError> {
        let size = unknowns * reference.side_nodes();
        let mut builder = Builder {
            tree,
            grid,
            skeleton,
            drafts: Vec::new(),
        };
        let mut to = [1; 3];
        for (axis, count) in to.iter_mut().enumerate() {
            *count = grid.roots_along(axis);
        }
        builder.roots([0; 3], to);
        let mut drafts = builder.drafts;
        let mut wanted: Vec<usize> = Vec::new();
        let mut used = std::collections::HashSet::new();
        for index in 0..drafts.len() {
            let shape = shape_of(index, &drafts, skeleton, leaves);
            let next = cache.next;
            let id = *cache.known.entry(shape).or_insert(next);
            if id == next {
                cache.next += 1;
            }
            drafts[index].id = id;
            if used.insert(id) && !cache.fronts.contains_key(&id) {
                wanted.push(index);
            }
        }
        let highest = wanted.iter().map(|&index| drafts[index].height).max();
        for height in 0..=highest.unwrap_or(0) {
            let level: Vec<usize> = wanted
                .iter()
                .copied()
                .filter(|&index| drafts[index].height == height)
                .collect();
            let fronts: Vec<(u32, Front)> = level
                .into_par_iter()
                .map(|index| {
                    let matrix = match drafts[index].leaf {
                        Some(leaf) => {
                            let blocks: Vec<u32> = drafts[index].blocks.iter().map(|b| b.0).collect();
                            skeleton.leaf_matrix(leaf, leaves[leaf], &blocks, reference, unknowns)
                        }
                        None => merged_matrix(index, &drafts, &cache.fronts, size),
                    };
                    let front = Front::new(matrix, drafts[index].eliminated * size)?;
                    Ok((drafts[index].id, front))
                })
                .collect::<Result<_, PatchError>>()?;
            for (id, front) in fronts {
                cache.fronts.insert(id, Arc::new(front));
            }
        }
        cache.fronts.retain(|id, _| used.contains(id));
        cache.known.retain(|_, id| used.contains(id));
        let nodes: Vec<Node> = drafts
            .into_iter()
            .filter_map(|draft| {
                let mut blocks: Vec<u32> = draft.blocks.iter().map(|b| b.0).collect();
                let boundary = blocks.split_off(draft.eliminated);
                Some(Node {
                    eliminated: blocks,
                    boundary,
                    front: Arc::clone(cache.fronts.get(&draft.id)?),
                })
            })
            .filter(|node| !node.eliminated.is_empty())
            .collect();
        let widest = nodes.iter().map(|node| node.eliminated.len() * size).max();
        Ok(Self {
            nodes,
            size,
            blocks: skeleton.touched.len(),
            widest: widest.unwrap_or(0),
            factored: wanted.len(),
        })
    }

    /// Unknowns of the skeleton.
    pub(super) fn unknowns(&self) -> usize {
        self.blocks * self.size
    }

    /// The traces of all blocks for a right-hand side.
    pub(super) fn solve(&self, mut rhs: Vec<f64>) -> Vec<f64> {
        let gather = |from: &[f64], blocks: &[u32]| {
            let mut column = Mat::zeros(blocks.len() * self.size, 1);
            for (place, &block) in blocks.iter().enumerate() {
                for i in 0..self.size {
                    column[(place * self.size + i, 0)] = from[block as usize * self.size + i];
                }
            }
            column
        };
        let scatter = |column: &Mat<f64>, blocks: &[u32], to: &mut [f64], add: f64| {
            for (place, &block) in blocks.iter().enumerate() {
                for i in 0..self.size {
                    let target = &mut to[block as usize * self.size + i];
                    *target = column[(place * self.size + i, 0)] + add * *target;
                }
            }
        };
        for node in &self.nodes {
            let mut own = gather(&rhs, &node.eliminated);
            let outward = node.front.forward(own.as_mut());
            scatter(&own, &node.eliminated, &mut rhs, 0.0);
            let negative = outward * faer::Scale(-1.0);
            scatter(&negative, &node.boundary, &mut rhs, 1.0);
        }
        for node in self.nodes.iter().rev() {
            let mut own = gather(&rhs, &node.eliminated);
            let boundary = gather(&rhs, &node.boundary);
            node.front.backward(own.as_mut(), boundary.as_ref());
            scatter(&own, &node.eliminated, &mut rhs, 0.0);
        }
        rhs
    }
}

fn shape_of(index: usize, drafts: &[Draft], skeleton: &Skeleton, leaves: &[&Leaf]) -> Shape {
    let draft = &drafts[index];
    let ordered: Vec<u32> = draft.blocks.iter().map(|b| b.0).collect();
    let Some([a, b]) = draft.children else {
        let leaf = draft.leaf.unwrap_or(0);
        let eliminated = u32::try_from(draft.eliminated).unwrap_or(0);
        return Shape::Leaf {
            class: leaves[leaf].class,
            links: skeleton.shape(leaf, leaves[leaf], &ordered),
            eliminated: vec![eliminated],
        };
    };
    let places = |child: usize| -> HashMap<u32, u32> {
        let child = &drafts[child];
        let open = child.blocks[child.eliminated..].iter().enumerate();
        open.map(|(place, b)| (b.0, u32::try_from(place).unwrap_or(u32::MAX)))
            .collect()
    };
    let (first, second) = (places(a), places(b));
    let both = |block: &u32| [first.get(block).copied(), second.get(block).copied()];
    Shape::Merge {
        parts: [drafts[a].id, drafts[b].id],
        places: ordered.iter().map(both).collect(),
        eliminated: u32::try_from(draft.eliminated).unwrap_or(0),
    }
}

/// The Schur complements of the two children, added up.
fn merged_matrix(
    index: usize,
    drafts: &[Draft],
    fronts: &HashMap<u32, Arc<Front>>,
    size: usize,
) -> Mat<f64> {
    let draft = &drafts[index];
    let at: HashMap<u32, usize> = draft
        .blocks
        .iter()
        .enumerate()
        .map(|(place, b)| (b.0, place))
        .collect();
    let total = draft.blocks.len() * size;
    let mut matrix = Mat::zeros(total, total);
    for child in draft.children.into_iter().flatten() {
        let child = &drafts[child];
        let Some(front) = fronts.get(&child.id) else {
            continue;
        };
        let open = &child.blocks[child.eliminated..];
        let places: Vec<usize> = open
            .iter()
            .map(|b| at.get(&b.0).copied().unwrap_or(0))
            .collect();
        for (j, &column) in places.iter().enumerate() {
            for (i, &row) in places.iter().enumerate() {
                let mut target =
                    matrix
                        .as_mut()
                        .submatrix_mut(row * size, column * size, size, size);
                target += front.schur.as_ref().submatrix(i * size, j * size, size, size);
            }
        }
    }
    matrix
}
