//! A pattern from a spot: two substances, one feeding on the other (Gray and Scott), on a periodic square.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_newton::{
    BoxDomain, DomainExt, INITIAL, NewtonError, NewtonOptions, NonlinearProblem, T, X, Y, exp,
    laplacian, sin, unknowns,
};

const SIDE: f64 = 0.2;
const FEED: f64 = 0.04;
const KILL: f64 = 0.06;
const END: f64 = 200.0;

fn main() -> Result<(), NewtonError> {
    let [u, v] = unknowns(["u", "v"]);
    let shape = sin(PI * X / SIDE).powi(2) * sin(PI * Y / SIDE).powi(2);
    let spot = exp(4.0 * (shape - 1.0));
    let square = BoxDomain::new(&[0.0; 2], &[SIDE; 2])?.over(0.0, END)?;
    let pattern = NonlinearProblem::on(square)
        .equation(u.d(T), 2e-5 * laplacian(u) - u * v * v + FEED * (1.0 - u))
        .equation(v.d(T), 1e-5 * laplacian(v) + u * v * v - (FEED + KILL) * v)
        .condition(INITIAL, u, 1.0 - 0.5 * &spot)
        .condition(INITIAL, v, 0.5 * &spot)
        .periodic(X)
        .periodic(Y)
        .solve_with(&NewtonOptions::new().tolerance(1e-4))?;
    println!("{pattern}");
    #[cfg(feature = "plot")]
    pattern.unknown(v)?.plot("turing_pattern.png")?;

    // The square is periodic and the spot its own mirror image: so is the pattern.
    let at = |x: f64, y: f64| pattern.at(v, &[x, y, END]);
    let (one, other) = (at(0.05, 0.08)?, at(SIDE - 0.05, 0.08)?);
    println!("v at the end, and at the mirrored point: {one:.8}, {other:.8}");
    assert!((one - other).abs() < 1e-4);
    Ok(())
}
