//! When Newton's method goes on with patches.

use std::sync::Arc;
use std::time::Instant;

use fastlsq_basis::Basis;
use fastlsq_solve::auto::{Features, Found};
use fastlsq_solve::patches::{PatchOptions, Patching};
use fastlsq_solve::{Posedness, Report, Solution};

use super::NewtonBench;
use crate::NewtonError;
use crate::on_patches::{Patched, first_problem};
use crate::options::{Continuation, Start};
use crate::problem::Concrete;
use crate::report::{NewtonReport, NewtonStatus};
use crate::solution::NonlinearSolution;

/// Whether and how a nonlinear problem can be solved on patches.
pub(super) struct Patches {
    concrete: Arc<Concrete>,
    choice: Patching,
    possible: bool,
}

impl Patches {
    pub(super) fn of(bench: &NewtonBench<'_>) -> Self {
        let options = bench.options;
        let concrete = Arc::new(bench.concrete.clone());
        let plain = matches!(options.continuation, Continuation::None)
            && matches!(options.start, Start::Best)
            && options.solve.leaves_features_open();
        let choice = options.solve.patches.clone();
        Self {
            possible: plain && choice != Patching::Never && first_problem(&concrete).is_ok(),
            concrete,
            choice,
        }
    }

    pub(super) fn are_asked_for(&self) -> bool {
        matches!(self.choice, Patching::Always(_))
    }

    /// Why one sum of waves need not be tried, if it need not.
    pub(super) fn at_once(&self, bench: &NewtonBench<'_>) -> Option<&'static str> {
        if self.are_asked_for() {
            return Some("they were asked for");
        }
        let straight = std::f64::consts::PI + 1e-6;
        let corners = || bench.concrete.frame.domain.corners();
        let reentrant = self.possible && corners().iter().any(|corner| corner.angle > straight);
        reentrant.then_some("the domain has re-entrant corners")
    }

    /// Whether patches may take over from a search.
    pub(super) fn may_help(&self) -> bool {
        self.possible && matches!(self.choice, Patching::WhenNeeded(_))
    }

    pub(super) fn solve(
        &self,
        bench: &NewtonBench<'_>,
        start: Option<&Solution>,
    ) -> Result<Option<Patched>, NewtonError> {
        let solve = &bench.options.solve;
        let own = match &self.choice {
            Patching::Never => return Ok(None),
            Patching::WhenNeeded(own) | Patching::Always(own) => own,
        };
        let own = PatchOptions {
            tolerance: solve.tolerance,
            seed: solve.seed,
            control: solve.control().clone(),
            ..own.clone()
        };
        crate::on_patches::solve(&self.concrete, bench.options, &own, start)
    }
}

impl Patched {
    pub(super) fn estimate(&self) -> f64 {
        self.solution.report().error_estimate
    }
}

impl NewtonBench<'_> {
    /// The best function of a search, if its iteration settled: a better start than any other.
    pub(super) fn start_for_patches(
        &self,
        found: &Found<NewtonReport>,
    ) -> Result<Option<Solution>, NewtonError> {
        if found.best.extra.status != NewtonStatus::Converged {
            return Ok(None);
        }
        let best = &found.best;
        self.as_solution(&best.bases, best.beta.clone()).map(Some)
    }

    /// A function on patches as a solution, judged at the same fresh points as a sum of waves.
    pub(super) fn patched(
        &self,
        patched: Patched,
        found: Option<&Found<NewtonReport>>,
        reason: &str,
        begin: Instant,
    ) -> Result<NonlinearSolution, NewtonError> {
        let Patched { solution, newton } = patched;
        let frame = &self.concrete.frame;
        let basis: Arc<dyn Basis> = solution.basis().clone();
        let references: Vec<&dyn Basis> = vec![basis.as_ref(); frame.unknowns.len()];
        let score = self.score(&references, solution.coefficients())?;
        let posedness = found.map(|found| found.posedness.clone());
        let seconds = begin.elapsed().as_secs_f64();
        let options = &self.options.solve;
        let report = Report {
            posedness: posedness.filter(Posedness::is_fine).unwrap_or_default(),
            probes: found.map_or_else(Vec::new, |found| found.probes.clone()),
            ..solution
                .report()
                .of_solve(frame, options, &score, reason, seconds)
        };
        let newton = NewtonReport {
            solves: newton.solves + self.solves,
            candidates: self.candidates.clone(),
            ..newton
        };
        let functions = (frame.space.clone(), frame.unknowns.clone());
        let solution = solution.into_solution(functions, report)?;
        Ok(NonlinearSolution::new(
            solution,
            newton,
            Features::Given(basis),
        ))
    }
}
