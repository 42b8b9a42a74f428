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
                #[cfg(feature = "plot")]
                draw(&fit, noise)?;
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

/// The coefficient along the middle of the square, with what the posterior says of it.
#[cfg(feature = "plot")]
fn draw(fit: &fastlsq_inverse::Fit, noise: f64) -> Result<(), InverseError> {
    use fastlsq_inverse::ndarray::Array2;
    use fastlsq_inverse::plot::{Axis, Band, Figure, Look, Panel, Series};
    let x: Vec<f64> = (0..=100).map(|k| f64::from(k) / 100.0).collect();
    let points = Array2::from_shape_fn((x.len(), 2), |(i, k)| if k == 0 { x[i] } else { 0.5 });
    let bands = DiffusionField::fitted(fit, &points)?;
    let of = |value: &dyn Fn(usize) -> f64| (0..x.len()).map(|i| (x[i], value(i))).collect();
    let panel = Panel::new(Axis::linear("x"), Axis::linear("a(x, ½)"))
        .heading(format!("noise {noise}"))
        .band(Band {
            label: "posterior, 95 %".to_owned(),
            points: (0..x.len())
                .map(|i| {
                    (
                        x[i],
                        bands[i].value - 1.96 * bands[i].deviation,
                        bands[i].value + 1.96 * bands[i].deviation,
                    )
                })
                .collect(),
            colour: 0,
        })
        .series(Series::new("fit", of(&|i| bands[i].value), Look::Bold(0)))
        .series(Series::new(
            "truth",
            of(&|i| DiffusionField::truth(x[i], 0.5)),
            Look::Stroke(3),
        ))
        .size(480, 300);
    let name = if noise > 0.05 {
        "diffusion_field.png"
    } else {
        "diffusion_field-little-noise.png"
    };
    Figure::of(panel)
        .save(name)
        .map_err(|error| fastlsq_inverse::SolveError::from(error).into())
}
