//! The inner loops: one sine-cosine pair for each entry, then two multiplications a group.

use faer::MatMut;
use ndarray::ArrayView2;

use super::collapse::{Group, Pass};
use crate::form::UpperLimit;
use crate::identities::span_factor;
use crate::sincos::{has_fma, sin_cos_block};
use crate::sinusoidal::Parity;

/// Points that are handled together: their coordinates, sines and cosines stay in the L1 cache.
pub(super) const BLOCK: usize = 256;

/// A feature Π_{parity axes} trig(w_a (x_a − c_a)) · sin(Σ_{other axes} w_k x_k + b).
pub(super) struct Rows<'a, 'f> {
    pub(super) dim: usize,
    pub(super) frequencies: &'a [f64],
    pub(super) phases: &'a [f64],
    pub(super) parity: &'a [Parity],
    pub(super) center: &'a [f64],
    pub(super) points: ArrayView2<'a, f64>,
    pub(super) passes: &'a [Pass<'f>],
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

/// Scratch for one block of points and one feature.
struct Scratch {
    z: [f64; BLOCK],
    sin: [f64; BLOCK],
    cos: [f64; BLOCK],
    /// The value without group coefficients; parity and integral factors.
    factor: [f64; BLOCK],
    /// Sines and cosines along each parity axis.
    axes: Vec<([f64; BLOCK], [f64; BLOCK])>,
}

impl Rows<'_, '_> {
    #[inline(always)]
    fn write<const FUSED: bool>(mut self) {
        let parity_axes: Vec<usize> = (0..self.dim)
            .filter(|&k| self.parity[k] != Parity::None)
            .collect();
        let ridge_axes: Vec<usize> = (0..self.dim)
            .filter(|&k| self.parity[k] == Parity::None)
            .collect();
        let mut scratch = Scratch {
            z: [0.0; BLOCK],
            sin: [0.0; BLOCK],
            cos: [0.0; BLOCK],
            factor: [0.0; BLOCK],
            axes: vec![([0.0; BLOCK], [0.0; BLOCK]); parity_axes.len()],
        };
        let mut coordinates = vec![0.0; self.dim * BLOCK];
        let mut spans = vec![0.0; self.dim * BLOCK];
        if self.passes.is_empty() {
            self.out.as_mut().fill(0.0);
            return;
        }
        let rows = self.points.nrows();
        let mut start = 0;
        while start < rows {
            let count = BLOCK.min(rows - start);
            for (index, pass) in self.passes.iter().enumerate() {
                self.load(start, count, pass, &mut coordinates, &mut spans);
                let plain = parity_axes.is_empty() && pass.integrals.is_empty();
                for j in 0..self.phases.len() {
                    let w = &self.frequencies[j * self.dim..(j + 1) * self.dim];
                    phase::<FUSED>(
                        w,
                        self.phases[j],
                        &ridge_axes,
                        &coordinates,
                        &mut scratch.z[..count],
                    );
                    sin_cos_block::<FUSED>(
                        &scratch.z[..count],
                        &mut scratch.sin[..count],
                        &mut scratch.cos[..count],
                    );
                    if !parity_axes.is_empty() {
                        self.parity_factors::<FUSED>(
                            w,
                            &parity_axes,
                            &coordinates,
                            count,
                            &mut scratch,
                        );
                    }
                    let column = self.out.as_mut().col_mut(j).subrows_mut(start, count);
                    let Some(column) = column.try_as_col_major_mut() else {
                        continue;
                    };
                    let column = column.as_slice_mut();
                    if index > 0 || pass.groups.is_empty() {
                        // Later passes add to what is there.
                    } else if plain && pass.groups.len() == 1 && pass.groups[0].source.is_none() {
                        let (p, q) = (pass.groups[0].p[j], pass.groups[0].q[j]);
                        combine::<FUSED>(
                            p,
                            q,
                            &scratch.sin[..count],
                            &scratch.cos[..count],
                            column,
                        );
                        continue;
                    } else {
                        column.fill(0.0);
                    }
                    for group in &pass.groups {
                        let (p, q) = (group.p[j], group.q[j]);
                        let (sin, cos) = (&scratch.sin[..count], &scratch.cos[..count]);
                        combine::<FUSED>(p, q, sin, cos, &mut scratch.factor[..count]);
                        for (slot, &axis) in parity_axes.iter().enumerate() {
                            let (sin, cos) = &scratch.axes[slot];
                            let odd = self.parity[axis] == Parity::Odd;
                            let flipped = group.flipped >> slot & 1 == 1;
                            let trig = if odd != flipped { sin } else { cos };
                            multiply(&mut scratch.factor[..count], &trig[..count]);
                        }
                        for integral in &pass.integrals {
                            let span = &spans[integral.axis * BLOCK..][..count];
                            integrate(w[integral.axis], span, &mut scratch.factor[..count]);
                        }
                        accumulate::<FUSED>(group, start, &scratch.factor[..count], column);
                    }
                }
            }
            start += count;
        }
    }

