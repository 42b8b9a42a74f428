//! A domain whose coordinates have names of their own.

use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Corner, Domain, DomainError, Hole, Outline,
    Quadrature, Region,
};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Space;
use ndarray::Array2;
use std::sync::Arc;

/// A domain with other names for its coordinates; its parts keep their names.
///
/// ```
/// use fastlsq_solve::{BoxDomain, Domain, DomainExt};
/// let section = BoxDomain::unit(2).with_coordinates(["r", "z"]);
/// assert_eq!(section.coordinates().names(), ["r", "z"]);
/// ```
#[derive(Clone, Debug)]
pub struct Renamed<D> {
    inner: D,
    space: Space,
}

impl<D: Domain> Renamed<D> {
    /// The domain with these names, as far as there are names.
    pub fn new<'a>(inner: D, names: impl IntoIterator<Item = &'a str>) -> Self {
        let space = inner.coordinates().renamed(names);
        Self { inner, space }
    }
}

impl<D: Domain> Domain for Renamed<D> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.inner.bounding_box()
    }

    fn contains(&self, point: &[f64]) -> bool {
        self.inner.contains(point)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        self.inner.parts()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        self.inner.sample_part(part, count, sampler)
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        self.inner.sample_interior(count, sampler)
    }

    fn volume(&self) -> Result<f64, DomainError> {
        self.inner.volume()
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        self.inner.quadrature(count)
    }

    fn outline(&self) -> Option<Outline> {
        self.inner.outline()
    }

    fn corners(&self) -> Vec<Corner> {
        self.inner.corners()
    }

    fn regions(&self) -> Vec<Region> {
        self.inner.regions()
    }

    fn undivided(&self) -> Option<Arc<dyn Domain>> {
        self.inner.undivided()
    }

    fn is_unbounded(&self) -> bool {
        self.inner.is_unbounded()
    }

    fn holes(&self) -> Vec<Hole> {
        self.inner.holes()
    }

    fn coordinates(&self) -> Space {
        self.space.clone()
    }

    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        self.inner.periodic_pair(axis, count, sampler)
    }

    fn over_times(&self, start: f64, end: f64) -> Option<Result<Arc<dyn Domain>, DomainError>> {
        let names = self.space.names();
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let renamed = move |domain: Arc<dyn Domain>| -> Arc<dyn Domain> {
            Arc::new(Renamed::new(domain, names.iter().map(String::as_str)))
        };
        let moved = self.inner.over_times(start, end)?;
        Some(moved.map(renamed))
    }

    fn at_one_time(&self) -> Option<Arc<dyn Domain>> {
        self.inner.at_one_time()
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        self.inner.reflect(axis)
    }
}
