//! −Δu + u³ = f on the unit square in four lines.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_newton::{BoxDomain, NewtonError, NonlinearProblem, X, Y, laplacian, sin, unknown};

fn main() -> Result<(), NewtonError> {
    let u = unknown("u");
    let exact = sin(PI * X) * sin(PI * Y);

    let solution = NonlinearProblem::on(BoxDomain::unit(2))
        .equation(
            -laplacian(u) + u.powi(3),
            -laplacian(&exact) + exact.powi(3),
        )
        .dirichlet(0.0)
        .solve()?;

    println!("{solution}");
    #[cfg(feature = "plot")]
    {
        solution.plot("nonlinear_poisson.png")?;
        let convergence = solution.newton().figure();
        convergence
            .save("nonlinear_poisson-convergence.png")
            .map_err(fastlsq_newton::SolveError::from)?;
    }
    // Any expression can be evaluated, the error among them.
    let x = [0.3, 0.6];
    let error = solution.at(u - exact, &x)?.abs();
    println!("error at {x:?}: {error:.1e}");
    assert!(error < 1e-12);
    Ok(())
}
