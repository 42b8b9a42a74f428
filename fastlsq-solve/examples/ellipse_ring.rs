//! The ring between two ellipses: a value on the outer one, a Robin condition on the inner one.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    DomainExt, Ellipse, LinearProblem, SolveError, X, Y, cos, laplacian, normal_derivative, unknown,
};

fn main() -> Result<(), SolveError> {
    let u = unknown("u");
    let outer = Ellipse::new([0.0, 0.0], [1.5, 1.0])?.named("outer");
    let inner = Ellipse::new([0.2, -0.1], [0.5, 0.3])?.named("inner");
    let solution = LinearProblem::on(outer.difference(inner)?)
        .equation(-laplacian(u), cos(X - Y))
        .condition("outer", u, 0.0)
        .condition("inner", u + normal_derivative(u), 1.0)
        .solve()?;
    println!("u(-0.9, 0.1) = {:.10}", solution.value(&[-0.9, 0.1])?);
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("ellipse_ring.png")?;
    assert!(solution.report().error_estimate < 1e-6);
    Ok(())
}
