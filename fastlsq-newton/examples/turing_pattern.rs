//! A spot that divides: two substances that feed on each other (Gray and Scott), on a periodic square.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_newton::{
    BoxDomain, DomainExt, INITIAL, NewtonError, NewtonOptions, NonlinearProblem, T, X, Y, exp,
    laplacian, sin, unknowns,
};

const SIDE: f64 = 0.4;
const FEED: f64 = 0.035;
const KILL: f64 = 0.06;

fn main() -> Result<(), NewtonError> {
    let [u, v] = unknowns(["u", "v"]);
    let shape = sin(PI * X / SIDE).powi(2) * sin(PI * Y / SIDE).powi(2);
    let spot = exp(12.0 * (shape - 1.0));
    let square = BoxDomain::new(&[0.0; 2], &[SIDE; 2])?.over(0.0, 900.0)?;
    let pattern = NonlinearProblem::on(square)
        .equation(u.d(T), 2e-5 * laplacian(u) - u * v * v + FEED * (1.0 - u))
        .equation(v.d(T), 1e-5 * laplacian(v) + u * v * v - (FEED + KILL) * v)
        .condition(INITIAL, u, 1.0 - 0.5 * &spot)
        .condition(INITIAL, v, 0.25 * &spot)
        .periodic(X)
        .periodic(Y)
        .solve_with(&NewtonOptions::new().tolerance(1e-2))?;
    println!("{pattern}");
    #[cfg(feature = "plot")]
    pattern.unknown(v)?.plot("turing_pattern.png")?;

    // The spot has left the middle.
    let middle = [0.5 * SIDE, 0.5 * SIDE];
    let at = |time: f64| pattern.at(v, &[middle[0], middle[1], time]);
    println!(
        "v in the middle: {:.4} at the start, {:.4} at the end",
        at(0.0)?,
        at(900.0)?
    );
    assert!(at(900.0)? < 0.5 * at(0.0)?);
    Ok(())
}
