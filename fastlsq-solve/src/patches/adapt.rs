//! The loop: solve, measure, split where it pays, until the estimate meets the tolerance.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::PatchError;
use super::elimination::{Elimination, FrontCache};
use super::grid::{Cell, Grid};
use super::indicator::{LeafQuality, measure};
use super::judgement::Judgement;
use super::leaf::Leaf;
use super::mesh::PatchMesh;
use super::options::PatchOptions;
use super::problem::PatchProblem;
use super::report::{LeafBox, PatchReport, PatchStatus, PatchTimes, Round};
use super::skeleton::Skeleton;
use super::solution::{PatchSolution, Snapshot};
use super::step::{State, difference, solve_step};
use super::store::Store;
use super::tree::Tree;
use crate::control::Stage;

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
        let mut refinement = Refinement::new(options);
        let mut mesh = clock(&mut refinement.times.reference, || {
            PatchMesh::first(self, options)
        })?;
        mesh.tree = Arc::new(shape(mesh.tree.as_ref().clone(), &mesh.grid));
        let mut before: Option<Snapshot> = None;
        loop {
            let solved = refinement.solve_on(self, &mesh, before.as_ref(), false)?;
            refinement.rounds.push(solved.round.clone());
            if let Some(status) = solved.status {
                return refinement.finish(&mesh, &solved, status, self.unknowns);
            }
            mesh = mesh.split(&solved.marked);
            before = Some(solved.snapshot);
        }
    }
}

/// What is kept from solve to solve.
#[derive(Debug)]
pub(super) struct Refinement {
    options: PatchOptions,
    begin: Instant,
    times: PatchTimes,
    store: Store,
    cache: FrontCache,
    pub(super) rounds: Vec<Round>,
}

/// One solve on one tree.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) snapshot: Snapshot,
    pub(super) judged: Judgement,
    pub(super) estimate: f64,
    /// The leaves to split.
    pub(super) marked: Vec<usize>,
    /// Why this is the last one, if it is.
    pub(super) status: Option<PatchStatus>,
    pub(super) round: Round,
    qualities: Vec<LeafQuality>,
    skeleton: usize,
    widest: usize,
    memory: usize,
}

impl Refinement {
    pub(super) fn new(options: &PatchOptions) -> Self {
        Self {
            options: options.clone(),
            begin: Instant::now(),
            times: PatchTimes::default(),
            store: Store::default(),
            cache: FrontCache::default(),
            rounds: Vec::new(),
        }
    }

    /// Forgets operators and factors: the equations have changed.
    pub(super) fn forget(&mut self) {
        self.store = Store::default();
        self.cache = FrontCache::default();
    }

