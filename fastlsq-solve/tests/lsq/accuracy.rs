//! Random-feature matrices: numerically rank-deficient, and yet smooth functions are fitted to rounding.
#![allow(clippy::unwrap_used)]

use super::support::features;
use faer::Mat;
use fastlsq_solve::lsq::{LsqOptions, Method, factor};

/// Fits a smooth function at `m` points; the error at 500 others, ‖x‖ and the rank.
fn fit(m: usize, n: usize, d: usize, sigma: f64, options: &LsqOptions) -> (f64, f64, usize) {
    let (a, x) = features(m + 500, n, d, sigma, 7);
    let f = |i: usize| {
        let s: f64 = (0..d).map(|k| x[(i, k)]).sum();
        let p: f64 = (0..d).map(|k| (3.0 * x[(i, k)] + k as f64).sin()).product();
        (0.5 * s).exp() + p
    };
    let b = Mat::from_fn(m, 1, |i, _| f(i));
    let fitted = factor(&a.as_ref().subrows(0, m), b.as_ref(), options).unwrap();
    let values = &a * fitted.solution();
    let error: f64 = (m..m + 500).map(|i| (values[(i, 0)] - f(i)).powi(2)).sum();
    let size: f64 = (m..m + 500).map(|i| f(i).powi(2)).sum();
    (
        (error / size).sqrt(),
        fitted.solution().norm_l2(),
        fitted.rank(),
    )
}

#[test]
fn smooth_functions_are_fitted_to_rounding_by_every_truncating_method() {
    for (m, n, d, sigma, ranks) in [
        (600, 200, 1, 10.0, 25..60),
        (1500, 300, 1, 10.0, 25..60),
        (1500, 600, 2, 5.0, 200..320),
        (4000, 900, 2, 8.0, 340..470),
    ] {
        for method in [
            Method::Auto,
            Method::RankRevealingQr,
            Method::Svd,
            Method::Sketch,
        ] {
            for least in [false, true] {
                let options = LsqOptions::new().method(method).minimum_norm(least);
                let (error, size, rank) = fit(m, n, d, sigma, &options);
                let case = format!("{m}×{n}, {d}-D, σ = {sigma}, {method}, least norm: {least}");
                assert!(error < 1e-13, "{case}: error {error:.1e}");
                assert!(size < 1e4, "{case}: ‖x‖ = {size:.1e}");
                assert!(ranks.contains(&rank), "{case}: rank {rank}");
            }
        }
    }
}

#[test]
fn normal_equations_with_a_ridge_stop_at_half_the_digits() {
    let good = fit(1500, 300, 2, 5.0, &LsqOptions::new().ridge(1e-26));
    let poor = fit(
        1500,
        300,
        2,
        5.0,
        &LsqOptions::new()
            .method(Method::NormalEquations)
            .ridge(1e-12),
    );
    assert!(good.0 < 1e-11, "{:.1e}", good.0);
    assert!(poor.0 > 1e-9 && poor.0 < 1e-4, "{:.1e}", poor.0);
}
