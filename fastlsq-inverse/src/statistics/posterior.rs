//! What is known after a fit: Laplace's approximation.

use faer::{Mat, MatRef};

use super::identifiability::covariance;
use super::normal::two_sided_quantile;
use super::singular::singular_values;
use crate::problem::Sought;

/// The normal law that approximates the posterior of the parameters near the fit (Laplace).
///
/// Its precision is JᵀJ of the whitened residuals (priors included), plus 12/width² for each
/// parameter in a finite box: the box is information too, with the variance of a uniform law.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Posterior {
    /// Parameters by parameters.
    pub covariance: Mat<f64>,
    /// The standard deviations.
    pub deviations: Vec<f64>,
    /// The factor on the given deviations of the noise that was estimated from the residuals; 1 if
    /// deviations were given.
    pub noise_factor: f64,
    mean: Vec<f64>,
    bounds: Vec<(f64, f64)>,
}

impl Posterior {
    pub(crate) fn new(
        definitions: &[Sought],
        parameters: &[f64],
        jacobian: MatRef<'_, f64>,
        noise_factor: f64,
    ) -> Self {
        let n = jacobian.ncols();
        let scales: Vec<f64> = definitions.iter().map(Sought::scale).collect();
        let rows = jacobian.nrows();
        let stacked = Mat::from_fn(rows + n, n, |i, k| {
            if i < rows {
                return jacobian[(i, k)] * scales[k] / noise_factor;
            }
            let (lower, upper) = definitions[k].bounds();
            let width = upper - lower;
            if i - rows == k && width.is_finite() && width > 0.0 {
                12.0_f64.sqrt() * scales[k] / width
            } else {
                0.0
            }
        });
        let (values, vectors) = singular_values(stacked.as_ref());
        let covariance = covariance(&values, &vectors, &scales, rows + n);
        Self {
            deviations: (0..n).map(|k| covariance[(k, k)].sqrt()).collect(),
            covariance,
            noise_factor,
            mean: parameters.to_vec(),
            bounds: definitions.iter().map(Sought::bounds).collect(),
        }
    }

    /// The interval that holds a parameter with this probability, cut off at its bounds; `None` for
    /// a parameter that does not exist or a level outside (0, 1).
    #[must_use]
    pub fn interval(&self, parameter: usize, level: f64) -> Option<(f64, f64)> {
        let half = two_sided_quantile(level) * self.deviations.get(parameter)?;
        let (mean, (lower, upper)) = (self.mean.get(parameter)?, self.bounds.get(parameter)?);
        half.is_finite()
            .then(|| ((mean - half).max(*lower), (mean + half).min(*upper)))
    }

    /// C v: how far the fit moves if the gradient of the misfit changes by −v.
    pub(crate) fn response_to(&self, v: &[f64]) -> Vec<f64> {
        let n = self.mean.len();
        let finite = |c: f64| if c.is_finite() { c } else { 0.0 };
        (0..n)
            .map(|a| {
                (0..n)
                    .zip(v)
                    .map(|(b, v)| finite(self.covariance[(a, b)]) * v)
                    .sum()
            })
            .collect()
    }

    /// Adds δδᵀ to the covariance for each of these shifts δ.
    pub(crate) fn widen(&mut self, shifts: &[Vec<f64>]) {
        let n = self.mean.len();
        for shift in shifts.iter().filter(|shift| shift.len() == n) {
            for a in 0..n {
                for b in 0..n {
                    self.covariance[(a, b)] += shift[a] * shift[b];
                }
            }
        }
        self.deviations = (0..n).map(|k| self.covariance[(k, k)].sqrt()).collect();
    }

    /// The standard deviation of a linear function Σ cₖθₖ of the parameters.
    #[must_use]
    pub fn deviation_of(&self, coefficients: &[f64]) -> f64 {
        let mut variance = 0.0;
        for (a, ca) in coefficients.iter().enumerate().take(self.mean.len()) {
            for (b, cb) in coefficients.iter().enumerate().take(self.mean.len()) {
                variance += ca * self.covariance[(a, b)] * cb;
            }
        }
        variance.max(0.0).sqrt()
    }

    /// The correlation of two parameters; 0 if either does not exist.
    #[must_use]
    pub fn correlation(&self, a: usize, b: usize) -> f64 {
        match (self.deviations.get(a), self.deviations.get(b)) {
            (Some(sa), Some(sb)) => self.covariance[(a, b)] / (sa * sb),
            _ => 0.0,
        }
    }
}
