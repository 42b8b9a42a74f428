//! The loop: solve, measure, split where it pays, until the estimate meets the tolerance.

use std::sync::Arc;
use std::time::Duration;
use web_time::Instant;

use super::PatchError;
use super::border::Border;
use super::cache::FrontCache;
use super::elimination::{Elimination, Parts};
use super::first_cuts::evenly;
use super::grid::{Cell, Grid};
use super::indicator::{LeafQuality, measure};
use super::judgement::Judgement;
use super::leaf::Leaf;
use super::mesh::PatchMesh;
use super::options::PatchOptions;
use super::problem::PatchProblem;
use super::report::{LeafBox, PatchReport, PatchStatus, PatchTimes, Round};
use super::sharing::Sharing;
use super::skeleton::Skeleton;
use super::solution::{PatchSolution, Snapshot};
use super::step::{Factored, State};
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
        let (refinement, mesh, solved, status) = self.refined(options, shape)?;
        refinement.finish(&mesh, &solved, status, self.unknowns)
    }

    /// Refines until there is a reason to end: what was kept, the last tree, its solution, and the reason.
    pub(super) fn refined(
        &self,
        options: &PatchOptions,
        shape: impl FnOnce(Tree, &Grid) -> Tree,
    ) -> Result<(Refinement, PatchMesh, Solved, PatchStatus), PatchError> {
        options.validate()?;
        let mut refinement = Refinement::new(options);
        let mut mesh = clock(&mut refinement.times.reference, || {
            PatchMesh::first(self, options)
        })?;
        mesh.tree = Arc::new(shape(mesh.tree.as_ref().clone(), &mesh.grid));
        let mut last: Option<(PatchMesh, Solved)> = None;
        loop {
            let before = last.as_ref().map(|(_, solved)| &solved.snapshot);
            let solved = match (refinement.solve_on(self, &mesh, before), last.take()) {
                // What was found before stands.
                (Err(PatchError::Limit(limit)), Some((mesh, solved))) => {
                    let met = solved.estimate <= options.tolerance;
                    let status = if met {
                        PatchStatus::ToleranceMet
                    } else {
                        limit.into()
                    };
                    return Ok((refinement, mesh, solved, status));
                }
                (solved, _) => solved?,
            };
            refinement.rounds.push(solved.round.clone());
            if let Some(status) = solved.status {
                return Ok((refinement, mesh, solved, status));
            }
            let finer = mesh.split(&solved.marked);
            last = Some((std::mem::replace(&mut mesh, finer), solved));
        }
    }
}

/// What is kept from solve to solve.
#[derive(Debug)]
pub(super) struct Refinement {
    pub(super) options: PatchOptions,
    begin: Instant,
    pub(super) times: PatchTimes,
    pub(super) store: Store,
    pub(super) cache: FrontCache,
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
    pub(super) qualities: Vec<LeafQuality>,
    pub(super) widest: usize,
    pub(super) memory: usize,
}

/// The leaves of a tree, tied together and factored with the fronts that the cache already has.
pub(super) fn factor<'a>(
    store: &'a Store,
    cache: &mut FrontCache,
    problem: &'a PatchProblem,
    mesh: &'a PatchMesh,
) -> Result<Factored<'a>, PatchError> {
    let (tree, grid, reference) = (&mesh.tree, &mesh.grid, &mesh.reference);
    let cells = tree.leaves.iter();
    let leaves: Vec<_> = cells.filter_map(|cell| store.leaves.get(cell)).collect();
    let skeleton = Arc::new(Skeleton::new(tree, &leaves, grid));
    let unknowns = problem.unknowns;
    let owners = cache.sharing.of_leaves(tree);
    let parts = Parts {
        skeleton: &skeleton,
        leaves: &leaves,
        owners: &owners,
        reference,
        unknowns,
        borders: problem.functionals.len(),
    };
    let elimination = Arc::new(Elimination::new(tree, grid, &parts, cache)?);
    let mut factored = Factored {
        sharing: cache.sharing.clone(),
        owners,
        problem,
        reference,
        data: leaves.iter().map(|leaf| &leaf.data).collect(),
        values: problem.functional_values(),
        leaves,
        skeleton,
        elimination,
        border: None,
    };
    factored.border = Border::new(&factored, problem)?.map(Arc::new);
    Ok(factored)
}

/// A state corrected for rounding, and the estimate with what the last correction changed: what remains after it stays unknown.
pub(super) fn corrected(
    factored: &Factored<'_>,
    mut state: State,
    judged: &Judgement,
) -> Result<(State, f64), PatchError> {
    let mut estimate = judged.estimate;
    for _ in 0..CORRECTIONS {
        let next = factored.step(Some(&state))?;
        let change = share(factored.distance(&state, &next));
        state = next;
        estimate = judged.estimate.max(change);
        if change <= 0.1 * judged.estimate {
            break;
        }
    }
    Ok((state, estimate))
}

