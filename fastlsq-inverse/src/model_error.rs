//! What the discretisation itself adds to the noise.

use crate::{InverseError, Prepared};

/// The error of the discretised forward problem at the observations, estimated from other
/// discretisations of the same problem: no knowledge of the answer enters.
///
/// Predictions d₀ of one discretisation and d₁ … dₘ of others as fine as it, with other frequencies
/// and points, err independently and alike. So (dⱼ − d₀)/√2 are draws of the error of d₀, whose
/// covariance is about Σⱼ oⱼoⱼᵀ with the offsets oⱼ = (dⱼ − d₀)/√(2m). Unlike noise the error is the
/// same whenever the measurement is repeated, and it is correlated from one observation to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelError {
    offsets: Vec<Vec<f64>>,
}

impl ModelError {
    /// The error of `prepared` at these parameters, from its `twins`.
    ///
    /// # Errors
    /// No twin, twins of another problem (another number of observations), a solve that fails.
    pub fn estimate<const K: usize>(
        prepared: &Prepared<K>,
        twins: &[Prepared<K>],
        parameters: &[f64; K],
    ) -> Result<Self, InverseError> {
        let shape = |what, expected, found| InverseError::Shape {
            label: "the twins".to_owned(),
            what,
            expected,
            found,
        };
        if twins.is_empty() {
            return Err(shape("discretisations", 1, 0));
        }
        let own = prepared.predict(parameters)?;
        let factor = (0.5 / twins.len() as f64).sqrt();
        let mut offsets = Vec::with_capacity(twins.len());
        for twin in twins {
            let other = twin.predict(parameters)?;
            if other.len() != own.len() {
                return Err(shape("observations", own.len(), other.len()));
            }
            let pairs = other.iter().zip(&own);
            offsets.push(pairs.map(|(other, own)| factor * (other - own)).collect());
        }
        Ok(Self { offsets })
    }

    /// oⱼ for each twin: the error's covariance is about Σⱼ oⱼoⱼᵀ.
    #[must_use]
    pub fn offsets(&self) -> &[Vec<f64>] {
        &self.offsets
    }

    /// The root mean square over all observations.
    #[must_use]
    pub fn root_mean_square(&self) -> f64 {
        let squares = |o: &Vec<f64>| o.iter().map(|v| v * v).sum::<f64>() / o.len().max(1) as f64;
        self.offsets.iter().map(squares).sum::<f64>().sqrt()
    }
}
