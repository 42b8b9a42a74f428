//! One candidate: features, rows and weights fixed, solved and judged.

use std::sync::Arc;
use std::time::Instant;

use fastlsq_basis::{Basis, FrequencyLaw, InputMap, Parity, SinusoidalBasis};

use super::score::{HeldOut, Score};
use crate::SolveError;
use crate::backend::Factored;
use crate::lsq::{LsqInfo, LsqOptions};
use crate::options::Options;
use crate::problem::{Imposition, LinearProblem};
use crate::system::{RowBlock, System};

/// The features of a candidate.
#[derive(Debug, Clone)]
pub(crate) enum Features {
    /// Random sinusoids.
    Random {
        count: usize,
        law: FrequencyLaw,
        map: InputMap,
        /// For each unknown, for each axis.
        parity: Vec<Vec<Parity>>,
        seed: u64,
    },
    /// The user's own basis.
    Given(Arc<dyn Basis>),
}

impl Features {
    /// The same kind of features from another draw.
    pub(crate) fn with_seed(&self, new: u64) -> Self {
        let mut features = self.clone();
        if let Self::Random { seed, .. } = &mut features {
            *seed = new;
        }
        features
    }

    /// The same kind of features in another number.
    pub(crate) fn with_count(&self, new: usize) -> Self {
        let mut features = self.clone();
        if let Self::Random { count, .. } = &mut features {
            *count = new;
        }
        features
    }

    /// Features for each unknown.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Random { count, .. } => *count,
            Self::Given(basis) => basis.len(),
        }
    }

    fn build(&self, unknowns: usize, normalised: bool) -> Result<Vec<Arc<dyn Basis>>, SolveError> {
        match self {
            Self::Given(basis) => Ok(vec![basis.clone(); unknowns]),
            Self::Random {
                count,
                law,
                map,
                parity,
                seed,
            } => {
                let mut bases: Vec<Arc<dyn Basis>> = Vec::with_capacity(unknowns);
                for (k, own) in parity.iter().enumerate() {
                    // Unknowns of the same parity share their features.
                    let basis = match parity[..k].iter().position(|other| other == own) {
                        Some(same) => bases[same].clone(),
                        None => Arc::new(
                            SinusoidalBasis::builder(map.dim(), *count)
                                .law(law.clone())
                                .map(map.clone())
                                .parity(own.clone())
                                .seed(*seed)
                                .normalised(normalised)
                                .build()?,
                        ),
                    };
                    bases.push(basis);
                }
                Ok(bases)
            }
        }
    }
}

/// A solved candidate.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) features: Features,
    pub(crate) bases: Vec<Arc<dyn Basis>>,
    pub(crate) beta: Vec<f64>,
    pub(crate) score: Score,
    pub(crate) info: LsqInfo,
    pub(crate) weights: Vec<f64>,
    pub(crate) rows: Vec<usize>,
    pub(crate) seconds: f64,
}

/// Everything that stays the same from candidate to candidate.
pub(crate) struct Bench<'a> {
    pub(crate) problem: &'a LinearProblem,
    pub(crate) options: &'a Options,
    pub(crate) held_out: HeldOut,
    pub(crate) lsq: LsqOptions,
}

/// Rows that stand for a block when its scale is measured.
const SCALE_ROWS: usize = 24;
/// How much more a condition counts than an equation, by default.
const CONDITION_WEIGHT: f64 = 10.0;

impl Bench<'_> {
    /// Solves one candidate on these rows and judges it.
    pub(crate) fn run(&self, features: Features, blocks: &[RowBlock]) -> Result<Trial, SolveError> {
        let (trial, _, _) = self.run_keeping(features, blocks, &self.lsq)?;
        Ok(trial)
    }

    /// As [`run`](Self::run), handing out the system and its factorisation too.
    pub(crate) fn run_keeping(
        &self,
        features: Features,
        blocks: &[RowBlock],
        lsq: &LsqOptions,
    ) -> Result<(Trial, System, Box<dyn Factored>), SolveError> {
        let begin = Instant::now();
        check_size(features.count(), self.problem.unknowns.len())?;
        let bases = features.build(self.problem.unknowns.len(), self.options.normalised)?;
        let mut system = System::new(bases.clone(), blocks.to_vec())?;
        let weights = self.weights(&system)?;
        system.set_weights(&weights);
        let factored = self.options.backend.factor(&system, lsq)?;
        let solution = factored.solution()?;
        let beta: Vec<f64> = (0..solution.nrows()).map(|j| solution[(j, 0)]).collect();
        let score = self.held_out.score(&bases, &beta)?;
        let trial = Trial {
            features,
            bases,
            beta,
            score,
            info: factored.info().clone(),
            weights,
            rows: blocks.iter().map(RowBlock::len).collect(),
            seconds: begin.elapsed().as_secs_f64(),
        };
        Ok((trial, system, factored))
    }

    /// The factor on each block: the paper's λ if it is given, otherwise blocks made comparable.
    ///
    /// By default each block is scaled so that its rows have unit root mean square and the block
    /// as a whole weighs as much as the first one; conditions then count ten times as much.
    fn weights(&self, system: &System) -> Result<Vec<f64>, SolveError> {
        let equations = self.problem.equations.len();
        let reference = system.blocks().first().map_or(1, RowBlock::len).max(1) as f64;
        (0..system.blocks().len())
            .map(|index| {
                let condition = index
                    .checked_sub(equations)
                    .map(|k| &self.problem.conditions[k]);
                let own = condition.map_or(Imposition::Default, |c| c.imposition);
                if let Some(lambda) = self.options.weight {
                    return Ok(match own {
                        Imposition::Weighted(weight) => weight,
                        _ if condition.is_some() => lambda,
                        _ => 1.0,
                    });
                }
                let block = &system.blocks()[index];
                let scale = system.block_scale(index, SCALE_ROWS)?;
                let scale = if scale > 0.0 && scale.is_finite() {
                    scale
                } else {
                    1.0
                };
                let share = (reference / block.len().max(1) as f64).sqrt();
                let factor = match own {
                    Imposition::Weighted(weight) => weight,
                    _ if condition.is_some() && equations > 0 => CONDITION_WEIGHT,
                    _ => 1.0,
                };
                Ok(factor * share / scale)
            })
            .collect()
    }
}

/// Fails on numbers of features whose square cannot be held, before anything is drawn.
pub(super) fn check_size(features: usize, unknowns: usize) -> Result<(), SolveError> {
    let square = features
        .checked_mul(unknowns)
        .and_then(|columns| columns.checked_mul(columns));
    let fits = square.is_some_and(|n| Vec::<f64>::new().try_reserve_exact(n).is_ok());
    if fits {
        Ok(())
    } else {
        Err(SolveError::TooManyFeatures { features, unknowns })
    }
}
