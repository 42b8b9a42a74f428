//! The operators that equations are made of.

use fastlsq_basis::{Action, AxisIntegral, MultiIndex, Multiplier, UpperLimit};

use super::{Operator, Term};
use crate::{Field, OperatorError};

/// The zero operator in dimension `dim`.
#[must_use]
pub fn zero(dim: usize) -> Operator {
    Operator::from_terms(dim, [])
}

/// The identity u ↦ u in dimension `dim`.
#[must_use]
pub fn identity(dim: usize) -> Operator {
    Operator::from_terms(dim, [Term::new(1.0, Action::identity(dim))])
}

/// The derivative D^α (paper, Eq. 3).
#[must_use]
pub fn derivative(alpha: MultiIndex) -> Operator {
    Operator::from_terms(alpha.dim(), [Term::new(1.0, Action::derivative(alpha))])
}

/// The first derivative ∂/∂x_axis in dimension `dim`.
#[must_use]
pub fn partial(dim: usize, axis: usize) -> Operator {
    partial_order(dim, axis, 1)
}

/// The derivative ∂ⁿ/∂x_axisⁿ of order `order` in dimension `dim`.
#[must_use]
pub fn partial_order(dim: usize, axis: usize, order: u32) -> Operator {
    match MultiIndex::along(dim, axis, order) {
        Ok(alpha) => derivative(alpha),
        Err(_) => Operator::invalid(OperatorError::Axis { axis, dim }),
    }
}

/// The Laplacian Δ = Σₖ ∂²/∂xₖ² in dimension `dim`.
#[must_use]
pub fn laplacian(dim: usize) -> Operator {
    (0..dim).fold(zero(dim), |sum, axis| sum + partial_order(dim, axis, 2))
}

/// The Laplacian over chosen axes, Σ_{k ∈ axes} ∂²/∂xₖ²: space without time, say.
///
/// An axis that is named twice counts twice.
#[must_use]
pub fn laplacian_over(dim: usize, axes: &[usize]) -> Operator {
    axes.iter()
        .fold(zero(dim), |sum, &axis| sum + partial_order(dim, axis, 2))
}

/// The biharmonic operator Δ² = Σₖ Σₗ ∂⁴/∂xₖ²∂xₗ² in dimension `dim`.
#[must_use]
pub fn biharmonic(dim: usize) -> Operator {
    let pairs = (0..dim).flat_map(|k| (k..dim).map(move |l| (k, l)));
    let terms = pairs.map(|(k, l)| {
        let mut orders = vec![0; dim];
        orders[k] += 2;
        orders[l] += 2;
        let factor = if k == l { 1.0 } else { 2.0 };
        Term::new(factor, Action::derivative(MultiIndex::new(orders)))
    });
    Operator::from_terms(dim, terms)
}

/// Advection v·∇ with a constant velocity, one component for each axis.
#[must_use]
pub fn advection(velocity: &[f64]) -> Operator {
    advection_field(velocity.iter().map(|&v| Field::constant(v)))
}

/// Advection v(x)·∇ with a velocity field, one component for each axis.
#[must_use]
pub fn advection_field(velocity: impl IntoIterator<Item = Field>) -> Operator {
    let velocity: Vec<Field> = velocity.into_iter().collect();
    let dim = velocity.len();
    velocity
        .into_iter()
        .enumerate()
        .fold(zero(dim), |sum, (axis, v)| sum + v * partial(dim, axis))
}

/// Diffusion ∇·(ν∇u) = νΔu + ∇ν·∇u, with ∇ν given one component for each axis.
///
/// ```
/// use fastlsq_ops::{Field, diffusion};
/// let nu = Field::new("ν", |x| 1.0 + x[0] * x[1]);
/// let operator = diffusion(nu, [Field::coordinate(1), Field::coordinate(0)]);
/// assert_eq!(
///     operator.to_string(),
///     "ν(x) ∂²/∂x₀² + ν(x) ∂²/∂x₁² + x₁ ∂/∂x₀ + x₀ ∂/∂x₁"
/// );
/// ```
#[must_use]
pub fn diffusion(nu: impl Into<Field>, gradient: impl IntoIterator<Item = Field>) -> Operator {
    let gradient: Vec<Field> = gradient.into_iter().collect();
    let nu = nu.into().with_gradient(gradient.iter().cloned());
    nu * laplacian(gradient.len()) + advection_field(gradient)
}

/// The normal derivative n·∇, with the normals n that come with the points.
#[must_use]
pub fn normal_derivative(dim: usize) -> Operator {
    advection_field((0..dim).map(Field::normal))
}

/// The antiderivative ∫_from^{x_axis} u dx_axis along one axis (Volterra type).
#[must_use]
pub fn antiderivative(dim: usize, axis: usize, from: f64) -> Operator {
    integral(dim, axis, from, UpperLimit::Coordinate)
}

/// The definite integral ∫_from^to u dx_axis along one axis (Fredholm type).
///
/// Over several axes by composition: `definite_integral(2, 0, 0.0, 1.0).of(&definite_integral(2, 1, 0.0, 1.0))`.
#[must_use]
pub fn definite_integral(dim: usize, axis: usize, from: f64, to: f64) -> Operator {
    integral(dim, axis, from, UpperLimit::Fixed(to))
}

fn integral(dim: usize, axis: usize, from: f64, to: UpperLimit) -> Operator {
    if axis >= dim {
        return Operator::invalid(OperatorError::Axis { axis, dim });
    }
    let mut action = Action::identity(dim);
    action.integrals.push(AxisIntegral { axis, from, to });
    Operator::from_terms(dim, [Term::new(1.0, action)])
}

/// The Fourier multiplier that scales each sinusoid of frequency ω by m(ω).
///
/// Only sinusoidal features have a closed form for it.
#[must_use]
pub fn multiplier(dim: usize, multiplier: Multiplier) -> Operator {
    let mut action = Action::identity(dim);
    action.multiplier = Some(multiplier);
    Operator::from_terms(dim, [Term::new(1.0, action)])
}

/// The fractional Laplacian (−Δ)^s with symbol |ω|^{2s}, s ≥ 0; s = 1 is −Δ.
///
/// For s = 0, 1 and 2 this is the identity, −Δ and Δ² as differential operators, which every basis
/// can evaluate; otherwise it is a Fourier multiplier, for sinusoidal features only.
#[must_use]
pub fn fractional_laplacian(dim: usize, s: f64) -> Operator {
    if !(s.is_finite() && s >= 0.0) {
        return Operator::invalid(OperatorError::Parameter {
            what: "order s of the fractional Laplacian",
            value: s,
            requirement: "it must be finite and not negative",
        });
    }
    if s == 0.0 {
        identity(dim)
    } else if s == 1.0 {
        -laplacian(dim)
    } else if s == 2.0 {
        biharmonic(dim)
    } else {
        let symbol = move |w: &[f64]| w.iter().map(|w| w * w).sum::<f64>().powf(s);
        multiplier(dim, Multiplier::new(format!("(−Δ)^{s}"), symbol))
    }
}
