//! The loop: solve, measure, split where it pays, until the estimate meets the tolerance.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::PatchError;
use super::elimination::{Elimination, FrontCache};
use super::grid::{Cell, Grid};
use super::indicator::{LeafQuality, measure};
use super::judgement::Judgement;
use super::leaf::{Leaf, LeafFrame};
use super::options::{LeafSize, PatchOptions};
use super::problem::PatchProblem;
use super::reference::Reference;
use super::report::{LeafBox, PatchReport, PatchStatus, PatchTimes, Round};
use super::skeleton::Skeleton;
use super::solution::PatchSolution;
use super::step::{State, difference, solve_step};
use super::store::Store;
use super::tree::Tree;

/// Steps of iterative refinement at the end.
const CORRECTIONS: usize = 3;

impl PatchProblem {
    /// Solves on an adaptive tree of patches.
    ///
    /// Runs in rayon's current pool; the result is the same, bit for bit, for any number of threads.
    ///
    /// # Errors
    /// Options out of range, coefficients or data that are not finite, boundary without a condition, a problem that does
    /// not determine its solution. Limits that are reached are not errors: the report says so.
    pub fn solve(&self, options: &PatchOptions) -> Result<PatchSolution, PatchError> {
        self.solve_from(options, |tree, _| tree)
    }

    /// Solves, beginning with what `shape` makes of the first tree.
    pub(super) fn solve_from(
        &self,
        options: &PatchOptions,
        shape: impl FnOnce(Tree, &Grid) -> Tree,
    ) -> Result<PatchSolution, PatchError> {
        options.validate()?;
        let begin = Instant::now();
        let mut times = PatchTimes::default();
        let (grid, reference) = clock(&mut times.reference, || self.prepare(options))?;
        let mut tree = shape(self.first_tree(&grid, &reference, options)?, &grid);
        let mut store = Store::default();
        let mut cache = FrontCache::default();
        let mut rounds: Vec<Round> = Vec::new();
        let mut before: Option<PatchSolution> = None;
        loop {
            let operators = clock(&mut times.leaves, || {
                store.provide(&tree, &grid, self, &reference)
            })?;
            let leaves: Vec<&Leaf> = tree.leaves.iter().map(|cell| &store.leaves[cell]).collect();
            let skeleton = Skeleton::new(&tree, &leaves, &grid);
            let elimination = clock(&mut times.elimination, || {
                let unknowns = self.unknowns;
                Elimination::new(
                    &tree, &grid, &skeleton, &leaves, &reference, unknowns, &mut cache,
                )
            })?;
            let step = |before: Option<&State>| {
                let unknowns = self.unknowns;
                solve_step(
                    &skeleton,
                    &elimination,
                    &leaves,
                    &reference,
                    unknowns,
                    before,
                )
            };
            let mut state = clock(&mut times.solve, || step(None));
            let qualities = clock(&mut times.indicators, || {
                measure(
                    &leaves,
                    &state.coefficients,
                    &reference,
                    self.unknowns,
                    before.as_ref(),
                )
            })?;
            let judged = Judgement::new(&qualities, &rounds, before.is_some());
            rounds.push(Round {
                leaves: leaves.len(),
                skeleton: elimination.unknowns(),
                indicator: judged.indicator,
                change: judged.change,
                estimate: judged.estimate,
                fronts: elimination.factored,
                operators,
            });
            let marked = judged.marked(&qualities, &tree, options);
            let memory = store.bytes() + cache.bytes();
            let status = self.stop(
                &judged,
                &marked,
                &tree,
                memory,
                rounds.len(),
                begin,
                options,
            );
            let mut estimate = judged.estimate;
            if status.is_some() {
                // What refinement still changes is rounding; what the last step changes stays unknown.
                for _ in 0..CORRECTIONS {
                    let next = clock(&mut times.solve, || step(Some(&state)));
                    let change = difference(&state, &next, &leaves, &reference, self.unknowns);
                    state = next;
                    estimate = judged.estimate.max(change);
                    if change <= 0.1 * judged.estimate {
                        break;
                    }
                }
            }
            let status = match status {
                Some(PatchStatus::ToleranceMet) if estimate > options.tolerance => {
                    Some(PatchStatus::RoundingFloor)
                }
                other => other,
            };
            let mut solution = PatchSolution {
                grid: Arc::clone(&grid),
                tree: Arc::new(tree.clone()),
                reference: Arc::clone(&reference),
                unknowns: self.unknowns,
                coefficients: state.coefficients,
                report: PatchReport {
                    status: status.unwrap_or(PatchStatus::RoundLimit),
                    error_estimate: estimate,
                    indicator: judged.indicator,
                    leaves: leaves.len(),
                    depth: tree.leaves.iter().map(Cell::depth).max().unwrap_or(0),
                    rank: reference.rank(),
                    skeleton: elimination.unknowns(),
                    widest_front: elimination.widest,
                    memory,
                    rounds: Vec::new(),
                    times,
                    boxes: Vec::new(),
                    seed: options.seed,
                },
            };
            if status.is_some() {
                times.total = begin.elapsed();
                solution.report.times = times;
                solution.report.rounds = rounds;
                solution.report.boxes = boxes(&tree, &grid, &qualities, judged.scale);
                return Ok(solution);
            }
            before = Some(solution);
            tree = tree.split(&marked, &grid);
        }
    }

