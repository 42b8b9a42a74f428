//! The loop: solve, measure, split where it pays, until the estimate meets the tolerance.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use faer::Mat;
use rayon::prelude::*;

use super::PatchError;
use super::elimination::{Elimination, FrontCache};
use super::grid::{Cell, Grid};
use super::groups::{Group, groups};
use super::indicator::{LeafQuality, measure};
use super::leaf::{Leaf, LeafClass, LeafFrame, LeafOperator, leaf_operator};
use super::options::{LeafSize, PatchOptions};
use super::problem::PatchProblem;
use super::reference::{Reference, times};
use super::report::{LeafBox, PatchReport, PatchStatus, PatchTimes, Round};
use super::skeleton::Skeleton;
use super::solution::PatchSolution;
use super::tree::Tree;

/// The share of the tolerance that a leaf's own residual may have.
const LEAF_SHARE: f64 = 0.1;

/// The error that comes with a residual, over residual × h²/a: the functions of the kernel of the traces that a residual
/// excites have several waves in a leaf. Measured between 0.01 (corners) and 0.05 (peaks).
const SPREAD: f64 = 0.03;

/// Steps of iterative refinement at the end.
const CORRECTIONS: usize = 3;

/// Leaves and operators that are kept from solve to solve.
#[derive(Default)]
struct Store {
    leaves: HashMap<Cell, Leaf>,
    classes: HashMap<LeafClass, (u32, Arc<LeafOperator>)>,
    next: u32,
}

impl Store {
    /// Makes sure that every leaf of the tree is there; the answer is the number of new operators.
    fn provide(
        &mut self,
        tree: &Tree,
        grid: &Grid,
        problem: &PatchProblem,
        reference: &Reference,
    ) -> Result<usize, PatchError> {
        self.leaves.retain(|cell, _| tree.place(cell).is_some());
        let missing: Vec<Cell> = tree
            .leaves
            .iter()
            .copied()
            .filter(|cell| !self.leaves.contains_key(cell))
            .collect();
        let frames: Vec<LeafFrame> = missing
            .into_par_iter()
            .map(|cell| LeafFrame::new(cell, grid, problem, reference))
            .collect::<Result<_, _>>()?;
        let mut new: Vec<&LeafFrame> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for frame in &frames {
            if !self.classes.contains_key(&frame.class) && seen.insert(&frame.class) {
                new.push(frame);
            }
        }
        let built = new
            .par_iter()
            .map(|frame| leaf_operator(frame, problem, reference))
            .collect::<Result<Vec<_>, _>>()?;
        let operators = built.len();
        let mut own: HashMap<Cell, Vec<f64>> = HashMap::new();
        let classes: Vec<(LeafClass, Cell)> =
            new.iter().map(|f| (f.class.clone(), f.cell)).collect();
        for ((class, cell), (operator, particular)) in classes.into_iter().zip(built) {
            if let Some(particular) = particular {
                own.insert(cell, particular);
            }
            self.classes.insert(class, (self.next, Arc::new(operator)));
            self.next += 1;
        }
        let work: Vec<(LeafFrame, u32, Arc<LeafOperator>, Option<Vec<f64>>)> = frames
            .into_iter()
            .filter_map(|frame| {
                let (id, operator) = self.classes.get(&frame.class)?;
                let own = own.remove(&frame.cell);
                Some((frame, *id, Arc::clone(operator), own))
            })
            .collect();
        let leaves = work
            .into_par_iter()
            .map(|(frame, id, operator, own)| {
                Leaf::new(frame, id, operator, own, grid, problem, reference)
            })
            .collect::<Result<Vec<_>, _>>()?;
        for leaf in leaves {
            self.leaves.insert(leaf.frame.cell, leaf);
        }
        // Operators of leaves that have been split are of no use any more.
        self.classes.retain(|class, _| match class {
            LeafClass::Own(cell) => tree.place(cell).is_some(),
            LeafClass::Shared(_) => true,
        });
        Ok(operators)
    }

