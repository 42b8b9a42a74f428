//! The Newton iteration for one set of features and one set of points.

mod linear;
mod start;

use std::sync::Arc;
use web_time::Instant;

use fastlsq_basis::Basis;
use fastlsq_solve::lsq::LsqInfo;
use fastlsq_solve::rows::{rms, system_bytes};
use fastlsq_solve::{RowBlock, Stage, WrittenRows};
use ndarray::ArrayView2;

pub(crate) use linear::unchanged_rows;

use crate::NewtonError;
use crate::options::{NewtonOptions, StepForm};
use crate::problem::Concrete;
use crate::report::{NewtonStatus, Step};
use crate::state::{Linearised, State};

/// The smallest step length of the line search: 2⁻¹⁰.
const SHORTEST_STEP: f64 = 1.0 / 1024.0;
/// The share of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// Below this relative change, a change that no longer halves is rounding.
const ROUNDING_CHANGE: f64 = 1e-6;

/// A full step that changes u by less than this, and the residual by hardly anything, is the last:
/// what remains is the misfit of the features.
const SMALL_CHANGE: f64 = 1e-2;
const STANDSTILL: f64 = 0.9;

/// The outcome of an iteration.
pub(crate) struct Iterated {
    pub(crate) beta: Vec<f64>,
    pub(crate) status: NewtonStatus,
    pub(crate) history: Vec<Step>,
    pub(crate) start: String,
    pub(crate) start_residual: f64,
    pub(crate) info: LsqInfo,
    pub(crate) weights: Vec<f64>,
    pub(crate) solves: usize,
}

/// Features, points and options of one iteration.
pub(crate) struct Iteration<'a> {
    pub(crate) concrete: &'a Concrete,
    pub(crate) options: &'a NewtonOptions,
    pub(crate) bases: &'a [Arc<dyn Basis>],
    pub(crate) blocks: &'a [RowBlock],
    /// For each block, its rows where they are the same in every step: those of linear conditions. The slice may be empty.
    pub(crate) unchanged: &'a [Option<WrittenRows>],
    /// Where the change of u is measured.
    pub(crate) value_points: ArrayView2<'a, f64>,
    pub(crate) parameter: f64,
}

