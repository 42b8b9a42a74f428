//! Evolution by lines: u_t = F(u) in a trial space, an ordinary differential equation in time.
//!
//! u = Σ cⱼ(t) vⱼ + lift(g(t)) with functions v of a [`TrialSpace`](fastlsq_solve::space::TrialSpace); projecting the
//! equation onto the space gives c′ = P F(u), since the lift is orthogonal to it. Equations of second order in time
//! are pairs (u, u_t), systems are several such vectors.
//!
//! **Space follows the solution.** After each step the tail of the expansion is looked at. If it
//! has grown past a share of the tolerance, the step is taken back, the space is refined (a larger
//! bandwidth, or intervals cut anew where the solution asks for it) and the solution projected onto it.
//!
//! **Time** is integrated by the method that is cheaper by the spectral radius of the linearisation; where F is
//! linear and constant in time, by the exponential of the matrix.
//!
//! **The estimate** adds up what steps lost, what projections lost, and the largest tail. Steps of the explicit
//! pair lose their error estimates, one after the other; those of the Radau methods are far more accurate at their
//! ends than their estimates, which are errors of the polynomial in between, so the largest counts.

mod adapt;
mod law;
mod options;
mod run;
mod semidiscrete;
mod solution;

pub use law::{Column, Law, LineUnknown};
pub use options::{LineError, LineOptions, LineReport, LineStatus, Mismatch};
pub use run::Lines;
pub use solution::Evolution;
