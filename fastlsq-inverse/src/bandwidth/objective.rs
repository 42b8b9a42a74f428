//! The loss of a bandwidth and its envelope gradient.

use std::sync::Arc;

use fastlsq_basis::{Basis, FrequencyLaw, SinusoidalBasis};
use fastlsq_solve::dense::column;
use fastlsq_solve::{Control, LsqOptions, Options, RowBlock, RowSource, System};

use super::Shape;
use crate::InverseError;
use crate::optimise::{EvaluationError, Objective};

/// Bandwidths outside this range count as runaways.
const LEAST_BANDWIDTH: f64 = 1e-3;
const LARGEST_BANDWIDTH: f64 = 1e3;
/// Rows of each block that tell the size of its entries.
const SIZE_ROWS: usize = 200;
/// Couplings between axes beyond this count as runaways.
const LARGEST_COUPLING: f64 = 1e3;

/// loss(L) = (‖A(L)β* − b‖² + μ‖β*‖²)/M as a function of ln σ, of ln σₖ for each axis, or of these
/// and the entries of U below the diagonal in L = U diag(σ).
///
/// As an [`Objective`] it is the logarithm of the loss, or [the loss itself](super::BandwidthLearner::plain).
#[derive(Debug, Clone)]
pub struct BandwidthLoss {
    basis: SinusoidalBasis,
    blocks: Vec<RowBlock>,
    shape: Shape,
    options: Options,
    lsq: LsqOptions,
    /// Whether the objective is the logarithm of the loss.
    logarithmic: bool,
}

impl BandwidthLoss {
    pub(super) fn new(
        basis: SinusoidalBasis,
        blocks: Vec<RowBlock>,
        shape: Shape,
        options: &Options,
    ) -> Result<Self, InverseError> {
        if blocks
            .iter()
            .any(|block| block.exact || block.partners.is_some())
        {
            return Err(InverseError::Unsupported {
                what: "learning a bandwidth with exact or periodic conditions",
                hint: "weight the conditions instead",
            });
        }
        let mut lsq = options.lsq.clone();
        lsq.control = lsq.control.without_deadline();
        Ok(Self {
            basis,
            blocks,
            shape,
            options: options.clone(),
            lsq,
            logarithmic: true,
        })
    }

    /// The features at the start.
    #[must_use]
    pub fn basis(&self) -> &SinusoidalBasis {
        &self.basis
    }

    pub(super) fn make_plain(&mut self) {
        self.logarithmic = false;
    }

    /// The ridge μ.
    #[must_use]
    pub fn ridge(&self) -> f64 {
        self.lsq.ridge
    }

    /// The same loss with another ridge, under a control.
    pub(super) fn with_ridge(&self, ridge: f64, control: &Control) -> Self {
        let mut loss = self.clone();
        loss.lsq.ridge = ridge;
        loss.lsq.control = control.clone();
        loss
    }

    /// The mean of the columns' squared norms: the measure of whether a ridge is small or large.
    pub(super) fn column_size(&self, parameters: &[f64]) -> Result<f64, InverseError> {
        let shared: Arc<dyn Basis> = Arc::new(self.basis.with_law(&self.law(parameters))?);
        let system = System::new(vec![shared], self.blocks.clone())?;
        let mut size = 0.0;
        for (index, block) in self.blocks.iter().enumerate() {
            let factors: f64 = (0..block.len()).map(|i| block.factor(i).powi(2)).sum();
            size += factors * system.block_scale(index, SIZE_ROWS)?.powi(2);
        }
        Ok(size)
    }

    /// The loss behind a value of the objective.
    pub(super) fn loss_of(&self, value: f64) -> f64 {
        if self.logarithmic { value.exp() } else { value }
    }

    pub(super) fn blocks(&self) -> &[RowBlock] {
        &self.blocks
    }

    fn dim(&self) -> usize {
        self.basis.dim()
    }

    /// The parameters of σ I.
    #[must_use]
    pub fn isotropic_parameters(&self, sigma: f64) -> Vec<f64> {
        let dim = self.dim();
        match self.shape {
            Shape::Isotropic => vec![sigma.ln()],
            Shape::PerAxis => vec![sigma.ln(); dim],
            Shape::Full => {
                let mut parameters = vec![sigma.ln(); dim];
                parameters.extend(vec![0.0; dim * (dim - 1) / 2]);
                parameters
            }
        }
    }

    pub(super) fn bounds(&self) -> Vec<(f64, f64)> {
        let dim = self.dim();
        let logs = (LEAST_BANDWIDTH.ln(), LARGEST_BANDWIDTH.ln());
        let count = if self.shape == Shape::Isotropic {
            1
        } else {
            dim
        };
        let mut bounds = vec![logs; count];
        if self.shape == Shape::Full {
            let coupling = (-LARGEST_COUPLING, LARGEST_COUPLING);
            bounds.extend(vec![coupling; dim * (dim - 1) / 2]);
        }
        bounds
    }

