//! Equations written as mathematics, and the rows they become on features with closed-form derivatives.
//!
//! # The language
//! An [`Expr`] is an equation, a condition, a source or a coefficient. It is made of coordinates ([`X`], [`Y`], [`Z`],
//! [`T`], any [`axis`]), unknowns, parameters, numbers, given functions of the point and the [`normal`] of a boundary, by
//! arithmetic, elementary functions, derivatives of anything, vector calculus over space, integrals and Fourier multipliers.
//! The same language states linear and nonlinear, forward and inverse problems, and is what a discovered law is written in.
//!
//! | equation | as written here |
//! |---|---|
//! | Poisson, −Δu = f | `-laplacian(u)`, `f` |
//! | heat, u_t = ∇·(k∇u) | `u.d(T)`, `div(k * grad(u))` |
//! | wave, u_tt = c²Δu | `u.d(T).d(T)`, `c * c * laplacian(u)` |
//! | Helmholtz, Δu + k²u = 0 | `laplacian(u) + k * k * u`, `0.0` |
//! | Burgers, u_t + uu_x = νu_xx | `u.d(T) + u * u.d(X)`, `NU * u.d(X).d(X)` |
//! | Korteweg–de Vries | `u.d(T) + u * u.d(X) + u.d(X).d(X).d(X)`, `0.0` |
//! | Bratu, −Δu = λeᵘ | `-laplacian(u)`, `lambda * exp(u)` |
//! | plate, Δ²w = q | `biharmonic(w)`, `q` |
//! | elasticity, −∇·(2με + λ tr ε I) = f | `-div(2.0 * MU * strain([u, v]) + LAMBDA * div([u, v]) * identity_matrix())`, `[f, g]` |
//! | Navier–Stokes | `dot(grad([u, v]), [u, v]) + grad(p) - NU * laplacian([u, v])`, `[0.0, 0.0]` and `div([u, v])`, `0.0` |
//! | transport with memory | `u.d(T) + antiderivative(u, T, 0.0)`, `f` |
//! | fractional diffusion | `u.d(T) + fractional_laplacian(u, 0.5)`, `0.0` |
//!
//! Δ, ∇ and ∇· are over space and never touch time. Nothing states the dimension: the domain has it.
//!
//! ```
//! use fastlsq_ops::{Frame, Space, T, X, exp, laplacian, unknown};
//!
//! let u = unknown("u");
//! let heat = u.d(T) - (exp(X) * u.d(X)).d(X);
//! assert_eq!(heat.to_string(), "u_t − (exp(x) u_x)_x");
//!
//! // In a space with coordinates it becomes a linear operator; the product rule is applied.
//! let frame = Frame::new(Space::new(1).with_time(), [u]);
//! let statement = frame.lower_scalar(&heat)?;
//! assert!(statement.is_linear() && statement.order() == 2);
//! let row = statement.row().expect("linear");
//! assert_eq!(row.to_string(), "(∂/∂x₁ − exp(x₀) ∂/∂x₀ − exp(x₀) ∂²/∂x₀²) u");
//!
//! // What is not linear knows its slopes, exactly.
//! let bratu = frame.lower_scalar(&(laplacian(u) + exp(u)))?;
//! assert!(!bratu.is_linear() && bratu.row().is_none());
//! assert_eq!(bratu.residual().jets().len(), 2); // u and u_xx
//! # Ok::<(), fastlsq_ops::StatementError>(())
//! ```
//!
//! # The rows
//! An [`Operator`] is a sum Σ c(x) T of coefficients times derivatives D^α, integrals along axes and Fourier multipliers.
//! Applied to every feature φⱼ at points xᵢ it gives the rows L φⱼ(xᵢ) of a least-squares system. On sinusoidal features a
//! whole operator with constant coefficients collapses to two numbers per feature, its symbol: L sin z = p sin z + q cos z (a
//! sum of cases of Eq. 3 of the paper), so rows cost one sine-cosine pair per entry whatever the order.
//!
//! ```
//! use fastlsq_basis::{Basis, FrequencyLaw, SinusoidalBasis};
//! use fastlsq_ops::{Frame, Space, laplacian, unknown};
//! use ndarray::array;
//!
//! let u = unknown("u");
//! let frame = Frame::new(Space::new(2), [u]);
//! let helmholtz = frame.lower_scalar(&(laplacian(u) + 100.0 * u))?.row().expect("linear");
//! let basis = SinusoidalBasis::random(2, 50, &FrequencyLaw::Isotropic(5.0), 0)?;
//! let points = array![[0.2, 0.3], [1.0, 0.5]];
//! let values = helmholtz.apply(&[&basis], &vec![1.0; basis.len()], &points)?;
//! assert_eq!(values.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//! - [`Expr`] and the functions that build it; [`Vocabulary`] for reading text.
//! - [`Space`]: the coordinates. [`Frame`]: a space with unknowns and parameters, where an expression becomes a [`Statement`]:
//!   linear or not, its [`EquationRow`], its source, its [`Residual`] with slopes by unknowns and parameters.
//! - [`Sites`]: points with their normals and tables; cheap to cut into blocks.
//! - [`Operator`] and [`EquationRow`]: rows on the calling thread or on all of them, and expansions with given coefficients.

mod display;
mod error;
mod expr;
mod field;
mod leaves;
mod lower;
mod name;
mod operator;
mod row;
mod sites;
mod space;
mod statement_error;
mod typography;

pub use error::OperatorError;
pub use expr::{
    Expr, HyperDual, ParseError, Real, Vocabulary, abs, acos, antiderivative, asin, atan,
    biharmonic, call, cos, cosh, directional, div, dot, exp, fractional_laplacian, given,
    given_on_block, grad, identity_matrix, integral, laplacian, ln, multiplier, normal,
    normal_derivative, sech, sign, sin, sinh, sqrt, strain, tan, tanh, transpose, vector,
};
pub use field::Field;
pub use leaves::{
    Coordinate, Face, Parameter, T, Unknown, X, Y, Z, axis, coordinate, parameter, parameters,
    unknown, unknowns,
};
pub use lower::{Dependent, Frame, Jet, Residual, ResidualValues, Statement};
pub use name::Name;
pub use operator::{Operator, PreparedRows, Term};
pub use row::EquationRow;
pub use sites::{MirroredSites, Sites};
pub use space::Space;
pub use statement_error::StatementError;

pub use {faer, fastlsq_basis, ndarray};

pub use fastlsq_basis::{
    Action, AxisIntegral, Basis, BasisError, Form, MultiIndex, Multiplier, UpperLimit,
};

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
