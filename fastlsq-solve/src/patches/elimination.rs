//! Elimination of the skeleton along the tree.
//!
//! Leaves are merged in pairs of neighbours, then pairs of pairs, up to the whole domain. A block of traces is
//! eliminated in the smallest merge that holds all leaves tied to it. A front depends on the shapes of its two halves
//! and on how their blocks meet, not on where it stands: equal fronts are factored once, however often they occur,
//! and kept from one solve to the next.

use std::collections::HashMap;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};

use super::PatchError;
use super::cache::{FrontCache, Key, Shape};
use super::front::Front;
use super::fronts::{FrontPlan, factor_fronts};
use super::grid::Grid;
use super::leaf::Leaf;
use super::ordering::{Order, Step};
use super::reference::Reference;
use super::sharing::Sharing;
use super::skeleton::Skeleton;
use super::tree::Tree;

/// What an elimination is made of.
pub(super) struct Parts<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) leaves: &'a [&'a Leaf],
    /// The process that has each leaf.
    pub(super) owners: &'a [usize],
    pub(super) reference: &'a Reference,
    pub(super) unknowns: usize,
    /// Functionals that border the system.
    pub(super) borders: usize,
}

/// One act of a solve, upwards; downwards they are undone in reverse.
#[derive(Debug)]
enum Act {
    /// The unknowns of a front are eliminated, on the process that has it.
    Eliminate {
        eliminated: Vec<u32>,
        boundary: Vec<u32>,
        front: Option<Arc<Front>>,
    },
    /// What one process has collected for these blocks goes to another.
    Pass {
        from: usize,
        to: usize,
        blocks: Vec<u32>,
    },
}

