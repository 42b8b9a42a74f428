//! A plate with four round holes at given temperatures: functions of the holes are added automatically.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use fastlsq_solve::{
    Ball, BoxDomain, Domain, DomainExt, LinearProblem, Options, SolveError, X, Y, laplacian,
    unknown,
};

fn main() -> Result<(), SolveError> {
    let mut plate: Arc<dyn Domain> = Arc::new(BoxDomain::unit(2).named("rim"));
    let centers = [[0.25, 0.3], [0.7, 0.25], [0.3, 0.72], [0.72, 0.7]];
    for (center, name) in centers.iter().zip(["hot", "cold", "hot", "cold"]) {
        plate = Arc::new(plate.difference(Ball::new(center, 0.1)?.named(name))?);
    }
    let u = unknown("u");
    let solution = LinearProblem::on_shared(plate)
        .equation(laplacian(u), 0.0)
        .condition("rim", u, X * X - 0.5 * Y)
        .condition("hot", u, 1.0)
        .condition("cold", u, 0.0)
        .solve_with(&Options::new().tolerance(1e-7))?;
    println!("in the middle: {:.7}", solution.value(&[0.5, 0.5])?);
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("four_holes.png")?;
    assert!(solution.report().error_estimate < 1e-6);
    Ok(())
}
