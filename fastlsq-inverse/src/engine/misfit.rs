//! The misfit ½ Σ ((dᵢ(θ) − yᵢ)/σᵢ)² + ½ Σ ((θₖ − mₖ)/sₖ)² and its derivatives.

use faer::{Mat, MatMut};
use fastlsq_solve::Control;

use super::Prepared;
use crate::InverseError;
use crate::optimise::{Bounds, BoundsError, EvaluationError, Objective, Residuals};
use crate::problem::Sought;

impl Prepared {
    /// The residuals: (dᵢ − yᵢ)/σᵢ for each observation, then (θₖ − mₖ)/sₖ for each prior.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn residuals_at(&self, parameters: &[f64]) -> Result<Vec<f64>, InverseError> {
        let predicted = self.state(parameters)?.predicted(self)?;
        Ok(self.residuals_of(predicted, parameters))
    }

    fn residuals_within(
        &self,
        parameters: &[f64],
        control: &Control,
    ) -> Result<Vec<f64>, InverseError> {
        let predicted = self.state_within(parameters, control)?.predicted(self)?;
        Ok(self.residuals_of(predicted, parameters))
    }

    /// The residuals for these predictions.
    fn residuals_of(&self, predicted: Vec<f64>, parameters: &[f64]) -> Vec<f64> {
        let mut residuals = predicted;
        for ((residual, value), sigma) in
            residuals.iter_mut().zip(&self.values).zip(&self.deviations)
        {
            *residual = (*residual - value) / sigma;
        }
        for (parameter, value) in self.problem.sought.iter().zip(parameters) {
            if let Some((mean, deviation)) = parameter.prior {
                residuals.push((value - mean) / deviation);
            }
        }
        residuals
    }

    /// The Jacobian of [`residuals_at`](Self::residuals_at): residuals by parameters.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn jacobian_at(&self, parameters: &[f64]) -> Result<Mat<f64>, InverseError> {
        Ok(self.jacobian_of(&self.state(parameters)?.jacobian(self)?))
    }

    fn jacobian_within(
        &self,
        parameters: &[f64],
        control: &Control,
    ) -> Result<Mat<f64>, InverseError> {
        Ok(self.jacobian_of(&self.state_within(parameters, control)?.jacobian(self)?))
    }

    /// The Jacobian of the residuals from that of the observations.
    fn jacobian_of(&self, plain: &Mat<f64>) -> Mat<f64> {
        let mut jacobian = Mat::zeros(self.residual_count(), plain.ncols());
        for (i, sigma) in self.deviations.iter().enumerate() {
            for k in 0..plain.ncols() {
                jacobian[(i, k)] = plain[(i, k)] / sigma;
            }
        }
        let mut row = self.deviations.len();
        for (k, parameter) in self.problem.sought.iter().enumerate() {
            if let Some((_, deviation)) = parameter.prior {
                jacobian[(row, k)] = 1.0 / deviation;
                row += 1;
            }
        }
        jacobian
    }

    /// The misfit and its gradient: one adjoint solve, whatever the number of parameters.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn misfit(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), InverseError> {
        let control = self.problem.options.control().without_deadline();
        self.tempered_misfit(parameters, 1.0, &control)
    }

    /// The misfit with all deviations of the observations multiplied by a factor.
    fn tempered_misfit(
        &self,
        parameters: &[f64],
        factor: f64,
        control: &Control,
    ) -> Result<(f64, Vec<f64>), InverseError> {
        let state = self.state_within(parameters, control)?;
        let mut residuals = self.residuals_of(state.predicted(self)?, parameters);
        for residual in residuals.iter_mut().take(self.values.len()) {
            *residual /= factor;
        }
        let value = 0.5 * residuals.iter().map(|r| r * r).sum::<f64>();
        let covector: Vec<f64> = residuals
            .iter()
            .zip(&self.deviations)
            .map(|(residual, sigma)| residual / (factor * sigma))
            .collect();
        let mut gradient = state.pull_back(self, &covector)?;
        for (total, (parameter, value)) in gradient
            .iter_mut()
            .zip(self.problem.sought.iter().zip(parameters))
        {
            if let Some((mean, deviation)) = parameter.prior {
                *total += (value - mean) / (deviation * deviation);
            }
        }
        Ok((value, gradient))
    }

    /// Observations, and priors.
    #[must_use]
    pub fn residual_count(&self) -> usize {
        let priors = self.problem.sought.iter().filter(|p| p.prior.is_some());
        self.values.len() + priors.count()
    }
}

