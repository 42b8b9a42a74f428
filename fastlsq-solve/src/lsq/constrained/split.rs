//! The split of the unknowns into those that the constraints fix and the others.

use crate::lsq::error::{Input, LsqError};
use crate::lsq::kernels::{column_mut, scale};
use crate::lsq::pivoted::{PivotedQr, pivoted_qr};
use crate::lsq::products::add_product;
use crate::lsq::source::{RowSource, check_finite};
use crate::lsq::triangle::{column_norms, inverse_or_one, scale_columns, solve_upper_transpose};
use crate::lsq::work::Work;
use faer::{Mat, MatMut, MatRef};

/// Constraints whose relative residual stays above this contradict each other.
const CONTRADICTION: f64 = 1e-6;

/// The split of the unknowns into those that the constraints fix and the others.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// Pivoted QR of the scaled Cᵀ.
    pub(super) qr: PivotedQr,
    /// Factors that gave the rows of C unit length.
    pub(super) scaling: Vec<f64>,
    /// C.
    pub(super) matrix: Mat<f64>,
    /// What the dependent constraints say in the null space, weighted: one row each.
    pub(super) weak: Mat<f64>,
    /// The factor in `weak`.
    pub(super) weight: f64,
}

/// One matrix above the other.
pub(super) fn stack(upper: MatRef<'_, f64>, lower: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(upper.nrows() + lower.nrows(), upper.ncols());
    out.as_mut().subrows_mut(0, upper.nrows()).copy_from(upper);
    out.as_mut()
        .subrows_mut(upper.nrows(), lower.nrows())
        .copy_from(lower);
    out
}

impl Split {
    pub(super) fn new(matrix: MatRef<'_, f64>, independent: f64, work: Work<'_>) -> Self {
        let mut transposed = matrix.transpose().to_owned();
        let scaling = inverse_or_one(&column_norms(transposed.as_ref()));
        scale_columns(transposed.as_mut(), &scaling);
        let qr = pivoted_qr(transposed.clone(), independent, work);
        let (rank, others) = (qr.rank(), qr.order.len() - qr.rank());
        let mut rows = Mat::from_fn(others, transposed.nrows(), |i, j| {
            transposed[(j, qr.order[rank + i])]
        });
        qr.apply_from_the_right(rows.as_mut());
        let weak = rows.as_ref().subcols(rank, rows.ncols() - rank).to_owned();
        Self {
            qr,
            scaling,
            matrix: matrix.to_owned(),
            weak,
            weight: 1.0,
        }
    }

    pub(super) fn set_weight(&mut self, weight: f64) {
        if weight.is_finite() && weight > 0.0 {
            for j in 0..self.weak.ncols() {
                scale(weight, column_mut(self.weak.as_mut(), j));
            }
            self.weight = weight;
        }
    }

    /// Constraints.
    pub(super) fn count(&self) -> usize {
        self.scaling.len()
    }

    /// The scaled values of the constraints at the places `from ..` of the pivoted order.
    fn scaled(&self, values: MatRef<'_, f64>, from: usize, count: usize) -> Mat<f64> {
        Mat::from_fn(count, values.ncols(), |i, j| {
            let row = self.qr.order[from + i];
            self.scaling[row] * values[(row, j)]
        })
    }

    /// y₁ from the values d.
    pub(super) fn fixed(&self, values: MatRef<'_, f64>) -> Mat<f64> {
        let mut y = self.scaled(values, 0, self.qr.rank());
        solve_upper_transpose(self.qr.r11(), y.as_mut());
        y
    }

    /// The right-hand sides of the weak constraints, once y₁ is known.
    pub(super) fn weak_values(&self, values: MatRef<'_, f64>, fixed: MatRef<'_, f64>) -> Mat<f64> {
        let rank = self.qr.rank();
        let others = self.count() - rank;
        let mut rest = self.scaled(values, rank, others);
        let dependence = self.qr.r.as_ref().subcols(rank, others);
        add_product(rest.as_mut(), -1.0, dependence.transpose(), fixed, false);
        for j in 0..rest.ncols() {
            scale(self.weight, column_mut(rest.as_mut(), j));
        }
        rest
    }