impl Iteration<'_> {
    /// Runs the iteration.
    pub(crate) fn run(&self) -> Result<Iterated, NewtonError> {
        let (mut weights, mut solves) = (Vec::new(), 0);
        let (mut state, mut beta, start) = self.start(&mut weights, &mut solves)?;
        let mut linearised = self.linearise(&state);
        self.check_finite(&linearised)?;
        let mut history: Vec<Step> = Vec::new();
        let mut info = None;
        let mut start_residual = f64::NAN;
        let mut status = NewtonStatus::IterationLimit;
        for iteration in 1..=self.options.max_iterations.max(1) {
            let begin = Instant::now();
            // Increments need coefficients to add to: a foreign start is taken up by a full step.
            let form = if beta.is_some() {
                self.options.form
            } else {
                StepForm::NewCoefficients
            };
            let origin = beta.as_deref().filter(|_| form == StepForm::Increment);
            let step = self.step(iteration, (&state, &linearised), form, origin);
            let (solved, step_info) = match step {
                Ok((solved, info, fresh)) => {
                    weights = fresh;
                    (solved, info)
                }
                // The state after a step or more is a candidate; before that, there is nothing.
                Err(error) if error.limit().is_some() && !history.is_empty() => {
                    status = NewtonStatus::Stopped;
                    break;
                }
                Err(error) => return Err(error),
            };
            solves += 1;
            let before = self.merit(&linearised.residuals, &weights);
            if iteration == 1 {
                start_residual = before;
            }
            let target: Vec<f64> = match (form, &beta) {
                (StepForm::Increment, Some(beta)) => {
                    beta.iter().zip(&solved).map(|(b, d)| b + d).collect()
                }
                _ => solved,
            };
            let goal = match self.state_of(&self.expansion(&target)) {
                Err(error) if error.limit().is_some() && !history.is_empty() => {
                    status = NewtonStatus::Stopped;
                    break;
                }
                goal => goal?,
            };
            let (alpha, new_state, new_linearised, after) =
                self.search(&state, &goal, before, &weights);
            let change = relative_change(&state.values, &new_state.values);
            // With a foreign start the coefficients of a shortened step are not known; the full
            // step's are the best there are.
            beta = Some(match (&beta, alpha == 1.0) {
                (Some(old), false) => old
                    .iter()
                    .zip(&target)
                    .map(|(a, b)| a + alpha * (b - a))
                    .collect(),
                _ => target,
            });
            state = new_state;
            linearised = new_linearised;
            let step = Step {
                iteration,
                residual: after,
                change,
                step: alpha,
                rank: step_info.rank,
                parameter: self.concrete.parameter.map(|_| self.parameter),
                seconds: begin.elapsed().as_secs_f64(),
            };
            info = Some(step_info);
            let last_change = history.last().map_or(f64::INFINITY, |step| step.change);
            history.push(step);
            if !after.is_finite() || !change.is_finite() {
                status = NewtonStatus::Diverged;
                break;
            }
            // Newton's method converges quadratically: the change to come is about the square of
            // this one, with a constant that two changes in a row tell.
            let constant = if last_change < 1.0 {
                change / (last_change * last_change)
            } else {
                1.0
            };
            let to_come = constant.clamp(1.0, 1e3) * change * change;
            let settled = alpha == 1.0
                && (change.min(to_come) <= self.options.change_tolerance
                    || (last_change < ROUNDING_CHANGE && change > 0.5 * last_change)
                    || (change < SMALL_CHANGE && after > STANDSTILL * before));
            if self.concrete.linear || settled {
                status = NewtonStatus::Converged;
                break;
            }
            if alpha <= SHORTEST_STEP && after >= before {
                status = if change < ROUNDING_CHANGE {
                    NewtonStatus::Converged
                } else {
                    NewtonStatus::Stalled
                };
                break;
            }
        }
        Ok(Iterated {
            beta: beta.unwrap_or_default(),
            status,
            history,
            start,
            start_residual,
            info: info.ok_or(NewtonError::NoEquation)?,
            weights,
            solves,
        })
    }

    /// The system linearised at a state, solved with fresh weights.
    fn step(
        &self,
        number: usize,
        (state, linearised): (&State, &Linearised),
        form: StepForm,
        origin: Option<&[f64]>,
    ) -> Result<(Vec<f64>, LsqInfo, Vec<f64>), NewtonError> {
        let control = self.options.solve.control();
        control.enter(Stage::NewtonStep { number })?;
        let bytes = system_bytes(self.bases, self.blocks);
        let _held = control.hold(bytes.and_then(|bytes| bytes.checked_add(self.table_bytes()?)))?;
        let system = self.system(state, linearised, form, |_, _| true)?;
        let mut weights = Vec::new();
        let (solved, info) = self.solve(system, origin, &mut weights)?;
        Ok((solved, info, weights))
    }

    /// Backtracks from the full step until the residual falls enough.
    fn search(
        &self,
        state: &State,
        goal: &State,
        before: f64,
        weights: &[f64],
    ) -> (f64, State, Linearised, f64) {
        let mut alpha = self.options.damping;
        // Ends after at most ten halvings, at the shortest step.
        loop {
            let tried = if alpha == 1.0 {
                goal.clone()
            } else {
                state.blend(goal, alpha)
            };
            let linearised = self.linearise(&tried);
            let after = self.merit(&linearised.residuals, weights);
            let change = relative_change(&state.values, &tried.values);
            let enough = after <= (1.0 - ARMIJO * alpha) * before;
            // At the floor of rounding the residual cannot fall any more; a tiny step is taken as it is.
            let at_the_floor = after.is_finite() && change < ROUNDING_CHANGE;
            if !self.options.line_search || enough || at_the_floor || alpha <= SHORTEST_STEP {
                return (alpha, tried, linearised, after);
            }
            alpha *= 0.5;
        }
    }
}

/// ‖new − old‖/‖new‖.
fn relative_change(old: &[f64], new: &[f64]) -> f64 {
    let difference = rms(old.iter().zip(new).map(|(a, b)| b - a));
    let size = rms(new.iter().copied());
    if difference == 0.0 {
        0.0
    } else {
        difference / size
    }
}
