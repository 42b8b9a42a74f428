//! One factorisation, many sources: a heated plate for a heater at each of a hundred places.
#![allow(clippy::print_stdout)]

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, LinearProblem, Options, SolveError, X, Y, exp, laplacian, sin, unknown,
};

fn main() -> Result<(), SolveError> {
    let plate = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), 1.0)
        .dirichlet(0.0)
        .factor_with(&Options::new().features(500).bandwidth(8.0))?;

    // −Δu = f for 100 smooth heaters, all in one product.
    let mut heaters = Vec::new();
    for k in 0..100 {
        let [x, y] = [k % 10, k / 10].map(|step| 0.2 + 0.06 * f64::from(step));
        let heat = exp(-((X - x).powi(2) + (Y - y).powi(2)) / 0.05);
        heaters.push(plate.new_data().right("equation 1", heat)?);
    }
    let plates = plate.solve_many(&heaters)?;
    #[cfg(feature = "plot")]
    plates[27].plot("cached_sources.png")?;
    let hottest = plates
        .iter()
        .map(|u| u.value(&[0.5, 0.5]))
        .collect::<Result<Vec<f64>, _>>()?
        .into_iter()
        .fold(0.0, f64::max);
    println!("the centre of the plate reaches at most {hottest:.6}");
    println!(
        "{:.3} s for the factorisation, {:.4} s for each heater",
        plate.solution().report().seconds,
        plates[0].report().seconds
    );

    // A source whose temperature is known.
    let known = -laplacian(sin(PI * X) * sin(PI * Y));
    let u = plate.new_data().right("equation 1", known)?.solve()?;
    let error = (u.value(&[0.5, 0.5])? - 1.0).abs();
    println!(
        "error for a known one: {error:.1e} (estimated {:.1e})",
        u.report().error_estimate
    );
    assert!(error < 1e-8);
    Ok(())
}
