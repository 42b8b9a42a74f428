//! How fast the least-squares engine runs beside a bare matrix product, on one and on two threads.
//!
//! For Gaussian-feature matrices sin(Wx + b) in two dimensions: the rate of AᵀA, the rate of the streamed QR
//! (both counting 2MN² operations) and their ratio, the time of the rank-revealing part as a share of the QR's
//! (where the rows are streamed), and the times of a whole solve by rank-revealing QR, of one by the automatic choice,
//! and of a right-hand side from the cache. Times are the best of several runs.
//!
//! `cargo run --release -p fastlsq-solve --example lsq_rates [largest number of rows]`
#![allow(clippy::print_stdout)]

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use fastlsq_solve::lsq::{Factorisation, LsqError, LsqOptions, Method, factor};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;

fn features(m: usize, n: usize, sigma: f64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let w = Mat::from_fn(2, n, |_, _| {
        let g: f64 = StandardNormal.sample(&mut rng);
        sigma * g
    });
    let b: Vec<f64> = (0..n)
        .map(|_| rng.random::<f64>() * std::f64::consts::TAU)
        .collect();
    let x = Mat::from_fn(m, 2, |_, _| rng.random::<f64>());
    let z = &x * &w;
    Mat::from_fn(m, n, |i, j| (z[(i, j)] + b[j]).sin())
}

/// The shortest time and the last result of several runs.
fn best<T>(
    runs: usize,
    mut run: impl FnMut() -> Result<T, LsqError>,
) -> Result<(f64, T), LsqError> {
    let clock = Instant::now();
    let mut result = run()?;
    let mut shortest = clock.elapsed().as_secs_f64();
    for _ in 1..runs {
        let clock = Instant::now();
        result = run()?;
        shortest = shortest.min(clock.elapsed().as_secs_f64());
    }
    Ok((shortest, result))
}

fn solve(a: &Mat<f64>, b: MatRef<'_, f64>, method: Method) -> Result<Factorisation, LsqError> {
    factor(a, b, &LsqOptions::new().method(method))
}

fn main() -> Result<(), LsqError> {
    let most_rows = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(usize::MAX);
    println!(
        "      matrix threads  gemm GF/s  QR GF/s  QR/gemm  revealing/QR  rank  whole ms   auto ms  cached ms"
    );
    for (m, n, sigma, runs) in [
        (600, 250, 5.0, 100),
        (700, 270, 5.0, 100),
        (1300, 600, 5.0, 20),
        (6000, 1500, 12.0, 3),
        (12000, 1500, 12.0, 3),
    ] {
        if m > most_rows {
            continue;
        }
        let a = features(m, n, sigma);
        let b = Mat::from_fn(m, 1, |i, _| (i as f64).cos());
        let flops = 2.0 * m as f64 * (n * n) as f64;
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|error| LsqError::Threads {
                    threads,
                    reason: error.to_string(),
                })?;
            let par = if threads == 1 {
                Par::Seq
            } else {
                Par::rayon(threads)
            };
            pool.install(|| {
                let mut gram = Mat::zeros(n, n);
                let (gemm, ()) = best(runs, || {
                    matmul(gram.as_mut(), Accum::Replace, a.transpose(), &a, 1.0, par);
                    Ok(())
                })?;
                let (qr, _) = best(runs, || solve(&a, b.as_ref(), Method::Qr))?;
                let (whole, factored) = best(runs, || solve(&a, b.as_ref(), Method::RankRevealingQr))?;
                let (auto, _) = best(runs, || solve(&a, b.as_ref(), Method::Auto))?;
                let kept = factor(&a, b.as_ref(), &LsqOptions::new().keep_q(true))?.cached()?;
                let (cached, _) = best(20 * runs, || kept.solve(b.as_ref()))?;
                let seconds = factored.info().seconds;
                let streamed = seconds.reduction > 0.3 * qr;
                let share = if streamed {
                    format!("{:.2}", seconds.rank_revealing / seconds.reduction)
                } else {
                    "–".to_owned()
                };
                println!(
                    "{:>12} {threads:>7} {:>10.1} {:>8.1} {:>8.2} {share:>13} {:>5} {:>9.2} {:>9.2} {:>10.3}",
                    format!("{m}×{n}"),
                    flops / gemm * 1e-9,
                    flops / qr * 1e-9,
                    gemm / qr,
                    factored.rank(),
                    whole * 1e3,
                    auto * 1e3,
                    cached * 1e3
                );
                Ok::<(), LsqError>(())
            })?;
        }
    }
    Ok(())
}
