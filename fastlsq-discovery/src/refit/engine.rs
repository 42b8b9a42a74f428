//! Gauss–Newton over field and coefficients.

use faer::Mat;
use fastlsq_solve::Control;
use ndarray::Array2;

use super::LawFit;
use super::collocation::collocation_points;
use super::gauss_newton::Unknown;
use crate::dictionary::{Dictionary, Jets};
use crate::fit::column_of;
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
/// Unexplained rise, as the square root of noise variances, at which a stricter stage is still taken:
/// coefficients shift by at most as many deviations.
pub(super) const SETTLED: f64 = 0.25;
/// Gauss–Newton steps in one stage.
const STEPS: usize = 12;

/// Fits laws over one dictionary to one set of samples.
pub(crate) struct LawFitter<'a> {
    pub(super) library: &'a Dictionary,
    pub(super) jets: &'a Jets,
    pub(super) samples: usize,
    pub(super) points: Array2<f64>,
    /// D^α of the singular functions at the collocation points, one matrix for each α.
    pub(super) operators: Vec<Mat<f64>>,
    pub(super) singular: Vec<f64>,
    pub(super) projected: Vec<f64>,
    /// ‖y‖² outside the span.
    pub(super) outside: f64,
    pub(super) ridge: f64,
    pub(super) noise: f64,
    /// First guess of the coefficients on a support.
    pub(super) first: &'a dyn Fn(&[usize]) -> Vec<f64>,
    pub(super) start: Vec<f64>,
    pub(super) target_scale: f64,
    pub(super) control: Control,
}

/// Field and coefficients on the way.
#[derive(Clone)]
pub(super) struct Iterate {
    pub(super) field: Vec<f64>,
    pub(super) coefficients: Vec<f64>,
}

