//! Singular values of the feature matrix, and what every ridge would make of the data.

use faer::{Mat, MatRef, Side};

use crate::DiscoveryError;

/// How ridge and bandwidth are chosen from the data alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Criterion {
    /// The evidence of a Gaussian prior β ~ N(0, τ²I): maximises the probability of the data with
    /// noise level and τ integrated or profiled out. Smooths more steadily than cross-validation.
    #[default]
    Evidence,
    /// Generalised cross-validation n·RSS/(n − 1.2 dof)²; the factor 1.2 guards against the
    /// occasional undersmoothing of the plain form.
    GeneralisedCrossValidation,
}

/// The part of Φ = U S Vᵀ that scores need: S, Uᵀy and what of y lies outside the range.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    pub(crate) squares: Vec<f64>,
    pub(crate) projected: Vec<f64>,
    pub(crate) outside: f64,
    pub(crate) rows: usize,
}

/// What one ridge gives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) ridge: f64,
    pub(crate) score: f64,
    pub(crate) residual_square: f64,
    pub(crate) dof: f64,
}

impl Score {
    /// RSS, degrees of freedom and criterion at ridge μ.
    pub(crate) fn at(&self, ridge: f64, criterion: Criterion) -> Choice {
        let n = self.rows as f64;
        let (mut rss, mut dof, mut penalised, mut log_det) = (self.outside, 0.0, self.outside, 0.0);
        for (&square, &z) in self.squares.iter().zip(&self.projected) {
            let kept = square / (square + ridge);
            let lost = ridge / (square + ridge);
            rss += (lost * z).powi(2);
            penalised += lost * z * z;
            dof += kept;
            log_det += (square / ridge).ln_1p();
        }
        let score = match criterion {
            Criterion::Evidence => n * (penalised / n).max(f64::MIN_POSITIVE).ln() + log_det,
            Criterion::GeneralisedCrossValidation => {
                let left = (n - 1.2 * dof).max(1e-3);
                n * (n * rss / (left * left)).max(f64::MIN_POSITIVE).ln()
            }
        };
        Choice {
            ridge,
            score,
            residual_square: rss,
            dof,
        }
    }

    /// The best ridge: a logarithmic grid of 12 orders and more, then golden-section refinement.
    pub(crate) fn best(&self, floor: f64, criterion: Criterion) -> Choice {
        let top = self
            .squares
            .first()
            .copied()
            .unwrap_or(1.0)
            .max(f64::MIN_POSITIVE);
        let (low, high) = ((floor * top).ln(), (10.0 * top).ln());
        let steps = 48;
        let at = |s: f64| self.at(s.exp(), criterion);
        let mut best = at(low);
        let mut place = low;
        for i in 1..=steps {
            let s = low + (high - low) * f64::from(i) / f64::from(steps);
            let choice = at(s);
            if choice.score < best.score {
                (best, place) = (choice, s);
            }
        }
        let width = (high - low) / f64::from(steps);
        let (mut a, mut b) = ((place - width).max(low), (place + width).min(high));
        let golden = 0.618_033_988_749_895;
        for _ in 0..20 {
            let (c, d) = (b - golden * (b - a), a + golden * (b - a));
            if at(c).score < at(d).score {
                b = d;
            } else {
                a = c;
            }
        }
        let refined = at(0.5 * (a + b));
        if refined.score < best.score {
            refined
        } else {
            best
        }
    }

    /// Through the Gram matrix: quick, and accurate down to a relative ridge of about 1e-13.
    pub(crate) fn by_gram(phi: MatRef<'_, f64>, y: &[f64]) -> Result<Self, DiscoveryError> {
        let gram = phi.transpose() * phi;
        let eigen =
            gram.self_adjoint_eigen(Side::Lower)
                .map_err(|_| DiscoveryError::Decomposition {
                    what: "eigenvalue decomposition of the Gram matrix",
                })?;
        let rhs = phi.transpose() * column_of(y);
        let coordinates = eigen.U().transpose() * rhs;
        let values = eigen.S().column_vector();
        let n = values.nrows();
        let top = if n == 0 { 0.0 } else { values[n - 1] };
        let kept: Vec<usize> = (0..n)
            .rev()
            .take_while(|&i| values[i] > 1e-13 * top)
            .collect();
        let squares: Vec<f64> = kept.iter().map(|&i| values[i]).collect();
        let projected: Vec<f64> = kept
            .iter()
            .map(|&i| coordinates[(i, 0)] / values[i].sqrt())
            .collect();
        let total: f64 = y.iter().map(|v| v * v).sum();
        let inside: f64 = projected.iter().map(|z| z * z).sum();
        Ok(Self {
            squares,
            projected,
            outside: (total - inside).max(1e-16 * total),
            rows: y.len(),
        })
    }
}