    /// L for given parameters, row by row, all d² entries.
    #[must_use]
    pub fn factor(&self, parameters: &[f64]) -> Vec<f64> {
        let dim = self.dim();
        let at = |k: usize| parameters.get(k).copied().unwrap_or(0.0);
        let sigma = |k: usize| at(if self.shape == Shape::Isotropic { 0 } else { k }).exp();
        let mut factor = vec![0.0; dim * dim];
        for a in 0..dim {
            factor[a * dim + a] = sigma(a);
            if self.shape == Shape::Full {
                for b in 0..a {
                    factor[a * dim + b] = at(self.coupling(a, b)) * sigma(b);
                }
            }
        }
        factor
    }

    /// The parameter that is the entry (a, b) of U, b < a.
    fn coupling(&self, a: usize, b: usize) -> usize {
        self.dim() + a * (a - 1) / 2 + b
    }

    /// The law for given parameters.
    #[must_use]
    pub fn law(&self, parameters: &[f64]) -> FrequencyLaw {
        let dim = self.dim();
        let factor = self.factor(parameters);
        let lower = (0..dim).flat_map(|a| (0..=a).map(move |b| (a, b)));
        FrequencyLaw::Cholesky(lower.map(|(a, b)| factor[a * dim + b]).collect())
    }

    /// The loss and its gradient with respect to the parameters.
    ///
    /// # Errors
    /// A law that does not fit, a solve that fails.
    pub fn loss_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), InverseError> {
        let basis = Arc::new(self.basis.with_law(&self.law(parameters))?);
        let shared: Arc<dyn Basis> = basis.clone();
        let system = System::new(vec![shared], self.blocks.clone())?;
        let factored = self.options.backend.factor(&system, &self.lsq)?;
        let solution = factored.solution()?;
        let beta = column(solution.as_ref(), 0);
        let rows = system.nrows() as f64;

        let dim = self.dim();
        let mut squares = self.lsq.ridge * beta.iter().map(|b| b * b).sum::<f64>();
        let mut by_factor = vec![0.0; dim * dim];
        for block in &self.blocks {
            let applied = block.apply(&[basis.as_ref()], &beta)?;
            let mut weighted = Vec::with_capacity(applied.len());
            for (i, value) in applied.iter().enumerate() {
                let factor = block.factor(i);
                let residual = factor * (value - block.data[i]);
                squares += residual * residual;
                // Once for the residual, once for the rows.
                weighted.push(factor * residual);
            }
            let Some(operator) = block.operator.block(0) else {
                continue;
            };
            let prepared = operator.rows(block.sites())?;
            let own =
                basis.factor_gradient(block.points.view(), &prepared.form(), &weighted, &beta)?;
            for (total, own) in by_factor.iter_mut().zip(own.iter()) {
                *total += 2.0 * own / rows;
            }
        }
        Ok((squares / rows, self.chain(parameters, &by_factor)))
    }

    /// From derivatives ∂/∂L to those with respect to the parameters.
    fn chain(&self, parameters: &[f64], by_factor: &[f64]) -> Vec<f64> {
        let dim = self.dim();
        let factor = self.factor(parameters);
        // ∂/∂ln σ_b: the column b of L scales with σ_b.
        let by_log = |b: usize| -> f64 {
            (0..dim)
                .map(|a| by_factor[a * dim + b] * factor[a * dim + b])
                .sum()
        };
        match self.shape {
            Shape::Isotropic => vec![(0..dim).map(by_log).sum()],
            Shape::PerAxis => (0..dim).map(by_log).collect(),
            Shape::Full => {
                let mut gradient: Vec<f64> = (0..dim).map(by_log).collect();
                for a in 0..dim {
                    for b in 0..a {
                        gradient.push(by_factor[a * dim + b] * factor[b * dim + b]);
                    }
                }
                gradient
            }
        }
    }
}

impl Objective for BandwidthLoss {
    fn dimension(&self) -> usize {
        self.bounds().len()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, EvaluationError> {
        let (loss, own) = self.loss_and_gradient(x)?;
        if !self.logarithmic {
            gradient.copy_from_slice(&own);
            return Ok(loss);
        }
        // A loss of zero is as good as it gets; its logarithm is not a number to compute with.
        let loss = loss.max(f64::MIN_POSITIVE);
        for (target, own) in gradient.iter_mut().zip(own) {
            *target = own / loss;
        }
        Ok(loss.ln())
    }
}
