//! Laws found again in data generated independently of the method.
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use fastlsq_basis::MultiIndex;
use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{
    Dictionary, Discovery, DiscoveryOptions, LikelihoodRefit, RowForm, Samples,
};
use fastlsq_ops::{Real, call, unknown};

#[test]
fn oscillator_at_one_percent_noise_with_ten_terms() {
    let data = DataSet::damped_oscillator(2.0 * PI);
    let samples = data.sample(2000, 0.01, 3).unwrap();
    let law = Discovery::new(data.library().unwrap(), "u_xx")
        .unwrap()
        .run(&samples)
        .unwrap();
    assert_eq!(law.support(), [1, 2], "{}", law.summary());
    assert!(
        (law.coefficient("u") / -4.25 - 1.0).abs() < 2e-3,
        "{}",
        law.summary()
    );
    assert!(
        (law.coefficient("u_x") / -1.0 - 1.0).abs() < 1e-2,
        "{}",
        law.summary()
    );
    assert!((law.noise / 0.01 - 1.0).abs() < 0.1);
    for term in &law.terms {
        assert!(term.inclusion > 0.5 && term.cramer_rao.is_some());
    }
    // The second derivative over the whole interval, edges included.
    let second = law
        .field_derivative(samples.points(), &MultiIndex::new([2]))
        .unwrap()
        .unwrap();
    let square: f64 = samples
        .points()
        .column(0)
        .iter()
        .zip(&second)
        .map(|(x, d)| {
            let exact = (-0.5 * x).exp() * (-3.75 * (2.0 * x).sin() - 2.0 * (2.0 * x).cos());
            (d - exact).powi(2)
        })
        .sum();
    assert!((square / 2000.0).sqrt() < 0.05);
}

#[test]
fn oscillator_under_noise_as_large_as_the_signal() {
    let data = DataSet::damped_oscillator(10.0);
    let samples = data.sample(2000, 0.2, 5).unwrap();
    let law = Discovery::new(data.library().unwrap(), "u_xx")
        .unwrap()
        .run(&samples)
        .unwrap();
    assert_eq!(law.support(), [1, 2], "{}", law.summary());
    for (term, exact) in law.terms.iter().zip([-4.25, -1.0]) {
        let bound = term.cramer_rao.unwrap();
        assert!(
            (term.coefficient - exact).abs() < 3.0 * bound,
            "{}",
            law.summary()
        );
        assert!(bound / exact.abs() < 0.06);
    }
}

#[test]
fn clean_data_give_the_law_to_many_digits_in_both_forms() {
    let data = DataSet::damped_oscillator(2.0 * PI);
    let samples = data.sample(500, 0.0, 0).unwrap();
    for (form, limit) in [(RowForm::Weak, 1e-9), (RowForm::Strong, 1e-6)] {
        let options = DiscoveryOptions::new().form(form);
        let law = Discovery::new(data.library().unwrap(), "u_xx")
            .unwrap()
            .with(options)
            .run(&samples)
            .unwrap();
        assert_eq!(law.support(), [1, 2]);
        assert!(
            (law.coefficient("u") + 4.25).abs() < limit,
            "{form:?} {}",
            law.summary()
        );
        assert!(
            (law.coefficient("u_x") + 1.0).abs() < limit,
            "{form:?} {}",
            law.summary()
        );
        assert!(law.laws.is_empty(), "no refit is needed without noise");
    }
}

#[test]
fn heat_from_few_scattered_samples() {
    let data = DataSet::heat();
    let samples = data.sample(500, 0.05 * data.rms(), 1).unwrap();
    let library = Dictionary::parse(&["x", "t"], &["u", "u_x", "u u_x", "u_xx"]).unwrap();
    let options = DiscoveryOptions::new().replicates(0);
    let law = Discovery::new(library, "u_t")
        .unwrap()
        .with(options)
        .run(&samples)
        .unwrap();
    assert_eq!(law.support(), [3], "{}", law.summary());
    assert!(
        (law.coefficient("u_xx") / 0.1 - 1.0).abs() < 0.03,
        "{}",
        law.summary()
    );
}

#[test]
fn own_functions_are_terms_like_any_other() {
    // A pendulum: u″ = −sin u from a large angle, by the classical Runge–Kutta method.
    let (mut u, mut v, h) = (2.0_f64, 0.0_f64, 0.002);
    let (mut x, mut values) = (Vec::new(), Vec::new());
    for i in 0..4000 {
        if i % 10 == 0 {
            x.push(f64::from(i) * h);
            values.push(u);
        }
        let f = |u: f64, v: f64| (v, -u.sin());
        let a = f(u, v);
        let b = f(u + 0.5 * h * a.0, v + 0.5 * h * a.1);
        let c = f(u + 0.5 * h * b.0, v + 0.5 * h * b.1);
        let d = f(u + h * c.0, v + h * c.1);
        u += h / 6.0 * (a.0 + 2.0 * b.0 + 2.0 * c.0 + d.0);
        v += h / 6.0 * (a.1 + 2.0 * b.1 + 2.0 * c.1 + d.1);
    }
    let u = unknown("u");
    let library = Dictionary::parse(&["x"], &["u", "u_x", "u^3"])
        .unwrap()
        .with_term(call("restoring", [u.into()], |a: &[Real]| -a[0].sin()))
        .unwrap();
    let samples = Samples::on_line(&x, &values).unwrap();
    let options = DiscoveryOptions::new().refit(LikelihoodRefit::Never);
    let law = Discovery::new(library, "u_xx")
        .unwrap()
        .with(options)
        .run(&samples)
        .unwrap();
    assert_eq!(law.support(), [3], "{}", law.summary());
    assert!(
        (law.coefficient("restoring(u)") - 1.0).abs() < 1e-6,
        "{}",
        law.summary()
    );
}

#[test]
fn the_same_seed_gives_the_same_law() {
    let data = DataSet::damped_oscillator(10.0);
    let samples = data.sample(300, 0.05, 2).unwrap();
    let find = || {
        Discovery::new(data.library().unwrap(), "u_xx")
            .unwrap()
            .run(&samples)
            .unwrap()
    };
    let (a, b) = (find(), find());
    assert_eq!(a.support(), b.support());
    for (a, b) in a.terms.iter().zip(&b.terms) {
        assert!((a.coefficient - b.coefficient).abs() <= 1e-12 * a.coefficient.abs());
    }
}

#[test]
fn the_error_of_a_fit_is_not_taken_for_a_term() {
    // Without noise some term always takes up a part of the error of the fit.
    let data = DataSet::burgers();
    let samples = data.sample(1500, 0.0, 0).unwrap();
    let library = data.library().unwrap().with("sin(u)").unwrap();
    let law = Discovery::new(library, "u_t")
        .unwrap()
        .with(DiscoveryOptions::new().refit(LikelihoodRefit::Never))
        .run(&samples)
        .unwrap();
    let names: Vec<&str> = law.terms.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names, ["u u_x", "u_xx"], "{}", law.summary());
}
