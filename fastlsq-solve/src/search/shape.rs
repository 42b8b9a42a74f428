//! The laws that the search can change step by step: a bandwidth for each axis, and the correlation between axes.

use fastlsq_basis::{Draw, FrequencyLaw};

/// From this dimension on, features of few coordinates are tried as well.
pub(super) const HIGH_DIMENSION: usize = 4;
/// Correlations below this are not worth a candidate.
const SMALLEST_CORRELATION: f64 = 0.3;

/// A family of frequency laws with one scale for each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Every feature depends on every coordinate.
    Dense,
    /// Features of at most two coordinates.
    LowOrder,
    /// Half low-order, half dense.
    Mixed,
}

/// A law that the search can change step by step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub(super) family: Family,
    /// The bandwidth of each axis.
    pub(super) sigmas: Vec<f64>,
    /// The lower-triangular factor of the correlation between axes, where there is any.
    pub(super) correlation: Option<Vec<f64>>,
}

impl Shape {
    pub(super) fn isotropic(family: Family, sigma: f64, dim: usize) -> Self {
        Self {
            family,
            sigmas: vec![sigma; dim],
            correlation: None,
        }
    }

    /// The shape of a law that has one scale for each axis, with or without correlation.
    pub(super) fn of(law: &FrequencyLaw, dim: usize) -> Option<Self> {
        law.validate(dim).ok()?;
        let (sigmas, correlation) = match law {
            FrequencyLaw::Isotropic(sigma) => (vec![*sigma; dim], None),
            FrequencyLaw::PerAxis(sigmas) => (sigmas.clone(), None),
            FrequencyLaw::Cholesky(factor) => {
                let mut sigmas = Vec::with_capacity(dim);
                let mut correlation = vec![0.0; dim * dim];
                for a in 0..dim {
                    let row = &factor[a * (a + 1) / 2..][..=a];
                    let sigma = row.iter().map(|l| l * l).sum::<f64>().sqrt();
                    for (b, l) in row.iter().enumerate() {
                        correlation[a * dim + b] = l / sigma;
                    }
                    sigmas.push(sigma);
                }
                (sigmas, Some(correlation))
            }
            FrequencyLaw::Subspace(_) | FrequencyLaw::Blocks(_) | FrequencyLaw::LowOrder { .. } => {
                return None;
            }
        };
        Some(Self {
            family: Family::Dense,
            sigmas,
            correlation,
        })
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        let mut shape = self.clone();
        shape.sigmas.iter_mut().for_each(|sigma| *sigma *= factor);
        shape
    }

    pub(super) fn draw(&self) -> Draw {
        usual_draw(self.sigmas.len())
    }

    pub(super) fn law(&self) -> FrequencyLaw {
        if let Some(correlation) = &self.correlation {
            return FrequencyLaw::Cholesky(correlate(&self.sigmas, correlation));
        }
        let law = FrequencyLaw::PerAxis(self.sigmas.clone());
        match self.family {
            Family::Dense => law,
            Family::LowOrder => FrequencyLaw::LowOrder {
                order: 2,
                law: Box::new(law),
            },
            Family::Mixed => FrequencyLaw::low_order_mix(&law),
        }
    }
}

/// Even over an ellipsoid in few dimensions, where that resolves more with less.
pub(super) fn usual_draw(dim: usize) -> Draw {
    if dim < HIGH_DIMENSION {
        Draw::Ball
    } else {
        Draw::Independent
    }
}

/// The lower-triangular factor of the correlation matrix of second moments, with all
/// correlations multiplied by 1 − shrink; `None` if there is no correlation to speak of.
pub(super) fn correlation_factor(moments: &[f64], dim: usize, shrink: f64) -> Option<Vec<f64>> {
    let at = |a: usize, b: usize| moments[a * dim + b];
    let mut correlation = vec![0.0; dim * dim];
    let mut largest = 0.0f64;
    for a in 0..dim {
        for b in 0..dim {
            let scale = (at(a, a) * at(b, b)).sqrt();
            correlation[a * dim + b] = if a == b {
                1.0
            } else if scale > 0.0 {
                (1.0 - shrink) * at(a, b) / scale
            } else {
                0.0
            };
            if a != b {
                largest = largest.max(correlation[a * dim + b].abs());
            }
        }
    }
    if largest < SMALLEST_CORRELATION {
        return None;
    }
    // Cholesky's method, row by row.
    let mut lower = vec![0.0; dim * dim];
    for a in 0..dim {
        for b in 0..=a {
            let known: f64 = (0..b)
                .map(|k| lower[a * dim + k] * lower[b * dim + k])
                .sum();
            let rest = correlation[a * dim + b] - known;
            lower[a * dim + b] = if a == b {
                (rest > 0.0).then(|| rest.sqrt())?
            } else {
                rest / lower[b * dim + b]
            };
        }
    }
    Some(lower)
}

/// Bandwidths in the ratio of the root mean square slopes, with the volume of the present ones.
pub(super) fn directed(sigmas: &[f64], moments: &[f64]) -> Vec<f64> {
    let dim = sigmas.len();
    let slopes: Vec<f64> = (0..dim).map(|a| moments[a * dim + a].sqrt()).collect();
    if slopes.iter().any(|slope| *slope <= 0.0) {
        return sigmas.to_vec();
    }
    let ratios = sigmas
        .iter()
        .zip(&slopes)
        .map(|(sigma, slope)| sigma / slope);
    let volume: f64 = ratios.map(f64::ln).sum();
    let scale = (volume / dim as f64).exp();
    slopes.into_iter().map(|slope| scale * slope).collect()
}

/// The packed factor L with rows scaled by the bandwidths.
fn correlate(sigmas: &[f64], correlation: &[f64]) -> Vec<f64> {
    let dim = sigmas.len();
    (0..dim)
        .flat_map(|a| (0..=a).map(move |b| sigmas[a] * correlation[a * dim + b]))
        .collect()
}
