//! Sinusoidal random features, the heart of the method (paper, Eq. 1 and 3).

mod builder;
mod collapse;
mod draw;
mod gradient;
mod kernel;
mod law;
mod low_order;
mod rows;
#[cfg(feature = "serde")]
mod serial;

use ndarray::{Array2, ArrayView2};

pub use builder::SinusoidalBuilder;
pub use collapse::{WaveGroup, WavePass};
pub use draw::Draw;
pub use law::FrequencyLaw;

use crate::error::{require_dim, require_finite, require_size, require_some};
use crate::{Basis, BasisError, InputMap};

/// Declared symmetry of all features along one axis, about the centre of the input map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Parity {
    /// No symmetry.
    #[default]
    None,
    /// φ(…, c − y, …) = φ(…, c + y, …).
    Even,
    /// φ(…, c − y, …) = −φ(…, c + y, …).
    Odd,
}

/// Derivatives along parity axes are told apart by one bit per axis.
const MAX_PARITY_AXES: usize = 64;

/// φⱼ(x) = sin(wⱼ·x + bⱼ)/√N with random, frozen wⱼ and bⱼ.
///
/// With parity declared along some axes, the feature is symmetrised exactly: those axes leave the
/// phase and contribute a factor cos(w_a(x_a − c_a)) (even) or sin(w_a(x_a − c_a)) (odd), which is
/// the average of the plain feature over reflections.
///
/// ```
/// use fastlsq_basis::{Basis, FrequencyLaw, SinusoidalBasis};
/// let basis = SinusoidalBasis::random(2, 100, &FrequencyLaw::Isotropic(5.0), 0)?;
/// let laplacian = basis.laplacian_at(&[0.3, 0.7])?;
/// let (w, value) = (basis.frequency(0), basis.value_at(&[0.3, 0.7])?);
/// // Δφ = −|w|² φ
/// assert!((laplacian[0] + (w[0] * w[0] + w[1] * w[1]) * value[0]).abs() < 1e-12);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "serial::Parameters", into = "serial::Parameters")
)]
pub struct SinusoidalBasis {
    dim: usize,
    /// Standard normal draw ŵ, one feature after the other; for explicit features, w itself.
    draw: Vec<f64>,
    /// Phases in the coordinates of the map.
    drawn_phases: Vec<f64>,
    law: Option<FrequencyLaw>,
    map: InputMap,
    parity: Vec<Parity>,
    /// The N of the factor 1/√N; `None` for no factor.
    normalised_by: Option<usize>,
    /// Frequencies in physical coordinates.
    frequencies: Vec<f64>,
    /// Phases in physical coordinates.
    phases: Vec<f64>,
}

impl SinusoidalBasis {
    /// `count` normalised features in dimension `dim` with independent frequencies of this law.
    ///
    /// # Errors
    /// As [`SinusoidalBuilder::build`].
    pub fn random(
        dim: usize,
        count: usize,
        law: &FrequencyLaw,
        seed: u64,
    ) -> Result<Self, BasisError> {
        Self::builder(dim, count)
            .law(law.clone())
            .seed(seed)
            .build()
    }

    /// Features with given frequencies (one row per feature) and phases, without the factor 1/√N.
    ///
    /// # Errors
    /// Empty or mismatched arrays, numbers that are not finite.
    pub fn explicit(frequencies: ArrayView2<'_, f64>, phases: &[f64]) -> Result<Self, BasisError> {
        let (count, dim) = frequencies.dim();
        require_some("the space", dim)?;
        require_some("the set of features", count)?;
        require_size("the list of phases", count, phases.len())?;
        let draw: Vec<f64> = frequencies.iter().copied().collect();
        require_finite("the frequencies", &draw)?;
        require_finite("the phases", phases)?;
        Self {
            dim,
            draw,
            drawn_phases: phases.to_vec(),
            law: None,
            map: InputMap::identity(dim),
            parity: vec![Parity::None; dim],
            normalised_by: None,
            frequencies: Vec::new(),
            phases: Vec::new(),
        }
        .refreshed()
    }

    /// The same draw under another law: w = L ŵ with another σ or L.
    ///
    /// For explicit features the given frequencies take the place of ŵ.
    ///
    /// # Errors
    /// A law that does not fit the dimension.
    pub fn with_law(&self, law: &FrequencyLaw) -> Result<Self, BasisError> {
        law.validate(self.dim)?;
        let mut basis = self.clone();
        basis.law = Some(law.clone());
        basis.refreshed()
    }

