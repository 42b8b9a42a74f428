//! Nonlinear PDEs from one residual closure.

mod bench;
mod error;
mod function;
mod iteration;
mod jet;
mod linearity;
mod options;
mod problem;
pub mod problems;
mod report;
mod residual;
mod slabs;
mod solution;
mod symmetry;

pub use error::NewtonError;
pub use fastlsq_solve::*;
pub use jet::{Component, Jet, Real};
pub use options::{Continuation, NewtonOptions, Start, StepForm};
pub use problem::NonlinearProblem;
pub use report::{NewtonReport, NewtonStatus, Step};
pub use slabs::{SlabSolution, Slabs};
pub use solution::NonlinearSolution;
