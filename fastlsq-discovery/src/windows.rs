//! Scattered samples in overlapping windows, each with a fit of its own: for fields with more detail than one sum of waves holds.

use fastlsq_basis::InputMap;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use ndarray::Array2;
use rayon::prelude::*;

use crate::bootstrap::Bootstrap;
use crate::diagnostics::collinear_terms;
use crate::dictionary::{Dictionary, Jets};
use crate::discovered::Discovered;
use crate::discovery::{Discovery, Regressed};
use crate::regression::{ModelChoice, Regression, candidate_supports, rank_supports};
use crate::rows::{Rows, TestFunctions, weak_rows_of};
use crate::verdict::RowSource;
use crate::{DiscoveryError, FieldFit, FitOptions, Samples};

/// Most samples between the middles of neighbouring windows. With what they share a window holds
/// about twice as many, and half as many features: a fit of some hundred milliseconds.
const SAMPLES: usize = 400;
/// A window reaches over this share of its width into each neighbour, because a fit is worst at its edges.
const OVERLAP: f64 = 0.2;
/// Half-width of a test function as a share of that of its window.
const REACH: f64 = 0.35;
/// Test functions of all windows together, and the fewest of one.
const TESTS: usize = 600;
const FEWEST_TESTS: usize = 20;

/// A law that misses held-out rows by less than this share needs no other rows.
const WELL: f64 = 0.1;

impl Discovery {
    /// The answer from local fits in windows, if it explains held-out rows better than the global one does.
    pub(crate) fn by_windows(
        &self,
        samples: &Samples,
        options: &FitOptions,
        fit: &FieldFit,
        global: &Regressed,
    ) -> Result<Option<Discovered>, DiscoveryError> {
        let error = |from: &Regressed| from.candidates.first().map_or(1.0, |c| c.held_out);
        if error(global) < WELL || !LocalFits::worthwhile(samples, options) {
            return Ok(None);
        }
        let local = LocalFits::new(samples, options, fit)?;
        let parts = local.rows(&self.library, &self.jets)?;
        let rows = Rows::stacked(&parts);
        let independent = local.degrees_of_freedom(samples.len());
        let independent = independent.min(rows.target.len() as f64);
        let (regressed, path) = self.regress(&rows, independent, 1e-5)?;
        if error(&regressed) >= error(global) {
            return Ok(None);
        }
        let best = regressed.candidates.first();
        let support = best.map_or(Vec::new(), |c| c.support.clone());
        let settings = (
            self.options.replicates,
            self.options.seed,
            self.options.largest,
        );
        let stability = resample_windows(&parts, &support, independent, settings);
        let warnings = collinear_terms(&regressed.regression, &self.library);
        let mut result = self.conclude_regression(&regressed, path, warnings, &stability);
        result.noise = local.noise();
        result.source = RowSource::Windows(local.len());
        Ok(Some(result))
    }
}

/// One fit for each window.
pub(crate) struct LocalFits {
    windows: Vec<(FieldFit, InputMap)>,
}

impl LocalFits {
    /// Whether the samples fill more than one window.
    pub(crate) fn worthwhile(samples: &Samples, options: &FitOptions) -> bool {
        let free = options.bandwidth.is_none() && options.features.is_none();
        free && samples.len() > 2 * SAMPLES
    }

