//! What lies between two spheres with a common centre.

use super::ball::{power, unit_volume};
use super::bounding_box::between;
use super::checks::check_memory;
use super::{Ball, BoundaryPart, BoundaryPoints, BoundingBox, Curve, Domain, DomainError, Outline};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// r ≤ |x − c| ≤ R: a ring in the plane, a shell in space, in any dimension from two. Its parts are "inner" and "outer".
#[derive(Clone, Debug, PartialEq)]
pub struct Annulus {
    inner: Ball,
    outer: Ball,
}

impl Annulus {
    /// The region between the radii r and R around a centre.
    ///
    /// # Errors
    /// Unless 0 < r < R, all numbers are finite, and there are at least two axes.
    pub fn new(center: &[f64], inner: f64, outer: f64) -> Result<Self, DomainError> {
        if center.len() == 1 {
            return Err(DomainError::Unsupported {
                operation: "an annulus on the line",
                hint: "use two intervals",
            });
        }
        let (inner, outer) = (Ball::new(center, inner)?, Ball::new(center, outer)?);
        if inner.radius() >= outer.radius() {
            return Err(DomainError::EmptyShape);
        }
        Ok(Self { inner, outer })
    }

    /// The inner and the outer radius.
    #[must_use]
    pub fn radii(&self) -> (f64, f64) {
        (self.inner.radius(), self.outer.radius())
    }
}

impl Domain for Annulus {
    fn dim(&self) -> usize {
        self.outer.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        self.outer.bounding_box()
    }

    fn contains(&self, point: &[f64]) -> bool {
        self.outer.contains(point) && !self.inner.contains(point)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let named = [("inner", &self.inner), ("outer", &self.outer)];
        let area = |ball: &Ball| ball.parts().first().map_or(0.0, |part| part.measure);
        named
            .map(|(name, ball)| BoundaryPart::wall(name, area(ball)))
            .to_vec()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        match part {
            0 => {
                let mut sphere = self.inner.sample_part(0, count, sampler)?;
                sphere.normals.mapv_inplace(|n| -n);
                Ok(sphere)
            }
            1 => self.outer.sample_part(0, count, sampler),
            _ => Err(DomainError::PartIndex {
                index: part,
                count: 2,
            }),
        }
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let dim = self.dim();
        check_memory(count, dim + 2)?;
        let (unit, mut points) = sampler.leading(count, 1, |rest| rest.directions(count, dim));
        let (inner, outer) = self.radii();
        // r^d is uniformly distributed between its ends.
        let hollow = power(inner / outer, dim);
        for (mut point, u) in points.rows_mut().into_iter().zip(&unit) {
            let share = between(hollow, 1.0, *u).powf(1.0 / dim as f64);
            for (x, c) in point.iter_mut().zip(self.outer.center()) {
                *x = c + outer * share * *x;
            }
        }
        Ok(points)
    }

    fn volume(&self) -> Result<f64, DomainError> {
        let (inner, outer) = self.radii();
        let dim = self.dim();
        Ok(unit_volume(dim) * (power(outer, dim) - power(inner, dim)))
    }

    fn outline(&self) -> Option<Outline> {
        let curve = |ball: &Ball| -> Option<Curve> { ball.outline()?.curves().next().cloned() };
        let (inner, outer) = (curve(&self.inner)?, curve(&self.outer)?);
        Outline::new([("inner", inner.reversed()), ("outer", outer)]).ok()
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        self.outer.reflect(axis)
    }
}
