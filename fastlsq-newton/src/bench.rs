//! Newton's method as a workbench of the automatic search.

mod posed;
mod score;

use std::sync::Arc;
use web_time::Instant;

use fastlsq_basis::{Basis, MultiIndex, Parity};
use fastlsq_solve::auto::{
    self, Features, Found, HeldOut, RowCounts, Structure, TableShare, Trial, Workbench,
    refuses_features, sample_blocks, worse,
};
use fastlsq_solve::lsq::LsqOptions;
use fastlsq_solve::patches::NewtonPatches;
use fastlsq_solve::posed::judge_closely;
use fastlsq_solve::{
    BoundingBox, DomainExt, FeatureChoice, Limit, Options, Posedness, Report, RowBlock, Solution,
    WrittenRows, compress,
};
use ndarray::{Array2, ArrayView2, Axis};

use crate::evolution::Evolution;
use crate::iteration::{Iteration, Outcome, unchanged_rows};
use crate::on_patches::Patches;
use crate::options::{Continuation, NewtonOptions, Start};
use crate::problem::{Concrete, NonlinearProblem};
use crate::report::{Candidate, NewtonReport, NewtonStatus, Step};
use crate::slabs::Slabs;
use crate::solution::NonlinearSolution;
use crate::{NewtonError, symmetry};

/// Solves a nonlinear problem: explicit options are obeyed, the rest is searched for.
pub(crate) fn solve(
    problem: &NonlinearProblem,
    options: &NewtonOptions,
) -> Result<NonlinearSolution, NewtonError> {
    let parameter = match options.continuation {
        Continuation::None => None,
        _ => Some(problem.moving(options.moving)?),
    };
    let concrete = Concrete::new(problem, parameter)?;
    validate(&concrete, options)?;
    let options = &options.started();
    if leaves_open(options)
        && let Ok(evolution) = Evolution::recognise(&problem.statement().concrete(&[])?)
    {
        return auto::with_threads(&options.solve, || {
            problem.evolved(&evolution, concrete.linear, options)
        });
    }
    auto::with_threads(&options.solve, || run(problem, concrete, options))
}

/// Whether nothing is asked for that only a solve in space-time has.
fn leaves_open(options: &NewtonOptions) -> bool {
    options.evolve
        && options.solve.features.is_none()
        && options.solve.rows.is_none()
        && matches!(options.solve.choice, FeatureChoice::Automatic)
        && matches!(options.start, Start::Best)
        && options.continuation == Continuation::None
}

fn validate(concrete: &Concrete, options: &NewtonOptions) -> Result<(), NewtonError> {
    auto::validate(&concrete.frame, &options.solve)?;
    let option = |option, value, requirement| {
        Err(NewtonError::Option {
            option,
            value,
            requirement,
        })
    };
    if options.max_iterations == 0 {
        return option("max_iterations", 0.0, "at least one step is needed");
    }
    if !(options.damping > 0.0 && options.damping <= 1.0) {
        return option("damping", options.damping, "between 0 (excluded) and 1");
    }
    if options.solve.least_norm {
        return option(
            "least_norm",
            1.0,
            "for linear problems; fix a value or a mean",
        );
    }
    let stages = match &options.continuation {
        Continuation::None => &[],
        Continuation::Through(values) => values.as_slice(),
        Continuation::From(value) => std::slice::from_ref(value),
    };
    if let Some(&value) = stages.iter().find(|value| !value.is_finite()) {
        return option("continuation", value, "values of a parameter are finite");
    }
    if !(options.ridge.is_finite() && options.ridge >= 0.0) {
        return option("ridge", options.ridge, "finite and not negative");
    }
    let change = options.change_tolerance;
    if !(change.is_finite() && change >= 0.0) {
        return option("change_tolerance", change, "finite and not negative");
    }
    Ok(())
}

