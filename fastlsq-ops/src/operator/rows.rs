//! Rows of the linear system: an operator applied to every feature at given points.

use faer::{Mat, MatMut};
use fastlsq_basis::{Action, Basis, Coefficient, Form, require_dim, require_size};
use rayon::prelude::*;

use super::Operator;
use crate::error::require_finite;
use crate::{Field, OperatorError, Sites};

/// Points that one task sums up over all features.
const BLOCK: usize = 512;
/// Below this number of entries a second thread costs more than it saves.
const PARALLEL_ENTRIES: usize = 1 << 15;

/// An operator with its coefficients evaluated at given points, ready for any basis.
///
/// Each distinct coefficient function is evaluated once at each point.
#[derive(Debug, Clone)]
pub struct PreparedRows<'a> {
    operator: Operator,
    sites: Sites<'a>,
    columns: Vec<Vec<f64>>,
    coefficients: Vec<Prepared>,
}

/// The coefficient of one term: a number, or one of the evaluated columns.
#[derive(Debug, Clone, Copy)]
enum Prepared {
    Constant(f64),
    Column(usize),
}

impl PreparedRows<'_> {
    /// What a basis is asked to evaluate.
    #[must_use]
    pub fn form(&self) -> Form<'_> {
        let mut form = Form::new();
        for (term, coefficient) in self.operator.terms().iter().zip(&self.coefficients) {
            form.push(self.coefficient(*coefficient), &term.action);
        }
        form
    }

    fn coefficient(&self, coefficient: Prepared) -> Coefficient<'_> {
        match coefficient {
            Prepared::Constant(c) => Coefficient::Constant(c),
            Prepared::Column(index) => {
                Coefficient::PerPoint(self.columns.get(index).map_or(&[], Vec::as_slice))
            }
        }
    }

    /// Writes L φⱼ(xᵢ) into `out[(i, j)]` on the calling thread.
    ///
    /// # Errors
    /// An output of the wrong shape, a basis of another dimension or without a closed form.
    pub fn write_rows(&self, basis: &dyn Basis, out: MatMut<'_, f64>) -> Result<(), OperatorError> {
        self.require_basis(basis)?;
        Ok(basis.write_rows(self.sites.points(), &self.form(), out)?)
    }

    /// Writes L φⱼ(xᵢ) into `out[(i, j)]` on all threads of the current pool.
    ///
    /// # Errors
    /// As [`write_rows`](Self::write_rows).
    pub fn assemble_into(
        &self,
        basis: &dyn Basis,
        out: MatMut<'_, f64>,
    ) -> Result<(), OperatorError> {
        self.require_basis(basis)?;
        Ok(basis.assemble_into(self.sites.points(), &self.form(), out)?)
    }

    /// Σⱼ βⱼ L φⱼ(xᵢ) at every point, block by block.
    ///
    /// # Errors
    /// As [`write_rows`](Self::write_rows), or coefficients β of the wrong number.
    pub fn apply(&self, basis: &dyn Basis, beta: &[f64]) -> Result<Vec<f64>, OperatorError> {
        self.require_basis(basis)?;
        let form = [self.form()];
        let sums = products(basis, beta, &self.sites, &form)?;
        Ok(sums.col(0).iter().copied().collect())
    }

    /// Σₜ |cₜ(xᵢ) (Tₜu)(xᵢ)| at every point for u = Σⱼ βⱼ φⱼ.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn term_magnitudes(
        &self,
        basis: &dyn Basis,
        beta: &[f64],
    ) -> Result<Vec<f64>, OperatorError> {
        self.require_basis(basis)?;
        let mut actions: Vec<&Action> = Vec::new();
        for term in self.operator.terms() {
            if !actions.contains(&&term.action) {
                actions.push(&term.action);
            }
        }
        let forms: Vec<Form<'_>> = actions.iter().map(|action| Form::action(action)).collect();
        let sums = products(basis, beta, &self.sites, &forms)?;
        let mut total = vec![0.0; self.sites.len()];
        for (term, coefficient) in self.operator.terms().iter().zip(&self.coefficients) {
            let known = actions.iter().position(|action| **action == term.action);
            let values = column(&sums, known.unwrap_or(0));
            match self.coefficient(*coefficient) {
                Coefficient::Constant(c) => {
                    for (total, value) in total.iter_mut().zip(&values) {
                        *total += (c * value).abs();
                    }
                }
                Coefficient::PerPoint(c) => {
                    for ((total, value), c) in total.iter_mut().zip(&values).zip(c) {
                        *total += (c * value).abs();
                    }
                }
            }
        }
        Ok(total)
    }

    fn require_basis(&self, basis: &dyn Basis) -> Result<(), OperatorError> {
        Ok(require_dim("the basis", self.sites.dim(), basis.dim())?)
    }
}

