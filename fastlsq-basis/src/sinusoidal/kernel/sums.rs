//! Sums over all features at many points: no row is ever written.
//!
//! Forms that ask for the same wave with other amplitudes (a function and its Laplacian, say) share its
//! evaluation; what remains of a term is one multiplication and one addition.

use faer::MatMut;
use ndarray::ArrayView2;

use super::{Axes, Block, Feature, pairs, waves};
use crate::sincos::has_fma;
use crate::sinusoidal::Parity;
use crate::sinusoidal::collapse::{Group, Pass};

/// Points at a time: coordinates, values and totals should stay in the L1 cache.
const STRIDE: usize = 512;
/// Terms that are told apart by the bits of one number; further ones are evaluated on their own.
const MOST_TERMS: usize = 64;

/// What is summed, and where it goes.
pub(in crate::sinusoidal) struct Sums<'a, 'f> {
    pub(in crate::sinusoidal) dim: usize,
    pub(in crate::sinusoidal) frequencies: &'a [f64],
    pub(in crate::sinusoidal) phases: &'a [f64],
    pub(in crate::sinusoidal) parity: &'a [Parity],
    pub(in crate::sinusoidal) center: &'a [f64],
    pub(in crate::sinusoidal) points: ArrayView2<'a, f64>,
    /// For each form, what it collapsed to.
    pub(in crate::sinusoidal) forms: &'a [Vec<Pass<'f>>],
    /// One coefficient for each feature.
    pub(in crate::sinusoidal) beta: &'a [f64],
    /// One row per point, one column per form.
    pub(in crate::sinusoidal) out: MatMut<'a, f64>,
}

impl pulp::WithSimd for Sums<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        if has_fma::<S>() {
            self.evaluate::<true>();
        } else {
            self.evaluate::<false>();
        }
    }
}

/// A group of a pass without integrals, and the form it belongs to.
#[derive(Clone, Copy)]
struct Term<'a, 'f> {
    form: usize,
    group: &'a Group<'f>,
}

/// Room for one block of points.
struct Scratch {
    block: Block,
    pairs: pairs::Scratch,
    z: Vec<f64>,
    values: Vec<f64>,
    /// The sums so far, form by form.
    totals: Vec<f64>,
}

impl Sums<'_, '_> {
    #[inline(always)]
    fn evaluate<const FUSED: bool>(mut self) {
        let (apart, ridge) = (0..self.dim).partition(|&k| self.parity[k] != Parity::None);
        let axes = Axes {
            ridge,
            apart,
            parity: self.parity,
            center: self.center,
        };
        let mut scratch = Scratch {
            block: Block::new(self.dim),
            pairs: pairs::Scratch::new(axes.apart.len()),
            z: vec![0.0; STRIDE],
            values: vec![0.0; STRIDE],
            totals: vec![0.0; STRIDE * self.forms.len()],
        };
        let (mut terms, mut shared, mut alone) = (Vec::new(), Vec::new(), Vec::new());
        for (form, passes) in self.forms.iter().enumerate() {
            for pass in passes {
                let fits = terms.len() + pass.groups.len() <= MOST_TERMS;
                if FUSED && pass.few_waves && pass.integrals.is_empty() && fits {
                    terms.extend(pass.groups.iter().map(|group| Term { form, group }));
                    shared.push((form, pass));
                } else {
                    alone.push((form, pass));
                }
            }
        }
        let plain = Pass {
            integrals: Vec::new(),
            groups: Vec::new(),
            few_waves: true,
        };
        let rows = self.points.nrows();
        for start in (0..rows).step_by(STRIDE) {
            let count = STRIDE.min(rows - start);
            scratch.totals.fill(0.0);
            if !shared.is_empty() {
                scratch.block.load(self.points, start, count, &plain);
                scratch.block.start = start;
                for index in 0..self.phases.len() {
                    if scratch.block.is_regular(&axes, self.feature(index)) {
                        self.add_waves(&axes, &terms, index, &mut scratch);
                    } else {
                        for (form, pass) in &shared {
                            self.add_pass::<FUSED>(&axes, *form, pass, index, &mut scratch);
                        }
                    }
                }
            }
            for (form, pass) in &alone {
                scratch.block.load(self.points, start, count, pass);
                scratch.block.start = start;
                for index in 0..self.phases.len() {
                    self.add_pass::<FUSED>(&axes, *form, pass, index, &mut scratch);
                }
            }
            for form in 0..self.forms.len() {
                let totals = &scratch.totals[form * STRIDE..][..count];
                for (i, total) in totals.iter().enumerate() {
                    self.out[(start + i, form)] = *total;
                }
            }
        }
    }

