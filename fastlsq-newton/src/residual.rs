//! Residuals with their exact slopes at many points.

use fastlsq_solve::{EquationRow, Jet, Residual as Expression, Sites};
use ndarray::{Array2, ShapeBuilder};

use crate::NewtonError;
use crate::function::Function;

/// The residual of one equation or condition.
#[derive(Debug, Clone)]
pub(crate) struct Residual {
    pub(crate) label: String,
    expression: Expression,
}

/// Values and slopes of a residual at many points.
#[derive(Debug, Clone)]
pub(crate) struct EvaluatedResidual {
    /// R(xᵢ).
    pub(crate) values: Vec<f64>,
    /// ∂R/∂(jet) at xᵢ: one row per point, one column per jet.
    pub(crate) slopes: Array2<f64>,
    /// ∂R/∂p at xᵢ.
    pub(crate) parameter_slopes: Vec<f64>,
}

impl Residual {
    pub(crate) fn new(label: &str, expression: Expression) -> Self {
        Self {
            label: label.to_owned(),
            expression,
        }
    }

    /// The derivatives of unknowns that it needs.
    pub(crate) fn jets(&self) -> &[Jet] {
        self.expression.jets()
    }

    /// The linearised residual as an operator: Σₜ cₜ(x) Tₜ with tabulated coefficients.
    ///
    /// `keep` selects the terms, by the order of their derivative.
    pub(crate) fn row(&self, keep: impl Fn(u32) -> bool) -> EquationRow {
        self.expression
            .linearised(|jet| keep(jet.action.derivative.order()))
    }

    /// The highest order of a derivative.
    pub(crate) fn order(&self) -> u32 {
        let orders = self.jets().iter().map(|jet| jet.action.derivative.order());
        orders.max().unwrap_or(0)
    }

    /// The jets of a function at the points: one row per point, one column per jet.
    pub(crate) fn table(
        &self,
        function: &Function<'_>,
        sites: Sites<'_>,
    ) -> Result<Array2<f64>, NewtonError> {
        let mut table = Array2::zeros((sites.len(), self.jets().len()).f());
        let columns = function.apply_all(&self.expression.jet_rows(), sites)?;
        for (mut target, values) in table.columns_mut().into_iter().zip(columns) {
            for (target, value) in target.iter_mut().zip(values) {
                *target = value;
            }
        }
        Ok(table)
    }

    /// The residual and its slopes, given its jets at the points.
    pub(crate) fn try_evaluate(
        &self,
        table: &Array2<f64>,
        sites: Sites<'_>,
        parameter: f64,
    ) -> Result<EvaluatedResidual, NewtonError> {
        let found = self
            .expression
            .evaluate(table.view(), &sites, &[parameter])?;
        let slopes = found.parameter_slopes;
        Ok(EvaluatedResidual {
            values: found.values,
            slopes: found.slopes,
            parameter_slopes: match slopes.ncols() {
                0 => vec![0.0; sites.len()],
                _ => slopes.column(0).to_vec(),
            },
        })
    }

    /// As [`try_evaluate`](Self::try_evaluate), with values that are not numbers where it fails.
    pub(crate) fn evaluate(
        &self,
        table: &Array2<f64>,
        sites: Sites<'_>,
        parameter: f64,
    ) -> EvaluatedResidual {
        self.try_evaluate(table, sites, parameter)
            .unwrap_or_else(|_| EvaluatedResidual {
                values: vec![f64::NAN; sites.len()],
                slopes: Array2::zeros((sites.len(), self.jets().len())),
                parameter_slopes: vec![0.0; sites.len()],
            })
    }
}

impl EvaluatedResidual {
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
