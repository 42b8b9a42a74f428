//! One linear least-squares problem after another.

use faer::Mat;
use fastlsq_solve::lsq::{Factorisation, LsqOptions, factor};

use super::LawFitter;
use super::engine::{Evaluated, Iterate};
use crate::DiscoveryError;
use crate::fit::column_of;

/// What a step may change.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unknown {
    Field,
    Both,
}

/// A factored Gauss–Newton system.
pub(super) struct Linearised {
    pub(super) matrix: Mat<f64>,
    pub(super) rhs: Mat<f64>,
    pub(super) factored: Factorisation,
}

impl LawFitter<'_> {
    /// The Gauss–Newton system for the new field and the change of the coefficients.
    pub(super) fn linearise(
        &self,
        support: &[usize],
        at: &Iterate,
        weight: f64,
        unknown: Unknown,
        keep_q: bool,
    ) -> Result<Option<Linearised>, DiscoveryError> {
        let Some(Evaluated {
            residual,
            derivatives: values,
            columns,
        }) = self.residual(support, at)
        else {
            return Ok(None);
        };
        let (m, r) = (self.points.nrows(), self.singular.len());
        let p = match unknown {
            Unknown::Field => 0,
            Unknown::Both => support.len(),
        };
        // Coefficient of each derivative in the linearised law.
        let mut factors: Vec<Vec<f64>> = vec![vec![0.0; m]; self.operators.len()];
        factors[0].fill(1.0);
        for (&k, c) in support.iter().zip(&at.coefficients) {
            let term = &self.library.terms()[k];
            let places = &self.jets.arguments[k];
            for (a, slope) in self.jets.slopes(term, places, self.points.view(), &values) {
                for (f, s) in factors[a].iter_mut().zip(&slope) {
                    *f -= c * s;
                }
            }
        }
        let mut matrix: Mat<f64> = Mat::zeros(r + m, r + p);
        let mut rhs = Mat::zeros(r + m, 1);
        for i in 0..r {
            let d = (self.singular[i] * self.singular[i] + self.ridge).sqrt();
            matrix[(i, i)] = d;
            rhs[(i, 0)] = self.singular[i] * self.projected[i] / d;
        }
        for (a, factor) in factors.iter().enumerate() {
            if factor.iter().all(|f| *f == 0.0) {
                continue;
            }
            let operator = &self.operators[a];
            for j in 0..r {
                for i in 0..m {
                    matrix[(r + i, j)] += weight * factor[i] * operator[(i, j)];
                }
            }
        }
        for (place, &k) in support.iter().take(p).enumerate() {
            for i in 0..m {
                matrix[(r + i, r + place)] = -weight * columns[(i, k)];
            }
        }
        let law = matrix.as_ref().submatrix(r, 0, m, r) * column_of(&at.field);
        for i in 0..m {
            rhs[(r + i, 0)] = law[(i, 0)] - weight * residual[i];
        }
        let factored = factor(&matrix, rhs.as_ref(), &LsqOptions::new().keep_q(keep_q))?;
        Ok(Some(Linearised {
            matrix,
            rhs,
            factored,
        }))
    }

    /// Gauss–Newton at one weight; returns the steps taken.
    pub(super) fn minimise(
        &self,
        support: &[usize],
        at: &mut Iterate,
        weight: f64,
        unknown: Unknown,
        most: usize,
    ) -> Result<usize, DiscoveryError> {
        let r = self.singular.len();
        let Some(Evaluated { residual, .. }) = self.residual(support, at) else {
            return Ok(0);
        };
        let mut objective = self.objective(at, &residual, weight);
        for step in 1..=most {
            let Some(system) = self.linearise(support, at, weight, unknown, false)? else {
                return Ok(step);
            };
            let solution = system.factored.solution();
            let mut length = 1.0;
            let mut accepted = None;
            for _ in 0..8 {
                let moved = Iterate {
                    field: (0..r)
                        .map(|i| at.field[i] + length * (solution[(i, 0)] - at.field[i]))
                        .collect(),
                    coefficients: at
                        .coefficients
                        .iter()
                        .enumerate()
                        .map(|(k, c)| match unknown {
                            Unknown::Field => *c,
                            Unknown::Both => c + length * solution[(r + k, 0)],
                        })
                        .collect(),
                };
                if let Some(Evaluated { residual, .. }) = self.residual(support, &moved) {
                    let value = self.objective(&moved, &residual, weight);
                    if value.is_finite() && value <= objective * (1.0 + 1e-12) {
                        accepted = Some((moved, value));
                        break;
                    }
                }
                length *= 0.4;
            }
            let Some((moved, value)) = accepted else {
                return Ok(step);
            };
            let fall = objective - value;
            *at = moved;
            objective = value;
            // A thousandth of a noise variance is far below anything that matters.
            if fall < 1e-3 * self.noise * self.noise && length == 1.0 {
                return Ok(step);
            }
        }
        Ok(most)
    }
}
