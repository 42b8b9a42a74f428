//! Poisson's equation on the unit square in ten lines: −Δu = f, u = 0 on the boundary.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_solve::{BoxDomain, LinearProblem, SolveError, laplacian};

fn main() -> Result<(), SolveError> {
    let exact = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
    let u = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(2), move |x| 2.0 * PI * PI * exact(x))
        .dirichlet(|_| 0.0)
        .solve()?;
    println!("{}", u.report());

    let point = [0.3, 0.6];
    let error = (u.value(&point)? - exact(&point)).abs();
    println!("u(0.3, 0.6) = {:.15}, off by {error:.1e}", u.value(&point)?);
    assert!(error < 1e-11);
    Ok(())
}
