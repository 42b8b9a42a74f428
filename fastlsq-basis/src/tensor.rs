//! Products of functions of one coordinate, all of them: what boxes and tori have along their axes.

use std::f64::consts::PI;

use faer::MatMut;
use ndarray::ArrayView2;

use crate::BasisError;
use crate::basis::{Basis, validate_request, validate_sums};
use crate::error::{require_derivative, require_finite, require_some};
use crate::form::Form;
use crate::legendre;
use crate::saved::SavedBasis;

/// More functions along an axis than this are taken for a mistake.
const MOST_ALONG: usize = 2000;
/// More products than this likewise.
const MOST: f64 = 1e7;

/// Functions of one coordinate, orthonormal on [lo, hi]: Legendre polynomials of rising degree, or 1, cos κx, sin κx, cos 2κx, … where
/// the ends are joined to a circle.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "StoredAxis")
)]
pub struct AxisFunctions {
    lo: f64,
    hi: f64,
    periodic: bool,
    count: usize,
}

/// An axis as it may stand in a file, not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredAxis {
    lo: f64,
    hi: f64,
    periodic: bool,
    count: usize,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredAxis> for AxisFunctions {
    type Error = BasisError;

    fn try_from(stored: StoredAxis) -> Result<Self, BasisError> {
        Self::new((stored.lo, stored.hi), stored.periodic, stored.count)
    }
}

impl AxisFunctions {
    /// `count` functions on [lo, hi]; on a circle their number is odd.
    ///
    /// # Errors
    /// Ends that do not increase or are not finite; no functions, more than 2000, or an even number on a circle.
    pub fn new((lo, hi): (f64, f64), periodic: bool, count: usize) -> Result<Self, BasisError> {
        require_finite("the ends of an axis", &[lo, hi, hi - lo])?;
        if lo >= hi {
            return Err(BasisError::Parameter {
                what: "upper end of an axis",
                value: hi,
                requirement: "above the lower one",
            });
        }
        if count == 0 || count > MOST_ALONG || (periodic && count.is_multiple_of(2)) {
            return Err(BasisError::Parameter {
                what: "number of functions along an axis",
                value: count as f64,
                requirement: "between 1 and 2000, and odd where the axis is periodic",
            });
        }
        Ok(Self {
            lo,
            hi,
            periodic,
            count,
        })
    }

    /// The ends.
    #[must_use]
    pub fn ends(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }

    /// Whether the ends are joined.
    #[must_use]
    pub fn is_periodic(&self) -> bool {
        self.periodic
    }

    /// The number of functions.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The derivative of order d of every function at a point.
    #[must_use]
    pub fn row(&self, d: u32, x: f64) -> Vec<f64> {
        let power = i32::try_from(d).unwrap_or(i32::MAX);
        if !self.periodic {
            let half = 0.5 * (self.hi - self.lo);
            let scale = half.powi(-power) / half.sqrt();
            let mut row = vec![0.0; self.count];
            legendre::derivatives((x - 0.5 * (self.lo + self.hi)) / half, d, &mut row);
            for (k, value) in row.iter_mut().enumerate() {
                // ∫ Pₖ² = 1/(k + ½).
                // A vanishing derivative stays zero even where the scale overflows.
                if *value != 0.0 {
                    *value *= scale * (k as f64 + 0.5).sqrt();
                }
            }
            return row;
        }
        let length = self.hi - self.lo;
        let (flat, wave) = (length.recip().sqrt(), (2.0 / length).sqrt());
        let mut row = Vec::with_capacity(self.count);
        row.push(if d == 0 { flat } else { 0.0 });
        for k in 1..=self.count / 2 {
            let frequency = 2.0 * PI * k as f64 / length;
            // Whole turns are removed before the sine is taken.
            let turns = k as f64 * ((x - self.lo) / length);
            let (sin, cos) = (2.0 * PI * (turns - turns.round())).sin_cos();
            let scale = wave * frequency.powi(power);
            let (c, s) = match d % 4 {
                0 => (cos, sin),
                1 => (-sin, cos),
                2 => (-cos, -sin),
                _ => (sin, -cos),
            };
            row.extend([scale * c, scale * s]);
        }
        row
    }
}

