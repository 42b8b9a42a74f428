//! A sine-cosine pair for each factor, shared by all groups; also the way for huge arguments and for
//! hardware without fused multiply-add.

use super::{Axes, Block, Feature, fused, phases};
use crate::sincos::sin_cos_block;
use crate::sinusoidal::collapse::Pass;

/// Points at a time: the pairs of all factors should stay in the L1 cache.
const STRIDE: usize = 256;

/// Sines and cosines of one factor.
#[derive(Clone)]
struct Pair {
    sin: [f64; STRIDE],
    cos: [f64; STRIDE],
}

impl Pair {
    const ZERO: Self = Self {
        sin: [0.0; STRIDE],
        cos: [0.0; STRIDE],
    };
}

pub(super) struct Scratch {
    z: [f64; STRIDE],
    values: [f64; STRIDE],
    ridge: Pair,
    /// One for each axis with parity.
    apart: Vec<Pair>,
}

impl Scratch {
    pub(super) fn new(parity_axes: usize) -> Self {
        Self {
            z: [0.0; STRIDE],
            values: [0.0; STRIDE],
            ridge: Pair::ZERO,
            apart: vec![Pair::ZERO; parity_axes],
        }
    }

    /// Writes (or adds) the pass for one feature.
    #[inline(always)]
    pub(super) fn write<const FUSED: bool>(
        &mut self,
        axes: &Axes<'_>,
        block: &Block,
        pass: &Pass<'_>,
        feature: Feature<'_>,
        column: &mut [f64],
        overwrite: bool,
    ) {
        for (piece, column) in column.chunks_mut(STRIDE).enumerate() {
            let from = piece * STRIDE;
            let count = column.len();
            self.evaluate::<FUSED>(axes, block, feature, from, count);
            if overwrite {
                column.fill(0.0);
            }
            for group in &pass.groups {
                let (p, q) = (group.p[feature.index], group.q[feature.index]);
                let values = &mut self.values[..count];
                let pairs = self.ridge.sin.iter().zip(&self.ridge.cos);
                for (v, (s, c)) in values.iter_mut().zip(pairs) {
                    *v = fused::<FUSED>(p, *s, q * c);
                }
                for (slot, pair) in self.apart.iter().enumerate() {
                    let trig = if axes.carries_sine(slot, group.flipped) {
                        &pair.sin
                    } else {
                        &pair.cos
                    };
                    for (v, t) in values.iter_mut().zip(trig) {
                        *v *= t;
                    }
                }
                block.integrate(pass, feature, from, values);
                match group.source {
                    None => {
                        for (out, v) in column.iter_mut().zip(&*values) {
                            *out += v;
                        }
                    }
                    Some(source) => {
                        let source = &source[block.start + from..];
                        for ((out, v), c) in column.iter_mut().zip(&*values).zip(source) {
                            *out = fused::<FUSED>(*c, *v, *out);
                        }
                    }
                }
            }
        }
    }

    /// The pairs at `count` points of the block, beginning with number `from`.
    #[inline(always)]
    fn evaluate<const FUSED: bool>(
        &mut self,
        axes: &Axes<'_>,
        block: &Block,
        feature: Feature<'_>,
        from: usize,
        count: usize,
    ) {
        let z = &mut self.z[..count];
        phases::<FUSED>(&axes.ridge, block, feature, from, z);
        let Pair { sin, cos } = &mut self.ridge;
        sin_cos_block::<FUSED>(z, &mut sin[..count], &mut cos[..count]);
        for (pair, &axis) in self.apart.iter_mut().zip(&axes.apart) {
            let (w, center) = (feature.frequency[axis], axes.center[axis]);
            for (z, x) in z.iter_mut().zip(&block.axis(axis)[from..]) {
                *z = w * (x - center);
            }
            let Pair { sin, cos } = pair;
            sin_cos_block::<FUSED>(z, &mut sin[..count], &mut cos[..count]);
        }
    }
}
