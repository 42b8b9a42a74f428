//! One run from the first time to the last, in a space of functions that follows the solution.
//!
//! What is known of the space is behind [`Adaptive`]: pieces of an interval that are halved and joined, or functions over a
//! whole domain whose degree grows.

use std::sync::Arc;

use fastlsq_solve::{Limit, Stage};

use super::form::{Form, LOOKS};
use super::ode::{Method, Ode, OdeOptions, Segment, StepFailure, Stepper};
use super::runs::{Aim, Finish, InTime, Run};
use super::span::{self, Span};
use crate::NewtonError;

/// Relative rounding of coefficients.
const ROUNDING: f64 = 1e-15;
/// No fewer steps than this: data may change between them.
const LEAST_STEPS: f64 = 8.0;
/// Times at which it is checked whether the space holds a solution that is known at any time.
const TIMES: usize = 24;

/// What becomes of a space that is asked for more functions.
pub(super) enum Finer<F> {
    /// There are no more.
    Same,
    /// There would be too many.
    TooLarge,
    /// A finer one.
    Space(F),
}

/// Functions of space that can be changed while a solution is followed.
pub(super) trait Adaptive: Sized + Clone {
    /// The space as it is at one time.
    type Space;
    /// The equation in it.
    type System: Ode;
    /// All states in orthonormal functions, with what carries the data.
    type Expansion;
    /// A solution that is known at any time.
    type Exact;
    /// What a run leaves.
    type History;

    /// Refinements in a row before a step is accepted as it is.
    const ROUNDS: usize;
    /// The maximum number of steps.
    const STEPS: usize;

    fn form(&self) -> &Form;

    fn space(&self) -> &Arc<Self::Space>;

    fn system(&self) -> Self::System;

    /// The kind of steps to take from here, and how long they may be.
    fn method(&self, system: &Self::System, t: f64, y: &[f64]) -> (Method, f64);

    /// The states, or `None` if the data cannot be evaluated.
    fn expansion(system: &Self::System, t: f64, y: &[f64]) -> Option<Self::Expansion>;

    /// The L2 norm of each state.
    fn norms(&self, expansion: &Self::Expansion) -> Vec<f64>;

    /// Where the last coefficients of some state are larger than allowed and more functions may help.
    fn unresolved(&self, expansion: &Self::Expansion, allowed: &[f64]) -> Vec<bool>;

    /// More functions at the marked places.
    fn finer(&self, marked: &[bool]) -> Result<Finer<Self>, NewtonError>;

    /// Fewer functions where hardly anything is lost, asked for after every so many steps in one space; `None` if the space is
    /// to stay.
    fn coarser(
        &self,
        expansion: &Self::Expansion,
        allowed: &[f64],
        steps: usize,
    ) -> Result<Option<Self>, NewtonError> {
        let _ = (expansion, allowed, steps);
        Ok(None)
    }

    /// Coefficients here of what is known in another space.
    fn taken_over(&self, other: &Self, expansion: &Self::Expansion) -> Vec<f64>;

    /// Notes the size of the space.
    fn note(&self, run: &mut Run<Self::History>);

    /// The exponential of a linear problem that does not change in time; `None` if the problem is not one, or if the
    /// eigenvectors are too ill-conditioned.
    fn exact(system: &Self::System, y: &[f64]) -> Option<Self::Exact>;

    fn exact_expansion(exact: &Self::Exact, t: f64) -> Self::Expansion;

    /// What such a solution leaves.
    fn known(&self, exact: Self::Exact) -> Self::History;

    /// Keeps one step.
    fn keep(history: &mut Self::History, span: Span<Self::Space, Self::Expansion>);

    /// How many numbers an expansion has.
    fn numbers(expansion: &Self::Expansion) -> usize;
}

/// A run under way.
pub(super) struct March<'a, F: Adaptive> {
    pub(super) aim: &'a Aim,
    pub(super) functions: F,
    pub(super) y: Vec<f64>,
    pub(super) run: Run<F::History>,
}

impl<'a, F: Adaptive> March<'a, F> {
    pub(super) fn new(aim: &'a Aim, functions: F, history: F::History) -> Self {
        let states = functions.form().states.len();
        Self {
            aim,
            functions,
            y: Vec::new(),
            run: Run::new(history, states),
        }
    }

    pub(super) fn observe(&mut self, expansion: &F::Expansion) {
        let norms = self.functions.norms(expansion);
        for (scale, norm) in self.run.scales.iter_mut().zip(norms) {
            *scale = scale.max(norm);
        }
    }

    /// The tail that each state may have: a share of its norm, and the rounding of what it is computed from. A position is
    /// made of velocities times a time.
    pub(super) fn allowed(&self) -> Vec<f64> {
        let form = self.functions.form();
        let time = form.times.1 - form.times.0;
        let states = || form.states.iter().zip(&self.run.scales);
        states()
            .map(|((_, order), scale)| {
                let sizes = states()
                    .map(|((_, other), scale)| scale * time.powi(*other as i32 - *order as i32));
                self.aim.tail * scale + ROUNDING * sizes.fold(0.0, f64::max)
            })
            .collect()
    }

    pub(super) fn unresolved(&self, expansion: &F::Expansion) -> Vec<bool> {
        self.functions.unresolved(expansion, &self.allowed())
    }

    /// Takes a finer space for the initial values; returns whether there is one. One that is too large is noted.
    pub(super) fn look_closer(&mut self, marked: &[bool]) -> Result<bool, NewtonError> {
        match self.functions.finer(marked)? {
            Finer::Same => Ok(false),
            Finer::TooLarge => {
                self.run.unresolved = Some(self.functions.form().times.0);
                Ok(false)
            }
            Finer::Space(finer) => {
                self.functions = finer;
                Ok(true)
            }
        }
    }