    #[inline(always)]
    fn feature(&self, index: usize) -> Feature<'_> {
        Feature {
            index,
            frequency: &self.frequencies[index * self.dim..(index + 1) * self.dim],
            phase: self.phases[index],
        }
    }

    /// Adds one feature's part of the terms that share waves.
    #[inline(always)]
    fn add_waves(
        &self,
        axes: &Axes<'_>,
        terms: &[Term<'_, '_>],
        index: usize,
        scratch: &mut Scratch,
    ) {
        let (feature, beta) = (self.feature(index), self.beta[index]);
        if beta == 0.0 {
            return;
        }
        let count = scratch.block.count;
        let mut open: u64 = match terms.len() {
            64 => u64::MAX,
            n => (1 << n) - 1,
        };
        while open != 0 {
            let place = open.trailing_zeros() as usize;
            open &= !(1 << place);
            let Term { form, group: first } = terms[place];
            let wave = first.waves[index];
            let values = &mut scratch.values[..count];
            let z = &mut scratch.z[..count];
            waves::ridge(axes, &scratch.block, feature, wave.unit(), z, values);
            waves::parity_factors(axes, &scratch.block, feature, first.flipped, values);
            let start = scratch.block.start;
            let totals = &mut scratch.totals[form * STRIDE..][..count];
            add_group(totals, beta * wave.amplitude, values, first.source, start);
            let mut rest = open;
            while rest != 0 {
                let place = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let Term { form, group } = terms[place];
                let own = group.waves[index];
                if group.flipped == first.flipped && own.is_aligned(wave) {
                    open &= !(1 << place);
                    let totals = &mut scratch.totals[form * STRIDE..][..count];
                    add_group(totals, beta * own.amplitude, values, group.source, start);
                }
            }
        }
    }

    /// Adds one feature's part of a pass that shares nothing.
    #[inline(always)]
    fn add_pass<const FUSED: bool>(
        &self,
        axes: &Axes<'_>,
        form: usize,
        pass: &Pass<'_>,
        index: usize,
        scratch: &mut Scratch,
    ) {
        let (feature, beta) = (self.feature(index), self.beta[index]);
        let count = scratch.block.count;
        let Scratch {
            block,
            pairs,
            values,
            totals,
            ..
        } = scratch;
        let values = &mut values[..count];
        pairs.write::<FUSED>(axes, block, pass, feature, values, true);
        add::<FUSED>(&mut totals[form * STRIDE..][..count], beta, values);
    }
}

/// totals += factor · c · values, with the coefficients c of the points from `start` on; none stands for 1.
#[inline(always)]
fn add_group(
    totals: &mut [f64],
    factor: f64,
    values: &[f64],
    source: Option<&[f64]>,
    start: usize,
) {
    let Some(source) = source else {
        return add::<true>(totals, factor, values);
    };
    for ((total, v), c) in totals.iter_mut().zip(values).zip(&source[start..]) {
        *total = (factor * c).mul_add(*v, *total);
    }
}

/// totals += factor · values
#[inline(always)]
fn add<const FUSED: bool>(totals: &mut [f64], factor: f64, values: &[f64]) {
    for (total, v) in totals.iter_mut().zip(values) {
        *total = super::fused::<FUSED>(factor, *v, *total);
    }
}
