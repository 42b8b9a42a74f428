//! The held-out score: how well a candidate satisfies equations and conditions at fresh points.
//!
//! For each block, rms(Bu − g) at fresh points of the block is divided by the root mean square,
//! over the whole domain, of the absolute terms of B applied to u (plus that of g). Normalising over
//! the domain matters: u_t(x, 0) = 0 has no scale of its own. Where all terms vanish (u″ = 0), the terms
//! of a function as large as u that changes over half the domain's width stand in for them. The score is
//! the largest over blocks.
//!
//! A scale that comes from the candidate itself favours large functions. Two candidates are therefore compared on one
//! scale, the smaller of the two, and what is left of the data, whatever the size of u, is kept as well.

use std::sync::Arc;

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_basis::{Basis, SinusoidalBasis};
use fastlsq_ops::{EquationRow, Field, Sites};
use ndarray::{Array2, ArrayView2, s};

use super::sample::{RowCounts, TableShare, sample, sample_blocks};
use crate::SolveError;
use crate::control::Control;
use crate::domain::{Domain, checked_interior};
use crate::problem::ConcreteProblem;
use crate::system::RowBlock;

/// Fresh points in the interior and on each condition.
const EQUATION_POINTS: usize = 300;
const CONDITION_POINTS: usize = 100;
/// Points at which the size of the terms is measured.
const PROBE_POINTS: usize = 96;
/// Points at which u itself is compared from candidate to candidate.
const VALUE_POINTS: usize = 500;

/// Points that no fit has seen.
#[derive(Debug, Clone)]
pub struct HeldOut {
    blocks: Vec<RowBlock>,
    probes: Array2<f64>,
    value_points: Array2<f64>,
    /// Unit vectors that stand in for normals away from the boundary.
    directions: Array2<f64>,
    /// sin(Σ xₖ/hₖ) with the half-widths hₖ of the domain: a function without detail.
    plain: Arc<SinusoidalBasis>,
}

/// How a candidate did on one block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockScore {
    /// rms(Bu − g) at held-out points.
    pub residual: f64,
    /// The size of the terms.
    pub scale: f64,
    /// rms(g) there.
    pub data: f64,
    /// The size of the terms of plain functions as large as the unknowns (of size 1 if these all vanish).
    pub plain: f64,
}

/// How a candidate did.
#[derive(Debug, Clone)]
pub struct Score {
    /// The relative held-out residual of each block.
    pub blocks: Vec<f64>,
    /// The largest of them.
    pub worst: f64,
    /// The same, before it was made relative.
    pub parts: Vec<BlockScore>,
    /// The unknowns at the probe points, one after the other.
    pub values: Vec<f64>,
}

impl Score {
    /// The score of these blocks, with the unknowns at the value points.
    #[must_use]
    pub fn new(parts: Vec<BlockScore>, values: Vec<f64>) -> Self {
        let relative = parts.iter().map(|part| share(part.residual, part.scale));
        let blocks: Vec<f64> = relative.collect();
        Self {
            worst: blocks.iter().copied().fold(0.0, worse),
            blocks,
            parts,
            values,
        }
    }

    /// The worst residual relative to the smaller of two candidates' scales: a large u is no excuse.
    #[must_use]
    pub fn beside(&self, other: &Self) -> f64 {
        let pairs = self.parts.iter().zip(&other.parts);
        let relative = pairs.map(|(own, other)| share(own.residual, own.scale.min(other.scale)));
        relative.fold(0.0, worse).max(self.worst)
    }

