//! Candidates of a nonlinear problem: each is a Newton iteration.

use std::sync::Arc;
use web_time::Instant;

use fastlsq_basis::{Basis, MultiIndex, Parity};
use fastlsq_solve::lsq::LsqOptions;
use fastlsq_solve::posed::judge_closely;
use fastlsq_solve::rows::{HeldOut, RowCounts, TableShare, sample_blocks, worse};
use fastlsq_solve::search::{Candidate, CandidateMaker, Features, Ridge};
use fastlsq_solve::symmetry::{exchangeable, parity};
use fastlsq_solve::{
    ConcreteProblem, DomainExt, FeatureChoice, Limit, Options, Posedness, Report, RowBlock,
    Solution, compress,
};
use ndarray::{Array2, ArrayView2, Axis};

use super::continuation::StepRows;
use crate::NewtonError;
use crate::iteration::{Iteration, unchanged_rows};
use crate::options::{NewtonOptions, Start};
use crate::problem::{Concrete, NonlinearProblem};
use crate::report::{NewtonCandidate, NewtonReport, NewtonStatus};
use crate::slabs::Slabs;

/// The maker of a nonlinear problem's candidates.
pub(crate) struct NewtonMaker<'a> {
    pub(super) problem: &'a NonlinearProblem,
    pub(crate) concrete: Concrete,
    pub(crate) options: &'a NewtonOptions,
    pub(super) held_out: HeldOut,
    pub(super) parity: Vec<Vec<Parity>>,
    /// The best function so far, with its score: where later candidates start.
    pub(super) warm: Option<(f64, Start)>,
    /// Candidates that began from a generic start and led nowhere.
    pub(super) failures: usize,
    pub(super) marched: bool,
    pub(crate) solves: usize,
    pub(crate) candidates: Vec<NewtonCandidate>,
    /// Whether patches are at hand where one sum of waves will not do.
    pub(super) may_give_up: bool,
}

impl<'a> NewtonMaker<'a> {
    pub(crate) fn new(
        problem: &'a NonlinearProblem,
        concrete: Concrete,
        options: &'a NewtonOptions,
    ) -> Result<Self, NewtonError> {
        let solve = &options.solve;
        let held_out = HeldOut::new(&concrete.frame, solve.seed)?;
        // What cannot be evaluated at all is reported at once.
        for (residual, block) in concrete.residuals.iter().zip(held_out.blocks()) {
            if let Some(residual) = residual {
                let zero = Array2::zeros((block.len(), residual.jets().len()));
                residual.try_evaluate(&zero, block.sites(), concrete.value())?;
            }
        }
        let parity = parity(&concrete.frame, solve, &concrete)?;
        Ok(Self {
            problem,
            concrete,
            options,
            held_out,
            parity,
            warm: None,
            failures: 0,
            marched: false,
            solves: 0,
            candidates: Vec::new(),
            may_give_up: false,
        })
    }

    pub(super) fn unknowns(&self) -> usize {
        self.concrete.frame.unknowns.len()
    }

    pub(super) fn parameter(&self) -> f64 {
        self.concrete.value()
    }

