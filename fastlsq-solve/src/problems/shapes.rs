//! Problems on shapes that are not boxes: smooth boundaries, corners, holes, solids.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use fastlsq_basis::{Basis, CylinderBasis, Dual};
use fastlsq_ops::{
    Expr, Frame, X, Y, Z, atan, coordinate, cos, exp, laplacian, normal_derivative, sin, sqrt,
    unknown, unknowns,
};
use ndarray::Array2;

use super::Benchmark;
use crate::SolveError;
use crate::domain::{
    Ball, BoundingBox, BoxDomain, ClosedCurve, Domain, DomainError, DomainExt, Ellipse, Polygon,
    REST, Torus, WALLS,
};
use crate::problem::LinearProblem;
use crate::solution::Solution;

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

/// Δu = 0 on a star of twelve corners, six of which are re-entrant, with the values x².
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

/// A problem with the exact values of its unknowns at a point, zero where an unknown does not live.
#[derive(Clone)]
#[non_exhaustive]
pub struct Solved {
    /// What it is called.
    pub name: &'static str,
    /// The statement.
    pub problem: LinearProblem,
    exact: Arc<Exact>,
}

type Exact = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

impl std::fmt::Debug for Solved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solved")
            .field("name", &self.name)
            .field("problem", &self.problem)
            .finish_non_exhaustive()
    }
}

impl Solved {
    /// The relative error of a solution in L², over all unknowns together.
    ///
    /// # Errors
    /// A solution of another problem.
    pub fn error(&self, solution: &Solution, count: usize) -> Result<f64, SolveError> {
        let points = super::test_points(self.problem.domain(), count)?;
        let exact: Vec<Vec<f64>> = points
            .rows()
            .into_iter()
            .map(|point| (self.exact)(&point.to_vec()))
            .collect();
        let (mut difference, mut size) = (0.0, 0.0);
        for (k, unknown) in solution.unknowns().iter().enumerate() {
            let found = solution.evaluate(*unknown, &points)?;
            for (found, exact) in found.iter().zip(&exact) {
                difference += (found - exact[k]).powi(2);
                size += exact[k].powi(2);
            }
        }
        Ok((difference / size).sqrt())
    }
}

/// −∇·(ν∇u) = f on a square, ν = 10 in a disc and 1 around it: v inside, u outside, the same value and flux between them.
///
/// # Errors
/// None that can occur.
pub fn disc_in_square() -> Result<Solved, SolveError> {
    const NU: f64 = 10.0;
    const RADIUS: f64 = 0.25;
    const CENTER: [f64; 2] = [0.45, 0.55];
    let [u, v] = unknowns(["u", "v"]);
    let (x, y) = (X - CENTER[0], Y - CENTER[1]);
    let square = x.clone().powi(2) + y.powi(2);
    // What a uniform field becomes, and something with a source that vanishes on the circle.
    let bump = sin(3.0 * (&square - RADIUS * RADIUS)) * exp(X - 0.5 * Y);
    let outside = &x * (1.0 + (1.0 - NU) / (1.0 + NU) * RADIUS * RADIUS / square) + &bump;
    let inside = 2.0 / (1.0 + NU) * x + bump / NU;
    let plate = BoxDomain::unit(2).with_region("disc", Ball::new(&CENTER, RADIUS)?)?;
    let frame = Frame::new(plate.coordinates(), []);
    let values = [frame.field(outside.clone())?, frame.field(inside.clone())?];
    let problem = LinearProblem::on(plate)
        .equation_in(REST, -laplacian(u), -laplacian(&outside))
        .equation_in("disc", -NU * laplacian(v), -NU * laplacian(inside))
        .condition("disc", u - v, 0.0)
        .condition(
            "disc",
            normal_derivative(u) - NU * normal_derivative(v),
            0.0,
        )
        .condition(WALLS, u, outside);
    let exact = move |point: &[f64]| {
        let own = usize::from((point[0] - CENTER[0]).hypot(point[1] - CENTER[1]) < RADIUS);
        let at = Array2::from_shape_fn((1, 2), |(_, k)| point[k]);
        let mut both = vec![0.0; 2];
        both[own] = values[own]
            .evaluate(&at)
            .map_or(f64::NAN, |values| values[0]);
        both
    };
    Ok(Solved {
        name: "disc-in-square",
        problem,
        exact: Arc::new(exact),
    })
}

/// What a plane wave e^{ikx} with k = 10 becomes behind a disc of radius 1 without pressure on it, without the wave itself.
///
/// The series is Σ −εₙ iⁿ Jₙ(k)/Hₙ(k) Hₙ(kr) cos nθ, ε₀ = 1 and εₙ = 2 (Rayleigh).
///
/// # Errors
/// None that can occur.
pub fn scatter_disc() -> Result<Solved, SolveError> {
    const K: f64 = 10.0;
    const ORDERS: usize = 60;
    let [p, q] = unknowns(["p", "q"]);
    let near = BoundingBox::new(&[-2.5, -2.5], &[2.5, 2.5])?;
    let problem = LinearProblem::on(Ball::unit(2).exterior(&near)?)
        .equation(laplacian(p) + K * K * p, 0.0)
        .equation(laplacian(q) + K * K * q, 0.0)
        .condition(WALLS, p, -cos(K * X))
        .condition(WALLS, q, -sin(K * X))
        .outgoing(p, q);
    // Unscaled up to the order k times the radius: far beyond what is used.
    let regular = CylinderBasis::regular([0.0; 2], K, ORDERS, 10.0)?.value_at(&[1.0, 0.0])?;
    let [real, imaginary] = CylinderBasis::outgoing([0.0; 2], K, ORDERS, 1.0)?;
    let rim = [
        real.value_at(&[1.0, 0.0])?,
        imaginary.value_at(&[1.0, 0.0])?,
    ];
    let exact = move |point: &[f64]| {
        let (Ok(real), Ok(imaginary)) = (real.value_at(point), imaginary.value_at(point)) else {
            return vec![f64::NAN; 2];
        };
        let mut sum = [0.0; 2];
        for n in 0..=ORDERS {
            // cos nθ stands before sin nθ, and J before Y.
            let column = if n == 0 { 0 } else { 2 * n - 1 };
            let (a, b) = (rim[0][2 * column], rim[1][2 * column]);
            let factor = -regular[column] * if n == 0 { 1.0 } else { 2.0 } / (a * a + b * b);
            let (c, d) = (real[2 * column], imaginary[2 * column]);
            let term = [factor * (a * c + b * d), factor * (a * d - b * c)];
            let turned = match n % 4 {
                0 => term,
                1 => [-term[1], term[0]],
                2 => [-term[0], -term[1]],
                _ => [term[1], -term[0]],
            };
            sum = [sum[0] + turned[0], sum[1] + turned[1]];
        }
        sum.to_vec()
    };
    Ok(Solved {
        name: "scatter-disc",
        problem,
        exact: Arc::new(exact),
    })
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
        super::disc_in_square().unwrap();
        super::scatter_disc().unwrap();
        super::tokamak().unwrap();
    }
}
