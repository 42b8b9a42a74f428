//! Nonlinear PDEs from one residual closure.
//!
//! u(x) = Σ βⱼφⱼ(x) with features that are differentiated in closed form. Newton's method solves
//! R(u, ∇u, …; x) = 0 at many points by least squares: with J the linearisation of R at u_k, the new
//! coefficients are argmin ‖J β − (J β_k − R)‖ (paper, Eq. 6, written for β instead of its increment,
//! so that what a truncated solve drops cannot pile up). J is exact: the residual closure is
//! evaluated with dual numbers over just the derivatives that it asks for.
//!
//! ```
//! use fastlsq_newton::{Interval, NonlinearProblem};
//! // Bratu's problem u″ + eᵘ = 0 on [0, 1], u = 0 at both ends.
//! let u = NonlinearProblem::on(Interval::unit())
//!     .equation(|u, _| u.partial_order(0, 2) + u.value().exp())
//!     .dirichlet(|_| 0.0)
//!     .solve()?;
//! // u = 2 ln(cosh θ / cosh(θ(1 − 2x))) with θ = cosh θ / √8 = 0.37929114976268859…
//! let theta: f64 = 0.379_291_149_762_688_6;
//! let exact = 2.0 * theta.cosh().ln();
//! assert!((u.value(&[0.5])? - exact).abs() < 1e-12);
//! println!("{u}");
//! # Ok::<(), fastlsq_newton::NewtonError>(())
//! ```
//!
//! - [`NonlinearProblem`]: domain, equations, conditions, a parameter
//! - [`Jet`]: what a residual can ask for
//! - [`NewtonOptions`]: form of the step, start, damping, continuation, and the options of the
//!   linear solver
//! - [`NonlinearSolution`]: a function, the record of the iteration, an error estimate
//! - [`BranchOptions`], [`Branch`]: a branch of solutions past its folds
//! - [`Slabs`]: long time intervals piece by piece
//! - [`problems`]: benchmark problems with exact solutions
//!
//! Everything of `fastlsq-solve` that its signatures need is re-exported here.

mod bench;
mod branch;
mod error;
pub mod evolution;
mod function;
mod iteration;
mod jacobian;
mod jet;
mod linearity;
mod options;
mod problem;
pub mod problems;
mod report;
mod residual;
mod slabs;
mod solution;
mod state;
mod symmetry;

pub use branch::{Branch, BranchEnd, BranchOptions, BranchPoint};
pub use error::NewtonError;
pub use fastlsq_solve::*;
pub use jacobian::JacobianCheck;
pub use jet::{Component, Jet, Real};
pub use options::{Continuation, NewtonOptions, Start, StepForm};
pub use problem::NonlinearProblem;
pub use report::{Candidate, NewtonReport, NewtonStatus, Step};
pub use slabs::{SlabSolution, Slabs};
pub use solution::NonlinearSolution;

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