fn run(
    problem: &NonlinearProblem,
    concrete: Concrete,
    options: &NewtonOptions,
) -> Result<NonlinearSolution, NewtonError> {
    let begin = Instant::now();
    let statement = problem.statement().concrete(&[])?;
    let patches = Patches::of(&statement, options);
    let mut bench = NewtonBench::new(problem, concrete, options)?;
    if let Some(reason) = patches.at_once(&statement) {
        match patches.solve(None) {
            Ok(patched) if patched.settled || patches.are_asked_for() => {
                return bench.patched(patched, None, reason, begin);
            }
            Err(error) if patches.are_asked_for() => return Err(error.into()),
            _ => {}
        }
    }
    bench.may_give_up = patches.may_help();
    let mut found = auto::search(&mut bench)?;
    if found.is_wanting() && patches.may_help() {
        match on_patches(&mut bench, &patches, &mut found)? {
            Ok(patched) => {
                let reason = found.unpromising.clone();
                let reason = reason.unwrap_or_else(|| "one sum of waves did not do".to_owned());
                return bench.patched(patched, Some(&found), &reason, begin);
            }
            Err(tried) => found.choice = format!("{}; {tried}", found.choice),
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let frame = &bench.concrete.frame;
    let report = Report::of(frame, &options.solve, &found, seconds);
    let functions = (frame.space.clone(), frame.unknowns.clone());
    let mut newton = found.best.extra;
    (newton.solves, newton.candidates) = (bench.solves, bench.candidates);
    let solution = Solution::from_parts(functions, found.best.bases, found.best.beta, report)?
        .on_domain(frame.domain.clone())?;
    Ok(NonlinearSolution::new(
        solution,
        newton,
        found.best.features,
    ))
}

/// What patches make of a problem that a search could not solve; or, after the whole search, why they are not taken.
fn on_patches(
    bench: &mut NewtonBench<'_>,
    patches: &Patches<'_>,
    found: &mut Found<NewtonReport>,
) -> Result<Result<NewtonPatches, String>, NewtonError> {
    let start = bench.start_for_patches(found)?;
    let mut patched = patches.solve(start.as_ref());
    if start.is_some() && !patched.as_ref().is_ok_and(|patched| patched.settled) {
        patched = patches.solve(None);
    }
    let tried = match patched {
        Ok(patched) => {
            let estimate = patched.solution.report().error_estimate;
            if patched.settled && estimate < found.estimate {
                return Ok(Ok(patched));
            }
            format!("patches were tried, and did no better ({estimate:.1e})")
        }
        Err(error) => format!("no patches: {error}"),
    };
    if found.unpromising.is_some() {
        bench.may_give_up = false;
        match auto::search(bench) {
            Ok(whole) if whole.estimate < found.estimate => *found = whole,
            Ok(_) => {}
            // What was found before stands.
            Err(error) => match error.limit() {
                Some(limit) => found.status = limit.into(),
                None => return Err(error),
            },
        }
    }
    Ok(Err(tried))
}

/// Features and rows of one candidate, with what all its steps share.
struct StepRows<'a> {
    bases: &'a [Arc<dyn Basis>],
    blocks: &'a [RowBlock],
    unchanged: Vec<Option<WrittenRows>>,
}

/// The workbench of a nonlinear problem.
pub(crate) struct NewtonBench<'a> {
    problem: &'a NonlinearProblem,
    pub(crate) concrete: Concrete,
    pub(crate) options: &'a NewtonOptions,
    held_out: HeldOut,
    lsq: LsqOptions,
    parity: Vec<Vec<Parity>>,
    /// The best function so far, with its score: where later candidates start.
    warm: Option<(f64, Start)>,
    /// Candidates that began from a generic start and led nowhere.
    failures: usize,
    marched: bool,
    pub(crate) solves: usize,
    pub(crate) candidates: Vec<Candidate>,
    /// Whether patches are at hand where one sum of waves will not do.
    may_give_up: bool,
}

impl<'a> NewtonBench<'a> {
    pub(crate) fn new(
        problem: &'a NonlinearProblem,
        concrete: Concrete,
        options: &'a NewtonOptions,
    ) -> Result<Self, NewtonError> {
        let solve = &options.solve;
        let held_out = HeldOut::new(&concrete.frame, solve.seed)?;
        // What cannot be evaluated at all says so at once.
        for (residual, block) in concrete.residuals.iter().zip(held_out.blocks()) {
            if let Some(residual) = residual {
                let zero = Array2::zeros((block.len(), residual.jets().len()));
                residual.try_evaluate(&zero, block.sites(), concrete.value())?;
            }
        }
        let lsq = solve.lsq.clone().ridge(options.ridge);
        let parity = auto::parity(&concrete.frame, solve, || {
            symmetry::detect(&concrete, solve.seed)
        })?;
        Ok(Self {
            problem,
            concrete,
            options,
            held_out,
            lsq,
            parity,
            warm: None,
            failures: 0,
            marched: false,
            solves: 0,
            candidates: Vec::new(),
            may_give_up: false,
        })
    }

    fn unknowns(&self) -> usize {
        self.concrete.frame.unknowns.len()
    }

    fn parameter(&self) -> f64 {
        self.concrete.value()
    }

