//! Random Fourier features with closed-form derivatives of any order.
//!
//! u(x) ≈ Σ βⱼ φⱼ(x) with φⱼ(x) = sin(wⱼ·x + bⱼ)/√N, where w and b are random and frozen. Every
//! derivative is again a sinusoid,
//!
//! D^α φⱼ = (Πₖ w_jk^{αₖ}) Φ_{|α| mod 4}(wⱼ·x + bⱼ) / √N,  Φ = sin, cos, −sin, −cos,
//!
//! so the rows of a linear differential equation are written down directly. For constant coefficients
//! Σ c D^α φⱼ = pⱼ sin z + qⱼ cos z: two numbers per feature and one sine-cosine pair per entry, whatever the
//! operator. No automatic differentiation, no quadrature, no mesh.
//!
//! ```
//! use fastlsq_basis::{
//!     Action, Basis, Coefficient, Form, FrequencyLaw, MultiIndex, SinusoidalBasis,
//! };
//! use ndarray::array;
//!
//! // 200 features in the plane with frequencies of scale 5, from seed 0.
//! let basis = SinusoidalBasis::random(2, 200, &FrequencyLaw::Isotropic(5.0), 0)?;
//! let points = array![[0.1, 0.2], [0.5, 0.9], [0.7, 0.3]];
//!
//! // Values, gradients, Laplacians, any derivative; at many points or one.
//! let values = basis.values(points.view())?;
//! let mixed = basis.derivatives(points.view(), &MultiIndex::new([2, 1]))?;
//! let gradient = basis.gradient_at(&[0.1, 0.2])?;
//! assert_eq!((values.shape(), mixed.shape(), gradient.shape()), ((3, 200), (3, 200), (2, 200)));
//!
//! // The rows of u_xx + u_yy + k(x)² u, with a coefficient that varies from point to point.
//! let (xx, yy) = (MultiIndex::new([2, 0]), MultiIndex::new([0, 2]));
//! let (xx, yy, id) = (Action::derivative(xx), Action::derivative(yy), Action::identity(2));
//! let squares = [100.0, 81.0, 64.0];
//! let helmholtz = Form::new()
//!     .with(Coefficient::Constant(1.0), &xx)
//!     .with(Coefficient::Constant(1.0), &yy)
//!     .with(Coefficient::PerPoint(&squares), &id);
//! let rows = basis.assemble(points.view(), &helmholtz)?;
//!
//! // Sinusoids are eigenfunctions: the entry is (k² − |w|²) φ.
//! let w = basis.frequency(7);
//! let expected = (81.0 - w[0] * w[0] - w[1] * w[1]) * values[(1, 7)];
//! assert!((rows[(1, 7)] - expected).abs() < 1e-12);
//! # Ok::<(), fastlsq_basis::BasisError>(())
//! ```
//!
//! # Where things are
//!
//! | what | where |
//! |---|---|
//! | the trait that everything speaks, one primitive and convenient calls | [`Basis`] |
//! | derivatives, integrals and multipliers to ask for | [`MultiIndex`], [`Action`], [`Form`] |
//! | the method's features: laws of the frequencies, draws, parity, derivatives by the frequencies | [`SinusoidalBasis`], [`FrequencyLaw`], [`Draw`], [`Parity`] |
//! | a bounding box mapped to [−1, 1]^d | [`InputMap`] |
//! | baselines: PIELM and Kansa | [`TanhBasis`], [`MultiquadricBasis`] |
//! | polynomial columns, bases side by side, one on each of many boxes, symmetry for any basis | [`PolynomialBasis`], [`JoinedBasis`], [`PiecewiseBasis`], [`SymmetrisedBasis`] |
//! | solutions of Helmholtz' equation around a point | [`CylinderBasis`] |
//! | features of a part of space | [`RestrictedBasis`] |
//! | all products along axes, polynomials orthonormal on any domain | [`TensorBasis`], [`OrthogonalPolynomials`] |
//! | a function of space and time, span by span | [`EvolvedBasis`] |
//! | known factors times features: singular functions, layers | [`Weighted`], [`Factor`], [`ComplexPower`], [`SmoothFactor`] |
//! | sums of waves as functions: products, powers, integrals | [`SinusoidalExpansion`] |
//! | the identities behind it all | [`identities`] |
//! | reproducible random and quasi-random points | [`sampling`] |
//! | vectorised sine and cosine | [`sin_cos`] |
//! | bases as data | [`SavedBasis`] |
//!
//! With the feature `conformance` comes a test suite for bases of your own; with `serde`, storage.

pub mod basis;
#[cfg(feature = "conformance")]
pub mod conformance;
mod cylinder;
mod dual;
mod error;
mod evolved;
mod expansion;
pub mod form;
mod grouping;
pub mod identities;
mod input_map;
mod joined;
#[doc(hidden)]
pub mod legendre;
mod multi_index;
mod multiquadric;
mod orthogonal;
mod piecewise;
mod polynomial;
mod products;
mod restricted;
pub mod sampling;
mod saved;
mod sincos;
mod sine;
pub mod sinusoidal;
mod symmetrised;
mod tanh;
mod taylor;
mod tensor;
pub mod typography;
mod weighted;

pub use basis::Basis;
pub use cylinder::{CylinderBasis, CylinderKind};
pub use dual::Dual;
pub use error::{BasisError, require_dim, require_size};
pub use evolved::{EvolvedBasis, EvolvedSpan, span_times, span_weights};
pub use expansion::{AxisAntiderivative, SinusoidalExpansion};
pub use form::{Action, AxisIntegral, Coefficient, Form, FormTerm, Multiplier, UpperLimit};
pub use input_map::InputMap;
pub use joined::JoinedBasis;
pub use multi_index::MultiIndex;
pub use multiquadric::MultiquadricBasis;
pub use orthogonal::OrthogonalPolynomials;
pub use piecewise::PiecewiseBasis;
pub use polynomial::{PolynomialBasis, PolynomialFamily};
pub use products::ProductBasis;
pub use restricted::RestrictedBasis;
#[cfg(feature = "serde")]
pub use saved::BasisOutline;
pub use saved::{
    SavedBasis, SavedEvolved, SavedFactor, SavedJoined, SavedPiecewise, SavedSymmetrised,
    SavedWeighted,
};
pub use sincos::{REDUCTION_LIMIT, sin_cos};
pub use sinusoidal::{Draw, FrequencyLaw, Parity, SinusoidalBasis, SinusoidalBuilder};
pub use symmetrised::SymmetrisedBasis;
pub use tanh::{TanhBasis, TanhBuilder, WeightLaw};
pub use taylor::Taylor;
pub use tensor::{AxisFunctions, TensorBasis};
pub use weighted::{ComplexPower, Factor, SmoothFactor, TaylorFunction, Weighted};
/// The crates whose types appear in signatures here.
pub use {faer, ndarray};
