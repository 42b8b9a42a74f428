//! u_tt − u_xx + sin u = 0: a breather over time, slab by slab.
//!
//! The interval is a quarter of the benchmark's, so that the example takes seconds.
#![allow(clippy::print_stdout)]

use fastlsq_newton::{Interval, NewtonError, NewtonOptions, NonlinearProblem, Slabs, SpaceTime};

fn main() -> Result<(), NewtonError> {
    let omega: f64 = 0.5;
    let kappa = (1.0 - omega * omega).sqrt();
    let exact = move |x: &[f64]| {
        4.0 * (kappa / omega * (omega * x[1]).sin() / (kappa * x[0]).cosh()).atan()
    };
    let velocity = move |x: &[f64]| 4.0 * kappa / (kappa * x[0]).cosh();

    let domain = SpaceTime::new(Interval::new(-10.0, 10.0)?, 0.0, 5.0)?;
    let breather = NonlinearProblem::on(domain)
        .equation(|u, _| u.partial_order(1, 2) - u.partial_order(0, 2) + u.value().sin())
        .initial_value(exact)
        .initial_velocity(velocity)
        .dirichlet(exact)
        .solve_in_slabs(Slabs::Length(1.25), &NewtonOptions::new().tolerance(1e-6))?;

    println!("   t     u(0, t)      error");
    let mut worst = 0.0f64;
    for step in 0..=20 {
        let x = [0.0, 0.25 * f64::from(step)];
        let u = breather.value(&x)?;
        let error = (u - exact(&x)).abs();
        worst = worst.max(error);
        let height = (6.0 * u).round().max(0.0) as usize;
        println!(
            "{:5.2}  {u:9.6}  {error:9.1e}  {}",
            x[1],
            "▪".repeat(height)
        );
    }
    println!("{} slabs, worst error {worst:.1e}", breather.pieces().len());
    assert!(worst < 1e-4);
    Ok(())
}
