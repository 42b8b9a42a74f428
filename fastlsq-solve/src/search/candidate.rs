//! One candidate: features, rows and weights fixed, solved and judged.

use std::sync::Arc;
use web_time::Instant;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Basis, Draw, FrequencyLaw, InputMap, Parity, ProductBasis, SinusoidalBasis};
use fastlsq_ops::EquationRow;

use super::enrich;
use super::exchange::exchangeable;
use super::homes::{Home, Surroundings};
use super::repeated::PointChoice;
use super::rows::{RowCounts, TableShare, sample_blocks};
use super::score::{HeldOut, Score, rms, sizes};
use super::structure::{Structure, structure};
use super::unseen::{self, Unseen};
use crate::SolveError;
use crate::backend::Factored;
use crate::control::Limit;
use crate::domain::{BoundingBox, checked_interior};
use crate::lsq::{LsqError, LsqInfo, LsqOptions};
use crate::options::Options;
use crate::posed::{Look, Posedness, Question, judge, judge_closely, probe_features};
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
        /// What the geometry says of each unknown.
        beside: Option<Surroundings>,
    },
    /// Products over the axes that do not change when axes of one class are exchanged.
    Symmetric {
        /// How many for each unknown.
        count: usize,
        /// The class of each axis.
        classes: Vec<usize>,
        /// The largest frequency of each class, in the coordinates of the map.
        radii: Vec<f64>,
        /// The map of the inputs.
        map: InputMap,
        /// For each unknown, for each axis.
        parity: Vec<Vec<Parity>>,
        /// The seed of the draw.
        seed: u64,
    },
    /// Solutions of the equations themselves, without waves.
    Particular {
        /// The functions of each unknown.
        functions: Surroundings,
        /// How often their number has grown.
        level: u64,
        /// The rows that they need: of each equation, and of each condition.
        rows: (usize, usize),
    },
    /// The user's own basis.
    Given(Arc<dyn Basis>),
}

impl Features {
    /// The same kind of features from another draw.
    #[must_use]
    pub fn with_seed(&self, new: u64) -> Self {
        let mut features = self.clone();
        if let Self::Random { seed, .. } | Self::Symmetric { seed, .. } = &mut features {
            *seed = new;
        }
        features
    }

    /// The same kind of features in another number.
    #[must_use]
    pub fn with_count(&self, new: usize) -> Self {
        let mut features = self.clone();
        if let Self::Random { count, .. } | Self::Symmetric { count, .. } = &mut features {
            *count = new;
        }
        features
    }

    /// The same kind of features with every frequency multiplied by a factor.
    #[must_use]
    pub fn stretched(&self, factor: f64) -> Self {
        let mut features = self.clone();
        match &mut features {
            Self::Random { law, .. } => *law = law.scaled(factor),
            Self::Symmetric { radii, .. } => radii.iter_mut().for_each(|radius| *radius *= factor),
            Self::Particular { .. } | Self::Given(_) => {}
        }
        features
    }

    /// The seed of the draw; `None` for a given basis.
    #[must_use]
    pub fn draw(&self) -> Option<u64> {
        match self {
            Self::Random { seed, .. } | Self::Symmetric { seed, .. } => Some(*seed),
            Self::Particular { level, .. } => Some(*level),
            Self::Given(_) => None,
        }
    }

