//! Matrices with known factors, shared by the tests of the least-squares engine.
#![allow(clippy::unwrap_used)]

use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A Gaussian matrix.
pub(crate) fn gaussian(m: usize, n: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(m, n, |_, _| StandardNormal.sample(&mut rng))
}

/// Orthonormal columns by modified Gram–Schmidt, twice.
pub(crate) fn orthonormal(m: usize, n: usize, seed: u64) -> Mat<f64> {
    let mut q = gaussian(m, n, seed);
    for j in 0..n {
        for _ in 0..2 {
            for i in 0..j {
                let s = (0..m).map(|l| q[(l, i)] * q[(l, j)]).sum::<f64>();
                for l in 0..m {
                    q[(l, j)] -= s * q[(l, i)];
                }
            }
        }
        let size = q.col(j).norm_l2();
        for l in 0..m {
            q[(l, j)] /= size;
        }
    }
    q
}

/// A = U·diag(values)·Vᵀ together with its exact pseudo-inverse V·diag(1/values)·Uᵀ.
pub(crate) fn known(m: usize, n: usize, values: &[f64], seed: u64) -> (Mat<f64>, Mat<f64>) {
    let u = orthonormal(m, values.len(), seed);
    let v = orthonormal(n, values.len(), seed + 1);
    let us = Mat::from_fn(m, values.len(), |i, j| u[(i, j)] * values[j]);
    let vs = Mat::from_fn(n, values.len(), |i, j| v[(i, j)] / values[j]);
    (&us * v.transpose(), &vs * u.transpose())
}

/// Numbers between 1 and 1/`condition`, evenly spaced on a logarithmic scale.
pub(crate) fn graded(r: usize, condition: f64) -> Vec<f64> {
    (0..r)
        .map(|i| condition.powf(-(i as f64) / (r.max(2) - 1) as f64))
        .collect()
}

/// sin(Wx + b)/√N at `m` random points of the unit box in `d` dimensions, and the points.
pub(crate) fn features(
    m: usize,
    n: usize,
    d: usize,
    sigma: f64,
    seed: u64,
) -> (Mat<f64>, Mat<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let w = Mat::from_fn(d, n, |_, _| {
        let g: f64 = StandardNormal.sample(&mut rng);
        sigma * g
    });
    let b: Vec<f64> = (0..n)
        .map(|_| rng.random::<f64>() * std::f64::consts::TAU)
        .collect();
    let x = Mat::from_fn(m, d, |_, _| rng.random::<f64>());
    let z = &x * &w;
    let a = Mat::from_fn(m, n, |i, j| (z[(i, j)] + b[j]).sin() / (n as f64).sqrt());
    (a, x)
}

/// ‖a − b‖ / ‖b‖ (absolute where b is zero).
pub(crate) fn relative(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let size = b.norm_l2();
    (a - b).norm_l2() / if size > 0.0 { size } else { 1.0 }
}
