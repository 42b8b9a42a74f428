//! Elimination of the skeleton along the tree.
//!
//! Leaves are merged in pairs of neighbours, then pairs of pairs, up to the whole domain. A block of traces is
//! eliminated in the smallest merge that holds all leaves tied to it. A front depends on the shapes of its two halves
//! and on how their blocks meet, not on where it stands: equal fronts are factored once, however often they occur,
//! and kept from one solve to the next.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;

use super::PatchError;
use super::front::Front;
use super::grid::Grid;
use super::leaf::Leaf;
use super::ordering::{Order, Step};
use super::reference::Reference;
use super::skeleton::{LinkShape, Skeleton};
use super::tree::Tree;
use crate::control::Limit;

/// What a front depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Shape {
    Leaf {
        class: u32,
        links: Vec<LinkShape>,
        eliminated: u32,
    },
    /// Two fronts and, for each block of the merged front, its place in the first and in the second.
    Merge {
        parts: [u32; 2],
        places: Vec<[Option<u32>; 2]>,
        eliminated: u32,
    },
}

/// Schur complements with more rows than this are not kept: they are made again where they are needed again.
const KEPT_ROWS: usize = 512;

/// Fronts by shape, kept between solves.
#[derive(Debug)]
pub(super) struct FrontCache {
    known: HashMap<Shape, u32>,
    fronts: HashMap<u32, Arc<Front>>,
    /// Schur complements, as long as they are needed or small.
    schurs: HashMap<u32, Mat<f64>>,
    next: u32,
    /// Bytes that all fronts may have.
    limit: usize,
}

