//! Shapes shifted, turned and scaled.

use super::curve::PlanarMap;
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Corner, Domain, DomainError, Hole, Outline,
    Quadrature, Region,
};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Space;
use ndarray::{Array2, ArrayView1};
use std::sync::Arc;

/// The image of another domain under x ↦ s Q x + b; made by [`translated`](super::DomainExt::translated),
/// [`rotated`](super::DomainExt::rotated) and [`scaled`](super::DomainExt::scaled). Parts keep their names.
#[derive(Clone, Debug)]
pub struct Moved {
    inner: Arc<dyn Domain>,
    /// Q, orthogonal.
    turn: Array2<f64>,
    scale: f64,
    shift: Vec<f64>,
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
        Self::new(inner, Array2::eye(dim), 1.0, shift.to_vec())
    }

    pub(super) fn rotate(
        inner: impl Domain + 'static,
        [from, to]: [usize; 2],
        angle: f64,
    ) -> Result<Self, DomainError> {
        let dim = inner.dim();
        if let Some(&axis) = [from, to].iter().find(|axis| **axis >= dim) {
            return Err(DomainError::AxisIndex { axis, dim });
        }
        if from == to || !angle.is_finite() {
            return Err(DomainError::BadDirection {
                direction: vec![from as f64, to as f64, angle],
            });
        }
        let mut turn = Array2::eye(dim);
        let (sin, cos) = angle.sin_cos();
        turn[(from, from)] = cos;
        turn[(to, to)] = cos;
        turn[(to, from)] = sin;
        turn[(from, to)] = -sin;
        Self::new(inner, turn, 1.0, vec![0.0; dim])
    }

    pub(super) fn scale(inner: impl Domain + 'static, factor: f64) -> Result<Self, DomainError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(DomainError::BadRadius { radius: factor });
        }
        let dim = inner.dim();
        Self::new(inner, Array2::eye(dim), factor, vec![0.0; dim])
    }

    fn new(
        inner: impl Domain + 'static,
        turn: Array2<f64>,
        scale: f64,
        shift: Vec<f64>,
    ) -> Result<Self, DomainError> {
        if inner.parts().iter().any(|part| part.kind.is_time()) {
            return Err(DomainError::Unsupported {
                operation: "moving a space-time domain",
                hint: "move the space first, then put it over time",
            });
        }
        let bounds = inner.bounding_box()?;
        let mut moved = Self {
            inner: Arc::new(inner),
            turn,
            scale,
            shift,
            bounds,
        };
        moved.bounds = moved.image_bounds()?;
        Ok(moved)
    }

    /// A box around the image: of the curves where they are known, else of the box around the original.
    fn image_bounds(&self) -> Result<BoundingBox, DomainError> {
        if let Some(outline) = self.outline().filter(|_| !self.keeps_axes()) {
            return outline.bounds();
        }
        let dim = self.shift.len();
        let (mut lo, mut hi) = (self.shift.clone(), self.shift.clone());
        for k in 0..dim {
            for l in 0..dim {
                let factor = self.scale * self.turn[(k, l)];
                let (a, b) = (factor * self.bounds.lo()[l], factor * self.bounds.hi()[l]);
                lo[k] += a.min(b);
                hi[k] += a.max(b);
            }
        }
        BoundingBox::new(&lo, &hi)
    }

    /// Whether there is no rotation.
    fn keeps_axes(&self) -> bool {
        self.turn == Array2::<f64>::eye(self.turn.nrows())
    }

    /// Q v.
    fn turned(&self, vectors: &Array2<f64>) -> Array2<f64> {
        vectors.dot(&self.turn.t())
    }

    /// s Q x + b.
    fn place(&self, points: &Array2<f64>) -> Array2<f64> {
        self.turned(points) * self.scale + ArrayView1::from(&self.shift)
    }

    /// The point of the original that goes to this one.
    fn original(&self, point: &[f64]) -> Vec<f64> {
        let centred: Vec<f64> = point.iter().zip(&self.shift).map(|(x, b)| x - b).collect();
        let turned = self.turn.t().dot(&ArrayView1::from(&centred));
        turned.iter().map(|x| x / self.scale).collect()
    }

    /// s Q x + b in the plane; elsewhere nothing has corners or holes.
    fn planar_place(&self, point: [f64; 2]) -> [f64; 2] {
        let points = Array2::from(vec![point]);
        match self.shift.len() {
            2 => self
                .place(&points)
                .row(0)
                .to_vec()
                .try_into()
                .unwrap_or(point),
            _ => point,
        }
    }

    /// The angle of the rotation in the plane.
    fn planar_angle(&self) -> f64 {
        match self.shift.len() {
            2 => self.turn[(1, 0)].atan2(self.turn[(0, 0)]),
            _ => 0.0,
        }
    }

    fn power(&self, exponent: usize) -> f64 {
        super::ball::power(self.scale, exponent)
    }
}

impl Domain for Moved {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        Ok(self.bounds.clone())
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.shift.len() && self.inner.contains(&self.original(point))
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
            normals: self.turned(&original.normals),
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

    fn coordinates(&self) -> Space {
        self.inner.coordinates()
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
        let [x, y] = *self.shift.as_slice() else {
            return None;
        };
        let entry = |k, l| self.scale * self.turn[(k, l)];
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
            let (turn, shift) = (self.turn.clone(), self.shift.clone());
            // What could be moved as a whole can be moved in parts.
            if let Ok(moved) = Self::new(region.domain.clone(), turn, self.scale, shift) {
                region.domain = Arc::new(moved);
            }
        }
        regions
    }

    fn undivided(&self) -> Option<Arc<dyn Domain>> {
        let (turn, shift) = (self.turn.clone(), self.shift.clone());
        let moved = Self::new(self.inner.undivided()?, turn, self.scale, shift).ok()?;
        Some(Arc::new(moved))
    }

    fn is_unbounded(&self) -> bool {
        self.inner.is_unbounded()
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
        if !self.keeps_axes() {
            return Err(DomainError::Unsupported {
                operation: "a periodic condition",
                hint: "the domain is rotated, so that no axis leads from one side to the other",
            });
        }
        let (lower, upper) = self.inner.periodic_pair(axis, count, sampler)?;
        Ok((self.place(&lower), self.place(&upper)))
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        if !self.keeps_axes() {
            return None;
        }
        let mirror = self.inner.reflect(axis)?;
        Some(self.scale * mirror + self.shift.get(axis)?)
    }
}
