//! Linear operators, written like the equation, on features with closed-form derivatives.
//!
//! An [`Operator`] is a sum Σ c(x) T of coefficients times derivatives D^α, integrals along axes
//! and Fourier multipliers. Applied to every feature φⱼ at points xᵢ it gives the rows
//! L φⱼ(xᵢ) of a least-squares system. On sinusoidal features a whole operator with constant
//! coefficients collapses to two numbers a feature, its symbol: L sin z = p sin z + q cos z
//! (a sum of cases of Eq. 3 of the paper), so rows cost one sine-cosine pair an entry whatever the
//! order.
//!
//! ```
//! use fastlsq_basis::{Basis, FrequencyLaw, SinusoidalBasis};
//! use fastlsq_ops::{Field, Sites, identity, laplacian, normal_derivative, partial};
//! use ndarray::array;
//!
//! // The Helmholtz operator, as on paper.
//! let helmholtz = laplacian(2) + 100.0 * identity(2);
//! assert_eq!(helmholtz.to_string(), "∂²/∂x₀² + ∂²/∂x₁² + 100");
//!
//! // Its rows for 50 random features at two points.
//! let basis = SinusoidalBasis::random(2, 50, &FrequencyLaw::Isotropic(5.0), 0)?;
//! let points = array![[0.2, 0.3], [1.0, 0.5]];
//! let rows = helmholtz.assemble(&basis, &points)?;
//! assert_eq!((rows.nrows(), rows.ncols()), (2, 50));
//!
//! // The same operator on u = Σ βⱼ φⱼ, without a matrix.
//! let beta = vec![1.0; basis.len()];
//! let values = helmholtz.apply(&basis, &beta, &points)?;
//! assert_eq!(values.len(), 2);
//!
//! // Coefficients that vary, normals that come with the points.
//! let speed = Field::new("c", |x| 1.0 + x[0] * x[0]);
//! let wave = partial(2, 1).of(&partial(2, 1)) - &speed * partial(2, 0).of(&partial(2, 0));
//! assert_eq!(wave.to_string(), "∂²/∂x₁² − c(x) ∂²/∂x₀²");
//! let normals = array![[-1.0, 0.0], [1.0, 0.0]];
//! let boundary = Sites::new(points.view()).with_normals(normals.view());
//! let robin = normal_derivative(2) + 2.0;
//! robin.assemble(&basis, boundary)?;
//!
//! // Mistakes surface when the operator is used, as typed errors.
//! assert!((laplacian(2) + partial(3, 0)).validate().is_err());
//! # Ok::<(), fastlsq_ops::OperatorError>(())
//! ```
//!
//! # What is where
//! - Building blocks: [`identity`], [`partial`], [`partial_order`], [`derivative`], [`laplacian`],
//!   [`laplacian_over`], [`biharmonic`], [`advection`], [`advection_field`], [`diffusion`],
//!   [`normal_derivative`], [`antiderivative`], [`definite_integral`], [`multiplier`],
//!   [`fractional_laplacian`]; then `+`, `−`, multiples by numbers and by [`Field`]s, and
//!   [`Operator::of`] for one operator after the other.
//! - [`Field`]: a coefficient c(x) with a name, and its derivatives where composition needs them.
//!   [`Field::tabulated`] takes values that come with the points, one column a coefficient.
//! - [`Sites`]: points with their normals and tables; cheap to cut into blocks.
//! - [`Operator::write_rows`] on the calling thread, [`Operator::assemble_into`] on all of them,
//!   [`Operator::apply`] and [`Operator::term_magnitudes`] for expansions with given coefficients.
//! - [`EquationRow`] and [`BlockOperator`]: several unknowns, several equations.

mod display;
mod error;
mod field;
mod operator;
mod references;
mod sites;
mod system;
mod typography;

pub use error::OperatorError;
pub use field::Field;
pub use operator::{
    Operator, PreparedRows, Term, advection, advection_field, antiderivative, biharmonic,
    definite_integral, derivative, diffusion, fractional_laplacian, identity, laplacian,
    laplacian_over, multiplier, normal_derivative, partial, partial_order, zero,
};
pub use sites::Sites;
pub use system::{BlockOperator, EquationRow};

pub use {faer, fastlsq_basis, ndarray};

pub use fastlsq_basis::{
    Action, AxisIntegral, Basis, BasisError, Form, MultiIndex, Multiplier, UpperLimit,
};

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
