//! The affine map from a bounding box to [−1, 1]^d, folded into the features by the chain rule.

use crate::BasisError;
use crate::error::{require_dim, require_finite};

/// x ↦ x̂ = (x − centre) / half, axis by axis: a box becomes [−1, 1]^d.
///
/// A basis that is built with a map still speaks physical coordinates: sin(ŵ·x̂ + b) is
/// sin(w·x + b′) with w = ŵ/half and b′ = b − w·centre, so derivatives need no further care.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "UncheckedMap")
)]
pub struct InputMap {
    center: Vec<f64>,
    half: Vec<f64>,
}

/// An [`InputMap`] as it may stand in a file.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedMap {
    center: Vec<f64>,
    half: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<UncheckedMap> for InputMap {
    type Error = BasisError;

    fn try_from(map: UncheckedMap) -> Result<Self, BasisError> {
        Self::from_center(map.center, map.half)
    }
}

impl InputMap {
    /// x̂ = x.
    #[must_use]
    pub fn identity(dim: usize) -> Self {
        Self {
            center: vec![0.0; dim],
            half: vec![1.0; dim],
        }
    }

    /// The map that takes the box with these corners to [−1, 1]^d.
    ///
    /// # Errors
    /// Corners of different lengths, not finite, or with `lower ≥ upper` along an axis.
    pub fn from_box(lower: &[f64], upper: &[f64]) -> Result<Self, BasisError> {
        require_dim("the upper corner", lower.len(), upper.len())?;
        require_finite("the lower corner", lower)?;
        require_finite("the upper corner", upper)?;
        let center = lower
            .iter()
            .zip(upper)
            .map(|(a, b)| 0.5 * a + 0.5 * b)
            .collect();
        let half: Vec<f64> = lower
            .iter()
            .zip(upper)
            .map(|(a, b)| 0.5 * b - 0.5 * a)
            .collect();
        Self::from_center(center, half)
    }

    /// The map that takes the box with this centre and these half-widths to [−1, 1]^d.
    ///
    /// # Errors
    /// Lists of different lengths, not finite, or a half-width that is not positive.
    pub fn from_center(center: Vec<f64>, half: Vec<f64>) -> Result<Self, BasisError> {
        require_dim("the list of half-widths", center.len(), half.len())?;
        require_finite("the centre of the box", &center)?;
        require_finite("the half-widths of the box", &half)?;
        if let Some(&width) = half.iter().find(|h| **h <= 0.0) {
            return Err(BasisError::Parameter {
                what: "half-width of the box",
                value: width,
                requirement: "the lower corner must lie below the upper one along every axis",
            });
        }
        Ok(Self { center, half })
    }

    /// The number of axes.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.center.len()
    }

    /// The point that is mapped to the origin.
    #[must_use]
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// The half-width of the box along each axis.
    #[must_use]
    pub fn half(&self) -> &[f64] {
        &self.half
    }

    /// x̂ along one axis; axes beyond the last are left as they are.
    #[must_use]
    pub fn apply(&self, axis: usize, x: f64) -> f64 {
        match (self.center.get(axis), self.half.get(axis)) {
            (Some(center), Some(half)) => (x - center) / half,
            _ => x,
        }
    }

    /// Rewrites ridge parameters given in mapped coordinates, ŵ·x̂ + b, to physical ones, w·x + b′.
    ///
    /// # Errors
    /// Numbers that leave the range of floating point (a box far too narrow or too far away).
    pub(crate) fn fold_into(
        &self,
        weights: &mut [f64],
        biases: &mut [f64],
    ) -> Result<(), BasisError> {
        for (w, b) in weights
            .chunks_exact_mut(self.dim().max(1))
            .zip(&mut *biases)
        {
            for ((w, center), half) in w.iter_mut().zip(&self.center).zip(&self.half) {
                *w /= half;
                *b -= *w * center;
            }
        }
        require_finite("the weights in physical coordinates", weights)?;
        require_finite("the biases in physical coordinates", biases)
    }
}
