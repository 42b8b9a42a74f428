//! Points on the unit sphere and in the unit ball, uniform in surface and in volume.
//!
//! In up to three dimensions the maps from the cube are explicit and use as many coordinates as the
//! sphere has dimensions, which keeps low-discrepancy points evenly spread; beyond that a direction
//! is a normalised normal vector.

use super::{UnitSampler, normal_quantile};
use ndarray::{Array2, ArrayViewMut1};
use std::f64::consts::TAU;

/// How many coordinates of the cube a direction of R^dim takes.
fn coordinates(dim: usize) -> usize {
    match dim {
        0 => 0,
        1 | 2 => 1,
        3 => 2,
        _ => dim,
    }
}

/// Writes the unit vector that belongs to a point of the cube of `coordinates(direction.len())`
/// dimensions.
fn write_direction(unit: &[f64], direction: &mut [f64]) {
    match (direction, unit) {
        ([x], [u]) => *x = 1.0_f64.copysign(u - 0.5),
        ([x, y], [u]) => (*y, *x) = libm::sincos(TAU * u),
        ([x, y, z], [u, v]) => {
            // Archimedes: the height above a plane is uniformly distributed.
            *z = 2.0 * u - 1.0;
            let (sin, cos) = libm::sincos(TAU * v);
            let parallel = libm::sqrt((1.0 - *z) * (1.0 + *z));
            (*x, *y) = (parallel * cos, parallel * sin);
        }
        (direction, unit) => {
            for (x, u) in direction.iter_mut().zip(unit) {
                *x = normal_quantile(*u);
            }
            let norm = libm::sqrt(direction.iter().map(|x| x * x).sum());
            if norm > 0.0 {
                direction.iter_mut().for_each(|x| *x /= norm);
            } else if let Some(first) = direction.first_mut() {
                *first = 1.0;
            }
        }
    }
}

fn set_row(mut row: ArrayViewMut1<'_, f64>, values: &[f64], scale: f64) {
    for (x, value) in row.iter_mut().zip(values) {
        *x = scale * value;
    }
}

impl UnitSampler {
    /// The next `count` unit vectors of R^dim, one per row, uniform on the sphere.
    #[must_use]
    pub fn directions(&mut self, count: usize, dim: usize) -> Array2<f64> {
        let unit = self.points(count, coordinates(dim));
        let mut directions = Array2::zeros((count, dim));
        let mut direction = vec![0.0; dim];
        for (point, row) in unit.rows().into_iter().zip(directions.rows_mut()) {
            write_direction(&point.to_vec(), &mut direction);
            set_row(row, &direction, 1.0);
        }
        directions
    }

    /// The next `count` points of the unit ball of R^dim, one per row, uniform in volume: direction
    /// times a radius distributed as U^(1/dim).
    #[must_use]
    pub fn ball_points(&mut self, count: usize, dim: usize) -> Array2<f64> {
        if dim < 2 {
            return self.points(count, dim).mapv_into(|u| 2.0 * u - 1.0);
        }
        let unit = self.points(count, 1 + coordinates(dim));
        let mut points = Array2::zeros((count, dim));
        let mut direction = vec![0.0; dim];
        for (point, row) in unit.rows().into_iter().zip(points.rows_mut()) {
            let point = point.to_vec();
            let Some((&u, rest)) = point.split_first() else {
                continue;
            };
            let radius = if dim == 2 {
                libm::sqrt(u)
            } else {
                libm::pow(u, 1.0 / dim as f64)
            };
            write_direction(rest, &mut direction);
            set_row(row, &direction, radius);
        }
        points
    }
}
