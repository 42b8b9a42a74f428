//! Second moments of whitened rows, with what noise adds to them, and laws fitted to them.

use faer::{Mat, Side};

use crate::regression::Regression;

/// Share of the variance of a row that is added for what the first order of the noise leaves out.
const RIDGE: f64 = 1e-4;
/// In no direction may the correction for noise take more than this share of a column's size.
const MOST: f64 = 0.6;
/// A column that the others reproduce to this share is dependent.
const DEPENDENT: f64 = 1e-11;

/// XᵀWX over the columns of the dictionary and, last, the target; the part that first-order noise
/// contributes to it on average; the number of rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moments {
    pub(crate) size: usize,
    pub(crate) gram: Vec<f64>,
    pub(crate) noise: Vec<f64>,
    pub(crate) rows: f64,
    /// Logarithm of the determinant of the covariance of the rows.
    pub(crate) log_det: f64,
}

/// A law on a support, fitted to moments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) coefficients: Vec<f64>,
    /// Sum of squares left over, less what noise accounts for; around 0 for the true law.
    pub(crate) misfit: f64,
    /// Trace of G⁻¹M: the number of terms, more where noise makes up much of their columns.
    pub(crate) weight: f64,
    /// Standard deviations of the coefficients for unit noise in the rows.
    pub(crate) deviations: Vec<f64>,
    /// Whether some term depends on the others.
    pub(crate) dependent: bool,
}

impl Moments {
    pub(crate) fn zero(size: usize) -> Self {
        Self {
            size,
            gram: vec![0.0; size * size],
            noise: vec![0.0; size * size],
            rows: 0.0,
            log_det: 0.0,
        }
    }

    /// Adds a multiple of other moments.
    pub(crate) fn add(&mut self, other: &Self, times: f64) {
        for (a, b) in self.gram.iter_mut().zip(&other.gram) {
            *a += times * b;
        }
        for (a, b) in self.noise.iter_mut().zip(&other.noise) {
            *a += times * b;
        }
        self.rows += times * other.rows;
        self.log_det += times * other.log_det;
    }

    pub(crate) fn terms(&self) -> usize {
        self.size - 1
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.gram[i * self.size + j]
    }

    fn noise_at(&self, i: usize, j: usize) -> f64 {
        self.noise[i * self.size + j]
    }

    /// Mean square of the target that noise does not account for, and in all.
    pub(crate) fn target(&self) -> (f64, f64) {
        let last = self.terms();
        let whole = self.at(last, last);
        (whole - self.noise_at(last, last), whole)
    }

    /// vᵀNv of a law v = (c, −1): the share of noise in its residual.
    pub(crate) fn noise_of(&self, support: &[usize], coefficients: &[f64]) -> f64 {
        self.form(&self.noise, support, coefficients)
    }

    /// vᵀMv of a law: its residual sum of squares.
    pub(crate) fn residual_of(&self, support: &[usize], coefficients: &[f64]) -> f64 {
        self.form(&self.gram, support, coefficients)
    }

    fn form(&self, matrix: &[f64], support: &[usize], coefficients: &[f64]) -> f64 {
        let law: Vec<(usize, f64)> = support
            .iter()
            .copied()
            .zip(coefficients.iter().copied())
            .chain([(self.terms(), -1.0)])
            .collect();
        law.iter()
            .flat_map(|(i, a)| {
                law.iter()
                    .map(move |(j, b)| a * b * matrix[i * self.size + j])
            })
            .sum()
    }

    /// Least squares on a support, corrected for the noise in the columns.
    pub(crate) fn fit(&self, support: &[usize]) -> Fitted {
        let k = support.len();
        let last = self.terms();
        let scale: Vec<f64> = support
            .iter()
            .map(|&i| self.at(i, i).sqrt().max(f64::MIN_POSITIVE))
            .collect();
        let entry = |share: f64, a: usize, b: usize| {
            let (i, j) = (support[a], support[b]);
            (self.at(i, j) - share * self.noise_at(i, j)) / (scale[a] * scale[b])
        };
        // As much of the correction as leaves the matrix safely positive.
        let share = [1.0, 0.8, 0.6, 0.4, 0.2]
            .into_iter()
            .find(|share| cholesky(k, DEPENDENT, |a, b| entry(share / MOST, a, b)).is_some());
        let share = share.unwrap_or(0.0);
        let Some(factor) = cholesky(k, DEPENDENT, |a, b| entry(share, a, b)) else {
            return Fitted {
                coefficients: vec![0.0; k],
                misfit: self.target().0,
                weight: k as f64,
                deviations: vec![f64::INFINITY; k],
                dependent: true,
            };
        };
        let right: Vec<f64> = (0..k)
            .map(|a| {
                let i = support[a];
                (self.at(i, last) - share * self.noise_at(i, last)) / scale[a]
            })
            .collect();
        let solution = cholesky_solve(&factor, &right);
        let explained: f64 = solution.iter().zip(&right).map(|(c, r)| c * r).sum();
        let mut weight = 0.0;
        let mut deviations = vec![0.0; k];
        for a in 0..k {
            let unit: Vec<f64> = (0..k).map(|b| f64::from(u8::from(a == b))).collect();
            let inverse = cholesky_solve(&factor, &unit);
            weight += (0..k).map(|b| inverse[b] * entry(0.0, b, a)).sum::<f64>();
            let variance: f64 = (0..k)
                .flat_map(|b| (0..k).map(move |c| (b, c)))
                .map(|(b, c)| inverse[b] * inverse[c] * entry(0.0, b, c))
                .sum();
            deviations[a] = variance.max(0.0).sqrt() / scale[a];
        }
        let whole = self.at(last, last) - share * self.noise_at(last, last);
        Fitted {
            coefficients: solution.iter().zip(&scale).map(|(c, s)| c / s).collect(),
            misfit: whole - explained,
            weight,
            deviations,
            dependent: false,
        }
    }

