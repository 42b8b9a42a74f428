//! Bootstrap of the whole chain fit → rows → selection: how stable is the choice?

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::Control;

use crate::dictionary::{Dictionary, Jets};
use crate::regression::{ModelChoice, candidate_supports, rank_supports};
use crate::rows::StrongSites;
use crate::{DiscoveryError, FieldFit};

/// Frequencies of the terms over replicates, and the coefficients found in each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bootstrap {
    pub(crate) frequencies: Vec<f64>,
    /// For each replicate the coefficients on the support of interest.
    pub(crate) coefficients: Vec<Vec<f64>>,
}

impl Bootstrap {
    /// Frequencies from counts over as many replicates as there are coefficients.
    pub(crate) fn averaged(mut self) -> Self {
        let done = self.coefficients.len();
        if done == 0 {
            return Self::default();
        }
        for frequency in &mut self.frequencies {
            *frequency /= done as f64;
        }
        self
    }
}

/// Adds fresh noise to the fitted field, smooths it in the same way and selects again.
///
/// Residuals of the rows are strongly correlated, so resampling rows would be far too confident;
/// resampling the data is not.
pub(crate) fn bootstrap(
    fit: &FieldFit,
    sites: &StrongSites,
    library: &Dictionary,
    jets: &Jets,
    support: &[usize],
    settings: (usize, u64, usize),
    control: &Control,
) -> Result<Bootstrap, DiscoveryError> {
    let (replicates, seed, largest) = settings;
    let mut result = Bootstrap {
        frequencies: vec![0.0; library.len()],
        coefficients: Vec::new(),
    };
    let (singular, _) = fit.coordinates();
    let fitted: Vec<f64> = fit.shrunk(fit.coordinates().1);
    let count = fit.spectrum().u.nrows();
    for replicate in 0..replicates {
        // Fewer replicates say the same with less certainty.
        if control.is_over() {
            break;
        }
        let stream = 1000 + replicate as u64;
        let noise: Vec<f64> = UnitSampler::on_stream(Sequence::Independent, seed, stream)
            .normals(count, 1)
            .iter()
            .map(|e| fit.noise() * e)
            .collect();
        let projected: Vec<f64> = fit
            .spectrum()
            .project(&noise)
            .iter()
            .zip(singular.iter().zip(&fitted))
            .map(|(e, (s, g))| s * g + e)
            .collect();
        let rows = sites.rows(library, jets, &fit.shrunk(&projected))?;
        let regression = rows.regression();
        let supports = candidate_supports(&regression, &[], largest.min(3));
        let ranked = rank_supports(
            &regression,
            &[],
            &supports,
            fit.degrees_of_freedom(),
            1e-6,
            ModelChoice::InformationCriterion,
        );
        if let Some(best) = ranked.first() {
            for &k in &best.support {
                result.frequencies[k] += 1.0;
            }
        }
        result
            .coefficients
            .push(regression.on_support(support).coefficients);
    }
    Ok(result.averaged())
}
