//! What a shape along an interval and a space over time have in common.

use super::bounding_box::{between, check_extent};
use super::checks::{check_memory, check_shape, checked_interior, checked_part};
use super::quadrature::share_of_last_axis;
use super::{BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError, Quadrature};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::{Array2, s};
use std::sync::Arc;

/// Ω × [lo, hi], the interval being the last axis. Its parts are those of Ω, then the lower and the upper end.
#[derive(Clone, Debug)]
pub(super) struct Extruded {
    pub(super) base: Arc<dyn Domain>,
    pub(super) base_volume: f64,
    pub(super) lo: f64,
    pub(super) hi: f64,
}

impl Extruded {
    /// `base` along [lo, hi].
    ///
    /// # Errors
    /// Unless lo < hi and both are finite; if `base` is not a proper domain.
    pub(super) fn new(base: Arc<dyn Domain>, lo: f64, hi: f64) -> Result<Self, DomainError> {
        let dim = base.dim();
        let bounds = base.bounding_box()?;
        check_shape("Domain::bounding_box", (2, dim), (2, bounds.dim()))?;
        check_extent(dim, lo, hi)?;
        Ok(Self {
            base_volume: base.volume()?,
            base,
            lo,
            hi,
        })
    }

    /// Whether the base has a time of its own.
    pub(super) fn is_timed(base: &dyn Domain) -> bool {
        base.parts().iter().any(|part| part.kind.is_time())
    }

    pub(super) fn dim(&self) -> usize {
        self.base.dim() + 1
    }

    pub(super) fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.base.bounding_box()?.with_axis(self.lo, self.hi)
    }

    pub(super) fn contains(&self, point: &[f64]) -> bool {
        point.split_last().is_some_and(|(&height, base)| {
            self.lo <= height && height <= self.hi && self.base.contains(base)
        })
    }

    /// The parts of the base along the interval.
    pub(super) fn sides(&self) -> Vec<BoundaryPart> {
        let mut sides = self.base.parts();
        for side in &mut sides {
            side.measure *= self.hi - self.lo;
        }
        sides
    }

    /// Draws one height for each of `count` points, and what `base` draws for the same points.
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

    /// `count` points of the base.
    fn base_points(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        check_memory(count, self.dim())?;
        checked_interior(&*self.base, count, sampler)
    }

    pub(super) fn sample_part(
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
        let base = self.base_points(count, sampler)?;
        let mut normals = Array2::zeros((count, self.dim()));
        normals.column_mut(self.base.dim()).fill(normal);
        Ok(BoundaryPoints {
            points: append_constant(&base, height),
            normals,
        })
    }

    pub(super) fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let (heights, base) = self.with_heights(count, sampler, |rest| {
            checked_interior(&*self.base, count, rest)
        })?;
        Ok(append(&base, &heights))
    }

    pub(super) fn volume(&self) -> Result<f64, DomainError> {
        Ok(self.base_volume * (self.hi - self.lo))
    }

    pub(super) fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        let share = share_of_last_axis(count, self.dim());
        let base = self.base.quadrature(count.div_ceil(share))?;
        base.times_interval(self.lo, self.hi, share)
    }

    pub(super) fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        let (dim, base_dim) = (self.dim(), self.base.dim());
        if axis > base_dim {
            return Err(DomainError::AxisIndex { axis, dim });
        }
        if axis == base_dim {
            let base = self.base_points(count, sampler)?;
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
}

/// The points with one more coordinate.
fn append(points: &Array2<f64>, last: &[f64]) -> Array2<f64> {
    let (count, dim) = points.dim();
    let mut extended = Array2::zeros((count, dim + 1));
    extended.slice_mut(s![.., ..dim]).assign(points);
    for (x, value) in extended.column_mut(dim).iter_mut().zip(last) {
        *x = *value;
    }
    extended
}

fn append_constant(points: &Array2<f64>, last: f64) -> Array2<f64> {
    append(points, &vec![last; points.nrows()])
}
