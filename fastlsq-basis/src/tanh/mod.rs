//! Hyperbolic-tangent features: the physics-informed extreme learning machine (PIELM) baseline.

mod derivatives;
mod law;

use derivatives::{TanhPolynomial, tanh_sech2};
use faer::MatMut;
use ndarray::{Array2, ArrayView2};

pub use law::{TanhBuilder, WeightLaw};

use crate::basis::{Basis, validate_request};
use crate::error::{require_derivative, require_dim, require_finite, require_size, require_some};
use crate::form::Form;
use crate::grouping::{Group, group_by_coefficient};
use crate::{BasisError, InputMap};

/// Beyond this order the coefficients of the derivative leave the range of `f64`.
const MAX_ORDER: u32 = 150;

/// ψⱼ(x) = tanh(wⱼ·x + bⱼ), with frozen weights and biases; optionally divided by √N.
///
/// D^α ψ = w^α tanh⁽|α|⁾(w·x + b): a polynomial in tanh and sech² for each feature, so a form with
/// constant coefficients is one such polynomial per feature.
///
/// ```
/// use fastlsq_basis::{Basis, MultiIndex, TanhBasis, WeightLaw};
/// let basis = TanhBasis::builder(1, 20).weights(WeightLaw::Uniform(2.0)).seed(1).build()?;
/// let t = basis.value_at(&[0.4])?;
/// let slope = basis.derivative_at(&[0.4], &MultiIndex::new([1]))?;
/// let w = basis.weights();
/// assert!((slope[3] - w[(3, 0)] * (1.0 - t[3] * t[3])).abs() < 1e-14);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Parameters", into = "Parameters")
)]
pub struct TanhBasis {
    dim: usize,
    /// Weights in physical coordinates, one feature after the other.
    weights: Vec<f64>,
    /// Biases in physical coordinates.
    biases: Vec<f64>,
    normalised: bool,
}

impl TanhBasis {
    /// Starts a random basis of `count` features in dimension `dim`; the rest has defaults.
    #[must_use]
    pub fn builder(dim: usize, count: usize) -> TanhBuilder {
        TanhBuilder::new(dim, count)
    }

    /// Features with given weights (one row per feature) and biases, without the factor 1/√N.
    ///
    /// # Errors
    /// Empty or mismatched arrays, numbers that are not finite.
    pub fn explicit(weights: ArrayView2<'_, f64>, biases: &[f64]) -> Result<Self, BasisError> {
        let weights_flat = weights.iter().copied().collect();
        Self::from_parts(weights.ncols(), weights_flat, biases.to_vec(), false)
    }

    fn from_parts(
        dim: usize,
        weights: Vec<f64>,
        biases: Vec<f64>,
        normalised: bool,
    ) -> Result<Self, BasisError> {
        require_some("the space", dim)?;
        require_some("the set of features", biases.len())?;
        let entries = biases.len().saturating_mul(dim);
        require_size("the list of weights", entries, weights.len())?;
        require_finite("the weights", &weights)?;
        require_finite("the biases", &biases)?;
        Ok(Self {
            dim,
            weights,
            biases,
            normalised,
        })
    }

    /// The same features of the mapped point x̂: tanh(w·x̂ + b), rewritten to physical coordinates.
    ///
    /// # Errors
    /// A map of another dimension.
    pub fn mapped(mut self, map: &InputMap) -> Result<Self, BasisError> {
        require_dim("the input map", self.dim, map.dim())?;
        map.fold_into(&mut self.weights, &mut self.biases)?;
        Ok(self)
    }

    /// The weights wⱼ in physical coordinates, one row per feature.
    #[must_use]
    pub fn weights(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.biases.len(), self.dim), |(j, k)| {
            self.weights[j * self.dim + k]
        })
    }

    /// The biases bⱼ in physical coordinates.
    #[must_use]
    pub fn biases(&self) -> &[f64] {
        &self.biases
    }

    /// Whether the features carry the factor 1/√N.
    #[must_use]
    pub fn is_normalised(&self) -> bool {
        self.normalised
    }

    /// The common factor of all features: 1/√N or 1.
    #[must_use]
    pub fn scale(&self) -> f64 {
        if self.normalised {
            1.0 / (self.biases.len() as f64).sqrt()
        } else {
            1.0
        }
    }

    /// The polynomial of one feature that a group of terms adds up to.
    fn collapse(
        &self,
        feature: usize,
        group: &Group<'_>,
        derivatives: &[TanhPolynomial],
    ) -> Result<TanhPolynomial, BasisError> {
        let w = &self.weights[feature * self.dim..(feature + 1) * self.dim];
        let mut sum = TanhPolynomial::default();
        for (constant, action) in &group.terms {
            let alpha = &action.derivative;
            let factor = constant * alpha.monomial(w) * self.scale();
            sum.add(factor, &derivatives[alpha.order() as usize]);
        }
        if sum.is_finite() {
            Ok(sum)
        } else {
            Err(BasisError::NotFinite {
                what: "the derivative's polynomial of a feature",
                index: feature,
                value: f64::INFINITY,
            })
        }
    }
}

impl Basis for TanhBasis {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        self.biases.len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let mut highest = 0;
        for term in form.terms() {
            require_derivative("tanh basis", term.action)?;
            highest = highest.max(term.action.derivative.order());
        }
        if highest > MAX_ORDER {
            return Err(BasisError::Parameter {
                what: "order of the derivative",
                value: f64::from(highest),
                requirement: "at most 150 for tanh features",
            });
        }
        let derivatives: Vec<_> = (0..=highest).map(TanhPolynomial::derivative).collect();
        let groups = group_by_coefficient(form);
        for (j, &bias) in self.biases.iter().enumerate() {
            let w = &self.weights[j * self.dim..(j + 1) * self.dim];
            let polynomials = groups
                .iter()
                .map(|group| self.collapse(j, group, &derivatives))
                .collect::<Result<Vec<_>, _>>()?;
            for (i, x) in points.rows().into_iter().enumerate() {
                let z = w.iter().zip(x).fold(bias, |sum, (w, x)| sum + w * x);
                let (t, s) = tanh_sech2(z);
                out[(i, j)] = groups
                    .iter()
                    .zip(&polynomials)
                    .map(|(group, polynomial)| group.weight(i) * polynomial.at(t, s))
                    .sum();
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<crate::SavedBasis> {
        Some(crate::SavedBasis::Tanh(self.clone()))
    }
}

/// Parameters as they may stand in a file, not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    dim: usize,
    weights: Vec<f64>,
    biases: Vec<f64>,
    normalised: bool,
}

#[cfg(feature = "serde")]
impl From<TanhBasis> for Parameters {
    fn from(basis: TanhBasis) -> Self {
        Self {
            dim: basis.dim,
            weights: basis.weights,
            biases: basis.biases,
            normalised: basis.normalised,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parameters> for TanhBasis {
    type Error = BasisError;

    fn try_from(stored: Parameters) -> Result<Self, BasisError> {
        Self::from_parts(stored.dim, stored.weights, stored.biases, stored.normalised)
    }
}