/// The misfit in the parameters themselves, for the optimisers of [`optimise`](crate::optimise).
impl Objective for Prepared {
    fn dimension(&self) -> usize {
        self.start.len()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        let (value, own) = self.misfit(x)?;
        gradient.copy_from_slice(&own);
        Ok(value)
    }
}

/// The misfit in parameters divided by their scales, so that all of them move by similar numbers.
pub(crate) struct Scaled<'a> {
    pub(crate) prepared: &'a Prepared,
    scales: Vec<f64>,
    /// A factor on the deviations of the observations.
    temperature: f64,
    control: Control,
}

impl<'a> Scaled<'a> {
    /// The same misfit with all deviations of the observations multiplied by a factor.
    pub(crate) fn tempered(&self, temperature: f64) -> Self {
        Self {
            prepared: self.prepared,
            scales: self.scales.clone(),
            temperature,
            control: self.control.clone(),
        }
    }

    /// Each parameter in its own unit or, by default, in units in which it changes the residuals at
    /// the start as much as any other, but no more than its range.
    pub(crate) fn new(prepared: &'a Prepared, control: &Control) -> Result<Self, InverseError> {
        let jacobian = prepared.jacobian_within(&prepared.start, control)?;
        let scale_of = |(k, sought): (usize, &Sought)| {
            if let Some(unit) = sought.unit {
                return unit;
            }
            let slope = jacobian.as_ref().col(k).norm_l2();
            1.0 / slope.max(1.0 / sought.scale())
        };
        let sought = prepared.problem.sought.iter().enumerate();
        let scales = sought.map(scale_of).collect();
        Ok(Self {
            prepared,
            scales,
            temperature: 1.0,
            control: control.clone(),
        })
    }

    /// The same misfit under another control.
    pub(crate) fn under(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    pub(crate) fn control(&self) -> &Control {
        &self.control
    }

    pub(crate) fn scaled(&self, parameters: &[f64]) -> Vec<f64> {
        let pairs = parameters.iter().zip(&self.scales);
        pairs.map(|(x, scale)| x / scale).collect()
    }

    /// Back in physical units, and inside the box in spite of rounding.
    pub(crate) fn physical(&self, x: &[f64]) -> Vec<f64> {
        let mut parameters: Vec<f64> = x.iter().zip(&self.scales).map(|(x, s)| x * s).collect();
        // A failure here means NaN, which the evaluation reports.
        let _ = self.prepared.bounds.project(&mut parameters);
        parameters
    }

    pub(crate) fn bounds(&self) -> Result<Bounds, BoundsError> {
        let bounds = &self.prepared.bounds;
        Bounds::new(self.scaled(bounds.lower()), self.scaled(bounds.upper()))
    }

    pub(crate) fn scales(&self) -> &[f64] {
        &self.scales
    }
}

impl Objective for Scaled<'_> {
    fn dimension(&self) -> usize {
        self.scales.len()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        let parameters = self.physical(x);
        let (value, own) =
            self.prepared
                .tempered_misfit(&parameters, self.temperature, &self.control)?;
        for ((target, own), scale) in gradient.iter_mut().zip(own).zip(&self.scales) {
            *target = own * scale;
        }
        Ok(value)
    }
}

impl Residuals for Scaled<'_> {
    fn dimension(&self) -> usize {
        self.scales.len()
    }

    fn count(&self) -> usize {
        self.prepared.residual_count()
    }

    fn residuals(&self, x: &[f64], residuals: &mut [f64]) -> Result<(), EvaluationError> {
        let own = self
            .prepared
            .residuals_within(&self.physical(x), &self.control)?;
        residuals.copy_from_slice(&own);
        for residual in residuals.iter_mut().take(self.prepared.values.len()) {
            *residual /= self.temperature;
        }
        Ok(())
    }

    fn jacobian(&self, x: &[f64], mut jacobian: MatMut<'_, f64>) -> Result<(), EvaluationError> {
        let own = self
            .prepared
            .jacobian_within(&self.physical(x), &self.control)?;
        for k in 0..own.ncols() {
            for i in 0..own.nrows() {
                let observed = i < self.prepared.values.len();
                let factor = if observed { self.temperature } else { 1.0 };
                jacobian[(i, k)] = own[(i, k)] * self.scales[k] / factor;
            }
        }
        Ok(())
    }
}
