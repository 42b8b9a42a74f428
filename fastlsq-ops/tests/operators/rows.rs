//! Rows, products with coefficients, and sizes around block edges.

use faer::Mat;
use fastlsq_ops::{Operator, Sites, X, Y, biharmonic, given, laplacian, normal_derivative};
use ndarray::Array2;

use crate::support::{assert_close, operator, plain, rows, u};

fn varied() -> Operator {
    let (u, c) = (u(), 1.0 + X * Y);
    let sum = &c * laplacian(u) - 2.0 * &c * u.d(X) + biharmonic(u) + normal_derivative(u);
    operator(2, sum + 3.0 * u)
}

fn beta(count: usize) -> Vec<f64> {
    (0..count).map(|j| (j as f64 * 1.3).sin()).collect()
}

#[test]
fn sequential_and_parallel_rows_agree_at_every_size() {
    for count in [0, 1, 3, 4, 5, 255, 256, 257, 511, 513, 1300] {
        let (basis, points) = plain(2, 37, count);
        let normals = points.mapv(f64::sin);
        let sites = Sites::new(points.view()).with_normals(normals.view());
        let mut sequential = Mat::from_fn(count, 37, |_, _| f64::NAN);
        varied()
            .write_rows(&basis, sites, sequential.as_mut())
            .unwrap();
        assert_close(&rows(&varied(), &basis, sites), &sequential, 0.0);
        // Blocks of a stream give the same rows.
        for start in (0..count).step_by(100) {
            let size = 100.min(count - start);
            let mut block = Mat::zeros(size, 37);
            let prepared = varied().rows(sites.block(start, 100)).unwrap();
            prepared.write_rows(&basis, block.as_mut()).unwrap();
            assert_close(&block, &sequential.subrows(start, size).to_owned(), 1e-11);
        }
    }
}

#[test]
fn applying_is_the_matrix_times_the_coefficients() {
    for (count, features) in [(0, 5), (1, 1), (255, 40), (257, 40), (1300, 60)] {
        let (basis, points) = plain(2, features, count);
        let normals = points.mapv(f64::sin);
        let sites = Sites::new(points.view()).with_normals(normals.view());
        let beta = beta(features);
        let matrix = rows(&varied(), &basis, sites);
        let values = varied().apply(&basis, &beta, sites).unwrap();
        assert_eq!(values.len(), count);
        for (i, value) in values.iter().enumerate() {
            let expected: f64 = (0..features).map(|j| matrix[(i, j)] * beta[j]).sum();
            assert!((value - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }
}

#[test]
fn magnitudes_add_up_the_absolute_terms() {
    let (basis, points) = plain(2, 30, 300);
    let (u, beta) = (u(), beta(30));
    let own = operator(2, X * laplacian(u) - 3.0 * X * u.d(Y) - u + X * u);
    let apply = |operator: &Operator| operator.apply(&basis, &beta, &points).unwrap();
    let expected = own.terms().iter().fold(vec![0.0; 300], |sum, term| {
        let alone = Operator::from_terms(2, [term.clone()]);
        sum.iter()
            .zip(apply(&alone))
            .map(|(s, v): (&f64, f64)| s + v.abs())
            .collect()
    });
    let magnitudes = own.term_magnitudes(&basis, &beta, &points).unwrap();
    let values = apply(&own);
    for ((m, e), v) in magnitudes.iter().zip(&expected).zip(&values) {
        assert!((m - e).abs() <= 1e-12 * e);
        assert!(v.abs() <= m * (1.0 + 1e-12));
    }
    // Two terms of one operator that was put together cancel in the value but not in the magnitude.
    let one = given("one", |_| 1.0);
    let twin = operator(2, one * laplacian(u)).plus(&operator(2, -laplacian(u)));
    assert!(apply(&twin).iter().all(|v| v.abs() < 1e-12));
    assert!(twin.term_magnitudes(&basis, &beta, &points).unwrap()[0] > 1e-3);
}

#[test]
fn the_zero_operator_writes_zeros() {
    let (basis, points) = plain(2, 3, 4);
    let zero = operator(2, 0.0 * u());
    let mut out = Mat::from_fn(4, 3, |_, _| 5.0);
    zero.write_rows(&basis, &points, out.as_mut()).unwrap();
    assert_close(&out, &Mat::zeros(4, 3), 0.0);
    assert_eq!(zero.apply(&basis, &[1.0; 3], &points), Ok(vec![0.0; 4]));
}

#[test]
fn weights_are_multiples() {
    let (basis, points) = plain(2, 10, 20);
    let own = laplacian(u()) + Y * u().d(X);
    let weighted = rows(&operator(2, 100.0 * &own), &basis, &points);
    let scaled = rows(&operator(2, own), &basis, &points) * faer::Scale(100.0);
    assert_close(&weighted, &scaled, 1e-11);
}

/// Terms with the same coefficient share one slice, by which a basis groups them.
#[test]
fn equal_coefficients_share_one_slice() {
    let points = Array2::from_elem((3, 2), 0.5);
    let own = operator(2, X * laplacian(u()));
    let prepared = own.rows(&points).unwrap();
    let form = prepared.form();
    let slices: Vec<_> = form
        .terms()
        .iter()
        .map(|term| match term.coefficient {
            fastlsq_basis::Coefficient::PerPoint(values) => values.as_ptr(),
            fastlsq_basis::Coefficient::Constant(_) => std::ptr::null(),
        })
        .collect();
    assert!(!slices[0].is_null());
    assert_eq!(slices[0], slices[1]);
}
