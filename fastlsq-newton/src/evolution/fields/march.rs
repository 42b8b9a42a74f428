//! One run from the first time to the last, with a degree that follows the solution.

use std::sync::Arc;

use fastlsq_solve::space::SpaceError;
use fastlsq_solve::{Limit, Stage};

use super::exact::{self, Exact};
use super::history::{History, Span};
use super::problem::FieldProblem;
use super::space::{FieldSpace, Resolution, norm, walls_of};
use super::stiffness::choose;
use super::system::System;
use crate::NewtonError;
use crate::evolution::ode::{Method, OdeOptions, Segment, StepFailure, Stepper};
use crate::evolution::runs::{Aim, Finish, InTime, Run};
use crate::evolution::span;

/// Refinements in a row before a step is accepted as it is.
const ROUNDS: usize = 8;
/// Relative rounding of coefficients.
const ROUNDING: f64 = 1e-15;
/// No fewer steps than this: data may change between them.
const LEAST_STEPS: f64 = 8.0;
/// The maximum number of steps.
const STEPS: usize = 100_000;
/// A mismatch of initial values and conditions that is larger than this share of the largest value is worth a remark.
const NOTABLE: f64 = 1e-6;
/// Functions along an axis, or degrees, by which runs of the two kinds differ.
const OTHER: usize = 2;

/// Runs from the first time to the last.
pub(crate) fn run(problem: &FieldProblem, aim: &Aim) -> Result<Run<History>, NewtonError> {
    let mut march = March::begin(problem, aim)?;
    if march.at_once()? {
        return Ok(march.run);
    }
    let (start, end) = problem.form.times;
    let (mut now, mut step) = (start, None);
    let finish = 'restart: loop {
        let system = System::new(problem, Arc::clone(&march.space));
        let (method, longest) = choose(&system, now, &march.y);
        march.run.in_time = match method {
            Method::Explicit => InTime::Explicit,
            Method::Implicit => InTime::Implicit,
        };
        let mut options = OdeOptions::new(aim.time).method(method);
        options.first_step = step;
        options.largest_step = longest.min((end - start) / LEAST_STEPS);
        let mut stepper = Stepper::new(&system, now, &march.y, end, &options)?;
        while stepper.time() < end {
            let time = stepper.time();
            if let Err(limit) = aim.control.enter(Stage::Evolution { time }) {
                break 'restart Finish::Stopped(limit);
            }
            if march.run.steps >= STEPS {
                break 'restart Finish::Steps;
            }
            let segment = match stepper.step(&system) {
                Ok(segment) => segment,
                Err(failure) => break 'restart Finish::Stalled(failure),
            };
            let Some(last) = system.expansions(segment.end(), segment.last()) else {
                break 'restart Finish::Stalled(StepFailure {
                    time: now,
                    step: segment.end() - now,
                    not_finite: true,
                });
            };
            march.observe(&last);
            let marked = march.unresolved(&last);
            if marked.contains(&true) && march.rounds < ROUNDS {
                let first = system.expansions(segment.start(), segment.first());
                if let Some(first) = first
                    && march.refine(&marked, &first)?
                {
                    march.rounds += 1;
                    (now, step) = (segment.start(), Some(segment.end() - segment.start()));
                    continue 'restart;
                }
                march.run.unresolved.get_or_insert(segment.end());
            }
            march.rounds = 0;
            if let Err(limit) = march.record(&system, &segment) {
                break 'restart Finish::Stopped(limit);
            }
            march.y = segment.last().to_vec();
            now = segment.end();
        }
        break Finish::Complete;
    };
    march.run.finish = finish;
    Ok(march.run)
}

struct March<'a> {
    problem: &'a FieldProblem,
    aim: &'a Aim,
    resolution: Resolution,
    space: Arc<FieldSpace>,
    y: Vec<f64>,
    rounds: usize,
    run: Run<History>,
}

