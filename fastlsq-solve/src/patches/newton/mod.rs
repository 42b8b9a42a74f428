//! Newton's method on patches, for equations that are not linear.
//!
//! A step of iterative refinement corrects whatever residuals the equations inside the leaves, the traces and the fluxes
//! leave. With the residual of nonlinear equations in place of the linear one it is a step of Newton's method, and the factors
//! may belong to other coefficients than those at the present function: the step then contracts more slowly, but to the same
//! solution. So factors are kept as long as steps contract, leaves whose coefficients have hardly changed keep theirs
//! when the others are made anew, and leaves whose coefficients hardly vary inside share one operator with constant
//! ones.
//!
//! A step is shortened until the next one, with the same factors, is smaller: the *natural* test, which does not depend on how
//! equations, traces and fluxes are weighted against each other. It costs no factorisation.
//!
//! Where that fails, the flow u_t = ±N(u), which the leading part makes parabolic, is followed with growing steps to where it
//! comes to rest, and Newton's method begins anew from there.
//!
//! On a tree the iteration ends when its changes are small beside what the tree itself lacks. Then leaves are split
//! where the residual calls for it, and the next tree begins from the present function.

mod start;

use web_time::Instant;

use ndarray::ArrayView2;

use super::PatchError;
use super::adapt::{Refinement, Solved, clock, factor, share};
use super::frame::Linearisation;
use super::indicator::measure;
use super::judgement::Judgement;
use super::mesh::PatchMesh;
use super::options::PatchOptions;
use super::problem::PatchProblem;
use super::report::PatchStatus;
use super::solution::{PatchSolution, Snapshot};
use super::step::{Factored, State};
use crate::control::{Control, Stage};

/// Steps that shrink by less than this call for factors at the present function.
const CONTRACTION: f64 = 0.2;
/// The shortest step, as a share of the full one.
const SHORTEST: f64 = 1.0 / 256.0;
/// A first iteration with steps as short as this wanders, and takes no more than `FIRST_TRY` of them.
const WANDERS: f64 = 1.0 / 8.0;
const FIRST_TRY: usize = 12;
/// Below this relative change, a change that no longer halves is rounding.
const ROUNDING_CHANGE: f64 = 1e-6;
/// How far coefficients may be off at first, as a share of the largest in the leaf.
const FIRST_SLACK: f64 = 1e-2;
/// Below this change of u, steps that contract badly are blamed on coefficients that are off.
const NEAR: f64 = 0.1;
/// A change below this share of the previous tree's error is the last on a tree.
const SETTLED: f64 = 1e-3;
/// The same for the tolerance.
const BELOW_TOLERANCE: f64 = 0.03;
/// Trees in succession on which the iteration may fail to settle.
const PATIENCE: usize = 4;

/// Values of all unknowns at points, one vector each.
pub type PatchStart<'a> = dyn Fn(ArrayView2<'_, f64>) -> Vec<Vec<f64>> + Sync + 'a;

/// One step of Newton's method on patches.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchStep {
    /// Leaves of the tree.
    pub leaves: usize,
    /// ‖Δu‖/‖u‖ in L2.
    pub change: f64,
    /// The share of the full step that was taken.
    pub length: f64,
    /// The size of the next step over that of this one.
    pub contraction: f64,
    /// Leaf operators that were made for it.
    pub operators: usize,
    /// Seconds since the step before.
    pub seconds: f64,
}

/// A solution by Newton's method, with its steps.
#[derive(Debug, Clone)]
pub struct NewtonPatches {
    /// The function.
    pub solution: PatchSolution,
    /// All steps on all trees.
    pub steps: Vec<PatchStep>,
    /// Whether the last tree's iteration settled.
    pub settled: bool,
}