    /// The iteration for these features and points at one value of the parameter.
    pub(crate) fn iteration<'b>(
        &'b self,
        bases: &'b [Arc<dyn Basis>],
        blocks: &'b [RowBlock],
        options: &'b NewtonOptions,
        parameter: f64,
    ) -> Iteration<'b> {
        Iteration {
            concrete: &self.concrete,
            options,
            bases,
            blocks,
            unchanged: &[],
            value_points: self.held_out.value_points(),
            parameter,
        }
    }

    /// So many rows to be fitted.
    pub(super) fn sampled(
        &self,
        counts: &RowCounts,
        seed: u64,
    ) -> Result<Vec<RowBlock>, NewtonError> {
        let solve = &self.options.solve;
        Ok(sample_blocks(
            &self.concrete.frame,
            counts,
            solve.sequence,
            seed,
            TableShare::Fitted,
            solve.control(),
        )?)
    }

    /// Where changes of u are measured.
    pub(crate) fn value_points(&self) -> ArrayView2<'_, f64> {
        self.held_out.value_points()
    }

    /// u there, all unknowns one after the other.
    pub(crate) fn values(
        &self,
        bases: &[&dyn Basis],
        beta: &[f64],
    ) -> Result<Vec<f64>, NewtonError> {
        Ok(self.held_out.values(bases, beta)?)
    }

    /// The options of the least-squares solves.
    pub(crate) fn lsq(&self) -> &LsqOptions {
        &self.options.solve.lsq
    }

    /// The bases cut to their numerical rank, with the derivatives that the residuals use.
    fn compressed(
        &self,
        bases: &[Arc<dyn Basis>],
        blocks: &[RowBlock],
    ) -> Result<Vec<Arc<dyn Basis>>, NewtonError> {
        let points: Vec<_> = blocks.iter().map(|block| block.points.view()).collect();
        let points = ndarray::concatenate(Axis(0), &points).unwrap_or_default();
        let frame = &self.concrete.frame;
        let equations = frame.equations.iter().map(|e| &e.statement);
        let conditions = frame.conditions.iter().map(|c| &c.statement);
        let statements: Vec<_> = equations.chain(conditions).collect();
        let cut = |(unknown, basis): (usize, &Arc<dyn Basis>)| {
            let mut derivatives = vec![MultiIndex::zero(basis.dim())];
            let jets = statements.iter().flat_map(|statement| statement.jets());
            for jet in jets.filter(|jet| jet.unknown == unknown) {
                if !derivatives.contains(&jet.action.derivative) {
                    derivatives.push(jet.action.derivative.clone());
                }
            }
            compress(basis, &derivatives, points.view(), &self.options.solve.lsq)
        };
        Ok(bases
            .iter()
            .enumerate()
            .map(cut)
            .collect::<Result<_, _>>()?)
    }

    pub(crate) fn as_solution(
        &self,
        bases: &[Arc<dyn Basis>],
        beta: Vec<f64>,
    ) -> Result<Solution, NewtonError> {
        let frame = &self.concrete.frame;
        let functions = (frame.space.clone(), frame.unknowns.clone());
        Ok(Solution::from_parts(
            functions,
            bases.to_vec(),
            beta,
            Report::empty(),
        )?)
    }

    /// Follows an evolution roughly, slab by slab, for a start in the right neighbourhood.
    ///
    /// A march that fails leaves the generic starts as they were.
    fn march(&mut self) {
        self.marched = true;
        if !self.options.march || self.problem.domain().time_axis().is_none() {
            return;
        }
        let mut options = self.options.clone().march(false).tolerance(MARCH_TOLERANCE);
        options.solve = options.solve.max_features(MARCH_FEATURES);
        options.solve.features = None;
        options.solve.rows = None;
        options.solve.choice = FeatureChoice::Automatic;
        options.solve.lsq.threads = None;
        options.evolve = false;
        if let Ok(slabs) = self.problem.solve_in_slabs(Slabs::Automatic, &options)
            && slabs.stopped().is_none()
        {
            self.warm = Some((f64::INFINITY, Start::FromSlabs(Arc::new(slabs))));
        }
    }
}

