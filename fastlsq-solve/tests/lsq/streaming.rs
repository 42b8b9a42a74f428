//! Rows that stream by, threads that change nothing, and the cache.
#![allow(clippy::unwrap_used)]

use super::support::{features, gaussian, relative};
use faer::{Mat, MatMut};
use fastlsq_solve::lsq::{LsqError, LsqOptions, Method, RowSource, factor};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows computed on demand; remembers the tallest block that was asked for.
struct Lazy {
    rows: usize,
    cols: usize,
    tallest: AtomicUsize,
}

impl Lazy {
    fn entry(&self, i: usize, j: usize) -> f64 {
        let t = i as f64 / self.rows as f64;
        ((1.0 + j as f64) * t * 3.0 + (j * j) as f64).sin()
    }
}

impl RowSource for Lazy {
    fn nrows(&self) -> usize {
        self.rows
    }

    fn ncols(&self) -> usize {
        self.cols
    }

    fn write_rows(&self, start: usize, mut out: MatMut<'_, f64>) -> Result<(), LsqError> {
        self.tallest.fetch_max(out.nrows(), Ordering::Relaxed);
        for j in 0..out.ncols() {
            for i in 0..out.nrows() {
                out[(i, j)] = self.entry(start + i, j);
            }
        }
        Ok(())
    }
}

const METHODS: [Method; 5] = [
    Method::RankRevealingQr,
    Method::Svd,
    Method::Sketch,
    Method::Qr,
    Method::NormalEquations,
];

#[test]
fn lazy_rows_give_the_same_bits_as_a_matrix_in_memory() {
    let source = Lazy {
        rows: 7001,
        cols: 90,
        tallest: AtomicUsize::new(0),
    };
    let a = Mat::from_fn(7001, 90, |i, j| source.entry(i, j));
    let b = gaussian(7001, 2, 1);
    for method in METHODS {
        let options = LsqOptions::new().method(method).ridge(1e-6);
        let lazy = factor(&source, b.as_ref(), &options).unwrap();
        let dense = factor(&a, b.as_ref(), &options).unwrap();
        assert_eq!(lazy.solution(), dense.solution(), "{method}");
        assert_eq!(lazy.residual_norms(), dense.residual_norms(), "{method}");
    }
    let tallest = source.tallest.load(Ordering::Relaxed);
    assert!(tallest <= 2048, "a block of {tallest} rows was asked for");
}

#[test]
fn one_and_two_threads_give_the_same_bits() {
    let pools = [1, 2].map(|threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    });
    for (m, n) in [(300, 120), (900, 450), (5000, 200)] {
        let (a, _) = features(m, n, 2, 6.0, 3);
        let b = gaussian(m, 1, 4);
        let v = gaussian(n, 1, 5);
        for method in METHODS {
            let ridge = if matches!(method, Method::NormalEquations | Method::Qr) {
                1e-8
            } else {
                0.0
            };
            for least in [false, true] {
                let options = LsqOptions::new()
                    .method(method)
                    .minimum_norm(least)
                    .ridge(ridge)
                    .keep_q(true);
                let results = [
                    pools[0]
                        .install(|| factor(&a, b.as_ref(), &options))
                        .unwrap(),
                    pools[1]
                        .install(|| factor(&a, b.as_ref(), &options))
                        .unwrap(),
                    factor(&a, b.as_ref(), &options.clone().threads(1)).unwrap(),
                    factor(&a, b.as_ref(), &options.clone().threads(3)).unwrap(),
                ];
                for other in &results[1..] {
                    assert_eq!(results[0].solution(), other.solution(), "{m}×{n} {method}");
                    assert_eq!(results[0].residual_norms(), other.residual_norms());
                    assert_eq!(
                        results[0].solve(b.as_ref()).unwrap(),
                        other.solve(b.as_ref()).unwrap()
                    );
                    assert_eq!(
                        results[0].adjoint(v.as_ref()).unwrap(),
                        other.adjoint(v.as_ref()).unwrap()
                    );
                }
            }
        }
    }
}

#[test]
fn the_cache_has_an_orthonormal_range_and_fresh_accuracy() {
    let (m, n) = (2000, 300);
    let (a, x) = features(m, n, 2, 4.0, 9);
    let f = |k: usize| Mat::from_fn(m, 1, |i, _| ((k as f64) * x[(i, 0)] + x[(i, 1)]).cos());
    for method in [Method::RankRevealingQr, Method::Svd, Method::Sketch] {
        let options = LsqOptions::new().method(method).keep_q(true);
        let factored = factor(&a, f(0).as_ref(), &options).unwrap();
        let cached = factored.cached().unwrap();
        let q = cached.range();
        assert_eq!(q.ncols(), factored.rank());
        let departure = (q.transpose() * q - Mat::<f64>::identity(q.ncols(), q.ncols())).norm_max();
        assert!(departure < 3e-14, "{method}: {departure:.1e}");
        for k in 1..4 {
            let b = f(k);
            let fresh = factor(&a, b.as_ref(), &options).unwrap();
            let (new, old) = (
                &a * cached.solve(b.as_ref()).unwrap(),
                &a * fresh.solution(),
            );
            assert!(
                relative(&new, &b) < 1e-13 && relative(&old, &b) < 1e-13,
                "{method} {k}"
            );
            assert!(fresh.residual_norms()[0] < 1e-13 * b.norm_l2());
        }
    }
}

#[test]
fn many_rows_need_no_more_memory_than_a_few_blocks() {
    // 60 000 × 60 would be 29 MB; the limit is a tenth of that.
    let source = Lazy {
        rows: 60_000,
        cols: 60,
        tallest: AtomicUsize::new(0),
    };
    let b = Mat::from_fn(60_000, 1, |i, _| {
        source.entry(i, 3) - 2.0 * source.entry(i, 10)
    });
    let options = LsqOptions::new()
        .method(Method::RankRevealingQr)
        .memory_limit(4_000_000);
    let factored = factor(&source, b.as_ref(), &options).unwrap();
    assert!(factored.residual_norms()[0] < 1e-12 * b.norm_l2());
    let refused = factor(&source, b.as_ref(), &options.keep_q(true));
    assert!(matches!(refused, Err(LsqError::TooLarge { .. })));
}
