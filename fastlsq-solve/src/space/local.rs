//! Orthonormal functions on a reference piece: compressed from sine features, or polynomials where the piece is a box.

use faer::Mat;
use fastlsq_basis::{
    Action, Basis, Coefficient, Form, InputMap, OrthogonalPolynomials, PolynomialBasis,
    SinusoidalBasis,
};
use ndarray::Array2;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use super::quadrature::Quadrature;
use super::{SpaceError, corner};
use crate::control::Control;
use crate::dense::{cholesky, cholesky_solve, product, right_singular, times};
use crate::domain::{Corner, Sequence, UnitSampler};
use crate::lsq::reduce_rows;

/// Functions q̂ⱼ on a piece whose bounding box is [−1, 1]^d, orthonormal with respect to the weights of its rule:
/// q̂ = φ̂·T with features φ̂ and a compression T.
#[derive(Debug)]
pub(super) struct Local {
    features: Arc<dyn Basis>,
    /// `None` where the features are orthonormal as they are.
    compression: Option<Mat<f64>>,
    /// The rule on the reference piece.
    pub(super) rule: Quadrature,
    /// The radius of the ball of frequencies.
    pub(super) bandwidth: f64,
}

/// What a reference piece is made from.
#[derive(Debug, Clone)]
pub(super) struct LocalRequest<'a> {
    pub(super) rule: Quadrature,
    pub(super) periodic: &'a [bool],
    /// Whether the piece is a box.
    pub(super) is_box: bool,
    /// A re-entrant corner, with its place on the reference piece.
    pub(super) corner: Option<(Corner, [f64; 2])>,
    pub(super) bandwidth: f64,
    pub(super) cut: f64,
    pub(super) seed: u64,
}

impl Local {
    /// Functions that hold waves with frequencies in the ball of radius `bandwidth`.
    pub(super) fn new(request: LocalRequest<'_>) -> Result<Self, SpaceError> {
        let dim = request.periodic.len();
        if request.periodic.iter().all(|&periodic| periodic) {
            return Self::fourier(request);
        }
        // Without periodic axes polynomials serve better than waves, with fewer functions and less rounding.
        if !request.periodic.contains(&true) {
            let degree = polynomial_degree(dim, request.bandwidth);
            if let Some((own, position)) = &request.corner {
                let features = corner::features(&request.rule, own, *position, degree)?;
                return Self::compressed(features, request);
            }
            return if request.is_box {
                Self::legendre(request)
            } else {
                Self::orthogonal(request)
            };
        }
        let count = feature_count(dim, request.bandwidth, request.cut);
        let features = Arc::new(draw(&request, dim, count)?);
        Self::compressed(features, request)
    }

    /// Any features, compressed by the singular values of their weighted samples down to `cut` of the largest.
    fn compressed(features: Arc<dyn Basis>, request: LocalRequest<'_>) -> Result<Self, SpaceError> {
        let mut samples = weighted(&*features, &request.rule)?;
        // Each is as good as the others.
        let norms: Vec<f64> = (0..samples.ncols())
            .map(|j| samples.col(j).norm_l2().max(f64::MIN_POSITIVE))
            .collect();
        for (j, norm) in norms.iter().enumerate() {
            for i in 0..samples.nrows() {
                samples[(i, j)] /= norm;
            }
        }
        // A tall matrix is reduced to a triangle first: the same right singular vectors.
        let right = if samples.nrows() > 2 * samples.ncols() {
            let none = Mat::<f64>::zeros(samples.nrows(), 0);
            let (triangle, _) = reduce_rows(&samples, none.as_ref(), &Control::new())?;
            right_singular(triangle.as_ref())
        } else {
            right_singular(samples.as_ref())
        };
        let right = right.ok_or(SpaceError::Numerical {
            what: "the singular values of the features",
        })?;
        let largest = right.values.first().copied().unwrap_or(0.0);
        let rank = right
            .values
            .iter()
            .take_while(|&&value| value > request.cut * largest)
            .count();
        let compression = Mat::from_fn(norms.len(), rank, |i, j| {
            right.v[(i, j)] / right.values[j] / norms[i]
        });
        Ok(Self {
            features,
            compression: Some(compression),
            rule: request.rule,
            bandwidth: request.bandwidth,
        })
    }

