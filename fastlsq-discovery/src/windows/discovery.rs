//! From scattered samples to a law, through local fits.

use fastlsq_basis::{InputMap, MultiIndex};
use fastlsq_solve::Stage;
use rayon::prelude::*;

use super::plan::Plan;
use super::rows::{ScatteredRows, WindowRows, count_of};
use crate::discovered::Discovered;
use crate::discovery::Discovery;
use crate::evidence::{Contest, Question, answer, sum};
use crate::regression::lasso_path;
use crate::samples::rms;
use crate::verdict::RowSource;
use crate::{Candidate, DiscoveryError, FieldFit, FitOptions, Samples};

/// Exponents of the test functions: smooth after all derivatives, and with a transform that is known to twelve digits.
const MOST_SMOOTH: u32 = 12;
/// Noise is never taken to be smaller than this share of the field.
const CLEANEST: f64 = 1e-10;

/// Windows take the place of one fit if their error at left-out samples is below this share of its own.
const BETTER: f64 = 0.7;
/// A fit with at most this error, as a share of the field, needs no windows; nor does one with fewer samples per feature.
const HELD: f64 = 1e-3;
/// Errors of neighbours that differ by more than this share of what independent ones do are mostly noise; number of places where
/// this is examined.
const WHITE: f64 = 0.6;
const PLACES: usize = 400;
const PER_FEATURE: usize = 4;

