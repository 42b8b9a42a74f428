//! Triangles: scaling, solving, and how ill-conditioned they are.

use super::kernels::{axpy, column, column_mut, dot, norm, scale};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef, Par};

/// B ← R⁻¹·B for upper-triangular R.
pub(crate) fn solve_upper(r: MatRef<'_, f64>, b: MatMut<'_, f64>) {
    solve_upper_triangular_in_place(r, b, Par::Seq);
}

/// B ← R⁻ᵀ·B for upper-triangular R.
pub(crate) fn solve_upper_transpose(r: MatRef<'_, f64>, b: MatMut<'_, f64>) {
    solve_lower_triangular_in_place(r.transpose(), b, Par::Seq);
}

/// Writes zeros below the diagonal.
pub(crate) fn clear_below_diagonal(mut r: MatMut<'_, f64>) {
    for j in 0..r.ncols().min(r.nrows()) {
        column_mut(r.rb_mut(), j)[j + 1..].fill(0.0);
    }
}

/// Norms of the columns.
pub(crate) fn column_norms(a: MatRef<'_, f64>) -> Vec<f64> {
    (0..a.ncols()).map(|j| norm(&column(a, j))).collect()
}

/// 1/norm, or 1 where that is not a positive number.
pub(crate) fn inverse_or_one(norms: &[f64]) -> Vec<f64> {
    norms
        .iter()
        .map(|&size| {
            let inverse = 1.0 / size;
            if inverse.is_finite() && inverse > 0.0 {
                inverse
            } else {
                1.0
            }
        })
        .collect()
}

/// Multiplies each column by its factor.
pub(crate) fn scale_columns(mut a: MatMut<'_, f64>, factors: &[f64]) {
    for (j, &factor) in factors.iter().enumerate() {
        scale(factor, column_mut(a.rb_mut(), j));
    }
}

/// The largest over the smallest singular value of an upper triangle, estimated by a few power
/// iterations with it and its inverse. Infinite for a zero on the diagonal. What is below the diagonal
/// is not looked at.
pub(crate) fn triangle_condition(r: MatRef<'_, f64>) -> f64 {
    let n = r.nrows();
    if n == 0 {
        return 1.0;
    }
    if (0..n).any(|i| r[(i, i)] == 0.0) {
        return f64::INFINITY;
    }
    let start = || {
        let mut x = Mat::from_fn(n, 1, |i, _| {
            if i % 3 == 1 {
                -1.0
            } else {
                1.0 + (i % 7) as f64 / 7.0
            }
        });
        normalise(&mut x);
        x
    };
    let (mut x, mut largest) = (start(), 0.0);
    for _ in 0..4 {
        x = times(r, &x);
        largest = normalise(&mut x);
        x = transpose_times(r, &x);
        normalise(&mut x);
    }
    let (mut x, mut inverse) = (start(), 0.0);
    for _ in 0..3 {
        solve_upper_transpose(r, x.as_mut());
        normalise(&mut x);
        solve_upper(r, x.as_mut());
        inverse = normalise(&mut x);
    }
    largest * inverse
}

/// An estimate of the 2-norm condition number of an upper triangle, for backends that factor elsewhere.
/// Infinite for a zero on the diagonal; only the leading square part above the diagonal counts.
#[must_use]
pub fn condition_of_triangle(r: MatRef<'_, f64>) -> f64 {
    let n = r.nrows().min(r.ncols());
    triangle_condition(r.submatrix(0, 0, n, n).to_owned().as_ref())
}

fn normalise(x: &mut Mat<f64>) -> f64 {
    let values = column_mut(x.as_mut(), 0);
    let size = norm(values);
    if size > 0.0 {
        scale(1.0 / size, values);
    }
    size
}

/// R·x for a vector.
fn times(r: MatRef<'_, f64>, x: &Mat<f64>) -> Mat<f64> {
    let mut y = Mat::zeros(r.nrows(), 1);
    for j in 0..r.ncols() {
        axpy(
            x[(j, 0)],
            &column(r, j)[..=j],
            &mut column_mut(y.as_mut(), 0)[..=j],
        );
    }
    y
}

/// Rᵀ·x for a vector.
fn transpose_times(r: MatRef<'_, f64>, x: &Mat<f64>) -> Mat<f64> {
    let values = column(x.as_ref(), 0);
    Mat::from_fn(r.ncols(), 1, |j, _| dot(&column(r, j)[..=j], &values[..=j]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn condition_of_a_graded_triangle_is_found_within_a_factor_of_two() {
        for n in [1, 2, 30] {
            let r = Mat::from_fn(n, n, |i, j| {
                let d = 0.5_f64.powi(i as i32);
                if i == j {
                    d
                } else if i < j {
                    0.3 * d
                } else {
                    0.0
                }
            });
            let values = r
                .svd()
                .map(|s| s.S().column_vector().to_owned())
                .unwrap_or_else(|_| faer::Col::zeros(n));
            let exact = values[0] / values[n - 1];
            let found = triangle_condition(r.as_ref());
            assert!(
                found <= exact * 1.001 && found > 0.5 * exact,
                "{n}: {found} for {exact}"
            );
        }
    }
}
