//! A sixth of a ring stands for all of it: its straight sides are turned into each other.
#![allow(clippy::print_stdout)]

use std::f64::consts::FRAC_PI_3;

use fastlsq_solve::{
    Annulus, DomainExt, HalfSpace, LinearProblem, Motion, SolveError, X, Y, laplacian, unknown,
};

fn main() -> Result<(), SolveError> {
    let first = HalfSpace::new(&[0.0, 0.0], &[0.0, -1.0])?.named("first");
    let (sin, cos) = FRAC_PI_3.sin_cos();
    let last = HalfSpace::new(&[0.0, 0.0], &[-sin, cos])?.named("last");
    let ring = Annulus::new(&[0.0, 0.0], 0.5, 1.0)?;
    let sector = ring.cut(&first)?.cut(&last)?;
    // Re z³ squared has the symmetry.
    let teeth = (X.powi(3) - 3.0 * X * Y.powi(2)).powi(2);
    let solution = LinearProblem::on(sector)
        .equation(-laplacian(unknown("u")), 1.0)
        .condition("inner", unknown("u"), 0.0)
        .condition("outer", unknown("u"), teeth)
        .identified("first", Motion::rotation(2, [0, 1], FRAC_PI_3)?)
        .solve()?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("glued_sector.png")?;
    let one = solution.value(&[0.75, 0.0])?;
    let other = solution.value(&[0.75 * cos, 0.75 * sin])?;
    println!("on the two sides: {one:.10}, {other:.10}");
    assert!((one - other).abs() < 1e-8);
    Ok(())
}
