//! What shapes of the plane share once their outline is known.

use super::{BoundingBox, DomainError, Outline};

/// An outline with what is needed again and again.
#[derive(Clone, Debug)]
pub(super) struct Planar {
    pub(super) outline: Outline,
    pub(super) bounds: BoundingBox,
    pub(super) area: f64,
}

impl Planar {
    pub(super) fn new(outline: Outline) -> Result<Self, DomainError> {
        let (bounds, area) = (outline.bounds()?, outline.area());
        // Anything less is the rounding of curves that enclose nothing.
        if !(area.is_finite() && area > 1e-14 * bounds.volume()) {
            return Err(DomainError::EmptyShape);
        }
        Ok(Self {
            outline,
            bounds,
            area,
        })
    }
}

/// [`Domain`](super::Domain) for a shape with a field `planar` and a method `holds([x, y])`.
macro_rules! planar_domain {
    ($shape:ty) => {
        impl super::Domain for $shape {
            fn dim(&self) -> usize {
                2
            }

            fn bounding_box(&self) -> Result<super::BoundingBox, super::DomainError> {
                Ok(self.planar.bounds.clone())
            }

            fn contains(&self, point: &[f64]) -> bool {
                match *point {
                    [x, y] => x.is_finite() && y.is_finite() && self.holds([x, y]),
                    _ => false,
                }
            }

            fn parts(&self) -> Vec<super::BoundaryPart> {
                self.planar.outline.parts()
            }

            fn sample_part(
                &self,
                part: usize,
                count: usize,
                sampler: &mut fastlsq_basis::sampling::UnitSampler,
            ) -> Result<super::BoundaryPoints, super::DomainError> {
                self.planar.outline.sample(part, count, sampler)
            }

            fn volume(&self) -> Result<f64, super::DomainError> {
                Ok(self.planar.area)
            }

            fn outline(&self) -> Option<super::Outline> {
                Some(self.planar.outline.clone())
            }
        }
    };
}
pub(super) use planar_domain;
