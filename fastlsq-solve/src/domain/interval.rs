//! Intervals of the real line.

use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Domain, DomainError, Quadrature,
};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// The interval [a, b], a box of one dimension with the end points "x=lo" and "x=hi".
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    line: BoxDomain,
}

impl Interval {
    /// The interval [a, b].
    ///
    /// # Errors
    /// Unless a < b and both are finite.
    pub fn new(a: f64, b: f64) -> Result<Self, DomainError> {
        BoxDomain::new(&[a], &[b]).map(|line| Self { line })
    }

    /// The interval [0, 1].
    #[must_use]
    pub fn unit() -> Self {
        Self {
            line: BoxDomain::unit(1),
        }
    }
}

impl Domain for Interval {
    fn dim(&self) -> usize {
        self.line.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.line.bounding_box()
    }

    fn contains(&self, point: &[f64]) -> bool {
        self.line.contains(point)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        self.line.parts()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        self.line.sample_part(part, count, sampler)
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        self.line.sample_interior(count, sampler)
    }

    fn volume(&self) -> Result<f64, DomainError> {
        self.line.volume()
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        self.line.quadrature(count)
    }

    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        self.line.periodic_pair(axis, count, sampler)
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        self.line.reflect(axis)
    }
}
