//! The error of a discretisation, estimated by others, against exact solutions.

#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use fastlsq_inverse::{
    BoxDomain, FitOptions, InverseError, InverseProblem, ModelError, Observations, Options,
    Prepared, Sought, X, laplacian, parameters, sin, unknown,
};
use ndarray::Array2;

const SENSORS: usize = 15;
const NOISE: f64 = 0.01;

fn places() -> Array2<f64> {
    Array2::from_shape_fn((SENSORS, 1), |(i, _)| (i as f64 + 0.5) / SENSORS as f64)
}

/// −u″ = q (5π)² sin 5πx + g π² sin πx on [0, 1] with zero ends: u = q sin 5πx + g sin πx.
fn exact([q, g]: [f64; 2]) -> Vec<f64> {
    let u = |x: &f64| q * (5.0 * PI * x).sin() + g * (PI * x).sin();
    places().iter().map(u).collect()
}

fn prepared(features: usize, seed: u64, values: &[f64]) -> Prepared {
    let u = unknown("u");
    let [q, g] = parameters(["q", "g"]);
    let fast = (5.0 * PI).powi(2) * sin(5.0 * PI * X);
    let slow = PI.powi(2) * sin(PI * X);
    InverseProblem::on(BoxDomain::unit(1))
        .equation(-laplacian(u), q * fast + g * slow)
        .dirichlet(0.0)
        .find(Sought::new(q, 1.0))
        .find(Sought::new(g, 0.5))
        .observe(Observations::of(u, places(), values).deviation(NOISE))
        .options(
            Options::new()
                .features(features)
                .bandwidth(9.0)
                .seed(seed)
                .rows(80, 10),
        )
        .prepare()
        .unwrap()
}

fn mean_square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64
}

/// Finer discretisations remove most of the error, and the estimates are the true errors within a
/// small factor, over several draws of everything.
#[test]
fn corrections_and_what_they_leave_are_of_the_true_size() {
    let at = [1.0, 0.5];
    let truth = exact(at);
    let (mut before, mut corrected, mut after, mut remaining) = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..8 {
        let coarse = prepared(13, seed, &truth);
        let finer: Vec<_> = (1..=3)
            .map(|k| prepared(15, 100 * k + seed, &truth))
            .collect();
        let error = ModelError::estimate(&coarse, &finer, &at).unwrap();
        let own = coarse.predict(&at).unwrap();
        let better: Vec<f64> = own
            .iter()
            .zip(error.correction())
            .map(|(d, c)| d + c)
            .collect();
        before += mean_square(&own, &truth);
        after += mean_square(&better, &truth);
        corrected += error.corrected().powi(2);
        remaining += error.remaining().powi(2);
        assert_eq!(error.offsets().len(), 3);
    }
    assert!(after < 0.25 * before, "{before} {after}");
    assert!(
        (0.5..2.0).contains(&(corrected / before)),
        "{corrected} {before}"
    );
    assert!(
        (0.1..10.0).contains(&(remaining / after)),
        "{remaining} {after}"
    );
}

/// The model is linear, so the shift of the fit for shifted readings is exactly the one by which the
/// posterior is widened.
#[test]
fn the_posterior_is_widened_by_what_the_offsets_do_to_a_fit() {
    let values = exact([1.2, 0.3]);
    let mut coarse = prepared(14, 0, &values);
    let finer = [prepared(14, 1, &values), prepared(14, 2, &values)];
    let mut fit = coarse.fit().unwrap();
    let error = ModelError::estimate(&coarse, &finer, &fit.parameters).unwrap();
    let before = fit.posterior.covariance.clone();
    fit.widen(&error).unwrap();

    let mut expected = before;
    for offset in error.offsets() {
        let shifted: Vec<f64> = values.iter().zip(offset).map(|(y, o)| y + o).collect();
        coarse.set_values(&shifted).unwrap();
        let moved = coarse.fit().unwrap().parameters;
        let shift = [0, 1].map(|k| moved[k] - fit.parameters[k]);
        for a in 0..2 {
            for b in 0..2 {
                expected[(a, b)] += shift[a] * shift[b];
            }
        }
    }
    for a in 0..2 {
        for b in 0..2 {
            let size = (expected[(a, a)] * expected[(b, b)]).sqrt();
            let difference = fit.posterior.covariance[(a, b)] - expected[(a, b)];
            assert!(difference.abs() < 1e-5 * size);
        }
        let deviation = fit.posterior.deviations[a];
        assert!((deviation / expected[(a, a)].sqrt() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn senseless_input_gives_typed_errors() {
    let values = exact([1.0, 0.5]);
    let mut own = prepared(14, 0, &values);
    let one = [prepared(14, 1, &values)];
    assert!(matches!(
        ModelError::estimate(&own, &one, &[1.0, 0.5]),
        Err(InverseError::Shape {
            expected: 2,
            found: 1,
            ..
        })
    ));
    assert!(own.set_deviations(&[0.1]).is_err());
    assert!(matches!(
        own.set_deviations(&[-1.0; SENSORS]),
        Err(InverseError::Observation { index: 0, .. })
    ));
    assert!(own.set_values(&[f64::NAN; SENSORS]).is_err());
    let start = |start: &[f64]| FitOptions::new().starting_at(start);
    assert!(matches!(
        own.fit_with(&start(&[1.0])),
        Err(InverseError::Shape { .. })
    ));
    assert!(own.fit_with(&start(&[f64::NAN, 0.0])).is_err());
    let fit = own.fit_with(&start(&[-3.0, 8.0])).unwrap();
    assert_eq!(fit.minimum.start, [-3.0, 8.0]);
    assert!(fit.evaluations >= fit.minimum.evaluations);
}