    /// Features for each unknown.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Random { count, .. } | Self::Symmetric { count, .. } => *count,
            Self::Particular { functions, .. } => functions.functions(),
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
            Self::Symmetric {
                count,
                classes,
                radii,
                map,
                parity,
                seed,
            } => for_each_kind(parity, None, |own, _| {
                let basis = ProductBasis::random(map.clone(), classes, own, *count, radii, *seed)?;
                Ok(Arc::new(basis))
            }),
            Self::Random {
                count,
                law,
                map,
                parity,
                draw,
                seed,
                beside,
            } => for_each_kind(parity, beside.as_ref(), |own, home| {
                let waves = || -> Result<Arc<dyn Basis>, SolveError> {
                    let map = home.map_or_else(|| map.clone(), |home| home.map(map));
                    let waves = SinusoidalBasis::builder(map.dim(), *count)
                        .draw(*draw)
                        .law(law.clone())
                        .map(map)
                        .parity(own.to_vec())
                        .seed(*seed)
                        .normalised(normalised)
                        .build()?;
                    Ok(Arc::new(waves))
                };
                match home {
                    Some(home) => home.build(waves),
                    None => waves(),
                }
            }),
            Self::Particular { functions, .. } => {
                let none = vec![Vec::new(); unknowns];
                for_each_kind(&none, Some(functions), |_, home| {
                    let nothing = || Err(SolveError::NothingToSolve);
                    home.map_or_else(nothing, |home| home.build(nothing))
                })
            }
        }
    }

    /// The rows of each equation and of each condition, where their number is not the usual one.
    #[must_use]
    pub fn rows(&self) -> Option<(usize, usize)> {
        match self {
            Self::Particular { rows, .. } => Some(*rows),
            _ => None,
        }
    }

    /// For each unknown the one whose coefficients it has; empty if each has its own.
    #[must_use]
    pub fn owners(&self) -> &[usize] {
        match self {
            Self::Random {
                beside: Some(own), ..
            }
            | Self::Particular { functions: own, .. } => own.owners(),
            _ => &[],
        }
    }
}

/// One basis for each unknown; unknowns of the same parity that live alike share theirs.
fn for_each_kind(
    parity: &[Vec<Parity>],
    surroundings: Option<&Surroundings>,
    build: impl Fn(&[Parity], Option<&Home>) -> Result<Arc<dyn Basis>, SolveError>,
) -> Result<Vec<Arc<dyn Basis>>, SolveError> {
    let home = |k: usize| surroundings.and_then(|own| own.home(k));
    let alike = |j: usize, k: usize| match (home(j), home(k)) {
        (Some(one), Some(other)) => one.is_like(other),
        (one, other) => one.is_none() && other.is_none(),
    };
    let mut bases: Vec<Arc<dyn Basis>> = Vec::with_capacity(parity.len());
    for (k, own) in parity.iter().enumerate() {
        let same = (0..k).find(|&j| parity[j] == *own && alike(j, k));
        let basis = match same {
            Some(same) => bases[same].clone(),
            None => build(own, home(k))?,
        };
        bases.push(basis);
    }
    Ok(bases)
}

/// A solved candidate; `extra` is what its maker wants to remember.
#[derive(Debug)]
pub struct Candidate<X> {
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
    /// Where they come from; the search notes it.
    pub points: Option<PointChoice>,
    /// The ridge that the search has set.
    pub ridge: f64,
    /// How many times larger the residual is at held-out points than at the fitted ones, for the worst blocks; 1 where
    /// that is not known.
    pub overfit: f64,
    /// Seconds for everything.
    pub seconds: f64,
    /// Whatever else the maker knows.
    pub extra: X,
}

/// What a search needs to know of a problem: how to sample rows, and how to solve a candidate.
///
/// [`ConcreteProblem`] has one; a nonlinear problem has another, whose `run` is a Newton iteration.
pub trait CandidateMaker {
    /// What a candidate carries besides the coefficients.
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

    /// What the geometry says of the features of every candidate.
    fn beside(&self) -> Option<&Surroundings> {
        None
    }

    /// Solutions of the equations themselves, more of them from level to level; `None` where there are none, or no more.
    ///
    /// # Errors
    /// Functions that cannot be built.
    fn particular(&self, level: usize) -> Result<Option<Features>, Self::Error> {
        let _ = level;
        Ok(None)
    }

    /// Whether waves may be of use, or nothing but such solutions.
    fn may_use_waves(&self) -> bool {
        true
    }

    /// Whether there are only data to fit, and no equation.
    fn only_data(&self) -> bool {
        false
    }