    /// Products of Legendre polynomials, orthogonal as they are: ∫ Pₙ² = 2/(2n + 1).
    fn legendre(request: LocalRequest<'_>) -> Result<Self, SpaceError> {
        let dim = request.periodic.len();
        let map = InputMap::from_box(&vec![-1.0; dim], &vec![1.0; dim])?;
        let features = PolynomialBasis::legendre(map, polynomial_degree(dim, request.bandwidth))?;
        let samples = weighted(&features, &request.rule)?;
        // The rule is exact for their squares, so that norms by it are norms.
        let count = features.len();
        let compression = Mat::from_fn(count, count, |i, j| {
            if i == j {
                samples.col(j).norm_l2().recip()
            } else {
                0.0
            }
        });
        Ok(Self {
            features: Arc::new(features),
            compression: Some(compression),
            rule: request.rule,
            bandwidth: request.bandwidth,
        })
    }

    /// Polynomials that are orthonormal on a domain of any shape.
    fn orthogonal(request: LocalRequest<'_>) -> Result<Self, SpaceError> {
        let degree = polynomial_degree(request.periodic.len(), request.bandwidth);
        let features =
            OrthogonalPolynomials::new(request.rule.points.view(), &request.rule.weights, degree)?;
        Ok(Self {
            features: Arc::new(features),
            compression: None,
            rule: request.rule,
            bandwidth: request.bandwidth,
        })
    }

    /// All waves of the lattice π·n up to the bandwidth: orthonormal as they are.
    fn fourier(request: LocalRequest<'_>) -> Result<Self, SpaceError> {
        let dim = request.periodic.len();
        let top = (request.bandwidth / PI).floor().max(0.0) as i64;
        let mut waves: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..dim {
            waves = waves
                .into_iter()
                .flat_map(|wave| {
                    (-top..=top).map(move |n| wave.iter().copied().chain([n]).collect())
                })
                .collect();
        }
        let limit = (request.bandwidth / PI).powi(2);
        let square = |wave: &[i64]| wave.iter().map(|n| n * n).sum::<i64>();
        // Of n and −n one is enough; the constant has a cosine only.
        waves.retain(|wave| {
            square(wave) as f64 <= limit
                && wave
                    .iter()
                    .find(|n| **n != 0)
                    .is_none_or(|&first| first > 0)
        });
        waves.sort_by_key(|wave| square(wave));
        let constant = 2.0_f64.powi(-i32::try_from(dim).unwrap_or(i32::MAX));
        let (mut rows, mut phases, mut scales) = (vec![], vec![], vec![]);
        for wave in &waves {
            let zero = square(wave) == 0;
            for phase in [FRAC_PI_2, 0.0].into_iter().take(if zero { 1 } else { 2 }) {
                rows.extend(wave.iter().map(|&n| PI * n as f64));
                phases.push(phase);
                scales.push(if zero {
                    constant.sqrt()
                } else {
                    (2.0 * constant).sqrt()
                });
            }
        }
        let count = phases.len();
        let frequencies =
            Array2::from_shape_vec((count, dim), rows).map_err(|_| SpaceError::Numerical {
                what: "the list of lattice waves",
            })?;
        let features = SinusoidalBasis::explicit(frequencies.view(), &phases)?;
        let compression = Mat::from_fn(count, count, |i, j| if i == j { scales[i] } else { 0.0 });
        Ok(Self {
            features: Arc::new(features),
            compression: Some(compression),
            rule: request.rule,
            bandwidth: request.bandwidth,
        })
    }

    /// The number of functions.
    pub(super) fn len(&self) -> usize {
        let compressed = self.compression.as_ref().map(Mat::ncols);
        compressed.unwrap_or_else(|| self.features.len())
    }