impl PatchProblem {
    /// Solves equations that need not be linear on an adaptive tree of patches, with at most this many steps of Newton's
    /// method on each tree, from a given function or from the solution of the equations' leading part.
    ///
    /// # Errors
    /// As [`solve`](Self::solve); equations without a value at the start. That Newton's method does not settle is not an
    /// error: the report says so.
    pub fn solve_by_newton(
        &self,
        options: &PatchOptions,
        max_steps: usize,
        start: Option<&PatchStart<'_>>,
    ) -> Result<NewtonPatches, PatchError> {
        options.validate()?;
        let mut refinement = Refinement::new(options);
        let mut mesh = clock(&mut refinement.times.reference, || {
            PatchMesh::first(self, options)
        })?;
        let mut newton = Newton {
            control: options.control.clone(),
            max_steps: max_steps.max(1),
            may_begin_anew: true,
            slack: FIRST_SLACK,
            // A first tree that is the last has no other to settle on.
            enough: match options.max_rounds {
                0 | 1 => BELOW_TOLERANCE * options.tolerance,
                _ => SETTLED,
            },
            steps: Vec::new(),
            clock: Instant::now(),
        };
        let mut coefficients = refinement.first_function(self, &mut mesh, start)?;
        let mut last: Option<(PatchMesh, Solved)> = None;
        let mut unsettled = 0;
        loop {
            let given = mesh.snapshot(coefficients.clone());
            let before = last.as_ref().map(|(_, solved)| &solved.snapshot);
            let found = refinement.newton_on(self, &mesh, coefficients, before, &mut newton);
            let fails = match &found {
                Ok((_, settled)) => !settled,
                Err(error) => matches!(error, PatchError::Singular),
            };
            if fails && newton.may_begin_anew && options.control.check().is_ok() {
                newton.may_begin_anew = false;
                newton.slack = FIRST_SLACK;
                coefficients = refinement.at_rest(self, &mesh, given, &mut newton)?;
                continue;
            }
            unsettled = if fails { unsettled + 1 } else { 0 };
            let (mut solved, settled) = match (found, last.take()) {
                // What was found before stands.
                (Err(PatchError::Limit(limit)), Some((mesh, solved))) => {
                    return Ok(NewtonPatches {
                        solution: refinement.finish(&mesh, &solved, limit.into(), self.unknowns)?,
                        steps: newton.steps,
                        settled: unsettled == 0,
                    });
                }
                (Err(PatchError::Singular), before) if unsettled < PATIENCE => {
                    // Leaves that are far too large for the equations: nothing tells which of them.
                    let all: Vec<usize> = (0..mesh.tree.leaves.len()).collect();
                    mesh = mesh.split(&all);
                    coefficients = given.on(&mesh, self.unknowns)?;
                    last = before;
                    continue;
                }
                (found, _) => found?,
            };
            refinement.rounds.push(solved.round.clone());
            if !settled && (solved.status.is_some() || unsettled >= PATIENCE) {
                solved.status = Some(PatchStatus::Unsettled);
            }
            if let Some(status) = solved.status {
                return Ok(NewtonPatches {
                    solution: refinement.finish(&mesh, &solved, status, self.unknowns)?,
                    steps: newton.steps,
                    settled,
                });
            }
            let tolerance = options.tolerance;
            newton.may_begin_anew = false;
            newton.enough = (SETTLED * solved.estimate).clamp(BELOW_TOLERANCE * tolerance, SETTLED);
            let finer = mesh.split(&solved.marked);
            coefficients = solved.snapshot.on(&finer, self.unknowns)?;
            last = Some((std::mem::replace(&mut mesh, finer), solved));
        }
    }
}

impl Refinement {
    /// Newton's method on one tree, and whether it settled there.
    fn newton_on(
        &mut self,
        problem: &PatchProblem,
        mesh: &PatchMesh,
        coefficients: Vec<Vec<f64>>,
        before: Option<&Snapshot>,
        newton: &mut Newton,
    ) -> Result<(Solved, bool), PatchError> {
        self.enter(mesh, before.is_none())?;
        let mut state = State::of(coefficients, problem);
        let begun = newton.steps.len();
        let mut all = 0;
        loop {
            let how = Linearisation::near(newton.slack);
            let (store, cache) = (&mut self.store, &mut self.cache);
            let operators = clock(&mut self.times.leaves, || {
                store.provide_linearised(mesh, problem, &state.coefficients, how)
            })?;
            all += operators;
            let factored = clock(&mut self.times.elimination, || {
                factor(&self.store, cache, problem, mesh)
            })?;
            if state.traces.is_empty() {
                state.traces = factored.traces_of(&state.coefficients);
            }
            let progress = clock(&mut self.times.solve, || {
                newton.descend(&factored, &mut state, begun, operators)
            })?;
            if progress == Progress::Again {
                continue;
            }
            let settled = progress == Progress::Settled;
            let qualities = clock(&mut self.times.indicators, || {
                measure(&factored, &state, before)
            })?;
            let judged = Judgement::new(&qualities, &self.rounds, before.is_some(), mesh.grid.dim);
            let round = judged.round(&factored, all);
            let marked = judged.marked(&qualities, &mesh.tree, &self.options);
            let memory = self.store.bytes() + self.cache.bytes();
            let status = self.stop(&judged, &marked, mesh, memory);
            let change = newton
                .steps
                .last()
                .map_or(0.0, |s| s.change * s.contraction);
            let misfit = match status {
                Some(_) if settled => factored.misfit(&state, &judged)?,
                _ => 0.0,
            };
            let solved = Solved {
                estimate: judged.estimate.max(change).max(misfit),
                snapshot: mesh.snapshot(state.coefficients),
                judged,
                marked,
                status,
                round,
                qualities,
                widest: factored.elimination.widest,
                memory,
            };
            return Ok((solved, settled));
        }
    }
}