/// A field on the collocation points.
pub(super) struct EvaluatedLaw {
    /// D^τu − Σ cₖTₖ(u).
    pub(super) residual: Vec<f64>,
    /// Every derivative of the jets.
    pub(super) derivatives: Vec<Vec<f64>>,
    /// Every term of the dictionary.
    pub(super) columns: Mat<f64>,
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
            control: Control::new(),
        };
        let target = fitter.derivative(0, &fitter.start);
        let inner: Vec<f64> = (0..fitter.points.nrows())
            .filter(|&i| (0..map.dim()).all(|k| map.apply(k, fitter.points[(i, k)]).abs() < 0.85))
            .map(|i| target[i])
            .collect();
        fitter.target_scale = rms(&inner).max(f64::MIN_POSITIVE);
        Ok(fitter)
    }

    /// The same fitter under a control.
    pub(crate) fn under(mut self, control: &Control) -> Self {
        self.control = control.clone();
        self
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
        values.col(0).iter().copied().collect()
    }

    fn all_derivatives(&self, field: &[f64]) -> Vec<Vec<f64>> {
        (0..self.operators.len())
            .map(|a| self.derivative(a, field))
            .collect()
    }

    /// F = D^τu − Σ cₖTₖ(u) at the points; `None` where a term is not defined.
    pub(super) fn residual(&self, support: &[usize], at: &Iterate) -> Option<EvaluatedLaw> {
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
        Some(EvaluatedLaw {
            residual,
            derivatives: values,
            columns,
        })
    }

    pub(super) fn misfit(&self, field: &[f64]) -> f64 {
        let inside: f64 = self
            .singular
            .iter()
            .zip(field)
            .zip(&self.projected)
            .map(|((s, g), z)| (s * g - z).powi(2))
            .sum();
        inside + self.outside
    }

    pub(super) fn objective(&self, at: &Iterate, residual: &[f64], weight: f64) -> f64 {
        let size: f64 = at.field.iter().map(|g| g * g).sum();
        let law: f64 = residual.iter().map(|r| r * r).sum();
        self.misfit(&at.field) + self.ridge * size + weight * weight * law
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
                let progress =
                    self.minimise(support, &mut at, weight, Unknown::Field, FIELD_STEPS)?;
                steps += progress.steps;
            }
            steps += self
                .minimise(support, &mut at, weight, Unknown::Both, STEPS)?
                .steps;
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

    /// How far the features are from a solution of the law on this support near the data.
    pub(super) fn unrest(&self, support: &[usize]) -> Result<f64, DiscoveryError> {
        Ok(match self.fit(support, None, f64::INFINITY)? {
            Some(law) => self.polish(&law)?.unrest,
            None => f64::INFINITY,
        })
    }

    /// Enforces the law more strictly, as far as the features can follow.
    ///
    /// A stricter stage takes Δ degrees of freedom from the field, so that misfit and residual of
    /// the law together should rise by Δ ± √(2Δ) noise variances. A rise well beyond says that the
    /// features have no solution of the law so near the data, and coefficients would bend towards
    /// laws that they can solve. Such a stage is not taken, and if it is the first the law does not
    /// count as enforced.
    pub(crate) fn polish(&self, law: &LawFit) -> Result<LawFit, DiscoveryError> {
        let mut at = Iterate {
            field: law.field.clone(),
            coefficients: law.coefficients.clone(),
        };
        let mut best = law.clone();
        best.enforced = false;
        let mut before = STAGES[1];
        for tolerance in POLISH {
            let weight = self.weight(tolerance);
            let progress = self.minimise(&law.support, &mut at, weight, Unknown::Both, STEPS)?;
            let steps = best.steps + progress.steps;
            let Some(next) = self
                .conclude(&law.support, &at, weight, steps, true)?
                .filter(|_| progress.converged)
            else {
                break;
            };
            let unrest = self
                .unexplained_rise((&best, before), (&next, tolerance))
                .sqrt();
            if best.unrest.is_infinite() {
                best.unrest = unrest;
            }
            let moved = next
                .coefficients
                .iter()
                .zip(&best.coefficients)
                .zip(&next.deviations)
                .map(|((a, b), d)| ((a - b) / d.max(f64::MIN_POSITIVE)).abs())
                .fold(0.0, f64::max);
            if unrest > SETTLED {
                break;
            }
            best = LawFit {
                unrest: best.unrest,
                ..next
            };
            before = tolerance;
            if moved < 0.05 {
                break;
            }
        }
        // The criterion stays the one at which laws were compared.
        best.criterion = law.criterion;
        best.degrees_of_freedom = law.degrees_of_freedom;
        Ok(best)
    }

    /// The rise of misfit and law's residual from one stage to a stricter one, in noise variances,
    /// beyond what the degrees of freedom lost explain up to two standard deviations.
    fn unexplained_rise(
        &self,
        (loose, tolerance): (&LawFit, f64),
        (strict, stricter): (&LawFit, f64),
    ) -> f64 {
        let variance = self.noise * self.noise;
        let price = |law: &LawFit, tolerance: f64| {
            law.residual_square / variance + (law.equation_residual / tolerance).powi(2)
        };
        let rise = price(strict, stricter) - price(loose, tolerance);
        let lost = (loose.degrees_of_freedom - strict.degrees_of_freedom).max(0.0);
        (rise - lost - 2.0 * (2.0 * lost).sqrt()).max(0.0)
    }

    /// W at which a relative residual `tolerance` of the law costs one noise variance.
    fn weight(&self, tolerance: f64) -> f64 {
        self.noise / (tolerance * self.target_scale * (self.points.nrows() as f64).sqrt())
    }

    /// What the law's residual costs, in noise variances.
    fn cost(&self, support: &[usize], at: &Iterate, tolerance: f64) -> Option<f64> {
        let EvaluatedLaw { residual, .. } = self.residual(support, at)?;
        Some((rms(&residual) / (self.target_scale * tolerance)).powi(2))
    }
}
