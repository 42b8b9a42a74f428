//! Bad inputs are typed errors, doubtful ones named warnings.
#![allow(clippy::unwrap_used)]

use faer::Mat;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{InputMap, MultiIndex};
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::regression::{Regression, rank_supports};
use fastlsq_discovery::rows::{TestFunctions, weak_rows};
use fastlsq_discovery::{
    Derivatives, Dictionary, Discovery, DiscoveryError, DiscoveryOptions, FieldFit, FitOptions,
    LikelihoodRefit, Limit, ModelChoice, Samples, Warning,
};
use ndarray::Array2;

fn line(count: usize, mut f: impl FnMut(f64) -> f64) -> Samples {
    let x: Vec<f64> = (0..count)
        .map(|i| 6.0 * i as f64 / (count - 1) as f64)
        .collect();
    let u: Vec<f64> = x.iter().map(|x| f(*x)).collect();
    Samples::on_line(&x, &u).unwrap()
}

#[test]
fn samples_are_checked() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let mut u = x;
    assert!(matches!(
        Samples::on_line(&x[..5], &u),
        Err(DiscoveryError::Lengths { .. })
    ));
    assert!(matches!(
        Samples::on_line(&x[..5], &u[..5]),
        Err(DiscoveryError::TooFewPoints { .. })
    ));
    assert!(matches!(
        Samples::on_line(&x, &[2.5; 9]),
        Err(DiscoveryError::ConstantData { .. })
    ));
    assert!(matches!(
        Samples::on_line(&[1.0; 9], &u),
        Err(DiscoveryError::FlatAxis { .. })
    ));
    u[3] = f64::NAN;
    assert!(matches!(
        Samples::on_line(&x, &u),
        Err(DiscoveryError::NotFinite { index: 3, .. })
    ));
}

#[test]
fn dictionaries_are_checked() {
    let parse = |terms: &[&str]| Dictionary::parse(&["x", "t"], terms);
    assert!(matches!(
        parse(&["u", "u"]),
        Err(DiscoveryError::DuplicateTerm { .. })
    ));
    assert!(matches!(
        parse(&["u_x u", "u u_x"]),
        Err(DiscoveryError::DuplicateTerm { .. })
    ));
    // The same term in other forms.
    for twin in ["(u^2)_x", "u_x u", "(u u)_x", "u u_x"] {
        assert!(
            matches!(
                parse(&["u u_x", twin]),
                Err(DiscoveryError::DuplicateTerm { .. })
            ),
            "{twin}"
        );
    }
    assert!(parse(&["u u_x", "(u^3)_x", "u^2", "(u^2)_xx", "u_x^2", "abs(u)"]).is_ok());
    for bad in ["v", "u_y", "u^0", "u^12", "", "u_", "2 u"] {
        assert!(
            matches!(parse(&[bad]), Err(DiscoveryError::Term { .. })),
            "{bad}"
        );
    }
    assert!(matches!(
        Dictionary::new(&["x", "x"]),
        Err(DiscoveryError::AxisNames { .. })
    ));
    let empty = Discovery::new(parse(&[]).unwrap(), "u_t");
    assert!(matches!(empty, Err(DiscoveryError::EmptyDictionary { .. })));
    let own = Discovery::new(parse(&["u", "u_t"]).unwrap(), "u_t");
    assert!(matches!(
        own,
        Err(DiscoveryError::TargetInDictionary { .. })
    ));
    assert_eq!(
        Dictionary::polynomial(&["x"], &["u", "u_x"], 3)
            .unwrap()
            .len(),
        10
    );
    let standard = Dictionary::standard(&["x", "t"], "u_t").unwrap();
    assert_eq!(
        standard.names(),
        ["u", "u²", "u³", "u_x", "u u_x", "u_xx", "u u_xx", "u_xxx"]
    );
}

#[test]
fn terms_undefined_on_the_data_are_named() {
    let library = Dictionary::parse(&["x"], &["u"])
        .unwrap()
        .with("ln(u)")
        .unwrap();
    let result = Discovery::new(library, "u_x")
        .unwrap()
        .run(&line(50, f64::sin));
    assert!(matches!(result, Err(DiscoveryError::TermNotFinite { name, .. }) if name == "ln(u)"));
}

#[test]
fn dimension_and_count_must_fit() {
    let library = Dictionary::parse(&["x", "t"], &["u"]).unwrap();
    let result = Discovery::new(library, "u_t")
        .unwrap()
        .run(&line(50, f64::sin));
    assert!(matches!(
        result,
        Err(DiscoveryError::AxisNames { dim: 1, .. })
    ));
    let library = Dictionary::polynomial(&["x"], &["u", "u_x"], 3).unwrap();
    let result = Discovery::new(library, "u_xx")
        .unwrap()
        .run(&line(9, f64::sin));
    assert!(matches!(
        result,
        Err(DiscoveryError::TooFewPoints { needed: 12, .. })
    ));
}

#[test]
fn baselines_need_a_grid_and_work_on_one() {
    let scattered = Array2::from_shape_fn((40, 2), |(i, k)| ((i * (k + 2) * 7919) % 101) as f64);
    let values: Vec<f64> = (0..40).map(f64::from).collect();
    let samples = Samples::new(scattered, values).unwrap();
    let library = Dictionary::parse(&["x", "t"], &["u_x"]).unwrap();
    let options = DiscoveryOptions::new().derivatives(Derivatives::FiniteDifferences);
    let result = Discovery::new(library, "u_t")
        .unwrap()
        .with(options)
        .run(&samples);
    assert!(matches!(result, Err(DiscoveryError::NotAGrid { .. })));

    let data = line(400, |x| (-0.5 * x).exp() * (2.0 * x).sin());
    for derivatives in [
        Derivatives::FiniteDifferences,
        Derivatives::SavitzkyGolay {
            window: 11,
            degree: 4,
        },
    ] {
        let library = Dictionary::parse(&["x"], &["u", "u_x", "u^2"]).unwrap();
        let options = DiscoveryOptions::new().derivatives(derivatives);
        let law = Discovery::new(library, "u_xx")
            .unwrap()
            .with(options)
            .run(&data)
            .unwrap();
        assert_eq!(law.support(), [0, 1]);
        assert!((law.coefficient("u") + 4.25).abs() < 5e-3, "{law}");
    }
}

