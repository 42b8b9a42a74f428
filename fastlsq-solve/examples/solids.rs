//! Solids: a ball with a hole in it, a value outside and a slope inside; and a torus.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    Ball, DomainExt, LinearProblem, SolveError, Torus, X, Y, Z, cos, laplacian, normal_derivative,
    unknown,
};

fn main() -> Result<(), SolveError> {
    let u = unknown("u");
    let hole = Ball::new(&[0.2, 0.1, 0.0], 0.3)?.named("hole");
    let exact = X * Z + 0.5 * Y * Y;
    let shell = LinearProblem::on(Ball::unit(3).named("outer").difference(hole)?)
        .equation(-laplacian(u), -1.0)
        .condition("outer", u, &exact)
        .condition("hole", normal_derivative(u), normal_derivative(&exact))
        .solve()?;
    println!("ball: {:.8} (0.165)", shell.value(&[0.5, 0.5, 0.08])?);
    let ring = LinearProblem::on(Torus::new([0.0; 3], 1.0, 0.4)?)
        .equation(-laplacian(u), 1.25 * cos(X - 0.5 * Z))
        .dirichlet(cos(X - 0.5 * Z))
        .solve()?;
    println!("torus: {:.8} (cos 1)", ring.value(&[1.1, 0.0, 0.2])?);
    #[cfg(feature = "plot")]
    ring.plot("solids.png")?;
    assert!((ring.value(&[1.1, 0.0, 0.2])? - 1_f64.cos()).abs() < 1e-7);
    Ok(())
}