    /// Z₁.
    pub(super) fn fixed_basis(&self, parallel: bool) -> Mat<f64> {
        let rank = self.qr.rank();
        self.qr
            .expand(Mat::<f64>::identity(rank, rank).as_ref(), parallel)
    }

    /// x = Z₁y₁ + Z₂y₂, polished so that the eliminated constraints hold to rounding.
    pub(super) fn combine(
        &self,
        fixed: MatRef<'_, f64>,
        free: MatRef<'_, f64>,
        values: MatRef<'_, f64>,
        parallel: bool,
    ) -> Mat<f64> {
        let mut x = self.qr.expand(stack(fixed, free).as_ref(), parallel);
        let mut rest = values.to_owned();
        add_product(
            rest.as_mut(),
            -1.0,
            self.matrix.as_ref(),
            x.as_ref(),
            parallel,
        );
        x += self.qr.expand(self.fixed(rest.as_ref()).as_ref(), parallel);
        x
    }

    /// max |Cx − d| for each right-hand side, rows of C scaled to unit length.
    pub(super) fn residuals(&self, x: MatRef<'_, f64>, values: MatRef<'_, f64>) -> Vec<f64> {
        let mut rest = values.to_owned();
        add_product(rest.as_mut(), -1.0, self.matrix.as_ref(), x, false);
        self.largest(rest.as_ref())
    }

    /// The largest entry of each column, scaled like the constraints.
    pub(super) fn largest(&self, a: MatRef<'_, f64>) -> Vec<f64> {
        let size = |j| {
            let scaled = self
                .scaling
                .iter()
                .enumerate()
                .map(|(i, s)| (s * a[(i, j)]).abs());
            scaled.fold(0.0, f64::max)
        };
        (0..a.ncols()).map(size).collect()
    }

    /// Fails if x violates the constraints by more than rounding and ill-conditioning explain.
    pub(super) fn contradiction(
        &self,
        x: MatRef<'_, f64>,
        values: MatRef<'_, f64>,
    ) -> Result<(), LsqError> {
        let sizes = self.largest(values);
        for (residual, size) in self.residuals(x, values).into_iter().zip(sizes) {
            // x = 0 satisfies Cx = 0: what is left of it is rounding of a large x.
            if size == 0.0 {
                continue;
            }
            let residual = residual / size;
            if residual > CONTRADICTION {
                return Err(LsqError::InconsistentConstraints { residual });
            }
        }
        Ok(())
    }
}

/// The rows of A·Z₂, then the weak constraints.
pub(super) struct NullSpaceRows<'a> {
    pub(super) source: &'a dyn RowSource,
    pub(super) space: &'a Split,
}

impl RowSource for NullSpaceRows<'_> {
    fn nrows(&self) -> usize {
        self.source.nrows() + self.space.weak.nrows()
    }

    fn ncols(&self) -> usize {
        self.source.ncols() - self.space.qr.rank()
    }

    fn write_rows(&self, start: usize, out: MatMut<'_, f64>) -> Result<(), LsqError> {
        let own = self.source.nrows().saturating_sub(start).min(out.nrows());
        let (mut upper, mut lower) = out.split_at_row_mut(own);
        if own > 0 {
            let mut rows = Mat::zeros(own, self.source.ncols());
            self.source.write_rows(start, rows.as_mut())?;
            check_finite(rows.as_ref(), start, Input::Matrix)?;
            self.space.qr.apply_from_the_right(rows.as_mut());
            upper.copy_from(rows.as_ref().subcols(self.space.qr.rank(), self.ncols()));
        }
        if lower.nrows() > 0 {
            let first = start + own - self.source.nrows();
            lower.copy_from(self.space.weak.as_ref().subrows(first, lower.nrows()));
        }
        Ok(())
    }
}
