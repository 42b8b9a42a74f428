//! The zero level along lines parallel to the axes.
//!
//! Lines along axis k that are uniform in the plane across it meet a surface with density |nₖ| dS. Weighing every
//! intersection by |nₖ| and adding the axes up gives Σ nₖ² dS = dS: areas without projection, weights that vanish where
//! a line is tangent, and by accepting with probability |nₖ| points that are uniform in surface measure.

use super::level::{Level, zero_between};
use crate::domain::checks::check_memory;
use crate::domain::{BoundaryPoints, BoundingBox, DomainError};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// Steps along a line between which signs are compared.
const STEPS: usize = 64;
/// Lines along each axis for measures in three dimensions, and the generator of their lattice: Fibonacci numbers.
const LATTICE: (usize, usize) = (6765, 4181);
/// Lines along each axis, for measures in more.
const LINES: usize = 1 << 12;
/// Lines tried before few intersections count as hopeless, and the share that is.
const PATIENCE: usize = 100_000;
const HOPELESS: usize = 10_000;
/// An irrational share: the chances of the intersections of one line differ by it.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The measures of a level set.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    area: f64,
    volume: f64,
    /// A slope that is typical of the level.
    usual: f64,
}

/// An intersection of a line with the surface.
struct Crossing {
    point: Vec<f64>,
    normal: Vec<f64>,
}

impl Lines {
    pub(super) fn new(bounds: &BoundingBox, level: &Level) -> Result<Self, DomainError> {
        let dim = bounds.dim();
        let mut lines = Self {
            area: 0.0,
            volume: 0.0,
            usual: 0.0,
        };
        let offsets = offsets(dim);
        let largest = bounds.extents().fold(0.0, f64::max);
        let mut crossed = Vec::new();
        for axis in 0..dim {
            let face = face(bounds, axis) / offsets.nrows() as f64;
            for offset in offsets.rows() {
                let start = start(bounds, axis, &offset.to_vec());
                let (zeros, values) = Self::zeros(bounds, level, axis, &start)?;
                // The line starts and ends outside: zeros come in pairs.
                let inside: f64 = zeros.chunks_exact(2).map(|ends| ends[1] - ends[0]).sum();
                lines.volume += face * inside / dim as f64;
                lines.usual = lines.usual.max(values / largest);
                if !zeros.is_empty() {
                    crossed.push((axis, face, start, zeros));
                }
            }
        }
        if lines.volume <= 0.0 {
            return Err(DomainError::EmptyShape);
        }
        for (axis, face, start, zeros) in crossed {
            for crossing in lines.crossings(level, axis, &start, zeros)? {
                lines.area += face * crossing.normal[axis].abs();
            }
        }
        Ok(lines)
    }

    pub(super) fn area(&self) -> f64 {
        self.area
    }

    pub(super) fn volume(&self) -> f64 {
        self.volume
    }

    /// The zeros along a line, and the largest level at its steps; an error where it starts or ends inside.
    fn zeros(
        bounds: &BoundingBox,
        level: &Level,
        axis: usize,
        start: &[f64],
    ) -> Result<(Vec<f64>, f64), DomainError> {
        let (lo, hi) = (bounds.lo()[axis], bounds.hi()[axis]);
        let points = Array2::from_shape_fn((STEPS + 1, start.len()), |(step, k)| {
            if k == axis {
                lo + (hi - lo) * step as f64 / STEPS as f64
            } else {
                start[k]
            }
        });
        let values = level.checked(&points)?;
        let mut zeros = Vec::new();
        let mut largest = 0.0_f64;
        let mut before = (lo, 1.0);
        for (step, &value) in values.iter().enumerate() {
            if value < 0.0 && (step == 0 || step == STEPS) {
                let point = points.row(step).to_vec();
                return Err(DomainError::BoundsTooSmall { point, value });
            }
            largest = largest.max(value.abs());
            let here = (points[(step, axis)], value);
            if (before.1 < 0.0) != (value < 0.0) {
                let along = |x: f64| {
                    let mut point = start.to_vec();
                    point[axis] = x;
                    level.value(&point)
                };
                zeros.push(zero_between(before, here, along));
            }
            before = here;
        }
        Ok((zeros, largest))
    }