    /// What is left of the data: √Σ(residual/plain)² over √Σ(data/plain)², where dividing by the terms of a plain
    /// function makes the blocks comparable. 0 if all data vanish.
    #[must_use]
    pub fn misfit(&self) -> f64 {
        let sum = |of: fn(&BlockScore) -> f64| {
            let squares = self
                .parts
                .iter()
                .map(|part| share(of(part), part.plain).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let data = sum(|part| part.data);
        if data > 0.0 {
            sum(|part| part.residual) / data
        } else {
            0.0
        }
    }

    /// The blocks that hold most of the misfit, by number.
    #[must_use]
    pub fn misfits(&self) -> Vec<usize> {
        let own = |part: &BlockScore| share(part.residual, part.plain);
        let largest = self.parts.iter().map(own).fold(0.0, f64::max);
        let blocks = self.parts.iter().enumerate();
        let kept = blocks.filter(|(_, part)| own(part) >= 0.2 * largest);
        kept.map(|(index, _)| index).collect()
    }
}

impl HeldOut {
    /// Fresh points for every equation and condition, and for u itself.
    ///
    /// # Errors
    /// A domain that cannot be sampled, data that are not finite.
    pub fn new(problem: &ConcreteProblem, seed: u64) -> Result<Self, SolveError> {
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
            &Control::new(),
        )?;
        let mut sampler = UnitSampler::new(Sequence::Halton, seed.wrapping_add(1));
        let value_points = value_points(problem, &mut sampler)?;
        let probes = value_points.slice(s![..PROBE_POINTS, ..]).to_owned();
        let dim = problem.domain.dim();
        let directions = Array2::from_elem((PROBE_POINTS, dim), 1.0 / (dim.max(1) as f64).sqrt());
        Ok(Self {
            blocks,
            probes,
            value_points,
            directions,
            plain: Arc::new(plain_wave(problem.domain.as_ref())?),
        })
    }

    /// The size of an operator's terms on plain functions as large as the unknowns.
    ///
    /// # Errors
    /// An operator that cannot be applied.
    pub fn plain_scale(&self, operator: &EquationRow, values: &[f64]) -> Result<f64, SolveError> {
        self.plain_terms(operator, &sizes(values, operator.unknowns()), self.probes())
    }

    /// The size of an operator's terms at these sites on plain functions of these sizes.
    ///
    /// # Errors
    /// An operator that cannot be applied.
    pub fn plain_terms(
        &self,
        operator: &EquationRow,
        sizes: &[f64],
        sites: Sites<'_>,
    ) -> Result<f64, SolveError> {
        let bases: Vec<&dyn Basis> = vec![self.plain.as_ref(); sizes.len()];
        let terms = operator.term_magnitudes(&bases, sizes, sites)?;
        Ok(rms(terms.into_iter()))
    }

    /// Judges one block by other data from now on.
    pub(crate) fn replace_data(&mut self, block: usize, data: &Field) -> Result<(), SolveError> {
        if let Some(block) = self.blocks.get_mut(block) {
            block.data = sample(data, &block.label, &block.sites(), &Control::new())?;
        }
        Ok(())
    }

    /// Judges one block by these rows from now on.
    pub(crate) fn replace_block(&mut self, block: usize, rows: RowBlock) {
        if let Some(block) = self.blocks.get_mut(block) {
            *block = rows;
        }
    }

    /// Rows at held-out points, one block for each equation and condition.
    #[must_use]
    pub fn blocks(&self) -> &[RowBlock] {
        &self.blocks
    }

    /// Points of the interior with unit vectors in place of normals, where sizes are measured.
    #[must_use]
    pub fn probes(&self) -> Sites<'_> {
        Sites::new(self.probes.view()).with_normals(self.directions.view())
    }

    /// Judges coefficients.
    ///
    /// # Errors
    /// Bases or coefficients that do not fit.
    pub fn score(&self, bases: &[Arc<dyn Basis>], beta: &[f64]) -> Result<Score, SolveError> {
        let bases: Vec<&dyn Basis> = bases.iter().map(AsRef::as_ref).collect();
        let values = self.values(&bases, beta)?;
        let mut parts = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            parts.push(self.block_score(block, &bases, beta, &values)?);
        }
        Ok(Score::new(parts, values))
    }

    /// How one block does, where `values` are the unknowns at the value points.
    ///
    /// # Errors
    /// Bases or coefficients that do not fit.
    pub fn block_score(
        &self,
        block: &RowBlock,
        bases: &[&dyn Basis],
        beta: &[f64],
        values: &[f64],
    ) -> Result<BlockScore, SolveError> {
        let applied = block.apply(bases, beta)?;
        let residual = rms(applied.iter().zip(&block.data).map(|(a, g)| a - g));
        let terms = block.operator.term_magnitudes(bases, beta, self.probes())?;
        let data = rms(block.data.iter().copied());
        let scale = rms(terms.into_iter()) + data;
        let plain = self.plain_scale(&block.operator, values)?;
        let scale = scale.max(plain);
        Ok(BlockScore {
            residual,
            scale,
            data,
            plain: if values.iter().all(|value| *value == 0.0) {
                let ones = vec![1.0; bases.len()];
                self.plain_terms(&block.operator, &ones, self.probes())?
            } else {
                plain
            },
        })
    }

    /// Points of the interior where u itself is compared.
    #[must_use]
    pub fn value_points(&self) -> ArrayView2<'_, f64> {
        self.value_points.view()
    }

    /// The unknowns at the value points, one after the other.
    ///
    /// # Errors
    /// Bases or coefficients that do not fit.
    pub fn values(&self, bases: &[&dyn Basis], beta: &[f64]) -> Result<Vec<f64>, SolveError> {
        let mut values = Vec::with_capacity(bases.len() * VALUE_POINTS);
        for unknown in 0..bases.len() {
            let value = EquationRow::value(self.value_points.ncols(), unknown, bases.len());
            values.extend(value.apply(bases, beta, self.value_points())?);
        }
        Ok(values)
    }
}

