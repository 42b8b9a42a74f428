//! Boxes and intervals.

use super::checks::check_memory;
use super::select::face_name;
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Curve, Domain, DomainError, Outline, Quadrature,
};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// A box Π [loₖ, hiₖ] in any dimension.
///
/// Its parts are its faces, in this order: "x=lo", "x=hi", "y=lo", …; "x₀=lo", … in more than three dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxDomain {
    /// Absent without axes, which is an error at use.
    bounds: Option<BoundingBox>,
}

impl BoxDomain {
    /// The box between two opposite corners.
    ///
    /// # Errors
    /// If there are no axes, the corners' lengths differ, or an axis is empty or not finite.
    pub fn new(lo: &[f64], hi: &[f64]) -> Result<Self, DomainError> {
        BoundingBox::new(lo, hi).map(|bounds| Self {
            bounds: Some(bounds),
        })
    }

    /// The unit cube [0, 1]^dim. With `dim` = 0 every use of it is
    /// [`DomainError::ZeroDimension`].
    #[must_use]
    pub fn unit(dim: usize) -> Self {
        Self {
            bounds: BoundingBox::new(&vec![0.0; dim], &vec![1.0; dim]).ok(),
        }
    }

    fn bounds(&self) -> Result<&BoundingBox, DomainError> {
        self.bounds.as_ref().ok_or(DomainError::ZeroDimension)
    }

    /// Points of the cross-section at right angles to `axis`, that coordinate set to `value`.
    fn section(
        bounds: &BoundingBox,
        axis: usize,
        value: f64,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let dim = bounds.dim();
        check_memory(count, dim)?;
        let unit = sampler.points(count, dim - 1);
        let mut points = Array2::zeros((count, dim));
        for (mut point, unit) in points.rows_mut().into_iter().zip(unit.rows()) {
            let across = point.iter_mut().enumerate().filter(|(k, _)| *k != axis);
            for ((_, x), u) in across.zip(unit) {
                *x = *u;
            }
        }
        let mut points = bounds.place(points);
        points.column_mut(axis).fill(value);
        Ok(points)
    }
}

impl Domain for BoxDomain {
    fn dim(&self) -> usize {
        self.bounds.as_ref().map_or(0, BoundingBox::dim)
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.bounds().cloned()
    }

    fn contains(&self, point: &[f64]) -> bool {
        self.bounds
            .as_ref()
            .is_some_and(|bounds| bounds.contains(point))
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let Some(bounds) = &self.bounds else {
            return Vec::new();
        };
        let face = |axis| -> f64 {
            let others = bounds.extents().enumerate().filter(|(k, _)| *k != axis);
            others.map(|(_, extent)| extent).product()
        };
        (0..bounds.dim())
            .flat_map(|axis| [false, true].map(|upper| (axis, upper)))
            .map(|(axis, upper)| {
                BoundaryPart::wall(face_name(bounds.dim(), axis, upper), face(axis))
            })
            .collect()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let bounds = self.bounds()?;
        let (axis, upper) = (part / 2, part % 2 == 1);
        let (Some(&lo), Some(&hi)) = (bounds.lo().get(axis), bounds.hi().get(axis)) else {
            return Err(DomainError::PartIndex {
                index: part,
                count: 2 * bounds.dim(),
            });
        };
        let (value, direction) = if upper { (hi, 1.0) } else { (lo, -1.0) };
        let points = Self::section(bounds, axis, value, count, sampler)?;
        let mut normals = Array2::zeros(points.dim());
        normals.column_mut(axis).fill(direction);
        Ok(BoundaryPoints { points, normals })
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let bounds = self.bounds()?;
        check_memory(count, bounds.dim())?;
        Ok(bounds.place(sampler.points(count, bounds.dim())))
    }

    fn volume(&self) -> Result<f64, DomainError> {
        self.bounds().map(BoundingBox::volume)
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        Quadrature::gauss(self.bounds()?, count)
    }

    fn outline(&self) -> Option<Outline> {
        let bounds = self.bounds.as_ref()?;
        let ([left, bottom], [right, top]) = (bounds.lo(), bounds.hi()) else {
            return None;
        };
        let vertices = [
            [*left, *bottom],
            [*right, *bottom],
            [*right, *top],
            [*left, *top],
        ];
        // Counter-clockwise from below: the faces 2, 1, 3, 0.
        let sides = [2, 1, 3, 0].into_iter().enumerate();
        let curves = sides.map(|(k, part)| {
            let side = Curve::segment(vertices[k], vertices[(k + 1) % 4]);
            side.map(|side| (part, side))
        });
        let names = self.parts().into_iter().map(|part| part.name).collect();
        Outline::of_parts(names, curves.collect::<Result<_, _>>().ok()?).ok()
    }

    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        let bounds = self.bounds()?;
        let (Some(&lo), Some(&hi)) = (bounds.lo().get(axis), bounds.hi().get(axis)) else {
            return Err(DomainError::AxisIndex {
                axis,
                dim: bounds.dim(),
            });
        };
        let lower = Self::section(bounds, axis, lo, count, sampler)?;
        let mut upper = lower.clone();
        upper.column_mut(axis).fill(hi);
        Ok((lower, upper))
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        let bounds = self.bounds.as_ref()?;
        let (lo, hi) = (bounds.lo().get(axis)?, bounds.hi().get(axis)?);
        Some(0.5 * lo + 0.5 * hi)
    }
}
