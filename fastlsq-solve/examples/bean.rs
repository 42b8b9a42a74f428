//! A bean that loses heat through its skin: a Robin condition 2u + ∂u/∂n = g on a curved boundary.
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use fastlsq_solve::{
    ClosedCurve, Dual, LinearProblem, SolveError, X, Y, cos, exp, laplacian, normal_derivative,
    unknown,
};

fn main() -> Result<(), SolveError> {
    let bean = ClosedCurve::new(|turn: Dual<1>| {
        let angle = TAU * turn;
        let radius = 1.0 + 0.7 * angle.cos();
        [radius * angle.cos(), radius * angle.sin()]
    })?;
    let (u, exact) = (unknown("u"), exp(0.4 * X) * cos(1.2 * Y));
    let solution = LinearProblem::on(bean)
        .equation(-laplacian(u), -laplacian(&exact))
        .robin(2.0, 1.0, 2.0 * &exact + normal_derivative(&exact))
        .solve()?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("bean.png")?;
    let error = solution.at(u - exact, &[1.0, 0.5])?;
    assert!(error.abs() < 1e-10, "{error:.1e}");
    Ok(())
}
