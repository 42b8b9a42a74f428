//! Evolution in time: functions of space whose coefficients change by an ordinary differential equation.
//!
//! A problem on a space-time domain with initial values is an evolution if its equations give the highest derivative in
//! time of every unknown: u_t = F(u, x, t), u_tt = F(u, u_t, x, t), and systems of these, where F may contain any derivatives in
//! space, linear or not, with coefficients and data that depend on time.
//! [`NonlinearProblem::solve`](crate::NonlinearProblem::solve) recognises such problems in one space dimension and evolves them;
//! the [report](EvolutionReport) says how. Everything else is solved in space-time.
//!
//! - [`ode`]: integration of ordinary differential equations to high accuracy
//! - [`EvolutionReport`]: what an evolution did

mod lines;
pub mod ode;
mod report;

pub(crate) use lines::{LineProblem, evolve};
pub use report::{BlowUp, EvolutionReport, RunReport};
