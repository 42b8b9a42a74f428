//! The Helmholtz wavenumber from 50 sensors: without noise to 1e-6, with 1 % noise within three
//! standard deviations.

use fastlsq_inverse::InverseError;
use fastlsq_inverse::applications::{Wavenumber, median};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), InverseError> {
    let set_up = Wavenumber::standard();

    let fit = set_up.problem(&set_up.exact_readings(), 0.0).fit()?;
    println!("without noise:\n{fit}\n");
    assert!((fit.parameters[0] - set_up.truth).abs() < 1e-6);
    #[cfg(feature = "plot")]
    fit.solution.plot("wavenumber.png")?;

    let noise = 0.01;
    let mut prepared = set_up
        .problem(&set_up.readings(noise, 0), noise)
        .prepare()?;
    println!(
        "before the fit, 1 % noise: {}\n",
        prepared.identifiability()?
    );
    let mut ratios = Vec::new();
    for seed in 0..5 {
        prepared = prepared.with_values(&set_up.readings(noise, seed))?;
        let fit = prepared.fit()?;
        let deviation = fit.posterior.deviations[0];
        ratios.push((fit.parameters[0] - set_up.truth).abs() / deviation);
        println!(
            "seed {seed}: k = {:.6} ± {deviation:.1e}",
            fit.parameters[0]
        );
    }
    println!("median |error|/deviation: {:.2}", median(&ratios));
    assert!(ratios.iter().all(|ratio| *ratio < 3.0));
    Ok(())
}
