//! Four heat sources from thermometers, readings from an independent sine series. With `--full` five
//! draws of the noise, and a variant with sixteen thermometers.

use std::time::Instant;

use fastlsq_inverse::InverseError;
use fastlsq_inverse::applications::{HeatSources, median};

/// Distances from the truth in the paper's table.
const PAPER: [f64; 4] = [0.0089, 0.0785, 0.0203, 0.133];

#[allow(clippy::print_stdout)]
fn main() -> Result<(), InverseError> {
    let full = std::env::args().any(|argument| argument == "--full");
    let heat = HeatSources::paper();
    let exact = heat.exact_readings();
    let begin = Instant::now();
    let mut prepared = heat.prepare(0)?;
    println!(
        "discretised and factored in {:.1} s",
        begin.elapsed().as_secs_f64()
    );
    println!(
        "what the readings can tell at the truth (noise and model error {:.4}):",
        heat.deviation()
    );
    println!(
        "{}\n",
        prepared.identifiability_at(&heat.true_parameters())?
    );

    // The cost of 150 evaluations of misfit and gradient beside that of one factorisation.
    let begin = Instant::now();
    for _ in 0..30 {
        prepared.misfit(prepared.start())?;
    }
    let evaluations = 5.0 * begin.elapsed().as_secs_f64();
    if let Some(info) = prepared.factorisation() {
        let factorisation = info.seconds.reduction + info.seconds.rank_revealing;
        println!(
            "factorisation {factorisation:.2} s, 150 evaluations {evaluations:.2} s: {:.1} times\n",
            evaluations / factorisation
        );
    }

    let mut errors = [const { Vec::new() }; 4];
    for seed in 0..if full { 5 } else { 1 } {
        prepared = prepared.with_values(&fastlsq_inverse::reference::with_noise(
            &exact, heat.noise, seed,
        ))?;
        let fit = prepared.fit_with(&HeatSources::fit_options())?;
        if seed == 0 {
            println!("{fit}\n");
        }
        for (errors, error) in errors.iter_mut().zip(heat.position_errors(&fit.parameters)) {
            errors.push(error);
        }
        println!(
            "seed {seed}: {} evaluations in {:.1} s, position errors {:.4?}",
            fit.minimum.evaluations,
            fit.seconds,
            heat.position_errors(&fit.parameters)
        );
    }
    let medians = errors.map(|e| median(&e));
    println!(
        "median position errors {medians:.4?}; the paper's, on data of its own discretisation: {PAPER:?}"
    );
    for k in 1..4 {
        assert!(medians[k] <= PAPER[k], "source {}", k + 1);
    }
    assert!(medians[0] < 0.03);

    if full {
        let heat = HeatSources::well_posed();
        let begin = Instant::now();
        let prepared = heat.prepare(0)?;
        println!(
            "16 thermometers: factored in {:.1} s; {}",
            begin.elapsed().as_secs_f64(),
            prepared.identifiability_at(&heat.true_parameters())?
        );
        let predicted = prepared.predict(&heat.true_parameters())?;
        let exact = heat.exact_readings();
        let rms = predicted
            .iter()
            .zip(&exact)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            / exact.len() as f64;
        println!("model error {:.2e}", rms.sqrt());
        let fit = prepared.fit_with(&HeatSources::fit_options())?;
        println!(
            "{fit}\nposition errors {:.4?}",
            heat.position_errors(&fit.parameters)
        );
        let errors = heat.position_errors(&fit.parameters);
        assert!(errors.iter().all(|error| *error < 0.01));
        for (fitted, truth) in HeatSources::sources(&fit.parameters)
            .iter()
            .zip(&heat.truth)
        {
            for k in [0, 2] {
                assert!((fitted.shape[k] / truth.shape[k] - 1.0).abs() < 0.1);
            }
            assert!(fitted.shape[1].abs() < 0.1 * truth.shape[0]);
        }
    }
    Ok(())
}
