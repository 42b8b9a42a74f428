//! Problems with local structure: corners, peaks, layers, jumps of a coefficient, many wave lengths.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use fastlsq_ops::{
    Expr, Real, X, Y, Z, atan, call, cos, div, exp, identity_matrix, laplacian, sign, sin, sqrt,
    strain, unknown, unknowns, vector,
};

use super::Benchmark;
use crate::domain::{BoundingBox, BoxDomain, BoxUnion, DomainError, Interval, WALLS};
use crate::problem::LinearProblem;

/// [−1, 1]² without its lower left quarter.
///
/// # Errors
/// None that can occur.
pub fn l_shape() -> Result<BoxUnion, DomainError> {
    BoxUnion::new(&[
        BoundingBox::new(&[-1.0, 0.0], &[1.0, 1.0])?,
        BoundingBox::new(&[0.0, -1.0], &[1.0, 0.0])?,
    ])
}

/// r^{2/3} sin(2φ/3), the first singular function of the inner corner of an L, φ from one side to the other.
fn corner_function() -> Expr {
    let r = sqrt(X * X + Y * Y);
    // The angle ψ from the bisector, |ψ| ≤ 3π/4, without a branch cut inside: ψ = 2 atan(η/(r + ξ)), φ = ψ + 3π/4.
    let (along, across) = (FRAC_1_SQRT_2 * (X + Y), FRAC_1_SQRT_2 * (Y - X));
    r.powf(2.0 / 3.0) * cos(4.0 / 3.0 * atan(across / (&r + along)))
}

/// Δu = 0 on an L, with the values of r^{2/3} sin(2φ/3).
///
/// # Errors
/// None that can occur.
pub fn l_shape_singular() -> Result<Benchmark, DomainError> {
    let exact = corner_function();
    let problem = LinearProblem::on(l_shape()?)
        .equation(laplacian(unknown("u")), 0.0)
        .dirichlet(&exact);
    Ok(Benchmark::new(
        "l-shape-singular",
        "Δu = 0 on an L, u = r^{2/3} sin(2φ/3)",
        problem,
        &[exact],
    ))
}

/// −Δu = 1 on an L, u = 0 on its boundary: a solution without a formula.
///
/// # Errors
/// None that can occur.
pub fn l_shape_source() -> Result<LinearProblem, DomainError> {
    Ok(LinearProblem::on(l_shape()?)
        .equation(-laplacian(unknown("u")), 1.0)
        .dirichlet(0.0))
}

/// −Δu = 1 on the unit square, u = 0 on its boundary: r² log r at the corners.
#[must_use]
pub fn square_source() -> Benchmark {
    let exact = call("torsion", [X.into(), Y.into()], |at: &[Real]| {
        torsion(at[0], at[1])
    });
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), 1.0)
        .dirichlet(0.0);
    Benchmark::new("square-source", "−Δu = 1 on a square", problem, &[exact])
}

/// x(1 − x)/2 − Σ 4/m³ sin(mx) (e^{−m(1−y)} + e^{−my})/(1 + e^{−m}) over m = π, 3π, 5π, …
fn torsion(x: Real, y: Real) -> Real {
    // How fast the series converges depends on the distance of y from the boundary: the larger of the two distances is the
    // better.
    let distance = |t: f64| t.min(1.0 - t);
    let (x, y) = if distance(x.value()) > distance(y.value()) {
        (y, x)
    } else {
        (x, y)
    };
    let mut sum = x * (Real::from(1.0) - x) * 0.5;
    let mut m = PI;
    while m * distance(y.value()) < 40.0 && m < 2e4 {
        let decay = ((y - 1.0) * m).exp() + (y * (-m)).exp();
        sum = sum - (x * m).sin() * decay * (4.0 / m.powi(3) / (1.0 + (-m).exp()));
        m += 2.0 * PI;
    }
    sum
}

/// −Δu = f with u = exp(−s |x − c|²): a peak of width s^{−1/2}.
#[must_use]
pub fn peak_2d(sharpness: f64, center: [f64; 2]) -> Benchmark {
    let square = (X - center[0]).powi(2) + (Y - center[1]).powi(2);
    let exact = exp(-sharpness * square);
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), -laplacian(&exact))
        .dirichlet(&exact);
    Benchmark::new(
        "peak-2d",
        "−Δu = f, u = exp(−s |x − c|²)",
        problem,
        &[exact],
    )
}

