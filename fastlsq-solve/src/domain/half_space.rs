//! One side of a plane.

use super::checks::check_finite;
use super::combined::{Combined, SetOperation};
use super::outline::Outline;
use super::{BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Curve, Domain, DomainError};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;
use std::sync::Arc;

/// All x with n·(x − p) ≤ 0: what lies behind the plane through p with normal n.
///
/// It is unbounded, and so not a domain by itself: [`cut`](super::DomainExt::cut) takes off what lies in front of it, and
/// [`within`](Self::within) is what lies behind it in a box. The part of the boundary on the plane is "plane", or what
/// [`named`](Self::named) says.
///
/// ```
/// use fastlsq_solve::domain::{Ball, Domain, DomainExt, HalfSpace};
/// let above = HalfSpace::new(&[0.0, 0.0], &[0.0, -1.0])?.named("ground");
/// let half_disc = Ball::unit(2).cut(&above)?;
/// assert!((half_disc.volume()? - 0.5 * std::f64::consts::PI).abs() < 1e-9);
/// assert_eq!(half_disc.corners().len(), 2);
/// # Ok::<(), fastlsq_solve::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HalfSpace {
    point: Vec<f64>,
    /// Of length one.
    normal: Vec<f64>,
    name: String,
}

impl HalfSpace {
    /// What lies behind the plane through a point, seen along its normal.
    ///
    /// # Errors
    /// A normal of length zero, numbers that are not finite, different dimensions.
    pub fn new(point: &[f64], normal: &[f64]) -> Result<Self, DomainError> {
        if point.is_empty() {
            return Err(DomainError::ZeroDimension);
        }
        if point.len() != normal.len() {
            return Err(DomainError::DimensionMismatch {
                what: "the normal",
                expected: point.len(),
                found: normal.len(),
            });
        }
        check_finite("a point of the plane", point)?;
        let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        if !(length.is_finite() && length > 0.0) {
            return Err(DomainError::BadDirection {
                direction: normal.to_vec(),
            });
        }
        Ok(Self {
            point: point.to_vec(),
            normal: normal.iter().map(|n| n / length).collect(),
            name: "plane".to_owned(),
        })
    }

    /// The same with another name for the part on the plane.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// What lies behind the plane in a box.
    ///
    /// # Errors
    /// If that is nothing, or the dimensions differ.
    pub fn within(&self, bounds: &BoundingBox) -> Result<Combined, DomainError> {
        self.cut_off(Arc::new(BoxDomain::new(bounds.lo(), bounds.hi())?))
    }

    pub(super) fn cut_off(&self, domain: Arc<dyn Domain>) -> Result<Combined, DomainError> {
        let bounds = domain.bounding_box()?;
        if bounds.dim() != self.point.len() {
            return Err(DomainError::DimensionMismatch {
                what: "the half-space",
                expected: bounds.dim(),
                found: self.point.len(),
            });
        }
        let plane = Plane {
            half_space: self.clone(),
            bounds: bounds.clone(),
        };
        Combined::build(SetOperation::Intersection, domain, Arc::new(plane), bounds)
    }

    fn behind(&self, x: &[f64]) -> bool {
        let pairs = x.iter().zip(&self.point).zip(&self.normal);
        pairs.map(|((x, p), n)| n * (x - p)).sum::<f64>() <= 0.0
    }

    /// The axis along which the plane is best seen.
    fn steepest(&self) -> usize {
        let sizes = self.normal.iter().map(|n| n.abs()).enumerate();
        sizes
            .fold(
                (0, 0.0),
                |best, here| if here.1 > best.1 { here } else { best },
            )
            .0
    }
}

/// A half-space as an operand: its plane is sampled where a box lies in front of or behind it along the steepest axis.
#[derive(Debug)]
struct Plane {
    half_space: HalfSpace,
    bounds: BoundingBox,
}

impl Domain for Plane {
    fn dim(&self) -> usize {
        self.half_space.point.len()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        Ok(self.bounds.clone())
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dim() && self.half_space.behind(point)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let axis = self.half_space.steepest();
        let others = self
            .bounds
            .extents()
            .enumerate()
            .filter(|(k, _)| *k != axis);
        let face: f64 = others.map(|(_, extent)| extent).product();
        let slope = self.half_space.normal[axis].abs();
        vec![BoundaryPart::wall(
            self.half_space.name.clone(),
            face / slope,
        )]
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let HalfSpace { point, normal, .. } = &self.half_space;
        let axis = self.half_space.steepest();
        let face = BoxDomain::new(self.bounds.lo(), self.bounds.hi())?;
        if part > 0 {
            return Err(DomainError::PartIndex {
                index: part,
                count: 1,
            });
        }
        let mut points = face.sample_part(2 * axis, count, sampler)?.points;
        for mut x in points.rows_mut() {
            let others = (0..self.dim()).filter(|k| *k != axis);
            let rise: f64 = others.map(|k| normal[k] * (x[k] - point[k])).sum();
            x[axis] = point[axis] - rise / normal[axis];
        }
        let normals = Array2::from_shape_fn(points.dim(), |(_, k)| normal[k]);
        Ok(BoundaryPoints { points, normals })
    }

    fn outline(&self) -> Option<Outline> {
        let ([x, y], [n, m]) = (&*self.half_space.point, &*self.half_space.normal) else {
            return None;
        };
        let (lo, hi) = (self.bounds.lo(), self.bounds.hi());
        // The point of the line that is nearest to the middle of the box, and half the box's diagonal both ways.
        let middle = [0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1])];
        let along = [-m, *n];
        let s = (middle[0] - x) * along[0] + (middle[1] - y) * along[1];
        let reach = 0.51 * (hi[0] - lo[0]).hypot(hi[1] - lo[1]);
        let at = |s: f64| [x + s * along[0], y + s * along[1]];
        let line = Curve::segment(at(s - reach), at(s + reach)).ok()?;
        Some(Outline::unchecked(
            vec![self.half_space.name.clone()],
            vec![(0, line)],
        ))
    }
}
