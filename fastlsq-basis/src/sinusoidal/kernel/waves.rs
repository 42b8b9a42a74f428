//! One shifted sine for each group, from coordinates to output in one loop.

use super::{Axes, BLOCK, Block, Feature, phases};
use crate::sine::Wave;
use crate::sinusoidal::collapse::{Group, Pass};

pub(super) struct Scratch {
    z: Vec<f64>,
    values: Vec<f64>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            z: vec![0.0; BLOCK],
            values: vec![0.0; BLOCK],
        }
    }

    /// Writes (or adds) the pass for one feature.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        axes: &Axes<'_>,
        block: &Block,
        pass: &Pass<'_>,
        feature: Feature<'_>,
        column: &mut [f64],
        overwrite: bool,
    ) {
        let mut overwrite = overwrite;
        let mut groups = pass.groups.as_slice();
        while let [first, ..] = groups {
            // Groups that ask for the same wave with other amplitudes share it.
            let wave = first.waves[feature.index];
            let alike = |g: &&Group<'_>| {
                g.flipped == first.flipped && g.waves[feature.index].is_aligned(wave)
            };
            let count = 1 + groups[1..].iter().take_while(alike).count();
            let (together, rest) = groups.split_at(count);
            let values = if overwrite {
                &mut *column
            } else {
                &mut self.values[..block.count]
            };
            let z = &mut self.z[..block.count];
            if let [Group { source: None, .. }] = together {
                ridge(axes, block, feature, wave, z, values);
            } else {
                ridge(axes, block, feature, wave.unit(), z, values);
                weigh(together, block, feature, z, values);
            }
            parity_factors(axes, block, feature, first.flipped, values);
            block.integrate(pass, feature, 0, values);
            if !overwrite {
                for (out, v) in column.iter_mut().zip(&self.values[..block.count]) {
                    *out += v;
                }
            }
            overwrite = false;
            groups = rest;
        }
    }
}

/// Multiplies by Σ A c(x), the amplitudes and coefficient functions of groups with one wave.
#[inline(always)]
fn weigh(
    groups: &[Group<'_>],
    block: &Block,
    feature: Feature<'_>,
    weights: &mut [f64],
    values: &mut [f64],
) {
    let range = block.start..block.start + block.count;
    let amplitude = |group: &Group<'_>| group.waves[feature.index].amplitude;
    let constant = groups
        .iter()
        .filter(|g| g.source.is_none())
        .map(amplitude)
        .sum();
    let varying: Vec<(f64, &[f64])> = groups
        .iter()
        .filter_map(|group| Some((amplitude(group), &group.source?[range.clone()])))
        .collect();
    match varying[..] {
        [(a, source)] => {
            for (v, c) in values.iter_mut().zip(source) {
                *v *= a.mul_add(*c, constant);
            }
        }
        _ => {
            weights.fill(constant);
            for (a, source) in varying {
                for (weight, c) in weights.iter_mut().zip(source) {
                    *weight = a.mul_add(*c, *weight);
                }
            }
            for (v, weight) in values.iter_mut().zip(weights) {
                *v *= *weight;
            }
        }
    }
}

/// Multiplies by the sine or cosine along each axis with parity.
#[inline(always)]
pub(super) fn parity_factors(
    axes: &Axes<'_>,
    block: &Block,
    feature: Feature<'_>,
    flipped: u64,
    values: &mut [f64],
) {
    for (slot, &axis) in axes.apart.iter().enumerate() {
        let factor = if axes.carries_sine(slot, flipped) {
            Wave::SINE
        } else {
            Wave::COSINE
        };
        let (w, center) = (feature.frequency[axis], axes.center[axis]);
        for (v, x) in values.iter_mut().zip(block.axis(axis)) {
            *v *= factor.at(w * (x - center));
        }
    }
}

/// values = A sin(b + Σ w_k x_k + δ) over the axes that share the phase.
#[inline(always)]
pub(super) fn ridge(
    axes: &Axes<'_>,
    block: &Block,
    feature: Feature<'_>,
    wave: Wave,
    z: &mut [f64],
    values: &mut [f64],
) {
    match axes.ridge.len() {
        0 => values.fill(wave.at(feature.phase)),
        1 => fused_axes::<1>(axes, block, feature, wave, values),
        2 => fused_axes::<2>(axes, block, feature, wave, values),
        3 => fused_axes::<3>(axes, block, feature, wave, values),
        4 => fused_axes::<4>(axes, block, feature, wave, values),
        5 => fused_axes::<5>(axes, block, feature, wave, values),
        6 => fused_axes::<6>(axes, block, feature, wave, values),
        _ => {
            phases::<true>(&axes.ridge, block, feature, 0, z);
            for (v, z) in values.iter_mut().zip(z) {
                *v = wave.at(*z);
            }
        }
    }
}

/// [`ridge`] for the first K axes, in one loop.
#[inline(always)]
fn fused_axes<const K: usize>(
    axes: &Axes<'_>,
    block: &Block,
    feature: Feature<'_>,
    wave: Wave,
    values: &mut [f64],
) {
    let w: [f64; K] = std::array::from_fn(|k| feature.frequency[axes.ridge[k]]);
    let x: [&[f64]; K] = std::array::from_fn(|k| &block.axis(axes.ridge[k])[..values.len()]);
    for (i, value) in values.iter_mut().enumerate() {
        let mut z = feature.phase;
        for k in 0..K {
            z = w[k].mul_add(x[k][i], z);
        }
        *value = wave.at(z);
    }
}