    /// The features that the functions are made of.
    pub(super) fn features(&self) -> &Arc<dyn Basis> {
        &self.features
    }

    /// Σ cⱼ q̂ⱼ as coefficients of the features.
    pub(super) fn over_features(&self, coefficients: &[f64]) -> Vec<f64> {
        match &self.compression {
            Some(compression) => {
                let mut own = vec![0.0; compression.nrows()];
                times(compression.as_ref(), coefficients, &mut own);
                own
            }
            None => coefficients.to_vec(),
        }
    }

    /// Coefficients of the least-squares fit to values at the nodes of the rule.
    pub(super) fn project(&self, values: &[f64]) -> Result<Vec<f64>, SpaceError> {
        let mut samples = self.rows(
            &self.rule.points,
            &Form::action(&Action::identity(self.features.dim())),
        )?;
        scale_rows(&mut samples, &self.rule.weights);
        let weighted = Mat::from_fn(values.len(), 1, |i, _| {
            values[i] * self.rule.weights[i].sqrt()
        });
        let gram = product(samples.transpose(), samples.as_ref());
        let mut coefficients = product(samples.transpose(), weighted.as_ref());
        let factor = cholesky(gram).ok_or(SpaceError::Numerical {
            what: "the Gram matrix of a piece",
        })?;
        cholesky_solve(factor.as_ref(), coefficients.as_mut());
        Ok((0..coefficients.nrows())
            .map(|i| coefficients[(i, 0)])
            .collect())
    }

    /// Σ cⱼ q̂ⱼ at reference points.
    pub(super) fn values(
        &self,
        points: &Array2<f64>,
        coefficients: &[f64],
    ) -> Result<Vec<f64>, SpaceError> {
        let rows = self.rows(
            points,
            &Form::action(&Action::identity(self.features.dim())),
        )?;
        let mut values = vec![0.0; rows.nrows()];
        times(rows.as_ref(), coefficients, &mut values);
        Ok(values)
    }

    /// A sum of derivatives of every function at reference points.
    pub(super) fn rows(
        &self,
        points: &Array2<f64>,
        form: &Form<'_>,
    ) -> Result<Mat<f64>, SpaceError> {
        let raw = self.features.assemble(points.view(), form)?;
        Ok(match &self.compression {
            Some(compression) => product(raw.as_ref(), compression.as_ref()),
            None => raw,
        })
    }
}

/// The form in reference coordinates: every derivative along axis k divided by the half width hₖ.
pub(super) fn scaled<'a>(
    form: &Form<'a>,
    half: &[f64],
    factor: f64,
    store: &'a mut Vec<Vec<f64>>,
) -> Form<'a> {
    let scale = |alpha: &[u32]| {
        alpha.iter().zip(half).fold(factor, |product, (&order, h)| {
            product * h.powi(-i32::try_from(order).unwrap_or(i32::MAX))
        })
    };
    for term in form.terms() {
        if let Coefficient::PerPoint(values) = term.coefficient {
            let scale = scale(term.action.derivative.orders());
            store.push(values.iter().map(|v| v * scale).collect());
        }
    }
    let columns: &'a [Vec<f64>] = store;
    let mut columns = columns.iter();
    let mut out = Form::new();
    for term in form.terms() {
        let coefficient = match term.coefficient {
            Coefficient::Constant(c) => {
                Coefficient::Constant(c * scale(term.action.derivative.orders()))
            }
            Coefficient::PerPoint(_) => {
                Coefficient::PerPoint(columns.next().map_or(&[], Vec::as_slice))
            }
        };
        out.push(coefficient, term.action);
    }
    out
}

/// Points of a product rule along an axis that integrate products of three features.
pub(super) fn points_per_axis(bandwidth: f64, periodic: bool) -> usize {
    if periodic {
        // Waves up to K = bandwidth/π: 3K + 1 points hold the square of u without aliasing into u.
        3 * (bandwidth / PI).floor() as usize + 2
    } else {
        (1.6 * bandwidth) as usize + 24
    }
}

