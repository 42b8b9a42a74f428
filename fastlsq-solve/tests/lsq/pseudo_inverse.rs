//! Every method against pseudo-inverses that are known by construction.
#![allow(clippy::unwrap_used)]

use super::support::{gaussian, graded, known, orthonormal, relative};
use faer::Mat;
use fastlsq_solve::lsq::{LsqError, LsqOptions, Method, factor};
use proptest::prelude::*;

const TRUNCATING: [Method; 4] = [
    Method::Auto,
    Method::RankRevealingQr,
    Method::Svd,
    Method::Sketch,
];
const ALL: [Method; 5] = [
    Method::RankRevealingQr,
    Method::Svd,
    Method::Sketch,
    Method::Qr,
    Method::NormalEquations,
];

/// Sizes on both sides of every block, panel and stream boundary.
const TALL: [(usize, usize); 9] = [
    (1, 1),
    (9, 8),
    (40, 17),
    (70, 65),
    (200, 33),
    (1500, 60),
    (2600, 130),
    (4400, 16),
    (9000, 40),
];

#[test]
fn full_rank_systems_are_solved_by_all_methods() {
    for (m, n) in TALL {
        let (a, inverse) = known(m, n, &graded(n, 100.0), 3);
        let b = gaussian(m, 2, 5);
        let exact = &inverse * &b;
        let rest = &b - &a * &exact;
        for method in ALL {
            let factored = factor(&a, b.as_ref(), &LsqOptions::new().method(method)).unwrap();
            let error = relative(&factored.solution().to_owned(), &exact);
            assert!(error < 1e-11, "{m}×{n} {method}: {error:.1e}");
            assert_eq!(factored.rank(), n, "{m}×{n} {method}");
            let condition = factored.condition();
            assert!(
                (10.0..1000.0).contains(&condition) || n == 1,
                "{m}×{n} {method}: {condition}"
            );
            for j in 0..2 {
                let found = factored.residual_norms()[j];
                let norm = rest.col(j).norm_l2();
                assert!(
                    (found - norm).abs() < 1e-11 * b.norm_l2(),
                    "{method}: {found} for {norm}"
                );
            }
        }
    }
}

#[test]
fn rank_deficient_systems_have_the_least_norm_solution() {
    for (m, n, r) in [
        (30, 12, 5),
        (90, 70, 33),
        (500, 120, 64),
        (2600, 130, 50),
        (9000, 40, 39),
    ] {
        let (a, inverse) = known(m, n, &graded(r, 1e3), 11);
        let b = gaussian(m, 3, 12);
        let exact = &inverse * &b;
        for method in TRUNCATING {
            let options = LsqOptions::new()
                .method(method)
                .minimum_norm(true)
                .threshold(1e-11);
            let factored = factor(&a, b.as_ref(), &options).unwrap();
            assert_eq!(factored.rank(), r, "{m}×{n} {method}");
            let error = relative(&factored.solution().to_owned(), &exact);
            assert!(error < 1e-10, "{m}×{n} {method}: {error:.1e}");
        }
        // The basic solution differs, but fits as well and uses only r unknowns.
        let basic = factor(&a, b.as_ref(), &LsqOptions::new().threshold(1e-11)).unwrap();
        let fitted = &a * basic.solution();
        assert!(relative(&fitted, &(&a * &exact)) < 1e-11);
        for j in 0..3 {
            assert!((0..n).filter(|&i| basic.solution()[(i, j)] != 0.0).count() <= r);
        }
    }
}

#[test]
fn wide_systems_have_the_least_norm_solution() {
    for (m, n) in [(1, 7), (12, 40), (64, 65), (130, 300)] {
        let (a, inverse) = known(m, n, &graded(m, 50.0), 21);
        let b = gaussian(m, 1, 22);
        for method in TRUNCATING {
            let factored = factor(&a, b.as_ref(), &LsqOptions::new().method(method)).unwrap();
            let error = relative(&factored.solution().to_owned(), &(&inverse * &b));
            assert!(error < 1e-12, "{m}×{n} {method}: {error:.1e}");
            assert!(factored.residual_norms()[0] < 1e-12 * b.norm_l2());
        }
        let plain = factor(&a, b.as_ref(), &LsqOptions::new().method(Method::Qr));
        assert!(matches!(plain, Err(LsqError::Singular { column }) if column == m));
    }
}

