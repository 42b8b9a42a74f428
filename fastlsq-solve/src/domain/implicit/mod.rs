//! Domains given by a level set.

mod level;
mod lines;
mod trace;

use super::planar::Planar;
use super::{BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError, Outline};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Expr;
use level::Level;
use lines::Lines;

/// The points of a box where a level set is negative, in any dimension.
///
/// The level is an expression of the coordinates x, y, z (any [`axis`](fastlsq_ops::axis) beyond), whose gradient gives
/// the exact normals; a closure needs [`with_gradient`](fastlsq_ops::Expr::with_gradient). In the plane the boundary is traced: its loops are the parts "outer" (or "outer 1", …) and
/// "hole 1", …; in other dimensions the part is "surface", and its points are found along lines parallel to the axes.
/// Details below a 160th of the bounds in the plane, a 64th otherwise, can be missed. For sharp edges and corners combine
/// smooth level sets by set operations, which know about them.
///
/// ```
/// use fastlsq_solve::domain::{BoundingBox, Domain, Implicit};
/// use fastlsq_solve::{X, Y, sqrt};
/// let bounds = BoundingBox::new(&[-2.0, -2.0], &[2.0, 2.0])?;
/// let ring = Implicit::new(bounds, (sqrt(X * X + Y * Y) - 1.0).powi(2) - 0.25)?;
/// assert_eq!(ring.parts().len(), 2);
/// assert!((ring.volume()? - 2.0 * std::f64::consts::PI).abs() < 1e-8);
/// # Ok::<(), fastlsq_solve::domain::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Implicit {
    bounds: BoundingBox,
    level: Level,
    boundary: Boundary,
}

#[derive(Clone, Debug)]
enum Boundary {
    Traced(Box<Planar>),
    Scanned(Lines),
}

impl Implicit {
    /// The points within the bounds where the level is negative; it must be positive on the boundary of the bounds.
    ///
    /// # Errors
    /// An expression of anything but the coordinates or without a gradient, a level that is nowhere negative, negative on the
    /// boundary of the bounds, not finite, or flat where it is zero.
    pub fn new(bounds: BoundingBox, level: impl Into<Expr>) -> Result<Self, DomainError> {
        let level = Level::new(bounds.dim(), &level.into())?;
        let boundary = if bounds.dim() == 2 {
            Boundary::Traced(Box::new(Planar::new(trace::outline(&bounds, &level)?)?))
        } else {
            Boundary::Scanned(Lines::new(&bounds, &level)?)
        };
        Ok(Self {
            bounds,
            level,
            boundary,
        })
    }

    /// The level at a point; NaN where it is not finite.
    #[must_use]
    pub fn level(&self, point: &[f64]) -> f64 {
        self.level.value(point)
    }
}

impl Domain for Implicit {
    fn dim(&self) -> usize {
        self.bounds.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        Ok(match &self.boundary {
            Boundary::Traced(planar) => planar.bounds.clone(),
            Boundary::Scanned(_) => self.bounds.clone(),
        })
    }

    fn contains(&self, point: &[f64]) -> bool {
        self.bounds.contains(point) && self.level.value(point) <= 0.0
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        match &self.boundary {
            Boundary::Traced(planar) => planar.outline.parts(),
            Boundary::Scanned(lines) => vec![BoundaryPart::wall("surface", lines.area())],
        }
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        match &self.boundary {
            Boundary::Traced(planar) => planar.outline.sample(part, count, sampler),
            Boundary::Scanned(_) if part > 0 => Err(DomainError::PartIndex {
                index: part,
                count: 1,
            }),
            Boundary::Scanned(lines) => lines.sample(&self.bounds, &self.level, count, sampler),
        }
    }

    fn volume(&self) -> Result<f64, DomainError> {
        Ok(match &self.boundary {
            Boundary::Traced(planar) => planar.area,
            Boundary::Scanned(lines) => lines.volume(),
        })
    }

    fn outline(&self) -> Option<Outline> {
        match &self.boundary {
            Boundary::Traced(planar) => Some(planar.outline.clone()),
            Boundary::Scanned(_) => None,
        }
    }
}
