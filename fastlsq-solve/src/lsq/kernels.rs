//! Vector kernels: sums, dots and updates of contiguous columns.
//!
//! Each kernel is written as a plain loop over lanes and compiled for the best vector unit of the
//! running machine (the choice is made at run time, so no compiler flags are needed). The order of
//! the additions is fixed by the length alone: results never depend on threads.

use std::borrow::Cow;

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use pulp::Arch;

/// Independent partial sums: enough to hide the latency of the additions.
const LANES: usize = 16;

/// The entries of column `j`: where they lie, or a copy if they are not contiguous, as in a transposed view.
#[inline]
pub(crate) fn column(a: MatRef<'_, f64>, j: usize) -> Cow<'_, [f64]> {
    let entries = a.col(j);
    match entries.try_as_col_major() {
        Some(c) => Cow::Borrowed(c.as_slice()),
        None => Cow::Owned(entries.iter().copied().collect()),
    }
}

/// The entries of column `j`, to be changed. Only for matrices that were made here: these are column-major.
#[inline]
pub(crate) fn column_mut<'a>(a: MatMut<'a, f64>, j: usize) -> &'a mut [f64] {
    match a.col_mut(j).try_as_col_major_mut() {
        Some(c) => c.as_slice_mut(),
        None => unreachable!("a matrix that is written to is column-major"),
    }
}

#[inline(always)]
fn fold(acc: [f64; LANES]) -> f64 {
    let mut width = LANES / 2;
    let mut acc = acc;
    while width > 0 {
        for l in 0..width {
            acc[l] += acc[l + width];
        }
        width /= 2;
    }
    acc[0]
}

#[inline(always)]
fn dot_lanes(x: &[f64], y: &[f64]) -> f64 {
    let mut acc = [0.0; LANES];
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let tail: f64 = xs
        .remainder()
        .iter()
        .zip(ys.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in xs.zip(ys) {
        for l in 0..LANES {
            acc[l] += a[l] * b[l];
        }
    }
    fold(acc) + tail
}

#[inline(always)]
fn axpy_lanes(alpha: f64, x: &[f64], y: &mut [f64]) {
    for (b, a) in y.iter_mut().zip(x) {
        *b += alpha * a;
    }
}

/// xᵀy, over the shorter of the two lengths when they differ.
#[inline]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len());
    Arch::new().dispatch(
        #[inline(always)]
        || dot_lanes(&x[..n], &y[..n]),
    )
}

/// y += α x.
#[inline]
pub(crate) fn axpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    Arch::new().dispatch(
        #[inline(always)]
        || axpy_lanes(alpha, x, y),
    );
}

/// x *= α.
#[inline]
pub(crate) fn scale(alpha: f64, x: &mut [f64]) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for v in x.iter_mut() {
                *v *= alpha;
            }
        },
    );
}

/// Whether every entry is finite.
#[inline]
pub(crate) fn all_finite(x: &[f64]) -> bool {
    // 0·x is 0 for finite x and NaN otherwise, and a NaN survives every addition.
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let mut acc = [0.0; LANES];
            let xs = x.chunks_exact(LANES);
            let tail: f64 = xs.remainder().iter().map(|v| v * 0.0).sum();
            for a in xs {
                for l in 0..LANES {
                    acc[l] += a[l] * 0.0;
                }
            }
            fold(acc) + tail == 0.0
        },
    )
}

/// ‖x‖₂, safe against overflow and underflow of the squares.
pub(crate) fn norm(x: &[f64]) -> f64 {
    let squares = dot(x, x);
    if (1e-280..1e280).contains(&squares) {
        return squares.sqrt();
    }
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return if squares.is_nan() { f64::NAN } else { largest };
    }
    let sum: f64 = x.iter().map(|v| (v / largest).powi(2)).sum();
    largest * sum.sqrt()
}

/// For every column c of `a`: c −= τ (vᵀc) v, in one pass over the matrix.
pub(crate) fn reflect_columns(v: &[f64], tau: f64, mut a: MatMut<'_, f64>) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for j in 0..a.ncols() {
                let c = column_mut(a.rb_mut(), j);
                let n = c.len().min(v.len());
                let s = tau * dot_lanes(&v[..n], &c[..n]);
                axpy_lanes(-s, &v[..n], &mut c[..n]);
            }
        },
    );
}

/// Four dot products with the same x, which is read once.
#[inline(always)]
fn dot4_lanes(c: [&[f64]; 4], x: &[f64]) -> [f64; 4] {
    const WIDTH: usize = 8;
    let mut acc = [[0.0; WIDTH]; 4];
    let whole = x.len() / WIDTH * WIDTH;
    for start in (0..whole).step_by(WIDTH) {
        let part = &x[start..start + WIDTH];
        for (sums, column) in acc.iter_mut().zip(c) {
            let column = &column[start..start + WIDTH];
            for l in 0..WIDTH {
                sums[l] += column[l] * part[l];
            }
        }
    }
    let mut out = [0.0; 4];
    for ((result, sums), column) in out.iter_mut().zip(acc).zip(c) {
        let tail: f64 = column[whole..]
            .iter()
            .zip(&x[whole..])
            .map(|(a, b)| a * b)
            .sum();
        *result = sums.iter().sum::<f64>() + tail;
    }
    out
}

