//! Dense least squares by Householder reflections, for the small systems of a damped step.

use crate::optimise::vector::{add_scaled, dot};

/// A matrix as a list of columns of equal length.
pub(super) type Columns = Vec<Vec<f64>>;

/// Applies the reflections that make `columns` upper triangular to them and to `rhs`.
///
/// ‖A z − b‖ is the same before and after for every z, so dropping the rows below the triangle
/// leaves an equivalent smaller problem.
pub(super) fn triangularise(columns: &mut [Vec<f64>], rhs: &mut [f64]) {
    for k in 0..columns.len().min(rhs.len()) {
        let (done, rest) = columns.split_at_mut(k + 1);
        let Some(column) = done.last_mut() else {
            return;
        };
        let tail = &mut column[k..];
        let largest = tail.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if largest == 0.0 {
            continue;
        }
        // Scaled, so that squares neither overflow nor vanish.
        let norm = largest
            * tail
                .iter()
                .map(|v| (v / largest).powi(2))
                .sum::<f64>()
                .sqrt();
        let diagonal = if tail[0] > 0.0 { -norm } else { norm };
        // v = a − diagonal·e₁ normalised to v₁ = 1; the reflection is I − τ v vᵀ.
        let head = tail[0] - diagonal;
        let mut reflector: Vec<f64> = tail.iter().map(|v| v / head).collect();
        reflector[0] = 1.0;
        let tau = -head / diagonal;
        tail.fill(0.0);
        tail[0] = diagonal;
        for other in rest {
            reflect(&mut other[k..], &reflector, tau);
        }
        reflect(&mut rhs[k..], &reflector, tau);
    }
}

fn reflect(target: &mut [f64], reflector: &[f64], tau: f64) {
    let weight = -tau * dot(target, reflector);
    add_scaled(target, weight, reflector);
}

/// The z that minimises ‖A z − b‖ for a matrix with at least as many rows as columns. Columns that
/// depend exactly on earlier ones get the coefficient 0.
pub(super) fn least_squares(mut columns: Columns, mut rhs: Vec<f64>) -> Vec<f64> {
    triangularise(&mut columns, &mut rhs);
    for (k, column) in columns.iter().enumerate().rev() {
        let pivot = column[k];
        let value = if pivot == 0.0 { 0.0 } else { rhs[k] / pivot };
        add_scaled(&mut rhs[..k], -value, &column[..k]);
        rhs[k] = value;
    }
    rhs.truncate(columns.len());
    rhs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_a_line_exactly_and_in_the_mean() {
        let ones = vec![1.0; 4];
        let t = vec![0.0, 1.0, 2.0, 3.0];
        let exact = least_squares(vec![ones.clone(), t.clone()], vec![1.0, 3.0, 5.0, 7.0]);
        assert!((exact[0] - 1.0).abs() < 1e-14 && (exact[1] - 2.0).abs() < 1e-14);
        // y = 0, 1, 1, 2: intercept 0.1, slope 0.6.
        let mean = least_squares(vec![ones, t], vec![0.0, 1.0, 1.0, 2.0]);
        assert!((mean[0] - 0.1).abs() < 1e-14 && (mean[1] - 0.6).abs() < 1e-14);
    }

    #[test]
    fn triangularising_keeps_the_inner_products_of_the_columns() {
        let original: Columns = (0..3)
            .map(|j| (0..5).map(|i| f64::from(i * i + j).sin()).collect())
            .collect();
        let mut columns = original.clone();
        let mut rhs: Vec<f64> = (0..5).map(f64::from).collect();
        let before: Vec<f64> = original.iter().map(|c| dot(c, &rhs)).collect();
        triangularise(&mut columns, &mut rhs);
        for (i, column) in columns.iter().enumerate() {
            assert!(column[i + 1..].iter().all(|&v| v == 0.0));
            assert!((dot(column, &rhs) - before[i]).abs() < 1e-13);
            for (j, other) in columns.iter().enumerate() {
                let difference = dot(column, other) - dot(&original[i], &original[j]);
                assert!(difference.abs() < 1e-13);
            }
        }
    }

    #[test]
    fn zero_columns_do_no_harm() {
        let z = least_squares(vec![vec![0.0; 3], vec![1.0, 0.0, 0.0]], vec![2.0, 1.0, 0.0]);
        assert!(z.iter().all(|v| v.is_finite()));
    }
}
