//! Evolution in time: functions of space whose coefficients change by an ordinary differential equation.
//!
//! A problem on a space-time domain with initial values is an evolution if its equations give the highest derivative in
//! time of every unknown: u_t = F(u, x, t), u_tt = F(u, u_t, x, t), and systems of these, where F may contain any derivatives in
//! space, linear or not, with coefficients and data that depend on time.
//! [`NonlinearProblem::solve`](crate::NonlinearProblem::solve) recognises such problems and evolves them;
//! the [report](EvolutionReport) says how. Everything else is solved in space-time.
//!
//! - On an interval or a circle space is made of joined polynomials on pieces that follow the solution, with banded matrices.
//! - On boxes in several dimensions functions are products along the axes, of waves where an axis is periodic and of polynomials
//!   elsewhere; on other domains polynomials that are orthonormal there, with the conditions built in. Their degree follows the
//!   solution. Implicit steps take a dense matrix, of some 1500 coefficients at most; beyond that, steps are explicit.
//! - Linear equations that do not change in time are evolved by the exponential of their matrix, any time directly.
//!
//! - [`ode`]: integration of ordinary differential equations to high accuracy
//! - [`EvolutionReport`]: what an evolution did

mod fields;
mod flow;
mod form;
mod lines;
mod march;
pub mod ode;
mod report;
mod runs;
mod span;

use fastlsq_solve::{ConcreteProblem, Solution, Space, Unknown};

use crate::NewtonError;
use crate::options::NewtonOptions;
use fields::FieldProblem;
use lines::LineProblem;
pub use report::{BlowUp, EvolutionReport, RunReport};

/// A problem that was recognised as an evolution.
#[derive(Debug, Clone)]
pub(crate) enum Evolution {
    Line(Box<LineProblem>),
    Field(Box<FieldProblem>),
}

impl Evolution {
    /// The problem as an evolution, or the reason why it is not one.
    pub(crate) fn recognise(problem: &ConcreteProblem) -> Result<Self, String> {
        if problem.domain.dim() == 2 {
            LineProblem::recognise(problem).map(|line| Self::Line(Box::new(line)))
        } else {
            FieldProblem::recognise(problem).map(|field| Self::Field(Box::new(field)))
        }
    }

    /// Evolves it.
    pub(crate) fn evolve(
        &self,
        functions: (Space, Vec<Unknown>),
        options: &NewtonOptions,
    ) -> Result<(Solution, EvolutionReport), NewtonError> {
        match self {
            Self::Line(line) => runs::evolve(functions, &**line, options),
            Self::Field(field) => runs::evolve(functions, &**field, options),
        }
    }
}
