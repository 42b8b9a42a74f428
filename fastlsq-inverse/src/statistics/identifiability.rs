//! What the data can tell about the parameters, before or after a fit.

use std::fmt;

use faer::{Mat, MatRef};

use super::singular::singular_values;
use crate::problem::Sought;
use crate::report::Warning;

/// The bound of Cramér and Rao: no unbiased estimate from these observations has smaller deviations.
///
/// With the Jacobian J of the observations divided by their deviations, the covariance of any
/// unbiased estimate is at least (JᵀJ)⁻¹.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Identifiability {
    /// The names of the parameters.
    pub names: Vec<String>,
    /// Where the Jacobian was taken.
    pub parameters: Vec<f64>,
    /// The Cramér–Rao standard deviation of each parameter; infinite if the data say nothing.
    pub deviations: Vec<f64>,
    /// The covariance they belong to, parameters by parameters.
    pub covariance: Mat<f64>,
    /// Condition number of the Jacobian with its columns scaled to unit length.
    pub condition: f64,
    /// The combination of the parameters that the data determine least, in units of `scales`.
    pub least_determined: Vec<f64>,
    /// The standard deviation of that combination, in the same units.
    pub least_determined_deviation: f64,
    /// The range of each parameter (the width of its box, or its size) that deviations are judged by.
    pub scales: Vec<f64>,
    /// The number of observations, priors included.
    pub observations: usize,
    /// Whether deviations of the noise were given; otherwise they are in units of the noise.
    pub noise_known: bool,
}

impl Identifiability {
    pub(crate) fn new(
        definitions: &[Sought],
        parameters: &[f64],
        jacobian: MatRef<'_, f64>,
        noise_known: bool,
    ) -> Self {
        let n = jacobian.ncols();
        let scales: Vec<f64> = definitions.iter().map(Sought::scale).collect();
        let scaled = Mat::from_fn(jacobian.nrows(), n, |i, k| jacobian[(i, k)] * scales[k]);
        let (values, vectors) = singular_values(scaled.as_ref());
        let covariance = covariance(&values, &vectors, &scales, jacobian.nrows());

        let norms: Vec<f64> = (0..n).map(|k| scaled.as_ref().col(k).norm_l2()).collect();
        let unit = Mat::from_fn(scaled.nrows(), n, |i, k| {
            if norms[k] > 0.0 {
                scaled[(i, k)] / norms[k]
            } else {
                0.0
            }
        });
        let (unit_values, _) = singular_values(unit.as_ref());
        let first = unit_values.first().copied().unwrap_or(0.0);
        let last = unit_values.last().copied().unwrap_or(0.0);
        let few = jacobian.nrows() < n;
        let weakest = if few {
            0.0
        } else {
            values.last().copied().unwrap_or(0.0)
        };
        Self {
            names: definitions.iter().map(|p| p.name().to_owned()).collect(),
            parameters: parameters.to_vec(),
            deviations: (0..n).map(|k| covariance[(k, k)].sqrt()).collect(),
            covariance,
            condition: if few || last == 0.0 {
                f64::INFINITY
            } else {
                first / last
            },
            least_determined: (0..n).map(|k| vectors[(k, n - 1)]).collect(),
            least_determined_deviation: 1.0 / weakest,
            scales,
            observations: jacobian.nrows(),
            noise_known,
        }
    }

    /// Whether the data determine a parameter: its 95 % interval covers at most half of its range.
    #[must_use]
    pub fn is_determined(&self, parameter: usize) -> bool {
        match (self.deviations.get(parameter), self.scales.get(parameter)) {
            // 2 · 1.96 σ ≤ half of the range
            (Some(sigma), Some(scale)) => 2.0 * 1.96 * sigma <= 0.5 * scale,
            _ => false,
        }
    }

    /// The parameters that the data do not determine.
    #[must_use]
    pub fn undetermined(&self) -> Vec<usize> {
        (0..self.names.len())
            .filter(|&k| !self.is_determined(k))
            .collect()
    }

    /// Whether the data determine all parameters.
    #[must_use]
    pub fn is_identifiable(&self) -> bool {
        self.undetermined().is_empty()
    }

    /// What is wrong, if anything.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.observations < self.names.len() {
            warnings.push(Warning::FewObservations {
                observations: self.observations,
                parameters: self.names.len(),
            });
        }
        for k in self.undetermined() {
            warnings.push(Warning::NotDetermined {
                name: self.names[k].clone(),
                deviation: self.deviations[k],
                range: self.scales[k],
            });
        }
        warnings
    }

    /// The least determined combination in words, largest shares first.
    #[must_use]
    pub fn least_determined_text(&self) -> String {
        let mut shares: Vec<(f64, &String)> = self
            .least_determined
            .iter()
            .copied()
            .zip(&self.names)
            .filter(|(share, _)| share.abs() >= 0.1)
            .collect();
        shares.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let mut text = String::new();
        for (index, (share, name)) in shares.iter().take(6).enumerate() {
            let sign = match (index, *share < 0.0) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => " + ",
                (_, true) => " − ",
            };
            text += &format!("{sign}{:.2} {name}", share.abs());
        }
        if shares.len() > 6 {
            text += " …";
        }
        text
    }
}

/// D V Σ⁻² Vᵀ D; directions about which nothing is known give infinite variances.
pub(super) fn covariance(
    values: &[f64],
    vectors: &Mat<f64>,
    scales: &[f64],
    rows: usize,
) -> Mat<f64> {
    let n = values.len();
    let largest = values.first().copied().unwrap_or(0.0);
    let floor = largest * f64::EPSILON * n as f64;
    let mut covariance = Mat::zeros(n, n);
    let mut blind = vec![false; n];
    for (j, &value) in values.iter().enumerate() {
        if value <= floor || j >= rows {
            for (k, blind) in blind.iter_mut().enumerate() {
                // A share at rounding level is no share.
                *blind |= vectors[(k, j)].abs() > 1e-7;
            }
            continue;
        }
        for a in 0..n {
            for b in 0..n {
                covariance[(a, b)] +=
                    scales[a] * vectors[(a, j)] * vectors[(b, j)] * scales[b] / (value * value);
            }
        }
    }
    for (k, blind) in blind.into_iter().enumerate() {
        if blind {
            covariance[(k, k)] = f64::INFINITY;
        }
    }
    covariance
}

impl fmt::Display for Identifiability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.noise_known {
            ""
        } else {
            " (for noise of deviation 1)"
        };
        writeln!(
            f,
            "{} observations, {} parameters; condition {:.1e}; Cramér–Rao deviations{unit}:",
            self.observations,
            self.names.len(),
            self.condition
        )?;
        for (k, name) in self.names.iter().enumerate() {
            let verdict = if self.is_determined(k) {
                ""
            } else {
                "   not determined by the data"
            };
            writeln!(
                f,
                "  {name:>12} = {:<12.6} ± {:.2e}{verdict}",
                self.parameters[k], self.deviations[k]
            )?;
        }
        write!(
            f,
            "  least determined: {} (± {:.1e} of the ranges)",
            self.least_determined_text(),
            self.least_determined_deviation
        )
    }
}
