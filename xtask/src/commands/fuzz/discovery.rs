//! Discoveries from few, odd and unkind samples.

use std::time::Duration;

use fastlsq_discovery::{
    Derivatives, Dictionary, Discovery, DiscoveryOptions, FitOptions, LikelihoodRefit, RowForm,
    Samples,
};
use fastlsq_solve::ndarray::Array2;

use super::call::{Call, word};
use super::random::Random;

/// A law sought in samples.
pub(super) fn run(random: &mut Random, call: &mut Call) -> String {
    let dim = 1 + random.below(2);
    let count = random.pick(&[0, 1, 3, 10, 30, 60, 120]);
    let mut points = Array2::from_shape_fn((count, dim), |_| random.unit());
    match random.below(10) {
        0 => points.fill(0.3),
        1 => points.mapv_inplace(|x| 1e-9 * x + 1e6),
        2 => points.mapv_inplace(|x| 1e200 * x),
        _ => {}
    }
    let kind = random.below(7);
    let values: Vec<f64> = points
        .rows()
        .into_iter()
        .map(|x| {
            let s: f64 = x.iter().sum();
            match kind {
                0 => 1.0,
                1 => 0.0,
                2 => random.number(),
                3 => 1e300 * s,
                4 => 1e-300 * s,
                _ => (3.0 * s).sin() * (-s).exp() + 1e-3 * random.between(-1.0, 1.0),
            }
        })
        .collect();
    let Ok(samples) = Samples::new(points, values) else {
        return "no samples".to_owned();
    };
    let axes: &[&str] = if dim == 1 { &["x"] } else { &["x", "t"] };
    let library = match random.below(3) {
        0 => Dictionary::parse(axes, &["u", "u_x", "u^2"]),
        1 => Dictionary::polynomial(axes, &["u", "u_x"], 2),
        _ => Dictionary::standard(axes, "u_x"),
    };
    let target = random.pick(&["u_xx", "u_t", "u_x", "u"]);
    let Ok(discovery) = library.and_then(|library| Discovery::new(library, target)) else {
        return "no question".to_owned();
    };
    let features = FitOptions::new().features(random.pick(&[1, 10, 40]));
    let derivatives = match random.below(5) {
        0 => Derivatives::FiniteDifferences,
        1 => Derivatives::SavitzkyGolay {
            window: random.below(12),
            degree: random.below(8),
        },
        2 => Derivatives::Windows,
        _ => Derivatives::Features(features),
    };
    let options = DiscoveryOptions::new()
        .derivatives(derivatives)
        .replicates(random.below(3))
        .largest(random.below(4))
        .refit(random.pick(&[LikelihoodRefit::Never, LikelihoodRefit::Auto]))
        .form(random.pick(&[RowForm::Strong, RowForm::Weak]));
    let limit = Duration::from_millis(random.pick(&[0, 20, 100]));
    let discovery = discovery.with(options.time_limit(limit));
    call.time = Some(limit);
    call.describe(&discovery);
    match call.limited(|| discovery.run(&samples)) {
        Err(error) => {
            let _ = error.to_string();
            format!("error {}", word(&error))
        }
        Ok(law) => {
            let _ = law.summary();
            let finite = law.terms.iter().all(|term| term.coefficient.is_finite());
            call.refute(!finite, "a coefficient is not finite");
            "law".to_owned()
        }
    }
}
