//! Rows of a grid in the contest, and the windows that determine its winner best.

use std::sync::Arc;

use fastlsq_solve::Limit;

use super::assembly::{EvaluatedTerms, KnownLaw, Tiled};
use super::discovery::GridDiscovery;
use super::windows::Windows;
use crate::evidence::{Contest, Law, Moments, RowMoments, sum};

/// Ratio of neighbouring half-widths that are tried.
const RATIO: f64 = std::f64::consts::SQRT_2;
/// Other half-widths must narrow the coefficients by this factor, in the geometric mean.
const GAIN: f64 = 0.97;

/// The rows of one target beside known laws of the others.
pub(super) struct TargetRows<'t, 'e, 'a> {
    pub(super) tiled: &'t Tiled<'e, 'a>,
    pub(super) target: usize,
    pub(super) others: &'t [KnownLaw],
}

impl<'t, 'e, 'a> TargetRows<'t, 'e, 'a> {
    /// The rows of one target, whatever the others are.
    pub(super) fn alone(tiled: &'t Tiled<'e, 'a>, target: usize) -> Self {
        Self {
            tiled,
            target,
            others: &[],
        }
    }
}

impl RowMoments for TargetRows<'_, '_, '_> {
    fn moments(&self, law: &[(usize, f64)]) -> Result<Arc<Vec<Moments>>, Limit> {
        self.tiled.moments(self.target, law, self.others)
    }
}

impl GridDiscovery {
    /// The contest between the terms of the library over these rows.
    pub(super) fn contest<'r, 't, 'e, 'a>(
        &'r self,
        rows: &'r TargetRows<'t, 'e, 'a>,
    ) -> Contest<'r, TargetRows<'t, 'e, 'a>> {
        Contest {
            rows,
            terms: self.library.len(),
            largest: self.options.largest,
            control: &self.options.control,
        }
    }

    /// The half-widths, axis by axis, for which the noise leaves the coefficients of the law least
    /// uncertain.
    pub(super) fn refine(
        &self,
        source: &EvaluatedTerms<'_>,
        target: usize,
        start: &Windows,
        law: &[(usize, f64)],
    ) -> Windows {
        // The other terms play no part.
        let (terms, coefficients): (Vec<usize>, Vec<f64>) = law.iter().copied().unzip();
        let source = &source.of_terms(&terms, target);
        let support: Vec<usize> = (0..terms.len()).collect();
        let law: Law = support.iter().copied().zip(coefficients).collect();
        let uncertainty = |windows: &Windows| -> f64 {
            let Ok(tiled) = self.tile(source, windows) else {
                return f64::INFINITY;
            };
            let Ok(moments) = tiled.moments(0, &law, &[]) else {
                return f64::INFINITY;
            };
            let fit = sum(&moments, support.len()).fit(&support);
            let logarithms: f64 = fit.deviations.iter().map(|d| d.ln()).sum();
            if fit.dependent {
                f64::INFINITY
            } else {
                (logarithms / support.len().max(1) as f64).exp()
            }
        };
        let mut best = (uncertainty(start), start.clone());
        for axis in 0..start.half.len() {
            for ratio in [1.0 / RATIO, RATIO] {
                let mut moved = false;
                loop {
                    let mut next = best.1.clone();
                    let points = next.half[axis] as f64 * ratio;
                    next.half[axis] = self.within(source, axis, points);
                    if next == best.1 {
                        break;
                    }
                    let found = uncertainty(&next);
                    if found >= GAIN * best.0 {
                        break;
                    }
                    best = (found, next);
                    moved = true;
                }
                if moved {
                    break;
                }
            }
        }
        best.1
    }
}
