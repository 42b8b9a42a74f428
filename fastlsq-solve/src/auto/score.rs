//! The held-out score: how well a candidate satisfies equations and conditions at fresh points.
//!
//! For each block, rms(Bu − g) at fresh points of the block is divided by the root mean square,
//! over the whole domain, of the absolute terms of B applied to u (plus that of g). Normalising over
//! the domain matters: u_t(x, 0) = 0 has no scale of its own. The score is the largest over blocks.

use std::sync::Arc;

use fastlsq_basis::Basis;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_ops::{Sites, identity};
use ndarray::Array2;

use super::rows::{RowCounts, TableShare, sample_blocks};
use crate::SolveError;
use crate::data::Data;
use crate::domain::checked_interior;
use crate::problem::LinearProblem;
use crate::system::RowBlock;

/// Fresh points in the interior and on each condition.
const EQUATION_POINTS: usize = 300;
const CONDITION_POINTS: usize = 100;
/// Points at which the size of the terms, and u itself, are measured.
const PROBE_POINTS: usize = 96;

/// Points that no fit has seen.
#[derive(Debug, Clone)]
pub(crate) struct HeldOut {
    blocks: Vec<RowBlock>,
    probes: Array2<f64>,
    /// Unit vectors that stand in for normals away from the boundary.
    directions: Array2<f64>,
}

/// How a candidate did.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    /// The relative held-out residual of each block.
    pub(crate) blocks: Vec<f64>,
    /// The largest of them.
    pub(crate) worst: f64,
    /// The unknowns at the probe points, one after the other.
    pub(crate) values: Vec<f64>,
}

impl HeldOut {
    pub(crate) fn new(problem: &LinearProblem, seed: u64) -> Result<Self, SolveError> {
        let counts = RowCounts {
            interior: EQUATION_POINTS,
            conditions: vec![CONDITION_POINTS; problem.conditions.len()],
        };
        let seed = seed ^ 0x5eed_0f4e_1d0a_7a01;
        let blocks = sample_blocks(
            problem,
            &counts,
            Sequence::Independent,
            seed,
            TableShare::HeldOut,
        )?;
        let mut sampler = UnitSampler::new(Sequence::Halton, seed.wrapping_add(1));
        let probes = checked_interior(problem.domain.as_ref(), PROBE_POINTS, &mut sampler)?;
        let dim = problem.domain.dim();
        let directions = Array2::from_elem((PROBE_POINTS, dim), 1.0 / (dim.max(1) as f64).sqrt());
        Ok(Self {
            blocks,
            probes,
            directions,
        })
    }

    /// Judges one block by other data from now on.
    pub(crate) fn replace_data(&mut self, block: usize, data: &Data) -> Result<(), SolveError> {
        if let Some(block) = self.blocks.get_mut(block) {
            block.data = data.sample(&block.label, block.points.view())?;
        }
        Ok(())
    }

    /// Judges one block by these rows from now on.
    pub(crate) fn replace_block(&mut self, block: usize, rows: RowBlock) {
        if let Some(block) = self.blocks.get_mut(block) {
            *block = rows;
        }
    }

    pub(crate) fn score(
        &self,
        bases: &[Arc<dyn Basis>],
        beta: &[f64],
    ) -> Result<Score, SolveError> {
        let bases: Vec<&dyn Basis> = bases.iter().map(AsRef::as_ref).collect();
        let sites = Sites::new(self.probes.view()).with_normals(self.directions.view());
        let mut relative = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let applied = block.apply(&bases, beta)?;
            let residual = rms(applied.iter().zip(&block.data).map(|(a, g)| a - g));
            let terms = block.operator.term_magnitudes(&bases, beta, sites)?;
            let scale = rms(terms.into_iter()) + rms(block.data.iter().copied());
            relative.push(if residual == 0.0 {
                0.0
            } else {
                residual / scale
            });
        }
        let worst = relative.iter().copied().fold(0.0, worse);
        let mut values = Vec::with_capacity(bases.len() * PROBE_POINTS);
        let value = identity(self.probes.ncols());
        for unknown in 0..bases.len() {
            values.extend(value.on(unknown, bases.len()).apply(&bases, beta, sites)?);
        }
        Ok(Score {
            blocks: relative,
            worst,
            values,
        })
    }
}

/// The larger of two scores, where NaN is worse than anything.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() || a.is_nan() {
        f64::INFINITY
    } else {
        a.max(b)
    }
}

/// Root mean square; 0 for nothing.
pub(crate) fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, n), v| (sum + v * v, n + 1));
    if count == 0 {
        0.0
    } else {
        (sum / count as f64).sqrt()
    }
}