#[test]
fn zero_matrices_have_rank_zero_and_the_zero_solution() {
    for (m, n) in [(5, 3), (3, 5), (3000, 40)] {
        let a = Mat::zeros(m, n);
        let b = gaussian(m, 1, 1);
        for method in TRUNCATING {
            for options in [
                LsqOptions::new(),
                LsqOptions::new().minimum_norm(true),
                LsqOptions::new().ridge(1e-3),
            ] {
                let options = options.method(method).keep_q(true);
                let factored = factor(&a, b.as_ref(), &options).unwrap();
                assert_eq!(factored.rank(), 0);
                assert_eq!(factored.solution().norm_max(), 0.0);
                assert!((factored.residual_norms()[0] - b.norm_l2()).abs() < 1e-12 * b.norm_l2());
                assert_eq!(factored.solve(b.as_ref()).unwrap().norm_max(), 0.0);
                assert_eq!(
                    factored
                        .adjoint(Mat::ones(n, 1).as_ref())
                        .unwrap()
                        .norm_max(),
                    0.0
                );
                assert_eq!(
                    factored
                        .cached()
                        .unwrap()
                        .solve(b.as_ref())
                        .unwrap()
                        .norm_max(),
                    0.0
                );
            }
        }
        // AᵀA is not positive definite: said so, and solved anyway.
        let options = LsqOptions::new().method(Method::NormalEquations);
        let factored = factor(&a, b.as_ref(), &options).unwrap();
        assert_eq!(factored.info().method, Method::RankRevealingQr);
        assert_eq!(factored.info().fallbacks.len(), 1);
    }
}

#[test]
fn repeated_and_zero_columns_count_once() {
    let base = gaussian(400, 20, 2);
    // Columns 0..20, the same again scaled by 1e6, and ten zeros.
    let a = Mat::from_fn(400, 50, |i, j| match j {
        0..20 => base[(i, j)],
        20..40 => 1e6 * base[(i, j - 20)],
        _ => 0.0,
    });
    let b = gaussian(400, 1, 3);
    let exact = &base
        * factor(&base, b.as_ref(), &LsqOptions::new().method(Method::Qr))
            .unwrap()
            .solution();
    for method in TRUNCATING {
        for least in [false, true] {
            let options = LsqOptions::new().method(method).minimum_norm(least);
            let factored = factor(&a, b.as_ref(), &options).unwrap();
            assert_eq!(factored.rank(), 20, "{method}");
            assert!(
                relative(&(&a * factored.solution()), &exact) < 1e-12,
                "{method}"
            );
        }
    }
}

#[test]
fn badly_scaled_columns_do_not_lower_the_rank_when_equilibrated() {
    let u = orthonormal(300, 30, 4);
    let a = Mat::from_fn(300, 30, |i, j| u[(i, j)] * 10_f64.powi(j as i32 - 15));
    let x = Mat::from_fn(30, 1, |i, _| 10_f64.powi(15 - i as i32));
    let b = &a * &x;
    let on = factor(&a, b.as_ref(), &LsqOptions::new()).unwrap();
    assert_eq!(on.rank(), 30);
    for i in 0..30 {
        assert!((on.solution()[(i, 0)] / x[(i, 0)] - 1.0).abs() < 1e-12);
    }
    let off = factor(&a, b.as_ref(), &LsqOptions::new().equilibrate(false)).unwrap();
    assert!(off.rank() < 20);
}

