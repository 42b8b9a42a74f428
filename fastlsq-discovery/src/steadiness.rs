//! Terms that only the error of a fit suggests.

use crate::discovery::{Discovery, Regressed};
use crate::regression::Candidate;
use crate::rows::Rows;
use crate::{DiscoveryError, FieldFit, FitOptions, Samples};

/// Coefficients on rows of two fits differ by at most this share of themselves.
const AGREEMENT: f64 = 0.5;

impl Discovery {
    /// Puts the best law first whose coefficients are the same on rows of a fit by other features.
    ///
    /// Without noise the error of the fit is all that rows are wrong by. It is smooth, so that some term
    /// always takes up a part of it, however small; but it is another one for other features.
    pub(crate) fn prefer_steady(
        &self,
        samples: &Samples,
        options: &FitOptions,
        fit: &FieldFit,
        regressed: &mut Regressed,
        rows: impl Fn(&FieldFit) -> Result<Rows, DiscoveryError>,
    ) -> Result<(), DiscoveryError> {
        let other = FitOptions::new()
            .features(fit.basis_len())
            .bandwidth(fit.bandwidth().to_vec())
            .seed(options.seed.wrapping_add(1));
        let again = rows(&FieldFit::new(samples, &other)?)?.regression();
        let steady = |candidate: &Candidate| {
            let others = again.on_support(&candidate.support).coefficients;
            let mut pairs = candidate.coefficients.iter().zip(&others);
            pairs.all(|(a, b)| (a - b).abs() <= AGREEMENT * a.abs())
        };
        if let Some(place) = regressed.candidates.iter().position(steady) {
            regressed.candidates[..=place].rotate_right(1);
        }
        Ok(())
    }
}