    /// The first grid and the reference leaf: as asked for, or by dimension. Where solutions oscillate, larger leaves
    /// and so many of them that each resolves its waves.
    fn prepare(&self, options: &PatchOptions) -> Result<(Arc<Grid>, Arc<Reference>), PatchError> {
        let grid = Grid::new(self, options)?;
        let size = options.leaf.unwrap_or_else(|| LeafSize::for_dim(self.dim));
        let reference = Reference::new(self.dim, &size, options.seed)?;
        let waves = grid
            .roots()
            .iter()
            .map(|root| Ok(LeafFrame::new(*root, &grid, self, &reference)?.oscillation))
            .collect::<Result<Vec<f64>, PatchError>>()?
            .into_iter()
            .fold(0.0, f64::max);
        if waves <= reference.resolution {
            return Ok((Arc::new(grid), Arc::new(reference)));
        }
        let reference = if options.leaf.is_none() {
            Reference::new(self.dim, &LeafSize::oscillating(self.dim), options.seed)?
        } else {
            reference
        };
        let parts = (waves / reference.resolution).ceil();
        let cells = parts.powi(i32::try_from(self.dim).unwrap_or(1)) * grid.roots().len() as f64;
        if !options.first_grid.is_empty() || cells > options.max_leaves as f64 {
            return Ok((Arc::new(grid), Arc::new(reference)));
        }
        let options = options.clone().first_grid(vec![parts as usize; self.dim]);
        Ok((Arc::new(Grid::new(self, &options)?), Arc::new(reference)))
    }

    /// The root cells, split until waves of the equation are resolved in every leaf.
    fn first_tree(
        &self,
        grid: &Grid,
        reference: &Reference,
        options: &PatchOptions,
    ) -> Result<Tree, PatchError> {
        let mut tree = Tree::new(grid.roots());
        loop {
            let coarse = tree
                .leaves
                .par_iter()
                .map(|cell| LeafFrame::new(*cell, grid, self, reference))
                .map(|frame| Ok(frame?.oscillation > reference.resolution))
                .collect::<Result<Vec<bool>, PatchError>>()?;
            let marked: Vec<usize> = (0..coarse.len()).filter(|&place| coarse[place]).collect();
            let after = tree.leaves.len() + (marked.len() << self.dim);
            if marked.is_empty() || after > options.max_leaves {
                return Ok(tree);
            }
            tree = tree.split(&marked, grid);
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "every limit is looked at in one place"
    )]
    fn stop(
        &self,
        judged: &Judgement,
        marked: &[usize],
        tree: &Tree,
        memory: usize,
        rounds: usize,
        begin: Instant,
        options: &PatchOptions,
    ) -> Option<PatchStatus> {
        let after = tree.leaves.len() + (marked.len() << self.dim);
        if judged.estimate <= options.tolerance {
            Some(PatchStatus::ToleranceMet)
        } else if marked.is_empty() {
            Some(if Judgement::at_depth_limit(tree, options) {
                PatchStatus::DepthLimit
            } else {
                PatchStatus::RoundingFloor
            })
        } else if rounds >= options.max_rounds {
            Some(PatchStatus::RoundLimit)
        } else if after > options.max_leaves {
            Some(PatchStatus::LeafLimit)
        } else if memory > options.memory_limit {
            Some(PatchStatus::MemoryLimit)
        } else if options
            .time_limit
            .is_some_and(|limit| begin.elapsed() > limit)
        {
            Some(PatchStatus::TimeLimit)
        } else {
            None
        }
    }
}

fn clock<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    *total += begin.elapsed();
    result
}

fn boxes(tree: &Tree, grid: &Grid, qualities: &[LeafQuality], scale: f64) -> Vec<LeafBox> {
    tree.leaves
        .iter()
        .zip(qualities)
        .map(|(cell, quality)| {
            let (lo, hi) = grid.bounds(cell);
            LeafBox {
                lo,
                hi,
                depth: cell.depth(),
                indicator: quality.residual / scale,
            }
        })
        .collect()
}