/// Φ = U S Vᵀ, cut at the rounding level.
#[derive(Debug, Clone)]
pub(crate) struct Spectrum {
    pub(crate) u: Mat<f64>,
    pub(crate) singular: Vec<f64>,
    pub(crate) v: Mat<f64>,
}

impl Spectrum {
    /// Column-pivoted QR, then the singular values of its triangle: keeps all digits.
    pub(crate) fn new(phi: MatRef<'_, f64>) -> Result<Self, DiscoveryError> {
        let qr = phi.col_piv_qr();
        let q = qr.compute_thin_Q();
        let triangle = qr.thin_R() * qr.P();
        let svd = triangle
            .thin_svd()
            .map_err(|_| DiscoveryError::Decomposition {
                what: "singular value decomposition of the features",
            })?;
        let values = svd.S().column_vector();
        let top = if values.nrows() == 0 { 0.0 } else { values[0] };
        let rank = (0..values.nrows())
            .take_while(|&i| values[i] > 1e-14 * top)
            .count();
        Ok(Self {
            u: q * svd.U().subcols(0, rank),
            singular: (0..rank).map(|i| values[i]).collect(),
            v: svd.V().subcols(0, rank).to_owned(),
        })
    }

    /// Uᵀy.
    pub(crate) fn project(&self, y: &[f64]) -> Vec<f64> {
        let z = self.u.transpose() * column_of(y);
        z.col(0).iter().copied().collect()
    }

    /// The errors at some samples of ridge regressions to all the others: rᵢ/(1 − hᵢ) with
    /// H = U diag(s²/(s² + μ)) Uᵀ.
    pub(crate) fn leave_one_out(&self, y: &[f64], ridge: f64, places: &[usize]) -> Vec<f64> {
        let projected = self.project(y);
        let each = self.singular.iter().zip(&projected);
        let kept: Vec<(f64, f64)> = each
            .map(|(s, z)| {
                let kept = s * s / (s * s + ridge);
                (kept, kept * z)
            })
            .collect();
        let each = places.iter();
        each.map(|&i| {
            let (mut fitted, mut leverage) = (0.0, 0.0);
            for (k, (kept, z)) in kept.iter().enumerate() {
                let u = self.u[(i, k)];
                fitted += u * z;
                leverage += u * u * kept;
            }
            (y[i] - fitted) / (1.0 - leverage).max(f64::EPSILON)
        })
        .collect()
    }

    /// The scores of these data.
    pub(crate) fn score(&self, y: &[f64]) -> Score {
        let projected = self.project(y);
        let inside = &self.u * column_of(&projected);
        let outside: f64 = y
            .iter()
            .enumerate()
            .map(|(i, y)| (y - inside[(i, 0)]).powi(2))
            .sum();
        let total: f64 = y.iter().map(|v| v * v).sum();
        Score {
            squares: self.singular.iter().map(|s| s * s).collect(),
            projected,
            outside: outside.max(1e-30 * total),
            rows: y.len(),
        }
    }
}

/// A one-column matrix.
pub(crate) fn column_of(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), 1, |i, _| values[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastlsq_basis::sampling::UnitSampler;

    #[test]
    fn errors_of_left_out_samples_need_no_further_fits() {
        let (n, features, ridge) = (30, 8, 0.1);
        let z = UnitSampler::independent(2).normals(n, features + 1);
        let phi = Mat::from_fn(n, features, |i, j| z[(i, j)]);
        let y: Vec<f64> = (0..n).map(|i| z[(i, features)]).collect();
        let places = [0, 11, 29];
        let quick = Spectrum::new(phi.as_ref())
            .unwrap()
            .leave_one_out(&y, ridge, &places);
        for (&out, quick) in places.iter().zip(&quick) {
            let rest: Vec<usize> = (0..n).filter(|&i| i != out).collect();
            let others = Mat::from_fn(n - 1, features, |i, j| phi[(rest[i], j)]);
            let spectrum = Spectrum::new(others.as_ref()).unwrap();
            let z = spectrum.project(&rest.iter().map(|&i| y[i]).collect::<Vec<_>>());
            let predicted: f64 = (0..features)
                .map(|k| {
                    let s = spectrum.singular[k];
                    let along: f64 = (0..features)
                        .map(|j| phi[(out, j)] * spectrum.v[(j, k)])
                        .sum();
                    along * s * z[k] / (s * s + ridge)
                })
                .sum();
            assert!((y[out] - predicted - quick).abs() < 1e-10);
        }
    }
}
