//! A domain of several regions, with the interfaces between them.

use super::forward::forward;
use super::{
    BoundaryPart, BoundaryPoints, Combined, Domain, DomainError, DomainExt, PartKind, PartSelector,
    RenamedParts, SetOperation,
};
use fastlsq_basis::sampling::UnitSampler;
use std::sync::Arc;

/// What no region of a divided domain has taken is the region of this name.
pub const REST: &str = "rest";

/// A part of a domain with a name, where equations of its own hold.
#[derive(Clone, Debug)]
pub struct Region {
    /// The name by which an equation refers to it.
    pub name: String,
    /// Its points.
    pub domain: Arc<dyn Domain>,
}

/// How far beside a region a point may lie and still count as one of its boundary, relative to the size of the region.
const BESIDE: f64 = 1e-9;

impl Region {
    /// Whether a point lies in the region or on its boundary, to rounding: interfaces belong to both sides.
    #[must_use]
    pub fn reaches(&self, point: &[f64]) -> bool {
        if self.domain.contains(point) {
            return true;
        }
        let Ok(bounds) = self.domain.bounding_box() else {
            return false;
        };
        let reach = BESIDE * bounds.extents().fold(0.0, f64::max);
        let near = |k: usize| {
            let (lo, hi) = (bounds.lo()[k] - reach, bounds.hi()[k] + reach);
            point.get(k).is_some_and(|x| lo <= *x && *x <= hi)
        };
        if !(0..bounds.dim()).all(near) {
            return false;
        }
        let mut moved = point.to_vec();
        for k in 0..moved.len() {
            for step in [-reach, reach] {
                moved[k] = point[k] + step;
                if self.domain.contains(&moved) {
                    return true;
                }
            }
            moved[k] = point[k];
        }
        false
    }
}

/// A domain, some of whose points form regions of their own; made by [`with_region`](DomainExt::with_region).
///
/// Its walls are those of the domain. What bounds a region against the others is a further part, an interface, under the
/// region's name; normals there point out of the region. The domain's own regions come in the order in which they were
/// given, the [`REST`] last.
#[derive(Clone, Debug)]
pub struct Divided {
    whole: Arc<dyn Domain>,
    regions: Vec<Region>,
    /// The interface of each region but the last, with its measure.
    interfaces: Vec<BoundaryPart>,
}

impl Divided {
    /// The domain with a region of this name: what of the shape lies in the domain, and in no earlier region.
    ///
    /// # Errors
    /// A name that is taken, dimensions that differ, a region that is empty or leaves nothing, a domain with a time.
    pub fn new(
        domain: impl Domain + 'static,
        name: &str,
        shape: impl Domain + 'static,
    ) -> Result<Self, DomainError> {
        let whole: Arc<dyn Domain> = Arc::new(domain);
        let mut regions = whole.regions();
        let rest = match regions.pop() {
            Some(last) => last.domain,
            None => Arc::clone(&whole),
        };
        let taken = |own: &str| {
            let parts = whole.parts();
            own == REST || parts.iter().any(|part| part.name == own)
        };
        if taken(name) || regions.iter().any(|region| region.name == name) {
            return Err(DomainError::RegionName {
                name: name.to_owned(),
            });
        }
        let shape: Arc<dyn Domain> = Arc::new(RenamedParts::new(shape, |_| name.to_owned()));
        let inside = Combined::new(SetOperation::Intersection, rest.clone(), shape.clone())?;
        let own = PartSelector::Named(name.to_owned());
        let measure = |part: &BoundaryPart| if own.matches(part) { part.measure } else { 0.0 };
        let measure: f64 = inside.parts().iter().map(measure).sum();
        if measure <= 0.0 {
            // Its boundary is that of what it was cut from: nothing would be left.
            return Err(DomainError::UnreachedPart {
                part: name.to_owned(),
            });
        }
        let outside = Combined::new(SetOperation::Difference, rest, shape)?;
        regions.push(Region {
            name: name.to_owned(),
            domain: Arc::new(inside),
        });
        regions.push(Region {
            name: REST.to_owned(),
            domain: Arc::new(outside),
        });
        let mut interfaces: Vec<BoundaryPart> = whole.parts();
        interfaces.retain(|part| part.kind == PartKind::Interface);
        interfaces.push(BoundaryPart {
            name: name.to_owned(),
            kind: PartKind::Interface,
            measure,
        });
        let whole = whole.undivided().unwrap_or(whole);
        Ok(Self {
            whole,
            regions,
            interfaces,
        })
    }
}

impl Domain for Divided {
    forward!(|this| this.whole; dim, bounding_box, contains, sample_interior, volume, coordinates, quadrature, outline, corners, holes, is_unbounded);

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.whole.parts();
        parts.extend(self.interfaces.iter().cloned());
        parts
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let walls = self.whole.parts().len();
        let Some(index) = part.checked_sub(walls) else {
            return self.whole.sample_part(part, count, sampler);
        };
        match (self.interfaces.get(index), self.regions.get(index)) {
            (Some(interface), Some(region)) => {
                let own = PartSelector::Named(interface.name.clone());
                region.domain.sample_selected(&own, count, sampler)
            }
            _ => Err(DomainError::PartIndex {
                index: part,
                count: walls + self.interfaces.len(),
            }),
        }
    }

    fn regions(&self) -> Vec<Region> {
        self.regions.clone()
    }

    fn undivided(&self) -> Option<Arc<dyn Domain>> {
        Some(Arc::clone(&self.whole))
    }
}
