//! Pivoted QR on its own: reconstruction, orthogonality, rank, and matrices that mislead pivoting.

use super::*;
use crate::lsq::products::product;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

fn gaussian(m: usize, n: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(m, n, |_, _| StandardNormal.sample(&mut rng))
}

/// ‖A·P − Q₁·[R₁₁ R₁₂]‖ and ‖Q₁ᵀQ₁ − I‖, both by the largest entry.
fn defects(a: &Mat<f64>, qr: &PivotedQr) -> (f64, f64) {
    let rebuilt = qr.expand(qr.r.as_ref(), true);
    let mut rest = 0.0_f64;
    for (place, &j) in qr.order.iter().enumerate() {
        for i in 0..a.nrows() {
            rest = rest.max((a[(i, j)] - rebuilt[(i, place)]).abs());
        }
    }
    let q = qr.expand(Mat::<f64>::identity(qr.rank(), qr.rank()).as_ref(), false);
    let gram = product(q.as_ref().transpose(), q.as_ref(), false);
    (
        rest,
        (gram - Mat::<f64>::identity(qr.rank(), qr.rank())).norm_max(),
    )
}

#[test]
fn a_full_rank_matrix_is_rebuilt_at_every_size() {
    for (m, n) in [
        (1, 1),
        (1, 9),
        (9, 1),
        (17, 16),
        (33, 32),
        (31, 70),
        (100, 65),
        (150, 129),
        (300, 200),
    ] {
        let a = gaussian(m, n, 1);
        let qr = pivoted_qr(a.clone(), 1e-12, true);
        assert_eq!(qr.rank(), m.min(n), "{m}×{n}");
        let (rest, departure) = defects(&a, &qr);
        assert!(
            rest < 1e-13 && departure < 1e-14,
            "{m}×{n}: {rest:.1e}, {departure:.1e}"
        );
        let mut sorted = qr.order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..n));
    }
}

#[test]
fn the_rank_of_a_product_is_found_and_what_is_dropped_is_small() {
    for (m, n, r) in [
        (40, 30, 7),
        (200, 150, 16),
        (200, 150, 32),
        (200, 150, 33),
        (400, 300, 100),
    ] {
        let a = product(
            gaussian(m, r, 1).as_ref(),
            gaussian(r, n, 2).as_ref(),
            false,
        );
        let qr = pivoted_qr(a.clone(), 1e-9, true);
        assert_eq!(qr.rank(), r, "{m}×{n}");
        let (rest, departure) = defects(&a, &qr);
        assert!(
            rest < 1e-11 && departure < 1e-14,
            "{m}×{n}: {rest:.1e}, {departure:.1e}"
        );
        assert!(qr.dropped.iter().all(|&size| size < 1e-9));
    }
}

#[test]
fn steeply_graded_columns_come_out_in_order() {
    // Columns of size 2⁻¹, 2⁻², …, shuffled: pivots must follow the sizes, over 140 orders of magnitude.
    let (m, n) = (90, 60);
    let base = gaussian(m, n, 3);
    let exponent = |j: usize| -(((j * 37) % n) as i32) * 8;
    let a = Mat::from_fn(m, n, |i, j| base[(i, j)] * 2_f64.powi(exponent(j)));
    let qr = pivoted_qr(a, 0.0, false);
    assert_eq!(qr.rank(), n);
    assert!(
        qr.order
            .iter()
            .enumerate()
            .all(|(place, &j)| exponent(j) == -8 * place as i32)
    );
}

#[test]
fn kahans_matrix_has_full_rank() {
    // Pivots decay slowly although the smallest singular value is far below them: nothing may be dropped.
    let (n, angle) = (60, 1.2_f64);
    let a = Mat::from_fn(n, n, |i, j| {
        let row = angle.sin().powi(i as i32);
        if i == j {
            row
        } else if i < j {
            -row * angle.cos()
        } else {
            0.0
        }
    });
    let qr = pivoted_qr(a.clone(), 1e-10, true);
    assert_eq!(qr.rank(), n);
    assert!(defects(&a, &qr).0 < 1e-14);
}

#[test]
fn columns_at_the_threshold_do_not_stall_the_search() {
    // All columns but ten are noise of the size of the threshold.
    let (m, n) = (300, 250);
    let big = product(
        gaussian(m, 10, 1).as_ref(),
        gaussian(10, n, 2).as_ref(),
        false,
    );
    let noise = gaussian(m, n, 3);
    let a = Mat::from_fn(m, n, |i, j| big[(i, j)] + 1e-8 * noise[(i, j)]);
    let typical = 1e-8 * (m as f64).sqrt();
    for tolerance in [0.5 * typical, typical, 1.2 * typical] {
        let qr = pivoted_qr(a.clone(), tolerance, true);
        assert!(qr.rank() >= 10);
        assert!(qr.dropped.iter().all(|&size| size < 20.0 * typical));
    }
}

#[test]
fn rotations_from_the_right_match_the_transpose() {
    let a = gaussian(80, 50, 1);
    let qr = pivoted_qr(a, 1e-12, false);
    let rows = gaussian(7, 80, 2);
    let mut right = rows.clone();
    qr.apply_from_the_right(right.as_mut());
    let mut left = rows.transpose().to_owned();
    qr.apply_transpose(left.as_mut());
    assert!((right - left.transpose()).norm_max() < 1e-13);
}
