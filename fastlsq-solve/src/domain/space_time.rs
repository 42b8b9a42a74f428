//! A domain of space over an interval of time.

use super::bounding_box::{between, check_extent};
use super::checks::{check_memory, check_shape, checked_interior, checked_part};
use super::quadrature::share_of_last_axis;
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError, PartKind, Quadrature, Region,
};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Space;
use ndarray::{Array2, s};
use std::sync::Arc;

/// Ω × [t0, t1], time being the last axis.
///
/// Its parts are the walls of Ω under their own names, at all times, then "initial" (t = t0) and
/// "final" (t = t1).
#[derive(Clone, Debug)]
pub struct SpaceTime {
    space: Arc<dyn Domain>,
    space_volume: f64,
    start: f64,
    end: f64,
}

impl SpaceTime {
    /// `space` at the times [t0, t1].
    ///
    /// # Errors
    /// Unless t0 < t1 and both are finite; if `space` is not a proper domain or has a time of its own.
    pub fn new(space: impl Domain + 'static, t0: f64, t1: f64) -> Result<Self, DomainError> {
        let dim = space.dim();
        check_shape(
            "Domain::bounding_box",
            (2, dim),
            (2, space.bounding_box()?.dim()),
        )?;
        check_extent(dim, t0, t1)?;
        if space.parts().iter().any(|part| part.kind.is_time()) {
            return Err(DomainError::Unsupported {
                operation: "a second time axis",
                hint: "the domain is a space-time domain already; give its space to SpaceTime::new",
            });
        }
        Ok(Self {
            space_volume: space.volume()?,
            space: Arc::new(space),
            start: t0,
            end: t1,
        })
    }

    /// The domain of space.
    #[must_use]
    pub fn space(&self) -> &dyn Domain {
        &*self.space
    }

    /// The first and the last time.
    #[must_use]
    pub fn times(&self) -> (f64, f64) {
        (self.start, self.end)
    }

    fn duration(&self) -> f64 {
        self.end - self.start
    }

    /// Draws a time each for `count` points, and what `space` draws for the same points.
    fn with_times<T>(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
        space: impl FnOnce(&mut UnitSampler) -> Result<T, DomainError>,
    ) -> Result<(Vec<f64>, T), DomainError> {
        check_memory(count, self.dim())?;
        let (unit, drawn) = sampler.leading(count, 1, space);
        let times = unit
            .iter()
            .map(|&u| between(self.start, self.end, u))
            .collect();
        Ok((times, drawn?))
    }

    /// All of space at one time, with normals ±e_t.
    fn slice(
        &self,
        time: f64,
        normal: f64,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        check_memory(count, self.dim())?;
        let space = checked_interior(&*self.space, count, sampler)?;
        let mut normals = Array2::zeros((count, self.dim()));
        normals.column_mut(self.space.dim()).fill(normal);
        Ok(BoundaryPoints {
            points: append_constant(&space, time),
            normals,
        })
    }
}

/// The points with one more coordinate.
pub(super) fn append(points: &Array2<f64>, last: &[f64]) -> Array2<f64> {
    let (count, dim) = points.dim();
    let mut extended = Array2::zeros((count, dim + 1));
    extended.slice_mut(s![.., ..dim]).assign(points);
    for (x, value) in extended.column_mut(dim).iter_mut().zip(last) {
        *x = *value;
    }
    extended
}

pub(super) fn append_constant(points: &Array2<f64>, last: f64) -> Array2<f64> {
    append(points, &vec![last; points.nrows()])
}

impl Domain for SpaceTime {
    fn dim(&self) -> usize {
        self.space.dim() + 1
    }

    fn coordinates(&self) -> Space {
        self.space.coordinates().with_time()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.space.bounding_box()?.with_axis(self.start, self.end)
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.split_last().is_some_and(|(&time, space)| {
            self.start <= time && time <= self.end && self.space.contains(space)
        })
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.space.parts();
        for part in &mut parts {
            part.measure *= self.duration();
        }
        for (name, kind) in [("initial", PartKind::Initial), ("final", PartKind::Final)] {
            parts.push(BoundaryPart {
                name: name.to_owned(),
                kind,
                measure: self.space_volume,
            });
        }
        parts
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let walls = self.space.parts().len();
        if part < walls {
            let (times, wall) = self.with_times(count, sampler, |rest| {
                checked_part(&*self.space, part, count, rest)
            })?;
            return Ok(BoundaryPoints {
                points: append(&wall.points, &times),
                normals: append_constant(&wall.normals, 0.0),
            });
        }
        match part - walls {
            0 => self.slice(self.start, -1.0, count, sampler),
            1 => self.slice(self.end, 1.0, count, sampler),
            _ => Err(DomainError::PartIndex {
                index: part,
                count: walls + 2,
            }),
        }
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let (times, space) = self.with_times(count, sampler, |rest| {
            checked_interior(&*self.space, count, rest)
        })?;
        Ok(append(&space, &times))
    }

    fn volume(&self) -> Result<f64, DomainError> {
        Ok(self.space_volume * self.duration())
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        let share = share_of_last_axis(count, self.dim());
        let space = self.space.quadrature(count.div_ceil(share))?;
        space.times_interval(self.start, self.end, share)
    }

    fn periodic_pair(
        &self,
        axis: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<(Array2<f64>, Array2<f64>), DomainError> {
        let space_dim = self.space.dim();
        if axis > space_dim {
            return Err(DomainError::AxisIndex {
                axis,
                dim: self.dim(),
            });
        }
        if axis == space_dim {
            check_memory(count, self.dim())?;
            let space = checked_interior(&*self.space, count, sampler)?;
            return Ok((
                append_constant(&space, self.start),
                append_constant(&space, self.end),
            ));
        }
        let (times, (lower, upper)) = self.with_times(count, sampler, |rest| {
            self.space.periodic_pair(axis, count, rest)
        })?;
        for side in [&lower, &upper] {
            check_shape("Domain::periodic_pair", (count, space_dim), side.dim())?;
        }
        Ok((append(&lower, &times), append(&upper, &times)))
    }

    fn over_times(&self, start: f64, end: f64) -> Option<Result<Arc<dyn Domain>, DomainError>> {
        let moved = Self::new(self.space.clone(), start, end);
        Some(moved.map(|domain| Arc::new(domain) as Arc<dyn Domain>))
    }

    fn regions(&self) -> Vec<Region> {
        let mut regions = self.space.regions();
        for region in &mut regions {
            // What could be put over these times as a whole can be so in parts.
            if let Ok(over) = Self::new(region.domain.clone(), self.start, self.end) {
                region.domain = Arc::new(over);
            }
        }
        regions
    }

    fn undivided(&self) -> Option<Arc<dyn Domain>> {
        let space = Self::new(self.space.undivided()?, self.start, self.end).ok()?;
        Some(Arc::new(space))
    }

    fn is_unbounded(&self) -> bool {
        self.space.is_unbounded()
    }

    fn at_one_time(&self) -> Option<Arc<dyn Domain>> {
        Some(Arc::clone(&self.space))
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        // The time axis has a direction, even though the set itself is symmetric.
        if axis < self.space.dim() {
            self.space.reflect(axis)
        } else {
            None
        }
    }
}
