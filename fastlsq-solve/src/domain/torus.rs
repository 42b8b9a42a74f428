//! Solid tori.

use super::checks::check_memory;
use super::{BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;
use std::f64::consts::{PI, TAU};

/// All points of space within r of a circle of radius R around the third axis. Its one part is "surface".
#[derive(Clone, Debug, PartialEq)]
pub struct Torus {
    center: [f64; 3],
    major: f64,
    minor: f64,
}

impl Torus {
    /// The torus of a given centre, radius R of the circle and radius r of the tube.
    ///
    /// # Errors
    /// Unless 0 < r < R and all numbers are finite.
    pub fn new(center: [f64; 3], major: f64, minor: f64) -> Result<Self, DomainError> {
        for radius in [major, minor, major - minor] {
            if !(radius.is_finite() && radius > 0.0) {
                return Err(DomainError::BadRadius { radius });
            }
        }
        let torus = Self {
            center,
            major,
            minor,
        };
        torus.bounding_box()?;
        Ok(torus)
    }

    /// The point at the distance ρ from the circle, at the angles θ around the tube and φ around the axis.
    fn place(&self, distance: f64, tube: f64, around: f64) -> [f64; 3] {
        let radius = self.major + distance * tube.cos();
        [
            self.center[0] + radius * around.cos(),
            self.center[1] + radius * around.sin(),
            self.center[2] + distance * tube.sin(),
        ]
    }

    /// Angles uniform in the measure (R + ρ cos θ) dθ dφ, at the distance ρ from the tube's axis, from two numbers.
    fn angles(&self, distance: f64, u: f64, v: f64) -> (f64, f64) {
        (kepler(TAU * u, distance / self.major), TAU * v)
    }
}

/// The solution of θ + e sin θ = m, 0 ≤ e < 1, by Newton's method kept between θ = m ± e.
fn kepler(m: f64, e: f64) -> f64 {
    let (mut lo, mut hi) = (m - e, m + e);
    let mut angle = m;
    for _ in 0..60 {
        let miss = angle + e * angle.sin() - m;
        if miss.abs() <= 1e-15 * (1.0 + m.abs()) {
            break;
        }
        if miss > 0.0 {
            hi = angle;
        } else {
            lo = angle;
        }
        let next = angle - miss / (1.0 + e * angle.cos());
        angle = if lo < next && next < hi {
            next
        } else {
            0.5 * (lo + hi)
        };
    }
    angle
}

impl Domain for Torus {
    fn dim(&self) -> usize {
        3
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        let reach = [self.major + self.minor, self.major + self.minor, self.minor];
        let corner = |sign: f64| -> Vec<f64> {
            self.center
                .iter()
                .zip(reach)
                .map(|(c, r)| c + sign * r)
                .collect()
        };
        BoundingBox::new(&corner(-1.0), &corner(1.0))
    }

    fn contains(&self, point: &[f64]) -> bool {
        let [x, y, z] = *point else {
            return false;
        };
        let [a, b, c] = self.center;
        let radial = (x - a).hypot(y - b) - self.major;
        radial.hypot(z - c) <= self.minor
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let area = TAU * self.major * TAU * self.minor;
        vec![BoundaryPart::wall("surface", area)]
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        if part != 0 {
            return Err(DomainError::PartIndex {
                index: part,
                count: 1,
            });
        }
        check_memory(count, 3)?;
        let unit = sampler.points(count, 2);
        let (mut points, mut normals) = (Array2::zeros((count, 3)), Array2::zeros((count, 3)));
        for (i, u) in unit.rows().into_iter().enumerate() {
            let (tube, around) = self.angles(self.minor, u[0], u[1]);
            let normal = [
                tube.cos() * around.cos(),
                tube.cos() * around.sin(),
                tube.sin(),
            ];
            for (k, (x, n)) in self
                .place(self.minor, tube, around)
                .into_iter()
                .zip(normal)
                .enumerate()
            {
                points[(i, k)] = x;
                normals[(i, k)] = n;
            }
        }
        Ok(BoundaryPoints { points, normals })
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        check_memory(count, 3)?;
        let unit = sampler.points(count, 3);
        let mut points = Array2::zeros((count, 3));
        for (i, u) in unit.rows().into_iter().enumerate() {
            // Over all angles the tube's shells weigh ρ, as in the plane.
            let distance = self.minor * u[2].sqrt();
            let (tube, around) = self.angles(distance, u[0], u[1]);
            for (k, x) in self.place(distance, tube, around).into_iter().enumerate() {
                points[(i, k)] = x;
            }
        }
        Ok(points)
    }

    fn volume(&self) -> Result<f64, DomainError> {
        Ok(TAU * self.major * PI * self.minor * self.minor)
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        self.center.get(axis).copied()
    }
}
