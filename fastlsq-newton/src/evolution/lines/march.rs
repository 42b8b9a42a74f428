//! One run from the first time to the last, with a mesh that follows the solution.

use std::sync::Arc;

use fastlsq_solve::space::line::{Element, LineSpace};
use fastlsq_solve::{Limit, Stage};

use super::compatibility;
use super::exact::{self, Exact};
use super::form::LineProblem;
use super::history::{History, Span};
use super::mesh::Mesh;
use super::system::System;
use crate::NewtonError;
use crate::evolution::ode::{Method, OdeOptions, Segment, StepFailure, Stepper};
use crate::evolution::runs::{Aim, Finish, InTime, Run};
use crate::evolution::span;

/// The maximum number of coefficients.
const LIMIT: usize = 6000;
/// Pieces at the first look at the initial values: 2 to this power.
const FIRST_LEVEL: u32 = 3;
/// Steps between attempts to join pieces.
const PATIENCE: usize = 6;
/// Joining must leave this share of what is allowed.
const JOIN: f64 = 0.05;
/// Refinements in a row before a step is accepted as it is.
const ROUNDS: usize = 12;
/// Relative rounding of coefficients.
const ROUNDING: f64 = 1e-15;
/// No fewer steps: data may change between them.
const LEAST_STEPS: f64 = 8.0;
/// The maximum number of steps.
const STEPS: usize = 200_000;

/// Runs from the first time to the last.
pub(crate) fn run(problem: &LineProblem, aim: &Aim) -> Result<Run<History>, NewtonError> {
    let degree = 12 + 2 * problem.order - if aim.odd { 2 } else { 0 };
    let element = Arc::new(Element::new(degree, problem.order)?);
    let mut march = March::begin(problem, aim, element)?;
    if march.at_once()? {
        return Ok(march.run);
    }
    let (start, end) = problem.times;
    let (mut now, mut step) = (start, None);
    let finish = 'restart: loop {
        let system = System::new(problem, &march.space);
        let mut options = OdeOptions::new(aim.time).method(Method::Implicit);
        options.first_step = step;
        options.largest_step = (end - start) / LEAST_STEPS;
        let mut stepper = Stepper::new(&system, now, &march.y, end, &options)?;
        let mut since = 0;
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
            let Some(last) = system.expansion(segment.end(), segment.last()) else {
                break 'restart Finish::Stalled(StepFailure {
                    time: now,
                    step: segment.end() - now,
                    not_finite: true,
                });
            };
            march.observe(&last);
            let marked = march.unresolved(&last);
            if marked.contains(&true) && march.rounds < ROUNDS {
                if march.refine(&system, &marked, segment.start(), segment.first())? {
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
            since += 1;
            if since >= PATIENCE && now < end {
                since = 0;
                if march.join(&system, &last)? {
                    step = Some(stepper.proposed_step());
                    continue 'restart;
                }
            }
        }
        break Finish::Complete;
    };
    march.run.finish = finish;
    Ok(march.run)
}

struct March<'a> {
    problem: &'a LineProblem,
    aim: &'a Aim,
    element: Arc<Element>,
    mesh: Mesh,
    space: Arc<LineSpace>,
    y: Vec<f64>,
    rounds: usize,
    run: Run<History>,
}

