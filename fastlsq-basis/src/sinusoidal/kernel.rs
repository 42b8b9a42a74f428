//! The inner loops that write rows.
//!
//! A feature is Π_{parity axes} trig(w_a (x_a − c_a)) · sin(Σ_{other axes} w_k x_k + b), and a form turns
//! the last factor into p sin z + q cos z (see [`collapse`](super::collapse)). Where one or two sums
//! stand for all terms, each is evaluated as a shifted sine, A sin(z + δ), in one loop from
//! coordinates to the column of the output. With more of them a sine-cosine pair serves all.

mod pairs;
mod sums;
mod waves;

use faer::MatMut;
use ndarray::ArrayView2;

use super::collapse::Pass;
use crate::form::UpperLimit;
use crate::identities::span_factor;
use crate::sincos::{REDUCTION_LIMIT, has_fma};
use crate::sinusoidal::Parity;

pub(super) use sums::Sums;

/// Points that are handled together: long runs down a column touch few pages of a large output.
pub(super) const BLOCK: usize = 2048;

/// What is written, and where.
pub(super) struct Rows<'a, 'f> {
    pub(super) dim: usize,
    /// Frequencies and phases of all features.
    pub(super) frequencies: &'a [f64],
    pub(super) phases: &'a [f64],
    /// The feature that the first column belongs to.
    pub(super) first: usize,
    pub(super) parity: &'a [Parity],
    pub(super) center: &'a [f64],
    pub(super) points: ArrayView2<'a, f64>,
    pub(super) passes: &'a [Pass<'f>],
    /// Where these points stand in the coefficient vectors.
    pub(super) offset: usize,
    /// Contiguous columns, one row per point.
    pub(super) out: MatMut<'a, f64>,
}

impl pulp::WithSimd for Rows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        if has_fma::<S>() {
            self.write::<true>();
        } else {
            self.write::<false>();
        }
    }
}

/// a·b + c, fused where that is one instruction.
#[inline(always)]
fn fused<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// One feature.
#[derive(Clone, Copy)]
struct Feature<'a> {
    index: usize,
    frequency: &'a [f64],
    phase: f64,
}

/// The axes that share the phase, and those with parity, which stand apart.
struct Axes<'a> {
    ridge: Vec<usize>,
    apart: Vec<usize>,
    parity: &'a [Parity],
    center: &'a [f64],
}

/// A block of points, axis by axis.
struct Block {
    count: usize,
    /// Where it starts in the coefficient vectors.
    start: usize,
    /// Coordinates; midpoints along integrated axes.
    coordinates: Vec<f64>,
    /// Lengths of the intervals along integrated axes.
    spans: Vec<f64>,
    /// The largest |x| along each axis.
    reach: Vec<f64>,
}

impl Rows<'_, '_> {
    #[inline(always)]
    fn write<const FUSED: bool>(mut self) {
        if self.passes.is_empty() {
            self.out.as_mut().fill(0.0);
            return;
        }
        let (apart, ridge) = (0..self.dim).partition(|&k| self.parity[k] != Parity::None);
        let axes = Axes {
            ridge,
            apart,
            parity: self.parity,
            center: self.center,
        };
        let mut block = Block::new(self.dim);
        let mut waves = waves::Scratch::new();
        let mut pairs = pairs::Scratch::new(axes.apart.len());
        let rows = self.points.nrows();
        // In many dimensions fewer points at a time, so that their coordinates stay in the cache.
        let step = (2 * BLOCK / self.dim.max(1)).clamp(256, BLOCK);
        for start in (0..rows).step_by(step) {
            let count = step.min(rows - start);
            for (number, pass) in self.passes.iter().enumerate() {
                block.load(self.points, start, count, pass);
                block.start = self.offset + start;
                for column in 0..self.out.ncols() {
                    let index = self.first + column;
                    let feature = Feature {
                        index,
                        frequency: &self.frequencies[index * self.dim..(index + 1) * self.dim],
                        phase: self.phases[index],
                    };
                    let column = self.out.as_mut().col_mut(column).subrows_mut(start, count);
                    let Some(column) = column.try_as_col_major_mut() else {
                        continue;
                    };
                    let column = column.as_slice_mut();
                    let overwrite = number == 0;
                    if FUSED && pass.few_waves && block.is_regular(&axes, feature) {
                        waves.write(&axes, &block, pass, feature, column, overwrite);
                    } else {
                        pairs.write::<FUSED>(&axes, &block, pass, feature, column, overwrite);
                    }
                }
            }
        }
    }
}

