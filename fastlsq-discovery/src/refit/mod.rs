//! The likelihood refit: data fitted by solutions of the proposed law itself.
//!
//! For a support S the unknowns are the coefficients c and the field u = Σ βⱼφⱼ, and
//!
//! ‖Φβ − y‖² + μ‖β‖² + W² Σᵢ (D^τ u − Σ_{k∈S} cₖTₖ(u))²(xᵢ)
//!
//! is minimised by Gauss–Newton steps, each one linear least-squares problem, while W grows until
//! the law holds to a small part of the statistical error. Initial and boundary data are free: they
//! are what the law leaves open. For W → ∞ this is maximum likelihood over solutions of the law, and
//! the inverse of its normal matrix is the Cramér–Rao bound.

mod collocation;
mod conclusion;
mod engine;
mod gauss_newton;
mod search;
mod space;
mod state;

use engine::LawFitter;
use search::explore;
pub(crate) use space::LawSearch;
pub use state::LawFit;
