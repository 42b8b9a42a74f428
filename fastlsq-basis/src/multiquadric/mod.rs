//! Multiquadric radial functions: Kansa's collocation baseline.

mod derivatives;

use derivatives::{RootDerivative, WorkSpace};
use faer::MatMut;
use ndarray::{Array2, ArrayView2};

use crate::basis::{Basis, validate_request};
use crate::error::{require_derivative, require_dim, require_finite, require_size, require_some};
use crate::form::Form;
use crate::grouping::group_by_coefficient;
use crate::{BasisError, InputMap};

/// φⱼ(x) = √(c² + |x̂ − x̂ⱼ|²): one feature for each centre xⱼ, with shape parameter c.
///
/// Distances are measured in the coordinates of an [`InputMap`], so that axes of different lengths
/// count alike; centres and points are given in physical coordinates.
///
/// ```
/// use fastlsq_basis::{Basis, MultiquadricBasis};
/// use ndarray::array;
/// let basis = MultiquadricBasis::new(array![[0.0, 0.0], [1.0, 2.0]].view(), 0.5)?;
/// assert_eq!(basis.value_at(&[0.0, 0.0])?[0], 0.5);
/// // Δφ = (2c² + |x − xⱼ|²) / φ³ in the plane
/// assert!((basis.laplacian_at(&[0.0, 0.0])?[1] - 5.5 / 5.25f64.powf(1.5)).abs() < 1e-14);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Parameters", into = "Parameters")
)]
pub struct MultiquadricBasis {
    /// Centres in physical coordinates, one after the other.
    centers: Vec<f64>,
    shape: f64,
    map: InputMap,
}

impl MultiquadricBasis {
    /// Radial functions about these centres (one row per centre) with shape parameter c > 0.
    ///
    /// # Errors
    /// No centres or axes, a shape that is not positive, numbers that are not finite.
    pub fn new(centers: ArrayView2<'_, f64>, shape: f64) -> Result<Self, BasisError> {
        let map = InputMap::identity(centers.ncols());
        Self::with_map(centers, shape, map)
    }

    /// The same with distances, and so the shape, in the coordinates of a map.
    ///
    /// # Errors
    /// As [`new`](Self::new); a map of another dimension.
    pub fn with_map(
        centers: ArrayView2<'_, f64>,
        shape: f64,
        map: InputMap,
    ) -> Result<Self, BasisError> {
        require_dim("the input map", centers.ncols(), map.dim())?;
        Self::from_parts(centers.iter().copied().collect(), shape, map)
    }

    fn from_parts(centers: Vec<f64>, shape: f64, map: InputMap) -> Result<Self, BasisError> {
        require_some("the space", map.dim())?;
        require_some("the set of centres", centers.len())?;
        let whole = centers.len().div_ceil(map.dim()) * map.dim();
        require_size("the list of centres", whole, centers.len())?;
        require_finite("the centres", &centers)?;
        if !(shape.is_finite() && shape > 0.0) {
            return Err(BasisError::Parameter {
                what: "shape parameter c",
                value: shape,
                requirement: "positive and finite (a cone at c = 0 has no derivatives)",
            });
        }
        Ok(Self {
            centers,
            shape,
            map,
        })
    }

    /// The centres in physical coordinates, one row each.
    #[must_use]
    pub fn centers(&self) -> Array2<f64> {
        let dim = self.map.dim();
        Array2::from_shape_fn((self.centers.len() / dim, dim), |(j, k)| {
            self.centers[j * dim + k]
        })
    }

    /// The shape parameter c.
    #[must_use]
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The map in whose coordinates distances are measured.
    #[must_use]
    pub fn map(&self) -> &InputMap {
        &self.map
    }
}

impl Basis for MultiquadricBasis {
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn len(&self) -> usize {
        self.centers.len() / self.map.dim()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let half = self.map.half();
        let groups = group_by_coefficient(form);
        let derivatives = groups
            .iter()
            .flat_map(|group| &group.terms)
            .map(|(constant, action)| {
                require_derivative("multiquadric basis", action)?;
                RootDerivative::new(&action.derivative, half, *constant)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut u = vec![0.0; self.dim()];
        let mut work = WorkSpace::of(&derivatives);
        for (j, center) in self.centers.chunks_exact(self.dim()).enumerate() {
            for (i, x) in points.rows().into_iter().enumerate() {
                let mut squared = self.shape * self.shape;
                for (((u, x), center), half) in u.iter_mut().zip(x).zip(center).zip(half) {
                    *u = (x - center) / half;
                    squared += *u * *u;
                }
                let root = squared.sqrt();
                for u in &mut u {
                    *u /= root;
                }
                let mut rest = derivatives.iter();
                out[(i, j)] = groups
                    .iter()
                    .map(|group| {
                        let terms = rest.by_ref().take(group.terms.len());
                        group.weight(i) * terms.map(|d| d.at(&u, root, &mut work)).sum::<f64>()
                    })
                    .sum();
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<crate::SavedBasis> {
        Some(crate::SavedBasis::Multiquadric(self.clone()))
    }
}

/// Parameters as they may stand in a file, not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    centers: Vec<f64>,
    shape: f64,
    map: InputMap,
}

#[cfg(feature = "serde")]
impl From<MultiquadricBasis> for Parameters {
    fn from(basis: MultiquadricBasis) -> Self {
        Self {
            centers: basis.centers,
            shape: basis.shape,
            map: basis.map,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parameters> for MultiquadricBasis {
    type Error = BasisError;

    fn try_from(stored: Parameters) -> Result<Self, BasisError> {
        Self::from_parts(stored.centers, stored.shape, stored.map)
    }
}
