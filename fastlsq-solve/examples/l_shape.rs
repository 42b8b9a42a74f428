//! Corners are found, and what they do to the solution is known: the lightning solver's test on an L.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{LinearProblem, Options, Polygon, SolveError, X, laplacian, unknown};

fn main() -> Result<(), SolveError> {
    let l_shape = Polygon::new(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]])?;
    let solution = LinearProblem::on(l_shape)
        .equation(laplacian(unknown("u")), 0.0)
        .dirichlet((1.0 - X).powi(2))
        .solve_with(&Options::new().tolerance(1e-9))?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("l_shape.png")?;
    let value = solution.value(&[0.99, 0.99])?;
    println!("u(0.99, 0.99) = {value:.10} (known: 0.0467919261)");
    assert!((value - 0.046_791_926_1).abs() < 1e-9);
    Ok(())
}
