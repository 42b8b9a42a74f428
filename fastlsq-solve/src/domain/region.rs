//! The trait every domain implements.

use super::forward::forward;
use super::rejection;
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Corner, DomainError, Hole, Outline, Quadrature,
    Region,
};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Space;
use ndarray::Array2;
use std::fmt::Debug;
use std::sync::Arc;

/// A bounded region of R^d that can be sampled, inside and on the named parts of its boundary.
///
/// A domain of your own needs [`dim`](Domain::dim), [`bounding_box`](Domain::bounding_box),
/// [`contains`](Domain::contains), [`parts`](Domain::parts) and
/// [`sample_part`](Domain::sample_part); the rest has defaults. Points come from the given sampler
/// only, so that a seed determines them. Draw all coordinates of a point in one call of
/// [`UnitSampler::points`]: low-discrepancy points are evenly spread only together.
/// Choosing parts by name or role, and sampling several at once, is in
/// [`DomainExt`](super::DomainExt).
pub trait Domain: Debug + Send + Sync {
    /// The number of axes, time included.
    fn dim(&self) -> usize;

    /// A box around the domain; the tighter the better.
    ///
    /// # Errors
    /// If the domain is not a proper one, such as a box without axes.
    fn bounding_box(&self) -> Result<BoundingBox, DomainError>;

    /// Whether a point lies in the (closed) domain.
    fn contains(&self, point: &[f64]) -> bool;

    /// The pieces of the boundary. Their order numbers them for [`Domain::sample_part`].
    fn parts(&self) -> Vec<BoundaryPart>;

    /// `count` points, uniform in surface measure, on one part of the boundary. A part that is a
    /// single point is repeated.
    ///
    /// # Errors
    /// If there is no such part.
    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError>;

    /// `count` points, uniform in volume, one per row. By default points of the bounding box, with those
    /// outside rejected.
    ///
    /// # Errors
    /// If rejection is hopeless: fewer than one point in a thousand is inside.
    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        rejection::sample(self, count, sampler)
    }

    /// The d-dimensional measure. By default estimated to about three digits from the share of the
    /// bounding box that lies inside.
    ///
    /// # Errors
    /// Those of [`Domain::bounding_box`].
    fn volume(&self) -> Result<f64, DomainError> {
        rejection::volume(self)
    }

    /// The coordinates that expressions name. By default x, y, z (x₀, x₁, … if there are more), and t for the last axis
    /// if a part of the boundary is an initial or final time.
    fn coordinates(&self) -> Space {
        let timed = self.parts().iter().any(|part| part.kind.is_time());
        if timed {
            Space::new(self.dim().saturating_sub(1)).with_time()
        } else {
            Space::new(self.dim())
        }
    }

    /// About `count` points with weights for integrals over the domain. By default quasi-random points of equal weight;
    /// boxes and what is made of them have Gauss' rule, which is exact for polynomials.
    ///
    /// # Errors
    /// Those of [`Domain::sample_interior`] and [`Domain::volume`].
    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        let points = self.sample_interior(count, &mut UnitSampler::halton(0))?;
        Ok(Quadrature::equal(points, self.volume()?))
    }

    /// The boundary as curves, where the domain lies in the plane and knows them. Set operations of such domains
    /// are exact, and [`corners`](Domain::corners) and [`holes`](Domain::holes) follow.
    fn outline(&self) -> Option<Outline> {
        None
    }

    /// Where the boundary turns or its part changes (in the plane; by default from the outline).
    fn corners(&self) -> Vec<Corner> {
        self.outline()
            .map_or_else(Vec::new, |outline| outline.corners())
    }

    /// What the domain goes around (in the plane; by default from the outline).
    fn holes(&self) -> Vec<Hole> {
        self.outline()
            .map_or_else(Vec::new, |outline| outline.holes())
    }

    /// The regions of a domain that is divided into some; none otherwise.
    fn regions(&self) -> Vec<Region> {
        Vec::new()
    }

    /// The domain without its regions and interfaces, if it has any.
    fn undivided(&self) -> Option<Arc<dyn Domain>> {
        None
    }

    /// Whether the domain goes on beyond its bounding box without end, as the outside of an obstacle does.
    fn is_unbounded(&self) -> bool {
        false
    }

    /// `count` pairs of points that are one period apart along `axis`: row i of both arrays is the
    /// same but for that coordinate, at the lower end in the first and the upper end in the second.
    ///
    /// # Errors
    /// By default [`DomainError::Unsupported`].
    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        let _ = (axis, count, sampler);
        Err(DomainError::Unsupported {
            operation: "a periodic condition",
            hint: "use a box, or implement Domain::periodic_pair",
        })
    }

    /// The same domain over another time interval; `None` if it has no time.
    fn over_times(&self, start: f64, end: f64) -> Option<Result<Arc<dyn Domain>, DomainError>> {
        let _ = (start, end);
        None
    }

    /// Space alone, of which this domain is the product with an interval of time as its last axis; `None` if it is not such a
    /// product. Parts of its boundary keep their numbers.
    fn at_one_time(&self) -> Option<Arc<dyn Domain>> {
        None
    }

    /// The mirror coordinate c along `axis` if x ↦ 2c − x on that axis maps the domain onto itself;
    /// by default none is claimed.
    fn reflect(&self, axis: usize) -> Option<f64> {
        let _ = axis;
        None
    }
}

impl<D: Domain + ?Sized> Domain for Arc<D> {
    forward!(|this| **this; everything);
}
