//! The result: a function, with its report.

use std::sync::Arc;

use fastlsq_basis::{Basis, BasisError};
use fastlsq_ops::{EquationRow, Expr, Frame, Sites, Space, Unknown, axis, laplacian};
use ndarray::{Array2, ArrayView2};

use crate::SolveError;
use crate::domain::Domain;
use crate::report::Report;

/// u(x) = Σ βⱼ φⱼ(x) for one or several unknowns, with the record of how it was found.
///
/// Every derivative is exact for the expansion. A solution can be shared between threads.
#[derive(Debug, Clone)]
pub struct Solution {
    space: Space,
    unknowns: Vec<Unknown>,
    bases: Vec<Arc<dyn Basis>>,
    beta: Vec<f64>,
    report: Report,
    domain: Option<Arc<dyn Domain>>,
}

impl Solution {
    /// A solution from its parts: the coordinates and the unknowns, one basis for each unknown, and the coefficients one
    /// after the other.
    ///
    /// # Errors
    /// Unknowns, coefficients or dimensions that do not match the bases, coefficients that are not finite.
    pub fn from_parts(
        (space, unknowns): (Space, Vec<Unknown>),
        bases: Vec<Arc<dyn Basis>>,
        beta: Vec<f64>,
        report: Report,
    ) -> Result<Self, SolveError> {
        let require = |what, expected, found| {
            if expected == found {
                return Ok(());
            }
            Err(SolveError::Table {
                label: "the solution".to_owned(),
                what,
                expected,
                found,
            })
        };
        if bases.is_empty() {
            return Err(SolveError::NothingToSolve);
        }
        require("unknowns", bases.len(), unknowns.len())?;
        require(
            "coefficients",
            bases.iter().map(Basis::len).sum(),
            beta.len(),
        )?;
        for basis in &bases {
            require("axes", space.dim(), basis.dim())?;
        }
        if let Some(index) = beta.iter().position(|value| !value.is_finite()) {
            return Err(BasisError::NotFinite {
                what: "the coefficients",
                index,
                value: beta[index],
            }
            .into());
        }
        Ok(Self {
            space,
            unknowns,
            bases,
            beta,
            report,
            domain: None,
        })
    }

    /// The same function with the domain on which it is meant, for grids and pictures.
    ///
    /// # Errors
    /// A domain of another dimension.
    pub fn on_domain(mut self, domain: Arc<dyn Domain>) -> Result<Self, SolveError> {
        if domain.dim() != self.dim() {
            return Err(SolveError::Dimension {
                basis: self.dim(),
                domain: domain.dim(),
            });
        }
        self.domain = Some(domain);
        Ok(self)
    }

    /// The domain, where it is known: that of the problem, or, for a solution from a file, the box around it.
    #[must_use]
    pub fn domain(&self) -> Option<&Arc<dyn Domain>> {
        self.domain.as_ref()
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

    /// The unknowns.
    #[must_use]
    pub fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// The coordinates.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of coordinates, time included.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.space.dim()
    }

