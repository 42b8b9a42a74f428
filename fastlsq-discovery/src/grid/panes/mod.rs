//! Laws in one dimension and time solved on panes: rectangles of a grid, small enough for polynomials.
//!
//! On a pane every field is a sum w of products of polynomials, orthonormal on the samples, so that its distance from the
//! samples is ‖a − w‖ with a their coefficients. The law holds when its residual R(w) is orthogonal to all polynomials
//! whose degree is lower by the law's order: as many equations as leave initial and boundary values free (the tau method).
//! Near w the solution nearest to the samples is
//!
//! w + d − J̃ᵀ(J̃J̃ᵀ)⁻¹(J̃d + R − K δc),  d = a − w,  J̃ = ∂R/∂w,  K = −∂R/∂c,
//!
//! at the distance ‖L⁻¹(J̃d + R − K δc)‖ with LLᵀ = J̃J̃ᵀ: whitened rows for the change δc of the coefficients, all of a
//! pane's own unknowns eliminated. Repeated, that is the maximum of the likelihood. Nothing is ever carried forward in
//! time, so that laws without stable solutions do no harm, and chaotic fields are as good as any.
//!
//! `polynomials`: along one axis. `pane`: shapes, and where they lie. `rows`: a law on a pane. `fit`: all panes together.

mod fit;
mod pane;
mod polynomials;
mod rows;

pub(super) use fit::Panes;
