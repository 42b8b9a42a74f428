//! Functions on a box as products of functions of one coordinate each, with conditions on the faces built in.
//!
//! Along each [`Axis`] there are Legendre polynomials, or waves of exactly the period where the axis is a circle. Conditions on
//! a face that are the same all over it, Σ b_d ∂ᵈu/∂xₖᵈ = g, split the polynomials of axis k into those V_k that satisfy them
//! with zero on the right and as many others L_k as there are conditions, orthogonal to V_k. The functions with all
//! homogeneous conditions are V₁ ⊗ … ⊗ V_d, orthonormal in L2; data g on the faces are carried by the rest, which is
//! orthogonal to them, so that the rate of change of the coefficients does not see that of the data.
//!
//! Nothing of the size of a matrix over all functions is needed to sample a function, to differentiate or to project it:
//! the matrices along the axes are applied [one after the other](along_axes), with work n^{d+1} for nᵈ functions.

mod axis;
mod matrix;
mod space;
mod tensor;

pub use axis::{Axis, EndRow};
pub use matrix::ProductTerm;
pub use space::{FaceCondition, ProductSpace};
pub use tensor::along_axes;
