//! A domain whose parts have other names.

use super::forward::forward;
use super::{BoundaryPart, Corner, Domain, DomainError, Hole, Outline};
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
    forward!(|this| this.inner; dim, bounding_box, contains, sample_part, sample_interior, volume, coordinates, quadrature, regions, undivided, is_unbounded, periodic_pair, at_one_time, reflect);

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.inner.parts();
        for (part, name) in parts.iter_mut().zip(&self.names) {
            part.name.clone_from(name);
        }
        parts
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

    fn holes(&self) -> Vec<Hole> {
        let mut holes = self.inner.holes();
        for hole in &mut holes {
            hole.parts.iter_mut().for_each(|name| self.rename(name));
            hole.parts.dedup();
        }
        holes
    }

    fn over_times(&self, start: f64, end: f64) -> Option<Result<Arc<dyn Domain>, DomainError>> {
        let names = self.names.clone();
        let moved = self.inner.over_times(start, end)?;
        Some(moved.map(|inner| Arc::new(Self { inner, names }) as Arc<dyn Domain>))
    }
}