    /// Copies a block of points axis by axis; integrated axes get midpoints and spans instead.
    #[inline(always)]
    fn load(
        &self,
        start: usize,
        count: usize,
        pass: &Pass<'_>,
        coordinates: &mut [f64],
        spans: &mut [f64],
    ) {
        for axis in 0..self.dim {
            let block = &mut coordinates[axis * BLOCK..][..count];
            for (i, x) in block.iter_mut().enumerate() {
                *x = self.points[(start + i, axis)];
            }
            if let Some(integral) = pass.integrals.iter().find(|integral| integral.axis == axis) {
                for (x, h) in block.iter_mut().zip(&mut spans[axis * BLOCK..][..count]) {
                    let to = match integral.to {
                        UpperLimit::Coordinate => *x,
                        UpperLimit::Fixed(to) => to,
                    };
                    *h = to - integral.from;
                    *x = 0.5 * to + 0.5 * integral.from;
                }
            }
        }
    }

    /// Sines and cosines of w_a (x_a − c_a) for each parity axis a.
    #[inline(always)]
    fn parity_factors<const FUSED: bool>(
        &self,
        w: &[f64],
        axes: &[usize],
        coordinates: &[f64],
        count: usize,
        scratch: &mut Scratch,
    ) {
        for (slot, &axis) in axes.iter().enumerate() {
            let (w, center) = (w[axis], self.center[axis]);
            let x = &coordinates[axis * BLOCK..][..count];
            for (z, x) in scratch.z[..count].iter_mut().zip(x) {
                *z = w * (x - center);
            }
            let (sin, cos) = &mut scratch.axes[slot];
            sin_cos_block::<FUSED>(&scratch.z[..count], &mut sin[..count], &mut cos[..count]);
        }
    }
}

/// z = b + Σ w_k x_k over the given axes.
#[inline(always)]
fn phase<const FUSED: bool>(w: &[f64], b: f64, axes: &[usize], coordinates: &[f64], z: &mut [f64]) {
    z.fill(b);
    for &axis in axes {
        let w = w[axis];
        for (z, x) in z.iter_mut().zip(&coordinates[axis * BLOCK..][..BLOCK]) {
            *z = fused::<FUSED>(w, *x, *z);
        }
    }
}

/// out = p sin + q cos.
#[inline(always)]
fn combine<const FUSED: bool>(p: f64, q: f64, sin: &[f64], cos: &[f64], out: &mut [f64]) {
    for ((out, s), c) in out.iter_mut().zip(sin).zip(cos) {
        *out = fused::<FUSED>(p, *s, q * c);
    }
}

#[inline(always)]
fn multiply(values: &mut [f64], by: &[f64]) {
    for (v, b) in values.iter_mut().zip(by) {
        *v *= b;
    }
}

/// Multiplies by h sinc(w h / 2), the ratio of the integral to the value at the midpoint.
#[inline(always)]
fn integrate(w: f64, spans: &[f64], values: &mut [f64]) {
    for (v, h) in values.iter_mut().zip(spans) {
        *v *= span_factor(w, *h);
    }
}

/// Adds the group's value, times its coefficient at each point.
#[inline(always)]
fn accumulate<const FUSED: bool>(group: &Group<'_>, start: usize, values: &[f64], out: &mut [f64]) {
    match group.source {
        None => {
            for (out, v) in out.iter_mut().zip(values) {
                *out += v;
            }
        }
        Some(source) => {
            for ((out, v), c) in out.iter_mut().zip(values).zip(&source[start..]) {
                *out = fused::<FUSED>(*c, *v, *out);
            }
        }
    }
}
