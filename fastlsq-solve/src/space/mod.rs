//! Trial spaces: functions with conditions built in, orthonormal in L2, for whatever moves in time or has
//! a spectrum.
//!
//! # The mathematics
//! Sine features φ with frequencies in a ball of radius R are sampled at the nodes xᵢ of a quadrature with
//! weights wᵢ. The singular value decomposition of √wᵢ φⱼ(xᵢ) gives combinations qⱼ = Σ φ T that are
//! orthonormal in L2 (the *modes*), ordered by how well the features hold them; those below a cut are
//! dropped. There remain about 2R/π modes per axis and some for the edges, whatever the number of features.
//! Along periodic axes frequencies lie on the lattice 2πn/L, so that functions are periodic exactly; if all
//! axes are periodic, the waves are orthonormal as they are. On boxes in several dimensions without periodic axes the modes
//! are products of Legendre polynomials, of a degree that holds the same waves.
//!
//! Homogeneous conditions B u = 0 are rows over the modes; their null space Z gives the functions
//! v = q Z of the space V. Inhomogeneous ones, B u = g, are met by u = Σ cⱼ vⱼ + lift(g), where the lift is the
//! smallest function with those values: linear in g and orthogonal to V.
//!
//! **Stability.** In V, with the inner product of L2, the energy identities of the continuum hold: for
//! u_t = −u_x with u(−1) = 0, d/dt ½‖u‖² = −½u(1)², since the projection onto V is orthogonal. So do
//! −‖u_x‖² for heat, −½u_x(−1)² for u_t = −u_xxx with its three conditions, −‖u_xx‖² for a clamped plate.
//! Eigenvalues lie in Re λ ≤ 0 up to rounding, which weights of another inner product do not give.
//!
//! **Projection** takes the pseudo-inverse of what was sampled, not its transpose. The compression T has
//! entries of size 1/cut, so that rounding moves the sampled modes by ε/cut away from orthonormal: harmless
//! to a least-squares fit to the sampled modes, not to a transpose.
//!
//! **The cut belongs to the order of the equation.** Derivatives of order m multiply the rounding ε/cut of
//! the weakest modes by Rᵐ; a coarser cut costs accuracy of representation instead.
//!
//! **Intervals.** One bandwidth for a whole interval cannot hold a thin layer. In one dimension a space may
//! consist of intervals of any lengths, each with the same reference modes, joined by conditions on the jumps of
//! derivatives below the order m of the equation.
//!
//! # What is here
//! - [`SpaceBuilder`]: modes chosen by what they must represent
//! - [`Modes`]: before conditions; [`SpaceCondition`]; [`TrialSpace`]: with them
//! - [`mod@line`]: joined polynomials on an interval or a circle, with banded matrices
//! - [`Eigenproblem`]: L u = λ M u for one unknown, with an error estimate for each eigenvalue
//!
//! # What is not
//! - Matrices are dense and the work grows with the cube of the dimension, so that a space has at most 1500
//!   modes by default: room for few waves in three dimensions.
//! - Joined intervals exist in one dimension only, and eigenproblems use one piece: functions with singular
//!   corners are not resolved.
//! - Operators hold derivatives with coefficients; integrals and multipliers are refused.
//!
//! The room stands on `lsq`, `domain` and `dense`, and knows nothing of problems and solves.

mod builder;
mod condition;
mod eigen;
mod elimination;
mod error;
pub mod line;
mod local;
mod modes;
mod quadrature;
mod trial;

pub use builder::{Sampled, SpaceBuilder, Target};
pub use condition::SpaceCondition;
pub use eigen::{Eigenpair, Eigenproblem, Spectrum, Wanted, eigenpairs};
pub use error::SpaceError;
pub use modes::Modes;
pub use quadrature::Quadrature;
pub use trial::{SpaceReport, TrialSpace};
