//! The fronts of an elimination, factored level by level.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;

use super::PatchError;
use super::border::perturb;
use super::cache::{Entry, FrontCache, KEPT_ROWS, Key};
use super::elimination::Parts;
use super::front::{Front, FrontMatrix};
use super::front_cost::FrontCost;
use super::joint::Joint;
use super::ordering::Step;
use crate::lsq::{flat, unflat};

/// A factored front and its Schur complement.
type Eliminated = (Front, Mat<f64>);

/// What is to be factored.
pub(super) struct FrontPlan<'a> {
    pub(super) steps: &'a [Step],
    pub(super) keys: &'a [Key],
    /// Who factors each step: the process that has it first.
    pub(super) helpers: &'a [Vec<usize>],
    pub(super) wanted: &'a [usize],
    /// The last front, if functionals border it.
    pub(super) bordered: Option<usize>,
}

/// Factors the fronts that are wanted, level by level; each process its own, and large ones with others. A Schur complement that another process needs
/// is sent there when its level comes.
pub(super) fn factor_fronts(
    plan: &FrontPlan<'_>,
    parts: &Parts<'_>,
    size: usize,
    cache: &mut FrontCache,
) -> Result<(), PatchError> {
    let FrontPlan {
        steps,
        keys,
        helpers,
        wanted,
        bordered,
    } = *plan;
    let me = cache.sharing.rank();
    // Eliminated unknowns and those that stay open.
    let size_of = |index: usize| {
        let step = &steps[index];
        let open = step.blocks.len() - step.eliminated;
        (step.eliminated * size, open * size)
    };
    let children_of = |index: usize| steps[index].children.into_iter().flatten();
    // How many steps are still to use each Schur complement.
    let mut uses: HashMap<Key, usize> = HashMap::new();
    for child in wanted.iter().flat_map(|&index| children_of(index)) {
        *uses.entry(keys[child]).or_default() += 1;
    }
    let mut failure = Ok(());
    let highest = wanted.iter().map(|&index| steps[index].height).max();
    for height in 0..=highest.unwrap_or(0) {
        let level: Vec<usize> = wanted
            .iter()
            .copied()
            .filter(|&index| steps[index].height == height)
            .collect();
        let visiting = visitors(&level, steps, keys, size, cache);
        let schur_of = |child: usize| match keys[child] {
            (owner, id) if owner == me => cache.schurs.get(&id),
            (_, id) => visiting.get(&id),
        };
        let matrix_of = |index: usize| {
            let step = &steps[index];
            let mut matrix = match step.children {
                // The first steps are the leaves.
                None => {
                    let matrix = parts.skeleton.leaf_matrix(
                        index,
                        parts.leaves[index],
                        &step.blocks,
                        parts.reference,
                        parts.unknowns,
                    );
                    FrontMatrix::split(matrix.as_ref(), step.eliminated * size)
                }
                Some(children) => merged_matrix(step, children, steps, schur_of, size),
            };
            if bordered == Some(index) {
                perturb(&mut matrix, parts.borders);
            }
            matrix
        };
        let (single, joint): (Vec<usize>, Vec<usize>) =
            level.iter().partition(|&&index| helpers[index].len() == 1);
        let own: Vec<usize> = single.into_iter().filter(|&i| keys[i].0 == me).collect();
        let mut fronts: Vec<(usize, Result<Eliminated, PatchError>)> = own
            .into_par_iter()
            .map(|index| (index, Front::new(matrix_of(index))))
            .collect();
        if let Some(team) = cache.sharing.team() {
            for (index, _) in &fronts {
                let (e, b) = size_of(*index);
                team.tally()
                    .worked(FrontCost::new(e, b, 1).all_flops as u64);
            }
            // All processes go through them in the same order, so that every message is received.
            for index in joint {
                let Some(joint) = Joint::new(team, &helpers[index], size_of(index)) else {
                    continue;
                };
                team.tally().worked(joint.flops() as u64);
                if keys[index].0 == me {
                    fronts.push((index, joint.lead(matrix_of(index))));
                } else {
                    // The process that has it says so, too.
                    failure = failure.and(joint.help());
                }
            }
        }
        for (index, front) in fronts {
            let id = keys[index].1;
            let schur = match front {
                Ok((front, schur)) => {
                    cache.fronts.insert(id, Arc::new(front));
                    schur
                }
                Err(error) => {
                    // Others wait for it all the same; they learn in the end that it means nothing.
                    failure = failure.and(Err(error));
                    let open = size_of(index).1;
                    Mat::zeros(open, open)
                }
            };
            cache.schurs.insert(id, schur);
        }
        for &index in &level {
            let (e, b) = size_of(index);
            let entry = Entry {
                size: (e, e + b),
                schur: true,
            };
            cache.ledger.insert(keys[index], entry);
            if !uses.contains_key(&keys[index]) && b > KEPT_ROWS {
                cache.forget_schur(keys[index]);
            }
            for child in children_of(index) {
                let left = uses.entry(keys[child]).or_insert(1);
                *left -= 1;
                if *left == 0 && size_of(child).1 > KEPT_ROWS {
                    cache.forget_schur(keys[child]);
                }
            }
        }
    }
    failure
}

/// Schur complements of other processes that fronts of this level need here; those of ours that others need are sent.
fn visitors(
    level: &[usize],
    steps: &[Step],
    keys: &[Key],
    size: usize,
    cache: &FrontCache,
) -> HashMap<u32, Mat<f64>> {
    let mut visiting = HashMap::new();
    let Some(team) = cache.sharing.team() else {
        return visiting;
    };
    // All processes go through the same list, so that every message is received.
    let mut moved: HashSet<(usize, Key)> = HashSet::new();
    for &index in level {
        let to = keys[index].0;
        for child in steps[index].children.into_iter().flatten() {
            let (from, id) = keys[child];
            if from == to || !moved.insert((to, (from, id))) {
                continue;
            }
            let step = &steps[child];
            let open = (step.blocks.len() - step.eliminated) * size;
            if from == team.rank() {
                let schur = cache.schurs.get(&id);
                let numbers =
                    schur.map_or_else(|| vec![0.0; open * open], |schur| flat(schur.as_ref()));
                team.send(to, &numbers);
            } else if to == team.rank() {
                let mut numbers = vec![0.0; open * open];
                team.receive(from, &mut numbers);
                visiting.insert(id, unflat(&numbers, open, open));
            }
        }
    }
    visiting
}

/// The Schur complements of the two children, added up.
fn merged_matrix<'a>(
    step: &Step,
    children: [usize; 2],
    steps: &[Step],
    schur_of: impl Fn(usize) -> Option<&'a Mat<f64>>,
    size: usize,
) -> FrontMatrix {
    let places = step.blocks.iter().enumerate();
    let at: HashMap<u32, usize> = places.map(|(place, block)| (*block, place)).collect();
    let open = step.blocks.len() - step.eliminated;
    let mut matrix = FrontMatrix::zeros(step.eliminated * size, open * size);
    for child in children {
        let Some(schur) = schur_of(child) else {
            continue;
        };
        let child = &steps[child];
        let open = child.blocks[child.eliminated..].iter();
        let places: Vec<usize> = open.filter_map(|block| at.get(block).copied()).collect();
        for (j, &column) in places.iter().enumerate() {
            for (i, &row) in places.iter().enumerate() {
                let mut target = matrix.block(row * size, column * size, size);
                target += schur.as_ref().submatrix(i * size, j * size, size, size);
            }
        }
    }
    matrix
}
