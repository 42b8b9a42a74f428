//! A smooth closed curve and a ring between two ellipses, each in one line; values outside, a Robin condition inside.
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use fastlsq_solve::{
    ClosedCurve, DomainExt, Ellipse, LinearProblem, SolveError, X, Y, cos, laplacian,
    normal_derivative, unknown,
};

fn main() -> Result<(), SolveError> {
    let u = unknown("u");
    let flower = ClosedCurve::new(|turn| {
        let (angle, radius) = (TAU * turn, 1.0 + 0.3 * (5.0 * TAU * turn).cos());
        [radius * angle.cos(), radius * angle.sin()]
    })?;
    let petals = LinearProblem::on(flower)
        .equation(-laplacian(u), 1.0)
        .dirichlet(X * Y);
    println!("flower: {:.10}", petals.solve()?.value(&[0.0, 0.0])?);
    let hole = Ellipse::new([0.2, -0.1], [0.5, 0.3])?.named("inner");
    let ring = Ellipse::new([0.0, 0.0], [1.5, 1.0])?
        .named("outer")
        .difference(hole)?;
    let solution = LinearProblem::on(ring)
        .equation(-laplacian(u), cos(X - Y))
        .condition("outer", u, 0.0)
        .condition("inner", u + normal_derivative(u), 1.0)
        .solve()?;
    println!(
        "ring: {:.10}\n{}",
        solution.value(&[-0.9, 0.1])?,
        solution.report()
    );
    Ok(())
}
