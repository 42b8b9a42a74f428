//! A re-entrant corner: −Δu = 1 on an L-shape. Patches refine towards it automatically.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{LinearProblem, Options, Polygon, SolveError, laplacian, unknown};

fn main() -> Result<(), SolveError> {
    let l_shape = Polygon::new(&[
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [-1.0, 1.0],
        [-1.0, -1.0],
        [0.0, -1.0],
    ])?;
    let u = LinearProblem::on(l_shape)
        .equation(-laplacian(unknown("u")), 1.0)
        .dirichlet(0.0)
        .solve_with(&Options::new().tolerance(1e-8))?;
    println!("{}", u.report());
    #[cfg(feature = "plot")]
    u.plot_patches("corner.png")?;

    // The shape is its own mirror image across the diagonal through the corner.
    let (a, b) = (u.value(&[-0.3, 0.6])?, u.value(&[-0.6, 0.3])?);
    println!("u(−0.3, 0.6) = {a:.10}, u(−0.6, 0.3) = {b:.10}");
    assert!((a - b).abs() < 1e-7);
    Ok(())
}
