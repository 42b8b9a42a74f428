//! The answer put together from regression, bootstrap and refits.

use crate::Samples;
use crate::bootstrap::Bootstrap;
use crate::discovered::{Discovered, LawField};
use crate::discovery::{Discovery, Regressed};
use crate::refit::LawFit;
use crate::regression::{PathPoint, multiplicity};
use crate::verdict::{RowSource, Warning};
use crate::written::{LawTerm, equation};

/// A solution of the law whose squared distance from the samples is this many times that of noise does not
/// explain them.
const MISFIT: f64 = 1.5;
/// Laws whose criteria are this close are nearly as likely.
const CLOSE: f64 = 6.0;

impl Discovery {
    /// The answer of the regression alone.
    pub(crate) fn conclude_regression(
        &self,
        regressed: &Regressed,
        path: Vec<PathPoint>,
        mut warnings: Vec<Warning>,
        stability: &Bootstrap,
    ) -> Discovered {
        let unconverged = path.iter().filter(|point| !point.converged).count();
        if unconverged > 0 {
            warnings.push(Warning::LassoGap {
                penalties: unconverged,
            });
        }
        let best = regressed.candidates.first();
        let held_out = best.map_or(f64::NAN, |c| c.held_out);
        if held_out > 0.3 {
            warnings.push(Warning::Unexplained { held_out });
        }
        let terms = best.map_or(Vec::new(), |best| {
            let solution = regressed.regression.on_support(&best.support);
            let rows = regressed.regression.rows() as f64;
            let variance = solution.residual_square / (rows - best.support.len() as f64).max(1.0);
            best.support
                .iter()
                .enumerate()
                .map(|(place, &index)| {
                    let coefficient = best.coefficients[place];
                    let replicates: Vec<f64> =
                        stability.coefficients.iter().map(|c| c[place]).collect();
                    let deviation = if replicates.len() > 4 {
                        spread(&replicates)
                    } else {
                        (variance * solution.variances[place]).sqrt()
                    };
                    let inclusion = stability.frequencies.get(index).copied();
                    let term = (index, self.name(index), self.expression(index));
                    let estimate = (coefficient, deviation);
                    LawTerm::estimated(term, estimate, inclusion.unwrap_or(1.0))
                })
                .collect()
        });
        Discovered {
            target: self.library.derivative(&self.target).to_string(),
            left: self.library.derivative(&self.target),
            names: self
                .library
                .names()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            terms,
            noise: f64::NAN,
            held_out,
            source: RowSource::Fit,
            path,
            candidates: regressed.candidates.clone(),
            laws: Vec::new(),
            frequencies: stability.frequencies.clone(),
            stopped: None,
            warnings,
            fit: None,
            field: None,
            library: self.library.clone(),
        }
    }

    /// Puts the law with the best likelihood in the place of the regression's.
    pub(crate) fn conclude_refit(
        &self,
        laws: Vec<LawFit>,
        field: LawField,
        samples: &Samples,
        result: &mut Discovered,
    ) {
        let Some(best) = laws.first() else { return };
        let free = (samples.len() as f64 - best.degrees_of_freedom).max(1.0);
        let noise = (result.noise * result.noise).max(f64::MIN_POSITIVE);
        let excess = best.residual_square / (free * noise);
        let lost = |w: &Warning| matches!(w, Warning::Unexplained { .. });
        if excess > MISFIT && !result.warnings.iter().any(lost) {
            // The features hold no solution of any law near the samples, but the rows are explained: their law stands.
            result.warnings.push(Warning::NotEnforced {
                residual: best.equation_residual,
            });
            return;
        }
        // Whether a solution of the law fits the samples is known now: noisy rows no longer matter.
        result.warnings.retain(|w| !lost(w));
        if excess > MISFIT {
            let held_out = (1.0 - 1.0 / excess).sqrt();
            result.warnings.push(Warning::Unexplained { held_out });
        }
        let weights: Vec<f64> = laws
            .iter()
            .map(|law| (0.5 * (best.criterion - law.criterion)).exp())
            .collect();
        let total: f64 = weights.iter().sum();
        result.terms = best
            .support
            .iter()
            .enumerate()
            .map(|(place, &index)| {
                let (coefficient, deviation) = (best.coefficients[place], best.deviations[place]);
                let inclusion: f64 = laws
                    .iter()
                    .zip(&weights)
                    .filter(|(law, _)| law.support.contains(&index))
                    .map(|(_, w)| w / total)
                    .sum();
                let term = (index, self.name(index), self.expression(index));
                LawTerm::estimated(term, (coefficient, deviation), inclusion).bounded(deviation)
            })
            .collect();
        let told = result.terms.iter().any(LawTerm::has_sign)
            && best.criterion + CLOSE < self.criterion_of_constant(samples);
        if !told && !result.warnings.iter().any(lost) {
            result.warnings.push(Warning::OnlyNoise);
        }
        if !best.enforced {
            result.warnings.push(Warning::NotEnforced {
                residual: best.equation_residual,
            });
        }
        if let Some(rival) = laws.get(1) {
            let difference = rival.criterion - best.criterion;
            if difference < CLOSE {
                let terms = rival.support.iter().zip(&rival.coefficients);
                let law = equation(&result.left, terms.map(|(&k, c)| (*c, self.expression(k))));
                result.warnings.push(Warning::Rival { law, difference });
            }
        }
        result.field = Some(field);
        result.laws = laws;
    }
}

impl Discovery {
    /// The criterion of laws for samples that are a constant and noise: among enough of their solutions, some follow
    /// any noise a little.
    fn criterion_of_constant(&self, samples: &Samples) -> f64 {
        let count = samples.len() as f64;
        let variance = spread(samples.values()).powi(2) * (count - 1.0) / count;
        count * variance.max(f64::MIN_POSITIVE).ln()
            + count.ln()
            + multiplicity(self.library.len(), 0)
    }
}

/// Standard deviation of a sample.
fn spread(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0)).sqrt()
}
