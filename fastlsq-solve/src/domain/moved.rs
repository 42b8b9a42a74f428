//! Shapes shifted, turned and scaled.

use super::curve::PlanarMap;
use super::forward::forward;
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Corner, Domain, DomainError, Hole, Motion, Outline,
    Quadrature, Region,
};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;
use std::sync::Arc;

/// The image of another domain under x ↦ Q(s x) + b; made by [`translated`](super::DomainExt::translated),
/// [`rotated`](super::DomainExt::rotated) and [`scaled`](super::DomainExt::scaled). Parts keep their names.
#[derive(Clone, Debug)]
pub struct Moved {
    inner: Arc<dyn Domain>,
    scale: f64,
    motion: Motion,
    bounds: BoundingBox,
}

impl Moved {
    pub(super) fn translate(
        inner: impl Domain + 'static,
        shift: &[f64],
    ) -> Result<Self, DomainError> {
        let dim = inner.dim();
        if shift.len() != dim {
            return Err(DomainError::DimensionMismatch {
                what: "the shift",
                expected: dim,
                found: shift.len(),
            });
        }
        Self::new(inner, 1.0, Motion::translation(shift)?)
    }

    pub(super) fn rotate(
        inner: impl Domain + 'static,
        axes: [usize; 2],
        angle: f64,
    ) -> Result<Self, DomainError> {
        let motion = Motion::rotation(inner.dim(), axes, angle)?;
        Self::new(inner, 1.0, motion)
    }

    pub(super) fn scale(inner: impl Domain + 'static, factor: f64) -> Result<Self, DomainError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(DomainError::BadRadius { radius: factor });
        }
        let stay = Motion::translation(&vec![0.0; inner.dim()])?;
        Self::new(inner, factor, stay)
    }

    fn new(inner: impl Domain + 'static, scale: f64, motion: Motion) -> Result<Self, DomainError> {
        if inner.parts().iter().any(|part| part.kind.is_time()) {
            return Err(DomainError::Unsupported {
                operation: "moving a space-time domain",
                hint: "move the space first, then put it over time",
            });
        }
        let bounds = inner.bounding_box()?;
        let mut moved = Self {
            inner: Arc::new(inner),
            scale,
            motion,
            bounds,
        };
        moved.bounds = moved.image_bounds()?;
        Ok(moved)
    }

    /// The image of another domain under the same map.
    fn alike(&self, other: Arc<dyn Domain>) -> Result<Self, DomainError> {
        Self::new(other, self.scale, self.motion.clone())
    }

    /// A box around the image of the curves where they are known, else around the image of the original's box.
    fn image_bounds(&self) -> Result<BoundingBox, DomainError> {
        if let Some(outline) = self.outline().filter(|_| !self.motion.keeps_axes()) {
            return outline.bounds();
        }
        let shift = self.motion.shift();
        let (mut lo, mut hi) = (shift.to_vec(), shift.to_vec());
        for ((k, l), entry) in self.motion.matrix().indexed_iter() {
            let factor = self.scale * entry;
            let (a, b) = (factor * self.bounds.lo()[l], factor * self.bounds.hi()[l]);
            lo[k] += a.min(b);
            hi[k] += a.max(b);
        }
        BoundingBox::new(&lo, &hi)
    }

    /// Q(s x) + b.
    fn place(&self, points: &Array2<f64>) -> Array2<f64> {
        self.motion.applied(&(points * self.scale), true)
    }

    /// Q(s x) + b in the plane; elsewhere nothing has corners or holes.
    fn planar_place(&self, point: [f64; 2]) -> [f64; 2] {
        let image = self.motion.image(&point.map(|x| self.scale * x));
        image.try_into().unwrap_or(point)
    }

    /// The angle of the rotation in the plane.
    fn planar_angle(&self) -> f64 {
        let turn = self.motion.matrix();
        match self.dim() {
            2 => turn[(1, 0)].atan2(turn[(0, 0)]),
            _ => 0.0,
        }
    }

    fn power(&self, exponent: usize) -> f64 {
        super::ball::power(self.scale, exponent)
    }
}

impl Domain for Moved {
    forward!(|this| this.inner; dim, coordinates, is_unbounded);

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        Ok(self.bounds.clone())
    }

    fn contains(&self, point: &[f64]) -> bool {
        let mut original = self.motion.preimage(point);
        original.iter_mut().for_each(|x| *x /= self.scale);
        point.len() == self.dim() && self.inner.contains(&original)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.inner.parts();
        for part in &mut parts {
            part.measure *= self.power(self.dim().saturating_sub(1));
        }
        parts
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let original = super::checks::checked_part(&*self.inner, part, count, sampler)?;
        Ok(BoundaryPoints {
            points: self.place(&original.points),
            normals: self.motion.applied(&original.normals, false),
        })
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let original = super::checks::checked_interior(&*self.inner, count, sampler)?;
        Ok(self.place(&original))
    }

    fn volume(&self) -> Result<f64, DomainError> {
        Ok(self.inner.volume()? * self.power(self.dim()))
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        let original = self.inner.quadrature(count)?;
        let factor = self.power(self.dim());
        Ok(Quadrature {
            points: self.place(&original.points),
            weights: original.weights.iter().map(|w| w * factor).collect(),
        })
    }

    fn outline(&self) -> Option<Outline> {
        let outline = self.inner.outline()?;
        let [x, y] = *self.motion.shift() else {
            return None;
        };
        let entry = |k, l| self.scale * self.motion.matrix()[(k, l)];
        let map = PlanarMap {
            matrix: [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]],
            shift: [x, y],
            scale: self.scale,
        };
        Some(outline.mapped(|curve| curve.moved(map)))
    }

    fn corners(&self) -> Vec<Corner> {
        if let Some(outline) = self.outline() {
            return outline.corners();
        }
        let mut corners = self.inner.corners();
        for corner in &mut corners {
            corner.direction += self.planar_angle();
            corner.position = self.planar_place(corner.position);
        }
        corners
    }

    fn regions(&self) -> Vec<Region> {
        let mut regions = self.inner.regions();
        for region in &mut regions {
            // What could be moved as a whole can be moved in parts.
            if let Ok(moved) = self.alike(region.domain.clone()) {
                region.domain = Arc::new(moved);
            }
        }
        regions
    }

    fn undivided(&self) -> Option<Arc<dyn Domain>> {
        let moved = self.alike(self.inner.undivided()?).ok()?;
        Some(Arc::new(moved))
    }

    fn holes(&self) -> Vec<Hole> {
        let mut holes = self.inner.holes();
        for hole in &mut holes {
            hole.center = self.planar_place(hole.center);
            hole.radius *= self.scale;
            for (center, radius) in &mut hole.discs {
                *center = self.planar_place(*center);
                *radius *= self.scale;
            }
        }
        holes
    }

    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        if !self.motion.keeps_axes() {
            return Err(DomainError::Unsupported {
                operation: "a periodic condition",
                hint: "the domain is rotated, so that no axis leads from one side to the other",
            });
        }
        let (lower, upper) = self.inner.periodic_pair(axis, count, sampler)?;
        Ok((self.place(&lower), self.place(&upper)))
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        if !self.motion.keeps_axes() {
            return None;
        }
        let mirror = self.inner.reflect(axis)?;
        Some(self.scale * mirror + self.motion.shift().get(axis)?)
    }
}
