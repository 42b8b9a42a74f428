//! Polynomials of bounded total degree, to be joined to other features.

mod univariate;

use faer::MatMut;
use ndarray::ArrayView2;
use univariate::Degree;

use crate::basis::{Basis, validate_request};
use crate::error::require_some;
use crate::form::{Action, AxisIntegral, Form, UpperLimit};
use crate::grouping::split;
use crate::{BasisError, InputMap, MultiIndex};

/// The polynomials of one variable that products are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PolynomialFamily {
    /// 1, x, x², …
    Monomial,
    /// Legendre polynomials, orthogonal on [−1, 1].
    Legendre,
}

/// More columns than this are taken for a mistake.
const MAX_COUNT: f64 = 1e7;
/// More exponents than this, over all columns and axes, likewise.
const MAX_EXPONENTS: f64 = 1e8;

/// (d+p choose p), or infinity as soon as it is too large.
pub(crate) fn count_of(dim: usize, degree: u32) -> f64 {
    // A file may claim any number of axes.
    if dim as f64 > MAX_EXPONENTS {
        return f64::INFINITY;
    }
    let mut count = 1.0;
    for axis in 1..=dim {
        count *= (f64::from(degree) + axis as f64) / axis as f64;
        if count > MAX_COUNT {
            return f64::INFINITY;
        }
    }
    count.round()
}

/// All products Πₖ p_{nₖ}(x̂ₖ) of total degree Σ nₖ ≤ p, in the coordinates of an [`InputMap`].
///
/// Features are ordered by rising total degree, the constant first; there are (d+p choose p).
///
/// ```
/// use fastlsq_basis::{Basis, InputMap, PolynomialBasis};
/// // 1, x̂, ŷ with x̂ = (x − 1)/1 and ŷ = (y − 5)/5
/// let map = InputMap::from_box(&[0.0, 0.0], &[2.0, 10.0])?;
/// let linear = PolynomialBasis::monomials(map, 1)?;
/// assert_eq!(linear.value_at(&[2.0, 5.0])?, [1.0, 1.0, 0.0]);
/// assert_eq!(linear.gradient_at(&[2.0, 5.0])?[(1, 2)], 0.2);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Parameters", into = "Parameters")
)]
pub struct PolynomialBasis {
    map: InputMap,
    family: PolynomialFamily,
    degree: u32,
    exponents: Vec<MultiIndex>,
}

impl PolynomialBasis {
    /// The monomials of total degree at most `degree`.
    ///
    /// # Errors
    /// A map without axes, more than ten million columns, or more than a hundred million exponents in all.
    pub fn monomials(map: InputMap, degree: u32) -> Result<Self, BasisError> {
        Self::of_family(PolynomialFamily::Monomial, map, degree)
    }

    /// Products of Legendre polynomials of total degree at most `degree`.
    ///
    /// # Errors
    /// As [`monomials`](Self::monomials).
    pub fn legendre(map: InputMap, degree: u32) -> Result<Self, BasisError> {
        Self::of_family(PolynomialFamily::Legendre, map, degree)
    }

    fn of_family(family: PolynomialFamily, map: InputMap, degree: u32) -> Result<Self, BasisError> {
        require_some("the space", map.dim())?;
        let count = count_of(map.dim(), degree);
        if count * map.dim() as f64 > MAX_EXPONENTS {
            return Err(BasisError::Parameter {
                what: "degree of the polynomials",
                value: f64::from(degree),
                requirement: "so small that there are at most ten million of them, with at most a hundred million exponents",
            });
        }
        let exponents = MultiIndex::up_to_order(map.dim(), degree);
        Ok(Self {
            map,
            family,
            degree,
            exponents,
        })
    }

    /// The polynomials of one variable that the products are made of.
    #[must_use]
    pub fn family(&self) -> PolynomialFamily {
        self.family
    }

    /// The largest total degree p.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The degrees n of each feature along the axes, in the order of the columns.
    #[must_use]
    pub fn exponents(&self) -> &[MultiIndex] {
        &self.exponents
    }

