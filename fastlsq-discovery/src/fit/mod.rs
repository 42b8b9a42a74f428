//! The field behind noisy samples, as a sum of sinusoidal features.
//!
//! u ≈ Σ βⱼ φⱼ with β the minimiser of ‖Φβ − y‖² + μ‖β‖². Bandwidth and μ follow from the data;
//! the residual gives the noise level; every derivative of the fit is exact.

mod bandwidth;
mod options;
mod spectrum;

pub(crate) use bandwidth::Search;
use faer::Mat;
use fastlsq_basis::{Basis, FrequencyLaw, InputMap, MultiIndex, SinusoidalBasis};
use fastlsq_solve::Control;
use fastlsq_solve::dense::column;
use ndarray::{ArrayView2, s};
pub use options::FitOptions;
pub use spectrum::Criterion;
pub(crate) use spectrum::{Spectrum, column_of};

use crate::{DiscoveryError, Samples};

/// Rows evaluated together, so that large point sets need little memory.
const BLOCK: usize = 2048;

/// A smooth field fitted to samples.
#[derive(Debug, Clone)]
pub struct FieldFit {
    basis: SinusoidalBasis,
    beta: Vec<f64>,
    spectrum: Spectrum,
    projected: Vec<f64>,
    ridge: f64,
    noise: f64,
    dof: f64,
    residual_square: f64,
    bandwidth: Vec<f64>,
}

impl FieldFit {
    /// Fits the samples.
    ///
    /// # Errors
    /// Options out of range, or a decomposition that does not converge.
    ///
    /// ```
    /// use fastlsq_discovery::{FieldFit, FitOptions, Samples};
    /// use fastlsq_basis::MultiIndex;
    /// let x: Vec<f64> = (0..200).map(|i| 0.03 * i as f64).collect();
    /// let u: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    /// let fit = FieldFit::new(&Samples::on_line(&x, &u)?, &FitOptions::new())?;
    /// let slope = fit.derivative(ndarray::array![[1.0]].view(), &MultiIndex::new([1]))?;
    /// assert!((slope[0] - 1f64.cos()).abs() < 1e-8);
    /// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
    /// ```
    pub fn new(samples: &Samples, options: &FitOptions) -> Result<Self, DiscoveryError> {
        Self::within(samples, options, &Control::new())
    }

    /// As [`new`](Self::new), under a control.
    pub(crate) fn within(
        samples: &Samples,
        options: &FitOptions,
        control: &Control,
    ) -> Result<Self, DiscoveryError> {
        options.validate(samples.dim())?;
        let (lower, upper) = samples.bounds();
        let (count, most) = bandwidth::feature_counts(options, samples);
        let mut family = bandwidth::Family {
            samples,
            map: InputMap::from_box(&lower, &upper)?,
            count,
            seed: options.seed,
            criterion: options.criterion,
            control,
        };
        let (bandwidth, basis) = match &options.bandwidth {
            Some(sigmas) if options.physical_units => {
                let law = FrequencyLaw::PerAxis(sigmas.clone());
                let basis =
                    SinusoidalBasis::random(samples.dim(), family.count, &law, options.seed)?;
                let mapped = sigmas.iter().zip(family.map.half()).map(|(s, h)| s * h);
                (mapped.collect(), basis)
            }
            Some(sigmas) => (sigmas.clone(), family.basis(sigmas)?),
            None => {
                let sigmas = family.search(most)?;
                let basis = family.basis(&sigmas)?;
                (sigmas, basis)
            }
        };
        let phi = family.features(&basis)?;
        let spectrum = Spectrum::new(phi.as_ref())?;
        let score = spectrum.score(samples.values());
        let choice = match options.ridge {
            Some(ridge) => score.at(ridge, options.criterion),
            None => score.best(1e-28, options.criterion),
        };
        let left = (samples.len() as f64 - choice.dof).max(1.0);
        let mut fit = Self {
            basis,
            beta: Vec::new(),
            spectrum,
            projected: score.projected,
            ridge: choice.ridge,
            noise: (choice.residual_square / left).sqrt(),
            dof: choice.dof,
            residual_square: choice.residual_square,
            bandwidth,
        };
        fit.beta = fit.expand(&fit.shrunk(&fit.projected));
        Ok(fit)
    }

    /// Features that are of use for this many samples.
    pub(crate) fn most_features(options: &FitOptions, samples: &Samples) -> usize {
        bandwidth::feature_counts(options, samples).1
    }

    /// The features of explicit options over the box of the samples.
    pub(crate) fn basis_for(
        samples: &Samples,
        options: &FitOptions,
    ) -> Result<SinusoidalBasis, DiscoveryError> {
        let (lower, upper) = samples.bounds();
        let family = bandwidth::Family {
            samples,
            map: InputMap::from_box(&lower, &upper)?,
            count: bandwidth::feature_counts(options, samples).0,
            seed: options.seed,
            criterion: options.criterion,
            control: &Control::new(),
        };
        family.basis(options.bandwidth.as_deref().unwrap_or_default())
    }