    /// One unknown of a system as a solution of its own.
    ///
    /// # Errors
    /// An unknown that does not exist.
    pub fn unknown(&self, unknown: impl Into<Unknown>) -> Result<Self, SolveError> {
        let unknown = unknown.into();
        let index = self
            .unknowns
            .iter()
            .position(|own| *own == unknown)
            .ok_or_else(|| SolveError::Unknown {
                name: unknown.to_string(),
                known: self.unknowns.iter().map(ToString::to_string).collect(),
            })?;
        let start: usize = self.bases[..index].iter().map(Basis::len).sum();
        let basis = self.bases[index].clone();
        let beta = self.beta[start..start + basis.len()].to_vec();
        Ok(Self {
            space: self.space.clone(),
            unknowns: vec![unknown],
            bases: vec![basis],
            beta,
            report: self.report.clone(),
            domain: self.domain.clone(),
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

    /// Any expression of the unknowns, linear or not, at many points (one row per point).
    ///
    /// ```
    /// use fastlsq_solve::{Interval, LinearProblem, X, sin, unknown};
    /// let u = unknown("u");
    /// let wave = LinearProblem::on(Interval::unit())
    ///     .equation(u.d(X).d(X) + u, 0.0)
    ///     .dirichlet(sin(X))
    ///     .solve()?;
    /// let energy = wave.at(u.d(X).powi(2) + u.powi(2), &[0.3])?;
    /// assert!((energy - 1.0).abs() < 1e-10);
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    ///
    /// # Errors
    /// An expression with other unknowns, with parameters or with coordinates that do not exist; points that do not fit.
    pub fn evaluate<'a>(
        &self,
        expression: impl Into<Expr>,
        sites: impl Into<Sites<'a>>,
    ) -> Result<Vec<f64>, SolveError> {
        let (expression, sites) = (expression.into(), sites.into());
        sites.validate(self.dim())?;
        let frame = Frame::new(self.space.clone(), self.unknowns.iter().copied());
        let residual = frame.lower_scalar(&expression)?.residual();
        let rows = residual.jet_rows();
        let jets = EquationRow::apply_all(&rows, &self.references(), &self.beta, sites)?;
        let table = Array2::from_shape_fn((sites.len(), jets.len()), |(i, k)| jets[k][i]);
        Ok(residual.evaluate(table.view(), &sites, &[])?.values)
    }

    /// Any expression of the unknowns at one point.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn at(&self, expression: impl Into<Expr>, point: &[f64]) -> Result<f64, SolveError> {
        let values = self.evaluate(expression, &one_row(point))?;
        Ok(values.first().copied().unwrap_or(f64::NAN))
    }

    fn value_row(&self) -> EquationRow {
        EquationRow::value(self.dim(), 0, self.bases.len())
    }

    fn slope_row(&self, axis: usize) -> EquationRow {
        EquationRow::slope(self.dim(), axis, 0, self.bases.len())
    }

    /// u at many points (one row per point); for a system, the first unknown.
    ///
    /// # Errors
    /// Points of another dimension, or not finite.
    pub fn values(&self, points: ArrayView2<'_, f64>) -> Result<Vec<f64>, SolveError> {
        self.apply_row(&self.value_row(), points)
    }

    /// The derivatives of u along all axes, time included, at many points: one row per point, one column per axis.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn gradients(&self, points: ArrayView2<'_, f64>) -> Result<Array2<f64>, SolveError> {
        let mut gradients = Array2::zeros((points.nrows(), self.dim()));
        for axis in 0..self.dim() {
            let column = self.apply_row(&self.slope_row(axis), points)?;
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
        let values = self.apply_row(&self.value_row(), &one_row(point))?;
        Ok(values.first().copied().unwrap_or(f64::NAN))
    }

    /// The derivatives of u along all axes, time included, at x.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn gradient(&self, point: &[f64]) -> Result<Vec<f64>, SolveError> {
        Ok(self.gradients(one_row(point).view())?.row(0).to_vec())
    }

    /// The second derivatives of u along all pairs of axes, time included, at x.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn hessian(&self, point: &[f64]) -> Result<Array2<f64>, SolveError> {
        let dim = self.dim();
        let Some(u) = self.unknowns.first() else {
            return Ok(Array2::zeros((dim, dim)));
        };
        let mut hessian = Array2::zeros((dim, dim));
        for k in 0..dim {
            for l in 0..=k {
                let value = self.at(u.d(axis(k)).d(axis(l)), point)?;
                hessian[(k, l)] = value;
                hessian[(l, k)] = value;
            }
        }
        Ok(hessian)
    }

    /// Δu(x), over space.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn laplacian(&self, point: &[f64]) -> Result<f64, SolveError> {
        match self.unknowns.first() {
            Some(u) => self.at(laplacian(*u), point),
            None => Err(SolveError::NothingToSolve),
        }
    }
}

/// A point as a set of one.
fn one_row(point: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn((1, point.len()), |(_, k)| point[k])
}
