//! Four heat sources from thermometers, readings from an independent sine series. With `--full` five
//! draws of the noise, and a variant with sixteen thermometers.

use std::time::Instant;

use fastlsq_inverse::applications::{FoundSources, HeatModel, HeatSources, median};
use fastlsq_inverse::reference::with_noise;
use fastlsq_inverse::{Fit, InverseError};

/// Distances from the truth in the paper's table.
const PAPER: [f64; 4] = [0.0089, 0.0785, 0.0203, 0.133];

fn main() -> Result<(), InverseError> {
    let full = std::env::args().any(|argument| argument == "--full");
    four_thermometers(if full { 5 } else { 1 })?;
    if full {
        sixteen_thermometers()?;
    }
    Ok(())
}

#[allow(clippy::print_stdout)]
fn four_thermometers(draws: u64) -> Result<(), InverseError> {
    let heat = HeatSources::paper();
    let exact = heat.exact_readings();
    let mut model = discretise(&heat)?;
    println!(
        "what the readings can tell, seen from the start:\n{}\n",
        model.prepared().identifiability()?
    );
    let mut errors = [const { Vec::new() }; 4];
    for seed in 0..draws {
        let found = model.fit(&with_noise(&exact, heat.noise, seed))?;
        if seed == 0 {
            println!("{}\n", found.fit);
            #[cfg(feature = "plot")]
            found.fit.solution.plot("heat_sources.png")?;
            cost(&model, &found);
        }
        let own = heat.position_errors(&found.fit.parameters);
        for (errors, error) in errors.iter_mut().zip(own) {
            errors.push(error);
        }
        println!(
            "seed {seed}: {} evaluations in {:.1} s, model error {:.1e}, position errors {own:.4?}, in deviations {:.1?}",
            found.evaluations,
            found.seconds,
            found.model_error,
            largest_ratios(&heat, &found.fit)
        );
    }
    let medians = errors.map(|e| median(&e));
    println!(
        "median position errors {medians:.4?}; the paper's, on data of its own discretisation: {PAPER:?}"
    );
    for (source, (median, paper)) in medians.iter().zip(PAPER).enumerate().skip(1) {
        assert!(*median <= paper, "source {}", source + 1);
    }
    Ok(())
}

/// The larger error of x and y of each source, in posterior deviations.
fn largest_ratios(heat: &HeatSources, fit: &Fit) -> [f64; 4] {
    let truth = heat.true_parameters();
    let ratio = |k: usize| (fit.parameters[k] - truth[k]).abs() / fit.posterior.deviations[k];
    std::array::from_fn(|source| ratio(6 * source).max(ratio(6 * source + 1)))
}

#[allow(clippy::print_stdout)]
fn discretise(heat: &HeatSources) -> Result<HeatModel, InverseError> {
    let begin = Instant::now();
    let model = heat.discretise()?;
    println!(
        "{} features, {} rows; {} discretisations in {:.1} s; model error at the start {:.1e}",
        model.prepared().feature_count(),
        model.prepared().row_count(),
        1 + heat.twins,
        begin.elapsed().as_secs_f64(),
        model.model_error(model.prepared().start())?.remaining()
    );
    Ok(model)
}

/// The whole fit, preliminary fits and both passes, beside one factorisation.
#[allow(clippy::print_stdout)]
fn cost(model: &HeatModel, found: &FoundSources) {
    if let Some(info) = model.prepared().factorisation() {
        let factorisation = info.seconds.reduction + info.seconds.rank_revealing;
        println!(
            "one factorisation {factorisation:.2} s, the whole fit {:.2} s: {:.1} times\n",
            found.seconds,
            found.seconds / factorisation
        );
    }
}

#[allow(clippy::print_stdout)]
fn sixteen_thermometers() -> Result<(), InverseError> {
    let heat = HeatSources::well_posed();
    let mut model = discretise(&heat)?;
    let found = model.fit(&heat.readings(0))?;
    let errors = heat.position_errors(&found.fit.parameters);
    println!(
        "16 thermometers: {}\nmodel error {:.1e}, position errors {errors:.4?}",
        found.fit, found.model_error
    );
    assert!(errors.iter().all(|error| *error < 0.01));
    let fitted = HeatSources::sources(&found.fit.parameters);
    for (fitted, truth) in fitted.iter().zip(&heat.truth) {
        for k in [0, 2] {
            assert!((fitted.shape[k] / truth.shape[k] - 1.0).abs() < 0.1);
        }
        assert!(fitted.shape[1].abs() < 0.1 * truth.shape[0]);
    }
    Ok(())
}
