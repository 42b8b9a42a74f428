//! Axis-parallel boxes.

use super::DomainError;
use ndarray::Array2;

/// A box Π [loₖ, hiₖ] with finite loₖ < hiₖ and at least one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundingBox {
    lo: Vec<f64>,
    hi: Vec<f64>,
}

impl BoundingBox {
    /// The box between two opposite corners.
    ///
    /// # Errors
    /// If there are no axes, the corners' lengths differ, or an axis is empty or not finite.
    pub fn new(lo: &[f64], hi: &[f64]) -> Result<Self, DomainError> {
        if lo.len() != hi.len() {
            return Err(DomainError::CornerMismatch {
                lo: lo.len(),
                hi: hi.len(),
            });
        }
        if lo.is_empty() {
            return Err(DomainError::ZeroDimension);
        }
        for (axis, (&lo, &hi)) in lo.iter().zip(hi).enumerate() {
            check_extent(axis, lo, hi)?;
        }
        Ok(Self {
            lo: lo.to_vec(),
            hi: hi.to_vec(),
        })
    }

    /// The number of axes.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.lo.len()
    }

    /// The lower corner.
    #[must_use]
    pub fn lo(&self) -> &[f64] {
        &self.lo
    }

    /// The upper corner.
    #[must_use]
    pub fn hi(&self) -> &[f64] {
        &self.hi
    }

    /// The edge lengths hiₖ − loₖ.
    pub fn extents(&self) -> impl Iterator<Item = f64> + '_ {
        self.lo.iter().zip(&self.hi).map(|(lo, hi)| hi - lo)
    }

    /// The product of the edge lengths.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.extents().product()
    }

    /// Whether a point lies in the closed box; false for a point of another dimension.
    #[must_use]
    pub fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dim()
            && point
                .iter()
                .zip(self.lo.iter().zip(&self.hi))
                .all(|(x, (lo, hi))| lo <= x && x <= hi)
    }

    /// This box × [lo, hi].
    pub(super) fn with_axis(&self, lo: f64, hi: f64) -> Result<Self, DomainError> {
        check_extent(self.dim(), lo, hi)?;
        let mut extended = self.clone();
        extended.lo.push(lo);
        extended.hi.push(hi);
        Ok(extended)
    }

    /// Maps points of the unit cube into the box.
    pub(super) fn place(&self, mut unit: Array2<f64>) -> Array2<f64> {
        for mut point in unit.rows_mut() {
            for (x, (&lo, &hi)) in point.iter_mut().zip(self.lo.iter().zip(&self.hi)) {
                *x = between(lo, hi, *x);
            }
        }
        unit
    }
}

/// The point that divides [lo, hi] in the ratio u : 1 − u, never outside by rounding.
pub(super) fn between(lo: f64, hi: f64, u: f64) -> f64 {
    (lo + (hi - lo) * u).clamp(lo, hi)
}

/// Whether lo < hi, all finite.
pub(super) fn check_extent(axis: usize, lo: f64, hi: f64) -> Result<(), DomainError> {
    for (what, value) in [("the lower bound", lo), ("the upper bound", hi)] {
        if !value.is_finite() {
            return Err(DomainError::NonFinite { what, axis, value });
        }
    }
    if lo >= hi {
        return Err(DomainError::EmptyExtent { axis, lo, hi });
    }
    if !(hi - lo).is_finite() {
        return Err(DomainError::NonFinite {
            what: "the length",
            axis,
            value: hi - lo,
        });
    }
    Ok(())
}
