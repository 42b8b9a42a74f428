//! Cholesky factors of the small dense matrices of the compact representation.

use super::vector::dot;

/// The lower triangular J with J Jᵀ = A; row i holds its i + 1 entries.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Cholesky {
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// Factors the symmetric matrix with entries `entry(i, j)`, of which only j ≤ i are read;
    /// `None` if it is not numerically positive definite.
    pub(crate) fn factor(size: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Self> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
        for i in 0..size {
            let mut row = Vec::with_capacity(i + 1);
            for (j, above) in rows.iter().enumerate() {
                let (before, diagonal) = above.split_at(j);
                row.push((entry(i, j) - dot(&row, before)) / diagonal[0]);
            }
            let pivot = entry(i, i) - dot(&row, &row);
            // Also refuses NaN and infinite pivots.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            row.push(pivot.sqrt());
            rows.push(row);
        }
        Some(Self { rows })
    }

    /// b ← J⁻¹ b.
    pub(crate) fn solve_lower(&self, b: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate() {
            let (before, diagonal) = row.split_at(i);
            let (solved, rest) = b.split_at_mut(i);
            rest[0] = (rest[0] - dot(before, solved)) / diagonal[0];
        }
    }

    /// b ← J⁻ᵀ b.
    pub(crate) fn solve_upper(&self, b: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate().rev() {
            let (before, diagonal) = row.split_at(i);
            let (unsolved, rest) = b.split_at_mut(i);
            rest[0] /= diagonal[0];
            for (target, entry) in unsolved.iter_mut().zip(before) {
                *target -= entry * rest[0];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_known_system_and_refuses_an_indefinite_one() {
        // A = J Jᵀ with J = [[2, 0, 0], [1, 3, 0], [-1, 2, 1]]; A (1, 2, 3)ᵀ = (2, 29, 22)ᵀ.
        let a = [[4.0, 2.0, -2.0], [2.0, 10.0, 5.0], [-2.0, 5.0, 6.0]];
        let factor = Cholesky::factor(3, |i, j| a[i][j]).unwrap();
        assert_eq!(
            factor.rows,
            [vec![2.0], vec![1.0, 3.0], vec![-1.0, 2.0, 1.0]]
        );
        let mut x: Vec<f64> = a.iter().map(|row| dot(row, &[1.0, 2.0, 3.0])).collect();
        factor.solve_lower(&mut x);
        factor.solve_upper(&mut x);
        assert_eq!(x, [1.0, 2.0, 3.0]);
        let indefinite = [[1.0, 2.0], [2.0, 1.0]];
        assert!(Cholesky::factor(2, |i, j| indefinite[i][j]).is_none());
        assert!(Cholesky::factor(1, |_, _| f64::NAN).is_none());
    }
}
