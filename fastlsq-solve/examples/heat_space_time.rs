//! The heat equation on a disc, all times at once: u_t = Δu/4 with a cooled rim.
//!
//! Space-time is just another domain: time is the last axis, and the initial value is a condition
//! on one part of its boundary.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{Ball, DomainExt, LinearProblem, SolveError, laplacian_over, partial};

fn main() -> Result<(), SolveError> {
    // exp(−t/2) cos x cos y cools down everywhere at the same rate: Δ(cos x cos y) = −2 cos x cos y.
    let exact = |x: &[f64]| (-0.5 * x[2]).exp() * x[0].cos() * x[1].cos();
    let u = LinearProblem::on(Ball::unit(2).over(0.0, 2.0)?)
        .equation(partial(3, 2) - 0.25 * laplacian_over(3, &[0, 1]), |_| 0.0)
        .initial_value(exact)
        .dirichlet(exact)
        .solve()?;
    println!("{}", u.report());

    let mut worst = 0.0_f64;
    for t in [0.0, 0.5, 1.0, 2.0] {
        let centre = u.value(&[0.0, 0.0, t])?;
        worst = worst.max((centre - exact(&[0.0, 0.0, t])).abs());
        println!("temperature of the centre at t = {t}: {centre:.12}");
    }
    println!("largest error {worst:.1e}");
    assert!(worst < 1e-8);
    Ok(())
}
