//! Residuals: what a closure needs, its values and its exact slopes at many points.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use fastlsq_solve::{EquationRow, Field, Sites, derivative};
use ndarray::Array2;

use crate::NewtonError;
use crate::function::Function;
use crate::jet::{Jet, Real, Request, SLOTS};

type Closure = dyn Fn(&Jet<'_>, &[f64]) -> Real + Send + Sync;

/// A residual closure and the derivatives it uses.
#[derive(Clone)]
pub(crate) struct Residual {
    pub(crate) label: String,
    function: Arc<Closure>,
    requests: Vec<Request>,
    dim: usize,
    unknowns: usize,
}

impl fmt::Debug for Residual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Residual")
            .field("label", &self.label)
            .field("requests", &self.requests)
            .finish()
    }
}

/// Values and slopes of a residual at many points.
#[derive(Debug, Clone)]
pub(crate) struct Evaluated {
    /// R(xᵢ).
    pub(crate) values: Vec<f64>,
    /// ∂R/∂(D^{αₜ}u) at xᵢ: one row a point, one column a request.
    pub(crate) slopes: Array2<f64>,
    /// ∂R/∂p at xᵢ.
    pub(crate) parameter_slopes: Vec<f64>,
}

impl Residual {
    pub(crate) fn new(label: String, function: Arc<Closure>, dim: usize, unknowns: usize) -> Self {
        Self {
            label,
            function,
            requests: Vec::new(),
            dim,
            unknowns,
        }
    }

    /// The same residual in a system with another number of unknowns.
    pub(crate) fn with_unknowns(mut self, unknowns: usize) -> Self {
        self.unknowns = unknowns;
        self
    }

    pub(crate) fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Finds out which derivatives the closure uses, by calling it at sample points.
    pub(crate) fn discover(
        &mut self,
        sites: &Sites<'_>,
        parameter: f64,
    ) -> Result<(), NewtonError> {
        loop {
            let missing = RefCell::new(Vec::new());
            let values: Vec<f64> = (0..self.requests.len())
                .map(|k| 0.37 + 0.11 * (k as f64).sin())
                .collect();
            for i in 0..sites.len() {
                let point = sites.points().row(i).to_vec();
                let normal = sites.normals().map(|normals| normals.row(i).to_vec());
                (self.function)(
                    &Jet {
                        requests: &self.requests,
                        values: &values,
                        first_slot: 0,
                        parameter,
                        normal: normal.as_deref(),
                        dim: self.dim,
                        missing: &missing,
                    },
                    &point,
                );
            }
            let missing = missing.into_inner();
            if missing.is_empty() {
                return Ok(());
            }
            self.add(missing)?;
        }
    }

    fn add(&mut self, missing: Vec<Request>) -> Result<(), NewtonError> {
        for request in missing {
            if request.unknown >= self.unknowns || request.alpha.dim() != self.dim {
                return Err(NewtonError::Request {
                    label: self.label.clone(),
                    unknown: request.unknown,
                    orders: request.alpha.orders().to_vec(),
                    unknowns: self.unknowns,
                    dim: self.dim,
                });
            }
            self.requests.push(request);
        }
        Ok(())
    }

    /// The linearised residual as an operator: Σₜ cₜ(x) D^{αₜ} with tabulated coefficients.
    ///
    /// `keep` selects the terms, by the order of their derivative.
    pub(crate) fn row(&self, keep: impl Fn(u32) -> bool) -> EquationRow {
        self.requests
            .iter()
            .enumerate()
            .filter(|(_, r)| keep(r.alpha.order()))
            .fold(
                EquationRow::zero(self.unknowns),
                |row, (column, request)| {
                    let coefficient = Field::tabulated(format!("c{column}"), column);
                    row.with(
                        request.unknown,
                        &coefficient * derivative(request.alpha.clone()),
                    )
                },
            )
    }

    /// The highest order of a derivative.
    pub(crate) fn order(&self) -> u32 {
        self.requests
            .iter()
            .map(|r| r.alpha.order())
            .max()
            .unwrap_or(0)
    }

