//! The matrix cache: a new right-hand side for the price of one product.

use super::block::join;
use super::error::{Input, LsqError};
use super::factor::{Factorisation, expect_rows};
use super::kernels::{column, column_mut, transpose_times};
use super::products::product;
use super::solution_map::SolutionMap;
use super::source::check_finite;
use faer::{Mat, MatRef};

/// Columns of Q₁ that one task multiplies.
const CHUNK: usize = 64;

/// A factored problem with its orthonormal range written out.
///
/// A ≈ Q₁·T with an explicit M×r matrix Q₁, orthonormal to rounding: a new right-hand side costs the product
/// Q₁ᵀb and a small triangular solve, and is as accurate as a fresh solve.
#[derive(Clone, Debug)]
pub struct CachedSolver {
    q: Mat<f64>,
    map: SolutionMap,
    parallel: bool,
}

impl Factorisation {
    /// Writes out the orthonormal range: M×rank numbers.
    ///
    /// # Errors
    /// [`LsqError::QNotKept`] if the orthogonal factor was not kept.
    pub fn cached(&self) -> Result<CachedSolver, LsqError> {
        let range = self.range.as_ref().ok_or(LsqError::QNotKept)?;
        let q = range.explicit(self.map.coordinates(), self.parallel);
        Ok(CachedSolver {
            q,
            map: self.map.clone(),
            parallel: self.parallel,
        })
    }
}

impl CachedSolver {
    /// Solutions for right-hand sides with M rows, N×k.
    ///
    /// # Errors
    /// Wrong sizes, values that are not finite.
    pub fn solve(&self, rhs: MatRef<'_, f64>) -> Result<Mat<f64>, LsqError> {
        expect_rows(rhs, self.q.nrows(), Input::RightHandSide, "row of A")?;
        check_finite(rhs, 0, Input::RightHandSide)?;
        let coordinates = if rhs.ncols() == 1 {
            let mut c = Mat::zeros(self.q.ncols(), 1);
            dots(
                self.q.as_ref(),
                &column(rhs, 0),
                column_mut(c.as_mut(), 0),
                self.parallel,
            );
            c
        } else {
            product(self.q.as_ref().transpose(), rhs, self.parallel)
        };
        Ok(self.map.solve(coordinates.as_ref(), self.parallel))
    }

    /// w = (A⁺)ᵀ v for v with N rows, M×k: see [`Factorisation::adjoint`].
    ///
    /// # Errors
    /// Wrong sizes, values that are not finite.
    pub fn adjoint(&self, v: MatRef<'_, f64>) -> Result<Mat<f64>, LsqError> {
        expect_rows(v, self.map.unknowns(), Input::Adjoint, "column of A")?;
        check_finite(v, 0, Input::Adjoint)?;
        let coordinates = self.map.solve_transpose(v, self.parallel);
        Ok(product(
            self.q.as_ref(),
            coordinates.as_ref(),
            self.parallel,
        ))
    }

    /// The orthonormal basis of the range, M×rank (A itself for normal equations).
    #[must_use]
    pub fn range(&self) -> MatRef<'_, f64> {
        self.q.as_ref()
    }
}

/// y = Qᵀb, each entry by one dot product.
fn dots(q: MatRef<'_, f64>, b: &[f64], y: &mut [f64], parallel: bool) {
    if q.ncols() <= CHUNK {
        transpose_times(q, b, y);
        return;
    }
    let half = q.ncols() / 2;
    let (q1, q2) = q.split_at_col(half);
    let (y1, y2) = y.split_at_mut(half);
    join(
        parallel,
        || dots(q1, b, y1, parallel),
        || dots(q2, b, y2, parallel),
    );
}
