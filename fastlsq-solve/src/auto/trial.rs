//! One candidate: features, rows and weights fixed, solved and judged.

use std::sync::Arc;
use std::time::Instant;

use fastlsq_basis::{Basis, Draw, FrequencyLaw, InputMap, Parity, SinusoidalBasis};

use super::rows::{RowCounts, TableShare, sample_blocks};
use super::score::{HeldOut, Score, sizes};
use crate::SolveError;
use crate::backend::Factored;
use crate::control::Limit;
use crate::domain::BoundingBox;
use crate::lsq::{LsqError, LsqInfo, LsqOptions};
use crate::options::Options;
use crate::posed::{Posedness, Question, judge, probe_features};
use crate::problem::{ConcreteProblem, Imposition};
use crate::system::{RowBlock, System};

/// The features of a candidate.
#[derive(Debug, Clone)]
pub enum Features {
    /// Random sinusoids.
    Random {
        /// How many for each unknown.
        count: usize,
        /// The law of their frequencies, in the coordinates of the map.
        law: FrequencyLaw,
        /// The map of the inputs.
        map: InputMap,
        /// For each unknown, for each axis.
        parity: Vec<Vec<Parity>>,
        /// How the standard frequencies are spread.
        draw: Draw,
        /// The seed of the draw.
        seed: u64,
    },
    /// The user's own basis.
    Given(Arc<dyn Basis>),
}

impl Features {
    /// The same kind of features from another draw.
    #[must_use]
    pub fn with_seed(&self, new: u64) -> Self {
        let mut features = self.clone();
        if let Self::Random { seed, .. } = &mut features {
            *seed = new;
        }
        features
    }

    /// The same kind of features in another number.
    #[must_use]
    pub fn with_count(&self, new: usize) -> Self {
        let mut features = self.clone();
        if let Self::Random { count, .. } = &mut features {
            *count = new;
        }
        features
    }

    /// The same kind of features with every frequency multiplied by a factor.
    #[must_use]
    pub fn stretched(&self, factor: f64) -> Self {
        let mut features = self.clone();
        if let Self::Random { law, .. } = &mut features {
            *law = law.scaled(factor);
        }
        features
    }

    /// The seed of the draw; `None` for a given basis.
    #[must_use]
    pub fn draw(&self) -> Option<u64> {
        match self {
            Self::Random { seed, .. } => Some(*seed),
            Self::Given(_) => None,
        }
    }

    /// The bandwidth of each axis on the box of a map; `None` for a given basis.
    #[must_use]
    pub fn bandwidths(&self, on: &InputMap) -> Option<Vec<f64>> {
        let Self::Random { law, map, .. } = self else {
            return None;
        };
        let own = axis_bandwidths(law, map.dim());
        let ratios = on.half().iter().zip(map.half());
        Some(
            own.iter()
                .zip(ratios)
                .map(|(s, (to, from))| s * to / from)
                .collect(),
        )
    }

