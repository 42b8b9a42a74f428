//! Scattered samples of fields that one sum of waves cannot hold.
#![allow(clippy::unwrap_used)]

use fastlsq_discovery::datasets::{DataSet, ScatteredChaos};
use fastlsq_discovery::{
    Derivatives, Discovered, Discovery, DiscoveryError, DiscoveryOptions, LikelihoodRefit,
    RowSource, Status,
};

const LAW: [&str; 3] = ["u u_x", "u_xx", "u_xxxx"];

fn found(samples: usize, noise: f64, derivatives: Derivatives) -> Discovered {
    let chaos = ScatteredChaos::new(30.0);
    let options = DiscoveryOptions::new().derivatives(derivatives);
    Discovery::new(chaos.library().unwrap(), "u_t")
        .unwrap()
        .with(options)
        .run(&chaos.sample(samples, noise, 0).unwrap())
        .unwrap()
}

fn assert_right(law: &Discovered, accuracy: f64) {
    let names: Vec<&str> = law.terms.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, LAW, "{}", law.summary());
    for name in LAW {
        let error = law.coefficient(name) + 1.0;
        assert!(error.abs() < accuracy, "{}", law.summary());
    }
}

#[test]
fn held_out_samples_choose_windows_for_chaos() {
    let law = found(4200, 0.0, Derivatives::default());
    assert_eq!(law.source, RowSource::Windows, "{}", law.summary());
    assert_eq!(law.status(), Status::Explained);
    assert_right(&law, 5e-3);
    assert!(law.summary().contains("overlapping windows"));
}

#[test]
fn windows_find_the_law_of_noisy_chaos() {
    let law = found(4200, 0.01, Derivatives::Windows);
    assert_ne!(law.status(), Status::NotExplained, "{}", law.summary());
    assert_right(&law, 0.05);
    for term in &law.terms {
        assert!(term.inclusion > 0.75, "{}", law.summary());
    }
}

#[test]
fn one_fit_stays_where_it_holds_the_field() {
    let data = DataSet::burgers();
    let samples = data.sample(4200, 0.01, 1).unwrap();
    let options = DiscoveryOptions::new().refit(LikelihoodRefit::Never);
    let law = Discovery::new(data.library().unwrap(), data.target)
        .unwrap()
        .with(options)
        .run(&samples)
        .unwrap();
    assert_eq!(law.source, RowSource::Fit, "{}", law.summary());
    assert!(law.fit.is_some());
}

#[test]
fn too_few_samples_for_windows_are_refused() {
    let chaos = ScatteredChaos::new(1.0);
    for samples in [100, 400] {
        let answer = Discovery::new(chaos.library().unwrap(), "u_t")
            .unwrap()
            .with(DiscoveryOptions::new().derivatives(Derivatives::Windows))
            .run(&chaos.sample(samples, 0.0, 0).unwrap());
        assert!(
            matches!(answer, Err(DiscoveryError::TooFewPoints { found, needed })
                if found == samples && needed > samples),
            "{answer:?}"
        );
    }
}
