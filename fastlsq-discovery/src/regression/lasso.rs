//! The LASSO path: min ‖y − Xc‖²/(2n) + λ‖c‖₁ over a sweep of penalties.

use linfa::prelude::{Dataset, Fit};
use linfa_elasticnet::ElasticNet;
use ndarray::{Array1, Array2, ShapeBuilder};

use super::Regression;
use super::thin::{dot, gram_solve, solve};
use crate::DiscoveryError;

/// Settings of a LASSO sweep.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LassoOptions {
    /// The penalties λ, in any order. Default: the paper's 100 values from 1e-5 to 1e1.
    pub penalties: Vec<f64>,
    /// Scale every column to root mean square 1 before penalising, and the target too, so that λ = 1
    /// is of the order of the largest useful penalty. Default: true. Coefficients are reported in the
    /// original scale either way.
    pub standardise: bool,
    /// Duality gap, relative to ‖y‖²/(2n), above which a solution counts as not converged. Default: 1e-9.
    pub gap_tolerance: f64,
}

impl Default for LassoOptions {
    fn default() -> Self {
        Self {
            penalties: paper_penalties(),
            standardise: true,
            gap_tolerance: 1e-9,
        }
    }
}

/// The paper's penalties: 100 values from 1e-5 to 1e1, evenly spaced in the logarithm.
#[must_use]
pub fn paper_penalties() -> Vec<f64> {
    (0..100)
        .map(|i| 10f64.powf(-5.0 + 6.0 * f64::from(i) / 99.0))
        .collect()
}

/// One point of the LASSO path.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PathPoint {
    /// λ.
    pub penalty: f64,
    /// The penalised coefficients, one for each term, in the scale of the data.
    pub coefficients: Vec<f64>,
    /// The terms with nonzero coefficients.
    pub support: Vec<usize>,
    /// Least-squares coefficients on that support.
    pub refit: Vec<f64>,
    /// Duality gap relative to ‖y‖²/(2n): an upper bound on how far the objective is from its minimum.
    pub duality_gap: f64,
    /// Whether the gap is below the tolerance.
    pub converged: bool,
}

/// Sweeps the penalties from large to small; the result is sorted by rising penalty.
///
/// The support and signs of one penalty are tried at the next: if the solution they imply satisfies
/// the optimality conditions it is exact, and nothing is iterated. Otherwise coordinate descent runs
/// and its support is polished in the same way.
///
/// # Errors
/// Penalties that are negative or not finite, a dictionary that vanishes on the data.
pub fn lasso_path(
    regression: &Regression,
    options: &LassoOptions,
) -> Result<Vec<PathPoint>, DiscoveryError> {
    if let Some(&value) = options
        .penalties
        .iter()
        .find(|l| !(l.is_finite() && **l >= 0.0))
    {
        return Err(DiscoveryError::Setting {
            what: "penalty",
            value,
            requirement: "zero or positive, and finite",
        });
    }
    if regression.scales().iter().all(|s| *s == 0.0) {
        return Err(DiscoveryError::VanishingDictionary);
    }
    let sweep = Sweep::new(regression, options.standardise);
    let mut order: Vec<f64> = options.penalties.clone();
    order.sort_by(|a, b| b.total_cmp(a));
    let mut signs = vec![0.0; regression.terms()];
    let mut path = Vec::with_capacity(order.len());
    for penalty in order {
        let w = match sweep.exact(&signs, penalty) {
            Some(w) => w,
            None => sweep.descend(penalty)?,
        };
        signs = w
            .iter()
            .map(|w| if *w == 0.0 { 0.0 } else { w.signum() })
            .collect();
        let support: Vec<usize> = (0..w.len()).filter(|&k| w[k] != 0.0).collect();
        let gap = sweep.gap(&w, penalty);
        path.push(PathPoint {
            penalty,
            coefficients: sweep.rescale(&w),
            refit: regression.on_support(&support).coefficients,
            support,
            duality_gap: gap,
            converged: gap <= options.gap_tolerance,
        });
    }
    path.reverse();
    Ok(path)
}

/// The scaled problem shared by all penalties.
struct Sweep {
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
    scales: Vec<f64>,
    target_scale: f64,
    rows: f64,
}

impl Sweep {
    fn new(regression: &Regression, standardise: bool) -> Self {
        let n = regression.rows() as f64;
        let positive = |s: f64| if s > 0.0 { s } else { 1.0 };
        let (scales, target_scale) = if standardise {
            let scales = regression.scales().iter().map(|s| positive(*s)).collect();
            (scales, positive((regression.target_square() / n).sqrt()))
        } else {
            (vec![1.0; regression.terms()], 1.0)
        };
        let columns = regression.columns().iter().zip(&scales);
        Self {
            columns: columns
                .map(|(c, s): (_, &f64)| c.iter().map(|v| v / s).collect())
                .collect(),
            target: regression
                .target()
                .iter()
                .map(|v| v / target_scale)
                .collect(),
            scales,
            target_scale,
            rows: n,
        }
    }

    fn rescale(&self, w: &[f64]) -> Vec<f64> {
        w.iter()
            .zip(&self.scales)
            .map(|(w, s)| w * self.target_scale / s)
            .collect()
    }

    fn residual(&self, w: &[f64]) -> Vec<f64> {
        let mut residual = self.target.clone();
        for (column, w) in self.columns.iter().zip(w).filter(|(_, w)| **w != 0.0) {
            for (r, c) in residual.iter_mut().zip(column) {
                *r -= w * c;
            }
        }
        residual
    }