    fn bytes(&self) -> usize {
        self.classes.values().map(|(_, o)| o.bytes()).sum()
    }
}

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
        let cells = parts * grid.roots().len() as f64;
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
            Some(if judged.at_depth_limit(tree, options) {
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

/// The traces of the skeleton and the coefficients of all leaves.
#[derive(Clone)]
struct State {
    traces: Vec<f64>,
    coefficients: Vec<Vec<f64>>,
}

/// Solves for the traces and the coefficients; from an earlier state, a step of iterative refinement.
fn solve_step(
    skeleton: &Skeleton,
    elimination: &Elimination,
    leaves: &[&Leaf],
    reference: &Reference,
    unknowns: usize,
    before: Option<&State>,
) -> State {
    let none = vec![0.0; elimination.unknowns()];
    let old = before.map_or(&none, |state| &state.traces);
    let groups = groups(leaves);
    let traces_of = |group: &Group<'_>, from: &[f64], given: bool| {
        let traces: Vec<Vec<f64>> = group
            .places
            .iter()
            .map(|&p| skeleton.traces(p, leaves[p], reference, unknowns, from, given))
            .collect();
        let rows = group.operator.solve.ncols();
        Mat::from_fn(rows, traces.len(), |i, j| traces[j][i])
    };
    let improved: Vec<(Mat<f64>, Mat<f64>)> = groups
        .par_iter()
        .map(|group| {
            let rows = group.operator.solve.nrows();
            let c = before.map(|state| group.columns(rows, |p| &state.coefficients[p]));
            let c = group.improved(leaves, c, &traces_of(group, old, true), reference);
            let flux = times(group.operator.flux.as_ref(), c.as_ref());
            (c, flux)
        })
        .collect();
    let mut where_in = vec![(0, 0); leaves.len()];
    for (g, group) in groups.iter().enumerate() {
        for (j, &place) in group.places.iter().enumerate() {
            where_in[place] = (g, j);
        }
    }
    let mut rhs = none.clone();
    for (place, leaf) in leaves.iter().enumerate() {
        let (g, j) = where_in[place];
        let (c, flux) = &improved[g];
        let (c, flux) = (c.col_as_slice(j), flux.col_as_slice(j));
        skeleton.add_defect(place, leaf, c, flux, reference, unknowns, &mut rhs);
    }
    let more = elimination.solve(rhs);
    let finished: Vec<Mat<f64>> = groups
        .par_iter()
        .zip(improved)
        .map(|(group, (c, _))| {
            let traces = traces_of(group, &more, false);
            c + times(group.operator.solve.as_ref(), traces.as_ref())
        })
        .collect();
    let coefficients = where_in
        .into_iter()
        .map(|(g, j)| finished[g].col_as_slice(j).to_vec())
        .collect();
    let traces = old.iter().zip(more).map(|(old, more)| old + more).collect();
    State {
        traces,
        coefficients,
    }
}

/// The change of u from one state to the next at the check points, relative in L2.
fn difference(
    old: &State,
    new: &State,
    leaves: &[&Leaf],
    reference: &Reference,
    unknowns: usize,
) -> f64 {
    let rank = reference.rank();
    let (mut change, mut size) = (0.0, 0.0);
    for group in groups(leaves) {
        let rows = unknowns * rank;
        let now = group.columns(rows, |p| &new.coefficients[p]);
        let then = group.columns(rows, |p| &old.coefficients[p]);
        let step = &now - &then;
        for v in 0..unknowns {
            let values = |c: &Mat<f64>| {
                times(
                    reference.check_values.as_ref(),
                    c.as_ref().subrows(v * rank, rank),
                )
            };
            let (step, now) = (values(&step), values(&now));
            for (j, &place) in group.places.iter().enumerate() {
                let volume: f64 = leaves[place].frame.half.iter().product();
                change += volume * step.col(j).squared_norm_l2();
                size += volume * now.col(j).squared_norm_l2();
            }
        }
    }
    if size > 0.0 {
        f64::sqrt(change / size)
    } else {
        0.0
    }
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

/// Indicator, change and estimate of one solve.
struct Judgement {
    /// The largest |u|.
    scale: f64,
    indicator: f64,
    change: Option<f64>,
    estimate: f64,
}

impl Judgement {
    fn new(qualities: &[LeafQuality], rounds: &[Round], compared: bool) -> Self {
        let scale = qualities.iter().map(|q| q.largest).fold(0.0, f64::max);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let volume: f64 = qualities.iter().map(|q| q.volume).sum();
        let mean = |f: fn(&LeafQuality) -> f64| {
            (qualities.iter().map(|q| f(q) * q.volume).sum::<f64>() / volume).sqrt()
        };
        let norm = mean(|q| q.mean_square);
        let norm = if norm > 0.0 { norm } else { 1.0 };
        let indicator = qualities.iter().map(|q| q.residual).fold(0.0, f64::max) / scale;
        let spread = mean(|q| q.residual * q.residual) / norm;
        let change = compared.then(|| mean(|q| q.change) / norm);
        let estimate = match change {
            None => SPREAD * indicator.max(spread),
            Some(change) => {
                // The error that is left, if the next changes shrink as the last ones did; at first, as residuals did.
                let last = rounds.last().map_or((indicator, 1.0), |round| {
                    let residuals = (indicator, round.indicator);
                    round.change.map_or(residuals, |last| (change, last))
                });
                let ratio = (last.0 / last.1.max(f64::MIN_POSITIVE)).clamp(0.0, 0.9);
                (change * ratio / (1.0 - ratio)).max(SPREAD * spread)
            }
        };
        Self {
            scale,
            indicator,
            change,
            estimate,
        }
    }

    /// The leaves to split: those whose residual is a fair share of the largest and above rounding.
    fn marked(&self, qualities: &[LeafQuality], tree: &Tree, options: &PatchOptions) -> Vec<usize> {
        let threshold = options.share * self.indicator * self.scale;
        let least = LEAF_SHARE * options.tolerance * self.scale;
        let worth = |(quality, cell): (&LeafQuality, &Cell)| {
            quality.residual > threshold.max(least).max(quality.floor)
                && cell.depth() < options.max_depth
        };
        let pairs = qualities.iter().zip(&tree.leaves).enumerate();
        pairs
            .filter(|(_, pair)| worth(*pair))
            .map(|(place, _)| place)
            .collect()
    }

    fn at_depth_limit(&self, tree: &Tree, options: &PatchOptions) -> bool {
        tree.leaves
            .iter()
            .any(|cell| cell.depth() >= options.max_depth)
    }
}