    /// The same features with other symmetry.
    ///
    /// # Errors
    /// A list of the wrong length, or more than 64 axes with parity.
    pub fn with_parity(&self, parity: &[Parity]) -> Result<Self, BasisError> {
        let mut basis = self.clone();
        basis.parity = parity.to_vec();
        basis.refreshed()
    }

    /// Only the features with these indices, in this order, with their present scale.
    ///
    /// # Errors
    /// An index out of range, or an empty list.
    pub fn select(&self, features: &[usize]) -> Result<Self, BasisError> {
        require_some("the selection", features.len())?;
        let count = self.len();
        if let Some(&worst) = features.iter().find(|&&j| j >= count) {
            return Err(BasisError::Shape {
                what: "the selection",
                expected: count,
                found: worst,
            });
        }
        // The law may treat features by position (blocks), so the selection is made explicit.
        let mapped = self.mapped_frequencies();
        let mut basis = self.clone();
        basis.law = None;
        basis.draw = features
            .iter()
            .flat_map(|&j| mapped[j * self.dim..(j + 1) * self.dim].to_vec())
            .collect();
        basis.drawn_phases = features.iter().map(|&j| self.drawn_phases[j]).collect();
        basis.refreshed()
    }

    /// Frequencies in the coordinates of the map.
    fn mapped_frequencies(&self) -> Vec<f64> {
        let mut mapped = self.draw.clone();
        if let Some(law) = &self.law {
            law.transform(self.dim, &self.draw, &mut mapped);
        }
        mapped
    }

    /// With physical frequencies and phases computed from draw, law, map and parity.
    fn refreshed(mut self) -> Result<Self, BasisError> {
        require_dim("the list of parities", self.dim, self.parity.len())?;
        let symmetric = self.parity.iter().filter(|p| **p != Parity::None).count();
        if symmetric > MAX_PARITY_AXES {
            return Err(BasisError::Parameter {
                what: "number of axes with parity",
                value: symmetric as f64,
                requirement: "at most 64",
            });
        }
        let mut frequencies = self.mapped_frequencies();
        let mut phases = self.drawn_phases.clone();
        let (half, center) = (self.map.half(), self.map.center());
        for (w, b) in frequencies.chunks_exact_mut(self.dim).zip(&mut phases) {
            for axis in 0..self.dim {
                w[axis] /= half[axis];
                if self.parity[axis] == Parity::None {
                    *b -= w[axis] * center[axis];
                }
            }
            if symmetric == self.dim {
                // No axis is left for the phase: the factor sin(b) becomes 1.
                *b = std::f64::consts::FRAC_PI_2;
            }
        }
        require_finite("the frequencies in physical coordinates", &frequencies)?;
        require_finite("the phases in physical coordinates", &phases)?;
        self.frequencies = frequencies;
        self.phases = phases;
        Ok(self)
    }

    /// wⱼ in physical coordinates (empty if there is no such feature).
    #[must_use]
    pub fn frequency(&self, feature: usize) -> &[f64] {
        let start = feature.saturating_mul(self.dim);
        self.frequencies
            .get(start..start.saturating_add(self.dim))
            .unwrap_or(&[])
    }

    /// All frequencies in physical coordinates, one row per feature.
    #[must_use]
    pub fn frequencies(&self) -> Array2<f64> {
        self.rows_of(&self.frequencies)
    }

    /// The phases bⱼ in physical coordinates.
    #[must_use]
    pub fn phases(&self) -> &[f64] {
        &self.phases
    }

    /// The standard draw ŵ, one row per feature (for explicit features, the frequencies as given).
    #[must_use]
    pub fn standard_draw(&self) -> Array2<f64> {
        self.rows_of(&self.draw)
    }

    fn rows_of(&self, flat: &[f64]) -> Array2<f64> {
        let mut rows = Array2::zeros((flat.len() / self.dim.max(1), self.dim));
        for (target, source) in rows.iter_mut().zip(flat) {
            *target = *source;
        }
        rows
    }

    /// The law of the frequencies; `None` for explicit features.
    #[must_use]
    pub fn law(&self) -> Option<&FrequencyLaw> {
        self.law.as_ref()
    }

    /// The map of the inputs.
    #[must_use]
    pub fn map(&self) -> &InputMap {
        &self.map
    }

    /// Declared symmetry along each axis.
    #[must_use]
    pub fn parity(&self) -> &[Parity] {
        &self.parity
    }

    /// Whether the features carry a factor 1/√N.
    #[must_use]
    pub fn is_normalised(&self) -> bool {
        self.normalised_by.is_some()
    }

    /// The common factor of all features: 1/√N or 1. A [selection](Self::select) keeps it.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.normalised_by.map_or(1.0, |n| 1.0 / (n as f64).sqrt())
    }
}