/// y = Aᵀx by dot products, four columns at a time.
pub(crate) fn transpose_times(a: MatRef<'_, f64>, x: &[f64], y: &mut [f64]) {
    let n = a.nrows().min(x.len());
    let x = &x[..n];
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let mut groups = y.chunks_exact_mut(4);
            let mut j = 0;
            for group in &mut groups {
                let c = [0, 1, 2, 3].map(|i| column(a, j + i));
                let c = c.each_ref().map(|c| &c[..n]);
                group.copy_from_slice(&dot4_lanes(c, x));
                j += 4;
            }
            for (i, out) in groups.into_remainder().iter_mut().enumerate() {
                *out = dot_lanes(&column(a, j + i)[..n], x);
            }
        },
    );
}

/// y = A·x by four columns at a time.
pub(crate) fn times(a: MatRef<'_, f64>, x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    let n = y.len().min(a.nrows());
    let y = &mut y[..n];
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let whole = a.ncols().min(x.len()) / 4 * 4;
            for j in (0..whole).step_by(4) {
                let c = [0, 1, 2, 3].map(|i| column(a, j + i));
                let [c0, c1, c2, c3] = c.each_ref().map(|c| &c[..n]);
                for i in 0..n {
                    y[i] +=
                        (x[j] * c0[i] + x[j + 1] * c1[i]) + (x[j + 2] * c2[i] + x[j + 3] * c3[i]);
                }
            }
            for (j, &factor) in x.iter().enumerate().take(a.ncols()).skip(whole) {
                axpy_lanes(factor, &column(a, j)[..n], y);
            }
        },
    );
}

/// squares −= s², entry by entry.
pub(crate) fn downdate(squares: &mut [f64], s: &[f64]) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for (q, v) in squares.iter_mut().zip(s) {
                *q -= v * v;
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norm_survives_extreme_scales() {
        for scale in [1e-300, 1e-200, 1.0, 1e200, 1e300] {
            let x = [3.0 * scale, 4.0 * scale];
            assert!((norm(&x) / scale - 5.0).abs() < 1e-14, "scale {scale}");
        }
        assert_eq!(norm(&[0.0; 7]), 0.0);
    }

    #[test]
    fn finiteness_is_seen_at_every_position() {
        for n in [1, 15, 16, 17, 40] {
            for at in 0..n {
                let mut x = vec![1.0; n];
                assert!(all_finite(&x));
                x[at] = f64::NEG_INFINITY;
                assert!(!all_finite(&x));
                x[at] = f64::NAN;
                assert!(!all_finite(&x));
            }
        }
    }

    #[test]
    fn products_with_a_matrix_match_the_plain_sums() {
        for (m, n) in [(1, 1), (7, 3), (16, 4), (37, 9)] {
            let a = faer::Mat::from_fn(m, n, |i, j| (i * n + j) as f64 - 5.0);
            let x: Vec<f64> = (0..m).map(|i| i as f64 - 2.0).collect();
            let mut y = vec![f64::NAN; n];
            transpose_times(a.as_ref(), &x, &mut y);
            for j in 0..n {
                assert_eq!(y[j], (0..m).map(|i| a[(i, j)] * x[i]).sum::<f64>());
            }
            let mut z = vec![f64::NAN; m];
            times(a.as_ref(), &y, &mut z);
            for i in 0..m {
                assert_eq!(z[i], (0..n).map(|j| a[(i, j)] * y[j]).sum::<f64>());
            }
        }
    }

    #[test]
    fn columns_of_transposed_views_are_read_entry_by_entry() {
        let a = faer::Mat::from_fn(5, 9, |i, j| (i * 9 + j) as f64);
        let turned = a.transpose();
        for j in 0..5 {
            let expected: Vec<f64> = (0..9).map(|i| (j * 9 + i) as f64).collect();
            assert_eq!(*column(turned, j), *expected);
        }
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        let mut y = vec![f64::NAN; 5];
        transpose_times(turned, &x, &mut y);
        for (j, value) in y.iter().enumerate() {
            assert_eq!(
                *value,
                (0..9).map(|i| (j * 9 + i) as f64 * x[i]).sum::<f64>()
            );
        }
        let mut z = vec![f64::NAN; 9];
        times(turned, &y, &mut z);
        assert!(
            z.iter()
                .enumerate()
                .all(|(i, z)| { *z == (0..5).map(|j| (j * 9 + i) as f64 * y[j]).sum::<f64>() })
        );
    }

    #[test]
    fn dot_matches_the_plain_sum() {
        for n in [0, 1, 5, 16, 33, 100] {
            let x: Vec<f64> = (0..n).map(|i| f64::from(i) - 3.0).collect();
            let plain: f64 = x.iter().map(|v| v * v).sum();
            assert_eq!(dot(&x, &x), plain);
        }
    }
}
