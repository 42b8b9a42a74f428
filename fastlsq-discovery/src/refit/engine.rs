//! Gauss–Newton over field and coefficients.

use faer::Mat;
use fastlsq_basis::Basis;
use fastlsq_solve::lsq::{Factorisation, LsqOptions, factor};
use ndarray::Array2;

use super::LawFit;
use super::collocation::collocation_points;
use crate::dictionary::{Dictionary, Jets};
use crate::fit::column_of;
use crate::regression::thin::solve;
use crate::samples::rms;
use crate::{DiscoveryError, FieldFit};

/// Relative residuals of the law that cost as much as one noise variance, stage by stage. All laws
/// are compared at the second.
const STAGES: [f64; 2] = [1e-2, 1e-3];
/// Further stages for the law that wins.
const POLISH: [f64; 2] = [1e-4, 1e-5];
/// Steps over the field alone, at the first coefficients.
const FIELD_STEPS: usize = 3;
/// The ridge of the refit, relative to the one the data alone would need: the law itself decides
/// which fields are plausible, and a larger ridge would bias its coefficients.
const RIDGE: f64 = 1e-5;
/// Singular functions with sᵢ² below this share of the ridge are left out.
const CUT: f64 = 1e-14;
/// What the law's residual may cost, in noise variances, before the features count as too few to
/// hold a solution of the law.
const AFFORDABLE: f64 = 5.0;
/// Gauss–Newton steps in one stage.
const STEPS: usize = 12;

/// Fits laws over one dictionary to one set of samples.
pub(crate) struct LawFitter<'a> {
    library: &'a Dictionary,
    jets: &'a Jets,
    samples: usize,
    points: Array2<f64>,
    /// D^α of the singular functions at the collocation points, one matrix for each α.
    operators: Vec<Mat<f64>>,
    singular: Vec<f64>,
    projected: Vec<f64>,
    /// ‖y‖² outside the span.
    outside: f64,
    ridge: f64,
    noise: f64,
    /// First guess of the coefficients on a support.
    first: &'a dyn Fn(&[usize]) -> Vec<f64>,
    start: Vec<f64>,
    target_scale: f64,
}

/// Field and coefficients on the way.
#[derive(Clone)]
struct Iterate {
    field: Vec<f64>,
    coefficients: Vec<f64>,
}

/// What a step may change.
#[derive(Clone, Copy, PartialEq)]
enum Unknown {
    Field,
    Both,
}

/// A factored Gauss–Newton system.
struct Linearised {
    matrix: Mat<f64>,
    rhs: Mat<f64>,
    factored: Factorisation,
}

impl<'a> LawFitter<'a> {
    pub(crate) fn new(
        library: &'a Dictionary,
        jets: &'a Jets,
        fit: &FieldFit,
        samples: usize,
        noise: f64,
        first: &'a dyn Fn(&[usize]) -> Vec<f64>,
    ) -> Result<Self, DiscoveryError> {
        let (singular, projected) = fit.coordinates();
        let ridge = fit.ridge();
        let top = singular.first().copied().unwrap_or(1.0);
        let rank = singular
            .iter()
            .take_while(|s| **s * **s > CUT * ridge && **s > 1e-12 * top)
            .count()
            .max(1);
        let map = fit.basis().map();
        let points = collocation_points(map, fit.bandwidth(), 2 * rank + 20);
        let operators = jets
            .alphas
            .iter()
            .map(|alpha| fit.singular_functions(points.view(), alpha, rank))
            .collect::<Result<Vec<_>, _>>()?;
        let start = fit.shrunk(projected)[..rank].to_vec();
        let all_inside: f64 = singular[..rank]
            .iter()
            .zip(&start)
            .zip(projected)
            .map(|((s, g), z)| (z - s * g).powi(2))
            .sum();
        let mut fitter = Self {
            library,
            jets,
            samples,
            operators,
            singular: singular[..rank].to_vec(),
            projected: projected[..rank].to_vec(),
            outside: (fit.residual_square() - all_inside).max(0.0),
            ridge: RIDGE * ridge,
            noise,
            first,
            start,
            target_scale: 1.0,
            points,
        };
        let target = fitter.derivative(0, &fitter.start);
        let inner: Vec<f64> = (0..fitter.points.nrows())
            .filter(|&i| (0..map.dim()).all(|k| map.apply(k, fitter.points[(i, k)]).abs() < 0.85))
            .map(|i| target[i])
            .collect();
        fitter.target_scale = rms(&inner).max(f64::MIN_POSITIVE);
        Ok(fitter)
    }

    pub(crate) fn library(&self) -> &Dictionary {
        self.library
    }

