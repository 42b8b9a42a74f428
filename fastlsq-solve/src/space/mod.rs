//! Trial spaces: functions with conditions built in, orthonormal in L2, for whatever moves in time or has
//! a spectrum.
//!
//! # The mathematics
//! The *modes* qⱼ of a domain are functions that are orthonormal in L2 over the nodes xᵢ and weights wᵢ of a quadrature and hold
//! waves up to a bandwidth R. Without periodic axes they are polynomials: products of Legendre polynomials on boxes, polynomials
//! made orthogonal one after the other on any other domain. If all axes are periodic they are the waves of the lattice 2πn/L, exactly periodic
//! and orthonormal as they are. Where only some are, sine features φ, on the lattice along those, are compressed: the singular value
//! decomposition of √wᵢ φⱼ(xᵢ) gives combinations qⱼ = Σ φ T, ordered by how well the features hold them; those below a cut are
//! dropped. There remain about 2R/π modes per axis and some for the edges, whatever the number of features.
//!
//! Homogeneous conditions B u = 0 are rows over the modes; their null space Z gives the functions
//! v = q Z of the space V. Inhomogeneous ones, B u = g, are met by u = Σ cⱼ vⱼ + lift(g), where the lift is the
//! smallest function with those values: linear in g and orthogonal to V.
//!
//! **Stability.** In V, with the inner product of L2, the energy identities of the continuum hold: for
//! u_t = −u_x with u(−1) = 0, d/dt ½‖u‖² = −½u(1)², since the projection onto V is orthogonal. So do
//! −‖u_x‖² for heat, −½u_x(−1)² for u_t = −u_xxx with its three conditions, −‖u_xx‖² for a clamped plate.
//! Eigenvalues lie in Re λ ≤ 0 up to rounding, which the weights of another inner product do not guarantee.
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
//! - [`product`]: products of polynomials or waves on a box, conditions on faces built in, without matrices over all of them
//! - [`Eigenproblem`]: L u = λ M u for one unknown, with an error estimate for each eigenvalue
//!
//! # What is not
//! - Matrices are dense and the work grows with the cube of the dimension, so that a space has at most 1500
//!   modes by default: room for only a few waves in three dimensions.
//! - Joined intervals exist in one dimension only. Only one re-entrant corner is taken care of, with conditions
//!   of the same kind on both its sides; on unions of boxes, eigenfunctions that are not smooth are found on patches.
//! - Operators hold derivatives with coefficients; integrals and multipliers are refused.
//!
//! The module builds on `lsq`, `domain` and `dense`, and knows nothing of problems and solves; eigenvalues alone turn to
//! `patches`.

mod builder;
mod condition;
mod corner;
mod eigen;
mod elimination;
mod error;
pub mod line;
mod local;
mod modes;
mod polar;
pub mod product;
mod quadrature;
mod trial;

pub use builder::{Sampled, SpaceBuilder, Target};
pub use condition::{Coefficients, SpaceCondition};
pub use eigen::{Eigenpair, Eigenproblem, Spectrum, Wanted, eigenpairs};
pub use error::SpaceError;
pub use modes::Modes;
pub use quadrature::{Quadrature, is_box};
pub use trial::{SpaceReport, TrialSpace};