    /// The ridge of the candidates from now on; only where there are [only data](Self::only_data).
    fn set_ridge(&mut self, ridge: f64) {
        let _ = ridge;
    }

    /// What the data tell of the solution before any solve.
    fn structure(&self) -> Option<Structure> {
        None
    }

    /// The class of each axis, where axes of one class can be exchanged: none where that is not known.
    fn exchangeable(&self) -> Option<Vec<usize>> {
        None
    }

    /// Whether something else is at hand where one sum of waves will not do: then the search ends as soon as its trend
    /// says so.
    fn may_give_up(&self) -> bool {
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
    ) -> Result<Candidate<Self::Extra>, Self::Error>;

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
    fn posedness(&self, best: &Candidate<Self::Extra>) -> Result<Posedness, Self::Error>;

    /// Detail of the data that a candidate has not seen; none where data cannot be looked at by themselves.
    ///
    /// # Errors
    /// Data that cannot be evaluated.
    fn unseen(&self, best: &Candidate<Self::Extra>) -> Result<Option<Unseen>, Self::Error> {
        let _ = best;
        Ok(None)
    }

    /// Whether an error speaks only against these features, so that others are worth trying:
    /// they cannot take on the values of exact conditions, say.
    #[must_use]
    fn refuses_features(error: &Self::Error) -> bool {
        let _ = error;
        false
    }
}

/// The maker of a linear problem's candidates.
#[derive(Debug)]
pub(super) struct LinearMaker<'a> {
    pub(super) problem: &'a ConcreteProblem,
    pub(super) options: &'a Options,
    pub(super) held_out: HeldOut,
    pub(super) parity: Vec<Vec<Parity>>,
    /// What the geometry says of the features of every candidate.
    pub(super) beside: Option<Surroundings>,
    pub(super) may_give_up: bool,
    /// Whether only functions that solve the equation already are to be tried.
    pub(super) without_waves: bool,
    /// The ridge that the search has set.
    pub(super) ridge: f64,
}

/// The weight of u = 0 beside equations and conditions, where u of least norm is asked for: it decides what they leave
/// open, and changes what they determine by its square.
const NORM_WEIGHT: f64 = 1e-6;
/// Rows that stand for a block when its scale is measured.
const SCALE_ROWS: usize = 24;
/// Blocks with entries below this share of the largest are looked at more closely.
const SMALL_ENTRIES: f64 = 1e-8;
/// Entries below this share of the same operator's in the interior are rounding.
const NO_ENTRIES: f64 = 1e-12;
/// How much more a condition counts than an equation, by default.
const CONDITION_WEIGHT: f64 = 10.0;