impl<'a> March<'a> {
    /// A mesh that resolves the initial values, and these on it.
    fn begin(
        problem: &'a LineProblem,
        aim: &'a Aim,
        element: Arc<Element>,
    ) -> Result<Self, NewtonError> {
        let mesh = Mesh::uniform(problem.interval, FIRST_LEVEL);
        let space = space_on(problem, &element, &mesh)?;
        let mut march = Self {
            problem,
            aim,
            element,
            mesh,
            y: Vec::new(),
            rounds: 0,
            run: Run::new(History::Spans(Vec::new()), problem.states.len()),
            space: Arc::new(space),
        };
        let mut values = march.initial()?;
        loop {
            let expansion = march.space.unjoined(&values);
            march.observe(&expansion);
            let marked = march.unresolved(&expansion);
            let next = march.mesh.halved(&marked);
            if next == march.mesh {
                break;
            }
            let space = space_on(problem, &march.element, &next)?;
            if space.dim() > LIMIT {
                march.run.unresolved = Some(problem.times.0);
                break;
            }
            (march.mesh, march.space) = (next, Arc::new(space));
            values = march.initial()?;
        }
        march.run.remarks =
            compatibility::remarks(problem, &march.space, &values, &march.run.scales)?;
        // Where initial values are not as smooth as the space, or contradict the conditions, smaller pieces help.
        let data = problem.data(problem.times.0)?;
        for _ in 0..2 * ROUNDS {
            let expansion = march.space.expansion(&march.space.project(&values), &data);
            let free = march.space.unjoined(&values);
            let distances = march.space.distances(&expansion, &free);
            let marked = march.large(&distances);
            let next = march.mesh.halved(&marked);
            if next == march.mesh {
                break;
            }
            let space = space_on(problem, &march.element, &next)?;
            if space.dim() > LIMIT {
                march.run.unresolved = Some(problem.times.0);
                break;
            }
            (march.mesh, march.space) = (next, Arc::new(space));
            values = march.initial()?;
        }
        // Pieces that were halved further than needed are joined again.
        march.y = march.space.project(&values);
        loop {
            let expansion = march.space.expansion(&march.y, &data);
            let Some(mesh) = march.coarser(&expansion, 1) else {
                break;
            };
            march.space = Arc::new(space_on(problem, &march.element, &mesh)?);
            march.mesh = mesh;
            values = march.initial()?;
            march.y = march.space.project(&values);
        }
        march.note_space();
        Ok(march)
    }

