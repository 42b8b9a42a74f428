//! Shape, size, bandwidth and ridge of the windows, from the samples alone.

use fastlsq_basis::Basis;
use fastlsq_solve::Control;
use rayon::prelude::*;

use super::layout::Layout;
use crate::fit::{Search, Spectrum};
use crate::{DiscoveryError, FieldFit, FitOptions, Samples};

/// Samples of a window that are tried; there are as many features.
const SIZES: [usize; 2] = [300, 600];
/// Larger windows may be worse by this factor: there is room for wider test functions in them.
const LARGER: f64 = 1.03;
/// Windows that stand for all of them while shape and bandwidth are chosen.
const PROBES: usize = 6;
/// Distance from the middle up to which a window answers for its samples, in half-widths.
const CORE: f64 = 0.5;
/// First bandwidth, in coordinates where the window is [−1, 1].
const FIRST: f64 = 5.0;
/// Factor of the search for bandwidths, its rounds, and rounds of shape and bandwidth in turn.
const STEP: f64 = 1.4;
const CLIMBS: usize = 3;
const SHAPES: usize = 2;
/// Decades of ridges below the largest square of a singular value that are tried, and steps in each.
const DECADES: i32 = 15;
const STEPS: i32 = 2;

/// How local fits are made.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(super) layout: Layout,
    pub(super) options: FitOptions,
    /// Root mean square error at samples that were left out of the fit.
    pub(crate) error: f64,
}

impl Plan {
    /// The windows whose fits best predict samples that they were not fitted to.
    ///
    /// The ratios of the half-widths follow from the spectrum: in a window of the right shape the best bandwidth is
    /// the same along all axes.
    ///
    /// # Errors
    /// Fewer samples than the smallest window, a limit.
    pub(crate) fn choose(
        samples: &Samples,
        seed: u64,
        control: &Control,
    ) -> Result<Self, DiscoveryError> {
        let dim = samples.dim();
        let too_few = || DiscoveryError::TooFewPoints {
            found: samples.len(),
            needed: SIZES[0],
        };
        if samples.len() < SIZES[0] {
            return Err(too_few());
        }
        let mut ratios = vec![1.0; dim];
        let mut bandwidth = vec![FIRST; dim];
        for _ in 0..SHAPES {
            let layout = Layout::new(samples, SIZES[0], &ratios);
            let probes = Probes::new(&layout, samples, seed, control);
            bandwidth = probes.bandwidth(bandwidth, CLIMBS)?;
            let logarithms: f64 = bandwidth.iter().map(|s| s.ln()).sum();
            let mean = (logarithms / dim as f64).exp();
            for (ratio, s) in ratios.iter_mut().zip(&bandwidth) {
                *ratio *= mean / s;
            }
            bandwidth.fill(mean);
        }
        let mut best: Option<Self> = None;
        for size in SIZES {
            if best.is_some() && 2 * size > samples.len() {
                break;
            }
            let layout = Layout::new(samples, size, &ratios);
            let probes = Probes::new(&layout, samples, seed, control);
            let growth = (size as f64 / SIZES[0] as f64).powf(1.0 / dim as f64);
            let start = bandwidth.iter().map(|s| s * growth).collect();
            let sigmas = probes.bandwidth(start, 1)?;
            let (error, ridge) = probes.error(&sigmas)?;
            let options = probes.options(&sigmas).ridge(ridge);
            if best.as_ref().is_none_or(|best| error < LARGER * best.error) {
                best = Some(Self {
                    layout,
                    options,
                    error,
                });
            }
        }
        best.ok_or_else(too_few)
    }

    /// Samples that a window must hold: half as many as it has features.
    pub(super) fn fewest(&self) -> usize {
        self.options.features.unwrap_or(0) / 2
    }
}

/// A few windows of one shape.
struct Probes<'a> {
    /// Samples of each, and the places of those near its middle.
    local: Vec<(Samples, Vec<usize>)>,
    seed: u64,
    control: &'a Control,
}

impl<'a> Probes<'a> {
    fn new(layout: &Layout, samples: &Samples, seed: u64, control: &'a Control) -> Self {
        let probes = layout.probes(PROBES).into_iter();
        let local = probes.filter_map(|centre| {
            let (_, local) = layout.local(&centre, samples).ok()?;
            let near = |i: &usize| layout.distance(&centre, local.points().row(*i)) <= CORE;
            let core = (0..local.len()).filter(near).collect();
            Some((local, core))
        });
        Self {
            local: local.collect(),
            seed,
            control,
        }
    }

    fn options(&self, bandwidth: &[f64]) -> FitOptions {
        let samples: usize = self.local.iter().map(|(local, _)| local.len()).sum();
        FitOptions::new()
            .features((samples / self.local.len().max(1)).max(1))
            .bandwidth(bandwidth.to_vec())
            .seed(self.seed)
    }

    /// The bandwidth with the least error over all probes.
    fn bandwidth(&self, start: Vec<f64>, rounds: usize) -> Result<Vec<f64>, DiscoveryError> {
        let score = |sigmas: &[f64]| self.error(sigmas).map(|(error, _)| error);
        let mut search = Search::default();
        search.try_at(start, score)?;
        search.climb(score, STEP, rounds)?;
        Ok(search.best)
    }

    /// Root mean square of the leave-one-out errors near the middles, and the ridge with which it is least.
    ///
    /// One ridge for all windows: the noise is the same in all of them, and the criterion of a single window is easily
    /// misled where there are as many features as samples.
    fn error(&self, bandwidth: &[f64]) -> Result<(f64, f64), DiscoveryError> {
        let options = self.options(bandwidth);
        let spectra = self.local.par_iter().map(|(local, _)| {
            self.control.check()?;
            let basis = FieldFit::basis_for(local, &options)?;
            Spectrum::new(basis.values(local.points())?.as_ref())
        });
        let spectra = spectra.collect::<Result<Vec<_>, DiscoveryError>>()?;
        let top = spectra.iter().filter_map(|s| s.singular.first());
        let top = top.fold(0.0_f64, |a, s| a.max(*s)).powi(2);
        let count: usize = self.local.iter().map(|(_, core)| core.len()).sum();
        let tried = (0..=DECADES * STEPS).into_par_iter().map(|step| {
            let ridge = top * 10f64.powf(-f64::from(step) / f64::from(STEPS));
            let each = self.local.iter().zip(&spectra);
            let square: f64 = each
                .map(|((local, core), spectrum)| {
                    let errors = spectrum.leave_one_out(local.values(), ridge, core);
                    errors.iter().map(|e| e * e).sum::<f64>()
                })
                .sum();
            ((square / count.max(1) as f64).sqrt(), ridge)
        });
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(best.unwrap_or((f64::INFINITY, top)))
    }
}
