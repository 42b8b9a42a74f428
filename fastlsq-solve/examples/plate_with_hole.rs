//! Heat in a plate with a hole: the edge is cold, the rim of the hole is hot, nothing else heats it.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    Ball, BoxDomain, DomainExt, LinearProblem, Options, SolveError, laplacian, unknown,
};

fn main() -> Result<(), SolveError> {
    let hole = Ball::new(&[0.35, 0.55], 0.15)?.named("hole");
    let plate = BoxDomain::unit(2).named("edge").difference(hole)?;
    let u = unknown("u");
    let temperature = LinearProblem::on(plate)
        .equation(laplacian(u), 0.0)
        .condition("edge", u, 0.0)
        .condition("hole", u, 1.0)
        .solve_with(&Options::new().tolerance(1e-8))?;
    println!("{}", temperature.report());
    #[cfg(feature = "plot")]
    temperature.plot("plate_with_hole.png")?;

    // Harmonic functions have no extremum inside, and the mean over a circle is the value at its centre.
    let centre = [0.75, 0.35];
    let around = (0..32).map(|k| {
        let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 32.0).sin_cos();
        temperature.value(&[centre[0] + 0.2 * cos, centre[1] + 0.2 * sin])
    });
    let mean = around.sum::<Result<f64, _>>()? / 32.0;
    let value = temperature.value(&centre)?;
    println!("at {centre:?}: {value:.9}, mean over a circle around it: {mean:.9}");
    assert!((mean - value).abs() < 1e-7 && value > 0.0 && value < 1.0);
    Ok(())
}
