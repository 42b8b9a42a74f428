//! Weak rows in closed form against high-order quadrature of the same integrals.
#![allow(clippy::unwrap_used)]

use fastlsq_basis::{InputMap, MultiIndex};
use fastlsq_discovery::rows::{TestFunctions, gauss_legendre, weak_rows};
use fastlsq_discovery::{Dictionary, FieldFit, FitOptions, Samples};
use ndarray::Array2;

/// A fit of a smooth field on [0, 2] × [−1, 1], with fixed bandwidth.
fn fitted() -> FieldFit {
    let points = Array2::from_shape_fn((400, 2), |(i, k)| {
        if k == 0 {
            2.0 * (i % 20) as f64 / 19.0
        } else {
            (i / 20) as f64 / 9.5 - 1.0
        }
    });
    let values = points
        .rows()
        .into_iter()
        .map(|p| (2.0 * p[0] - p[1]).sin() + p[1] * p[0])
        .collect();
    let samples = Samples::new(points, values).unwrap();
    FieldFit::new(
        &samples,
        &FitOptions::new().features(80).bandwidth([3.0, 3.0]),
    )
    .unwrap()
}

#[test]
fn linear_and_product_rows_agree_with_quadrature() {
    let fit = fitted();
    let library = Dictionary::parse(
        &["x", "t"],
        &["1", "u", "u_x", "u_xxx", "u_xt", "u u_x", "u^2"],
    )
    .unwrap()
    .with("sin(u)")
    .unwrap();
    let map = InputMap::from_box(&[0.0, -1.0], &[2.0, 1.0]).unwrap();
    let tests = TestFunctions::spread(&map, 7, 0.5);
    let target = MultiIndex::new([0, 2]);
    let rows = weak_rows(&fit, &library, &target, &tests).unwrap();

    let (nodes, weights) = gauss_legendre(50);
    let derivative = |p: &[f64], orders: [u32; 2]| {
        let point = Array2::from_shape_fn((1, 2), |(_, k)| p[k]);
        fit.derivative(point.view(), &MultiIndex::new(orders))
            .unwrap()[0]
    };
    for test in [0, 3, 6] {
        let mut sums = [0.0; 9];
        let mut mass = 0.0;
        for (a, wa) in nodes.iter().zip(&weights) {
            for (b, wb) in nodes.iter().zip(&weights) {
                let p = [
                    tests.centres[(test, 0)] + tests.half[0] * a,
                    tests.centres[(test, 1)] + tests.half[1] * b,
                ];
                let power = i32::try_from(tests.power).unwrap();
                let w = wa * wb * ((1.0 - a * a) * (1.0 - b * b)).powi(power);
                mass += w;
                let (u, u_x) = (derivative(&p, [0, 0]), derivative(&p, [1, 0]));
                let values = [
                    1.0,
                    u,
                    u_x,
                    derivative(&p, [3, 0]),
                    derivative(&p, [1, 1]),
                    u * u_x,
                    u * u,
                    u.sin(),
                    derivative(&p, [0, 2]),
                ];
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += w * value;
                }
            }
        }
        for (k, sum) in sums.iter().take(8).enumerate() {
            let error = (rows.columns[(test, k)] - sum / mass).abs();
            assert!(error < 1e-9, "{}: {error:.1e}", library.names()[k]);
        }
        assert!((rows.target[test] - sums[8] / mass).abs() < 1e-9);
    }
}