    /// Evolves a linear problem that does not change in time by the exponential of its matrix; returns whether it is one.
    fn at_once(&mut self) -> Result<bool, NewtonError> {
        let (start, end) = self.problem.times;
        let before = (self.mesh.clone(), Arc::clone(&self.space), self.y.clone());
        'finer: for _ in 0..ROUNDS {
            let system = System::new(self.problem, &self.space);
            let exact =
                exact::is_autonomous(&system, &self.y).then(|| Exact::new(&system, &self.y));
            let Some(exact) = exact.flatten() else { break };
            for k in 1..=exact::TIMES {
                // Early times too: the space must hold the solution at all of them.
                let share = (k as f64 / exact::TIMES as f64).powi(2);
                let expansion = exact.expansion(start + share * (end - start), 0);
                self.observe(&expansion);
                let marked = self.unresolved(&expansion);
                if marked.contains(&true)
                    && self.refine(&system, &marked, start, &self.y.clone())?
                {
                    continue 'finer;
                }
            }
            self.run.history = History::Exact(Box::new(exact), end);
            self.run.in_time = InTime::Exponential;
            return Ok(true);
        }
        (self.mesh, self.space, self.y) = before;
        Ok(false)
    }

    /// The states at the first time, at the nodes.
    fn initial(&self) -> Result<Vec<Vec<f64>>, NewtonError> {
        self.problem.initial(self.space.nodes())
    }

    fn observe(&mut self, expansion: &[f64]) {
        for (scale, norm) in self.run.scales.iter_mut().zip(self.space.norms(expansion)) {
            *scale = scale.max(norm);
        }
    }

    fn note_space(&mut self) {
        let pieces = self.mesh.len();
        self.run.degree = self.element.degree();
        self.run.dim = self.run.dim.max(self.space.dim());
        self.run.pieces = (self.run.pieces.0.min(pieces), self.run.pieces.1.max(pieces));
    }

    /// The pieces whose last coefficients are too large.
    fn unresolved(&self, expansion: &[f64]) -> Vec<bool> {
        self.large(&self.space.tails(expansion))
    }

    /// The tail that each state may have: a share of its norm, and the rounding of what it is computed from. A position is
    /// made of velocities times a time.
    fn allowed(&self) -> Vec<f64> {
        let time = self.problem.times.1 - self.problem.times.0;
        let states = || self.problem.states.iter().zip(&self.run.scales);
        states()
            .map(|((_, order), scale)| {
                let sizes = states()
                    .map(|((_, other), scale)| scale * time.powi(*other as i32 - *order as i32));
                self.aim.tail * scale + ROUNDING * sizes.fold(0.0, f64::max)
            })
            .collect()
    }

    /// The pieces that can be halved and where one of these numbers, one for each state, is larger than allowed.
    fn large(&self, sizes: &[Vec<f64>]) -> Vec<bool> {
        let allowed = self.allowed();
        let large = |own: &Vec<f64>| {
            let mut pairs = own.iter().zip(&allowed);
            pairs.any(|(size, allowed)| size > allowed)
        };
        let sizes = sizes.iter().enumerate();
        sizes
            .map(|(k, own)| large(own) && self.mesh.divisible(k))
            .collect()
    }

    /// The mesh with pieces joined where hardly anything is lost; `None` if fewer than `least` can be.
    fn coarser(&self, expansion: &[f64], least: usize) -> Option<Mesh> {
        let allowed = self.allowed();
        let mut marked = vec![false; self.mesh.len()];
        let mut count = 0;
        for (k, marked) in marked.iter_mut().enumerate() {
            // On a circle one piece would meet itself.
            if !self.mesh.are_halves(k) || self.mesh.len() - count <= 2 {
                continue;
            }
            let joined = self.space.joined(expansion, k);
            let mut pairs = joined.iter().zip(&allowed);
            let small = pairs.all(|((loss, tail), allowed)| loss.max(*tail) <= JOIN * allowed);
            if small {
                *marked = true;
                count += 1;
            }
        }
        (count >= least).then(|| self.mesh.joined(&marked))
    }

    /// Halves the marked pieces; returns whether anything changed.
    fn refine(
        &mut self,
        system: &System<'_>,
        marked: &[bool],
        t: f64,
        y: &[f64],
    ) -> Result<bool, NewtonError> {
        let mesh = self.mesh.halved(marked);
        if mesh == self.mesh {
            return Ok(false);
        }
        let space = space_on(self.problem, &self.element, &mesh)?;
        if space.dim() > LIMIT {
            return Ok(false);
        }
        let Some(expansion) = system.expansion(t, y) else {
            return Ok(false);
        };
        self.move_to(mesh, space, &expansion);
        Ok(true)
    }

    /// Joins pieces where hardly anything is lost; returns whether there were enough of them.
    fn join(&mut self, system: &System<'_>, expansion: &[f64]) -> Result<bool, NewtonError> {
        let Some(mesh) = self.coarser(expansion, self.mesh.len().div_ceil(8)) else {
            return Ok(false);
        };
        let space = space_on(system.problem, &self.element, &mesh)?;
        self.move_to(mesh, space, expansion);
        Ok(true)
    }

    /// The same functions on another mesh.
    fn move_to(&mut self, mesh: Mesh, space: LineSpace, expansion: &[f64]) {
        let old = Arc::clone(&self.space);
        let values: Vec<Vec<f64>> = (0..space.functions())
            .map(|state| {
                space
                    .nodes()
                    .iter()
                    .map(|x| old.value(expansion, state, 0, *x))
                    .collect()
            })
            .collect();
        self.y = space.project(&values);
        (self.mesh, self.space) = (mesh, Arc::new(space));
        self.run.meshes += 1;
        self.note_space();
    }

    fn record(&mut self, system: &System<'_>, segment: &Segment) -> Result<(), Limit> {
        let times = span::times(segment.start(), segment.end());
        let expansions: Vec<Vec<f64>> = times
            .iter()
            .filter_map(|t| system.expansion(*t, &segment.at(*t)))
            .collect();
        self.run
            .keep(&self.aim.control, expansions.iter().map(Vec::len).sum())?;
        if expansions.len() == times.len() {
            let span = Span {
                start: segment.start(),
                end: segment.end(),
                space: Arc::clone(&self.space),
                expansions,
            };
            if let History::Spans(spans) = &mut self.run.history {
                spans.push(span);
            }
        }
        self.run.steps += 1;
        Ok(())
    }
}

fn space_on(
    problem: &LineProblem,
    element: &Arc<Element>,
    mesh: &Mesh,
) -> Result<LineSpace, NewtonError> {
    Ok(LineSpace::new(
        Arc::clone(element),
        &mesh.breaks(),
        problem.states.len(),
        problem.periodic,
        &problem.conditions,
    )?)
}
