//! Scattered samples in overlapping windows, each with a fit of its own: for fields with more detail than one
//! sum of waves holds.

use fastlsq_basis::InputMap;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_solve::Control;
use ndarray::Array2;
use rayon::prelude::*;

use crate::bootstrap::Bootstrap;
use crate::diagnostics::collinear_terms;
use crate::discovered::Discovered;
use crate::discovery::{Discovery, Regressed};
use crate::regression::{ModelChoice, Regression, candidate_supports, rank_supports};
use crate::rows::{Rows, TestFunctions, weak_rows_of};
use crate::verdict::RowSource;
use crate::{DiscoveryError, FieldFit, FitOptions, Samples};

/// Most samples between the middles of neighbouring windows. With what they share a window of the plane holds
/// about twice as many, and half as many features: a fit of some hundred milliseconds.
const SAMPLES: usize = 400;
/// A window reaches over this share of its width into each neighbour, because a fit is worst at its edges.
const OVERLAP: f64 = 0.2;
/// Test functions keep this part of what a window shares with its neighbours away from its edges.
const MARGIN: f64 = 0.5;
/// Half-widths of test functions that are tried, as shares of that of their window.
const REACHES: [f64; 3] = [0.35, 0.5, 0.7];
/// Test functions of all windows together, and the fewest of one.
const TESTS: usize = 600;
const FEWEST_TESTS: usize = 20;
/// A law that misses held-out rows by less than this share needs no other rows.
const WELL: f64 = 0.05;
/// One that misses them by more than this is no better than another.
const EXPLAINED: f64 = 0.3;
/// One fit that spends less than this share of its features has room for all that the samples show.
const SPENT: f64 = 0.5;
/// Relative residuals below this are errors of the fits.
const FLOOR: f64 = 1e-4;

impl Discovery {
    /// The answer from local fits in windows, if it explains held-out rows better than that of the global fit does.
    ///
    /// Windows are tried only where the global fit spends its features and its law still misses held-out rows.
    pub(crate) fn by_windows(
        &self,
        samples: &Samples,
        options: &FitOptions,
        fit: &FieldFit,
        global: &Regressed,
    ) -> Result<Option<Discovered>, DiscoveryError> {
        let free = options.bandwidth.is_none();
        let spent = fit.degrees_of_freedom() > SPENT * fit.basis_len() as f64;
        let many = samples.len() > 2 * SAMPLES;
        if !(free && spent && many) || global.held_out() < WELL {
            return Ok(None);
        }
        let control = &self.options.control;
        let windows = windows(samples, fit.bandwidth());
        let local = LocalFits::searched(samples, &windows, options, control)?;
        let independent = local.degrees_of_freedom(samples.len());
        let mut best = None;
        let mut least = global.held_out().min(EXPLAINED);
        for reach in REACHES {
            let parts = local.rows(self, reach)?;
            let rows = Rows::stacked(&parts);
            let count = independent.min(rows.target.len() as f64);
            let (regressed, path) = self.regress(&rows, count, FLOOR)?;
            if regressed.held_out() < least {
                least = regressed.held_out();
                best = Some((reach, parts, count, regressed, path));
            }
        }
        let Some((reach, parts, count, mut regressed, path)) = best else {
            return Ok(None);
        };
        let others = local.again(samples, &windows, options, control)?;
        let again = Rows::stacked(&others.rows(self, reach)?).regression();
        regressed.prefer_steady(&again);
        let first = regressed.candidates.first();
        let support = first.map_or(Vec::new(), |c| c.support.clone());
        let stability = self.resample(&parts, &support, count);
        let warnings = collinear_terms(&regressed.regression, &self.library);
        let mut result = self.conclude_regression(&regressed, path, warnings, &stability);
        result.noise = local.noise();
        result.source = RowSource::Windows(local.fits.len());
        result.stopped = control.check().err();
        Ok(Some(result))
    }