impl FrontCache {
    /// No fronts yet, and never more than so many bytes of them.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            known: HashMap::new(),
            fronts: HashMap::new(),
            schurs: HashMap::new(),
            next: 0,
            limit,
        }
    }

    /// The number of a shape.
    fn number(&mut self, shape: Shape) -> u32 {
        let next = self.next;
        let id = *self.known.entry(shape).or_insert(next);
        if id == next {
            self.next += 1;
        }
        id
    }

    /// The steps to be factored: those with unknown fronts, and those whose Schur complements these need and are gone.
    fn wanted(&self, steps: &[Step], ids: &[u32]) -> Vec<usize> {
        let mut seen = HashSet::new();
        let first: Vec<usize> = (0..steps.len()).filter(|&i| seen.insert(ids[i])).collect();
        let mut needed: HashSet<u32> = HashSet::new();
        let mut wanted = Vec::new();
        // Parents come after their children.
        for &index in first.iter().rev() {
            let id = ids[index];
            let gone = needed.contains(&id) && !self.schurs.contains_key(&id);
            if gone || !self.fronts.contains_key(&id) {
                let children = steps[index].children.into_iter().flatten();
                needed.extend(children.map(|child| ids[child]));
                wanted.push(index);
            }
        }
        wanted.reverse();
        wanted
    }

    /// Forgets what is not used any more, and makes sure that new fronts of these sizes have room: eliminated unknowns and
    /// all of them.
    fn make_room(
        &mut self,
        used: &HashSet<u32>,
        new: impl Iterator<Item = (usize, usize)>,
    ) -> Result<(), Limit> {
        self.fronts.retain(|id, _| used.contains(id));
        self.schurs.retain(|id, _| used.contains(id));
        self.known.retain(|_, id| used.contains(id));
        let (mut numbers, mut largest) = (0_usize, 0_usize);
        for (e, n) in new {
            // Those that are made anew replace others, so that this is somewhat too much.
            numbers = numbers.saturating_add(e.saturating_mul(2 * n - e));
            largest = largest.max(n.saturating_mul(n));
        }
        let needed = numbers
            .saturating_add(largest.saturating_mul(2))
            .saturating_mul(size_of::<f64>())
            .saturating_add(self.bytes());
        let limit = self.limit;
        match needed > limit {
            true => Err(Limit::Memory { needed, limit }),
            false => Ok(()),
        }
    }

    /// Bytes of all fronts.
    pub(super) fn bytes(&self) -> usize {
        let fronts: usize = self.fronts.values().map(|front| front.bytes()).sum();
        let schurs: usize = self.schurs.values().map(|s| s.nrows() * s.ncols()).sum();
        fronts + schurs * size_of::<f64>()
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
        let steps = Order::new(tree, grid, skeleton).steps;
        let mut ids: Vec<u32> = Vec::with_capacity(steps.len());
        for index in 0..steps.len() {
            let shape = shape_of(index, &steps, &ids, skeleton, leaves);
            ids.push(cache.number(shape));
        }
        let used: HashSet<u32> = ids.iter().copied().collect();
        let wanted = cache.wanted(&steps, &ids);
        let sizes = wanted.iter().map(|&index| {
            let step = &steps[index];
            (step.eliminated * size, step.blocks.len() * size)
        });
        cache.make_room(&used, sizes)?;
        // How many steps are still to use each Schur complement.
        let mut uses: HashMap<u32, usize> = HashMap::new();
        for &index in &wanted {
            for child in steps[index].children.into_iter().flatten() {
                *uses.entry(ids[child]).or_default() += 1;
            }
        }
        let highest = wanted.iter().map(|&index| steps[index].height).max();
        for height in 0..=highest.unwrap_or(0) {
            let level: Vec<usize> = wanted
                .iter()
                .copied()
                .filter(|&index| steps[index].height == height)
                .collect();
            let fronts: Vec<(usize, Front, Mat<f64>)> = level
                .into_par_iter()
                .map(|index| {
                    let step = &steps[index];
                    let matrix = match step.children {
                        // The first steps are the leaves.
                        None => {
                            let leaf = leaves[index];
                            skeleton.leaf_matrix(index, leaf, &step.blocks, reference, unknowns)
                        }
                        Some(children) => {
                            merged_matrix(step, children, &steps, &ids, &cache.schurs, size)
                        }
                    };
                    let (front, schur) = Front::new(matrix, step.eliminated * size)?;
                    Ok((index, front, schur))
                })
                .collect::<Result<_, PatchError>>()?;
            for (index, front, schur) in fronts {
                let id = ids[index];
                cache.fronts.insert(id, Arc::new(front));
                if uses.contains_key(&id) || schur.nrows() <= KEPT_ROWS {
                    cache.schurs.insert(id, schur);
                }
                for child in steps[index].children.into_iter().flatten() {
                    let left = uses.entry(ids[child]).or_insert(1);
                    *left -= 1;
                    let large = |schur: &Mat<f64>| schur.nrows() > KEPT_ROWS;
                    if *left == 0 && cache.schurs.get(&ids[child]).is_some_and(large) {
                        cache.schurs.remove(&ids[child]);
                    }
                }
            }
        }
        let nodes: Vec<Node> = steps
            .into_iter()
            .zip(ids)
            .filter(|(step, _)| step.eliminated > 0)
            .filter_map(|(step, id)| {
                let mut blocks = step.blocks;
                let boundary = blocks.split_off(step.eliminated);
                Some(Node {
                    eliminated: blocks,
                    boundary,
                    front: Arc::clone(cache.fronts.get(&id)?),
                })
            })
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

fn shape_of(
    index: usize,
    steps: &[Step],
    ids: &[u32],
    skeleton: &Skeleton,
    leaves: &[&Leaf],
) -> Shape {
    let step = &steps[index];
    let eliminated = u32::try_from(step.eliminated).unwrap_or(u32::MAX);
    let Some([a, b]) = step.children else {
        let leaf = leaves[index];
        return Shape::Leaf {
            class: leaf.class,
            links: skeleton.shape(index, leaf, &step.blocks),
            eliminated,
        };
    };
    let places = |child: usize| -> HashMap<u32, u32> {
        let child = &steps[child];
        let open = child.blocks[child.eliminated..].iter().enumerate();
        open.map(|(place, block)| (*block, u32::try_from(place).unwrap_or(u32::MAX)))
            .collect()
    };
    let (first, second) = (places(a), places(b));
    let both = |block: &u32| [first.get(block).copied(), second.get(block).copied()];
    Shape::Merge {
        parts: [ids[a], ids[b]],
        places: step.blocks.iter().map(both).collect(),
        eliminated,
    }
}

/// The Schur complements of the two children, added up.
fn merged_matrix(
    step: &Step,
    children: [usize; 2],
    steps: &[Step],
    ids: &[u32],
    schurs: &HashMap<u32, Mat<f64>>,
    size: usize,
) -> Mat<f64> {
    let places = step.blocks.iter().enumerate();
    let at: HashMap<u32, usize> = places.map(|(place, block)| (*block, place)).collect();
    let total = step.blocks.len() * size;
    let mut matrix = Mat::zeros(total, total);
    for child in children {
        let Some(schur) = schurs.get(&ids[child]) else {
            continue;
        };
        let child = &steps[child];
        let open = child.blocks[child.eliminated..].iter();
        let places: Vec<usize> = open.filter_map(|block| at.get(block).copied()).collect();
        for (j, &column) in places.iter().enumerate() {
            for (i, &row) in places.iter().enumerate() {
                let mut target =
                    matrix
                        .as_mut()
                        .submatrix_mut(row * size, column * size, size, size);
                target += schur.as_ref().submatrix(i * size, j * size, size, size);
            }
        }
    }
    matrix
}
