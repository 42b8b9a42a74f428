//! Settings of a discovery on grids.

use fastlsq_solve::Control;

use super::windows::NARROWEST;
use crate::{DiscoveryError, LikelihoodRefit};

/// Settings; the defaults suit most data.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GridOptions {
    /// Half-widths of the test functions in points, one for each axis, at least 8. Default: from the data.
    pub half_widths: Option<Vec<usize>>,
    /// Standard deviation of the noise of each field. Default: from the data.
    pub noise: Option<Vec<f64>>,
    /// The maximum number of terms of a law. Default: 8.
    pub largest: usize,
    /// Whether laws are compared by their solutions in the end. Default: those of ordinary systems when there is noise,
    /// those in one dimension and time where there is noise and windows leave doubts.
    pub refit: LikelihoodRefit,
    /// Bootstrap replicates over blocks of windows. Default: 100; 0 for none.
    pub replicates: usize,
    /// Seed of the replicates. Default: 0.
    pub seed: u64,
    /// Time limit, memory limit and progress callback. Default: none.
    pub control: Control,
}

impl Default for GridOptions {
    fn default() -> Self {
        Self {
            half_widths: None,
            noise: None,
            largest: 8,
            refit: LikelihoodRefit::default(),
            replicates: 100,
            seed: 0,
            control: Control::new(),
        }
    }
}

impl GridOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the half-widths of the test functions, in points.
    #[must_use]
    pub fn half_widths(mut self, half_widths: &[usize]) -> Self {
        self.half_widths = Some(half_widths.to_vec());
        self
    }

    /// Sets the standard deviation of the noise of each field.
    #[must_use]
    pub fn noise(mut self, noise: &[f64]) -> Self {
        self.noise = Some(noise.to_vec());
        self
    }

    /// Sets the largest number of terms.
    #[must_use]
    pub fn largest(mut self, terms: usize) -> Self {
        self.largest = terms;
        self
    }

    /// Sets whether laws are refitted by their solutions.
    #[must_use]
    pub fn refit(mut self, refit: LikelihoodRefit) -> Self {
        self.refit = refit;
        self
    }

    /// Sets the number of bootstrap replicates.
    #[must_use]
    pub fn replicates(mut self, replicates: usize) -> Self {
        self.replicates = replicates;
        self
    }

    /// Sets the seed of the replicates.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    fastlsq_solve::limit_setters!(control);

    pub(crate) fn validate(&self, fields: usize, dim: usize) -> Result<(), DiscoveryError> {
        let refuse = |what: &'static str, value: f64, requirement: &'static str| {
            Err(DiscoveryError::Setting {
                what,
                value,
                requirement,
            })
        };
        if self.largest == 0 {
            return refuse("largest number of terms", 0.0, "at least 1");
        }
        if let Some(half) = &self.half_widths {
            if half.len() != dim {
                return refuse(
                    "number of half-widths",
                    half.len() as f64,
                    "one for each axis",
                );
            }
            if let Some(&narrow) = half.iter().find(|h| **h < NARROWEST) {
                return refuse("half-width", narrow as f64, "at least 8 points");
            }
        }
        if let Some(noise) = &self.noise {
            if noise.len() != fields {
                return refuse(
                    "number of noise levels",
                    noise.len() as f64,
                    "one for each field",
                );
            }
            if let Some(&bad) = noise.iter().find(|n| !(n.is_finite() && **n >= 0.0)) {
                return refuse("noise level", bad, "zero or positive, and finite");
            }
        }
        Ok(())
    }
}
