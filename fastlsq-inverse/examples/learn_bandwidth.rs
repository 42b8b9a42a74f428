//! Learning the law of the frequencies: one σ for Helmholtz, a covariance for a travelling profile and
//! for a strongly anisotropic solution.

use fastlsq_inverse::FrequencyLaw;
use fastlsq_inverse::applications::{
    TravellingProfile, anisotropic_error, anisotropic_poisson, helmholtz_learner,
};
use fastlsq_inverse::optimise::{AdamOptions, AdamWOptions, Method, MinimiseOptions};
use fastlsq_inverse::{BandwidthLearner, InverseError, Options, Shape};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), InverseError> {
    helmholtz()?;
    kdv()?;
    anisotropic()
}

fn adam_w(rate: f64, steps: u64) -> MinimiseOptions {
    let settings = AdamWOptions {
        adam: AdamOptions::with_rate(rate),
        weight_decay: 0.0,
    };
    MinimiseOptions::new()
        .method(Method::AdamW(settings))
        .max_iterations(steps)
}

#[allow(clippy::print_stdout)]
fn helmholtz() -> Result<(), InverseError> {
    let learner = helmholtz_learner(Shape::Isotropic)?;
    let published = helmholtz_learner(Shape::Isotropic)?.plain();
    let steps = if std::env::args().any(|a| a == "--full") {
        80
    } else {
        24
    };
    for (name, learner, options) in [
        ("AdamW", &learner, adam_w(0.1, steps)),
        ("AdamW on the loss itself", &published, adam_w(0.1, steps)),
        (
            "L-BFGS-B",
            &learner,
            MinimiseOptions::new().max_iterations(4),
        ),
    ] {
        let learned = learner.learn(&options)?;
        println!(
            "Helmholtz, {name}: loss {:.1e} -> {:.1e}, σ 5 -> {:.2}, {} evaluations, {:.1} s, held-out residual {:.1e}",
            learned.losses[0],
            learned.loss,
            learned.sigma(),
            learned.evaluations,
            learned.seconds,
            learned.held_out
        );
        assert!(learned.loss <= 8.1e-8);
    }
    let mut best = (0.0, f64::INFINITY);
    for sigma in [6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0] {
        let (_, held_out) = learner.solve_with(&FrequencyLaw::Isotropic(sigma))?;
        if held_out < best.1 {
            best = (sigma, held_out);
        }
    }
    println!(
        "Helmholtz, held-out optimum on a grid: σ = {} with {:.1e}",
        best.0, best.1
    );
    Ok(())
}

#[allow(clippy::print_stdout)]
fn kdv() -> Result<(), InverseError> {
    let soliton = TravellingProfile::kdv(4000);
    let options = Options::new().features(300);
    let learned = soliton
        .learner(4.0, &options)?
        .learn_gradually(&MinimiseOptions::new().max_iterations(20))?;
    let speed = soliton.physical_speed(learned.speed(0, 1));
    println!(
        "KdV: loss {:.1e} -> {:.1e} in {} evaluations, speed {speed:.3}, L = {:.2?}, error {:.1e}, {:.1} s",
        learned.losses[0],
        learned.loss,
        learned.evaluations,
        learned.factor,
        soliton.error(&learned.solution)?,
        learned.seconds
    );
    #[cfg(feature = "plot")]
    learned.solution.plot("learn_bandwidth.png")?;
    assert!((speed / soliton.speed - 1.0).abs() < 0.02);
    assert!(soliton.error(&learned.solution)? <= 1e-5);
    Ok(())
}

#[allow(clippy::print_stdout)]
fn anisotropic() -> Result<(), InverseError> {
    let problem = anisotropic_poisson();
    let options = Options::new().features(400).rows(1200, 400);
    let learner = BandwidthLearner::new(&problem, Shape::Full, 20.0, &options)?;
    let learned = learner.learn_gradually(&MinimiseOptions::new().max_iterations(15))?;
    let error = anisotropic_error(&learned.solution)?;
    let mut isotropic = f64::INFINITY;
    for sigma in [8.0, 12.0, 15.0, 18.0, 22.0, 26.0] {
        let (u, _) = learner.solve_with(&FrequencyLaw::Isotropic(sigma))?;
        isotropic = isotropic.min(anisotropic_error(&u)?);
    }
    println!(
        "sin 12πx sin πy: learned L = {:.2?}, error {error:.1e}; best isotropic {isotropic:.1e}, ratio {:.0}; {:.1} s",
        learned.factor,
        isotropic / error,
        learned.seconds
    );
    assert!(error * 1000.0 <= isotropic);
    Ok(())
}
