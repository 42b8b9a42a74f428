//! Where is the coil? L-BFGS-B to convergence, and Adam with 40 steps as in the paper, on readings from
//! finite volumes with 1 % noise.

use fastlsq_inverse::applications::{Coil, median};
use fastlsq_inverse::optimise::{AdamOptions, LearningRate, Method};
use fastlsq_inverse::{FitOptions, InverseError};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), InverseError> {
    let coil = Coil::paper();
    let exact = coil.reference_readings(240);
    let deviations = coil.deviations(&exact);
    let mut prepared = coil.rotated_problem(&exact, deviations)?.prepare()?;
    let truth = [0.5 * (coil.truth[0] + coil.truth[1]), 0.0];
    // What sixteen readings with 1 % noise can tell: the mean of the coordinates well, their
    // difference twenty times less.
    println!("{}\n", prepared.identifiability_at(&truth)?);

    let rate = LearningRate::Cosine {
        initial: 0.08,
        last: 0.008,
        steps: 40,
    };
    let adam = AdamOptions {
        learning_rate: rate,
        ..AdamOptions::default()
    };
    let adam = FitOptions::new()
        .gradient(Method::Adam(adam))
        .max_iterations(40);

    let fit = prepared.fit_with(&FitOptions::new().lbfgsb())?;
    let slow = prepared.fit_with(&adam)?;
    println!(
        "without noise: L-BFGS-B {:.4?} after {} evaluations, 40 steps of Adam {:.4?}",
        Coil::position(&fit.parameters),
        fit.minimum.evaluations,
        Coil::position(&slow.parameters)
    );

    let mut errors = [const { Vec::new() }; 4];
    for seed in 0..20 {
        prepared = prepared.with_values(&coil.readings(&exact, seed))?;
        let fit = prepared.fit_with(&FitOptions::new().lbfgsb())?;
        let slow = prepared.fit_with(&adam)?;
        let ends = [fit.parameters, slow.parameters].map(|p| Coil::position(&p));
        for (k, errors) in errors.iter_mut().enumerate() {
            errors.push((ends[k / 2][k % 2] - coil.truth[k % 2]).abs());
        }
    }
    let medians = errors.map(|e| median(&e));
    println!(
        "median errors over 20 draws of the noise: L-BFGS-B {:.4?}, Adam {:.4?}",
        &medians[..2],
        &medians[2..]
    );
    assert!(medians[..2].iter().all(|error| *error < 0.01));
    assert!(medians[2..].iter().all(|error| *error < 0.02));
    Ok(())
}
