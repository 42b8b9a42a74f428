//! Random weights and biases of tanh features.

use super::TanhBasis;
use crate::error::{require_memory, require_some};
use crate::sampling::{UnitSampler, normal_quantile};
use crate::{BasisError, InputMap};

/// The distribution of a weight or a bias.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum WeightLaw {
    /// Uniform in [−s, s].
    Uniform(f64),
    /// Normal with mean 0 and this standard deviation.
    Gaussian(f64),
}

impl WeightLaw {
    fn validate(self) -> Result<(), BasisError> {
        let (Self::Uniform(scale) | Self::Gaussian(scale)) = self;
        if scale.is_finite() && scale >= 0.0 {
            Ok(())
        } else {
            Err(BasisError::Parameter {
                what: "scale of the weights",
                value: scale,
                requirement: "finite and not negative",
            })
        }
    }

    /// The number at the quantile p ∈ (0, 1) of this law.
    fn quantile(self, p: f64) -> f64 {
        match self {
            Self::Uniform(scale) => scale * (2.0 * p - 1.0),
            Self::Gaussian(sigma) => sigma * normal_quantile(p),
        }
    }
}

/// The choices behind a random [`TanhBasis`], with their defaults.
#[derive(Debug, Clone)]
pub struct TanhBuilder {
    dim: usize,
    count: usize,
    weights: WeightLaw,
    biases: Option<WeightLaw>,
    seed: u64,
    map: Option<InputMap>,
    normalised: bool,
}

impl TanhBuilder {
    pub(super) fn new(dim: usize, count: usize) -> Self {
        Self {
            dim,
            count,
            weights: WeightLaw::Uniform(1.0),
            biases: None,
            seed: 0,
            map: None,
            normalised: false,
        }
    }

    /// The law of the weights, in the coordinates of the map (default: uniform in [−1, 1]).
    #[must_use]
    pub fn weights(mut self, law: WeightLaw) -> Self {
        self.weights = law;
        self
    }

    /// The law of the biases (default: that of the weights).
    #[must_use]
    pub fn biases(mut self, law: WeightLaw) -> Self {
        self.biases = Some(law);
        self
    }

    /// The seed of the draw (default 0).
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The map of the inputs (default: none).
    #[must_use]
    pub fn map(mut self, map: InputMap) -> Self {
        self.map = Some(map);
        self
    }

    /// Whether features carry the factor 1/√N (default: no).
    #[must_use]
    pub fn normalised(mut self, normalised: bool) -> Self {
        self.normalised = normalised;
        self
    }

    /// Draws the features; the first ones do not depend on how many there are.
    ///
    /// # Errors
    /// No axes or features, a negative or infinite scale, a map of another dimension.
    pub fn build(self) -> Result<TanhBasis, BasisError> {
        let Self { dim, count, .. } = self;
        require_some("the space", dim)?;
        require_some("the set of features", count)?;
        require_memory(count, dim)?;
        let bias_law = self.biases.unwrap_or(self.weights);
        self.weights.validate()?;
        bias_law.validate()?;
        let mut weights = Vec::with_capacity(count * dim);
        let mut biases = Vec::with_capacity(count);
        for row in UnitSampler::independent(self.seed)
            .points(count, dim + 1)
            .rows()
        {
            weights.extend(row.iter().take(dim).map(|&p| self.weights.quantile(p)));
            biases.push(bias_law.quantile(row[dim]));
        }
        let basis = TanhBasis::from_parts(dim, weights, biases, self.normalised)?;
        match self.map {
            Some(map) => basis.mapped(&map),
            None => Ok(basis),
        }
    }
}
