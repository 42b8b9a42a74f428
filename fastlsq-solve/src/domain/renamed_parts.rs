//! A domain whose parts have other names.

use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Corner, Domain, DomainError, Hole, Outline,
    Quadrature, Region,
};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Space;
use ndarray::Array2;
use std::sync::Arc;

/// Another domain with its own names for the parts; made by [`named`](super::DomainExt::named) and
/// [`renamed`](super::DomainExt::renamed).
#[derive(Clone, Debug)]
pub struct RenamedParts {
    inner: Arc<dyn Domain>,
    /// One for each part.
    names: Vec<String>,
}

impl RenamedParts {
    pub(super) fn new(inner: impl Domain + 'static, rename: impl Fn(&str) -> String) -> Self {
        let names = inner
            .parts()
            .iter()
            .map(|part| rename(&part.name))
            .collect();
        Self {
            inner: Arc::new(inner),
            names,
        }
    }

    /// Replaces the name of a part of the original.
    fn rename(&self, name: &mut String) {
        let parts = self.inner.parts();
        let own = parts.iter().position(|part| part.name == *name);
        if let Some(own) = own.and_then(|index| self.names.get(index)) {
            name.clone_from(own);
        }
    }
}

impl Domain for RenamedParts {
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
        let mut parts = self.inner.parts();
        for (part, name) in parts.iter_mut().zip(&self.names) {
            part.name.clone_from(name);
        }
        parts
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

    fn coordinates(&self) -> Space {
        self.inner.coordinates()
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        self.inner.quadrature(count)
    }

    fn outline(&self) -> Option<Outline> {
        let outline = self.inner.outline()?;
        Some(outline.renamed(self.names.clone()))
    }

    fn corners(&self) -> Vec<Corner> {
        if let Some(outline) = self.outline() {
            return outline.corners();
        }
        let mut corners = self.inner.corners();
        for corner in &mut corners {
            corner.parts.iter_mut().for_each(|name| self.rename(name));
        }
        corners
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
        let mut holes = self.inner.holes();
        for hole in &mut holes {
            hole.parts.iter_mut().for_each(|name| self.rename(name));
            hole.parts.dedup();
        }
        holes
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
        let names = self.names.clone();
        let moved = self.inner.over_times(start, end)?;
        Some(moved.map(|inner| Arc::new(Self { inner, names }) as Arc<dyn Domain>))
    }

    fn at_one_time(&self) -> Option<Arc<dyn Domain>> {
        self.inner.at_one_time()
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        self.inner.reflect(axis)
    }
}
