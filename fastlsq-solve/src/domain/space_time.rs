//! A domain of space over an interval of time.

use super::extruded::Extruded;
use super::forward::forward;
use super::{BoundaryPart, Domain, DomainError, PartKind, Region};
use fastlsq_ops::Space;
use std::sync::Arc;

/// Ω × [t0, t1], time being the last axis.
///
/// Its parts are the walls of Ω under their own names, at all times, then "initial" (t = t0) and
/// "final" (t = t1).
#[derive(Clone, Debug)]
pub struct SpaceTime {
    history: Extruded,
}

impl SpaceTime {
    /// `space` at the times [t0, t1].
    ///
    /// # Errors
    /// Unless t0 < t1 and both are finite; if `space` is not a proper domain or has a time of its own.
    pub fn new(space: impl Domain + 'static, t0: f64, t1: f64) -> Result<Self, DomainError> {
        if Extruded::is_timed(&space) {
            return Err(DomainError::Unsupported {
                operation: "a second time axis",
                hint: "the domain is a space-time domain already; give its space to SpaceTime::new",
            });
        }
        let history = Extruded::new(Arc::new(space), t0, t1)?;
        Ok(Self { history })
    }

    /// The domain of space.
    #[must_use]
    pub fn space(&self) -> &dyn Domain {
        &*self.history.base
    }

    /// The first and the last time.
    #[must_use]
    pub fn times(&self) -> (f64, f64) {
        (self.history.lo, self.history.hi)
    }

    /// Another space over the same times.
    fn alike(&self, space: Arc<dyn Domain>) -> Result<Self, DomainError> {
        Self::new(space, self.history.lo, self.history.hi)
    }
}

impl Domain for SpaceTime {
    forward!(|this| this.history; dim, bounding_box, contains, sample_part, sample_interior, volume, quadrature, periodic_pair);
    forward!(|this| this.space(); is_unbounded);

    fn coordinates(&self) -> Space {
        self.space().coordinates().with_time()
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.history.sides();
        for (name, kind) in [("initial", PartKind::Initial), ("final", PartKind::Final)] {
            parts.push(BoundaryPart {
                name: name.to_owned(),
                kind,
                measure: self.history.base_volume,
            });
        }
        parts
    }

    fn over_times(&self, start: f64, end: f64) -> Option<Result<Arc<dyn Domain>, DomainError>> {
        let moved = Self::new(self.history.base.clone(), start, end);
        Some(moved.map(|domain| Arc::new(domain) as Arc<dyn Domain>))
    }

    fn regions(&self) -> Vec<Region> {
        let mut regions = self.space().regions();
        for region in &mut regions {
            // What could be put over these times as a whole can be in parts too.
            if let Ok(over) = self.alike(region.domain.clone()) {
                region.domain = Arc::new(over);
            }
        }
        regions
    }

    fn undivided(&self) -> Option<Arc<dyn Domain>> {
        let undivided = self.alike(self.space().undivided()?).ok()?;
        Some(Arc::new(undivided))
    }

    fn at_one_time(&self) -> Option<Arc<dyn Domain>> {
        Some(Arc::clone(&self.history.base))
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        // The time axis has a direction, even though the set itself is symmetric.
        (axis < self.space().dim()).then(|| self.space().reflect(axis))?
    }
}
