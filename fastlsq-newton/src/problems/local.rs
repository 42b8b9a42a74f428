//! Nonlinear problems with local structure.

use std::f64::consts::SQRT_2;

use fastlsq_solve::problems::local::l_shape;
use fastlsq_solve::{BoxDomain, DomainError, X, Y, exp, laplacian, tanh, unknown};

use super::NonlinearBenchmark;
use crate::NonlinearProblem;

/// ε²Δu = u³ − u on the unit square: u = tanh(s/(√2 ε)) with the distance s from a line through (0.45, 0.55), whose
/// normal makes this angle with the x-axis.
#[must_use]
pub fn interior_layer(width: f64, angle: f64) -> NonlinearBenchmark {
    let u = unknown("u");
    let distance = angle.cos() * (X - 0.45) + angle.sin() * (Y - 0.55);
    let exact = tanh(distance / (SQRT_2 * width));
    let problem = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(width * width * laplacian(u), u.powi(3) - u)
        .dirichlet(&exact);
    NonlinearBenchmark::new("interior-layer", "ε²Δu = u³ − u", problem, &[exact])
}

/// −Δu = eᵘ on an L-shaped domain, u = 0 on its boundary: a solution without a formula.
///
/// # Errors
/// None that can occur.
pub fn bratu_corner() -> Result<NonlinearProblem, DomainError> {
    let u = unknown("u");
    Ok(NonlinearProblem::on(l_shape()?)
        .equation(-laplacian(u), exp(u))
        .dirichlet(0.0))
}