/// Whether a space would be too large, which is not an error but a limit.
fn is_limit(error: &NewtonError) -> bool {
    matches!(
        error,
        NewtonError::Space(SpaceError::TooLarge { .. } | SpaceError::Option { .. })
    )
}

impl<'a> March<'a> {
    /// A space that resolves the initial values, and the initial values in it.
    fn begin(problem: &'a FieldProblem, aim: &'a Aim) -> Result<Self, NewtonError> {
        let resolution = Resolution::first(problem, if aim.odd { 0 } else { OTHER });
        let space = FieldSpace::new(problem, &resolution)?;
        let mut march = Self {
            problem,
            aim,
            resolution,
            space: Arc::new(space),
            y: Vec::new(),
            rounds: 0,
            run: Run::new(History::new(problem.form.dim), problem.form.states.len()),
        };
        march.run.pieces = (1, 1);
        let values = loop {
            if let Err(limit) = aim.control.enter(Stage::Preparing) {
                march.run.finish = Finish::Stopped(limit);
                return Err(NewtonError::from(limit));
            }
            let values = problem.form.initial(march.space.nodes())?;
            let modal: Vec<Vec<f64>> = values.iter().map(|own| march.space.modal(own)).collect();
            march.observe(&modal);
            let marked = march.unresolved(&modal);
            let finer = march.resolution.finer(&marked);
            if finer == march.resolution {
                break values;
            }
            match FieldSpace::new(problem, &finer) {
                Ok(space) => (march.resolution, march.space) = (finer, Arc::new(space)),
                Err(error) if is_limit(&error) => {
                    march.run.unresolved = Some(problem.form.times.0);
                    break values;
                }
                Err(error) => return Err(error),
            }
        };
        march.y = march.projected(&values);
        march.remark(&values)?;
        march.note_space();
        Ok(march)
    }

    fn projected(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let states = values.iter().enumerate();
        states
            .flat_map(|(state, own)| self.space.project(state, own))
            .collect()
    }