    /// Solves on a tree and judges the result; the last solve, or the `only` one, is corrected for rounding.
    pub(super) fn solve_on(
        &mut self,
        problem: &PatchProblem,
        mesh: &PatchMesh,
        before: Option<&Snapshot>,
        only: bool,
    ) -> Result<Solved, PatchError> {
        let leaves = mesh.tree.leaves.len();
        let entered = self.options.control.enter(Stage::Patches { leaves });
        if before.is_none() {
            entered?;
        }
        let (tree, grid, reference) = (&mesh.tree, &mesh.grid, &mesh.reference);
        let unknowns = problem.unknowns;
        let (store, cache) = (&mut self.store, &mut self.cache);
        let operators = clock(&mut self.times.leaves, || {
            store.provide(tree, grid, problem, reference)
        })?;
        let leaves: Vec<&Leaf> = tree
            .leaves
            .iter()
            .filter_map(|cell| self.store.leaves.get(cell))
            .collect();
        let skeleton = Skeleton::new(tree, &leaves, grid);
        let elimination = clock(&mut self.times.elimination, || {
            Elimination::new(tree, grid, &skeleton, &leaves, reference, unknowns, cache)
        })?;
        let step = |before: Option<&State>| {
            solve_step(
                &skeleton,
                &elimination,
                &leaves,
                reference,
                unknowns,
                before,
            )
        };
        // Fronts far up the tree pass rounding errors on to all leaves below them: without a step of iterative
        // refinement these would pass for residuals.
        let mut state = clock(&mut self.times.solve, || {
            let first = step(None);
            step(Some(&first))
        });
        let qualities = clock(&mut self.times.indicators, || {
            measure(&leaves, &state.coefficients, reference, unknowns, before)
        })?;
        let judged = Judgement::new(&qualities, &self.rounds, before.is_some());
        let round = Round {
            leaves: leaves.len(),
            skeleton: elimination.unknowns(),
            indicator: judged.indicator,
            residual: judged.residual,
            change: judged.change,
            estimate: judged.estimate,
            fronts: elimination.factored,
            operators,
        };
        self.options.control.note_score(judged.estimate);
        let marked = judged.marked(&qualities, tree, &self.options);
        let memory = self.store.bytes() + cache.bytes();
        let mut status = self.stop(&judged, &marked, mesh, memory);
        let mut estimate = judged.estimate;
        if status.is_some() || only {
            // What refinement still changes is rounding; what the last step changes stays unknown.
            for _ in 0..CORRECTIONS {
                let next = clock(&mut self.times.solve, || step(Some(&state)));
                let change = difference(&state, &next, &leaves, reference, unknowns);
                state = next;
                estimate = judged.estimate.max(change);
                if change <= 0.1 * judged.estimate {
                    break;
                }
            }
        }
        if status == Some(PatchStatus::ToleranceMet) && estimate > self.options.tolerance {
            status = Some(PatchStatus::RoundingFloor);
        }
        Ok(Solved {
            snapshot: Snapshot {
                tree: Arc::clone(tree),
                reference: Arc::clone(reference),
                coefficients: state.coefficients,
            },
            judged,
            estimate,
            marked,
            status,
            round,
            qualities,
            skeleton: elimination.unknowns(),
            widest: elimination.widest,
            memory,
        })
    }

    /// The function of a solve, with the record of all of them.
    fn finish(
        self,
        mesh: &PatchMesh,
        solved: &Solved,
        status: PatchStatus,
        unknowns: usize,
    ) -> Result<PatchSolution, PatchError> {
        let report = self.report(mesh, solved, status);
        PatchSolution::new(&solved.snapshot, &mesh.grid, unknowns, report)
    }

    pub(super) fn report(
        &self,
        mesh: &PatchMesh,
        solved: &Solved,
        status: PatchStatus,
    ) -> PatchReport {
        let tree = &mesh.tree;
        PatchReport {
            status,
            error_estimate: solved.estimate,
            indicator: solved.judged.indicator,
            leaves: tree.leaves.len(),
            depth: tree.leaves.iter().map(Cell::depth).max().unwrap_or(0),
            functions: mesh.reference.description.clone(),
            rank: mesh.reference.rank(),
            inner_points: mesh.reference.inner.len(),
            skeleton: solved.skeleton,
            widest_front: solved.widest,
            memory: solved.memory,
            rounds: self.rounds.clone(),
            times: PatchTimes {
                total: self.begin.elapsed(),
                ..self.times
            },
            boxes: boxes(tree, &mesh.grid, &solved.qualities, solved.judged.scale),
            seed: self.options.seed,
        }
    }

    /// Whether refinement ends here, and why.
    fn stop(
        &self,
        judged: &Judgement,
        marked: &[usize],
        mesh: &PatchMesh,
        memory: usize,
    ) -> Option<PatchStatus> {
        let (options, tree) = (&self.options, &mesh.tree);
        let after = tree.leaves.len() + (marked.len() << mesh.grid.dim);
        if judged.estimate <= options.tolerance {
            Some(PatchStatus::ToleranceMet)
        } else if marked.is_empty() {
            Some(if Judgement::at_depth_limit(tree, options) {
                PatchStatus::DepthLimit
            } else {
                PatchStatus::RoundingFloor
            })
        } else if self.rounds.len() + 1 >= options.max_rounds {
            Some(PatchStatus::RoundLimit)
        } else if after > options.max_leaves {
            Some(PatchStatus::LeafLimit)
        } else if memory > options.memory() {
            Some(PatchStatus::MemoryLimit)
        } else {
            options.control.check().err().map(PatchStatus::from)
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