impl CandidateMaker for NewtonMaker<'_> {
    type Extra = NewtonReport;
    type Error = NewtonError;

    fn problem(&self) -> &ConcreteProblem {
        &self.concrete.frame
    }

    fn options(&self) -> &Options {
        &self.options.solve
    }

    fn parity(&self) -> &[Vec<Parity>] {
        &self.parity
    }

    fn exchangeable(&self) -> Option<Vec<usize>> {
        exchangeable(&self.concrete.frame, &self.options.solve, &self.concrete)
    }

    fn may_give_up(&self) -> bool {
        self.may_give_up
    }

    fn rows(
        &self,
        features: usize,
        explicit: Option<(usize, usize)>,
        seed: u64,
    ) -> Result<Vec<RowBlock>, NewtonError> {
        let features = features.saturating_mul(self.unknowns());
        let oversampling = self.options.solve.oversampling;
        let counts = RowCounts::choose(&self.concrete.frame, explicit, features, oversampling);
        self.sampled(&counts, seed)
    }

    fn limit(error: &NewtonError) -> Option<Limit> {
        error.limit()
    }

    fn posedness(&self, best: &Candidate<NewtonReport>) -> Result<Posedness, NewtonError> {
        judge_closely(|look, earlier| self.judged(best, look, earlier))
    }

    fn refuses_features(error: &NewtonError) -> bool {
        matches!(error, NewtonError::Solve(cause) if cause.refuses_features())
    }

    fn run(
        &mut self,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Candidate<NewtonReport>, NewtonError> {
        let begin = Instant::now();
        if self.warm.is_none() && self.failures >= PATIENCE && !self.marched {
            self.march();
        }
        let mut bases = features.build(self.unknowns(), self.options.solve.normalised)?;
        if self.options.compress {
            bases = self.compressed(&bases, blocks)?;
        }
        let rows = StepRows {
            bases: &bases,
            blocks,
            unchanged: unchanged_rows(self.options, &self.concrete.residuals, &bases, blocks)?,
        };
        let outcome = match &self.warm {
            Some((_, start)) => self.iterate(&rows, self.parameter(), start.clone())?,
            None => self.through_stages(&rows)?,
        };
        self.solves += outcome.solves;
        self.candidates.push(NewtonCandidate {
            features: bases.iter().map(Basis::len).max().unwrap_or(0),
            steps: outcome.history.len(),
            status: outcome.status,
            warm: self.warm.is_some(),
        });
        let references: Vec<&dyn Basis> = bases.iter().map(AsRef::as_ref).collect();
        let mut score = self.score(&references, &outcome.beta)?;
        match outcome.status {
            NewtonStatus::Converged => {}
            // Not a solution yet, however small its residual looks beside its terms.
            NewtonStatus::Stalled | NewtonStatus::IterationLimit | NewtonStatus::Stopped => {
                score.worst = worse(score.worst, UNSETTLED_SCORE);
            }
            NewtonStatus::Diverged => score.worst = f64::INFINITY,
        }
        // A function that resolves something is a better start than any of the generic ones.
        let best = self.warm.as_ref().map_or(f64::INFINITY, |(best, _)| *best);
        // With given features the start is the user's choice; a companion must not replace it.
        let searching = matches!(self.options.solve.choice, FeatureChoice::Automatic);
        if searching
            && outcome.status == NewtonStatus::Converged
            && score.worst < best.min(WARM_SCORE)
        {
            let function = self.as_solution(&bases, outcome.beta.clone())?;
            self.warm = Some((score.worst, Start::From(Arc::new(function))));
        } else if self.warm.is_none() {
            self.failures += 1;
        }
        Ok(Candidate {
            features,
            bases,
            score,
            info: outcome.info,
            weights: outcome.weights,
            rows: blocks.iter().map(RowBlock::len).collect(),
            points: None,
            ridge: Ridge::default(),
            overfit: 1.0,
            seconds: begin.elapsed().as_secs_f64(),
            extra: NewtonReport {
                status: outcome.status,
                linear: self.concrete.linear,
                start: outcome.start,
                start_residual: outcome.start_residual,
                history: outcome.history,
                solves: outcome.solves,
                candidates: Vec::new(),
            },
            beta: outcome.beta,
        })
    }
}

/// Failures from generic starts before an evolution is followed slab by slab.
const PATIENCE: usize = 6;
/// The score of a candidate whose iteration did not settle is at least this.
const UNSETTLED_SCORE: f64 = 0.05;
/// Tolerance and features of the rough march.
const MARCH_TOLERANCE: f64 = 1e-5;
const MARCH_FEATURES: usize = 450;
/// Functions with a worse score are not worth starting from.
const WARM_SCORE: f64 = 0.1;
