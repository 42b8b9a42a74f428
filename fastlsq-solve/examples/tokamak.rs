//! The flux ψ in a D-shaped section of a tokamak: R(ψ_R/R)_R + ψ_ZZ = R² (an equilibrium of Solov'ev's).
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;

use fastlsq_solve::{ClosedCurve, DomainExt, LinearProblem, SolveError, coordinate, unknown};

fn main() -> Result<(), SolveError> {
    let section = ClosedCurve::new(|turn| {
        let angle = TAU * turn;
        let bent = angle + 0.336 * angle.sin();
        [1.0 + 0.32 * bent.cos(), 0.544 * angle.sin()]
    })?;
    let (psi, r, z) = (unknown("ψ"), coordinate("R"), coordinate("Z"));
    let exact =
        r.powi(4) / 8.0 - 0.19 * r.powi(2) + 0.03 * (r.powi(4) - 4.0 * r.powi(2) * z.powi(2));
    let solution = LinearProblem::on(section.with_coordinates(["R", "Z"]))
        .equation(r * (psi.d(r) / r).d(r) + psi.d(z).d(z), r.powi(2))
        .dirichlet(exact)
        .solve()?;
    println!("{}", solution.report());
    #[cfg(feature = "plot")]
    solution.plot("tokamak.png")?;
    let axis = solution.value(&[1.0, 0.0])?;
    println!("on the axis: {axis:.12} (exact: −0.035)");
    assert!((axis + 0.035).abs() < 1e-9);
    Ok(())
}