    /// Cuts the samples in halves, each time across the axis with most waves by the global fit, until
    /// every part is small, and fits each part with its surroundings.
    pub(crate) fn new(
        samples: &Samples,
        options: &FitOptions,
        global: &FieldFit,
    ) -> Result<Self, DiscoveryError> {
        let (lower, upper) = samples.bounds();
        let waves: Vec<f64> = global
            .bandwidth()
            .iter()
            .zip(lower.iter().zip(&upper))
            .map(|(sigma, (a, b))| sigma / (b - a))
            .collect();
        let mut parts = vec![(lower.clone(), upper.clone())];
        let mut cores = Vec::new();
        while let Some((from, to)) = parts.pop() {
            let inside = within(samples, &from, &to);
            if inside.len() <= SAMPLES {
                cores.push((from, to));
                continue;
            }
            let extent = |k: usize| waves[k] * (to[k] - from[k]);
            let axis = (0..waves.len()).max_by(|&a, &b| extent(a).total_cmp(&extent(b)));
            let axis = axis.unwrap_or(0);
            let mut along: Vec<f64> = inside
                .iter()
                .map(|&i| samples.points()[(i, axis)])
                .collect();
            along.sort_by(f64::total_cmp);
            let middle = along[along.len() / 2];
            if middle <= from[axis] || middle >= to[axis] {
                cores.push((from, to)); // all samples in one place along the axis
                continue;
            }
            let (mut end, mut start) = (to.clone(), from.clone());
            (end[axis], start[axis]) = (middle, middle);
            parts.push((start, to));
            parts.push((from, end));
        }
        let grown: Vec<(Vec<f64>, Vec<f64>)> = cores
            .iter()
            .map(|(from, to)| {
                let wider = |k: usize| OVERLAP * (to[k] - from[k]);
                let dims = 0..from.len();
                (
                    dims.clone()
                        .map(|k| (from[k] - wider(k)).max(lower[k]))
                        .collect(),
                    dims.map(|k| (to[k] + wider(k)).min(upper[k])).collect(),
                )
            })
            .collect();
        // One search for the bandwidth, in the window in the middle; the others use what it found.
        let guide = grown.len() / 2;
        let (first, map) = fit_window(samples, &grown[guide], options)?;
        let physical: Vec<f64> = first
            .bandwidth()
            .iter()
            .zip(map.half())
            .map(|(sigma, half)| sigma / half)
            .collect();
        let windows = grown
            .par_iter()
            .map(|window| {
                let half = window.0.iter().zip(&window.1).map(|(a, b)| 0.5 * (b - a));
                let sigmas: Vec<f64> = half.zip(&physical).map(|(h, s)| h * s).collect();
                let own = options
                    .clone()
                    .bandwidth(sigmas)
                    .features(first.basis_len());
                fit_window(samples, window, &own)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { windows })
    }

    /// Number of windows.
    pub(crate) fn len(&self) -> usize {
        self.windows.len()
    }

    /// Root mean square of the noise levels.
    pub(crate) fn noise(&self) -> f64 {
        let square: f64 = self
            .windows
            .iter()
            .map(|(fit, _)| fit.noise().powi(2))
            .sum();
        (square / self.windows.len().max(1) as f64).sqrt()
    }

    /// Degrees of freedom of all fits; samples that windows share count once.
    pub(crate) fn degrees_of_freedom(&self, samples: usize) -> f64 {
        let sum =
            |f: &dyn Fn(&FieldFit) -> f64| self.windows.iter().map(|(w, _)| f(w)).sum::<f64>();
        let counted = sum(&|fit| fit.spectrum().u.nrows() as f64);
        sum(&FieldFit::degrees_of_freedom) * samples as f64 / counted.max(1.0)
    }

    /// Weak rows of every window.
    pub(crate) fn rows(
        &self,
        library: &Dictionary,
        jets: &Jets,
    ) -> Result<Vec<Rows>, DiscoveryError> {
        let each = (TESTS / self.len().max(1)).max(FEWEST_TESTS);
        self.windows
            .par_iter()
            .map(|(fit, map)| {
                weak_rows_of(fit, library, jets, &TestFunctions::spread(map, each, REACH))
            })
            .collect()
    }
}

/// The samples in a box.
fn within(samples: &Samples, from: &[f64], to: &[f64]) -> Vec<usize> {
    let points = samples.points();
    (0..samples.len())
        .filter(|&i| (0..from.len()).all(|k| (from[k]..=to[k]).contains(&points[(i, k)])))
        .collect()
}

fn fit_window(
    samples: &Samples,
    (from, to): &(Vec<f64>, Vec<f64>),
    options: &FitOptions,
) -> Result<(FieldFit, InputMap), DiscoveryError> {
    let inside = within(samples, from, to);
    let points = Array2::from_shape_fn((inside.len(), from.len()), |(row, k)| {
        samples.points()[(inside[row], k)]
    });
    let values = inside.iter().map(|&i| samples.values()[i]).collect();
    let own = Samples::new(points, values)?;
    let (lower, upper) = own.bounds();
    let map = InputMap::from_box(&lower, &upper)?;
    Ok((FieldFit::new(&own, options)?, map))
}

/// Draws windows with replacement and selects again.
pub(crate) fn resample_windows(
    parts: &[Rows],
    support: &[usize],
    independent: f64,
    (replicates, seed, largest): (usize, u64, usize),
) -> Bootstrap {
    let windows: Vec<Regression> = parts.iter().map(Rows::regression).collect();
    let terms = windows.first().map_or(0, Regression::terms);
    let mut result = Bootstrap {
        frequencies: vec![0.0; terms],
        coefficients: Vec::new(),
    };
    for replicate in 0..replicates {
        let stream = 1000 + replicate as u64;
        let mut picks = UnitSampler::on_stream(Sequence::Independent, seed, stream);
        let picks = picks.points(windows.len(), 1);
        let drawn = picks.iter().filter_map(|pick| {
            let place = (pick * windows.len() as f64) as usize;
            windows.get(place.min(windows.len().saturating_sub(1)))
        });
        let regression = Regression::stacked(drawn, terms);
        let supports = candidate_supports(&regression, &[], largest.min(3));
        let choice = ModelChoice::InformationCriterion;
        let ranked = rank_supports(&regression, &[], &supports, independent, 1e-6, choice);
        for &k in ranked.first().map_or(&[][..], |best| &best.support) {
            result.frequencies[k] += 1.0 / replicates as f64;
        }
        let coefficients = regression.on_support(support).coefficients;
        result.coefficients.push(coefficients);
    }
    result
}