    /// The same moments as a regression, for the searches that work on rows.
    pub(crate) fn regression(&self) -> Option<Regression> {
        let n = self.size;
        let scale: Vec<f64> = (0..n)
            .map(|i| self.at(i, i).sqrt().max(f64::MIN_POSITIVE))
            .collect();
        let matrix = Mat::from_fn(n, n, |i, j| {
            (self.at(i, j) - self.noise_at(i, j)) / (scale[i] * scale[j])
        });
        let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        let rows = Mat::from_fn(n, n - 1, |r, j| {
            values[r].max(0.0).sqrt() * vectors[(j, r)] * scale[j]
        });
        let target: Vec<f64> = (0..n)
            .map(|r| values[r].max(0.0).sqrt() * vectors[(n - 1, r)] * scale[n - 1])
            .collect();
        Some(Regression::new(rows.as_ref(), &target))
    }
}

/// Adds the ridge to a covariance.
pub(crate) fn steady(covariance: &mut Mat<f64>) {
    let rows = covariance.nrows();
    let mean = (0..rows).map(|i| covariance[(i, i)]).sum::<f64>() / rows.max(1) as f64;
    for i in 0..rows {
        covariance[(i, i)] += RIDGE * covariance[(i, i)] + 1e-9 * mean;
    }
}

/// The lower factor of a matrix of unit scale, row by row; `None` if a pivot is not above `least`.
pub(crate) fn cholesky(
    size: usize,
    least: f64,
    entry: impl Fn(usize, usize) -> f64,
) -> Option<Vec<Vec<f64>>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(size);
    for i in 0..size {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for j in 0..=i {
            let known: &[f64] = factor.get(j).unwrap_or(&row);
            let product: f64 = row.iter().zip(known).take(j).map(|(a, b)| a * b).sum();
            let value = entry(i, j) - product;
            match factor.get(j) {
                Some(above) => row.push(value / above[j]),
                None if value > least => row.push(value.sqrt()),
                None => return None,
            }
        }
        factor.push(row);
    }
    Some(factor)
}

pub(crate) fn cholesky_solve(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let n = factor.len();
    let mut x = right.to_vec();
    for i in 0..n {
        let sum: f64 = (0..i).map(|j| factor[i][j] * x[j]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| factor[j][i] * x[j]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastlsq_basis::sampling::UnitSampler;

    /// Rows x + noise in both columns of y = 2a − b, and the moments of the noise.
    fn moments(noise: f64) -> Moments {
        let z = UnitSampler::independent(1).normals(4000, 4);
        let mut m = Moments::zero(3);
        for row in z.rows() {
            let (a, b) = (row[0], 0.6 * row[0] + row[1]);
            let seen = [a + noise * row[2], b + noise * row[3], 2.0 * a - b];
            for i in 0..3 {
                for j in 0..3 {
                    m.gram[3 * i + j] += seen[i] * seen[j];
                }
            }
            m.rows += 1.0;
        }
        m.noise[0] = m.rows * noise * noise;
        m.noise[4] = m.noise[0];
        m
    }

    #[test]
    fn noise_in_the_columns_does_not_shrink_the_law() {
        let clean = moments(0.0).fit(&[0, 1]);
        assert!((clean.coefficients[0] - 2.0).abs() < 1e-10 && clean.misfit.abs() < 1e-8);
        assert!((clean.weight - 2.0).abs() < 1e-12);
        let noisy = moments(0.5);
        let fit = noisy.fit(&[0, 1]);
        assert!((fit.coefficients[0] - 2.0).abs() < 0.1, "{fit:?}");
        assert!((fit.coefficients[1] + 1.0).abs() < 0.1, "{fit:?}");
        assert!(fit.weight > 2.2);
        let mut plain = noisy;
        plain.noise.fill(0.0);
        assert!(
            plain.fit(&[0, 1]).coefficients[0] < 1.6,
            "bias without correction"
        );
    }

    #[test]
    fn dependent_terms_are_noticed() {
        let mut m = Moments::zero(3);
        m.gram = vec![1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0];
        m.rows = 1.0;
        assert!(m.fit(&[0, 1]).dependent);
        assert!(!m.fit(&[1]).dependent);
    }
}
