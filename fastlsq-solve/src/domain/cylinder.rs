//! Circular cylinders.

use super::{
    Ball, BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError, DomainExt, Product,
    Quadrature,
};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// A disc of the first two axes along an interval of the third. Its parts are "side", "bottom" and "top".
#[derive(Clone, Debug)]
pub struct Cylinder {
    prism: Product,
}

impl Cylinder {
    /// The points within `radius` of a vertical line, with heights in [lo, hi].
    ///
    /// # Errors
    /// A radius that is not positive, an interval that is empty, numbers that are not finite.
    pub fn new(center: [f64; 2], radius: f64, lo: f64, hi: f64) -> Result<Self, DomainError> {
        let disc = Ball::new(&center, radius)?.named("side");
        let prism = Product::new(disc, lo, hi)?.with_ends("bottom", "top");
        Ok(Self { prism })
    }
}

impl Domain for Cylinder {
    fn dim(&self) -> usize {
        self.prism.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.prism.bounding_box()
    }

    fn contains(&self, point: &[f64]) -> bool {
        self.prism.contains(point)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        self.prism.parts()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        self.prism.sample_part(part, count, sampler)
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        self.prism.sample_interior(count, sampler)
    }

    fn volume(&self) -> Result<f64, DomainError> {
        self.prism.volume()
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        self.prism.quadrature(count)
    }

    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        self.prism.periodic_pair(axis, count, sampler)
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        self.prism.reflect(axis)
    }
}