    /// Notes conditions that the initial values contradict.
    fn remark(&mut self, values: &[Vec<f64>]) -> Result<(), NewtonError> {
        let system = System::new(self.problem, Arc::clone(&self.space));
        let start = self.problem.form.times.0;
        let Some(found) = system.expansions(start, &self.y) else {
            return Ok(());
        };
        for (state, (modal, values)) in found.iter().zip(values).enumerate() {
            let nodal = self.space.nodal(modal);
            let largest = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            let distances = nodal.iter().zip(values).map(|(a, b)| (a - b).abs());
            let worst = distances
                .enumerate()
                .max_by(|(_, a), (_, b)| a.total_cmp(b));
            let (walls, velocity) = walls_of(self.problem, state);
            if let Some((place, distance)) = worst
                && distance > NOTABLE.max(100.0 * self.aim.tail) * largest
                && !walls.is_empty()
            {
                let labels: Vec<&str> = walls
                    .iter()
                    .map(|wall| &self.problem.walls[*wall].label[..])
                    .collect();
                let what = if velocity { "velocity" } else { "value" };
                let at: Vec<String> = self
                    .space
                    .nodes()
                    .row(place)
                    .iter()
                    .map(|x| format!("{x:.3}"))
                    .collect();
                self.run.remarks.push(format!(
                    "the initial {what} contradicts the conditions ({}): the nearest {what} that satisfies them differs from it by up to {distance:.3e}, near ({})",
                    labels.join("; "),
                    at.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// Evolves a linear problem that does not change in time by the exponential of its matrix; returns whether it is one.
    fn at_once(&mut self) -> Result<bool, NewtonError> {
        let (start, end) = self.problem.form.times;
        let before = (
            self.resolution.clone(),
            Arc::clone(&self.space),
            self.y.clone(),
        );
        'finer: for _ in 0..ROUNDS {
            let system = System::new(self.problem, Arc::clone(&self.space));
            let exact = system
                .is_autonomous(&self.y)
                .then(|| Exact::new(&system, &self.y));
            let Some(exact) = exact.flatten() else { break };
            for k in 1..=exact::TIMES {
                // Early times too: the space must hold the solution at all of them.
                let share = (k as f64 / exact::TIMES as f64).powi(2);
                let modal = exact.expansions(start + share * (end - start), 0);
                self.observe(&modal);
                let marked = self.unresolved(&modal);
                if marked.contains(&true) {
                    let Some(first) = system.expansions(start, &self.y.clone()) else {
                        break 'finer;
                    };
                    if self.refine(&marked, &first)? {
                        continue 'finer;
                    }
                    self.run
                        .unresolved
                        .get_or_insert(start + share * (end - start));
                }
            }
            self.run.history = History::Exact(Arc::new(exact), end, self.problem.form.dim);
            self.run.in_time = InTime::Exponential;
            return Ok(true);
        }
        (self.resolution, self.space, self.y) = before;
        self.run.unresolved = None;
        Ok(false)
    }

    fn observe(&mut self, modal: &[Vec<f64>]) {
        for (scale, own) in self.run.scales.iter_mut().zip(modal) {
            *scale = scale.max(norm(own));
        }
    }

    fn note_space(&mut self) {
        self.run.degree = self.run.degree.max(self.resolution.degree());
        self.run.dim = self.run.dim.max(self.space.dim());
    }

    /// The axes along which the last coefficients of some state are too large.
    fn unresolved(&self, modal: &[Vec<f64>]) -> Vec<bool> {
        let form = &self.problem.form;
        let time = form.times.1 - form.times.0;
        let states = || form.states.iter().zip(&self.run.scales);
        let mut marked = Vec::new();
        for ((_, order), (scale, own)) in form.states.iter().zip(self.run.scales.iter().zip(modal))
        {
            // Positions are made of velocities times a time, and share their rounding.
            let sizes = states()
                .map(|((_, other), scale)| scale * time.powi(*other as i32 - *order as i32));
            let allowed = self.aim.tail * scale + ROUNDING * sizes.fold(0.0, f64::max);
            let tails = self.space.tails(own);
            marked.resize(tails.len(), false);
            for (marked, tail) in marked.iter_mut().zip(tails) {
                *marked |= tail > allowed;
            }
        }
        marked
    }

    /// The same functions with more of them; returns whether there can be more.
    fn refine(&mut self, marked: &[bool], modal: &[Vec<f64>]) -> Result<bool, NewtonError> {
        let finer = self.resolution.finer(marked);
        if finer == self.resolution {
            return Ok(false);
        }
        let space = match FieldSpace::new(self.problem, &finer) {
            Ok(space) => space,
            Err(error) if is_limit(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        let values: Vec<Vec<f64>> = modal
            .iter()
            .map(|own| self.space.at_nodes_of(&space, own))
            .collect();
        (self.resolution, self.space) = (finer, Arc::new(space));
        self.y = self.projected(&values);
        self.run.meshes += 1;
        self.note_space();
        Ok(true)
    }

    fn record(&mut self, system: &System<'_>, segment: &Segment) -> Result<(), Limit> {
        let times = span::times(segment.start(), segment.end());
        let expansions: Vec<Vec<Vec<f64>>> = times
            .iter()
            .filter_map(|t| system.expansions(*t, &segment.at(*t)))
            .collect();
        self.run.keep(
            &self.aim.control,
            expansions.iter().flatten().map(Vec::len).sum(),
        )?;
        if expansions.len() == times.len()
            && let History::Spans(spans, _) = &mut self.run.history
        {
            spans.push(Span {
                start: segment.start(),
                end: segment.end(),
                space: Arc::clone(&self.space),
                expansions,
            });
        }
        self.run.steps += 1;
        Ok(())
    }
}
