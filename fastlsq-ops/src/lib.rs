//! Linear operators, written like the equation.

mod display;
mod error;
mod field;
mod operator;
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

pub use fastlsq_basis::{
    Action, AxisIntegral, Basis, BasisError, MultiIndex, Multiplier, UpperLimit,
};
