//! A shape along an interval.

use super::bounding_box::{between, check_extent};
use super::checks::{check_memory, check_shape, checked_interior, checked_part};
use super::quadrature::share_of_last_axis;
use super::select::{axis_name, face_name};
use super::space_time::{append, append_constant};
use super::{BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError, Quadrature};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Space;
use ndarray::Array2;
use std::sync::Arc;

/// Ω × [lo, hi], the interval being the last axis: a prism over Ω.
///
/// Its parts are those of Ω under their own names, then the ends, "z=lo" and "z=hi" over a shape of the plane. Over time
/// it would be a [`SpaceTime`](super::SpaceTime) domain.
#[derive(Clone, Debug)]
pub struct Product {
    base: Arc<dyn Domain>,
    base_volume: f64,
    lo: f64,
    hi: f64,
    ends: [String; 2],
}

impl Product {
    /// `base` along [lo, hi].
    ///
    /// # Errors
    /// Unless lo < hi and both are finite; if `base` is not a proper domain or has a time.
    pub fn new(base: impl Domain + 'static, lo: f64, hi: f64) -> Result<Self, DomainError> {
        let dim = base.dim();
        check_shape(
            "Domain::bounding_box",
            (2, dim),
            (2, base.bounding_box()?.dim()),
        )?;
        check_extent(dim, lo, hi)?;
        if base.parts().iter().any(|part| part.kind.is_time()) {
            return Err(DomainError::Unsupported {
                operation: "a product with a space-time domain",
                hint: "make the product of the space first, then put it over time",
            });
        }
        Ok(Self {
            base_volume: base.volume()?,
            base: Arc::new(base),
            lo,
            hi,
            ends: [false, true].map(|upper| face_name(dim + 1, dim, upper)),
        })
    }

    /// The same with other names for the lower and the upper end.
    #[must_use]
    pub fn with_ends(mut self, lower: &str, upper: &str) -> Self {
        self.ends = [lower.to_owned(), upper.to_owned()];
        self
    }

    /// The shape Ω.
    #[must_use]
    pub fn base(&self) -> &dyn Domain {
        &*self.base
    }

    /// Draws a height each for `count` points, and what `base` draws for the same points.
    fn with_heights<T>(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
        base: impl FnOnce(&mut UnitSampler) -> Result<T, DomainError>,
    ) -> Result<(Vec<f64>, T), DomainError> {
        check_memory(count, self.dim())?;
        let (unit, drawn) = sampler.leading(count, 1, base);
        let heights = unit.iter().map(|&u| between(self.lo, self.hi, u)).collect();
        Ok((heights, drawn?))
    }
}

impl Domain for Product {
    fn dim(&self) -> usize {
        self.base.dim() + 1
    }

    fn coordinates(&self) -> Space {
        let (base, dim) = (self.base.coordinates(), self.dim());
        if base == Space::new(dim - 1) {
            return Space::new(dim);
        }
        // The base has names of its own: the new axis is z, or x₃, …, unless that is one of them.
        let mut names: Vec<String> = base.names().into_iter().map(str::to_owned).collect();
        let own = [axis_name(dim, dim - 1), format!("x{dim}")];
        names.extend(own.into_iter().find(|name| !names.contains(name)));
        Space::new(dim).renamed(names.iter().map(String::as_str))
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.base.bounding_box()?.with_axis(self.lo, self.hi)
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.split_last().is_some_and(|(&height, base)| {
            self.lo <= height && height <= self.hi && self.base.contains(base)
        })
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.base.parts();
        for part in &mut parts {
            part.measure *= self.hi - self.lo;
        }
        let ends = self.ends.iter();
        parts.extend(ends.map(|name| BoundaryPart::wall(name.clone(), self.base_volume)));
        parts
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let sides = self.base.parts().len();
        if part < sides {
            let (heights, side) = self.with_heights(count, sampler, |rest| {
                checked_part(&*self.base, part, count, rest)
            })?;
            return Ok(BoundaryPoints {
                points: append(&side.points, &heights),
                normals: append_constant(&side.normals, 0.0),
            });
        }
        let (height, normal) = match part - sides {
            0 => (self.lo, -1.0),
            1 => (self.hi, 1.0),
            _ => {
                return Err(DomainError::PartIndex {
                    index: part,
                    count: sides + 2,
                });
            }
        };
        check_memory(count, self.dim())?;
        let base = checked_interior(&*self.base, count, sampler)?;
        let mut normals = Array2::zeros((count, self.dim()));
        normals.column_mut(self.base.dim()).fill(normal);
        Ok(BoundaryPoints {
            points: append_constant(&base, height),
            normals,
        })
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let (heights, base) = self.with_heights(count, sampler, |rest| {
            checked_interior(&*self.base, count, rest)
        })?;
        Ok(append(&base, &heights))
    }

    fn volume(&self) -> Result<f64, DomainError> {
        Ok(self.base_volume * (self.hi - self.lo))
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        let share = share_of_last_axis(count, self.dim());
        let base = self.base.quadrature(count.div_ceil(share))?;
        base.times_interval(self.lo, self.hi, share)
    }

    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        let base_dim = self.base.dim();
        if axis > base_dim {
            return Err(DomainError::AxisIndex {
                axis,
                dim: self.dim(),
            });
        }
        if axis == base_dim {
            check_memory(count, self.dim())?;
            let base = checked_interior(&*self.base, count, sampler)?;
            return Ok((
                append_constant(&base, self.lo),
                append_constant(&base, self.hi),
            ));
        }
        let (heights, (lower, upper)) = self.with_heights(count, sampler, |rest| {
            self.base.periodic_pair(axis, count, rest)
        })?;
        for side in [&lower, &upper] {
            check_shape("Domain::periodic_pair", (count, base_dim), side.dim())?;
        }
        Ok((append(&lower, &heights), append(&upper, &heights)))
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        if axis == self.base.dim() {
            Some(0.5 * self.lo + 0.5 * self.hi)
        } else {
            self.base.reflect(axis)
        }
    }
}
