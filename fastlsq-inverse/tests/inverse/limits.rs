//! Time, memory and cancellation of fits: the best parameters so far are returned.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fastlsq_inverse::optimise::{MinimiseOptions, Status};
use fastlsq_inverse::{
    BandwidthLearner, BoxDomain, FitOptions, InverseProblem, Limit, LinearProblem, Observations,
    Options, Shape, Sought, Stage, X, Y, laplacian, parameter, sin, unknown,
};
use ndarray::Array2;
use std::f64::consts::PI;

/// −Δu + k u = 1: which k explains these values? The operator depends on k, so that every evaluation factors anew.
fn problem(features: usize) -> InverseProblem {
    let (u, k) = (unknown("u"), parameter("k"));
    let points = Array2::from_shape_fn((6, 2), |(i, j)| 0.2 + 0.1 * (i + j) as f64);
    InverseProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + k * u, 1.0)
        .dirichlet(0.0)
        .find(Sought::new(k, 1.0).within(0.1, 50.0))
        .observe(Observations::of(u, points, &[0.03; 6]).deviation(1e-3))
        .options(Options::new().features(features).bandwidth(3.0))
}

#[test]
fn a_fit_that_is_cancelled_returns_its_best() {
    let watched = problem(60).progress(|now| match now.stage {
        Stage::Fit { iteration: 1.. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    for options in [
        FitOptions::new(),
        FitOptions::new().lbfgsb(),
        FitOptions::new().further_starts(3),
    ] {
        let fit = watched.fit_with(&options).unwrap();
        assert_eq!(fit.minimum.status, Status::Interrupted);
        assert_eq!(fit.stopped, Some(Limit::Cancelled));
        let start = problem(60).prepare().unwrap().misfit(&[1.0]).unwrap().0;
        assert!(fit.misfit <= start, "{} against {start}", fit.misfit);
        assert!(fit.solution.value(&[0.5, 0.5]).is_ok());
    }
    assert_eq!(problem(60).fit().unwrap().stopped, None);
}

#[test]
fn a_fit_ends_in_time() {
    let limit = Duration::from_millis(600);
    let slow = FitOptions::new().further_starts(100_000);
    let begin = Instant::now();
    let fit = problem(150).time_limit(limit).fit_with(&slow).unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(6),
        "{:?}",
        begin.elapsed()
    );
    assert_eq!(fit.stopped, Some(Limit::Time { limit }));
}

#[test]
fn without_a_first_evaluation_the_limit_is_an_error() {
    let error = problem(60).time_limit(Duration::ZERO).fit().unwrap_err();
    assert!(matches!(error.limit(), Some(Limit::Time { .. })), "{error}");
    let error = problem(60).memory_limit(20_000).fit().unwrap_err();
    assert!(
        matches!(error.limit(), Some(Limit::Memory { .. })),
        "{error}"
    );
}

#[test]
fn learning_a_bandwidth_ends_in_time() {
    let u = unknown("u");
    let poisson = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), sin(PI * X) * sin(PI * Y))
        .dirichlet(0.0);
    let options = Options::new()
        .features(100)
        .rows(300, 100)
        .time_limit(Duration::from_millis(400));
    let learner = BandwidthLearner::new(&poisson, Shape::Full, 3.0, &options).unwrap();
    let begin = Instant::now();
    let learned = learner
        .learn_gradually(&MinimiseOptions::new().max_iterations(1_000_000))
        .unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(6),
        "{:?}",
        begin.elapsed()
    );
    assert!(learned.held_out.is_finite());
}
