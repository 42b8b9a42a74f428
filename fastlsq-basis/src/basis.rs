//! The [`Basis`] trait: one primitive, and the convenient calls that follow from it.

use std::fmt::Debug;
use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, ColRef, Mat, MatMut, Par};
use ndarray::{ArrayView2, s};
use rayon::prelude::*;

use crate::error::{require_dim, require_size};
use crate::form::{Action, Coefficient, Form};
use crate::{BasisError, MultiIndex};

/// Points handled together by one task when rows are written in parallel.
const ROWS_PER_TASK: usize = 512;
/// Points whose rows are formed together when only their product with β is wanted.
const ROWS_PER_SUM: usize = 256;
/// Below this number of entries a second thread costs more than it saves.
pub(crate) const PARALLEL_ENTRIES: usize = 1 << 15;

/// N scalar functions φⱼ on R^d with derivatives in closed form.
///
/// Only [`dim`](Basis::dim), [`len`](Basis::len) and [`write_rows`](Basis::write_rows) must be
/// written; everything else follows. Point sets are `ndarray` views with one row per point.
pub trait Basis: Debug + Send + Sync {
    /// The dimension d of the space.
    fn dim(&self) -> usize;

    /// The number N of features.
    fn len(&self) -> usize;

    /// The primitive: writes Σₜ cₜ(xᵢ) (Tₜφⱼ)(xᵢ) into `out[(i, j)]` in one pass.
    ///
    /// `out` has one row per point and one column per feature; every entry is overwritten. The call
    /// runs on the calling thread; [`assemble_into`](Basis::assemble_into) is the parallel one.
    ///
    /// # Errors
    /// Wrong shapes, coefficients that are not finite, actions without a closed form here.
    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError>;

    /// u = Σⱼ βⱼφⱼ under several forms at once: Σₜ cₜ(xᵢ) (Tₜu)(xᵢ), one row of `out` for each point and one column
    /// for each form; every entry is overwritten.
    ///
    /// The call runs on the calling thread. Bases that can share work between the forms, or do without the rows,
    /// override it.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows); coefficients β of the wrong number or not finite.
    fn sums(
        &self,
        points: ArrayView2<'_, f64>,
        forms: &[Form<'_>],
        beta: &[f64],
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_sums(self, points, forms, beta, &out)?;
        let mut scratch = Mat::zeros(ROWS_PER_SUM.min(points.nrows()), self.len());
        for (start, mut block) in row_blocks(out, ROWS_PER_SUM) {
            let count = block.nrows();
            let points = points.slice(s![start..start + count, ..]);
            let mut rows = scratch.as_mut().subrows_mut(0, count);
            for (column, form) in forms.iter().enumerate() {
                self.write_rows(points, &form.restrict(start, count), rows.as_mut())?;
                matmul(
                    block.as_mut().col_mut(column),
                    Accum::Replace,
                    rows.as_ref(),
                    ColRef::from_slice(beta),
                    1.0,
                    Par::Seq,
                );
            }
        }
        Ok(())
    }

    /// A plain description of the parameters, for saving; `None` if this kind cannot be saved.
    fn to_saved(&self) -> Option<crate::SavedBasis> {
        None
    }

    /// Only the features with these indices, in this order and with their present scale; `None` if this kind
    /// cannot be cut, or if there is no such feature.
    fn selected(&self, features: &[usize]) -> Option<Arc<dyn Basis>> {
        let _ = features;
        None
    }

    /// Whether there are no features at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// [`write_rows`](Basis::write_rows) over blocks of points in parallel (rayon's current pool).
    ///
    /// The result does not depend on the number of threads.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn assemble_into(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        let rows = points.nrows();
        require_size("the output's row count", rows, out.nrows())?;
        if rows <= ROWS_PER_TASK || rows.saturating_mul(self.len()) < PARALLEL_ENTRIES {
            return self.write_rows(points, form, out);
        }
        form.validate(self.dim(), rows)?;
        row_blocks(out, ROWS_PER_TASK)
            .into_par_iter()
            .try_for_each(|(start, block)| {
                let count = block.nrows();
                let points = points.slice(s![start..start + count, ..]);
                self.write_rows(points, &form.restrict(start, count), block)
            })
    }

