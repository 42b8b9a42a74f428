//! Whole inverse problems: recovery of known parameters, coverage of the widths, bands, reports and
//! errors for input that makes no sense.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use fastlsq_inverse::applications::{DiffusionField, SourcePosition, Wavenumber};
use fastlsq_inverse::reference::with_noise;
use fastlsq_inverse::{
    BoundingBox, BoxDomain, BoxUnion, FitOptions, InverseError, InverseProblem, LinearProblem,
    Observations, Options, Sought, Unknown, Warning, X, given, laplacian, ln, parameter,
    parameters, unknown,
};
use fastlsq_solve::patches::PatchOptions;
use ndarray::{Array2, array};

fn u() -> Unknown {
    unknown("u")
}

/// −u″ = q on [0, 1], u(0) = 0, u(1) = g: u = g x + q x (1 − x)/2.
fn line(observations: Observations, sought: [Sought; 2]) -> InverseProblem {
    let [q, g] = parameters(["q", "g"]);
    let [first, second] = sought;
    InverseProblem::on(BoxDomain::unit(1))
        .equation(-laplacian(u()), q)
        .dirichlet(g * X)
        .find(first)
        .find(second)
        .observe(observations)
        .options(Options::new().features(40).bandwidth(2.0))
}

fn both() -> [Sought; 2] {
    [Sought::new("q", 1.0), Sought::new("g", 0.0)]
}

fn places(count: usize) -> Array2<f64> {
    Array2::from_shape_fn((count, 1), |(i, _)| (i as f64 + 0.5) / count as f64)
}

fn exact(q: f64, g: f64, x: f64) -> f64 {
    g * x + 0.5 * q * x * (1.0 - x)
}

/// A linear model has its posterior in closed form: (JᵀJ)⁻¹ with J from the exact solution.
#[test]
fn widths_and_bands_of_a_linear_model_are_exact() {
    let points = places(12);
    let sigma = 0.02;
    let truth: Vec<f64> = points.iter().map(|x| exact(3.0, 0.5, *x)).collect();
    let values = with_noise(&truth, sigma, 5);
    let observations = Observations::of(u(), points.clone(), &values).deviation(sigma);
    let fit = line(observations, both()).fit().unwrap();

    let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
    let (mut ra, mut rc) = (0.0, 0.0);
    for (x, y) in points.iter().zip(&values) {
        let (dq, dg) = (0.5 * x * (1.0 - x) / sigma, x / sigma);
        a += dq * dq;
        b += dq * dg;
        c += dg * dg;
        ra += dq * y / sigma;
        rc += dg * y / sigma;
    }
    let det = a * c - b * b;
    let best = [(c * ra - b * rc) / det, (a * rc - b * ra) / det];
    for k in 0..2 {
        assert!((fit.parameters[k] - best[k]).abs() < 1e-6, "{fit}");
        let deviation = ([c, a][k] / det).sqrt();
        assert!((fit.posterior.deviations[k] / deviation - 1.0).abs() < 1e-6);
        assert!((fit.identifiability.deviations[k] / deviation - 1.0).abs() < 1e-6);
    }
    assert!((fit.posterior.covariance[(0, 1)] / (-b / det) - 1.0).abs() < 1e-6);
    let (lower, upper) = fit.interval(0, 0.95).unwrap();
    assert!((upper - lower - 2.0 * 1.959_964 * (c / det).sqrt()).abs() < 1e-5);

    // Band of u at x: variance of g x + q x (1 − x)/2.
    let at = array![[0.3], [0.8]];
    for (band, x) in fit.band(u(), &at, 0.9).unwrap().iter().zip([0.3, 0.8]) {
        let (dq, dg) = (0.5 * x * (1.0 - x), x);
        let variance = (c * dq * dq - 2.0 * b * dq * dg + a * dg * dg) / det;
        assert!((band.deviation / variance.sqrt() - 1.0).abs() < 1e-6);
        assert!((band.value - exact(best[0], best[1], x)).abs() < 1e-6);
        assert!(band.lower < band.value && band.value < band.upper);
    }
    assert!(fit.band(u(), &at, 1.5).is_err());
}

