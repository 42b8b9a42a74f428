//! Equality constraints: held to rounding, optimal among all that hold them.
#![allow(clippy::unwrap_used)]

use super::support::{gaussian, graded, known, relative};
use faer::Mat;
use fastlsq_solve::lsq::{
    ConstrainedFactorisation, Constraints, Input, LsqError, LsqOptions, Method, factor,
    factor_constrained,
};
use proptest::prelude::*;

fn solve(
    a: &Mat<f64>,
    b: &Mat<f64>,
    c: &Mat<f64>,
    d: &Mat<f64>,
    options: &LsqOptions,
) -> Result<ConstrainedFactorisation, LsqError> {
    let constraints = Constraints {
        matrix: c.as_ref(),
        values: d.as_ref(),
    };
    factor_constrained(a, b.as_ref(), constraints, options)
}

/// The same by the saddle-point system [AᵀA Cᵀ; C 0], solved as a square system.
fn by_multipliers(a: &Mat<f64>, b: &Mat<f64>, c: &Mat<f64>, d: &Mat<f64>) -> Mat<f64> {
    let (n, p) = (a.ncols(), c.nrows());
    let gram = a.transpose() * a;
    let system = Mat::from_fn(n + p, n + p, |i, j| match (i < n, j < n) {
        (true, true) => gram[(i, j)],
        (true, false) => c[(j - n, i)],
        (false, true) => c[(i - n, j)],
        (false, false) => 0.0,
    });
    let top = a.transpose() * b;
    let rhs = Mat::from_fn(n + p, b.ncols(), |i, j| {
        if i < n { top[(i, j)] } else { d[(i - n, j)] }
    });
    let full = factor(&system, rhs.as_ref(), &LsqOptions::new().method(Method::Qr)).unwrap();
    full.solution().subrows(0, n).to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_lagrange_multipliers(n in 2_usize..30, p in 1_usize..12, extra in 0_usize..40, seed in 0_u64..1000) {
        let p = p.min(n - 1);
        let (a, _) = known(n + extra, n, &graded(n, 10.0), seed);
        let (c, _) = known(p, n, &graded(p, 10.0), seed + 3);
        let (b, d, v) = (gaussian(n + extra, 2, seed + 1), gaussian(p, 2, seed + 2), gaussian(n, 2, seed + 4));
        let solved = solve(&a, &b, &c, &d, &LsqOptions::new().keep_q(true)).unwrap();
        let x = solved.solution().to_owned();
        prop_assert!(relative(&x, &by_multipliers(&a, &b, &c, &d)) < 1e-10);
        prop_assert!((&c * &x - &d).norm_max() < 1e-13 * (1.0 + x.norm_max()));
        prop_assert!(relative(&solved.solve(b.as_ref(), d.as_ref()).unwrap(), &x) < 1e-11);
        let (wb, wd) = solved.adjoint(v.as_ref()).unwrap();
        let right = b.transpose() * &wb + d.transpose() * &wd;
        prop_assert!((x.transpose() * &v - right).norm_max() < 1e-10 * (1.0 + x.norm_l2()) * v.norm_l2());
    }
}

#[test]
fn dependent_constraints_that_agree_are_harmless() {
    let a = gaussian(300, 40, 1);
    let b = gaussian(300, 1, 2);
    let base = gaussian(6, 40, 3);
    let values = gaussian(6, 1, 4);
    // Each constraint twice, the second time scaled, and one that says 0 = 0.
    let c = Mat::from_fn(13, 40, |i, j| match i {
        0..6 => base[(i, j)],
        6..12 => -1e5 * base[(i - 6, j)],
        _ => 0.0,
    });
    let d = Mat::from_fn(13, 1, |i, _| match i {
        0..6 => values[(i, 0)],
        6..12 => -1e5 * values[(i - 6, 0)],
        _ => 0.0,
    });
    let twice = solve(&a, &b, &c, &d, &LsqOptions::new()).unwrap();
    let once = solve(&a, &b, &base, &values, &LsqOptions::new()).unwrap();
    assert_eq!(twice.constraint_rank(), 6);
    assert!(relative(&twice.solution().to_owned(), &once.solution().to_owned()) < 1e-12);
    let mut wrong = d.clone();
    wrong[(8, 0)] += 1e5;
    assert!(matches!(
        solve(&a, &b, &c, &wrong, &LsqOptions::new()),
        Err(LsqError::InconsistentConstraints { .. })
    ));
    wrong[(8, 0)] -= 1e5;
    wrong[(12, 0)] = 1.0;
    assert!(matches!(
        solve(&a, &b, &c, &wrong, &LsqOptions::new()),
        Err(LsqError::InconsistentConstraints { .. })
    ));
}

#[test]
fn nearly_parallel_constraints_hold_although_the_data_disagree() {
    // Two constraints at an angle of 1e-5, and rows that want something else altogether.
    let (a, b) = (gaussian(200, 20, 1), gaussian(200, 1, 2));
    let (one, other) = (gaussian(1, 20, 3), gaussian(1, 20, 4));
    let c = Mat::from_fn(2, 20, |i, j| {
        one[(0, j)] + if i == 1 { 1e-5 * other[(0, j)] } else { 0.0 }
    });
    let d = Mat::from_fn(2, 1, |i, _| if i == 1 { 1.00003 } else { 1.0 });
    let solved = solve(&a, &b, &c, &d, &LsqOptions::new()).unwrap();
    assert_eq!(solved.constraint_rank(), 2);
    assert!((&c * solved.solution() - &d).norm_max() < 1e-12);
    // Their difference says the same in a well-conditioned way.
    let plain = Mat::from_fn(2, 20, |i, j| [&one, &other][i][(0, j)]);
    let exact = by_multipliers(&a, &b, &plain, &Mat::from_fn(2, 1, |i, _| [1.0, 3.0][i]));
    assert!(relative(&solved.solution().to_owned(), &exact) < 1e-9);
    let rest = (&b - &a * solved.solution()).norm_l2();
    assert!((solved.residual_norms()[0] / rest - 1.0).abs() < 1e-9);
}

