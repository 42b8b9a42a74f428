//! Pieces of an interval that follow the solution.

use std::sync::Arc;

use fastlsq_solve::space::line::{Element, LineSpace};

use super::compatibility;
use super::exact::Exact;
use super::form::LineProblem;
use super::history::History;
use super::mesh::Mesh;
use super::system::System;
use crate::NewtonError;
use crate::evolution::form::Form;
use crate::evolution::march::{Adaptive, Finer, March};
use crate::evolution::ode::Method;
use crate::evolution::runs::{Aim, Run};
use crate::evolution::span::Span;

/// The maximum number of coefficients.
const LIMIT: usize = 6000;
/// Pieces at the first look at the initial values: 2 to this power.
const FIRST_LEVEL: u32 = 3;
/// Steps between attempts to join pieces.
const PATIENCE: usize = 6;
/// Joining must leave this share of what is allowed.
const JOIN: f64 = 0.05;

/// Runs from the first time to the last.
pub(crate) fn run(problem: &LineProblem, aim: &Aim) -> Result<Run<History>, NewtonError> {
    let degree = 12 + 2 * problem.order - if aim.odd { 2 } else { 0 };
    let element = Arc::new(Element::new(degree, problem.order)?);
    let mesh = Mesh::uniform(problem.interval, FIRST_LEVEL);
    let pieces = Pieces::new(problem, &element, mesh)?;
    let mut march = March::new(aim, pieces, History::Spans(Vec::new()));
    march.begin()?;
    if !march.at_once()? {
        march.step_by_step()?;
    }
    Ok(march.run)
}

/// Joined polynomials on the pieces of a mesh.
#[derive(Clone)]
struct Pieces<'a> {
    problem: &'a LineProblem,
    element: Arc<Element>,
    mesh: Mesh,
    space: Arc<LineSpace>,
}

impl<'a> Pieces<'a> {
    fn new(
        problem: &'a LineProblem,
        element: &Arc<Element>,
        mesh: Mesh,
    ) -> Result<Self, NewtonError> {
        let space = LineSpace::new(
            Arc::clone(element),
            &mesh.breaks(),
            problem.states.len(),
            problem.periodic,
            &problem.conditions,
        )?;
        Ok(Self {
            problem,
            element: Arc::clone(element),
            mesh,
            space: Arc::new(space),
        })
    }

    /// The states at the first time, at the nodes.
    fn initial(&self) -> Result<Vec<Vec<f64>>, NewtonError> {
        self.problem.initial(self.space.nodes())
    }

    /// The pieces that can be halved and where one of these numbers, one for each state, is larger than allowed.
    fn large(&self, sizes: &[Vec<f64>], allowed: &[f64]) -> Vec<bool> {
        let large = |own: &Vec<f64>| {
            let mut pairs = own.iter().zip(allowed);
            pairs.any(|(size, allowed)| size > allowed)
        };
        let sizes = sizes.iter().enumerate();
        sizes
            .map(|(k, own)| large(own) && self.mesh.divisible(k))
            .collect()
    }

    /// With pieces joined where hardly anything is lost; `None` if fewer than `least` can be.
    fn joined(
        &self,
        expansion: &[f64],
        allowed: &[f64],
        least: usize,
    ) -> Result<Option<Self>, NewtonError> {
        let mut marked = vec![false; self.mesh.len()];
        let mut count = 0;
        for (k, marked) in marked.iter_mut().enumerate() {
            // On a circle one piece would meet itself.
            if !self.mesh.are_halves(k) || self.mesh.len() - count <= 2 {
                continue;
            }
            let joined = self.space.joined(expansion, k);
            let mut pairs = joined.iter().zip(allowed);
            let small = pairs.all(|((loss, tail), allowed)| loss.max(*tail) <= JOIN * allowed);
            if small {
                *marked = true;
                count += 1;
            }
        }
        let joined = (count >= least).then(|| self.mesh.joined(&marked));
        joined
            .map(|mesh| Self::new(self.problem, &self.element, mesh))
            .transpose()
    }
}

impl<'a> Adaptive for Pieces<'a> {
    type Space = LineSpace;
    type System = System<'a>;
    type Expansion = Vec<f64>;
    type Exact = Exact;
    type History = History;

    const ROUNDS: usize = 12;
    const STEPS: usize = 200_000;

    fn form(&self) -> &Form {
        self.problem
    }

    fn space(&self) -> &Arc<LineSpace> {
        &self.space
    }

