//! Terms that only the error of a fit suggests.

use crate::discovery::Regressed;
use crate::regression::{Candidate, Regression};
use crate::{DiscoveryError, FieldFit, FitOptions, Samples};

/// Coefficients on rows of two fits differ by at most this share of themselves.
const AGREEMENT: f64 = 0.5;

impl FieldFit {
    /// A fit of the same samples by as many other features of the same bandwidth.
    pub(crate) fn by_others(
        &self,
        samples: &Samples,
        options: &FitOptions,
    ) -> Result<Self, DiscoveryError> {
        let other = FitOptions::new()
            .features(self.basis_len())
            .bandwidth(self.bandwidth().to_vec())
            .seed(options.seed.wrapping_add(1));
        Self::new(samples, &other)
    }
}

impl Regressed {
    /// Puts the best law first whose coefficients are the same on rows of a fit by other features.
    ///
    /// Without noise the error of the fit is the only error in the rows. It is smooth, so that some term
    /// always takes up a part of it, however small; but with other features it is a different error.
    pub(crate) fn prefer_steady(&mut self, again: &Regression) {
        let steady = |candidate: &Candidate| {
            let others = again.on_support(&candidate.support).coefficients;
            let mut pairs = candidate.coefficients.iter().zip(&others);
            pairs.all(|(a, b)| (a - b).abs() <= AGREEMENT * a.abs())
        };
        if let Some(place) = self.candidates.iter().position(steady) {
            self.candidates[..=place].rotate_right(1);
        }
    }
}