    /// The error at each sample of a fit to all the others.
    pub(crate) fn leave_one_out(&self, values: &[f64]) -> Vec<f64> {
        let all: Vec<usize> = (0..values.len()).collect();
        self.spectrum.leave_one_out(values, self.ridge, &all)
    }

    /// V diag(s/(s² + μ)): how unit noise in each left singular direction changes β.
    pub(crate) fn noise_filter(&self) -> Mat<f64> {
        let Spectrum { v, singular, .. } = &self.spectrum;
        Mat::from_fn(v.nrows(), v.ncols(), |j, k| {
            v[(j, k)] * singular[k] / (singular[k] * singular[k] + self.ridge)
        })
    }

    /// Coordinates along the right singular vectors for projected data z = Uᵀy.
    pub(crate) fn shrunk(&self, projected: &[f64]) -> Vec<f64> {
        let singular = &self.spectrum.singular;
        let shrink = |(s, z): (&f64, &f64)| s * z / (s * s + self.ridge);
        singular.iter().zip(projected).map(shrink).collect()
    }

    /// β for coordinates along the right singular vectors.
    pub(crate) fn expand(&self, coordinates: &[f64]) -> Vec<f64> {
        let rank = coordinates.len().min(self.spectrum.v.ncols());
        let beta = self.spectrum.v.as_ref().subcols(0, rank) * column_of(&coordinates[..rank]);
        column(beta.as_ref(), 0)
    }

    /// Singular values, and Uᵀy.
    pub(crate) fn coordinates(&self) -> (&[f64], &[f64]) {
        (&self.spectrum.singular, &self.projected)
    }

    /// The decomposition of the feature matrix.
    pub(crate) fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    /// D^α of the first `rank` right singular functions Φ vᵢ at the points.
    pub(crate) fn singular_functions(
        &self,
        points: ArrayView2<'_, f64>,
        alpha: &MultiIndex,
        rank: usize,
    ) -> Result<Mat<f64>, DiscoveryError> {
        let rows = self.basis.derivatives(points, alpha)?;
        Ok(rows
            * self
                .spectrum
                .v
                .as_ref()
                .subcols(0, rank.min(self.spectrum.v.ncols())))
    }

    /// D^α u at many points.
    ///
    /// # Errors
    /// Points or a multi-index of another dimension.
    pub fn derivative(
        &self,
        points: ArrayView2<'_, f64>,
        alpha: &MultiIndex,
    ) -> Result<Vec<f64>, DiscoveryError> {
        expansion(&self.basis, &self.beta, points, alpha)
    }

    /// u at many points.
    ///
    /// # Errors
    /// Points of another dimension.
    pub fn value(&self, points: ArrayView2<'_, f64>) -> Result<Vec<f64>, DiscoveryError> {
        self.derivative(points, &MultiIndex::zero(self.basis.dim()))
    }

    /// The features.
    #[must_use]
    pub fn basis(&self) -> &SinusoidalBasis {
        &self.basis
    }

    /// Number of features.
    pub(crate) fn basis_len(&self) -> usize {
        self.beta.len()
    }

    /// The coefficients β.
    #[must_use]
    pub fn beta(&self) -> &[f64] {
        &self.beta
    }

    /// Estimated standard deviation of the noise: √(RSS/(n − dof)).
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Degrees of freedom Σ sᵢ²/(sᵢ² + μ) that the fit spends.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> f64 {
        self.dof
    }

    /// The ridge μ in force.
    #[must_use]
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// ‖Φβ − y‖².
    #[must_use]
    pub fn residual_square(&self) -> f64 {
        self.residual_square
    }

    /// The bandwidth along each axis, in coordinates where the data fill [−1, 1].
    #[must_use]
    pub fn bandwidth(&self) -> &[f64] {
        &self.bandwidth
    }
}

/// D^α Σ βⱼφⱼ at many points, a block at a time.
pub(crate) fn expansion(
    basis: &SinusoidalBasis,
    beta: &[f64],
    points: ArrayView2<'_, f64>,
    alpha: &MultiIndex,
) -> Result<Vec<f64>, DiscoveryError> {
    let beta = column_of(beta);
    let mut out = Vec::with_capacity(points.nrows());
    let mut start = 0;
    while start < points.nrows() {
        let end = (start + BLOCK).min(points.nrows());
        let rows = basis.derivatives(points.slice(s![start..end, ..]), alpha)?;
        let values = rows * &beta;
        out.extend(values.col(0).iter());
        start = end;
    }
    Ok(out)
}