/// All products of the functions along the axes of a box, those of the first axis running fastest.
///
/// ```
/// use fastlsq_basis::{AxisFunctions, Basis, TensorBasis};
/// // Four polynomials along x, five waves around y: an orthonormal basis of twenty functions.
/// let line = AxisFunctions::new((0.0, 2.0), false, 4)?;
/// let circle = AxisFunctions::new((0.0, 1.0), true, 5)?;
/// let basis = TensorBasis::new(vec![line, circle])?;
/// assert_eq!(basis.len(), 20);
/// assert!((basis.value_at(&[0.3, 0.8])?[0] - 0.5_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "StoredTensor")
)]
pub struct TensorBasis {
    axes: Vec<AxisFunctions>,
}

/// The axes as they may stand in a file, not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTensor {
    axes: Vec<AxisFunctions>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredTensor> for TensorBasis {
    type Error = BasisError;

    fn try_from(stored: StoredTensor) -> Result<Self, BasisError> {
        Self::new(stored.axes)
    }
}

/// The number of products.
pub(crate) fn count_of(counts: impl Iterator<Item = usize>) -> f64 {
    counts.fold(1.0, |product, count| product * count as f64)
}

impl TensorBasis {
    /// The products over these axes.
    ///
    /// # Errors
    /// No axes, or more than ten million products.
    pub fn new(axes: Vec<AxisFunctions>) -> Result<Self, BasisError> {
        require_some("the list of axes", axes.len())?;
        let count = count_of(axes.iter().map(AxisFunctions::count));
        if count > MOST {
            return Err(BasisError::Parameter {
                what: "number of products",
                value: count,
                requirement: "at most ten million",
            });
        }
        Ok(Self { axes })
    }

    /// The functions along each axis.
    #[must_use]
    pub fn axes(&self) -> &[AxisFunctions] {
        &self.axes
    }

    /// The derivatives of the functions along each axis at a point.
    fn rows(&self, orders: &[u32], point: ndarray::ArrayView1<'_, f64>) -> Vec<Vec<f64>> {
        let pairs = self.axes.iter().zip(orders).zip(point);
        pairs.map(|((axis, d), x)| axis.row(*d, *x)).collect()
    }
}

/// Sums over the axis that runs fastest.
fn contracted(beta: &[f64], row: &[f64]) -> Vec<f64> {
    let sums = beta.chunks_exact(row.len());
    sums.map(|own| own.iter().zip(row).map(|(b, v)| b * v).sum())
        .collect()
}

const KIND: &str = "tensor basis";

impl Basis for TensorBasis {
    fn dim(&self) -> usize {
        self.axes.len()
    }

    fn len(&self) -> usize {
        self.axes.iter().map(AxisFunctions::count).product()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        out.fill(0.0);
        for term in form.terms() {
            require_derivative(KIND, term.action)?;
            for (i, point) in points.rows().into_iter().enumerate() {
                let rows = self.rows(term.action.derivative.orders(), point);
                // The first axis runs fastest.
                let mut products = vec![term.coefficient.at(i)];
                for row in &rows {
                    products = row
                        .iter()
                        .flat_map(|value| products.iter().map(move |p| p * value))
                        .collect();
                }
                for (j, product) in products.into_iter().enumerate() {
                    out[(i, j)] += product;
                }
            }
        }
        Ok(())
    }

    fn sums(
        &self,
        points: ArrayView2<'_, f64>,
        forms: &[Form<'_>],
        beta: &[f64],
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_sums(self, points, forms, beta, &out)?;
        out.fill(0.0);
        for (column, form) in forms.iter().enumerate() {
            for term in form.terms() {
                require_derivative(KIND, term.action)?;
                for (i, point) in points.rows().into_iter().enumerate() {
                    let rows = self.rows(term.action.derivative.orders(), point);
                    let mut rest = Vec::new();
                    for (k, row) in rows.iter().enumerate() {
                        rest = contracted(if k == 0 { beta } else { &rest }, row);
                    }
                    let value = rest.first().copied().unwrap_or(0.0);
                    out[(i, column)] += term.coefficient.at(i) * value;
                }
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        Some(SavedBasis::Tensor(self.clone()))
    }
}