    /// Draws windows with replacement and selects again.
    fn resample(&self, parts: &[Rows], support: &[usize], independent: f64) -> Bootstrap {
        let options = &self.options;
        let windows: Vec<Regression> = parts.iter().map(Rows::regression).collect();
        let terms = self.library.len();
        let mut result = Bootstrap {
            frequencies: vec![0.0; terms],
            coefficients: Vec::new(),
        };
        for replicate in 0..options.replicates {
            // Fewer replicates say the same less surely.
            if options.control.is_over() {
                break;
            }
            let stream = 1000 + replicate as u64;
            let mut picks = UnitSampler::on_stream(Sequence::Independent, options.seed, stream);
            let picks = picks.points(windows.len(), 1);
            let last = windows.len().saturating_sub(1);
            let drawn = picks.iter().filter_map(|pick| {
                let place = (pick * windows.len() as f64) as usize;
                windows.get(place.min(last))
            });
            let regression = Regression::stacked(drawn, terms);
            let supports = candidate_supports(&regression, &[], options.largest.min(3));
            let choice = ModelChoice::InformationCriterion;
            let ranked = rank_supports(&regression, &[], &supports, independent, FLOOR, choice);
            for &k in ranked.first().map_or(&[][..], |best| &best.support) {
                result.frequencies[k] += 1.0;
            }
            let coefficients = regression.on_support(support).coefficients;
            result.coefficients.push(coefficients);
        }
        result.averaged()
    }
}

/// A box around some of the samples, and the box in which test functions may lie.
struct Window {
    lower: Vec<f64>,
    upper: Vec<f64>,
    inner: InputMap,
}

/// Cuts the samples in halves, each time across the axis with most waves, until every part is small, and lets the parts
/// reach into their neighbours.
fn windows(samples: &Samples, bandwidth: &[f64]) -> Vec<Window> {
    let (lower, upper) = samples.bounds();
    let waves: Vec<f64> = bandwidth
        .iter()
        .zip(lower.iter().zip(&upper))
        .map(|(sigma, (a, b))| sigma / (b - a))
        .collect();
    let mut parts = vec![(lower.clone(), upper.clone())];
    let mut cores = Vec::new();
    while let Some((from, to)) = parts.pop() {
        let inside = within(samples, &from, &to);
        let extent = |k: usize| waves[k] * (to[k] - from[k]);
        let axis = (0..waves.len()).max_by(|&a, &b| extent(a).total_cmp(&extent(b)));
        let middle = axis.map(|axis| {
            let along = inside.iter().map(|&i| samples.points()[(i, axis)]);
            let mut along: Vec<f64> = along.collect();
            along.sort_by(f64::total_cmp);
            (
                axis,
                along.get(along.len() / 2).copied().unwrap_or(f64::NAN),
            )
        });
        match middle {
            Some((axis, middle))
                if inside.len() > SAMPLES && from[axis] < middle && middle < to[axis] =>
            {
                let (mut end, mut start) = (to.clone(), from.clone());
                (end[axis], start[axis]) = (middle, middle);
                parts.push((start, to));
                parts.push((from, end));
            }
            // Small enough, or all samples in one place along the axis.
            _ => cores.push((from, to)),
        }
    }
    let windows = cores.iter().filter_map(|(from, to)| {
        let dims = 0..from.len();
        let wider = |k: usize| OVERLAP * (to[k] - from[k]);
        let low: Vec<f64> = dims
            .clone()
            .map(|k| (from[k] - wider(k)).max(lower[k]))
            .collect();
        let high: Vec<f64> = dims
            .clone()
            .map(|k| (to[k] + wider(k)).min(upper[k]))
            .collect();
        // At the rim of the samples as well: there a fit is as bad as at any other edge.
        let inner_low: Vec<f64> = dims.clone().map(|k| low[k] + MARGIN * wider(k)).collect();
        let inner_high: Vec<f64> = dims.map(|k| high[k] - MARGIN * wider(k)).collect();
        Some(Window {
            inner: InputMap::from_box(&inner_low, &inner_high).ok()?,
            lower: low,
            upper: high,
        })
    });
    windows.collect()
}

/// The samples in a box.
fn within(samples: &Samples, lower: &[f64], upper: &[f64]) -> Vec<usize> {
    let points = samples.points();
    (0..samples.len())
        .filter(|&i| (0..lower.len()).all(|k| (lower[k]..=upper[k]).contains(&points[(i, k)])))
        .collect()
}

/// One fit for each window.
struct LocalFits {
    fits: Vec<(FieldFit, InputMap)>,
    /// Bandwidth along each axis per unit of length.
    bandwidth: Vec<f64>,
    features: usize,
}

