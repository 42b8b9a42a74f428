//! The result: a function, with its report.

use std::sync::Arc;

use fastlsq_basis::Basis;
use fastlsq_ops::{EquationRow, Operator, Sites, identity, laplacian, partial, partial_order};
use ndarray::{Array2, ArrayView2};

use crate::SolveError;
use crate::report::Report;

/// u(x) = Σ βⱼ φⱼ(x) for one or several unknowns, with the record of how it was found.
///
/// Every derivative is exact for the expansion. A solution can be shared between threads.
#[derive(Debug, Clone)]
pub struct Solution {
    bases: Vec<Arc<dyn Basis>>,
    names: Vec<String>,
    beta: Vec<f64>,
    report: Report,
}

impl Solution {
    /// A solution from its parts: one basis for each unknown, coefficients one after the other.
    ///
    /// # Errors
    /// Coefficients that do not match the bases.
    pub fn from_parts(
        bases: Vec<Arc<dyn Basis>>,
        names: Vec<String>,
        beta: Vec<f64>,
        report: Report,
    ) -> Result<Self, SolveError> {
        let expected: usize = bases.iter().map(|basis| basis.len()).sum();
        if expected != beta.len() || names.len() != bases.len() {
            return Err(SolveError::Table {
                label: "the solution".to_owned(),
                what: "coefficients",
                expected,
                found: beta.len(),
            });
        }
        Ok(Self {
            bases,
            names,
            beta,
            report,
        })
    }

    /// The record of the solve.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The bases, one for each unknown.
    #[must_use]
    pub fn bases(&self) -> &[Arc<dyn Basis>] {
        &self.bases
    }

    /// The coefficients β of all unknowns, one after the other.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.beta
    }

    /// The names of the unknowns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.bases.first().map_or(0, |basis| basis.dim())
    }

    /// One unknown of a system as a solution of its own.
    ///
    /// # Errors
    /// A name that does not exist.
    pub fn unknown(&self, name: &str) -> Result<Self, SolveError> {
        let index = self
            .names
            .iter()
            .position(|own| own == name)
            .ok_or_else(|| SolveError::Unknown {
                name: name.to_owned(),
                known: self.names.clone(),
            })?;
        let start: usize = self.bases[..index].iter().map(|basis| basis.len()).sum();
        let basis = self.bases[index].clone();
        let beta = self.beta[start..start + basis.len()].to_vec();
        Ok(Self {
            bases: vec![basis],
            names: vec![name.to_owned()],
            beta,
            report: self.report.clone(),
        })
    }

    fn references(&self) -> Vec<&dyn Basis> {
        self.bases.iter().map(AsRef::as_ref).collect()
    }

    /// Any equation row applied to the unknowns, at many points.
    ///
    /// # Errors
    /// A row or points that do not fit.
    pub fn apply_row<'a>(
        &self,
        row: &EquationRow,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SolveError> {
        Ok(row.apply(&self.references(), &self.beta, sites)?)
    }

    /// Any operator applied to the first unknown, at many points (one row a point).
    ///
    /// # Errors
    /// An operator or points that do not fit.
    pub fn apply<'a>(
        &self,
        operator: &Operator,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SolveError> {
        self.apply_row(&operator.on(0, self.bases.len()), sites)
    }

    /// u at many points (one row a point).
    ///
    /// # Errors
    /// Points of another dimension, or not finite.
    pub fn values(&self, points: ArrayView2<'_, f64>) -> Result<Vec<f64>, SolveError> {
        self.apply(&identity(self.dim()), points)
    }

    /// ∇u at many points: one row a point, one column an axis.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn gradients(&self, points: ArrayView2<'_, f64>) -> Result<Array2<f64>, SolveError> {
        let mut gradients = Array2::zeros((points.nrows(), self.dim()));
        for axis in 0..self.dim() {
            let column = self.apply(&partial(self.dim(), axis), points)?;
            for (target, value) in gradients.column_mut(axis).iter_mut().zip(column) {
                *target = value;
            }
        }
        Ok(gradients)
    }

    /// u(x).
    ///
    /// # Errors
    /// A point of another dimension, or not finite.
    pub fn value(&self, point: &[f64]) -> Result<f64, SolveError> {
        self.at(&identity(self.dim()), point)
    }

    /// Any operator applied to u, at one point.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn at(&self, operator: &Operator, point: &[f64]) -> Result<f64, SolveError> {
        let points = Array2::from_shape_vec((1, point.len()), point.to_vec()).map_err(|_| {
            SolveError::Dimension {
                basis: self.dim(),
                domain: point.len(),
            }
        })?;
        Ok(self
            .apply(operator, &points)?
            .first()
            .copied()
            .unwrap_or(f64::NAN))
    }

    /// ∇u(x).
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn gradient(&self, point: &[f64]) -> Result<Vec<f64>, SolveError> {
        (0..self.dim())
            .map(|axis| self.at(&partial(self.dim(), axis), point))
            .collect()
    }

    /// The Hessian of u at x, one row an axis.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn hessian(&self, point: &[f64]) -> Result<Array2<f64>, SolveError> {
        let dim = self.dim();
        let mut hessian = Array2::zeros((dim, dim));
        for k in 0..dim {
            for l in 0..=k {
                let operator = if k == l {
                    partial_order(dim, k, 2)
                } else {
                    partial(dim, k).compose(&partial(dim, l))
                };
                let value = self.at(&operator, point)?;
                hessian[(k, l)] = value;
                hessian[(l, k)] = value;
            }
        }
        Ok(hessian)
    }

    /// Δu(x).
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn laplacian(&self, point: &[f64]) -> Result<f64, SolveError> {
        self.at(&laplacian(self.dim()), point)
    }
}