impl Discovery {
    /// Windows that predict left-out samples far better than one fit does, if such are to be looked for.
    pub(crate) fn better_windows(
        &self,
        samples: &Samples,
        options: &FitOptions,
        fit: &FieldFit,
    ) -> Result<Option<Plan>, DiscoveryError> {
        let free = FitOptions::new().seed(options.seed);
        let most = FieldFit::most_features(&free, samples);
        if *options != free || samples.len() < PER_FEATURE * most {
            return Ok(None);
        }
        let errors = fit.leave_one_out(samples.values());
        let error = rms(&errors);
        if error < HELD * samples.rms() || difference_of_neighbours(samples, &errors) > WHITE {
            return Ok(None);
        }
        match Plan::choose(samples, self.options.seed, &self.options.control) {
            Ok(plan) => Ok(Some(plan).filter(|plan| plan.error < BETTER * error)),
            // The fit exists already.
            Err(error) if error.limit().is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The law from local fits.
    pub(crate) fn by_windows(
        &self,
        samples: &Samples,
        plan: &Plan,
    ) -> Result<Discovered, DiscoveryError> {
        let control = &self.options.control;
        let order = self.jets.alphas.iter().flat_map(MultiIndex::orders).max();
        let power = crate::grid::exponent(order.copied().unwrap_or(0)).min(MOST_SMOOTH);
        let centres = plan.layout.centres();
        let features = plan.options.features.unwrap_or(0);
        let entries = [
            centres.len(),
            self.library.len() + 1,
            features,
            size_of::<f64>(),
        ];
        let mut each = entries.into_iter();
        let bytes = each.try_fold(count_of(samples.dim()), usize::checked_mul);
        let _held = control.hold(bytes)?;
        control.enter(Stage::Law { fitted: 0 })?;
        let found: Vec<Option<(WindowRows, f64, f64)>> = centres
            .par_iter()
            .map(|centre| {
                let Ok((_, local)) = plan.layout.local(centre, samples) else {
                    // The field does not vary there, or there are too few samples.
                    return Ok(None);
                };
                if local.len() < plan.fewest() {
                    return Ok(None);
                }
                let fit = FieldFit::within(&local, &plan.options, control)?;
                let (lower, upper) = local.bounds();
                let map = InputMap::from_box(&lower, &upper)?;
                let rows = WindowRows::new(&fit, &map, &self.library, &self.jets, power)?;
                let left = (local.len() as f64 - fit.degrees_of_freedom()).max(1.0);
                Ok(Some((rows, fit.residual_square(), left)))
            })
            .collect::<Result<_, DiscoveryError>>()?;
        let found: Vec<(WindowRows, f64, f64)> = found.into_iter().flatten().collect();
        let (square, left) = found
            .iter()
            .fold((0.0, 0.0), |(s, n), (_, a, b)| (s + a, n + b));
        let noise = (square / f64::max(left, 1.0)).sqrt();
        let rows = ScatteredRows {
            windows: found.into_iter().map(|(rows, ..)| rows).collect(),
            noise: noise.max(CLEANEST * samples.rms()),
        };
        let needed = 2 * (self.library.len() + 2);
        if rows.count() < needed {
            return Err(DiscoveryError::TooFewPoints {
                found: samples.len(),
                needed: samples.len() * needed / rows.count().max(1),
            });
        }
        let contest = Contest {
            rows: &rows,
            terms: self.library.len(),
            largest: self.options.largest,
            control,
        };
        let (blocks, judged) = contest.run(&[])?;
        let question = Question {
            left: self.library.derivative(&self.target),
            terms: self.library.len(),
            entry: &|place| (place, self.name(place), self.expression(place)),
            largest: self.options.largest,
            replicates: self.options.replicates,
            seed: self.options.seed,
            control,
        };
        let found = answer(&question, &blocks, &judged)?;
        let total = sum(&blocks, self.library.len());
        let whole = total.target().0.max(f64::MIN_POSITIVE);
        let candidates = judged.iter().take(20).map(|judged| Candidate {
            support: judged.support.clone(),
            coefficients: judged.fit.coefficients.clone(),
            residual: (judged.fit.misfit.max(0.0) / whole).sqrt(),
            held_out: f64::NAN,
            criterion: judged.criterion,
        });
        let path = total.regression().map_or(Ok(Vec::new()), |regression| {
            lasso_path(&regression, &self.options.lasso)
        })?;
        Ok(Discovered {
            target: question.left.to_string(),
            left: question.left.clone(),
            names: self
                .library
                .names()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            terms: found.terms,
            noise,
            held_out: found.unexplained,
            source: RowSource::Windows,
            path,
            candidates: candidates.collect(),
            laws: Vec::new(),
            frequencies: found.frequencies,
            stopped: control.check().err(),
            warnings: found.warnings,
            fit: None,
            field: None,
            library: self.library.clone(),
        })
    }
}

/// Σ(eᵢ − eⱼ)²/Σ(eᵢ² + eⱼ²) over pairs of nearest samples: 1 for independent errors, 0 for a smooth field that the fit
/// misses.
fn difference_of_neighbours(samples: &Samples, errors: &[f64]) -> f64 {
    let points = samples.points();
    let (lower, upper) = samples.bounds();
    let distance = |i: usize, j: usize| -> f64 {
        let axes = (0..samples.dim()).map(|k| {
            let share = (points[(i, k)] - points[(j, k)]) / (upper[k] - lower[k]);
            share * share
        });
        axes.sum()
    };
    let stride = samples.len().div_ceil(PLACES).max(1);
    let (mut difference, mut whole) = (0.0, 0.0);
    for i in (0..samples.len()).step_by(stride) {
        let others = (0..samples.len()).filter(|&j| j != i);
        let nearest = others.min_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b)));
        if let Some(j) = nearest {
            difference += (errors[i] - errors[j]).powi(2);
            whole += errors[i].powi(2) + errors[j].powi(2);
        }
    }
    difference / f64::max(whole, f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastlsq_basis::sampling::UnitSampler;

    #[test]
    fn noise_is_told_from_what_a_fit_misses() {
        let points = UnitSampler::independent(4).points(3000, 2);
        let noise = UnitSampler::independent(5).normals(3000, 1);
        let missed = |p: ndarray::ArrayView1<'_, f64>| (20.0 * p[0]).sin() * (15.0 * p[1]).cos();
        let missed: Vec<f64> = points.rows().into_iter().map(missed).collect();
        let samples = Samples::new(points, missed.clone()).unwrap();
        let noise: Vec<f64> = noise.iter().copied().collect();
        assert!(difference_of_neighbours(&samples, &noise) > 0.85);
        assert!(difference_of_neighbours(&samples, &missed) < 0.2);
    }
}