    /// The matrix of Σₜ cₜ(xᵢ) (Tₜφⱼ)(xᵢ), points by features.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn assemble(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
    ) -> Result<Mat<f64>, BasisError> {
        let mut out = Mat::zeros(points.nrows(), self.len());
        self.assemble_into(points, form, out.as_mut())?;
        Ok(out)
    }

    /// D^α φⱼ(xᵢ) at many points, points by features.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn derivatives(
        &self,
        points: ArrayView2<'_, f64>,
        alpha: &MultiIndex,
    ) -> Result<Mat<f64>, BasisError> {
        self.assemble(points, &Form::action(&Action::derivative(alpha.clone())))
    }

    /// φⱼ(xᵢ) at many points, points by features.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn values(&self, points: ArrayView2<'_, f64>) -> Result<Mat<f64>, BasisError> {
        self.derivatives(points, &MultiIndex::zero(self.dim()))
    }

    /// ∂φⱼ/∂xₖ(xᵢ) at many points: one matrix for each axis k.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn gradients(&self, points: ArrayView2<'_, f64>) -> Result<Vec<Mat<f64>>, BasisError> {
        (0..self.dim())
            .map(|axis| self.derivatives(points, &MultiIndex::along(self.dim(), axis, 1)?))
            .collect()
    }

    /// Δφⱼ(xᵢ) at many points.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn laplacians(&self, points: ArrayView2<'_, f64>) -> Result<Mat<f64>, BasisError> {
        let actions = (0..self.dim())
            .map(|axis| MultiIndex::along(self.dim(), axis, 2).map(Action::derivative))
            .collect::<Result<Vec<_>, _>>()?;
        let mut form = Form::new();
        for action in &actions {
            form.push(Coefficient::Constant(1.0), action);
        }
        self.assemble(points, &form)
    }

    /// D^α φⱼ(x) for every feature j at one point.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn derivative_at(&self, point: &[f64], alpha: &MultiIndex) -> Result<Vec<f64>, BasisError> {
        Ok(row_of(
            &self.derivatives(one_point(point, self.dim())?, alpha)?,
        ))
    }

    /// φⱼ(x) for every feature j at one point.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn value_at(&self, point: &[f64]) -> Result<Vec<f64>, BasisError> {
        self.derivative_at(point, &MultiIndex::zero(self.dim()))
    }

    /// ∇φⱼ(x) at one point: entry (k, j) is ∂φⱼ/∂xₖ.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn gradient_at(&self, point: &[f64]) -> Result<Mat<f64>, BasisError> {
        let mut out = Mat::zeros(self.dim(), self.len());
        for axis in 0..self.dim() {
            let row = self.derivative_at(point, &MultiIndex::along(self.dim(), axis, 1)?)?;
            for (j, value) in row.into_iter().enumerate() {
                out[(axis, j)] = value;
            }
        }
        Ok(out)
    }

    /// The Hessian of every feature at one point: entry `[j]` is the d×d matrix ∂²φⱼ/∂xₖ∂xₗ.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn hessian_at(&self, point: &[f64]) -> Result<Vec<Mat<f64>>, BasisError> {
        let dim = self.dim();
        let mut out = vec![Mat::zeros(dim, dim); self.len()];
        for k in 0..dim {
            for l in 0..=k {
                let alpha = &MultiIndex::along(dim, k, 1)? + &MultiIndex::along(dim, l, 1)?;
                for (hessian, value) in out.iter_mut().zip(self.derivative_at(point, &alpha)?) {
                    hessian[(k, l)] = value;
                    hessian[(l, k)] = value;
                }
            }
        }
        Ok(out)
    }

    /// Δφⱼ(x) for every feature j at one point.
    ///
    /// # Errors
    /// As [`write_rows`](Basis::write_rows).
    fn laplacian_at(&self, point: &[f64]) -> Result<Vec<f64>, BasisError> {
        Ok(row_of(&self.laplacians(one_point(point, self.dim())?)?))
    }
}