impl Operator {
    /// Evaluates the coefficients at the points; the result writes rows for any basis.
    ///
    /// # Errors
    /// A mistake in the operator, points that do not fit it, missing normals or tables, a field
    /// that is not finite at a point.
    pub fn rows<'a>(&self, sites: impl Into<Sites<'a>>) -> Result<PreparedRows<'a>, OperatorError> {
        let sites = sites.into();
        sites.validate(self.dim()?)?;
        // A basis groups terms by the slice they point to, so equal coefficients share one column.
        let mut fields: Vec<&Field> = Vec::new();
        let mut coefficients = Vec::with_capacity(self.terms().len());
        for term in self.terms() {
            let field = &term.coefficient;
            coefficients.push(match field.as_constant() {
                Some(value) => Prepared::Constant(value),
                None => {
                    let known = fields.iter().position(|known| known.same(field));
                    Prepared::Column(known.unwrap_or_else(|| {
                        fields.push(field);
                        fields.len() - 1
                    }))
                }
            });
        }
        Ok(PreparedRows {
            operator: self.clone(),
            sites,
            columns: Field::evaluate_all(&fields, &sites)?,
            coefficients,
        })
    }

    /// Writes L φⱼ(xᵢ) into `out[(i, j)]` on the calling thread, one row per point and one column per
    /// feature; every entry is overwritten.
    ///
    /// # Errors
    /// As [`rows`](Operator::rows), or a basis or output that does not fit.
    pub fn write_rows<'a>(
        &self,
        basis: &dyn Basis,
        sites: impl Into<Sites<'a>>,
        out: MatMut<'_, f64>,
    ) -> Result<(), OperatorError> {
        self.rows(sites)?.write_rows(basis, out)
    }

    /// Writes L φⱼ(xᵢ) into `out[(i, j)]` on all threads of the current pool.
    ///
    /// # Errors
    /// As [`write_rows`](Operator::write_rows).
    pub fn assemble_into<'a>(
        &self,
        basis: &dyn Basis,
        sites: impl Into<Sites<'a>>,
        out: MatMut<'_, f64>,
    ) -> Result<(), OperatorError> {
        self.rows(sites)?.assemble_into(basis, out)
    }

    /// The matrix of L φⱼ(xᵢ), points by features.
    ///
    /// # Errors
    /// As [`write_rows`](Operator::write_rows).
    pub fn assemble<'a>(
        &self,
        basis: &dyn Basis,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Mat<f64>, OperatorError> {
        let sites = sites.into();
        let mut out = Mat::zeros(sites.len(), basis.len());
        self.assemble_into(basis, sites, out.as_mut())?;
        Ok(out)
    }

    /// Σⱼ βⱼ L φⱼ(xᵢ) at every point, without forming the whole matrix.
    ///
    /// # Errors
    /// As [`write_rows`](Operator::write_rows), or coefficients β of the wrong number.
    pub fn apply<'a>(
        &self,
        basis: &dyn Basis,
        beta: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, OperatorError> {
        self.rows(sites)?.apply(basis, beta)
    }

    /// Σₜ |cₜ(xᵢ) (Tₜu)(xᵢ)| at every point for u = Σⱼ βⱼ φⱼ: the scale against which a residual
    /// of Lu is small or large.
    ///
    /// # Errors
    /// As [`apply`](Operator::apply).
    pub fn term_magnitudes<'a>(
        &self,
        basis: &dyn Basis,
        beta: &[f64],
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, OperatorError> {
        self.rows(sites)?.term_magnitudes(basis, beta)
    }
}

/// u = Σⱼ βⱼ φⱼ under several forms, points by forms: block by block and in parallel where it pays; the
/// result does not depend on the number of threads.
fn products(
    basis: &dyn Basis,
    beta: &[f64],
    sites: &Sites<'_>,
    forms: &[Form<'_>],
) -> Result<Mat<f64>, OperatorError> {
    require_size("the coefficient vector", basis.len(), beta.len())?;
    for &b in beta {
        require_finite("a coefficient of the expansion", b)?;
    }
    for form in forms {
        form.validate(basis.dim(), sites.len())?;
    }
    let mut out = Mat::zeros(sites.len(), forms.len());
    let mut blocks = Vec::with_capacity(sites.len().div_ceil(BLOCK));
    let (mut start, mut rest) = (0, out.as_mut());
    while rest.nrows() > 0 {
        let (block, tail) = rest.split_at_row_mut(BLOCK.min(sites.len() - start));
        blocks.push((start, block));
        (start, rest) = ((start + BLOCK).min(sites.len()), tail);
    }
    let sum = |(start, block): (usize, MatMut<'_, f64>)| {
        let count = block.nrows();
        let points = sites.block(start, count).points();
        let forms: Vec<Form<'_>> = forms.iter().map(|f| f.restrict(start, count)).collect();
        basis.sums(points, &forms, beta, block)
    };
    if sites.len().saturating_mul(basis.len()) < PARALLEL_ENTRIES {
        blocks.into_iter().try_for_each(sum)?;
    } else {
        blocks.into_par_iter().try_for_each(sum)?;
    }
    Ok(out)
}

/// One column of a matrix.
fn column(matrix: &Mat<f64>, index: usize) -> Vec<f64> {
    matrix.col(index).iter().copied().collect()
}

/// What several prepared operators, at the same points, make of u = Σⱼ βⱼ φⱼ: one vector for each. Where they ask
/// for the same waves, these are evaluated once.
///
/// # Errors
/// As [`PreparedRows::apply`].
pub(crate) fn apply_all(
    rows: &[PreparedRows<'_>],
    basis: &dyn Basis,
    beta: &[f64],
) -> Result<Vec<Vec<f64>>, OperatorError> {
    let Some(first) = rows.first() else {
        return Ok(Vec::new());
    };
    rows.iter().try_for_each(|row| row.require_basis(basis))?;
    let forms: Vec<Form<'_>> = rows.iter().map(PreparedRows::form).collect();
    let sums = products(basis, beta, &first.sites, &forms)?;
    Ok((0..rows.len()).map(|k| column(&sums, k)).collect())
}