    /// Features for each unknown.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Random { count, .. } => *count,
            Self::Given(basis) => basis.len(),
        }
    }

    /// The bases, one for each unknown; unknowns of the same parity share theirs.
    ///
    /// # Errors
    /// A law, map or parity that does not fit the dimension.
    pub fn build(
        &self,
        unknowns: usize,
        normalised: bool,
    ) -> Result<Vec<Arc<dyn Basis>>, SolveError> {
        match self {
            Self::Given(basis) => Ok(vec![basis.clone(); unknowns]),
            Self::Random {
                count,
                law,
                map,
                parity,
                draw,
                seed,
            } => {
                let mut bases: Vec<Arc<dyn Basis>> = Vec::with_capacity(unknowns);
                for (k, own) in parity.iter().enumerate() {
                    // Unknowns of the same parity share their features.
                    let basis = match parity[..k].iter().position(|other| other == own) {
                        Some(same) => bases[same].clone(),
                        None => Arc::new(
                            SinusoidalBasis::builder(map.dim(), *count)
                                .draw(*draw)
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

/// The root mean square frequency of a law along each axis; of the first part of a mixture.
fn axis_bandwidths(law: &FrequencyLaw, dim: usize) -> Vec<f64> {
    match law {
        FrequencyLaw::Isotropic(sigma) => vec![*sigma; dim],
        FrequencyLaw::PerAxis(sigmas) => sigmas.clone(),
        FrequencyLaw::LowOrder { law, .. } => axis_bandwidths(law, dim),
        FrequencyLaw::Blocks(blocks) => blocks
            .first()
            .map_or_else(|| vec![1.0; dim], |(_, law)| axis_bandwidths(law, dim)),
        FrequencyLaw::Cholesky(factor) => (0..dim)
            .map(|a| {
                let row = factor.iter().skip(a * (a + 1) / 2).take(a + 1);
                row.map(|l| l * l).sum::<f64>().sqrt()
            })
            .collect(),
    }
}

/// A solved candidate; `extra` is what its workbench wants to remember.
#[derive(Debug)]
pub struct Trial<X> {
    /// Its features.
    pub features: Features,
    /// The bases built from them, one for each unknown.
    pub bases: Vec<Arc<dyn Basis>>,
    /// The coefficients.
    pub beta: Vec<f64>,
    /// How well it does at held-out points.
    pub score: Score,
    /// The record of the (last) factorisation.
    pub info: LsqInfo,
    /// The factor on each block.
    pub weights: Vec<f64>,
    /// The rows of each block.
    pub rows: Vec<usize>,
    /// Seconds for everything.
    pub seconds: f64,
    /// Whatever else the workbench knows.
    pub extra: X,
}

/// What a search needs to know of a problem: how to sample rows, and how to solve a candidate.
///
/// [`ConcreteProblem`] has one; a nonlinear problem has another, whose `run` is a Newton iteration.
pub trait Workbench {
    /// What a trial carries besides the coefficients.
    type Extra;
    /// What can go wrong.
    type Error: From<SolveError>;

    /// The options in force.
    fn options(&self) -> &Options;

    /// The domain's bounding box.
    ///
    /// # Errors
    /// A domain without one.
    fn bounding_box(&self) -> Result<BoundingBox, Self::Error>;

    /// The parity of each unknown along each axis.
    fn parity(&self) -> &[Vec<Parity>];

    /// Whether there are only data to fit, and no equation.
    fn only_data(&self) -> bool {
        false
    }

    /// Fresh rows for this many features an unknown; `explicit` numbers are obeyed.
    ///
    /// # Errors
    /// A domain that cannot be sampled, data that are not finite.
    fn rows(
        &self,
        features: usize,
        explicit: Option<(usize, usize)>,
        seed: u64,
    ) -> Result<Vec<RowBlock>, Self::Error>;

    /// Solves a candidate on these rows and judges it.
    ///
    /// # Errors
    /// Whatever keeps it from being solved.
    fn run(
        &mut self,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Trial<Self::Extra>, Self::Error>;

    /// The limit that an error speaks of, if it says nothing but that one was reached: the search then ends with the best
    /// that it has.
    #[must_use]
    fn limit(error: &Self::Error) -> Option<Limit>;

    /// The names of the equations and conditions, in the order of the blocks of rows.
    fn labels(&self) -> Vec<String>;

    /// How well the question was posed, judged around a candidate.
    ///
    /// # Errors
    /// Rows that cannot be written or factored.
    fn posedness(&self, best: &Trial<Self::Extra>) -> Result<Posedness, Self::Error>;

    /// Whether an error speaks only against these features, so that others are worth a trial:
    /// they cannot take on the values of exact conditions, say.
    #[must_use]
    fn refuses_features(error: &Self::Error) -> bool {
        let _ = error;
        false
    }
}

/// The workbench of a linear problem.
#[derive(Debug)]
pub(super) struct LinearBench<'a> {
    pub(super) problem: &'a ConcreteProblem,
    pub(super) options: &'a Options,
    pub(super) held_out: HeldOut,
    pub(super) parity: Vec<Vec<Parity>>,
}

/// Rows that stand for a block when its scale is measured.
const SCALE_ROWS: usize = 24;
/// How much more a condition counts than an equation, by default.
const CONDITION_WEIGHT: f64 = 10.0;

impl Workbench for LinearBench<'_> {
    type Extra = ();
    type Error = SolveError;

    fn options(&self) -> &Options {
        self.options
    }

    fn bounding_box(&self) -> Result<BoundingBox, SolveError> {
        Ok(self.problem.domain.bounding_box()?)
    }

    fn only_data(&self) -> bool {
        self.problem.equations.is_empty()
    }

    fn parity(&self) -> &[Vec<Parity>] {
        &self.parity
    }

    fn rows(
        &self,
        features: usize,
        explicit: Option<(usize, usize)>,
        seed: u64,
    ) -> Result<Vec<RowBlock>, SolveError> {
        let features = features.saturating_mul(self.problem.unknowns.len());
        let counts = RowCounts::choose(self.problem, explicit, features, self.options.oversampling);
        sample_blocks(
            self.problem,
            &counts,
            self.options.sequence,
            seed,
            TableShare::Fitted,
            self.options.control(),
        )
    }

    fn run(&mut self, features: Features, blocks: &[RowBlock]) -> Result<Trial<()>, SolveError> {
        Ok(self.run_keeping(features, blocks, &self.options.lsq)?.trial)
    }

    fn limit(error: &SolveError) -> Option<Limit> {
        error.limit()
    }

    fn labels(&self) -> Vec<String> {
        self.problem.labels()
    }

    fn posedness(&self, best: &Trial<()>) -> Result<Posedness, SolveError> {
        self.judged(&best.features, &best.score.values)
    }

    fn refuses_features(error: &SolveError) -> bool {
        refuses_features(error)
    }
}

/// Whether an error says that exact conditions cannot be met by these features.
#[must_use]
pub fn refuses_features(error: &SolveError) -> bool {
    matches!(error, SolveError::Lsq(cause)
        if matches!(**cause, LsqError::InconsistentConstraints { .. }))
}

/// A solved candidate with its system and factorisation.
pub(super) struct KeptTrial {
    pub(super) trial: Trial<()>,
    pub(super) system: System,
    pub(super) factored: Box<dyn Factored>,
}

/// More rows for the judgement of posedness than for a solve, so that no function slips through between them.
const JUDGED_ROWS: f64 = 1.5;

impl LinearBench<'_> {
    /// How well the question was posed, where the unknowns have these values.
    fn judged(&self, best: &Features, values: &[f64]) -> Result<Posedness, SolveError> {
        let problem = self.problem;
        if problem.equations.is_empty() {
            return Ok(Posedness::NotExamined);
        }
        let unknowns = problem.unknowns.len();
        let features = probe_features(best, &self.bounding_box()?, unknowns)?;
        let counts = RowCounts::choose(problem, None, features.count() * unknowns, JUDGED_ROWS);
        let seed = self.options.seed.wrapping_add(JUDGED_POINTS);
        let share = TableShare::Fitted;
        let fitted = sample_blocks(
            problem,
            &counts,
            self.options.sequence,
            seed,
            share,
            self.options.control(),
        )?;
        let sizes = comparable_sizes(values, unknowns);
        let held_out = &self.held_out;
        let scale =
            |block: &RowBlock| held_out.plain_terms(&block.operator, &sizes, held_out.probes());
        let question = Question {
            problem,
            scales: fitted.iter().map(scale).collect::<Result<_, _>>()?,
            fitted,
            fresh: held_out.blocks().to_vec(),
            value_points: held_out.value_points(),
            sizes,
        };
        judge(question, &features, self.options, &self.options.lsq)
    }

    /// A candidate on points of its own, with factors that take other data.
    pub(super) fn final_trial(
        &self,
        features: Features,
        rows: Option<(usize, usize)>,
    ) -> Result<KeptTrial, SolveError> {
        let seed = self.options.seed.wrapping_add(FINAL_POINTS);
        let blocks = self.rows(features.count(), rows, seed)?;
        self.run_keeping(features, &blocks, &self.options.lsq.clone().keep_q(true))
    }

    /// Solves a candidate, and hands out the system and its factorisation too.
    pub(super) fn run_keeping(
        &self,
        features: Features,
        blocks: &[RowBlock],
        lsq: &LsqOptions,
    ) -> Result<KeptTrial, SolveError> {
        let begin = Instant::now();
        check_size(features.count(), self.problem.unknowns.len())?;
        let bases = features.build(self.problem.unknowns.len(), self.options.normalised)?;
        let _held = self.options.control().hold(system_bytes(&bases, blocks))?;
        let mut system = System::new(bases.clone(), blocks.to_vec())?;
        let weights = block_weights(self.problem, self.options.weight, &system)?;
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
            extra: (),
        };
        Ok(KeptTrial {
            trial,
            system,
            factored,
        })
    }
}

/// The points of a factored problem are those of no candidate.
const FINAL_POINTS: u64 = 0xF1_7A1;
/// The points of the judgement are those of no candidate.
const JUDGED_POINTS: u64 = 0x9_05ed;

/// The size of each unknown, so that several can be compared; one for a single unknown, and for one that vanishes.
#[must_use]
pub fn comparable_sizes(values: &[f64], unknowns: usize) -> Vec<f64> {
    if unknowns < 2 {
        return vec![1.0; unknowns];
    }
    let own = sizes(values, unknowns);
    let usable = |size: &f64| *size > 0.0 && size.is_finite();
    own.iter()
        .map(|size| if usable(size) { *size } else { 1.0 })
        .collect()
}

/// The factor on each block: the paper's λ if it is given, otherwise blocks made comparable.
///
/// By default each block is scaled so that its rows have unit root mean square and the block as a
/// whole weighs as much as the first one; conditions then count ten times as much.
///
/// # Errors
/// Rows that cannot be written.
pub fn block_weights(
    problem: &ConcreteProblem,
    lambda: Option<f64>,
    system: &System,
) -> Result<Vec<f64>, SolveError> {
    let equations = problem.equations.len();
    let reference = system.blocks().first().map_or(1, RowBlock::len).max(1) as f64;
    let mut weights = Vec::with_capacity(system.blocks().len());
    for (index, block) in system.blocks().iter().enumerate() {
        let condition = index
            .checked_sub(equations)
            .and_then(|k| problem.conditions.get(k));
        let own = condition.map_or(Imposition::Default, |c| c.imposition);
        let factor = match own {
            Imposition::Weighted(weight) => weight,
            _ if condition.is_none() || equations == 0 => 1.0,
            _ => lambda.unwrap_or(CONDITION_WEIGHT),
        };
        if lambda.is_some() {
            weights.push(factor);
            continue;
        }
        let scale = system.block_scale(index, SCALE_ROWS)?;
        let scale = if scale > 0.0 && scale.is_finite() {
            scale
        } else {
            1.0
        };
        let share = (reference / block.len().max(1) as f64).sqrt();
        weights.push(factor * share / scale);
    }
    Ok(weights)
}

/// What a system and the blocks that it is made of take, beside the factorisation.
#[must_use]
pub fn system_bytes(bases: &[Arc<dyn Basis>], blocks: &[RowBlock]) -> Option<usize> {
    let features = bases
        .iter()
        .map(|basis| basis.len().checked_mul(basis.dim() + 4));
    let mut numbers = features.sum::<Option<usize>>()?;
    for block in blocks {
        numbers = numbers.checked_add(COPIES.checked_mul(block.numbers())?)?;
    }
    numbers.checked_mul(size_of::<f64>())
}

/// Blocks of rows are there twice: with the search, and in the system.
const COPIES: usize = 2;

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
