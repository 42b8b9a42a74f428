//! What the discretisation itself adds to the noise.

use crate::{InverseError, Prepared};

/// The error of a discretised forward problem at the observations, from other discretisations of the
/// same problem: no knowledge of the answer enters.
///
/// The predictions d₁ … dₘ of m ≥ 2 discretisations, at least as fine as that of the predictions d and
/// with features and points of their own, err independently. Their mean d̄ corrects d, and their
/// scatter says how far d̄ itself may be off: its covariance is about Σⱼ oⱼoⱼᵀ with the offsets
/// oⱼ = (dⱼ − d̄)/√(m(m − 1)). Unlike noise, that error is the same whenever a measurement is repeated,
/// and it is correlated from one observation to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelError {
    correction: Vec<f64>,
    offsets: Vec<Vec<f64>>,
}

impl ModelError {
    /// The error of `prepared` at these parameters, from other discretisations.
    ///
    /// # Errors
    /// Fewer than two of them, another number of observations in one of them, a solve that fails.
    pub fn estimate(
        prepared: &Prepared,
        others: &[Prepared],
        parameters: &[f64],
    ) -> Result<Self, InverseError> {
        let shape = |what, expected, found| InverseError::Shape {
            label: "the other discretisations".to_owned(),
            what,
            expected,
            found,
        };
        if others.len() < 2 {
            return Err(shape("members", 2, others.len()));
        }
        let own = prepared.predict(parameters)?;
        let mut predicted = Vec::with_capacity(others.len());
        for other in others {
            let values = other.predict(parameters)?;
            if values.len() != own.len() {
                return Err(shape("observations", own.len(), values.len()));
            }
            predicted.push(values);
        }
        let count = predicted.len() as f64;
        let mean: Vec<f64> = (0..own.len())
            .map(|i| predicted.iter().map(|d| d[i]).sum::<f64>() / count)
            .collect();
        let factor = (count * (count - 1.0)).sqrt();
        let offset = |d: &Vec<f64>| {
            d.iter()
                .zip(&mean)
                .map(|(d, mean)| (d - mean) / factor)
                .collect()
        };
        Ok(Self {
            offsets: predicted.iter().map(offset).collect(),
            correction: mean
                .iter()
                .zip(&own)
                .map(|(mean, own)| mean - own)
                .collect(),
        })
    }

    /// d̄ − d: what is to be added to the predictions, or subtracted from measured values.
    #[must_use]
    pub fn correction(&self) -> &[f64] {
        &self.correction
    }

    /// The offsets oⱼ: the covariance of what the correction leaves is about Σⱼ oⱼoⱼᵀ.
    #[must_use]
    pub fn offsets(&self) -> &[Vec<f64>] {
        &self.offsets
    }

    /// The error of the predictions without the correction, which then counts among the offsets.
    #[must_use]
    pub fn whole(&self) -> Self {
        let mut offsets = self.offsets.clone();
        offsets.push(self.correction.clone());
        Self {
            correction: vec![0.0; self.correction.len()],
            offsets,
        }
    }

    /// The root mean square of what the correction leaves, over all observations.
    #[must_use]
    pub fn remaining(&self) -> f64 {
        self.offsets
            .iter()
            .map(|o| mean_square(o))
            .sum::<f64>()
            .sqrt()
    }

    /// The root mean square of the correction.
    #[must_use]
    pub fn corrected(&self) -> f64 {
        mean_square(&self.correction).sqrt()
    }
}

fn mean_square(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>() / values.len().max(1) as f64
}