#[test]
fn as_many_constraints_as_unknowns_leave_no_freedom() {
    let (c, inverse) = known(8, 8, &graded(8, 10.0), 5);
    let d = gaussian(8, 1, 6);
    let solved = solve(
        &gaussian(20, 8, 7),
        &gaussian(20, 1, 8),
        &c,
        &d,
        &LsqOptions::new().keep_q(true),
    )
    .unwrap();
    assert!(relative(&solved.solution().to_owned(), &(&inverse * &d)) < 1e-12);
    assert!(solved.info().is_none());
    let (wb, _) = solved.adjoint(Mat::ones(8, 1).as_ref()).unwrap();
    assert_eq!(wb.norm_max(), 0.0);
}

#[test]
fn boundary_values_of_random_features_hold_to_rounding() {
    // A smooth function on the unit square, its values held at 240 points of the boundary: far more than
    // the features can tell apart, so the constraints are numerically dependent.
    let (n, edge) = (300, 240);
    for m in [800, 6000] {
        let (inside, boundary) = boundary_features(m, edge, n);
        let f = |p: [f64; 2]| (p[0] + 0.5 * p[1]).exp() * (3.0 * p[1]).cos();
        let values = |set: &FeatureSet| Mat::from_fn(set.points.len(), 1, |i, _| f(set.points[i]));
        let (b, d) = (values(&inside), values(&boundary));
        for method in [
            Method::Auto,
            Method::RankRevealingQr,
            Method::Svd,
            Method::Sketch,
        ] {
            let options = LsqOptions::new().method(method);
            let solved = solve(&inside.matrix, &b, &boundary.matrix, &d, &options).unwrap();
            assert!(
                (20..100).contains(&solved.constraint_rank()),
                "{}",
                solved.constraint_rank()
            );
            let error = relative(&(&inside.matrix * solved.solution()), &b);
            assert!(error < 1e-12, "{m} rows, {method}: {error:.1e}");
            let held = (&boundary.matrix * solved.solution() - &d).norm_max();
            assert!(held < 1e-12, "{m} rows, {method}: {held:.1e}");
        }
    }
}

struct FeatureSet {
    points: Vec<[f64; 2]>,
    matrix: Mat<f64>,
}

/// The same features at `m` points inside the unit square and at `edge` points of its boundary.
fn boundary_features(m: usize, edge: usize, n: usize) -> (FeatureSet, FeatureSet) {
    let w = gaussian(2, n, 50);
    let phase = gaussian(1, n, 51);
    let build = |points: Vec<[f64; 2]>| FeatureSet {
        matrix: Mat::from_fn(points.len(), n, |i, j| {
            let [x, y] = points[i];
            (4.0 * (w[(0, j)] * x + w[(1, j)] * y) + 3.0 * phase[(0, j)]).sin() / (n as f64).sqrt()
        }),
        points,
    };
    // A lattice fills the square evenly.
    let inside = (0..m).map(|i| {
        [
            (i as f64 + 0.5) / m as f64,
            (i as f64 * 0.618_033_988_749_895).fract(),
        ]
    });
    let boundary = (0..edge).map(|i| {
        let t = (i / 4) as f64 / (edge / 4 - 1) as f64;
        [[t, 0.0], [t, 1.0], [0.0, t], [1.0, t]][i % 4]
    });
    (build(inside.collect()), build(boundary.collect()))
}

#[test]
fn shapes_are_checked() {
    let (a, b) = (gaussian(20, 5, 1), gaussian(20, 1, 2));
    let options = LsqOptions::new();
    let wrong_columns = solve(&a, &b, &gaussian(2, 4, 3), &gaussian(2, 1, 4), &options);
    assert!(matches!(
        wrong_columns,
        Err(LsqError::Shape {
            input: Input::Constraints,
            ..
        })
    ));
    let wrong_values = solve(&a, &b, &gaussian(2, 5, 3), &gaussian(3, 1, 4), &options);
    assert!(matches!(
        wrong_values,
        Err(LsqError::Shape {
            input: Input::ConstraintValues,
            ..
        })
    ));
    let wrong_count = solve(&a, &b, &gaussian(2, 5, 3), &gaussian(2, 2, 4), &options);
    assert!(matches!(
        wrong_count,
        Err(LsqError::Shape {
            input: Input::ConstraintValues,
            ..
        })
    ));
    let mut nan = gaussian(2, 5, 3);
    nan[(1, 2)] = f64::NAN;
    let not_finite = solve(&a, &b, &nan, &gaussian(2, 1, 4), &options);
    assert!(matches!(
        not_finite,
        Err(LsqError::NotFinite {
            input: Input::Constraints,
            row: 1,
            column: 2,
            ..
        })
    ));
    let none = solve(&a, &b, &Mat::zeros(0, 5), &Mat::zeros(0, 1), &options).unwrap();
    let free = factor(&a, b.as_ref(), &options).unwrap();
    assert!(relative(&none.solution().to_owned(), &free.solution().to_owned()) < 1e-13);
    assert!(matches!(
        none.solve(b.as_ref(), Mat::zeros(0, 1).as_ref()),
        Err(LsqError::QNotKept)
    ));
}
