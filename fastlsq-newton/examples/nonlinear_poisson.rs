//! −Δu + u³ = f on the unit square in four lines.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_newton::{BoxDomain, NewtonError, NonlinearProblem};

fn main() -> Result<(), NewtonError> {
    let exact = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
    let source = move |x: &[f64]| 2.0 * PI * PI * exact(x) + exact(x).powi(3);

    let u = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(move |u, x| -u.laplacian() + u.value().powi(3) - source(x))
        .dirichlet(|_| 0.0)
        .solve()?;

    println!("{u}");
    let x = [0.3, 0.6];
    let error = (u.value(&x)? - exact(&x)).abs();
    println!("error at {x:?}: {error:.1e}");
    assert!(error < 1e-12);
    Ok(())
}
