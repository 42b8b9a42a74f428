//! A star with twelve corners, six of which are re-entrant: their singular functions are added automatically.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_solve::{LinearProblem, Options, Polygon, SolveError, X, laplacian, unknown};

fn main() -> Result<(), SolveError> {
    let corner = |k: i32| {
        let (sin, cos) = (f64::from(k) * PI / 6.0).sin_cos();
        let radius = if k % 2 == 0 { 1.0 } else { 0.7 };
        [radius * cos, radius * sin]
    };
    let star = Polygon::new(&(0..12).map(corner).collect::<Vec<_>>())?;
    let solution = LinearProblem::on(star)
        .equation(laplacian(unknown("u")), 0.0)
        .dirichlet(X * X)
        .solve_with(&Options::new().tolerance(1e-8))?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("star.png")?;
    let (one, other) = (solution.value(&[0.5, 0.2])?, solution.value(&[0.5, -0.2])?);
    println!("u(0.5, 0.2) = {one:.9}, u(0.5, −0.2) = {other:.9}");
    assert!((one - other).abs() < 1e-7);
    Ok(())
}