    fn system(&self) -> System<'a> {
        System::new(self.problem, &self.space)
    }

    fn method(&self, _: &System<'a>, _: f64, _: &[f64]) -> (Method, f64) {
        (Method::Implicit, f64::INFINITY)
    }

    fn expansion(system: &System<'a>, t: f64, y: &[f64]) -> Option<Vec<f64>> {
        system.expansion(t, y)
    }

    fn norms(&self, expansion: &Vec<f64>) -> Vec<f64> {
        self.space.norms(expansion)
    }

    fn unresolved(&self, expansion: &Vec<f64>, allowed: &[f64]) -> Vec<bool> {
        self.large(&self.space.tails(expansion), allowed)
    }

    fn finer(&self, marked: &[bool]) -> Result<Finer<Self>, NewtonError> {
        let mesh = self.mesh.halved(marked);
        if mesh == self.mesh {
            return Ok(Finer::Same);
        }
        let finer = Self::new(self.problem, &self.element, mesh)?;
        Ok(if finer.space.dim() > LIMIT {
            Finer::TooLarge
        } else {
            Finer::Space(finer)
        })
    }

    fn coarser(
        &self,
        expansion: &Vec<f64>,
        allowed: &[f64],
        steps: usize,
    ) -> Result<Option<Self>, NewtonError> {
        if !steps.is_multiple_of(PATIENCE) {
            return Ok(None);
        }
        self.joined(expansion, allowed, self.mesh.len().div_ceil(8))
    }

    fn taken_over(&self, other: &Self, expansion: &Vec<f64>) -> Vec<f64> {
        let values: Vec<Vec<f64>> = (0..self.space.functions())
            .map(|state| {
                let nodes = self.space.nodes().iter();
                nodes
                    .map(|x| other.space.value(expansion, state, 0, *x))
                    .collect()
            })
            .collect();
        self.space.project(&values)
    }

    fn note(&self, run: &mut Run<History>) {
        let pieces = self.mesh.len();
        run.degree = self.element.degree();
        run.dim = run.dim.max(self.space.dim());
        run.pieces = (run.pieces.0.min(pieces), run.pieces.1.max(pieces));
    }

    fn exact(system: &System<'a>, y: &[f64]) -> Option<Exact> {
        system.is_autonomous(y).then(|| Exact::new(system, y))?
    }

    fn exact_expansion(exact: &Exact, t: f64) -> Vec<f64> {
        exact.expansion(t, 0)
    }

    fn known(&self, exact: Exact) -> History {
        History::Exact(Box::new(exact), self.problem.times.1)
    }

    fn keep(history: &mut History, span: Span<LineSpace, Vec<f64>>) {
        if let History::Spans(spans) = history {
            spans.push(span);
        }
    }

    fn numbers(expansion: &Vec<f64>) -> usize {
        expansion.len()
    }
}

impl March<'_, Pieces<'_>> {
    /// Halves pieces until they resolve the initial values, and puts these on them.
    fn begin(&mut self) -> Result<(), NewtonError> {
        let problem = self.functions.problem;
        let mut values = self.functions.initial()?;
        loop {
            let expansion = self.functions.space.unjoined(&values);
            self.observe(&expansion);
            let marked = self.unresolved(&expansion);
            if !self.look_closer(&marked)? {
                break;
            }
            values = self.functions.initial()?;
        }
        self.run.remarks =
            compatibility::remarks(problem, &self.functions.space, &values, &self.run.scales)?;
        // Where initial values are not as smooth as the space, or contradict the conditions, smaller pieces help.
        let data = problem.data(problem.times.0)?;
        for _ in 0..2 * Pieces::ROUNDS {
            let space = &self.functions.space;
            let expansion = space.expansion(&space.project(&values), &data);
            let distances = space.distances(&expansion, &space.unjoined(&values));
            let marked = self.functions.large(&distances, &self.allowed());
            if !self.look_closer(&marked)? {
                break;
            }
            values = self.functions.initial()?;
        }
        // Pieces that were halved further than needed are joined again.
        self.y = self.functions.space.project(&values);
        loop {
            let expansion = self.functions.space.expansion(&self.y, &data);
            let Some(joined) = self.functions.joined(&expansion, &self.allowed(), 1)? else {
                break;
            };
            self.functions = joined;
            self.y = self.functions.space.project(&self.functions.initial()?);
        }
        self.note_space();
        Ok(())
    }
}