/// What is known of an iteration.
#[derive(Debug)]
struct Newton {
    control: Control,
    max_steps: usize,
    /// Whether there is another start, so that an iteration that does badly may end.
    may_begin_anew: bool,
    /// How far coefficients may be off.
    slack: f64,
    /// A relative change of u below this is the last on a tree.
    enough: f64,
    steps: Vec<PatchStep>,
    clock: Instant,
}

/// How steps with one set of factors ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Settled,
    /// New factors are needed.
    Again,
    Stuck,
}

impl Newton {
    /// Steps with the same factors, as long as they contract.
    fn descend(
        &mut self,
        factored: &Factored<'_>,
        state: &mut State,
        begun: usize,
        mut operators: usize,
    ) -> Result<Progress, PatchError> {
        let mut goal = factored.step(Some(state))?;
        let (mut size, norm) = factored.distance(state, &goal);
        if !size.is_finite() {
            return match self.steps.is_empty() {
                true => Err(PatchError::NoStart),
                false => Ok(Progress::Stuck),
            };
        }
        if size <= self.enough * norm {
            *state = goal;
            self.note(factored, (size, norm), 1.0, 0.0, operators);
            return Ok(Progress::Settled);
        }
        loop {
            let number = self.steps.len() + 1;
            let stopped = self.control.enter(Stage::NewtonStep { number }).is_err();
            let most = match self.may_begin_anew {
                true => self.max_steps.min(FIRST_TRY),
                false => self.max_steps,
            };
            if stopped || self.steps.len() >= begun + most {
                return Ok(Progress::Stuck);
            }
            let mut length = 1.0;
            let (trial, next, after, norm) = loop {
                let trial = state.towards(&goal, length);
                let next = factored.step(Some(&trial))?;
                let (after, norm) = factored.distance(&trial, &next);
                let falls = after <= (1.0 - 0.25 * length) * size;
                let tiny = size <= ROUNDING_CHANGE * norm;
                let wanders = self.may_begin_anew && length <= WANDERS;
                if falls || tiny || wanders || length <= SHORTEST {
                    break (trial, next, after, norm);
                }
                length *= 0.5;
            };
            if !after.is_finite() {
                return Ok(Progress::Stuck);
            }
            let contraction = after / size;
            let change = share((length * size, norm));
            self.note(
                factored,
                (length * size, norm),
                length,
                contraction,
                operators,
            );
            operators = 0;
            *state = trial;
            let full = length == 1.0;
            let rounding = change <= ROUNDING_CHANGE && contraction > 0.5;
            if full && (after <= self.enough * norm || rounding) {
                *state = next;
                return Ok(Progress::Settled);
            }
            if !full || contraction > CONTRACTION {
                if full && change <= NEAR {
                    self.slack *= 0.25;
                }
                let shortest = if self.may_begin_anew {
                    WANDERS
                } else {
                    SHORTEST
                };
                let hopeless = length <= shortest && (self.may_begin_anew || contraction > 1.0);
                return Ok(if hopeless {
                    Progress::Stuck
                } else {
                    Progress::Again
                });
            }
            (goal, size) = (next, after);
        }
    }

    fn note(
        &mut self,
        factored: &Factored<'_>,
        change: (f64, f64),
        length: f64,
        contraction: f64,
        operators: usize,
    ) {
        self.steps.push(PatchStep {
            leaves: factored.leaves.len(),
            change: share(change),
            length,
            contraction,
            operators,
            seconds: self.clock.elapsed().as_secs_f64(),
        });
        self.clock = Instant::now();
    }
}
