//! Functions over a whole domain whose degree follows the solution.

use std::sync::Arc;

use fastlsq_solve::Stage;
use fastlsq_solve::space::SpaceError;

use super::exact::Exact;
use super::history::History;
use super::problem::FieldProblem;
use super::space::{FieldSpace, Resolution, norm, walls_of};
use super::stiffness::choose;
use super::system::System;
use crate::NewtonError;
use crate::evolution::form::Form;
use crate::evolution::march::{Adaptive, Finer, March};
use crate::evolution::ode::Method;
use crate::evolution::runs::{Aim, Finish, Run};
use crate::evolution::span::Span;

/// A mismatch of initial values and conditions that is larger than this share of the largest value is worth a remark.
const NOTABLE: f64 = 1e-6;
/// Functions along an axis, or degrees, by which runs of the two kinds differ.
const OTHER: usize = 2;

/// Runs from the first time to the last.
pub(crate) fn run(problem: &FieldProblem, aim: &Aim) -> Result<Run<History>, NewtonError> {
    let resolution = Resolution::first(problem, if aim.odd { 0 } else { OTHER });
    let fields = Fields::new(problem, resolution)?;
    let mut march = March::new(aim, fields, History::new(problem.form.dim));
    march.begin()?;
    if !march.at_once()? {
        // What is not resolved shows again in the first steps.
        march.run.unresolved = None;
        march.step_by_step()?;
    }
    Ok(march.run)
}

/// Functions of one resolution.
#[derive(Clone)]
struct Fields<'a> {
    problem: &'a FieldProblem,
    resolution: Resolution,
    space: Arc<FieldSpace>,
}

/// Whether a space would be too large, which is not an error but a limit.
fn is_limit(error: &NewtonError) -> bool {
    matches!(
        error,
        NewtonError::Space(SpaceError::TooLarge { .. } | SpaceError::Option { .. })
    )
}

impl<'a> Fields<'a> {
    fn new(problem: &'a FieldProblem, resolution: Resolution) -> Result<Self, NewtonError> {
        let space = Arc::new(FieldSpace::new(problem, &resolution)?);
        Ok(Self {
            problem,
            resolution,
            space,
        })
    }

    fn projected(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let states = values.iter().enumerate();
        states
            .flat_map(|(state, own)| self.space.project(state, own))
            .collect()
    }
}

impl<'a> Adaptive for Fields<'a> {
    type Space = FieldSpace;
    type System = System<'a>;
    type Expansion = Vec<Vec<f64>>;
    type Exact = Exact;
    type History = History;

    const ROUNDS: usize = 8;
    const STEPS: usize = 100_000;

    fn form(&self) -> &Form {
        &self.problem.form
    }

    fn space(&self) -> &Arc<FieldSpace> {
        &self.space
    }

    fn system(&self) -> System<'a> {
        System::new(self.problem, Arc::clone(&self.space))
    }

    fn method(&self, system: &System<'a>, t: f64, y: &[f64]) -> (Method, f64) {
        choose(system, t, y)
    }

    fn expansion(system: &System<'a>, t: f64, y: &[f64]) -> Option<Vec<Vec<f64>>> {
        system.expansions(t, y)
    }

    fn norms(&self, modal: &Vec<Vec<f64>>) -> Vec<f64> {
        modal.iter().map(|own| norm(own)).collect()
    }

    /// One mark for each axis, or one for all.
    fn unresolved(&self, modal: &Vec<Vec<f64>>, allowed: &[f64]) -> Vec<bool> {
        let mut marked = Vec::new();
        for (own, allowed) in modal.iter().zip(allowed) {
            let tails = self.space.tails(own);
            marked.resize(tails.len(), false);
            for (marked, tail) in marked.iter_mut().zip(tails) {
                *marked |= tail > *allowed;
            }
        }
        marked
    }

    fn finer(&self, marked: &[bool]) -> Result<Finer<Self>, NewtonError> {
        let finer = self.resolution.finer(marked);
        if finer == self.resolution {
            return Ok(Finer::Same);
        }
        match Self::new(self.problem, finer) {
            Ok(finer) => Ok(Finer::Space(finer)),
            Err(error) if is_limit(&error) => Ok(Finer::TooLarge),
            Err(error) => Err(error),
        }
    }

    fn taken_over(&self, other: &Self, modal: &Vec<Vec<f64>>) -> Vec<f64> {
        let values: Vec<Vec<f64>> = modal
            .iter()
            .map(|own| other.space.at_nodes_of(&self.space, own))
            .collect();
        self.projected(&values)
    }

    fn note(&self, run: &mut Run<History>) {
        run.degree = run.degree.max(self.resolution.degree());
        run.dim = run.dim.max(self.space.dim());
    }

    fn exact(system: &System<'a>, y: &[f64]) -> Option<Exact> {
        system.is_autonomous(y).then(|| Exact::new(system, y))?
    }

    fn exact_expansion(exact: &Exact, t: f64) -> Vec<Vec<f64>> {
        exact.expansions(t, 0)
    }

    fn known(&self, exact: Exact) -> History {
        let form = &self.problem.form;
        History::Exact(Arc::new(exact), form.times.1, form.dim)
    }

    fn keep(history: &mut History, span: Span<FieldSpace, Vec<Vec<f64>>>) {
        if let History::Spans(spans, _) = history {
            spans.push(span);
        }
    }

    fn numbers(modal: &Vec<Vec<f64>>) -> usize {
        modal.iter().map(Vec::len).sum()
    }
}

impl March<'_, Fields<'_>> {
    /// Raises the degree until it resolves the initial values, and takes these over.
    fn begin(&mut self) -> Result<(), NewtonError> {
        let problem = self.functions.problem;
        self.run.pieces = (1, 1);
        let values = loop {
            if let Err(limit) = self.aim.control.enter(Stage::Preparing) {
                self.run.finish = Finish::Stopped(limit);
                return Err(NewtonError::from(limit));
            }
            let space = &self.functions.space;
            let values = problem.form.initial(space.nodes())?;
            let modal = values.iter().map(|own| space.modal(own)).collect();
            self.observe(&modal);
            let marked = self.unresolved(&modal);
            if !self.look_closer(&marked)? {
                break values;
            }
        };
        self.y = self.functions.projected(&values);
        self.remark(&values);
        self.note_space();
        Ok(())
    }

    /// Notes conditions that the initial values contradict.
    fn remark(&mut self, values: &[Vec<f64>]) {
        let problem = self.functions.problem;
        let system = self.functions.system();
        let start = problem.form.times.0;
        let Some(found) = system.expansions(start, &self.y) else {
            return;
        };
        for (state, (modal, values)) in found.iter().zip(values).enumerate() {
            let nodal = self.functions.space.nodal(modal);
            let largest = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            let distances = nodal.iter().zip(values).map(|(a, b)| (a - b).abs());
            let worst = distances
                .enumerate()
                .max_by(|(_, a), (_, b)| a.total_cmp(b));
            let (walls, velocity) = walls_of(problem, state);
            if let Some((place, distance)) = worst
                && distance > NOTABLE.max(100.0 * self.aim.tail) * largest
                && !walls.is_empty()
            {
                let labels: Vec<&str> = walls
                    .iter()
                    .map(|wall| &problem.walls[*wall].label[..])
                    .collect();
                let what = if velocity { "velocity" } else { "value" };
                let at: Vec<String> = self
                    .functions
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
    }
}
