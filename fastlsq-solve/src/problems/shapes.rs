//! Problems on shapes that are no boxes: smooth boundaries, corners, holes, solids.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use fastlsq_basis::Dual;
use fastlsq_ops::{
    Expr, X, Y, Z, atan, coordinate, cos, exp, laplacian, normal_derivative, sin, sqrt, unknown,
};

use super::Benchmark;
use crate::domain::{
    Ball, BoxDomain, ClosedCurve, Domain, DomainError, DomainExt, Ellipse, Polygon, Torus, WALLS,
};
use crate::problem::LinearProblem;

/// −Δu = f on a flower of five petals with the values of a smooth function.
///
/// # Errors
/// None that can occur.
pub fn flower() -> Result<Benchmark, DomainError> {
    let domain = ClosedCurve::new(|turn: Dual<1>| {
        let angle = TAU * turn;
        let radius = 1.0 + 0.3 * (5.0 * angle).cos();
        [radius * angle.cos(), radius * angle.sin()]
    })?;
    let exact = sin(2.0 * X) * exp(0.5 * Y) + X * Y;
    let problem = LinearProblem::on(domain)
        .equation(-laplacian(unknown("u")), -laplacian(&exact))
        .dirichlet(&exact);
    Ok(Benchmark::new(
        "flower",
        "−Δu = f on a flower, u given",
        problem,
        &[exact],
    ))
}

/// −Δu = f between two ellipses: the value outside, u + ∂u/∂n inside.
///
/// # Errors
/// None that can occur.
pub fn ellipse_ring() -> Result<Benchmark, DomainError> {
    let outer = Ellipse::new([0.0, 0.0], [1.5, 1.0])?.named("outer");
    let inner = Ellipse::new([0.2, -0.1], [0.5, 0.3])?.named("inner");
    let u = unknown("u");
    let exact = cos(1.5 * X - Y) + 0.2 * X * X * Y;
    let problem = LinearProblem::on(outer.difference(inner)?)
        .equation(-laplacian(u), -laplacian(&exact))
        .condition("outer", u, &exact)
        .condition(
            "inner",
            u + normal_derivative(u),
            &exact + normal_derivative(&exact),
        );
    Ok(Benchmark::new(
        "ellipse-ring",
        "−Δu = f between two ellipses, u and u + ∂u/∂n given",
        problem,
        &[exact],
    ))
}

/// −Δu = f on a bean with 2u + ∂u/∂n given.
///
/// # Errors
/// None that can occur.
pub fn bean() -> Result<Benchmark, DomainError> {
    let domain = ClosedCurve::new(|turn: Dual<1>| {
        let angle = TAU * turn;
        let radius = 1.0 + 0.7 * angle.cos();
        [radius * angle.cos(), radius * angle.sin()]
    })?;
    let exact = exp(0.4 * X) * cos(1.2 * Y);
    let problem = LinearProblem::on(domain)
        .equation(-laplacian(unknown("u")), -laplacian(&exact))
        .robin(2.0, 1.0, 2.0 * &exact + normal_derivative(&exact));
    Ok(Benchmark::new(
        "bean",
        "−Δu = f on a bean, 2u + ∂u/∂n given",
        problem,
        &[exact],
    ))
}

/// Δu = 0 on an L with the values (1 − x)²; where its value is known, and the value.
///
/// With x² instead, u(0.99, 0.99) is 1.0267919261 to all digits shown (A. Gopal and L. N. Trefethen, *Solving Laplace
/// problems with corner singularities via rational functions*); the difference 1 − 2x is harmonic.
///
/// # Errors
/// None that can occur.
pub fn l_shape_lightning() -> Result<(LinearProblem, [f64; 2], f64), DomainError> {
    let domain = Polygon::new(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]])?;
    let problem = LinearProblem::on(domain)
        .equation(laplacian(unknown("u")), 0.0)
        .dirichlet((1.0 - X).powi(2));
    Ok((problem, [0.99, 0.99], 1.026_791_926_1 - 0.98))
}

/// Δu = 0 on a star of twelve corners, six of which re-enter, with the values x².
///
/// # Errors
/// None that can occur.
pub fn polygon_12() -> Result<LinearProblem, DomainError> {
    let vertices: Vec<[f64; 2]> = (0..12u8)
        .map(|k| {
            let radius = if k % 2 == 0 { 1.0 } else { 0.7 };
            let (sin, cos) = (f64::from(k) * PI / 6.0).sin_cos();
            [radius * cos, radius * sin]
        })
        .collect();
    Ok(LinearProblem::on(Polygon::new(&vertices)?)
        .equation(laplacian(unknown("u")), 0.0)
        .dirichlet(X * X))
}

