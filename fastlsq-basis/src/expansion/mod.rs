//! Sums of waves as functions: closed under derivatives, products and powers, with exact integrals.

mod algebra;
mod amplitude;
mod integral;

use amplitude::Amplitude;
use ndarray::{Array2, ArrayView2};

pub use integral::AxisAntiderivative;

use crate::basis::{Basis, validate_points};
use crate::error::{require_dim, require_finite, require_size, require_some};
use crate::identities::{couple, decouple};
use crate::sinusoidal::{Parity, SinusoidalBasis};
use crate::{BasisError, MultiIndex};

/// u(x) = Σⱼ [sⱼ sin(wⱼ·x) + cⱼ cos(wⱼ·x)]: a function, not a set of features.
///
/// Phases are decoupled, sin(z + b) = cos b sin z + sin b cos z, so that every operation acts on the
/// pairs (sⱼ, cⱼ) alone: derivatives rotate them, and products and powers of expansions are again
/// expansions, at sums and differences of the frequencies (paper, product and power identities).
///
/// ```
/// use fastlsq_basis::SinusoidalExpansion;
/// use ndarray::array;
/// // sin³ x = (3 sin x − sin 3x)/4
/// let sine = SinusoidalExpansion::new(array![[1.0]].view(), &[0.0], &[1.0])?;
/// let cube = sine.cube();
/// assert_eq!(cube.frequencies(), array![[3.0], [1.0]]);
/// assert_eq!(cube.sines(), [-0.25, 0.75]);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SinusoidalExpansion {
    dim: usize,
    /// One frequency after the other.
    frequencies: Vec<f64>,
    amplitudes: Vec<Amplitude>,
}

impl SinusoidalExpansion {
    /// Σⱼ coefficientⱼ sin(wⱼ·x + phaseⱼ), with one row per frequency.
    ///
    /// # Errors
    /// No axes, lists of different lengths, numbers that are not finite.
    pub fn new(
        frequencies: ArrayView2<'_, f64>,
        phases: &[f64],
        coefficients: &[f64],
    ) -> Result<Self, BasisError> {
        require_size("the list of phases", frequencies.nrows(), phases.len())?;
        require_size(
            "the list of coefficients",
            frequencies.nrows(),
            coefficients.len(),
        )?;
        require_finite("the phases", phases)?;
        let (sines, cosines): (Vec<f64>, Vec<f64>) = phases
            .iter()
            .zip(coefficients)
            .map(|(&phase, factor)| {
                let (sine, cosine) = decouple(phase);
                (factor * sine, factor * cosine)
            })
            .unzip();
        Self::from_sines_and_cosines(frequencies, &sines, &cosines)
    }