    /// Number of samples.
    pub(crate) fn samples(&self) -> usize {
        self.samples
    }

    fn derivative(&self, alpha: usize, field: &[f64]) -> Vec<f64> {
        let values = &self.operators[alpha] * column_of(field);
        (0..values.nrows()).map(|i| values[(i, 0)]).collect()
    }

    fn all_derivatives(&self, field: &[f64]) -> Vec<Vec<f64>> {
        (0..self.operators.len())
            .map(|a| self.derivative(a, field))
            .collect()
    }

    /// F = D^τu − Σ cₖTₖ(u) at the points; `None` where a term is not defined.
    fn residual(
        &self,
        support: &[usize],
        at: &Iterate,
    ) -> Option<(Vec<f64>, Vec<Vec<f64>>, Mat<f64>)> {
        let values = self.all_derivatives(&at.field);
        let columns = self
            .jets
            .columns(self.library, self.points.view(), &values)
            .ok()?;
        let mut residual = values[0].clone();
        for (&k, c) in support.iter().zip(&at.coefficients) {
            for (i, r) in residual.iter_mut().enumerate() {
                *r -= c * columns[(i, k)];
            }
        }
        Some((residual, values, columns))
    }

    fn misfit(&self, field: &[f64]) -> f64 {
        let inside: f64 = self
            .singular
            .iter()
            .zip(field)
            .zip(&self.projected)
            .map(|((s, g), z)| (s * g - z).powi(2))
            .sum();
        inside + self.outside
    }

    fn objective(&self, at: &Iterate, residual: &[f64], weight: f64) -> f64 {
        let size: f64 = at.field.iter().map(|g| g * g).sum();
        let law: f64 = residual.iter().map(|r| r * r).sum();
        self.misfit(&at.field) + self.ridge * size + weight * weight * law
    }