#[test]
fn a_ridge_agrees_with_the_augmented_system() {
    for (m, n, r) in [(60, 20, 20), (200, 70, 30), (25, 60, 25), (2600, 130, 50)] {
        let (a, _) = known(m, n, &graded(r, 1e4), 31);
        let b = gaussian(m, 2, 32);
        for mu in [1e-6, 1e-2, 10.0] {
            // [A; √μ I] has full rank: plain QR solves it.
            let stacked = Mat::from_fn(m + n, n, |i, j| {
                if i < m {
                    a[(i, j)]
                } else if i - m == j {
                    f64::sqrt(mu)
                } else {
                    0.0
                }
            });
            let padded = Mat::from_fn(m + n, 2, |i, j| if i < m { b[(i, j)] } else { 0.0 });
            let exact = factor(
                &stacked,
                padded.as_ref(),
                &LsqOptions::new().method(Method::Qr),
            )
            .unwrap()
            .into_solution();
            let rest = (&b - &a * &exact).col(0).norm_l2();
            for method in [
                Method::Auto,
                Method::RankRevealingQr,
                Method::Svd,
                Method::Sketch,
                Method::NormalEquations,
                Method::Qr,
            ] {
                for equilibrate in [false, true] {
                    let options = LsqOptions::new()
                        .method(method)
                        .ridge(mu)
                        .equilibrate(equilibrate);
                    let factored = factor(&a, b.as_ref(), &options).unwrap();
                    let error = relative(&factored.solution().to_owned(), &exact);
                    assert!(error < 1e-9, "{m}×{n} μ = {mu} {method}: {error:.1e}");
                    let found = factored.residual_norms()[0];
                    assert!(
                        (found / rest - 1.0).abs() < 1e-8,
                        "{method}: {found} for {rest}"
                    );
                }
            }
        }
    }
}

/// A random problem: sizes, rank, and whether the least-norm solution or a ridge is asked for.
fn problems() -> impl Strategy<Value = (usize, usize, usize, bool, f64, Method, u64)> {
    (
        1_usize..60,
        1_usize..40,
        1_usize..40,
        any::<bool>(),
        prop_oneof![Just(0.0), Just(1e-4)],
        prop_oneof![
            Just(Method::RankRevealingQr),
            Just(Method::Svd),
            Just(Method::Sketch),
            Just(Method::NormalEquations)
        ],
        0_u64..1000,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// ⟨A⁺b, v⟩ = ⟨b, (A⁺)ᵀv⟩, and the cache and the streamed solution agree with a fresh solve.
    #[test]
    fn adjoint_cache_and_fresh_solve_agree((m, n, r, least, ridge, method, seed) in problems()) {
        let r = r.min(m).min(n);
        // Without a ridge the normal equations are only for full rank.
        let ridge = if method == Method::NormalEquations { 1e-4 } else { ridge };
        let (a, _) = known(m, n, &graded(r, 100.0), seed);
        let b = gaussian(m, 2, seed + 7);
        let v = gaussian(n, 2, seed + 8);
        let options = LsqOptions::new()
            .method(method)
            .minimum_norm(least)
            .ridge(ridge)
            .threshold(1e-11)
            .keep_q(true);
        let factored = factor(&a, b.as_ref(), &options).unwrap();
        let x = factored.solve(b.as_ref()).unwrap();
        let w = factored.adjoint(v.as_ref()).unwrap();
        let (left, right) = (x.transpose() * &v, b.transpose() * &w);
        let size = x.norm_l2() * v.norm_l2();
        prop_assert!((&left - &right).norm_max() <= 1e-11 * size);
        prop_assert!(relative(&factored.solution().to_owned(), &x) < 1e-10);
        let cached = factored.cached().unwrap();
        prop_assert!(relative(&cached.solve(b.as_ref()).unwrap(), &x) < 1e-10);
        let one = cached.solve(b.as_ref().subcols(1, 1)).unwrap();
        prop_assert!((one - x.as_ref().subcols(1, 1)).norm_l2() < 1e-10 * x.norm_l2());
        prop_assert!(relative(&cached.adjoint(v.as_ref()).unwrap(), &w) < 1e-10);
    }
}
