//! Householder reduction of tall, thin matrices held as columns.

/// Reduces the columns in place to an upper trapezoid and cuts them to at most `columns.len()` rows.
///
/// No column is skipped: dependent ones leave a small diagonal entry, to be judged by the caller.
pub(crate) fn triangularise(columns: &mut [Vec<f64>]) {
    let rows = columns.first().map_or(0, Vec::len);
    let width = columns.len();
    for k in 0..width.min(rows) {
        let (done, rest) = columns.split_at_mut(k + 1);
        let pivot = &mut done[k];
        let norm = pivot[k..].iter().fold(0.0_f64, |a, v| a.hypot(*v));
        if norm == 0.0 {
            continue;
        }
        let alpha = if pivot[k] > 0.0 { -norm } else { norm };
        let mut v: Vec<f64> = pivot[k..].to_vec();
        v[0] -= alpha;
        let square: f64 = v.iter().map(|x| x * x).sum();
        pivot[k] = alpha;
        pivot[k + 1..].fill(0.0);
        for column in rest {
            let product: f64 = v.iter().zip(&column[k..]).map(|(a, b)| a * b).sum();
            let factor = 2.0 * product / square;
            for (c, v) in column[k..].iter_mut().zip(&v) {
                *c -= factor * v;
            }
        }
    }
    for column in columns {
        column.truncate(width);
    }
}

/// A least-squares solution over few columns.
#[derive(Debug, Clone)]
pub(crate) struct SmallSolution {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) residual_square: f64,
    /// Diagonal of (XᵀX)⁻¹.
    pub(crate) variances: Vec<f64>,
    /// Whether some column depends on the others (its coefficient is then 0).
    pub(crate) dependent: bool,
}

/// min ‖Xc − y‖ for the given columns.
pub(crate) fn solve(columns: &[&[f64]], rhs: &[f64]) -> SmallSolution {
    let p = columns.len();
    let norms: Vec<f64> = columns.iter().map(|c| norm(c)).collect();
    let mut work: Vec<Vec<f64>> = columns
        .iter()
        .zip(&norms)
        .map(|(c, n)| {
            c.iter()
                .map(|v| if *n > 0.0 { v / n } else { 0.0 })
                .collect()
        })
        .collect();
    work.push(rhs.to_vec());
    triangularise(&mut work);
    let y = work.pop().unwrap_or_default();
    let rows = y.len();
    let usable = |k: usize| k < rows && work[k][k].abs() > 1e-12;
    let dependent = (0..p).any(|k| !usable(k));
    // Columns of R⁻¹, for coefficients and variances alike.
    let mut inverse = vec![vec![0.0; p]; p];
    for k in (0..p).filter(|&k| usable(k)) {
        inverse[k][k] = 1.0 / work[k][k];
        for i in (0..k).rev().filter(|&i| usable(i)) {
            let sum: f64 = (i + 1..=k).map(|j| work[j][i] * inverse[k][j]).sum();
            inverse[k][i] = -sum / work[i][i];
        }
    }
    let mut coefficients = vec![0.0; p];
    let mut variances = vec![0.0; p];
    for (k, column) in inverse.iter().enumerate().take(rows) {
        for i in 0..p {
            coefficients[i] += column[i] * y[k];
            variances[i] += column[i] * column[i];
        }
    }
    for i in 0..p {
        let n = if norms[i] > 0.0 { norms[i] } else { 1.0 };
        coefficients[i] /= n;
        variances[i] /= n * n;
    }
    let residual_square = y
        .iter()
        .enumerate()
        .filter(|(k, _)| *k >= p || !usable(*k))
        .map(|(_, v)| v * v)
        .sum();
    SmallSolution {
        coefficients,
        residual_square,
        variances,
        dependent,
    }
}

/// (XᵀX)⁻¹ v through the triangle of X; `None` if X is rank-deficient.
pub(crate) fn gram_solve(columns: &[&[f64]], v: &[f64]) -> Option<Vec<f64>> {
    let p = columns.len();
    let mut r: Vec<Vec<f64>> = columns.iter().map(|c| c.to_vec()).collect();
    triangularise(&mut r);
    let mut v = v.to_vec();
    for i in 0..p {
        let sum: f64 = (0..i).map(|j| r[i][j] * v[j]).sum();
        v[i] = (v[i] - sum) / r[i].get(i).filter(|d| **d != 0.0)?;
    }
    for i in (0..p).rev() {
        let sum: f64 = (i + 1..p).map(|j| r[j][i] * v[j]).sum();
        v[i] = (v[i] - sum) / r[i][i];
    }
    Some(v)
}

/// Euclidean norm.
pub(crate) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Σ aᵢbᵢ.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovers_exact_coefficients_and_variances() {
        let a: Vec<f64> = (0..20).map(|i| 1.0 + f64::from(i)).collect();
        let b: Vec<f64> = (0..20).map(|i| (0.3 * f64::from(i)).sin()).collect();
        let y: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 2.0 * a - 3.0 * b).collect();
        let solution = solve(&[&a, &b], &y);
        assert!((solution.coefficients[0] - 2.0).abs() < 1e-13);
        assert!((solution.coefficients[1] + 3.0).abs() < 1e-13);
        assert!(solution.residual_square < 1e-24 && !solution.dependent);
        let det = dot(&a, &a) * dot(&b, &b) - dot(&a, &b).powi(2);
        assert!((solution.variances[0] * det / dot(&b, &b) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn dependent_columns_are_noticed() {
        let a: Vec<f64> = (0..9).map(f64::from).collect();
        let b: Vec<f64> = a.iter().map(|v| 2.0 * v).collect();
        let solution = solve(&[&a, &b], &a);
        assert!(solution.dependent && solution.residual_square < 1e-20);
    }
}