/// exp(−s |x − c|²) on the unit cube.
#[must_use]
pub fn peak_3d(sharpness: f64, center: [f64; 3]) -> Benchmark {
    let square = (X - center[0]).powi(2) + (Y - center[1]).powi(2) + (Z - center[2]).powi(2);
    let exact = exp(-sharpness * square);
    let problem = LinearProblem::on(BoxDomain::unit(3))
        .equation(-laplacian(unknown("u")), -laplacian(&exact))
        .dirichlet(&exact);
    Benchmark::new(
        "peak-3d",
        "−Δu = f, u = exp(−s |x − c|²) on a cube",
        problem,
        &[exact],
    )
}

/// g(s) = s − (e^{(s−1)/ε} − e^{−1/ε})/(1 − e^{−1/ε}), which solves −εg″ + g′ = 1 and vanishes at 0 and 1.
fn layer(s: impl Into<Expr>, width: f64) -> Expr {
    let s = s.into();
    let end = (-1.0 / width).exp();
    &s - (exp((&s - 1.0) / width) - end) / (1.0 - end)
}

/// −εu″ + u′ = 1, u = 0 at both ends: a layer of width ε at 1.
#[must_use]
pub fn layer_1d(name: &'static str, width: f64) -> Benchmark {
    let u = unknown("u");
    let problem = LinearProblem::on(Interval::unit())
        .equation(-width * u.d(X).d(X) + u.d(X), 1.0)
        .dirichlet(0.0);
    Benchmark::new(name, "−εu″ + u′ = 1", problem, &[layer(X, width)])
}

/// −εΔu + u_x + u_y = f on the unit square, with layers of width ε along two sides.
#[must_use]
pub fn layer_2d(width: f64) -> Benchmark {
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(
            -width * laplacian(u) + u.d(X) + u.d(Y),
            layer(X, width) + layer(Y, width),
        )
        .dirichlet(0.0);
    let exact = layer(X, width) * layer(Y, width);
    Benchmark::new("layer-2d", "−εΔu + u_x + u_y = f", problem, &[exact])
}

/// Δu + k²u = 0 on the unit square, with the values of two plane waves.
#[must_use]
pub fn helmholtz_waves(name: &'static str, k: f64) -> Benchmark {
    let exact = cos(k * (0.6 * X + 0.8 * Y)) + sin(k * (0.8 * X - 0.6 * Y));
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u) + k * k * u, 0.0)
        .dirichlet(&exact);
    Benchmark::new(name, "Δu + k²u = 0, two plane waves", problem, &[exact])
}

/// ∇·(ν∇u) = f on [−1, 1]² with ν = 1 and `contrast` in a checkerboard of four: u has kinks, the flux has none.
///
/// # Errors
/// None that can occur.
pub fn interface_square(contrast: f64) -> Result<Benchmark, DomainError> {
    let checkered = sign(X) * sign(Y);
    let nu = 0.5 * (1.0 + contrast) + 0.5 * (1.0 - contrast) * checkered;
    let wave = sin(PI * X) * sin(PI * Y);
    let exact = &wave / &nu;
    let problem = LinearProblem::on(BoxDomain::new(&[-1.0, -1.0], &[1.0, 1.0])?)
        .equation(nu * laplacian(unknown("u")), -2.0 * PI * PI * wave)
        .dirichlet(0.0);
    Ok(Benchmark::new(
        "interface-square",
        "∇·(ν∇u) = f, ν jumps",
        problem,
        &[exact],
    ))
}

/// Plane elasticity on an L, with a smooth solution.
///
/// # Errors
/// None that can occur.
pub fn elastic_l() -> Result<Benchmark, DomainError> {
    let (lambda, mu) = (1.5, 1.0);
    let exact = [sin(2.0 * X) * cos(Y), exp(X - Y)];
    let stress = |w: &Expr| 2.0 * mu * strain(w) + lambda * div(w) * identity_matrix();
    let (field, known) = (vector(unknowns(["u", "v"])), vector(&exact));
    let problem = LinearProblem::on(l_shape()?)
        .equation(div(stress(&field)), div(stress(&known)))
        .condition(WALLS, &field, &known);
    Ok(Benchmark::new(
        "elastic-l",
        "plane elasticity on an L",
        problem,
        &exact,
    ))
}
