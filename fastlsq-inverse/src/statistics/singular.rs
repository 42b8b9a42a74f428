//! Singular values and right singular vectors of a small tall matrix, to full relative accuracy.

use faer::{Mat, MatRef};

/// σ (largest first) and V of A = UΣVᵀ by one-sided Jacobi rotations (Hestenes).
///
/// The matrices here have as many columns as there are parameters; columns that differ by orders of
/// magnitude keep their small singular values.
pub(crate) fn singular_values(a: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    const SWEEPS: usize = 60;
    let n = a.ncols();
    let mut columns: Vec<Vec<f64>> = (0..n).map(|j| a.col(j).iter().copied().collect()).collect();
    let mut vectors: Vec<Vec<f64>> = (0..n)
        .map(|j| (0..n).map(|i| f64::from(u8::from(i == j))).collect())
        .collect();
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (alpha, beta, gamma) = (
                    dot(&columns[p], &columns[p]),
                    dot(&columns[q], &columns[q]),
                    dot(&columns[p], &columns[q]),
                );
                if gamma == 0.0 || gamma.abs() <= 1e-15 * (alpha * beta).sqrt() {
                    continue;
                }
                rotated = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                for matrix in [&mut columns, &mut vectors] {
                    let (left, right) = matrix.split_at_mut(q);
                    for (x, y) in left[p].iter_mut().zip(&mut right[0]) {
                        (*x, *y) = (c * (*x - t * *y), c * (t * *x + *y));
                    }
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let norms: Vec<f64> = columns.iter().map(|c| dot(c, c).sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| norms[j].total_cmp(&norms[i]));
    let v = Mat::from_fn(n, n, |i, j| vectors[order[j]][i]);
    (order.iter().map(|&j| norms[j]).collect(), v)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graded_columns_keep_their_small_singular_values() {
        // A = Q diag(1, 1e-6, 1e-12) Vᵀ with known rotations.
        let (s, c) = 0.7_f64.sin_cos();
        let v = faer::mat![[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        let sigma = [1.0, 1e-6, 1e-12];
        let mut a = Mat::zeros(5, 3);
        for j in 0..3 {
            for k in 0..3 {
                a[(k + 1, j)] += sigma[k] * v[(j, k)];
            }
        }
        let (values, vectors) = singular_values(a.as_ref());
        for k in 0..3 {
            // Rounding of A itself moves the middle value by 1e-16.
            assert!((values[k] / sigma[k] - 1.0).abs() < 1e-9, "{values:?}");
            let overlap: f64 = (0..3).map(|i| vectors[(i, k)] * v[(i, k)]).sum();
            assert!((overlap.abs() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_zero_column_gives_a_zero_value() {
        let a = faer::mat![[1.0, 0.0], [2.0, 0.0]];
        let (values, vectors) = singular_values(a.as_ref());
        assert_eq!(values[1], 0.0);
        assert_eq!(vectors[(1, 1)].abs(), 1.0);
    }
}
