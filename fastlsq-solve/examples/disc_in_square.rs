//! Two materials in one problem: heat in a square plate with a disc that conducts ten times better.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    Ball, BoxDomain, DomainExt, LinearProblem, Options, REST, SolveError, X, Y, laplacian,
    normal_derivative, unknowns,
};

fn main() -> Result<(), SolveError> {
    let [outside, inside] = unknowns(["u", "v"]);
    let plate = BoxDomain::unit(2).with_region("disc", Ball::new(&[0.5, 0.5], 0.26)?)?;
    let slope = normal_derivative(outside);
    let solution = LinearProblem::on(plate)
        .equation_in(REST, -laplacian(outside), 0.0)
        .equation_in("disc", -10.0 * laplacian(inside), 0.0)
        .condition("disc", outside - inside, 0.0)
        .condition("disc", &slope - 10.0 * normal_derivative(inside), 0.0)
        .condition(X.lo(), outside, 0.0)
        .condition(X.hi(), outside, 1.0)
        .condition(Y.lo(), &slope, 0.0)
        .condition(Y.hi(), slope, 0.0)
        .solve_with(&Options::new().tolerance(1e-8))?;
    #[cfg(feature = "plot")] // Each unknown is zero outside of its region.
    solution
        .quantities([("temperature", outside + inside)])
        .plot("disc_in_square.png")?;
    println!("{}", solution.report());
    assert!((solution.at(inside, &[0.5, 0.5])? - 0.5).abs() < 1e-8);
    Ok(())
}