impl Block {
    fn new(dim: usize) -> Self {
        Self {
            count: 0,
            start: 0,
            coordinates: vec![0.0; dim * BLOCK],
            spans: vec![0.0; dim * BLOCK],
            reach: vec![0.0; dim],
        }
    }

    #[inline(always)]
    fn axis(&self, axis: usize) -> &[f64] {
        &self.coordinates[axis * BLOCK..][..self.count]
    }

    /// Copies points axis by axis; integrated axes get midpoints and spans instead.
    #[inline(always)]
    fn load(&mut self, points: ArrayView2<'_, f64>, start: usize, count: usize, pass: &Pass<'_>) {
        self.count = count;
        for (axis, reach) in self.reach.iter_mut().enumerate() {
            let block = &mut self.coordinates[axis * BLOCK..][..count];
            for (i, x) in block.iter_mut().enumerate() {
                *x = points[(start + i, axis)];
            }
            if let Some(integral) = pass.integrals.iter().find(|integral| integral.axis == axis) {
                let spans = &mut self.spans[axis * BLOCK..][..count];
                for (x, h) in block.iter_mut().zip(spans) {
                    let to = match integral.to {
                        UpperLimit::Coordinate => *x,
                        UpperLimit::Fixed(to) => to,
                    };
                    *h = to - integral.from;
                    *x = 0.5 * to + 0.5 * integral.from;
                }
            }
            *reach = block.iter().fold(0.0, |max: f64, x| max.max(x.abs()));
        }
    }

    /// Whether all arguments of sines lie where the reduction is accurate.
    #[inline(always)]
    fn is_regular(&self, axes: &Axes<'_>, feature: Feature<'_>) -> bool {
        let ridge = axes.ridge.iter().fold(feature.phase.abs(), |sum, &k| {
            sum + feature.frequency[k].abs() * self.reach[k]
        });
        ridge <= REDUCTION_LIMIT
            && axes.apart.iter().all(|&k| {
                let reach = self.reach[k] + axes.center[k].abs();
                feature.frequency[k].abs() * reach <= REDUCTION_LIMIT
            })
    }

    /// Multiplies by h sinc(w h / 2) for each integral: its ratio to the value at the midpoint. The
    /// values belong to the points from number `from` on.
    #[inline(always)]
    fn integrate(&self, pass: &Pass<'_>, feature: Feature<'_>, from: usize, values: &mut [f64]) {
        for integral in &pass.integrals {
            let w = feature.frequency[integral.axis];
            let spans = &self.spans[integral.axis * BLOCK..][from..self.count];
            for (v, h) in values.iter_mut().zip(spans) {
                *v *= span_factor(w, *h);
            }
        }
    }
}

impl Axes<'_> {
    /// Whether an axis with parity carries a sine, given the bits of the axes that were
    /// differentiated an odd number of times.
    #[inline(always)]
    fn carries_sine(&self, slot: usize, flipped: u64) -> bool {
        let odd = self.parity[self.apart[slot]] == Parity::Odd;
        odd != (flipped >> slot & 1 == 1)
    }
}

/// z = b + Σ w_k x_k over the given axes, at the points from number `from` on.
#[inline(always)]
fn phases<const FUSED: bool>(
    axes: &[usize],
    block: &Block,
    feature: Feature<'_>,
    from: usize,
    z: &mut [f64],
) {
    z.fill(feature.phase);
    for &axis in axes {
        let w = feature.frequency[axis];
        for (z, x) in z.iter_mut().zip(&block.axis(axis)[from..]) {
            *z = fused::<FUSED>(w, *x, *z);
        }
    }
}