#[test]
fn an_unstated_noise_level_is_estimated() {
    let points = places(200);
    let truth: Vec<f64> = points.iter().map(|x| exact(3.0, 0.5, *x)).collect();
    let values = with_noise(&truth, 0.05, 8);
    let fit = line(Observations::of(u(), points, &values), both())
        .fit()
        .unwrap();
    // 200 residuals: the estimate is good to 5 %; three times that.
    assert!(
        (fit.posterior.noise_factor / 0.05 - 1.0).abs() < 0.15,
        "{fit}"
    );
}

#[test]
fn all_methods_and_several_starts_find_the_same_parameters() {
    let set_up = SourcePosition {
        options: Options::new().features(250).bandwidth(5.0),
        ..SourcePosition::paper(1e-4)
    };
    let prepared = set_up.problem(&set_up.exact_readings()).prepare().unwrap();
    assert!(!prepared.operator_depends());
    let mut calls = 0;
    let marquardt = prepared
        .fit_with_progress(&FitOptions::new(), &mut |progress| {
            assert!(prepared.bounds().contains(progress.parameters));
            calls += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(calls > 2);
    let quasi_newton = prepared.fit_with(&FitOptions::new().lbfgsb()).unwrap();
    let many = prepared
        .fit_with(&FitOptions::new().further_starts(3))
        .unwrap();
    assert_eq!(many.other_ends.len(), 3);
    for fit in [&marquardt, &quasi_newton, &many] {
        for k in 0..2 {
            assert!((fit.parameters[k] - set_up.truth[k]).abs() < 1e-3, "{fit}");
        }
    }
}

#[test]
fn the_report_says_beforehand_what_cannot_be_told() {
    let fast = |noise| SourcePosition {
        options: Options::new().features(250).bandwidth(5.0),
        ..SourcePosition::paper(noise)
    };
    let published = fast(0.01);
    let report = published
        .problem(&published.readings(1))
        .identifiability()
        .unwrap();
    assert_eq!(report.undetermined(), [0, 1]);
    assert!(report.to_string().contains("not determined by the data"));
    let better = fast(0.001);
    let prepared = better.problem(&better.readings(1)).prepare().unwrap();
    assert!(prepared.identifiability().unwrap().is_identifiable());
    // The bound at the truth, by sine series: 0.141 for noise 0.01.
    let bound = prepared.identifiability_at(&better.truth).unwrap();
    assert!((bound.deviations[0] - 0.0141).abs() < 2e-4);
}

#[test]
fn an_operator_with_a_parameter() {
    let set_up = Wavenumber {
        options: Options::new().features(350).bandwidth(8.0).rows(900, 350),
        ..Wavenumber::standard()
    };
    let prepared = set_up
        .problem(&set_up.exact_readings(), 0.0)
        .prepare()
        .unwrap();
    assert!(prepared.operator_depends());
    let fit = prepared.fit().unwrap();
    assert!((fit.parameters[0] - 10.0).abs() < 1e-6, "{fit}");
}

#[test]
fn a_coefficient_field() {
    let set_up = DiffusionField {
        options: Options::new().features(100).bandwidth(3.0).rows(400, 150),
        ..DiffusionField::standard(2500, 0.01)
    };
    let fit = set_up.problem(&set_up.measurements(0)).fit().unwrap();
    assert!(DiffusionField::error(&fit).unwrap() < 2e-2);
}

#[test]
fn a_start_outside_the_box_is_projected_and_reported() {
    let observations = Observations::of(u(), places(5), &[0.1, 0.2, 0.3, 0.3, 0.2]).deviation(0.1);
    let box_of_q = [
        Sought::new("q", 9.0).within(0.0, 2.0),
        Sought::new("g", 0.0),
    ];
    let fit = line(observations, box_of_q).fit().unwrap();
    assert!(fit.warnings.iter().any(|warning| matches!(
        warning,
        Warning::StartProjected { name, given: 9.0, used: 2.0 } if name == "q"
    )));
}

#[test]
fn fewer_observations_than_parameters_is_a_warning() {
    let observations = Observations::of(u(), array![[0.5]], &[0.4]).deviation(0.01);
    let problem = line(observations, both());
    let report = problem.identifiability().unwrap();
    assert!(report.deviations.iter().all(|sigma| sigma.is_infinite()));
    assert!(report.warnings().contains(&Warning::FewObservations {
        observations: 1,
        parameters: 2
    }));
    let fit = problem.fit().unwrap();
    assert!((fit.predicted[0] - 0.4).abs() < 1e-6);
    assert!(
        fit.posterior
            .deviations
            .iter()
            .all(|sigma| sigma.is_infinite())
    );
    assert!(fit.interval(0, 0.95).is_none());
}

/// A heater that stands outside the rod occurs in the equation, and cannot be seen.
#[test]
fn a_parameter_without_effect_is_found() {
    let outside = given("outside", |x| if x[0] > 2.0 { 1.0 } else { 0.0 });
    let [q, g] = parameters(["q", "g"]);
    let problem = InverseProblem::on(BoxDomain::unit(1))
        .equation(-laplacian(u()), q + g * outside)
        .dirichlet(0.0)
        .find(Sought::new(q, 1.0))
        .find(Sought::new(g, 0.0))
        .observe(Observations::of(u(), places(4), &[0.1, 0.2, 0.2, 0.1]).deviation(0.01))
        .options(Options::new().features(30).bandwidth(2.0));
    let report = problem.identifiability().unwrap();
    assert!(report.deviations[1].is_infinite() && report.deviations[0].is_finite());
    assert_eq!(report.least_determined[1].abs(), 1.0);
    assert!(report.condition.is_infinite());
}

#[test]
fn senseless_input_gives_typed_errors() {
    let good = || Observations::of(u(), array![[0.5], [0.7]], &[0.4, 0.3]).deviation(0.01);
    let error = |observations, parameters| line(observations, parameters).fit().unwrap_err();

    let outside = Observations::of(u(), array![[0.5], [1.7]], &[0.4, 0.3]);
    assert!(matches!(
        error(outside, both()),
        InverseError::Outside { index: 1, .. }
    ));
    let nan = Observations::of(u(), array![[0.5], [0.7]], &[0.4, f64::NAN]);
    assert!(matches!(
        error(nan, both()),
        InverseError::Observation { index: 1, .. }
    ));
    let place = Observations::of(u(), array![[f64::NAN], [0.7]], &[0.4, 0.2]);
    assert!(matches!(
        error(place, both()),
        InverseError::Observation { index: 0, .. }
    ));
    let short = Observations::of(u(), array![[0.5], [0.7]], &[0.4]);
    assert!(matches!(error(short, both()), InverseError::Shape { .. }));
    let flat = Observations::of(u(), array![[0.5, 0.1]], &[0.4]);
    assert!(matches!(error(flat, both()), InverseError::Shape { .. }));
    assert!(matches!(
        error(good().deviation(0.0), both()),
        InverseError::Observation { .. }
    ));
    let none = Observations::of(u(), Array2::zeros((0, 1)), &[]);
    assert!(matches!(error(none, both()), InverseError::NoObservations));

    let crossed = [
        Sought::new("q", 1.0).within(2.0, 1.0),
        Sought::new("g", 0.0),
    ];
    assert!(matches!(
        error(good(), crossed),
        InverseError::Bounds { .. }
    ));
    let lost = [Sought::new("q", f64::NAN), Sought::new("g", 0.0)];
    assert!(matches!(
        error(good(), lost),
        InverseError::Parameter { .. }
    ));
    let vague = [Sought::new("q", 1.0).prior(1.0, 0.0), Sought::new("g", 0.0)];
    assert!(matches!(
        error(good(), vague),
        InverseError::Parameter { .. }
    ));

    let line = |sought| line(good(), sought);
    let nowhere = line(both()).condition("ceiling", u(), parameter("q"));
    assert!(matches!(nowhere.fit(), Err(InverseError::Solve(_))));
    let singular = line(both()).equation(u(), ln(parameter("q") - 1.0) * X);
    assert!(singular.fit().is_err());
    let idle = InverseProblem::on(BoxDomain::unit(1))
        .equation(laplacian(u()), 0.0)
        .observe(good());
    assert!(matches!(idle.fit(), Err(InverseError::NoParameters)));
    let prepared = line(both()).prepare().unwrap();
    assert!(prepared.with_values(&[1.0]).is_err());
    let prepared = line(both()).prepare().unwrap();
    assert!(
        prepared
            .fit_with(&FitOptions::new().tempering(&[-1.0]))
            .is_err()
    );
    let open = FitOptions::new().further_starts(2);
    assert!(matches!(
        prepared.fit_with(&open),
        Err(InverseError::Optimise(_))
    ));
}

// At noise 0.001 the errors stay within three Cramér–Rao deviations in 95 % of 40 draws, and their
/// spread is that of the bound, not a fraction of it.
#[test]
fn widths_cover_the_errors() {
    let set_up = SourcePosition {
        options: Options::new().features(250).bandwidth(5.0),
        ..SourcePosition::paper(0.001)
    };
    let mut prepared = set_up.problem(&set_up.readings(0)).prepare().unwrap();
    let bound = prepared
        .identifiability_at(&set_up.truth)
        .unwrap()
        .deviations;
    let (mut inside, mut squares) = (0, 0.0);
    for seed in 0..40 {
        prepared = prepared.with_values(&set_up.readings(seed)).unwrap();
        let fit = prepared.fit().unwrap();
        let ratios: Vec<f64> = (0..2)
            .map(|k| (fit.parameters[k] - set_up.truth[k]) / bound[k])
            .collect();
        inside += usize::from(ratios.iter().all(|ratio| ratio.abs() <= 3.0));
        squares += ratios.iter().map(|ratio| ratio * ratio).sum::<f64>() / 80.0;
    }
    assert!(inside >= 38, "{inside} of 40");
    // Eighty squares of unit normals have mean 1 ± 0.16; four times that.
    assert!((squares - 1.0).abs() < 0.64, "{squares}");
}

/// −Δu = q on an L with u = g x on its boundary: patches are factored once, and gradients come from their adjoint.
#[test]
fn sources_and_boundary_values_are_found_through_factored_patches() {
    let part = |lo: [f64; 2], hi: [f64; 2]| BoundingBox::new(&lo, &hi).unwrap();
    let boxes = [part([0.0, 0.0], [2.0, 1.0]), part([0.0, 0.0], [1.0, 2.0])];
    let l_shape = || BoxUnion::new(&boxes).unwrap();
    let patches = || Options::new().tolerance(1e-6).patches(PatchOptions::new());
    let truth = LinearProblem::on(l_shape())
        .equation(-laplacian(u()), 2.0)
        .dirichlet(0.7 * X)
        .solve_with(&patches())
        .unwrap();
    let points = array![[0.4, 0.3], [1.5, 0.5], [0.5, 1.6], [0.9, 0.9], [1.1, 0.8]];
    let values = truth.values(points.view()).unwrap();
    let [q, g] = parameters(["q", "g"]);
    let stated = InverseProblem::on(l_shape())
        .dirichlet(g * X)
        .find(Sought::new("q", 1.0))
        .find(Sought::new("g", 0.0))
        .observe(Observations::of(u(), points, &values).deviation(1e-6))
        .options(patches());
    let fit = stated.clone().equation(-laplacian(u()), q).fit().unwrap();
    assert!((fit.value("q").unwrap() - 2.0).abs() < 1e-5);
    assert!((fit.value("g").unwrap() - 0.7).abs() < 1e-5);
    // Operators of patches are not taken apart.
    let refused = stated.equation(q * laplacian(u()), -1.0).fit();
    assert!(matches!(refused, Err(InverseError::Unsupported { .. })));
}