    /// Σⱼ [sⱼ sin(wⱼ·x) + cⱼ cos(wⱼ·x)], with one row per frequency.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_sines_and_cosines(
        frequencies: ArrayView2<'_, f64>,
        sines: &[f64],
        cosines: &[f64],
    ) -> Result<Self, BasisError> {
        let (count, dim) = frequencies.dim();
        require_some("the space", dim)?;
        require_size("the list of sine coefficients", count, sines.len())?;
        require_size("the list of cosine coefficients", count, cosines.len())?;
        let frequencies: Vec<f64> = frequencies.iter().copied().collect();
        require_finite("the frequencies", &frequencies)?;
        require_finite("the sine coefficients", sines)?;
        require_finite("the cosine coefficients", cosines)?;
        let amplitudes = sines
            .iter()
            .zip(cosines)
            .map(|(&sine, &cosine)| Amplitude { sine, cosine })
            .collect();
        Ok(Self {
            dim,
            frequencies,
            amplitudes,
        })
    }

    /// Σⱼ βⱼ φⱼ for sinusoidal features. Each axis with declared parity doubles the number of waves.
    ///
    /// # Errors
    /// A coefficient vector of the wrong length or not finite.
    pub fn from_basis(basis: &SinusoidalBasis, coefficients: &[f64]) -> Result<Self, BasisError> {
        require_size("the coefficient vector", basis.len(), coefficients.len())?;
        require_finite("the coefficient vector", coefficients)?;
        let (dim, parity) = (basis.dim(), basis.parity());
        let mut expansion = Self::zero(dim);
        for (j, coefficient) in coefficients.iter().enumerate() {
            let w = basis.frequency(j);
            // The part outside the parity axes, then a factor cos y or sin y for each of those.
            let ridge: Vec<f64> = w
                .iter()
                .zip(parity)
                .map(|(w, p)| if *p == Parity::None { *w } else { 0.0 })
                .collect();
            let wave = Amplitude::of_phase(basis.phases()[j]).scaled(coefficient * basis.scale());
            let mut product = Self::wave(ridge, wave);
            for axis in (0..dim).filter(|&axis| parity[axis] != Parity::None) {
                let mut along = vec![0.0; dim];
                along[axis] = w[axis];
                let shift = Amplitude::of_phase(-w[axis] * basis.map().center()[axis]);
                let factor = match parity[axis] {
                    Parity::Odd => shift,
                    // cos y = sin(y + π/2)
                    Parity::Even | Parity::None => shift.advanced(),
                };
                product = product.times(&Self::wave(along, factor));
            }
            expansion.frequencies.extend(product.frequencies);
            expansion.amplitudes.extend(product.amplitudes);
        }
        Ok(expansion)
    }

    /// The constant function.
    ///
    /// # Errors
    /// No axes, or a value that is not finite.
    pub fn constant(dim: usize, value: f64) -> Result<Self, BasisError> {
        require_some("the space", dim)?;
        require_finite("the constant", &[value])?;
        Ok(Self::wave(
            vec![0.0; dim],
            Amplitude {
                sine: 0.0,
                cosine: value,
            },
        ))
    }

    /// The zero function.
    fn zero(dim: usize) -> Self {
        Self {
            dim,
            frequencies: Vec::new(),
            amplitudes: Vec::new(),
        }
    }

    fn wave(frequency: Vec<f64>, amplitude: Amplitude) -> Self {
        Self {
            dim: frequency.len(),
            frequencies: frequency,
            amplitudes: vec![amplitude],
        }
    }

    /// The dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of waves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.amplitudes.len()
    }

    /// Whether this is the empty sum, the zero function.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.amplitudes.is_empty()
    }

    /// The frequencies, one row each.
    #[must_use]
    pub fn frequencies(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.len(), self.dim), |(j, k)| {
            self.frequencies[j * self.dim + k]
        })
    }

    /// The coefficients of the sines.
    #[must_use]
    pub fn sines(&self) -> Vec<f64> {
        self.amplitudes.iter().map(|a| a.sine).collect()
    }

    /// The coefficients of the cosines.
    #[must_use]
    pub fn cosines(&self) -> Vec<f64> {
        self.amplitudes.iter().map(|a| a.cosine).collect()
    }

    /// The waves as unnormalised features with phases, and their coefficients.
    ///
    /// # Errors
    /// [`BasisError::Empty`] for the empty sum.
    pub fn to_features(&self) -> Result<(SinusoidalBasis, Vec<f64>), BasisError> {
        let (coefficients, phases): (Vec<f64>, Vec<f64>) = self
            .amplitudes
            .iter()
            .map(|a| couple(a.sine, a.cosine))
            .unzip();
        let basis = SinusoidalBasis::explicit(self.frequencies().view(), &phases)?;
        Ok((basis, coefficients))
    }

    /// The waves with their frequencies.
    fn waves(&self) -> impl Iterator<Item = (&[f64], Amplitude)> {
        self.frequencies
            .chunks_exact(self.dim)
            .zip(self.amplitudes.iter().copied())
    }

    /// u(x).
    ///
    /// # Errors
    /// A point of another dimension or not finite.
    pub fn value(&self, x: &[f64]) -> Result<f64, BasisError> {
        require_dim("the point", self.dim, x.len())?;
        require_finite("the point", x)?;
        Ok(self.waves().map(|(w, a)| a.at(dot(w, x))).sum())
    }

    /// u at many points, one row per point.
    ///
    /// # Errors
    /// Points of another dimension or not finite.
    pub fn values(&self, points: ArrayView2<'_, f64>) -> Result<Vec<f64>, BasisError> {
        validate_points(self.dim, points)?;
        points
            .rows()
            .into_iter()
            .map(|x| self.value(&x.to_vec()))
            .collect()
    }

    /// D^α u, again an expansion with the same frequencies.
    ///
    /// # Errors
    /// A multi-index of another dimension.
    pub fn derivative(&self, alpha: &MultiIndex) -> Result<Self, BasisError> {
        require_dim("the multi-index", self.dim, alpha.dim())?;
        let turns = alpha.orders().iter().map(|n| n % 4).sum::<u32>() % 4;
        let amplitudes: Vec<_> = self
            .waves()
            .map(|(w, a)| {
                let turned = (0..turns).fold(a, |a, _| a.advanced());
                turned.scaled(alpha.monomial(w))
            })
            .collect();
        if let Some(index) = amplitudes.iter().position(|a| !a.is_finite()) {
            return Err(BasisError::NotFinite {
                what: "the derivative's coefficients",
                index,
                value: f64::INFINITY,
            });
        }
        Ok(Self {
            dim: self.dim,
            frequencies: self.frequencies.clone(),
            amplitudes,
        })
    }
}

fn dot(w: &[f64], x: &[f64]) -> f64 {
    w.iter().zip(x).map(|(w, x)| w * x).sum()
}