    /// One Newton iteration at one value of the parameter.
    fn iterate(
        &self,
        rows: &StepRows<'_>,
        parameter: f64,
        start: Start,
    ) -> Result<Outcome, NewtonError> {
        let mut options = self.options.clone();
        if self.warm.is_some() {
            // From a good start a candidate that needs many steps is not worth having.
            options.max_iterations = options.max_iterations.min(WARM_ITERATIONS);
        }
        options.start = start;
        Iteration {
            unchanged: &rows.unchanged,
            ..self.iteration(rows.bases, rows.blocks, &options, parameter)
        }
        .run()
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
            lsq: &self.lsq,
            bases,
            blocks,
            unchanged: &[],
            value_points: self.held_out.value_points(),
            parameter,
        }
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
        &self.lsq
    }

    /// The values of the parameter on the way, and the iteration through them.
    fn through_stages(&self, rows: &StepRows<'_>) -> Result<Outcome, NewtonError> {
        let last = self.parameter();
        let mut history: Vec<Step> = Vec::new();
        let mut solves = 0;
        let mut start = self.options.start.clone();
        let mut first: Option<(String, f64)> = None;
        let mut stage = |value: f64, start: Start| -> Result<Outcome, NewtonError> {
            let outcome = self.iterate(rows, value, start)?;
            solves += outcome.solves;
            history.extend(outcome.history.iter().cloned());
            first.get_or_insert((outcome.start.clone(), outcome.start_residual));
            Ok(outcome)
        };
        let as_start = |outcome: &Outcome| -> Result<Start, NewtonError> {
            Ok(Start::From(Arc::new(
                self.as_solution(rows.bases, outcome.beta.clone())?,
            )))
        };
        let mut outcome = match &self.options.continuation {
            Continuation::None => stage(last, start)?,
            Continuation::Through(values) => {
                for &value in values.iter().filter(|v| **v != last) {
                    let reached = stage(value, start)?;
                    start = as_start(&reached)?;
                }
                stage(last, start)?
            }
            Continuation::From(value) => {
                let mut reached = stage(*value, start)?;
                let (mut at, mut step) = (*value, last - value);
                for _stage in 0..MOST_STAGES {
                    if at == last {
                        break;
                    }
                    let next = if (last - at).abs() <= step.abs() {
                        last
                    } else {
                        at + step
                    };
                    let tried = match stage(next, as_start(&reached)?) {
                        Err(error) if error.limit().is_some() => {
                            reached.status = NewtonStatus::Stopped;
                            break;
                        }
                        tried => tried?,
                    };
                    if tried.status == NewtonStatus::Converged {
                        (at, reached) = (next, tried);
                        step *= 2.0;
                    } else {
                        step *= 0.25;
                        if step.abs() < 1e-6 * (last - value).abs() {
                            reached = tried;
                            break;
                        }
                    }
                }
                if at != last && reached.status == NewtonStatus::Converged {
                    reached.status = NewtonStatus::IterationLimit;
                }
                reached
            }
        };
        for (index, step) in history.iter_mut().enumerate() {
            step.iteration = index + 1;
        }
        let (start, residual) = first.unwrap_or_default();
        (outcome.history, outcome.solves) = (history, solves);
        (outcome.start, outcome.start_residual) = (start, residual);
        Ok(outcome)
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
            compress(basis, &derivatives, points.view(), &self.lsq)
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
        options.solve.threads = None;
        options.evolve = false;
        if let Ok(slabs) = self.problem.solve_in_slabs(Slabs::Automatic, &options)
            && slabs.stopped().is_none()
        {
            self.warm = Some((f64::INFINITY, Start::FromSlabs(Arc::new(slabs))));
        }
    }
}

impl Workbench for NewtonBench<'_> {
    type Extra = NewtonReport;
    type Error = NewtonError;

    fn options(&self) -> &Options {
        &self.options.solve
    }

    fn bounding_box(&self) -> Result<BoundingBox, NewtonError> {
        Ok(self.problem.domain().bounding_box()?)
    }

    fn parity(&self) -> &[Vec<Parity>] {
        &self.parity
    }

    fn structure(&self) -> Option<Structure> {
        auto::structure(&self.concrete.frame, &self.options.solve)
    }

    fn exchangeable(&self) -> Option<Vec<usize>> {
        symmetry::exchangeable(&self.concrete, &self.options.solve)
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
        let frame = &self.concrete.frame;
        let solve = &self.options.solve;
        let counts = RowCounts::choose(frame, explicit, features, solve.oversampling);
        Ok(sample_blocks(
            frame,
            &counts,
            solve.sequence,
            seed,
            TableShare::Fitted,
            solve.control(),
        )?)
    }

    fn limit(error: &NewtonError) -> Option<Limit> {
        error.limit()
    }

    fn labels(&self) -> Vec<String> {
        self.concrete.frame.labels()
    }

    fn posedness(&self, best: &Trial<NewtonReport>) -> Result<Posedness, NewtonError> {
        judge_closely(|look, earlier| self.judged(best, look, earlier))
    }

    fn refuses_features(error: &NewtonError) -> bool {
        matches!(error, NewtonError::Solve(cause) if refuses_features(cause))
    }

    fn run(
        &mut self,
        features: Features,
        blocks: &[RowBlock],
    ) -> Result<Trial<NewtonReport>, NewtonError> {
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
        self.candidates.push(Candidate {
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
        Ok(Trial {
            features,
            bases,
            score,
            info: outcome.info,
            weights: outcome.weights,
            rows: blocks.iter().map(RowBlock::len).collect(),
            points: None,
            ridge: 0.0,
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
/// The most values of the parameter on the way to the last.
const MOST_STAGES: usize = 200;
/// The most steps of a candidate that starts from the solution of another.
const WARM_ITERATIONS: usize = 8;
/// Functions with a worse score are not worth starting from.
const WARM_SCORE: f64 = 0.1;