    /// The points of a line at its zeros, with their normals.
    fn crossings(
        &self,
        level: &Level,
        axis: usize,
        start: &[f64],
        zeros: Vec<f64>,
    ) -> Result<Vec<Crossing>, DomainError> {
        let crossing = |x: f64| {
            let mut point = start.to_vec();
            point[axis] = x;
            let normal = level.normal(&point, self.usual)?;
            Ok(Crossing { point, normal })
        };
        zeros.into_iter().map(crossing).collect()
    }

    /// Points of the surface, uniform in its measure.
    pub(super) fn sample(
        &self,
        bounds: &BoundingBox,
        level: &Level,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let dim = bounds.dim();
        check_memory(count, 2 * dim)?;
        let faces: Vec<f64> = (0..dim).map(|axis| face(bounds, axis)).collect();
        let total: f64 = faces.iter().sum();
        let mut sampled = BoundaryPoints {
            points: Array2::zeros((count, dim)),
            normals: Array2::zeros((count, dim)),
        };
        let (mut accepted, mut tried) = (0, 0);
        while accepted < count {
            if tried >= PATIENCE && accepted < tried / HOPELESS {
                return Err(DomainError::HopelessRejection { accepted, tried });
            }
            let expected = (count - accepted).saturating_mul(tried.max(1)) / accepted.max(1);
            let batch = expected.saturating_add(8).min(1 << 12);
            // Where the line is, which axis it is parallel to, and the chance of its intersections.
            let unit = sampler.points(batch, dim + 1);
            tried += batch;
            for u in unit.rows() {
                let mut rest = u[dim - 1] * total;
                let axis = faces.iter().position(|face| {
                    rest -= face;
                    rest < 0.0
                });
                let axis = axis.unwrap_or(dim - 1);
                let start = start(bounds, axis, &u.to_vec());
                let (zeros, _) = Self::zeros(bounds, level, axis, &start)?;
                let crossings = self.crossings(level, axis, &start, zeros)?;
                for (k, crossing) in crossings.iter().enumerate() {
                    let chance = (u[dim] + k as f64 * GOLDEN).fract();
                    if accepted == count || chance > crossing.normal[axis].abs() {
                        continue;
                    }
                    for k in 0..dim {
                        sampled.points[(accepted, k)] = crossing.point[k];
                        sampled.normals[(accepted, k)] = crossing.normal[k];
                    }
                    accepted += 1;
                }
            }
        }
        Ok(sampled)
    }
}

/// Places of lines in the unit cube across an axis: a lattice in three dimensions, quasi-random points beyond.
fn offsets(dim: usize) -> Array2<f64> {
    match dim {
        1 => Array2::zeros((1, 0)),
        3 => Array2::from_shape_fn((LATTICE.0, 2), |(i, k)| {
            let numerator = if k == 0 { i } else { i * LATTICE.1 % LATTICE.0 };
            (numerator as f64 + 0.5) / LATTICE.0 as f64
        }),
        _ => UnitSampler::halton(0).points(LINES, dim - 1),
    }
}

/// The measure of the box across an axis.
fn face(bounds: &BoundingBox, axis: usize) -> f64 {
    let others = bounds.extents().enumerate().filter(|(k, _)| *k != axis);
    others.map(|(_, extent)| extent).product()
}

/// The lower end of the line along an axis at a place of the unit cube across it.
fn start(bounds: &BoundingBox, axis: usize, offset: &[f64]) -> Vec<f64> {
    let mut shares = offset.iter();
    let sides = bounds.lo().iter().zip(bounds.extents()).enumerate();
    sides
        .map(|(k, (lo, extent))| {
            if k == axis {
                *lo
            } else {
                lo + extent * shares.next().copied().unwrap_or(0.5)
            }
        })
        .collect()
}