    /// The map in whose coordinates the polynomials are written.
    #[must_use]
    pub fn map(&self) -> &InputMap {
        &self.map
    }

    /// Writes what stands along one axis for every degree: a derivative, or an integral of one.
    fn write_axis(
        &self,
        axis: usize,
        order: u32,
        integral: Option<&AxisIntegral>,
        x: f64,
        values: &mut [f64],
        lower: &mut [f64],
    ) {
        let half = self.map.half()[axis];
        let power = i32::try_from(order).unwrap_or(i32::MAX);
        let Some(integral) = integral else {
            let at = self.map.apply(axis, x);
            self.family.write(at, Degree::Derivative(order), values);
            scale(values, half.powi(-power));
            return;
        };
        let to = match integral.to {
            UpperLimit::Coordinate => x,
            UpperLimit::Fixed(to) => to,
        };
        let what = match order.checked_sub(1) {
            None => Degree::Antiderivative,
            Some(lower) => Degree::Derivative(lower),
        };
        self.family.write(self.map.apply(axis, to), what, values);
        self.family
            .write(self.map.apply(axis, integral.from), what, lower);
        for (value, lower) in values.iter_mut().zip(lower) {
            *value -= *lower;
        }
        scale(values, half.powi(1 - power));
    }

    fn add_term(
        &self,
        points: ArrayView2<'_, f64>,
        action: &Action,
        constant: f64,
        source: Option<&[f64]>,
        out: &mut MatMut<'_, f64>,
    ) {
        let width = self.degree as usize + 1;
        let dim = self.map.dim();
        let mut table = vec![0.0; dim * width];
        let mut scratch = vec![0.0; width];
        for (i, point) in points.rows().into_iter().enumerate() {
            for axis in 0..dim {
                self.write_axis(
                    axis,
                    action.derivative.orders()[axis],
                    action
                        .integrals
                        .iter()
                        .find(|integral| integral.axis == axis),
                    point[axis],
                    &mut table[axis * width..(axis + 1) * width],
                    &mut scratch,
                );
            }
            let weight = constant * source.map_or(1.0, |values| values[i]);
            for (j, exponents) in self.exponents.iter().enumerate() {
                let product: f64 = exponents
                    .orders()
                    .iter()
                    .zip(table.chunks_exact(width))
                    .map(|(&n, values)| values[n as usize])
                    .product();
                out[(i, j)] += weight * product;
            }
        }
    }
}

fn scale(values: &mut [f64], factor: f64) {
    for value in values {
        // A vanishing derivative stays zero even where the factor overflows.
        if *value != 0.0 {
            *value *= factor;
        }
    }
}

impl Basis for PolynomialBasis {
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn len(&self) -> usize {
        self.exponents.len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        for term in form.terms() {
            if let Some(multiplier) = &term.action.multiplier {
                return Err(BasisError::Unsupported {
                    basis: "polynomial basis",
                    action: format!(
                        "the Fourier multiplier {} (sinusoidal features have one)",
                        multiplier.name()
                    ),
                });
            }
        }
        out.fill(0.0);
        for term in form.terms() {
            let (constant, source) = split(term.coefficient);
            self.add_term(points, term.action, constant, source, &mut out);
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<crate::SavedBasis> {
        Some(crate::SavedBasis::Polynomial(self.clone()))
    }
}

/// Parameters as they may stand in a file, not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    map: InputMap,
    family: PolynomialFamily,
    degree: u32,
}

#[cfg(feature = "serde")]
impl From<PolynomialBasis> for Parameters {
    fn from(basis: PolynomialBasis) -> Self {
        Self {
            map: basis.map,
            family: basis.family,
            degree: basis.degree,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parameters> for PolynomialBasis {
    type Error = BasisError;

    fn try_from(stored: Parameters) -> Result<Self, BasisError> {
        Self::of_family(stored.family, stored.map, stored.degree)
    }
}
