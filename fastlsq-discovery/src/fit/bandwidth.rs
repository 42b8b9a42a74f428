//! The search for the bandwidth along each axis.

use faer::Mat;
use fastlsq_basis::{Basis, Draw, FrequencyLaw, InputMap, SinusoidalBasis};

use fastlsq_solve::Control;

use super::spectrum::{Score, Spectrum};
use super::{Criterion, FitOptions};
use crate::{DiscoveryError, Samples};

/// Bandwidths tried on a line and as isotropic starts elsewhere.
const LADDER: [f64; 10] = [0.7, 1.0, 1.5, 2.2, 3.3, 5.0, 7.5, 11.0, 16.0, 24.0];
/// Residuals below this share of the data may come from too few features.
const RESOLVED: f64 = 3e-3;
/// Matrices of the size of the features that exist at once: these, their factors, and products of them.
const COPIES: usize = 5;
/// Step of the search along single axes.
const STEP: f64 = 1.5;

/// Builds bases for data that fill a box.
pub(super) struct Family<'a> {
    pub(super) samples: &'a Samples,
    pub(super) map: InputMap,
    pub(super) count: usize,
    pub(super) seed: u64,
    pub(super) criterion: Criterion,
    pub(super) control: &'a Control,
}

impl Family<'_> {
    pub(super) fn basis(&self, sigmas: &[f64]) -> Result<SinusoidalBasis, DiscoveryError> {
        Ok(SinusoidalBasis::builder(sigmas.len(), self.count)
            .law(FrequencyLaw::PerAxis(sigmas.to_vec()))
            .map(self.map.clone())
            .draw(Draw::QuasiRandom)
            .seed(self.seed)
            .build()?)
    }

    fn matrix(&self, sigmas: &[f64]) -> Result<Mat<f64>, DiscoveryError> {
        self.features(&self.basis(sigmas)?)
    }

    /// The features at the samples, if there is time and memory for them and for their decomposition.
    pub(super) fn features(&self, basis: &SinusoidalBasis) -> Result<Mat<f64>, DiscoveryError> {
        self.control.check()?;
        let entries = self.samples.len().checked_mul(basis.len());
        let bytes = entries.and_then(|entries| entries.checked_mul(COPIES * size_of::<f64>()));
        self.control.allow_bytes(bytes)?;
        Ok(basis.values(self.samples.points())?)
    }

    fn quick(&self, sigmas: &[f64]) -> Result<f64, DiscoveryError> {
        let phi = self.matrix(sigmas)?;
        let score = Score::by_gram(phi.as_ref(), self.samples.values())?;
        Ok(score.best(1e-13, self.criterion).score)
    }

    fn exact(&self, sigmas: &[f64]) -> Result<f64, DiscoveryError> {
        let phi = self.matrix(sigmas)?;
        let score = Spectrum::new(phi.as_ref())?.score(self.samples.values());
        Ok(score.best(1e-28, self.criterion).score)
    }

    /// The bandwidth with the best score. For nearly clean data in the plane and beyond, `count`
    /// grows to what the samples allow: there every feature adds digits.
    pub(super) fn search(&mut self, most: usize) -> Result<Vec<f64>, DiscoveryError> {
        let dim = self.map.dim();
        let mut search = Search::default();
        if dim == 1 {
            for sigma in LADDER {
                search.try_at(vec![sigma], |s| self.exact(s))?;
            }
            search.climb(|s| self.exact(s), STEP.sqrt(), 3)?;
            return Ok(search.best);
        }
        for sigma in [1.5, 3.3, 7.5] {
            search.try_at(vec![sigma; dim], |s| self.quick(s))?;
        }
        search.climb(|s| self.quick(s), STEP, 6)?;
        let n = self.samples.len() as f64;
        let level = |score: f64| (score / n).exp().sqrt() / self.samples.rms();
        if level(search.score) < RESOLVED {
            // Below the floor of the Gram matrix only the full decomposition sees anything.
            let start = search.best;
            search = Search::default();
            search.try_at(start.clone(), |s| self.exact(s))?;
            if level(search.score) > 1e-9 && most > self.count {
                // What is left is noise or detail that the features miss: more of them decide.
                self.count = most;
                search = Search::default();
                for factor in [1.0, 1.3, 1.7] {
                    let sigmas = start.iter().map(|s| s * factor).collect();
                    search.try_at(sigmas, |s| self.exact(s))?;
                }
            } else {
                search.climb(|s| self.exact(s), STEP, 1)?;
            }
        }
        Ok(search.best)
    }
}

/// Greedy search along the axes, remembering what was tried.
#[derive(Default)]
pub(crate) struct Search {
    tried: Vec<Vec<f64>>,
    pub(crate) best: Vec<f64>,
    score: f64,
}

impl Search {
    pub(crate) fn try_at(
        &mut self,
        sigmas: Vec<f64>,
        score: impl Fn(&[f64]) -> Result<f64, DiscoveryError>,
    ) -> Result<bool, DiscoveryError> {
        let same = |a: &[f64]| {
            a.iter()
                .zip(&sigmas)
                .all(|(a, b)| (a / b - 1.0).abs() < 1e-6)
        };
        if self.tried.iter().any(|known| same(known)) {
            return Ok(false);
        }
        let value = score(&sigmas)?;
        self.tried.push(sigmas.clone());
        if self.best.is_empty() || value < self.score {
            (self.best, self.score) = (sigmas, value);
            return Ok(true);
        }
        Ok(false)
    }

    pub(crate) fn climb(
        &mut self,
        score: impl Fn(&[f64]) -> Result<f64, DiscoveryError>,
        step: f64,
        rounds: usize,
    ) -> Result<(), DiscoveryError> {
        for _ in 0..rounds {
            let mut improved = false;
            for axis in 0..self.best.len() {
                for factor in [step, 1.0 / step] {
                    let mut moved = self.best.clone();
                    moved[axis] *= factor;
                    if self.try_at(moved, &score)? {
                        improved = true;
                        break;
                    }
                }
            }
            if !improved {
                break;
            }
        }
        Ok(())
    }
}

/// How many features suit this many samples, and how many are of use without noise.
pub(super) fn feature_counts(options: &FitOptions, samples: &Samples) -> (usize, usize) {
    if let Some(count) = options.features {
        return (count, count);
    }
    let wanted = match samples.dim() {
        1 => 200,
        2 => 500,
        _ => 800,
    };
    let allowed = (samples.len() / 2).max(4);
    (wanted.min(allowed), (2 * wanted).min(allowed))
}
