//! Poisson's equation on the unit square in ten lines: −Δu = f, u = 0 on the boundary.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_solve::{BoxDomain, LinearProblem, SolveError, X, Y, laplacian, sin, unknown};

fn main() -> Result<(), SolveError> {
    let (u, exact) = (unknown("u"), sin(PI * X) * sin(PI * Y));
    let solution = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), -laplacian(&exact))
        .dirichlet(0.0)
        .solve()?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("poisson.png")?;

    let point = [0.3, 0.6];
    let error = solution.at(u - exact, &point)?.abs();
    println!(
        "u(0.3, 0.6) = {:.15}, off by {error:.1e}",
        solution.value(&point)?
    );
    assert!(error < 1e-11);
    Ok(())
}
