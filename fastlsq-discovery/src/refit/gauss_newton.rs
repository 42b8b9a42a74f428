//! One linear least-squares problem after another.

use faer::{Mat, MatRef};
use fastlsq_solve::lsq::{Factorisation, LsqOptions, factor};

use super::LawFitter;
use super::engine::{EvaluatedLaw, Iterate};
use crate::DiscoveryError;
use crate::fit::column_of;

/// What a step may change.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unknown {
    Field,
    Both,
}

/// Linear problems that lead a trial back to the law.
const CORRECTIONS: usize = 3;

/// How far a minimisation came.
#[derive(Clone, Copy)]
pub(super) struct Progress {
    pub(super) steps: usize,
    pub(super) converged: bool,
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
        let Some(EvaluatedLaw {
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
            for (a, slope) in self
                .jets
                .slopes(term, places, self.points.view(), &values)?
            {
                for (f, s) in factors[a].iter_mut().zip(&slope) {
                    *f -= c * s;
                }
            }
        }
        // A term may have a value without a slope, as the square root has at zero.
        if factors.iter().flatten().any(|factor| !factor.is_finite()) {
            return Ok(None);
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
        let mut options = LsqOptions::new().keep_q(keep_q);
        options.control = self.control.clone();
        let factored = factor(&matrix, rhs.as_ref(), &options)?;
        Ok(Some(Linearised {
            matrix,
            rhs,
            factored,
        }))
    }

    /// Gauss–Newton at one weight.
    ///
    /// A large weight makes the objective a narrow curved valley: a step along the tangent of the law
    /// leaves the valley by the square of its length, and plain line searches creep. So a trial that
    /// does not descend is first led back to the law with its coefficients held (a few linear
    /// problems over the field alone) and only then shortened.
    pub(super) fn minimise(
        &self,
        support: &[usize],
        at: &mut Iterate,
        weight: f64,
        unknown: Unknown,
        most: usize,
    ) -> Result<Progress, DiscoveryError> {
        let stopped = |steps| Progress {
            steps,
            converged: false,
        };
        let Some(EvaluatedLaw { residual, .. }) = self.residual(support, at) else {
            return Ok(stopped(0));
        };
        let mut objective = self.objective(at, &residual, weight);
        for step in 1..=most {
            let Some(system) = self.linearise(support, at, weight, unknown, false)? else {
                return Ok(stopped(step));
            };
            let solution = system.factored.solution();
            let mut length = 1.0;
            let mut accepted = None;
            for _ in 0..8 {
                let mut trial = at.towards(solution, length);
                let mut value = self.value(support, &trial, weight);
                if unknown == Unknown::Both {
                    for _ in 0..CORRECTIONS {
                        if value <= objective {
                            break;
                        }
                        let Some(system) =
                            self.linearise(support, &trial, weight, Unknown::Field, false)?
                        else {
                            break;
                        };
                        trial = trial.towards(system.factored.solution(), 1.0);
                        value = self.value(support, &trial, weight);
                    }
                }
                if value <= objective * (1.0 + 1e-12) {
                    accepted = Some((trial, value));
                    break;
                }
                length *= 0.4;
            }
            let Some((trial, value)) = accepted else {
                return Ok(stopped(step));
            };
            let fall = objective - value;
            *at = trial;
            objective = value;
            // A thousandth of a noise variance is far below anything that matters.
            if fall < 1e-3 * self.noise * self.noise && length == 1.0 {
                return Ok(Progress {
                    steps: step,
                    converged: true,
                });
            }
        }
        Ok(stopped(most))
    }

    /// The objective; infinite where a term is not defined.
    fn value(&self, support: &[usize], at: &Iterate, weight: f64) -> f64 {
        self.residual(support, at)
            .map(|EvaluatedLaw { residual, .. }| self.objective(at, &residual, weight))
            .filter(|value| value.is_finite())
            .unwrap_or(f64::INFINITY)
    }
}

impl Iterate {
    /// Part of the way to the solution of a linearised problem: its first entries are the new field,
    /// the others, where there are any, the change of the coefficients.
    fn towards(&self, solution: MatRef<'_, f64>, length: f64) -> Self {
        let fields = self.field.len();
        let changed = solution.nrows() > fields;
        let field = self.field.iter().enumerate();
        let coefficients = self.coefficients.iter().enumerate();
        Self {
            field: field
                .map(|(i, g)| g + length * (solution[(i, 0)] - g))
                .collect(),
            coefficients: coefficients
                .map(|(k, c)| match changed {
                    true => c + length * solution[(fields + k, 0)],
                    false => *c,
                })
                .collect(),
        }
    }
}