    fn linearise(
        &self,
        support: &[usize],
        at: &Iterate,
        weight: f64,
        unknown: Unknown,
        keep_q: bool,
    ) -> Result<Option<Linearised>, DiscoveryError> {
        let Some((residual, values, columns)) = self.residual(support, at) else {
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
    fn minimise(
        &self,
        support: &[usize],
        at: &mut Iterate,
        weight: f64,
        unknown: Unknown,
        most: usize,
    ) -> Result<usize, DiscoveryError> {
        let r = self.singular.len();
        let Some((residual, ..)) = self.residual(support, at) else {
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
                if let Some((residual, ..)) = self.residual(support, &moved) {
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

    /// The maximum-likelihood fit of one law, from the smooth fit or from a known solution; `None` if
    /// its misfit n log(RSS/n) exceeds `hopeless` or a term is not defined on the way.
    pub(crate) fn fit(
        &self,
        support: &[usize],
        from: Option<&LawFit>,
        hopeless: f64,
    ) -> Result<Option<LawFit>, DiscoveryError> {
        let field = from.map_or_else(|| self.start.clone(), |known| known.field.clone());
        let coefficients = match from {
            Some(known) => support
                .iter()
                .map(|k| {
                    let place = known.support.iter().position(|s| s == k);
                    place.map_or(0.0, |place| known.coefficients[place])
                })
                .collect(),
            None => (self.first)(support),
        };
        let mut at = Iterate {
            field,
            coefficients,
        };
        let mut steps = 0;
        for (stage, &tolerance) in STAGES.iter().enumerate() {
            let weight = self.weight(tolerance);
            if stage == 0 && from.is_none() {
                // First a solution of the law with the coefficients at hand: while the law is weak
                // the coefficients would follow the errors of the smooth fit near the edges.
                steps += self.minimise(support, &mut at, weight, Unknown::Field, FIELD_STEPS)?;
            }
            steps += self.minimise(support, &mut at, weight, Unknown::Both, STEPS)?;
            let n = self.samples as f64;
            if n * (self.misfit(&at.field) / n).ln() > hopeless {
                return Ok(None);
            }
        }
        let Some(cost) = self.cost(support, &at, STAGES[1]) else {
            return Ok(None);
        };
        let weight = self.weight(STAGES[1]);
        self.conclude(support, &at, weight, steps, cost <= AFFORDABLE)
    }

    /// Enforces the law more strictly, as far as the features can follow.
    pub(crate) fn polish(&self, law: &LawFit) -> Result<LawFit, DiscoveryError> {
        let mut at = Iterate {
            field: law.field.clone(),
            coefficients: law.coefficients.clone(),
        };
        let mut best = law.clone();
        for tolerance in POLISH {
            let weight = self.weight(tolerance);
            let steps = self.minimise(&law.support, &mut at, weight, Unknown::Both, STEPS)?;
            let affordable = self
                .cost(&law.support, &at, tolerance)
                .is_some_and(|cost| cost <= AFFORDABLE);
            if !affordable {
                break;
            }
            let steps = best.steps + steps;
            let Some(next) = self.conclude(&law.support, &at, weight, steps, true)? else {
                break;
            };
            let moved = next
                .coefficients
                .iter()
                .zip(&best.coefficients)
                .zip(&next.deviations)
                .map(|((a, b), d)| ((a - b) / d.max(f64::MIN_POSITIVE)).abs())
                .fold(0.0, f64::max);
            best = next;
            if moved < 0.05 {
                break;
            }
        }
        // The criterion stays the one at which laws were compared.
        best.criterion = law.criterion;
        best.degrees_of_freedom = law.degrees_of_freedom;
        Ok(best)
    }

    /// W at which a relative residual `tolerance` of the law costs one noise variance.
    fn weight(&self, tolerance: f64) -> f64 {
        self.noise / (tolerance * self.target_scale * (self.points.nrows() as f64).sqrt())
    }

    /// What the law's residual costs, in noise variances.
    fn cost(&self, support: &[usize], at: &Iterate, tolerance: f64) -> Option<f64> {
        let (residual, ..) = self.residual(support, at)?;
        Some((rms(&residual) / (self.target_scale * tolerance)).powi(2))
    }

    /// σ times the square roots of the diagonal of (JᵀJ)⁻¹ that belongs to the coefficients.
    fn coefficient_deviations(
        &self,
        terms: usize,
        factored: &Factorisation,
        noise: f64,
    ) -> Result<Vec<f64>, DiscoveryError> {
        let r = self.singular.len();
        let unit = Mat::from_fn(r + terms, terms, |i, k| if i == r + k { 1.0 } else { 0.0 });
        let adjoint = factored.adjoint(unit.as_ref())?;
        Ok((0..terms)
            .map(|k| noise * adjoint.col(k).norm_l2())
            .collect())
    }

    fn conclude(
        &self,
        support: &[usize],
        at: &Iterate,
        weight: f64,
        steps: usize,
        enforced: bool,
    ) -> Result<Option<LawFit>, DiscoveryError> {
        let Some(system) = self.linearise(support, at, weight, Unknown::Both, true)? else {
            return Ok(None);
        };
        let Some((residual, _, columns)) = self.residual(support, at) else {
            return Ok(None);
        };
        let (r, m, n) = (self.singular.len(), residual.len(), self.samples as f64);
        // Free initial and boundary data: trace of the map from data to fitted values at fixed
        // coefficients. Every coefficient then counts as one, however little it moves the field.
        let Some(field_only) = self.linearise(support, at, weight, Unknown::Field, true)? else {
            return Ok(None);
        };
        let unit = Mat::from_fn(r, r, |i, k| if i == k { self.singular[k] } else { 0.0 });
        let adjoint = field_only.factored.adjoint(unit.as_ref())?;
        let free: f64 = (0..r).map(|k| adjoint.col(k).squared_norm_l2()).sum();
        let dof = free + support.len() as f64;
        let rss = self.misfit(&at.field);
        let noise = (rss / (n - dof).max(1.0)).sqrt();
        // What every absent term promises: its column, freed from the columns already there.
        let absent: Vec<usize> = (0..self.library.len())
            .filter(|k| !support.contains(k))
            .collect();
        let extra = Mat::from_fn(r + m, absent.len(), |i, k| {
            if i < r {
                0.0
            } else {
                -weight * columns[(i - r, absent[k])]
            }
        });
        let mut promises = Vec::new();
        if !absent.is_empty() {
            let free = &extra - &system.matrix * system.factored.solve(extra.as_ref())?;
            let left = &system.rhs - &system.matrix * system.factored.solution();
            for (k, &term) in absent.iter().enumerate() {
                let square = free.col(k).squared_norm_l2();
                let product = free.col(k).transpose() * left.col(0);
                let fall = if square > 1e-20 * extra.col(k).squared_norm_l2() {
                    product * product / square
                } else {
                    0.0
                };
                promises.push((term, fall / (noise * noise)));
            }
            promises.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
        Ok(Some(LawFit {
            support: support.to_vec(),
            coefficients: at.coefficients.clone(),
            deviations: self.coefficient_deviations(support.len(), &system.factored, noise)?,
            residual_square: rss,
            degrees_of_freedom: dof,
            criterion: n * (rss / n).max(f64::MIN_POSITIVE).ln() + n.ln() * dof,
            equation_residual: rms(&residual) / self.target_scale,
            steps,
            enforced,
            field: at.field.clone(),
            promises,
        }))
    }
}