    /// The solution of X_Sᵀ(y − X_S w) = nλs on the support S of the signs s.
    fn stationary(&self, signs: &[f64], penalty: f64) -> Option<Vec<f64>> {
        let support: Vec<usize> = (0..signs.len()).filter(|&k| signs[k] != 0.0).collect();
        let mut w = vec![0.0; signs.len()];
        if support.is_empty() {
            return Some(w);
        }
        let columns: Vec<&[f64]> = support
            .iter()
            .map(|&k| self.columns[k].as_slice())
            .collect();
        let plain = solve(&columns, &self.target);
        if plain.dependent {
            return None;
        }
        let pull: Vec<f64> = support
            .iter()
            .map(|&k| self.rows * penalty * signs[k])
            .collect();
        let shift = gram_solve(&columns, &pull)?;
        for ((&k, c), shift) in support.iter().zip(&plain.coefficients).zip(&shift) {
            w[k] = c - shift;
        }
        Some(w)
    }

    /// What rounding may add to a slope.
    fn slack(&self, penalty: f64) -> f64 {
        1e-10 * (1.0 + self.rows * penalty)
    }

    /// The solution whose nonzero coefficients have these signs, if it is optimal.
    fn exact(&self, signs: &[f64], penalty: f64) -> Option<Vec<f64>> {
        let w = self.stationary(signs, penalty)?;
        if w.iter().zip(signs).any(|(w, s)| *s != 0.0 && w * s <= 0.0) {
            return None;
        }
        let residual = self.residual(&w);
        let limit = self.rows * penalty * (1.0 + 1e-9) + self.slack(penalty);
        let feasible = self
            .columns
            .iter()
            .all(|c| dot(c, &residual).abs() <= limit);
        feasible.then_some(w)
    }

    /// Coordinate descent from zero, then an active-set method from where it stopped.
    fn descend(&self, penalty: f64) -> Result<Vec<f64>, DiscoveryError> {
        let (rows, terms) = (self.target.len(), self.columns.len());
        let x = Array2::from_shape_fn((rows, terms).f(), |(i, k)| self.columns[k][i]);
        let y = Array1::from_vec(self.target.clone());
        // The compressed problem has fewer rows: ‖·‖²/(2·rows) + λ′ is proportional to ‖·‖²/(2n) + λ.
        let model = ElasticNet::params()
            .penalty(penalty * self.rows / rows as f64)
            .l1_ratio(1.0)
            .with_intercept(false)
            .tolerance(1e-10)
            .max_iterations(2_000)
            .fit(&Dataset::new(x, y))
            .map_err(|cause| DiscoveryError::Lasso(cause.to_string()))?;
        let rough = model.hyperplane().to_vec();
        // Along strongly correlated columns descent crawls; few exact steps finish the work.
        Ok(self.active_set(rough.clone(), penalty).unwrap_or(rough))
    }

    /// Exact solutions on one support after another: towards the solution with the present signs
    /// until a coefficient vanishes, then the term that violates optimality most. `None` if columns
    /// of the support are dependent or no end is found.
    fn active_set(&self, mut w: Vec<f64>, penalty: f64) -> Option<Vec<f64>> {
        let sign = |w: f64| if w == 0.0 { 0.0 } else { w.signum() };
        let mut signs: Vec<f64> = w.iter().map(|w| sign(*w)).collect();
        for _ in 0..20 * w.len() {
            let next = self.stationary(&signs, penalty)?;
            let blocking = (0..w.len())
                .filter(|&k| signs[k] != 0.0 && next[k] * signs[k] <= 0.0)
                .map(|k| (w[k] / (w[k] - next[k]), k))
                .filter(|(length, _)| length.is_finite())
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((length, place)) = blocking {
                for (w, next) in w.iter_mut().zip(&next) {
                    *w += length.clamp(0.0, 1.0) * (next - *w);
                }
                (w[place], signs[place]) = (0.0, 0.0);
                continue;
            }
            w = next;
            let residual = self.residual(&w);
            let limit = self.rows * penalty * (1.0 + 1e-9) + self.slack(penalty);
            let entering = (0..w.len())
                .filter(|&k| signs[k] == 0.0)
                .map(|k| (dot(&self.columns[k], &residual), k))
                .filter(|(slope, _)| slope.abs() > limit)
                .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
            match entering {
                Some((slope, k)) => signs[k] = slope.signum(),
                None => return Some(w),
            }
        }
        None
    }

    /// Duality gap relative to ‖y‖²/(2n).
    fn gap(&self, w: &[f64], penalty: f64) -> f64 {
        let residual = self.residual(w);
        let square = dot(&residual, &residual);
        let total = dot(&self.target, &self.target);
        if total == 0.0 {
            return 0.0;
        }
        let steepest = self
            .columns
            .iter()
            .map(|c| dot(c, &residual).abs())
            .fold(0.0, f64::max);
        let scale = if steepest > self.rows * penalty && steepest > 0.0 {
            self.rows * penalty / steepest
        } else {
            1.0
        };
        let one_norm: f64 = w.iter().map(|w| w.abs()).sum();
        let primal = 0.5 * square + self.rows * penalty * one_norm;
        let dual = scale * dot(&residual, &self.target) - 0.5 * scale * scale * square;
        ((primal - dual) / (0.5 * total)).max(0.0)
    }
}
