//! A value meets a slope in the middle of a straight side: u behaves like √r there.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    LinearProblem, Options, Polygon, SolveError, X, laplacian, normal_derivative, unknown,
};

fn main() -> Result<(), SolveError> {
    let u = unknown("u");
    let half = Polygon::new(&[[-1., 0.], [0., 0.], [1., 0.], [1., 1.], [-1., 1.]])?;
    let half = half.with_names(&["free", "fixed", "rest", "rest", "rest"])?;
    let solution = LinearProblem::on(half)
        .equation(laplacian(u), 0.0)
        .condition("free", normal_derivative(u), 0.0)
        .condition("fixed", u, 0.0)
        .condition("rest", u, 1.0 - X)
        .solve_with(&Options::new().tolerance(1e-6))?;
    println!("u(0, 0.1) = {:.6}", solution.value(&[0.0, 0.1])?);
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("mixed_corner.png")?;
    assert!(solution.report().error_estimate < 1e-5);
    Ok(())
}
