//! A smooth closed curve, given by its parameter, bounds the domain: a flower with a value on its edge.
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use fastlsq_solve::{
    ClosedCurve, Dual, LinearProblem, SolveError, X, Y, exp, laplacian, sin, unknown,
};

fn main() -> Result<(), SolveError> {
    let flower = ClosedCurve::new(|turn: Dual<1>| {
        let angle = TAU * turn;
        let radius = 1.0 + 0.3 * (5.0 * angle).cos();
        [radius * angle.cos(), radius * angle.sin()]
    })?;
    let (u, exact) = (unknown("u"), sin(2.0 * X) * exp(0.5 * Y) + X * Y);
    let solution = LinearProblem::on(flower)
        .equation(-laplacian(u), -laplacian(&exact))
        .dirichlet(&exact)
        .solve()?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("flower.png")?;
    let error = solution.at(u - exact, &[0.8, 0.1])?;
    println!("error at (0.8, 0.1): {error:.1e}");
    assert!(error.abs() < 1e-10);
    Ok(())
}
