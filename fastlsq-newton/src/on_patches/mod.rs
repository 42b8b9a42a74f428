//! Newton's method on patches: what a nonlinear problem turns to where one sum of waves will not do.
//!
//! The method itself is that of [`PatchProblem::solve_by_newton`]; here nonlinear problems are handed over to it, and what
//! it finds becomes a [`NonlinearSolution`].

mod equations;

use std::sync::Arc;
use web_time::Instant;

use fastlsq_basis::Basis;
use fastlsq_solve::patches::{
    NewtonPatches, PatchError, PatchOptions, PatchProblem, PatchStart, Patching, PointEquations,
};
use fastlsq_solve::search::{Features, Found};
use fastlsq_solve::{ConcreteProblem, EquationRow, Posedness, Sites, Solution, SolveError};
use ndarray::ArrayView2;

use self::equations::Laws;
use crate::NewtonError;
use crate::options::{Continuation, NewtonOptions, Start};
use crate::report::{NewtonReport, NewtonStatus, Step};
use crate::search::NewtonMaker;
use crate::solution::NonlinearSolution;

/// Whether and how a nonlinear problem can be solved on patches.
pub(crate) struct Patches<'a> {
    options: &'a NewtonOptions,
    problem: Result<PatchProblem, PatchError>,
}

impl<'a> Patches<'a> {
    pub(crate) fn of(problem: &ConcreteProblem, options: &'a NewtonOptions) -> Self {
        let plain = options.continuation == Continuation::None && options.damping == 1.0;
        let problem = match (&options.solve.patches, Laws::of(problem)) {
            (Patching::Never, _) => Err(PatchError::Forbidden),
            (_, Some(laws)) if plain => {
                let laws: Arc<dyn PointEquations> = Arc::new(laws);
                PatchProblem::pointwise_of(problem, &laws)
            }
            _ => Err(PatchError::Statement {
                what: "integrals, multipliers, continuation or damping",
                requirement: "patches take differential equations and full steps",
            }),
        };
        let asked_for = options.solve.patches.is_asked_for();
        let problem = problem.and_then(|problem| match problem.dim() > 2 && !asked_for {
            true => Err(PatchError::InSpace),
            false => Ok(problem),
        });
        Self { options, problem }
    }

    pub(crate) fn are_asked_for(&self) -> bool {
        self.options.solve.patches.is_asked_for()
    }

    /// Why one sum of waves need not be tried, if it need not.
    pub(crate) fn at_once(&self, problem: &ConcreteProblem) -> Option<&'static str> {
        let patching = &self.options.solve.patches;
        patching.at_once(problem.domain.as_ref(), self.may_help())
    }

    /// Whether patches may take over from a search.
    pub(crate) fn may_help(&self) -> bool {
        let when_needed = matches!(self.options.solve.patches, Patching::WhenNeeded(_));
        when_needed && self.options.solve.leaves_features_open() && self.problem.is_ok()
    }

    /// Solves on patches, from the function that the options name, a given one, or the equations' leading part.
    pub(crate) fn solve(&self, start: Option<&Solution>) -> Result<NewtonPatches, PatchError> {
        let solve = &self.options.solve;
        let own = match &solve.patches {
            Patching::Never => return Err(PatchError::Forbidden),
            Patching::WhenNeeded(own) | Patching::Always(own) => own,
        };
        let own = PatchOptions {
            tolerance: solve.tolerance,
            seed: solve.seed,
            control: solve.control().clone(),
            ..own.clone()
        };
        let problem = self.problem.as_ref().map_err(Clone::clone)?;
        let start = match &self.options.start {
            Start::From(given) => Some(given.as_ref()),
            _ => start,
        };
        let steps = self.options.max_iterations;
        match start {
            Some(solution) => {
                let values = |points: ArrayView2<'_, f64>| values_of(solution, points);
                let values: &PatchStart<'_> = &values;
                problem.solve_by_newton(&own, steps, Some(values))
            }
            None => problem.solve_by_newton(&own, steps, None),
        }
    }
}