/// Points of the interior, as many in each region where unknowns live as in any other, by turns.
fn value_points(
    problem: &ConcreteProblem,
    sampler: &mut UnitSampler,
) -> Result<Array2<f64>, SolveError> {
    if problem.homes.iter().all(Option::is_none) {
        let domain = problem.domain.as_ref();
        return Ok(checked_interior(domain, VALUE_POINTS, sampler)?);
    }
    let regions = problem.domain.regions();
    let each = VALUE_POINTS.div_ceil(regions.len().max(1));
    let mut points = Array2::zeros((VALUE_POINTS, problem.domain.dim()));
    for (k, region) in regions.iter().enumerate() {
        let own = checked_interior(region.domain.as_ref(), each, sampler)?;
        let places = (k..VALUE_POINTS).step_by(regions.len());
        for (place, point) in places.zip(own.rows()) {
            points.row_mut(place).assign(&point);
        }
    }
    Ok(points)
}

/// One feature with frequency 1/hₖ along each axis, where hₖ is half the width of the bounding box.
fn plain_wave(domain: &dyn Domain) -> Result<SinusoidalBasis, SolveError> {
    let bounds = domain.bounding_box()?;
    let half = bounds
        .lo()
        .iter()
        .zip(bounds.hi())
        .map(|(a, b)| 0.5 * (b - a));
    let frequencies: Vec<f64> = half.map(|h| if h > 0.0 { 1.0 / h } else { 0.0 }).collect();
    let frequencies = Array2::from_shape_fn((1, frequencies.len()), |(_, k)| frequencies[k]);
    Ok(SinusoidalBasis::explicit(
        frequencies.view(),
        &[std::f64::consts::FRAC_PI_4],
    )?)
}

/// The root mean square of each of this many unknowns, whose values follow one after the other.
#[must_use]
pub fn sizes(values: &[f64], unknowns: usize) -> Vec<f64> {
    let each = values.len() / unknowns.max(1);
    let size = |k: usize| rms(values.iter().skip(k * each).take(each).copied());
    (0..unknowns.max(1)).map(size).collect()
}

/// A residual relative to its scale; one that vanishes is 0 of anything.
#[must_use]
pub fn share(residual: f64, scale: f64) -> f64 {
    if residual == 0.0 {
        0.0
    } else {
        residual / scale
    }
}

/// The larger of two scores, where NaN is worse than anything.
#[must_use]
pub fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() || a.is_nan() {
        f64::INFINITY
    } else {
        a.max(b)
    }
}

/// Root mean square; 0 for nothing. Numbers whose squares are too small or too large for the number format are divided by
/// the largest of them first.
pub fn rms(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (sum, count) = sum_of_squares(values.clone());
    if count == 0 || sum.is_nan() {
        return sum;
    }
    if SAFE_SQUARES.contains(&sum) {
        return (sum / count as f64).sqrt();
    }
    let largest = values
        .clone()
        .fold(0.0, |largest: f64, v| largest.max(v.abs()));
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let (sum, _) = sum_of_squares(values.map(|v| v / largest));
    largest * (sum / count as f64).sqrt()
}

/// The sum of the squares, and how many there are.
fn sum_of_squares(values: impl Iterator<Item = f64>) -> (f64, usize) {
    values.fold((0.0, 0), |(sum, n), v| (sum + v * v, n + 1))
}

/// Sums of squares in this range have lost nothing that matters.
const SAFE_SQUARES: std::ops::Range<f64> = 1e-240..1e280;