impl CandidateMaker for LinearMaker<'_> {
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

    fn set_ridge(&mut self, ridge: f64) {
        self.ridge = ridge;
    }

    fn parity(&self) -> &[Vec<Parity>] {
        &self.parity
    }

    fn beside(&self) -> Option<&Surroundings> {
        self.beside.as_ref()
    }

    fn particular(&self, level: usize) -> Result<Option<Features>, SolveError> {
        enrich::particular(self.problem, level)
    }

    fn may_use_waves(&self) -> bool {
        let mut unknowns = 0..self.problem.unknowns.len();
        !self.without_waves && unknowns.any(|k| !self.problem.is_unbounded(k))
    }

    fn structure(&self) -> Option<Structure> {
        let whole = self.problem.homes.iter().all(Option::is_none);
        whole.then(|| structure(self.problem, self.options))?
    }

    fn exchangeable(&self) -> Option<Vec<usize>> {
        let whole = self.problem.homes.iter().all(Option::is_none);
        whole.then(|| exchangeable(self.problem, self.options, &|_, _, _| false))?
    }

    fn may_give_up(&self) -> bool {
        self.may_give_up && self.options.leaves_features_open()
    }

    fn rows(
        &self,
        features: usize,
        explicit: Option<(usize, usize)>,
        seed: u64,
    ) -> Result<Vec<RowBlock>, SolveError> {
        let beside = self.beside.as_ref().map_or(0, Surroundings::functions);
        let features = features
            .saturating_add(beside)
            .saturating_mul(self.problem.unknowns.len());
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

    fn run(
        &mut self,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Candidate<()>, SolveError> {
        let lsq = self.options.lsq.clone();
        let ridge = lsq.ridge.max(self.ridge);
        Ok(self
            .run_keeping(features, blocks, &lsq.ridge(ridge))?
            .candidate)
    }

    fn limit(error: &SolveError) -> Option<Limit> {
        error.limit()
    }

    fn labels(&self) -> Vec<String> {
        self.problem.labels()
    }

    fn posedness(&self, best: &Candidate<()>) -> Result<Posedness, SolveError> {
        judge_closely(|look, earlier| self.judged(&best.score.values, look, earlier))
    }

    fn unseen(&self, best: &Candidate<()>) -> Result<Option<Unseen>, SolveError> {
        let bases: Vec<&dyn Basis> = best.bases.iter().map(AsRef::as_ref).collect();
        unseen::look(self.problem, &bases, &best.beta, &best.score)
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
    pub(super) candidate: Candidate<()>,
    pub(super) system: System,
    pub(super) factored: Box<dyn Factored>,
}

/// More rows for the judgement of posedness than for a solve, so that no function slips through between them.
const JUDGED_ROWS: f64 = 1.5;

impl LinearMaker<'_> {
    /// How well the question was posed, where the unknowns have these values.
    fn judged(
        &self,
        values: &[f64],
        look: Look,
        earlier: Option<f64>,
    ) -> Result<Posedness, SolveError> {
        let problem = self.problem;
        let unknowns = problem.unknowns.len();
        // Waves do not know how to behave at infinity.
        let unbounded = (0..unknowns).any(|k| problem.is_unbounded(k));
        if problem.equations.is_empty() || unbounded {
            return Ok(Posedness::NotExamined);
        }
        let mut features = probe_features(&self.bounding_box()?, unknowns, look)?;
        if let Features::Random { beside, .. } = &mut features {
            // Around a hole that is another region waves alone do not show what is free.
            let divided = problem.homes.iter().any(Option::is_some);
            *beside = self.beside.clone().filter(|_| divided);
        }
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
            earlier,
        };
        let judged = judge(&question, &features, self.options, &self.options.lsq)?;
        Ok(match judged {
            // What is free is chosen by its norm: no more than the weight of that lets through is left to chance.
            Posedness::Undetermined { amplification, .. } if self.options.least_norm => {
                Posedness::Fine {
                    amplification: amplification.min(1.0 / NORM_WEIGHT),
                }
            }
            judged => judged,
        })
    }

    /// The rows, and where u of least norm is asked for, u = 0 as far as everything else leaves it open.
    fn with_norm(&self, blocks: &[RowBlock]) -> Result<Vec<RowBlock>, SolveError> {
        let mut blocks = blocks.to_vec();
        if !self.options.least_norm {
            return Ok(blocks);
        }
        let (dim, unknowns) = (self.problem.domain.dim(), self.problem.unknowns.len());
        let mut sampler = UnitSampler::halton(self.options.seed);
        let count = blocks.iter().map(RowBlock::len).max().unwrap_or(0);
        let points = checked_interior(self.problem.domain.as_ref(), count, &mut sampler)?;
        for unknown in 0..unknowns {
            let value = EquationRow::value(dim, unknown, unknowns);
            let label = format!("least norm of {}", self.problem.unknowns[unknown]);
            let zeros = vec![0.0; points.nrows()];
            blocks.push(RowBlock::new(label, value, points.clone(), zeros));
        }
        Ok(blocks)
    }

    /// A candidate on points of its own, with factors that take other data.
    pub(super) fn final_candidate(
        &self,
        features: Features,
        rows: Option<(usize, usize)>,
    ) -> Result<KeptTrial, SolveError> {
        let seed = self.options.seed.wrapping_add(FINAL_POINTS);
        let points = PointChoice {
            features: features.count(),
            given: features.rows().or(rows),
            seed,
        };
        let blocks = self.rows(points.features, points.given, points.seed)?;
        let mut kept =
            self.run_keeping(features, &blocks, &self.options.lsq.clone().keep_q(true))?;
        kept.candidate.ridge = 0.0;
        kept.candidate.points = Some(points);
        Ok(kept)
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
        let blocks_and_norm = self.with_norm(blocks)?;
        let _held = self
            .options
            .control()
            .hold(system_bytes(&bases, &blocks_and_norm))?;
        let mut system = System::new(bases.clone(), blocks_and_norm)?;
        if !features.owners().is_empty() {
            system = system.with_shared_coefficients(features.owners())?;
        }
        let mut weights = block_weights(self.problem, self.options.weight, &system)?;
        if matches!(features, Features::Particular { .. }) {
            // They hold whatever the coefficients: what is left in their rows is rounding.
            let equations = weights.iter_mut().take(self.problem.equations.len());
            equations.for_each(|weight| *weight = 0.0);
        }
        for weight in weights.iter_mut().skip(blocks.len()) {
            *weight *= NORM_WEIGHT;
        }
        system.set_weights(&weights);
        let factored = self.options.backend.factor(&system, lsq)?;
        let solution = factored.solution()?;
        let beta = (0..solution.nrows()).map(|j| solution[(j, 0)]);
        let beta = system.spread(beta.collect());
        let score = self.held_out.score(&bases, &beta)?;
        let overfit = overfit(&system, &beta, &score)?;
        let candidate = Candidate {
            features,
            bases,
            beta,
            score,
            info: factored.info().clone(),
            weights,
            rows: blocks.iter().map(RowBlock::len).collect(),
            points: None,
            ridge: self.ridge,
            overfit,
            seconds: begin.elapsed().as_secs_f64(),
            extra: (),
        };
        Ok(KeptTrial {
            candidate,
            system,
            factored,
        })
    }
}