/// All unknowns at points; NaN where they cannot be evaluated.
fn values_of(solution: &Solution, points: ArrayView2<'_, f64>) -> Vec<Vec<f64>> {
    let bases: Vec<&dyn Basis> = solution.bases().iter().map(AsRef::as_ref).collect();
    let (dim, unknowns) = (points.ncols(), bases.len());
    (0..unknowns)
        .map(|unknown| {
            let row = EquationRow::value(dim, unknown, unknowns);
            let values = row.apply(&bases, solution.coefficients(), Sites::new(points));
            values.unwrap_or_else(|_| vec![f64::NAN; points.nrows()])
        })
        .collect()
}

impl NewtonMaker<'_> {
    /// The best function of a search, if its iteration settled: a better start than any other.
    pub(crate) fn start_for_patches(
        &self,
        found: &Found<NewtonReport>,
    ) -> Result<Option<Solution>, NewtonError> {
        let best = &found.best;
        match best.extra.status {
            NewtonStatus::Converged => self.as_solution(&best.bases, best.beta.clone()).map(Some),
            _ => Ok(None),
        }
    }

    /// A function on patches as a solution, judged at the same fresh points as a sum of waves.
    pub(crate) fn patched(
        &self,
        patched: NewtonPatches,
        found: Option<&Found<NewtonReport>>,
        reason: &str,
        begin: Instant,
    ) -> Result<NonlinearSolution, NewtonError> {
        let newton = self.newton_report(&patched, found);
        let solution = patched.solution;
        let frame = &self.concrete.frame;
        let basis: Arc<dyn Basis> = solution.basis().clone();
        let references: Vec<&dyn Basis> = vec![basis.as_ref(); frame.unknowns.len()];
        let score = self.score(&references, solution.coefficients())?;
        // What a sum of waves leaves over may look like a contradiction; patches that resolve it know better.
        let posedness = found.map(|found| found.posedness.clone());
        let seconds = begin.elapsed().as_secs_f64();
        let patches = solution.report();
        let mut report = patches.of_solve(frame, &self.options.solve, &score, reason, seconds);
        report.posedness = posedness.filter(Posedness::is_fine).unwrap_or_default();
        report.candidates = found.map_or_else(Vec::new, |found| found.candidates.clone());
        let functions = (frame.space.clone(), frame.unknowns.clone());
        let solution = solution
            .into_solution(functions, report)?
            .on_domain(frame.domain.clone())?;
        Ok(NonlinearSolution::new(
            solution,
            newton,
            Features::Given(basis),
        ))
    }

    fn newton_report(
        &self,
        patched: &NewtonPatches,
        found: Option<&Found<NewtonReport>>,
    ) -> NewtonReport {
        let rank = patched.solution.report().rank;
        let steps = patched.steps.iter().enumerate();
        let history: Vec<Step> = steps
            .map(|(index, step)| Step {
                iteration: index + 1,
                residual: step.change * step.contraction,
                change: step.change,
                step: step.length,
                rank: step.leaves * rank,
                parameter: None,
                seconds: step.seconds,
            })
            .collect();
        let from = match (&self.options.start, found) {
            (Start::From(_), _) => "a given function",
            (_, Some(found)) if found.best.extra.status == NewtonStatus::Converged => {
                "a sum of waves"
            }
            _ => "the part of highest order, on patches",
        };
        NewtonReport {
            status: if patched.settled {
                NewtonStatus::Converged
            } else {
                NewtonStatus::Stalled
            },
            linear: self.concrete.linear,
            start: from.to_owned(),
            start_residual: history.first().map_or(0.0, |step| step.change),
            solves: history.len() + self.solves,
            history,
            candidates: self.candidates.clone(),
        }
    }
}

impl From<PatchError> for NewtonError {
    fn from(error: PatchError) -> Self {
        Self::Solve(SolveError::from(error))
    }
}