impl Refinement {
    pub(super) fn new(options: &PatchOptions) -> Self {
        Self {
            options: options.clone(),
            begin: Instant::now(),
            times: PatchTimes::default(),
            store: Store::new(Sharing::new(&options.control)),
            cache: FrontCache::new(options),
            rounds: Vec::new(),
        }
    }

    /// Solves on a tree and judges the result; the last solve is corrected for rounding.
    fn solve_on(
        &mut self,
        problem: &PatchProblem,
        mesh: &PatchMesh,
        before: Option<&Snapshot>,
    ) -> Result<Solved, PatchError> {
        self.enter(mesh, before.is_none())?;
        let (store, cache) = (&mut self.store, &mut self.cache);
        let operators = clock(&mut self.times.leaves, || store.provide(mesh, problem))?;
        let factored = clock(&mut self.times.elimination, || {
            factor(&self.store, cache, problem, mesh)
        })?;
        // Fronts far up the tree pass rounding errors on to all leaves below them: without a step of iterative
        // refinement these would pass for residuals.
        let mut state = clock(&mut self.times.solve, || {
            let first = factored.step(None)?;
            factored.step(Some(&first))
        })?;
        let qualities = clock(&mut self.times.indicators, || {
            measure(&factored, &state, before)
        })?;
        let judged = Judgement::new(&qualities, &self.rounds, before.is_some(), mesh.grid.dim);
        let round = judged.round(&factored, operators);
        let mut marked = judged.marked(&qualities, &mesh.tree, &self.options);
        let again = self.asks_again(&judged, mesh);
        if again {
            marked = judged.above(0.0, &qualities, &mesh.tree, &self.options);
        }
        let alike = |pair: &[&Leaf]| pair[0].class == pair[1].class;
        let one_kind = factored.leaves.windows(2).all(alike);
        let (cells, most) = (&mesh.tree.leaves, self.options.max_leaves);
        let marked = evenly(marked, cells, one_kind, mesh.grid.dim, most);
        let memory = self.store.bytes() + self.cache.bytes();
        let mut status = self.stop(&judged, &marked, mesh, memory);
        let room = mesh.tree.leaves.len() + (marked.len() << mesh.grid.dim) <= most;
        if again && room && !marked.is_empty() {
            status = None;
        }
        let mut estimate = judged.estimate;
        if status.is_some() {
            let corrected = || corrected(&factored, state, &judged);
            (state, estimate) = clock(&mut self.times.solve, corrected)?;
            estimate = estimate.max(factored.misfit(&state, &judged)?);
        }
        if status == Some(PatchStatus::ToleranceMet) && estimate > self.options.tolerance {
            status = Some(PatchStatus::RoundingFloor);
        }
        Ok(Solved {
            snapshot: mesh.snapshot(state.coefficients),
            judged,
            estimate,
            marked,
            status,
            round,
            qualities,
            widest: factored.elimination.widest,
            memory,
        })
    }

    /// Begins a round; a limit is an error only where there is nothing yet.
    pub(super) fn enter(&self, mesh: &PatchMesh, first: bool) -> Result<(), PatchError> {
        let leaves = mesh.tree.leaves.len();
        match self.options.control.enter(Stage::Patches { leaves }) {
            Err(limit) if first => Err(limit.into()),
            _ => Ok(()),
        }
    }

    /// The function of a solve, with the record of all of them.
    pub(super) fn finish(
        &self,
        mesh: &PatchMesh,
        solved: &Solved,
        status: PatchStatus,
        unknowns: usize,
    ) -> Result<PatchSolution, PatchError> {
        let report = self.report(mesh, solved, status);
        PatchSolution::new(&solved.snapshot, &mesh.grid, unknowns, report)
    }

    fn report(&self, mesh: &PatchMesh, solved: &Solved, status: PatchStatus) -> PatchReport {
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
            skeleton: solved.round.skeleton,
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

    /// Whether a first solve that is good enough is followed by another: it knows only roughly how good it is, and on a line
    /// the second one, which tells, costs little.
    fn asks_again(&self, judged: &Judgement, mesh: &PatchMesh) -> bool {
        let options = &self.options;
        mesh.grid.dim == 1
            && judged.change.is_none()
            && judged.estimate <= options.tolerance
            && options.max_rounds > 1
            && options.control.check().is_ok()
    }

    /// Whether refinement ends here, and why.
    pub(super) fn stop(
        &self,
        judged: &Judgement,
        marked: &[usize],
        mesh: &PatchMesh,
        memory: usize,
    ) -> Option<PatchStatus> {
        let (options, tree) = (&self.options, &mesh.tree);
        options.control.note_score(judged.estimate);
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

/// A change over the size of what has changed.
pub(super) fn share((change, size): (f64, f64)) -> f64 {
    if size > 0.0 { change / size } else { 0.0 }
}

pub(super) fn clock<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
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