/// How many times larger the residual is at held-out points than at the fitted ones, over the blocks that make up the score.
fn overfit(system: &System, beta: &[f64], score: &Score) -> Result<f64, SolveError> {
    let bases = system.basis_refs();
    let mut largest = 1.0f64;
    let blocks = system.blocks().iter().zip(&score.parts).zip(&score.blocks);
    for ((block, part), relative) in blocks {
        if *relative < 0.1 * score.worst || block.is_empty() || block.exact {
            continue;
        }
        let applied = block.apply(&bases, beta)?;
        let fitted = rms(applied.iter().zip(&block.data).map(|(a, g)| a - g));
        if fitted > 0.0 {
            largest = largest.max(part.residual / fitted);
        }
    }
    Ok(largest)
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
    let scales = (0..system.blocks().len()).map(|index| system.block_scale(index, SCALE_ROWS));
    let scales: Vec<f64> = scales.collect::<Result<_, _>>()?;
    let largest = scales.iter().copied().fold(0.0, f64::max);
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
        let scale = scales[index];
        // Rows that vanish but for rounding (odd features on their axis) would get all the weight there is.
        if scale < SMALL_ENTRIES * largest
            && scale <= NO_ENTRIES * system.block_terms(index, SCALE_ROWS)?
        {
            weights.push(0.0);
            continue;
        }
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

/// Fails on numbers of features whose square no memory holds.
pub(super) fn check_size(features: usize, unknowns: usize) -> Result<(), SolveError> {
    let bytes = square_bytes(features, unknowns);
    if bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        Ok(())
    } else {
        Err(SolveError::TooManyFeatures { features, unknowns })
    }
}

/// The bytes of a matrix with a row and a column per feature.
pub(super) fn square_bytes(features: usize, unknowns: usize) -> Option<usize> {
    let columns = features.checked_mul(unknowns)?;
    columns.checked_mul(columns)?.checked_mul(size_of::<f64>())
}
