//! Choices behind a fit.

use super::Criterion;
use crate::DiscoveryError;

/// How the field is fitted. Everything unset is chosen from the data.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct FitOptions {
    /// Number of features. Default: 200 on a line, 500 in the plane, 800 beyond, at most half the samples.
    pub features: Option<usize>,
    /// Bandwidth σ along each axis, in coordinates where the data fill [−1, 1]. Default: searched for.
    pub bandwidth: Option<Vec<f64>>,
    /// Whether an explicit bandwidth is per physical unit instead of per half-width of the data.
    pub physical_units: bool,
    /// Ridge μ of min ‖Φβ − y‖² + μ‖β‖². Default: by the criterion.
    pub ridge: Option<f64>,
    /// The criterion for ridge and bandwidth.
    pub criterion: Criterion,
    /// Seed of the features. Default: 0.
    pub seed: u64,
}

impl FitOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of features.
    #[must_use]
    pub fn features(mut self, count: usize) -> Self {
        self.features = Some(count);
        self
    }

    /// Fixes the bandwidth along each axis, in coordinates where the data fill [−1, 1].
    #[must_use]
    pub fn bandwidth(mut self, sigmas: impl Into<Vec<f64>>) -> Self {
        self.bandwidth = Some(sigmas.into());
        self.physical_units = false;
        self
    }

    /// Fixes the bandwidth along each axis in physical units: frequencies w ~ N(0, σ²) of sin(wx + b).
    #[must_use]
    pub fn physical_bandwidth(mut self, sigmas: impl Into<Vec<f64>>) -> Self {
        self.bandwidth = Some(sigmas.into());
        self.physical_units = true;
        self
    }

    /// Fixes the ridge.
    #[must_use]
    pub fn ridge(mut self, mu: f64) -> Self {
        self.ridge = Some(mu);
        self
    }

    /// Sets the criterion for ridge and bandwidth.
    #[must_use]
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.criterion = criterion;
        self
    }

    /// Sets the seed of the features.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub(crate) fn validate(&self, dim: usize) -> Result<(), DiscoveryError> {
        if let Some(sigmas) = &self.bandwidth {
            if sigmas.len() != dim {
                return Err(DiscoveryError::Setting {
                    what: "number of bandwidths",
                    value: sigmas.len() as f64,
                    requirement: "one for each coordinate",
                });
            }
            if let Some(&value) = sigmas.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
                return Err(DiscoveryError::Setting {
                    what: "bandwidth",
                    value,
                    requirement: "positive and finite",
                });
            }
        }
        if let Some(value) = self.ridge
            && !(value.is_finite() && value > 0.0)
        {
            return Err(DiscoveryError::Setting {
                what: "ridge",
                value,
                requirement: "positive and finite",
            });
        }
        if self.features == Some(0) {
            return Err(DiscoveryError::Setting {
                what: "number of features",
                value: 0.0,
                requirement: "at least 1",
            });
        }
        Ok(())
    }
}