    pub(super) fn note_space(&mut self) {
        self.functions.note(&mut self.run);
    }

    /// The same states with more functions at the marked places; returns whether there can be more.
    fn refine(
        &mut self,
        system: &F::System,
        marked: &[bool],
        t: f64,
        y: &[f64],
    ) -> Result<bool, NewtonError> {
        let Finer::Space(finer) = self.functions.finer(marked)? else {
            return Ok(false);
        };
        let Some(expansion) = F::expansion(system, t, y) else {
            return Ok(false);
        };
        self.move_to(finer, &expansion);
        Ok(true)
    }

    /// The same states in another space.
    fn move_to(&mut self, functions: F, expansion: &F::Expansion) {
        self.y = functions.taken_over(&self.functions, expansion);
        self.functions = functions;
        self.run.meshes += 1;
        self.note_space();
    }

    /// Evolves a linear problem that does not change in time by the exponential of its matrix; returns whether it is one.
    pub(super) fn at_once(&mut self) -> Result<bool, NewtonError> {
        let (start, end) = self.functions.form().times;
        let before = (self.functions.clone(), self.y.clone());
        'finer: for _ in 0..F::ROUNDS {
            let system = self.functions.system();
            let Some(exact) = F::exact(&system, &self.y) else {
                break;
            };
            for k in 1..=TIMES {
                // Early times too: the space must hold the solution at all of them.
                let share = (k as f64 / TIMES as f64).powi(2);
                let time = start + share * (end - start);
                let expansion = F::exact_expansion(&exact, time);
                self.observe(&expansion);
                let marked = self.unresolved(&expansion);
                if marked.contains(&true) {
                    if self.refine(&system, &marked, start, &self.y.clone())? {
                        continue 'finer;
                    }
                    self.run.unresolved.get_or_insert(time);
                }
            }
            self.run.history = self.functions.known(exact);
            self.run.in_time = InTime::Exponential;
            return Ok(true);
        }
        (self.functions, self.y) = before;
        Ok(false)
    }

    /// Follows the solution step by step.
    pub(super) fn step_by_step(&mut self) -> Result<(), NewtonError> {
        let (start, end) = self.functions.form().times;
        let (mut now, mut step) = (start, None);
        let mut rounds = 0;
        self.run.finish = 'restart: loop {
            let system = self.functions.system();
            let (method, longest) = self.functions.method(&system, now, &self.y);
            self.run.in_time = match method {
                Method::Explicit => InTime::Explicit,
                Method::Implicit => InTime::Implicit,
            };
            let mut options = OdeOptions::new(self.aim.time).method(method);
            options.first_step = step;
            options.largest_step = longest.min((end - start) / LEAST_STEPS);
            let mut stepper = Stepper::new(&system, now, &self.y, end, &options)?;
            let mut steps = 0;
            while stepper.time() < end {
                let time = stepper.time();
                if let Err(limit) = self.aim.control.enter(Stage::Evolution { time }) {
                    break 'restart Finish::Stopped(limit);
                }
                if self.run.steps >= F::STEPS {
                    break 'restart Finish::Steps;
                }
                let segment = match stepper.step(&system) {
                    Ok(segment) => segment,
                    Err(failure) => break 'restart Finish::Stalled(failure),
                };
                let Some(last) = F::expansion(&system, segment.end(), segment.last()) else {
                    break 'restart Finish::Stalled(StepFailure {
                        time: now,
                        step: segment.end() - now,
                        not_finite: true,
                    });
                };
                self.observe(&last);
                let marked = self.unresolved(&last);
                if marked.contains(&true) && rounds < F::ROUNDS {
                    if self.refine(&system, &marked, segment.start(), segment.first())? {
                        rounds += 1;
                        (now, step) = (segment.start(), Some(segment.end() - segment.start()));
                        continue 'restart;
                    }
                    self.run.unresolved.get_or_insert(segment.end());
                }
                rounds = 0;
                if let Err(limit) = self.record(&system, &segment) {
                    break 'restart Finish::Stopped(limit);
                }
                self.y = segment.last().to_vec();
                now = segment.end();
                steps += 1;
                if now < end
                    && let Some(coarser) = self.functions.coarser(&last, &self.allowed(), steps)?
                {
                    self.move_to(coarser, &last);
                    step = Some(stepper.proposed_step());
                    continue 'restart;
                }
            }
            break Finish::Complete;
        };
        Ok(())
    }

    fn record(&mut self, system: &F::System, segment: &Segment) -> Result<(), Limit> {
        let times = span::times(segment.start(), segment.end());
        let expansions: Vec<F::Expansion> = times
            .iter()
            .filter_map(|t| F::expansion(system, *t, &segment.at(*t)))
            .collect();
        let numbers = expansions.iter().map(F::numbers).sum();
        self.run.keep(&self.aim.control, numbers)?;
        if expansions.len() == times.len() {
            let span = Span {
                start: segment.start(),
                end: segment.end(),
                space: Arc::clone(self.functions.space()),
                expansions,
            };
            F::keep(&mut self.run.history, span);
        }
        self.run.steps += 1;
        Ok(())
    }
}

/// Whether the rate of a linear equation does not change over these times, as far as can be seen.
pub(super) fn is_autonomous(ode: &dyn Ode, y: &[f64], (start, end): (f64, f64)) -> bool {
    let rate = |t: f64, y: &[f64]| {
        let mut rate = vec![0.0; y.len()];
        ode.rate(t, y, &mut rate);
        rate
    };
    let zero = vec![0.0; y.len()];
    let (first, rest) = (rate(start, y), rate(start, &zero));
    LOOKS.iter().all(|share| {
        let t = start + share * (end - start);
        rate(t, y) == first && rate(t, &zero) == rest
    })
}
