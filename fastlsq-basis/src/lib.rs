//! Random Fourier features with closed-form derivatives of any order.
//!
//! u(x) ≈ Σ βⱼ φⱼ(x) with φⱼ(x) = sin(wⱼ·x + bⱼ)/√N, where w and b are random and frozen. Every
//! derivative is again a sinusoid,
//!
//! D^α φⱼ = (Πₖ w_jk^{αₖ}) Φ_{|α| mod 4}(wⱼ·x + bⱼ) / √N,  Φ = sin, cos, −sin, −cos,
//!
//! so the rows of a linear differential equation are written down directly: one sine-cosine pair
//! for each entry, whatever the operator.

pub mod basis;
#[cfg(feature = "conformance")]
pub mod conformance;
mod dual;
mod error;
mod expansion;
pub mod form;
mod grouping;
pub mod identities;
mod input_map;
mod joined;
mod multi_index;
mod multiquadric;
mod polynomial;
pub mod sampling;
mod saved;
mod sincos;
pub mod sinusoidal;
mod symmetrised;
mod tanh;

pub use basis::Basis;
pub use dual::Dual;
pub use error::BasisError;
pub use expansion::{AxisAntiderivative, SinusoidalExpansion};
pub use form::{Action, AxisIntegral, Coefficient, Form, FormTerm, Multiplier, UpperLimit};
pub use input_map::InputMap;
pub use joined::JoinedBasis;
pub use multi_index::MultiIndex;
pub use multiquadric::MultiquadricBasis;
pub use polynomial::{PolynomialBasis, PolynomialFamily};
pub use saved::{SavedBasis, SavedJoined, SavedSymmetrised};
pub use sincos::{REDUCTION_LIMIT, sin_cos};
pub use sinusoidal::{Draw, FrequencyLaw, Parity, SinusoidalBasis, SinusoidalBuilder};
pub use symmetrised::SymmetrisedBasis;
pub use tanh::{TanhBasis, TanhBuilder, WeightLaw};