/// Δu = 0 on half a square, where the condition changes from a slope to a value in the middle of a side: u = Im √z.
///
/// # Errors
/// None that can occur.
pub fn mixed_corner() -> Result<Benchmark, DomainError> {
    let half = Polygon::new(&[[-1., 0.], [0., 0.], [1., 0.], [1., 1.], [-1., 1.]])?;
    let half = half.with_names(&["free", "fixed", "rest", "rest", "rest"])?;
    let u = unknown("u");
    let radius = sqrt(X * X + Y * Y);
    // Half the angle, without cancellation in the upper half of the plane.
    let exact = sqrt(&radius) * sin(atan(Y / (&radius + X)));
    let problem = LinearProblem::on(half)
        .equation(laplacian(u), 0.0)
        .condition("free", normal_derivative(u), 0.0)
        .condition("fixed", u, 0.0)
        .condition("rest", u, &exact);
    Ok(Benchmark::new(
        "mixed-corner",
        "Δu = 0, a value meets a slope on a straight side",
        problem,
        &[exact],
    ))
}

/// Δu = 0 on a square with four round holes, u = 1 and 0 on them by turns and x² − y/2 outside.
///
/// # Errors
/// None that can occur.
pub fn four_holes() -> Result<LinearProblem, DomainError> {
    let holes = [
        ([0.25, 0.3], 0.1),
        ([0.7, 0.25], 0.12),
        ([0.3, 0.72], 0.13),
        ([0.72, 0.7], 0.09),
    ];
    let mut plate: Arc<dyn Domain> = Arc::new(BoxDomain::unit(2));
    for (k, (center, radius)) in holes.into_iter().enumerate() {
        let hole = Ball::new(&center, radius)?.named(&format!("hole {}", k + 1));
        plate = Arc::new(plate.difference(hole)?);
    }
    let u = unknown("u");
    let mut problem = LinearProblem::on(plate).equation(laplacian(u), 0.0);
    for name in ["x=lo", "x=hi", "y=lo", "y=hi"] {
        problem = problem.condition(name, u, X * X - 0.5 * Y);
    }
    for (name, value) in [
        ("hole 1", 1.0),
        ("hole 2", 0.0),
        ("hole 3", 1.0),
        ("hole 4", 0.0),
    ] {
        problem = problem.condition(name, u, value);
    }
    Ok(problem)
}

/// −Δu = f in a ball with a ball cut out of it: the value outside, the slope inside.
///
/// # Errors
/// None that can occur.
pub fn ball_with_hole() -> Result<Benchmark, DomainError> {
    let outer = Ball::unit(3).named("outer");
    let hole = Ball::new(&[0.2, 0.1, 0.0], 0.3)?.named("hole");
    let u = unknown("u");
    let exact = sin(X + 0.5 * Y) * exp(0.5 * Z) + X * Z;
    let problem = LinearProblem::on(outer.difference(hole)?)
        .equation(-laplacian(u), -laplacian(&exact))
        .condition("outer", u, &exact)
        .condition("hole", normal_derivative(u), normal_derivative(&exact));
    Ok(Benchmark::new(
        "ball-with-hole",
        "−Δu = f in a ball with a hole, u and ∂u/∂n given",
        problem,
        &[exact],
    ))
}

/// −Δu = f in a torus with u + ∂u/∂n given.
///
/// # Errors
/// None that can occur.
pub fn torus() -> Result<Benchmark, DomainError> {
    let u = unknown("u");
    let exact = cos(X - 0.5 * Z) + 0.3 * X * Y;
    let problem = LinearProblem::on(Torus::new([0.0; 3], 1.0, 0.4)?)
        .equation(-laplacian(u), -laplacian(&exact))
        .condition(
            WALLS,
            u + normal_derivative(u),
            &exact + normal_derivative(&exact),
        );
    Ok(Benchmark::new(
        "torus",
        "−Δu = f in a torus, u + ∂u/∂n given",
        problem,
        &[exact],
    ))
}

/// R(ψ_R/R)_R + ψ_ZZ = R² on a D-shaped section of a tokamak: an equilibrium of Solov'ev's.
///
/// # Errors
/// None that can occur.
pub fn tokamak() -> Result<Benchmark, DomainError> {
    let section = ClosedCurve::new(|turn: Dual<1>| {
        let angle = TAU * turn;
        let bent = angle + 0.336 * angle.sin();
        [1.0 + 0.32 * bent.cos(), 0.544 * angle.sin()]
    })?;
    let (psi, r, z) = (unknown("ψ"), coordinate("R"), coordinate("Z"));
    let exact = r.powi(4) / 8.0 + 0.075 - 0.19 * r.powi(2)
        + 0.03 * (r.powi(4) - 4.0 * r.powi(2) * z.powi(2));
    let shafranov = |psi: &Expr| r * (psi.d(r) / r).d(r) + psi.d(z).d(z);
    let problem = LinearProblem::on(section.with_coordinates(["R", "Z"]))
        .equation(shafranov(&psi.into()), r.powi(2))
        .dirichlet(&exact);
    Ok(Benchmark::new(
        "tokamak",
        "R(ψ_R/R)_R + ψ_ZZ = R² on a D",
        problem,
        &[exact],
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

    #[test]
    fn every_shape_can_be_built() {
        super::flower().unwrap();
        super::ellipse_ring().unwrap();
        super::bean().unwrap();
        super::l_shape_lightning().unwrap();
        super::polygon_12().unwrap();
        super::mixed_corner().unwrap();
        super::four_holes().unwrap();
        super::ball_with_hole().unwrap();
        super::torus().unwrap();
        super::tokamak().unwrap();
    }
}