impl LocalFits {
    /// One search for the bandwidth, in the window in the middle; the others use what it found.
    fn searched(
        samples: &Samples,
        windows: &[Window],
        options: &FitOptions,
        control: &Control,
    ) -> Result<Self, DiscoveryError> {
        let Some(guide) = windows.get(windows.len() / 2) else {
            return Err(DiscoveryError::TooFewPoints {
                found: samples.len(),
                needed: 2 * SAMPLES,
            });
        };
        let (first, half) = guide.fit(samples, options, control)?;
        let bandwidth = first.bandwidth().iter().zip(&half);
        let bandwidth = bandwidth.map(|(sigma, half)| sigma / half).collect();
        let features = first.basis_len();
        Self::new(samples, windows, options, control, (bandwidth, features))
    }

    fn new(
        samples: &Samples,
        windows: &[Window],
        options: &FitOptions,
        control: &Control,
        (bandwidth, features): (Vec<f64>, usize),
    ) -> Result<Self, DiscoveryError> {
        let fits = windows
            .par_iter()
            .map(|window| {
                let edges = window.lower.iter().zip(&window.upper);
                let sigmas: Vec<f64> = edges
                    .zip(&bandwidth)
                    .map(|((a, b), sigma)| 0.5 * (b - a) * sigma)
                    .collect();
                let own = options.clone().bandwidth(sigmas).features(features);
                let (fit, _) = window.fit(samples, &own, control)?;
                Ok((fit, window.inner.clone()))
            })
            .collect::<Result<Vec<_>, DiscoveryError>>()?;
        Ok(Self {
            fits,
            bandwidth,
            features,
        })
    }

    /// The same windows fitted by other features.
    fn again(
        &self,
        samples: &Samples,
        windows: &[Window],
        options: &FitOptions,
        control: &Control,
    ) -> Result<Self, DiscoveryError> {
        let other = options.clone().seed(options.seed.wrapping_add(1));
        let waves = (self.bandwidth.clone(), self.features);
        Self::new(samples, windows, &other, control, waves)
    }

    /// Root mean square of the noise levels.
    fn noise(&self) -> f64 {
        let squares = self.fits.iter().map(|(fit, _)| fit.noise().powi(2));
        (squares.sum::<f64>() / self.fits.len().max(1) as f64).sqrt()
    }

    /// Degrees of freedom of all fits; samples that windows share count once.
    fn degrees_of_freedom(&self, samples: usize) -> f64 {
        let spent = self.fits.iter().map(|(fit, _)| fit.degrees_of_freedom());
        let counted = self.fits.iter().map(|(fit, _)| fit.spectrum().u.nrows());
        let counted: usize = counted.sum();
        spent.sum::<f64>() * samples as f64 / counted.max(1) as f64
    }

    /// Weak rows of every window.
    fn rows(&self, discovery: &Discovery, reach: f64) -> Result<Vec<Rows>, DiscoveryError> {
        let each = (TESTS / self.fits.len().max(1)).max(FEWEST_TESTS);
        let parts = self.fits.par_iter().map(|(fit, inner)| {
            discovery.options.control.check()?;
            let tests = TestFunctions::spread(inner, each, reach).resolving(fit);
            weak_rows_of(fit, &discovery.library, &discovery.jets, &tests)
        });
        parts.collect()
    }
}

impl Window {
    /// A fit of the samples inside, and the half-widths of their box.
    fn fit(
        &self,
        samples: &Samples,
        options: &FitOptions,
        control: &Control,
    ) -> Result<(FieldFit, Vec<f64>), DiscoveryError> {
        let inside = within(samples, &self.lower, &self.upper);
        let points = Array2::from_shape_fn((inside.len(), self.lower.len()), |(row, k)| {
            samples.points()[(inside[row], k)]
        });
        let values = inside.iter().map(|&i| samples.values()[i]).collect();
        let own = Samples::new(points, values)?;
        let (lower, upper) = own.bounds();
        let half = lower.iter().zip(&upper).map(|(a, b)| 0.5 * (b - a));
        Ok((FieldFit::within(&own, options, control)?, half.collect()))
    }
}
