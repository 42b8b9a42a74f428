//! Accuracy of the rank-revealing solve on random-feature matrices.
#![allow(clippy::unwrap_used)]

use faer::Mat;
use fastlsq_solve::lsq::{LsqOptions, factor};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// sin(Wx + b)/√N at `m` random points of the unit box, and the points.
fn features(m: usize, n: usize, d: usize, sigma: f64, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let w = Mat::from_fn(d, n, |_, _| {
        sigma * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng)
    });
    let b: Vec<f64> = (0..n)
        .map(|_| rng.random::<f64>() * std::f64::consts::TAU)
        .collect();
    let x = Mat::from_fn(m, d, |_, _| rng.random::<f64>());
    let z = &x * &w;
    (
        Mat::from_fn(m, n, |i, j| (z[(i, j)] + b[j]).sin() / (n as f64).sqrt()),
        x,
    )
}

fn fit_error(m: usize, n: usize, d: usize, sigma: f64, options: &LsqOptions) -> (f64, f64, usize) {
    // Fit on the first m points, judge on the others.
    let (a, x) = features(m + 500, n, d, sigma, 7);
    let f = |i: usize| {
        let s: f64 = (0..d).map(|k| x[(i, k)]).sum();
        let p: f64 = (0..d).map(|k| (3.0 * x[(i, k)] + k as f64).sin()).product();
        (0.5 * s).exp() + p
    };
    let b = Mat::from_fn(m, 1, |i, _| f(i));
    let fitted = factor(&a.as_ref().subrows(0, m), b.as_ref(), options).unwrap();
    let values = &a * fitted.solution();
    let (mut worst, mut size) = (0.0_f64, 0.0_f64);
    for i in m..m + 500 {
        worst += (values[(i, 0)] - f(i)).powi(2);
        size += f(i).powi(2);
    }
    (
        (worst / size).sqrt(),
        fitted.solution().norm_l2(),
        fitted.rank(),
    )
}

#[test]
fn smooth_functions_are_fitted_to_rounding() {
    for (m, n, d, sigma, ranks) in [
        (600, 200, 1, 10.0, 25..60),
        (1500, 600, 2, 5.0, 230..320),
        (2000, 1000, 2, 12.0, 500..640),
    ] {
        for options in [LsqOptions::new(), LsqOptions::new().minimum_norm(true)] {
            let (error, size, rank) = fit_error(m, n, d, sigma, &options);
            assert!(error < 1e-13, "{m}×{n}, σ = {sigma}: error {error:.1e}");
            assert!(size < 1e4, "{m}×{n}, σ = {sigma}: ‖x‖ = {size:.1e}");
            assert!(ranks.contains(&rank), "{m}×{n}, σ = {sigma}: rank {rank}");
        }
    }
}
