//! Candidates of a linear problem: features, rows and weights fixed, solved and judged.

use std::sync::Arc;

use web_time::Instant;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{Basis, Parity};
use fastlsq_ops::EquationRow;

use super::candidate::{Candidate, CandidateMaker};
use super::enrich;
use super::features::Features;
use super::homes::Surroundings;
use super::repeated::PointChoice;
use super::ridge::{Ridge, Scaled};
use super::structure::{Structure, structure};
use super::unseen::{self, Unseen};
use crate::SolveError;
use crate::backend::Factored;
use crate::control::Limit;
use crate::dense::column;
use crate::domain::checked_interior;
use crate::lsq::LsqOptions;
use crate::options::Options;
use crate::posed::{Look, Posedness, Question, judge, judge_closely, probe_features};
use crate::problem::ConcreteProblem;
use crate::rows::{
    HeldOut, RowCounts, Score, TableShare, block_weights, check_size, comparable_sizes, rms,
    sample_blocks, system_bytes,
};
use crate::symmetry::{AllLinear, exchangeable};
use crate::system::{RowBlock, System};

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
    pub(super) ridge: Ridge,
}

/// The weight of u = 0 beside equations and conditions, where u of least norm is asked for: it decides what they leave
/// open, and changes what they determine by its square.
const NORM_WEIGHT: f64 = 1e-6;

impl CandidateMaker for LinearMaker<'_> {
    type Extra = ();
    type Error = SolveError;

    fn problem(&self) -> &ConcreteProblem {
        self.problem
    }

    fn options(&self) -> &Options {
        self.options
    }

    fn only_data(&self) -> bool {
        self.problem.equations.is_empty()
    }

    fn set_ridge(&mut self, ridge: Ridge) {
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
        whole.then(|| exchangeable(self.problem, self.options, &AllLinear))?
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
        self.sampled(features, explicit, seed, TableShare::Fitted)
    }

    fn all_samples(&self, points: &PointChoice) -> Result<Option<Vec<RowBlock>>, SolveError> {
        if !self.only_data() {
            return Ok(None);
        }
        self.sampled(points.features, points.given, points.seed, TableShare::All)
            .map(Some)
    }

    fn run(
        &mut self,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Candidate<()>, SolveError> {
        let lsq = self.options.lsq.clone();
        let ridge = lsq.ridge.max(self.ridge.size);
        Ok(self
            .run_keeping(features, blocks, &lsq.ridge(ridge))?
            .candidate)
    }

    fn missing(
        &self,
        candidate: &Candidate<()>,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Option<f64>, SolveError> {
        let size = rms(candidate.score.values.iter().copied());
        // Samples are where they are: there are no rows that the candidate has not seen.
        if size == 0.0 || self.only_data() {
            return Ok(None);
        }
        let bases: Vec<&dyn Basis> = candidate.bases.iter().map(AsRef::as_ref).collect();
        let mut blocks = blocks.to_vec();
        for block in &mut blocks {
            let applied = block.apply(&bases, &candidate.beta)?;
            for (data, value) in block.data.iter_mut().zip(applied) {
                *data -= value;
            }
        }
        let kept = self.run_keeping(features, &blocks, &self.options.lsq)?;
        let values = kept.candidate.score.values;
        Ok(Some(rms(values.into_iter()) / size))
    }

    fn limit(error: &SolveError) -> Option<Limit> {
        error.limit()
    }

    fn posedness(&self, best: &Candidate<()>) -> Result<Posedness, SolveError> {
        judge_closely(|look, earlier| self.judged(&best.score.values, look, earlier))
    }

    fn unseen(&self, best: &Candidate<()>) -> Result<Option<Unseen>, SolveError> {
        let bases: Vec<&dyn Basis> = best.bases.iter().map(AsRef::as_ref).collect();
        unseen::look(self.problem, &bases, &best.beta, &best.score)
    }

    fn refuses_features(error: &SolveError) -> bool {
        error.refuses_features()
    }
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
    /// Rows for this many features per unknown.
    fn sampled(
        &self,
        features: usize,
        explicit: Option<(usize, usize)>,
        seed: u64,
        share: TableShare,
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
            share,
            self.options.control(),
        )
    }

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
            all_samples: false,
        };
        let blocks = self.rows(points.features, points.given, points.seed)?;
        let mut kept =
            self.run_keeping(features, &blocks, &self.options.lsq.clone().keep_q(true))?;
        kept.candidate.ridge = Ridge::default();
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
        let scaled: Option<Arc<Scaled>> = match bases.as_slice() {
            [waves] => Scaled::new(waves, self.ridge).map(Arc::new),
            _ => None,
        };
        let fitted = match &scaled {
            Some(scaled) => vec![scaled.clone() as Arc<dyn Basis>],
            None => bases.clone(),
        };
        let mut system = System::new(fitted, blocks_and_norm)?;
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
        let mut beta = system.spread(column(solution.as_ref(), 0));
        if let Some(scaled) = &scaled {
            scaled.undone(&mut beta);
        }
        let score = self.held_out.score(&bases, &beta)?;
        let overfit = overfit(&system, &bases, &beta, &score)?;
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
fn overfit(
    system: &System,
    bases: &[Arc<dyn Basis>],
    beta: &[f64],
    score: &Score,
) -> Result<f64, SolveError> {
    let bases: Vec<&dyn Basis> = bases.iter().map(AsRef::as_ref).collect();
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
