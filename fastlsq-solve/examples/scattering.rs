//! A plane wave meets a soft disc: the scattered wave leaves it, and nothing comes back from far away.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    Ball, BoundingBox, DomainExt, LinearProblem, Options, SolveError, WALLS, X, cos, laplacian,
    sin, unknowns,
};

fn main() -> Result<(), SolveError> {
    let (k, [p, q]) = (10.0, unknowns(["p", "q"]));
    let near_field = BoundingBox::new(&[-2.5, -2.5], &[2.5, 2.5])?;
    let solution = LinearProblem::on(Ball::unit(2).exterior(&near_field)?)
        .equation(laplacian(p) + k * k * p, 0.0)
        .equation(laplacian(q) + k * k * q, 0.0)
        .condition(WALLS, p, -cos(k * X))
        .condition(WALLS, q, -sin(k * X))
        .outgoing(p, q)
        .solve_with(&Options::new().tolerance(1e-7))?;
    let total = solution.at(p + cos(k * X), &[2.0, 0.0])?;
    println!("real part in the shadow: {total:.7}");
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution
        .quantities([("scattered", p.into()), ("total", p + cos(k * X))])
        .plot("scattering.png")?;
    assert!(solution.report().error_estimate < 1e-6);
    Ok(())
}