/// The factored skeleton.
#[derive(Debug)]
pub(super) struct Elimination {
    acts: Vec<Act>,
    /// Unknowns in a block.
    size: usize,
    blocks: usize,
    /// The blocks of the last front, and who has it.
    last: (Vec<u32>, usize),
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
        parts: &Parts<'_>,
        cache: &mut FrontCache,
    ) -> Result<Self, PatchError> {
        let size = parts.unknowns * parts.reference.side_nodes();
        let steps = Order::new(tree, grid, parts.skeleton).steps;
        let owners = cache.sharing.of_steps(parts.owners, &steps);
        let last = steps.iter().rposition(|step| step.eliminated > 0);
        let bordered = last.filter(|_| parts.borders > 0);
        let mut ids: Vec<u32> = Vec::with_capacity(steps.len());
        for index in 0..steps.len() {
            let mut front = cache.number(shape_of(index, &steps, &ids, parts));
            if bordered == Some(index) {
                let borders = parts.borders;
                front = cache.number(Shape::Bordered { front, borders });
            }
            ids.push(front);
        }
        let keys: Vec<Key> = owners.iter().copied().zip(ids).collect();
        let wanted = cache.wanted(&steps, &keys);
        let helpers = cache.sharing.helpers_of_steps(&owners, &steps, size);
        let sizes = wanted.iter().map(|&index| {
            let step = &steps[index];
            let all = step.blocks.len() * size;
            (helpers[index].as_slice(), (step.eliminated * size, all))
        });
        cache.make_room(&keys.iter().copied().collect(), sizes)?;
        let plan = FrontPlan {
            steps: &steps,
            keys: &keys,
            helpers: &helpers,
            wanted: &wanted,
            bordered,
        };
        let done = factor_fronts(&plan, parts, size, cache);
        let sharing = cache.sharing.clone();
        if let Err(error) = sharing.agree(done) {
            cache.clear();
            return Err(error);
        }
        let factored = wanted.len();
        let widest = steps.iter().map(|step| step.eliminated * size).max();
        Ok(Self {
            acts: acts(&steps, &keys, cache),
            size,
            blocks: parts.skeleton.touched.len(),
            last: last.map_or((Vec::new(), 0), |index| {
                let step = &steps[index];
                (step.blocks[..step.eliminated].to_vec(), owners[index])
            }),
            widest: widest.unwrap_or(0),
            factored,
        })
    }

    /// Unknowns of the skeleton.
    pub(super) fn unknowns(&self) -> usize {
        self.blocks * self.size
    }

    /// The unknowns of the last front.
    pub(super) fn last_unknowns(&self) -> Vec<usize> {
        let of_block = |&block: &u32| {
            let start = block as usize * self.size;
            start..start + self.size
        };
        self.last.0.iter().flat_map(of_block).collect()
    }

    /// The process that has the last front.
    pub(super) fn last_owner(&self) -> usize {
        self.last.1
    }

    /// The traces of all blocks for a right-hand side, which is the sum of what all processes have.
    pub(super) fn solve(&self, rhs: Vec<f64>, sharing: &Sharing) -> Vec<f64> {
        let up = |front: &Front, own: MatMut<'_, f64>| front.forward(own) * faer::Scale(-1.0);
        self.sweep(rhs, sharing, up, Front::backward)
    }

    /// The transpose of [`solve`](Self::solve), for a covector that is the sum of what all processes have.
    pub(super) fn solve_transposed(&self, covector: Vec<f64>, sharing: &Sharing) -> Vec<f64> {
        let up = |front: &Front, own: MatMut<'_, f64>| front.backward_transposed(own.as_ref());
        self.sweep(covector, sharing, up, Front::forward_transposed)
    }

    /// Of a vector that all processes have, the blocks that this one eliminates.
    pub(super) fn own_part(&self, all: &[f64]) -> Vec<f64> {
        let mut own = vec![0.0; all.len()];
        for act in &self.acts {
            if let Act::Eliminate {
                eliminated,
                front: Some(_),
                ..
            } = act
            {
                self.scatter(&self.gather(all, eliminated), eliminated, &mut own, 0.0);
            }
        }
        own
    }

    /// Up the tree and down again. Upwards each front changes what there is for its own unknowns and adds to those around it;
    /// downwards, what is known of those gives its own.
    fn sweep(
        &self,
        mut values: Vec<f64>,
        sharing: &Sharing,
        up: impl Fn(&Front, MatMut<'_, f64>) -> Mat<f64>,
        down: impl Fn(&Front, MatMut<'_, f64>, MatRef<'_, f64>),
    ) -> Vec<f64> {
        let me = sharing.rank();
        for act in &self.acts {
            match act {
                Act::Eliminate {
                    eliminated,
                    boundary,
                    front: Some(front),
                } => {
                    let mut own = self.gather(&values, eliminated);
                    let outward = up(front, own.as_mut());
                    self.scatter(&own, eliminated, &mut values, 0.0);
                    self.scatter(&outward, boundary, &mut values, 1.0);
                }
                Act::Pass { from, to, blocks } if *from == me || *to == me => {
                    // What is passed on is counted there, and no longer here.
                    let (keep, own) = if *to == me {
                        (1.0, None)
                    } else {
                        (0.0, Some(&values))
                    };
                    let passed = self.pass(sharing, (*from, *to), blocks, own);
                    self.scatter(&passed, blocks, &mut values, keep);
                }
                _ => {}
            }
        }
        for act in self.acts.iter().rev() {
            match act {
                Act::Eliminate {
                    eliminated,
                    boundary,
                    front: Some(front),
                } => {
                    let mut own = self.gather(&values, eliminated);
                    let boundary = self.gather(&values, boundary);
                    down(front, own.as_mut(), boundary.as_ref());
                    self.scatter(&own, eliminated, &mut values, 0.0);
                }
                Act::Pass { from, to, blocks } if *from == me => {
                    let passed = self.pass(sharing, (*to, *from), blocks, None);
                    self.scatter(&passed, blocks, &mut values, 0.0);
                }
                Act::Pass { from, to, blocks } if *to == me => {
                    self.pass(sharing, (*to, *from), blocks, Some(&values));
                }
                _ => {}
            }
        }
        match sharing.team() {
            None => values,
            Some(_) => sharing.sum(self.own_part(&values)),
        }
    }

    fn gather(&self, from: &[f64], blocks: &[u32]) -> Mat<f64> {
        let mut column = Mat::zeros(blocks.len() * self.size, 1);
        for (place, &block) in blocks.iter().enumerate() {
            for i in 0..self.size {
                column[(place * self.size + i, 0)] = from[block as usize * self.size + i];
            }
        }
        column
    }

    fn scatter(&self, column: &Mat<f64>, blocks: &[u32], to: &mut [f64], add: f64) {
        for (place, &block) in blocks.iter().enumerate() {
            for i in 0..self.size {
                let target = &mut to[block as usize * self.size + i];
                *target = column[(place * self.size + i, 0)] + add * *target;
            }
        }
    }

    /// Sends the values of blocks and leaves zeros, or receives them.
    fn pass(
        &self,
        sharing: &Sharing,
        (from, to): (usize, usize),
        blocks: &[u32],
        own: Option<&Vec<f64>>,
    ) -> Mat<f64> {
        let mut column = Mat::zeros(blocks.len() * self.size, 1);
        if let Some(team) = sharing.team() {
            match own {
                Some(own) => team.send(to, self.gather(own, blocks).col_as_slice(0)),
                None => team.receive(from, column.col_as_slice_mut(0)),
            }
        }
        column
    }
}

fn shape_of(index: usize, steps: &[Step], ids: &[u32], parts: &Parts<'_>) -> Shape {
    let step = &steps[index];
    let eliminated = u32::try_from(step.eliminated).unwrap_or(u32::MAX);
    let Some([a, b]) = step.children else {
        let leaf = parts.leaves[index];
        return Shape::Leaf {
            class: leaf.class,
            links: parts.skeleton.shape(index, leaf, &step.blocks),
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

/// The acts of a solve, in the order of the steps.
fn acts(steps: &[Step], keys: &[Key], cache: &FrontCache) -> Vec<Act> {
    let mut acts = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let owner = keys[index].0;
        for child in step.children.into_iter().flatten() {
            if keys[child].0 != owner {
                acts.push(Act::Pass {
                    from: keys[child].0,
                    to: owner,
                    blocks: steps[child].blocks[steps[child].eliminated..].to_vec(),
                });
            }
        }
        if step.eliminated > 0 {
            let (eliminated, boundary) = step.blocks.split_at(step.eliminated);
            let own = owner == cache.sharing.rank();
            let front = own.then(|| cache.fronts.get(&keys[index].1)).flatten();
            acts.push(Act::Eliminate {
                eliminated: eliminated.to_vec(),
                boundary: boundary.to_vec(),
                front: front.cloned(),
            });
        }
    }
    acts
}
