//! The heat equation on a disc, all times at once: u_t = Δu/4 with a cooled rim.
//!
//! Space-time is just another domain: time is its last coordinate, and the initial value is a condition
//! on one part of its boundary.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    Ball, DomainExt, LinearProblem, SolveError, T, X, Y, cos, exp, laplacian, unknown,
};

fn main() -> Result<(), SolveError> {
    // Cools down everywhere at the same rate: Δ(cos x cos y) = −2 cos x cos y.
    let (u, exact) = (unknown("u"), exp(-0.5 * T) * cos(X) * cos(Y));
    let solution = LinearProblem::on(Ball::unit(2).over(0.0, 2.0)?)
        .equation(u.d(T), 0.25 * laplacian(u))
        .initial_value(&exact)
        .dirichlet(&exact)
        .solve()?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("heat_space_time.png")?;

    let mut worst = 0.0_f64;
    for t in [0.0, 0.5, 1.0, 2.0] {
        let centre = [0.0, 0.0, t];
        worst = worst.max(solution.at(u - &exact, &centre)?.abs());
        let temperature = solution.value(&centre)?;
        println!("temperature of the centre at t = {t}: {temperature:.12}");
    }
    println!("largest error {worst:.1e}");
    assert!(worst < 1e-8);
    Ok(())
}
