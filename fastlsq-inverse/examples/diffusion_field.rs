//! A diffusion coefficient field from 2500 noisy values of u.

use fastlsq_inverse::InverseError;
use fastlsq_inverse::applications::{DiffusionField, median};
use fastlsq_inverse::ndarray::array;

#[allow(clippy::print_stdout)]
fn main() -> Result<(), InverseError> {
    for (noise, bound) in [(0.01, 2e-2), (0.1, 1e-1)] {
        let set_up = DiffusionField::standard(2500, noise);
        let mut prepared = set_up.problem(&set_up.measurements(0)).prepare()?;
        let mut errors = Vec::new();
        for seed in 0..5 {
            prepared = prepared.with_values(&set_up.measurements(seed))?;
            let fit = prepared.fit()?;
            errors.push(DiffusionField::error(&fit)?);
            if seed == 0 {
                for band in DiffusionField::fitted(&fit, &array![[0.5, 0.5]])? {
                    println!(
                        "noise {noise}: {} iterations, {:.1} s; a(½, ½) = {:.3} ± {:.3} (truth 3)",
                        fit.minimum.iterations, fit.seconds, band.value, band.deviation
                    );
                }
            }
        }
        println!("noise {noise}: relative errors {errors:.4?}");
        assert!(median(&errors) <= bound);
    }
    Ok(())
}
