//! How fast the least-squares engine runs beside a bare matrix product, on one and on two threads.
//!
//! Prints, for Gaussian-feature matrices sin(Wx + b) in two dimensions: the rate of AᵀA, the rate of the
//! streamed QR (counting 2MN² operations), their ratio, the time of the rank-revealing part as a share of
//! the QR's, and the time of a whole solve. Times are the best of several runs.
//!
//! `cargo run --release -p fastlsq-solve --example lsq_rates [largest number of rows]`
#![allow(clippy::print_stdout)]

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use fastlsq_solve::lsq::{LsqError, LsqOptions, factor};
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

fn main() -> Result<(), LsqError> {
    let most_rows = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(usize::MAX);
    println!(
        "      matrix threads  gemm GF/s  QR GF/s  QR/gemm  rank-revealing/QR  rank  whole solve ms"
    );
    for (m, n, runs) in [
        (600, 250, 200),
        (700, 270, 200),
        (1300, 600, 40),
        (6000, 1500, 3),
        (12000, 1500, 3),
    ] {
        if m > most_rows {
            continue;
        }
        let a = features(m, n, 12.0);
        let b = Mat::from_fn(m, 1, |i, _| (i as f64).cos());
        let flops = 2.0 * m as f64 * (n * n) as f64;
        for threads in [1, 2] {
            let options = LsqOptions::new();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|cause| LsqError::Threads { threads, cause })?;
            let par = if threads == 1 {
                Par::Seq
            } else {
                Par::rayon(threads)
            };
            let mut gram = Mat::zeros(n, n);
            let (mut gemm, mut qr, mut rr, mut whole, mut rank) =
                (f64::MAX, f64::MAX, f64::MAX, f64::MAX, 0);
            for _ in 0..runs {
                let clock = Instant::now();
                pool.install(|| matmul(gram.as_mut(), Accum::Replace, a.transpose(), &a, 1.0, par));
                gemm = gemm.min(clock.elapsed().as_secs_f64());
                let clock = Instant::now();
                let factored = pool.install(|| factor(&a, b.as_ref(), &options))?;
                whole = whole.min(clock.elapsed().as_secs_f64());
                qr = qr.min(factored.info().seconds.reduction);
                rr = rr.min(factored.info().seconds.rank_revealing);
                rank = factored.rank();
            }
            println!(
                "{:>12} {threads:>7} {:>10.1} {:>8.1} {:>8.2} {:>18.2} {rank:>5} {:>15.2}",
                format!("{m}×{n}"),
                flops / gemm * 1e-9,
                flops / qr * 1e-9,
                gemm / qr,
                rr / qr,
                whole * 1e3
            );
        }
    }
    Ok(())
}