/// Slope and offset of the degree of polynomials that hold waves up to a bandwidth to about ten digits; on a line, where
/// they cost little, to rounding.
fn degree_line(dim: usize) -> (f64, f64) {
    if dim == 1 { (1.4, 16.0) } else { (1.3, 6.0) }
}

/// The degree of polynomials that hold waves up to a bandwidth.
pub(super) fn polynomial_degree(dim: usize, bandwidth: f64) -> u32 {
    let (slope, more) = degree_line(dim);
    (slope * bandwidth + more) as u32
}

/// A bandwidth whose waves polynomials of this degree hold.
pub(super) fn bandwidth_of(dim: usize, degree: usize) -> f64 {
    let (slope, more) = degree_line(dim);
    ((degree as f64 + 0.5 - more) / slope).max(0.1)
}

/// How many polynomials of bounded total degree there are, (d + p choose p).
pub(super) fn polynomial_count(dim: usize, bandwidth: f64) -> f64 {
    let degree = f64::from(polynomial_degree(dim, bandwidth));
    (1..=dim).fold(1.0, |count, k| count * (degree + k as f64) / k as f64)
}

/// About how many functions a bandwidth gives: 2R/π for waves that fit along each axis, and a share
/// for the edges that grows with the digits of the cut.
pub(super) fn expected_rank(dim: usize, bandwidth: f64, cut: f64) -> f64 {
    let digits = -cut.log10();
    let per_axis = 2.0 * bandwidth / PI + 1.45 * digits;
    // The share of the cube of frequencies that a ball takes.
    let share = match dim {
        1 => 1.0,
        2 => 0.62,
        3 => 0.33,
        _ => 0.33_f64.powi(i32::try_from(dim).unwrap_or(3) - 2),
    };
    share * per_axis.powi(i32::try_from(dim).unwrap_or(i32::MAX))
}

/// Enough features that their number does not limit the rank.
fn feature_count(dim: usize, bandwidth: f64, cut: f64) -> usize {
    let factor = if dim == 1 { 2.0 } else { 1.4 };
    (factor * expected_rank(dim, bandwidth, cut)) as usize + 24
}

/// Frequencies evenly in the ball, those along periodic axes on the lattice of the period.
fn draw(
    request: &LocalRequest<'_>,
    dim: usize,
    count: usize,
) -> Result<SinusoidalBasis, SpaceError> {
    let mut sampler = UnitSampler::on_stream(Sequence::Halton, request.seed, 90);
    let mut frequencies = Vec::with_capacity(count * dim);
    let mut phases = Vec::with_capacity(count);
    while phases.len() < count {
        let drawn = sampler.points(count, dim + 1);
        for point in drawn.rows() {
            let unit: Vec<f64> = point.iter().take(dim).map(|u| 2.0 * u - 1.0).collect();
            if phases.len() == count || unit.iter().map(|u| u * u).sum::<f64>() > 1.0 {
                continue;
            }
            for (axis, u) in unit.iter().enumerate() {
                let w = request.bandwidth * u;
                let periodic = request.periodic[axis];
                frequencies.push(if periodic { PI * (w / PI).round() } else { w });
            }
            phases.push(2.0 * PI * point[dim]);
        }
    }
    let frequencies =
        Array2::from_shape_vec((count, dim), frequencies).map_err(|_| SpaceError::Numerical {
            what: "the draw of the features",
        })?;
    Ok(SinusoidalBasis::explicit(frequencies.view(), &phases)?)
}

/// Samples of the features times root weights.
fn weighted(features: &dyn Basis, rule: &Quadrature) -> Result<Mat<f64>, SpaceError> {
    let mut samples = features.values(rule.points.view())?;
    scale_rows(&mut samples, &rule.weights);
    Ok(samples)
}

/// Multiplies each row by the root of its weight.
pub(super) fn scale_rows(matrix: &mut Mat<f64>, weights: &[f64]) {
    for j in 0..matrix.ncols() {
        for (i, weight) in weights.iter().enumerate() {
            matrix[(i, j)] *= weight.sqrt();
        }
    }
}