#[test]
fn collinear_terms_and_travelling_waves_are_named() {
    // u = sin(x − 2t): u_xx = −u and u_t = −2 u_x.
    let points = Array2::from_shape_fn((600, 2), |(i, k)| {
        if k == 0 {
            6.0 * (i % 30) as f64 / 29.0
        } else {
            (i / 30) as f64 / 19.0
        }
    });
    let values = points
        .rows()
        .into_iter()
        .map(|p| (p[0] - 2.0 * p[1]).sin())
        .collect();
    let samples = Samples::new(points, values).unwrap();
    let library = Dictionary::parse(&["x", "t"], &["u", "u_x", "u_xx", "u_xxx", "u u_x"]).unwrap();
    let options = DiscoveryOptions::new().refit(LikelihoodRefit::Never);
    let law = Discovery::new(library, "u_t")
        .unwrap()
        .with(options)
        .run(&samples)
        .unwrap();
    let collinear = law.warnings.iter().any(|w| {
        matches!(w, Warning::Collinear { terms, .. } if terms.contains(&"u".to_owned()) && terms.contains(&"u_xx".to_owned()))
    });
    let wave = law.warnings.iter().any(|w| {
        matches!(w, Warning::TravellingWave { velocity, .. } if (velocity[0] - 2.0).abs() < 1e-6)
    });
    assert!(collinear && wave, "{}", law.summary());
}

#[test]
fn noise_alone_is_explained_by_nothing() {
    for seed in 0..4 {
        let noise = UnitSampler::independent(seed).normals(80, 1);
        let mut values = noise.iter();
        let samples = line(80, |_| *values.next().unwrap_or(&0.0));
        let library = Dictionary::parse(&["x"], &["u", "u^2", "u_x", "u u_x"]).unwrap();
        let law = Discovery::new(library, "u_xx").unwrap().run(&samples);
        let text = law.unwrap().summary();
        assert!(text.starts_with("not explained"), "{text}");
    }
}

#[test]
fn a_call_that_was_stopped_says_so() {
    let samples = line(60, |x| (-0.5 * x).exp() * (2.0 * x).sin());
    let library = Dictionary::parse(&["x"], &["u", "u_x"]).unwrap();
    let mut law = Discovery::new(library, "u_xx")
        .unwrap()
        .run(&samples)
        .unwrap();
    assert!(!law.summary().contains("stopped"));
    law.stopped = Some(Limit::Cancelled);
    assert!(law.summary().contains("stopped early"));
}

#[test]
fn pieces_that_do_not_fit_together_are_refused_or_left_out() {
    // A support with a term that the regression does not have.
    let x = Mat::from_fn(20, 2, |i, k| ((i + 1) as f64 * (k + 1) as f64).sin());
    let y: Vec<f64> = (0..20).map(|i| x[(i, 0)]).collect();
    let regression = Regression::new(x.as_ref(), &y);
    let other = Regression::new(x.as_ref().subcols(0, 1), &y);
    let ranked = rank_supports(
        &regression,
        &[other],
        &[vec![0], vec![0, 7]],
        20.0,
        1e-8,
        ModelChoice::CrossValidation,
    );
    assert_eq!(ranked.len(), 1);
    assert_eq!(ranked[0].support, [0]);

    // Test functions of the plane for a fit on the line.
    let fit = FieldFit::new(&line(40, f64::sin), &FitOptions::new().features(10)).unwrap();
    let library = Dictionary::parse(&["x"], &["u", "u^2"]).unwrap();
    let plane = InputMap::from_box(&[0.0, 0.0], &[6.0, 1.0]).unwrap();
    let tests = TestFunctions::spread(&plane, 5, 0.3);
    let rows = weak_rows(&fit, &library, &MultiIndex::new([1]), &tests);
    assert!(matches!(rows, Err(DiscoveryError::Setting { .. })));

    // A fit of other samples; that of the same gives what a run gives.
    let search = Discovery::new(library, "u_xx").unwrap();
    let refused = search.run_with_fit(&line(50, f64::sin), fit);
    assert!(matches!(refused, Err(DiscoveryError::Lengths { .. })));
    let samples = line(50, f64::sin);
    let fit = FieldFit::new(&samples, &FitOptions::new()).unwrap();
    let (once, again) = (
        search.run(&samples).unwrap(),
        search.run_with_fit(&samples, fit).unwrap(),
    );
    assert_eq!(once.terms, again.terms);

    // A grid with counts for too few axes has one place along the others.
    let grid = DataSet::heat().grid(&[5]);
    assert_eq!(grid.dim(), (5, 2));
    assert!(grid.column(1).iter().all(|t| *t == 0.0));
}

#[test]
fn units_beyond_all_scales_are_refused() {
    let data = DataSet::heat();
    let samples = data.sample(200, 0.0, 0).unwrap();
    let points = samples.points().mapv(|x| 1e200 * x);
    let far = Samples::new(points, samples.values().to_vec()).unwrap();
    let error = Discovery::new(data.library().unwrap(), "u_t")
        .unwrap()
        .run(&far);
    assert!(matches!(error, Err(DiscoveryError::Units { .. })));
}