    /// The requested derivatives of a function at the points: one row a point, one column a request.
    pub(crate) fn table(
        &self,
        function: &Function<'_>,
        sites: Sites<'_>,
    ) -> Result<Array2<f64>, NewtonError> {
        let mut table = Array2::zeros((sites.len(), self.requests.len()));
        let rows = self
            .requests
            .iter()
            .map(|request| derivative(request.alpha.clone()).on(request.unknown, self.unknowns));
        let rows: Vec<_> = rows.collect();
        for (column, values) in function.apply_all(&rows, sites)?.into_iter().enumerate() {
            for (target, value) in table.column_mut(column).iter_mut().zip(values) {
                *target = value;
            }
        }
        Ok(table)
    }

    /// The residual and its slopes, given the requested derivatives at the points.
    pub(crate) fn evaluate(
        &self,
        table: &Array2<f64>,
        sites: Sites<'_>,
        parameter: f64,
    ) -> Evaluated {
        let count = sites.len();
        let mut evaluated = Evaluated {
            values: vec![0.0; count],
            slopes: Array2::zeros((count, self.requests.len())),
            parameter_slopes: vec![0.0; count],
        };
        let missing = RefCell::new(Vec::new());
        let mut values = vec![0.0; self.requests.len()];
        for i in 0..count {
            let point = sites.points().row(i).to_vec();
            let normal = sites.normals().map(|normals| normals.row(i).to_vec());
            for (target, value) in values.iter_mut().zip(table.row(i)) {
                *target = *value;
            }
            // As many passes as the dual numbers' slots require; nearly always one.
            for first_slot in (0..self.requests.len().max(1)).step_by(SLOTS) {
                let result = (self.function)(
                    &Jet {
                        requests: &self.requests,
                        values: &values,
                        first_slot,
                        parameter,
                        normal: normal.as_deref(),
                        dim: self.dim,
                        missing: &missing,
                    },
                    &point,
                );
                evaluated.values[i] = result.value();
                evaluated.parameter_slopes[i] = result.slope(SLOTS);
                for slot in 0..SLOTS.min(self.requests.len() - first_slot.min(self.requests.len()))
                {
                    evaluated.slopes[(i, first_slot + slot)] = result.slope(slot);
                }
            }
        }
        // A branch that was never taken before asks for something new: not a number until it is
        // foreseen, so that the line search steps back from it.
        if !missing.borrow().is_empty() {
            for value in &mut evaluated.values {
                *value = f64::NAN;
            }
        }
        evaluated
    }
}

impl Evaluated {
    /// The first point where the residual or a slope is not finite.
    pub(crate) fn first_bad(&self) -> Option<(usize, f64)> {
        (0..self.values.len()).find_map(|i| {
            let bad = |v: &f64| !v.is_finite();
            if bad(&self.values[i]) {
                return Some((i, self.values[i]));
            }
            self.slopes
                .row(i)
                .iter()
                .copied()
                .find(|v| bad(v))
                .map(|v| (i, v))
        })
    }

    /// Σₜ cₜ D^{αₜ}u at each point: the linear part at the present state.
    pub(crate) fn linear_part(&self, table: &Array2<f64>) -> Vec<f64> {
        self.slopes
            .rows()
            .into_iter()
            .zip(table.rows())
            .map(|(slopes, values)| slopes.iter().zip(values).map(|(c, v)| c * v).sum())
            .collect()
    }

    /// Σₜ |cₜ D^{αₜ}u| + |R − Σₜ cₜ D^{αₜ}u| at each point: the size of the terms.
    pub(crate) fn magnitudes(&self, table: &Array2<f64>) -> Vec<f64> {
        let linear = self.linear_part(table);
        self.slopes
            .rows()
            .into_iter()
            .zip(table.rows())
            .enumerate()
            .map(|(i, (slopes, values))| {
                let terms: f64 = slopes.iter().zip(values).map(|(c, v)| (c * v).abs()).sum();
                terms + (self.values[i] - linear[i]).abs()
            })
            .collect()
    }
}