impl<B: Basis + ?Sized> Basis for Arc<B> {
    fn dim(&self) -> usize {
        (**self).dim()
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        (**self).write_rows(points, form, out)
    }

    fn sums(
        &self,
        points: ArrayView2<'_, f64>,
        forms: &[Form<'_>],
        beta: &[f64],
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        (**self).sums(points, forms, beta, out)
    }

    fn to_saved(&self) -> Option<crate::SavedBasis> {
        (**self).to_saved()
    }

    fn selected(&self, features: &[usize]) -> Option<Arc<dyn Basis>> {
        (**self).selected(features)
    }

    fn assemble_into(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        (**self).assemble_into(points, form, out)
    }
}

/// Checks the arguments of [`Basis::write_rows`]; every implementation starts with it.
///
/// # Errors
/// Wrong shapes, points or coefficients that are not finite.
pub fn validate_request<B: Basis + ?Sized>(
    basis: &B,
    points: ArrayView2<'_, f64>,
    form: &Form<'_>,
    out: &MatMut<'_, f64>,
) -> Result<(), BasisError> {
    require_size("the output's row count", points.nrows(), out.nrows())?;
    require_size("the output's column count", basis.len(), out.ncols())?;
    validate_points(basis.dim(), points)?;
    form.validate(basis.dim(), points.nrows())
}

/// Checks the arguments of [`Basis::sums`]; every implementation starts with it.
///
/// # Errors
/// Wrong shapes, points or coefficients that are not finite.
pub fn validate_sums<B: Basis + ?Sized>(
    basis: &B,
    points: ArrayView2<'_, f64>,
    forms: &[Form<'_>],
    beta: &[f64],
    out: &MatMut<'_, f64>,
) -> Result<(), BasisError> {
    require_size("the output's row count", points.nrows(), out.nrows())?;
    require_size("the output's column count", forms.len(), out.ncols())?;
    require_size("the coefficient vector", basis.len(), beta.len())?;
    validate_points(basis.dim(), points)?;
    if let Some((index, &value)) = beta.iter().enumerate().find(|(_, b)| !b.is_finite()) {
        return Err(BasisError::NotFinite {
            what: "the coefficient vector",
            index,
            value,
        });
    }
    forms
        .iter()
        .try_for_each(|form| form.validate(basis.dim(), points.nrows()))
}

/// Checks a point set: its dimension, and that every coordinate is finite.
pub(crate) fn validate_points(dim: usize, points: ArrayView2<'_, f64>) -> Result<(), BasisError> {
    require_dim("the point set", dim, points.ncols())?;
    match points.iter().enumerate().find(|(_, x)| !x.is_finite()) {
        Some((index, &value)) => Err(BasisError::NotFinite {
            what: "the point set",
            index,
            value,
        }),
        None => Ok(()),
    }
}

/// Cuts a matrix into blocks of at most `rows` rows, each with the index of its first row.
pub(crate) fn row_blocks(out: MatMut<'_, f64>, rows: usize) -> Vec<(usize, MatMut<'_, f64>)> {
    let mut blocks = Vec::with_capacity(out.nrows().div_ceil(rows.max(1)));
    let (mut start, mut rest) = (0, out);
    while rest.nrows() > 0 {
        let count = rows.max(1).min(rest.nrows());
        let (block, tail) = rest.split_at_row_mut(count);
        blocks.push((start, block));
        start += count;
        rest = tail;
    }
    blocks
}

fn one_point(point: &[f64], dim: usize) -> Result<ArrayView2<'_, f64>, BasisError> {
    require_dim("the point", dim, point.len())?;
    ArrayView2::from_shape((1, point.len()), point).map_err(|_| BasisError::Dimension {
        what: "the point",
        expected: dim,
        found: point.len(),
    })
}

fn row_of(matrix: &Mat<f64>) -> Vec<f64> {
    (0..matrix.ncols()).map(|j| matrix[(0, j)]).collect()
}
