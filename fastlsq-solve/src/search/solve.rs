//! The story of a linear solve: state, search for one sum of waves, patches if need be, report.

use web_time::Instant;

use super::candidate::CandidateMaker;
use super::features::Features;
use super::linear::LinearMaker;
use super::state::{Found, search};
use crate::SolveError;
use crate::backend::Factored;
use crate::domain::DomainExt;
use crate::factored::{FactoredProblem, FactoredSystem};
use crate::options::{FeatureChoice, Options};
use crate::patches::{PatchError, PatchOptions, PatchProblem, PatchRows, PatchSolution, Patching};
use crate::posed::Posedness;
use crate::problem::ConcreteProblem;
use crate::report::{Report, Status};
use crate::solution::Solution;
use crate::system::System;

/// Where to go with a problem in time that one sum of waves over all of it does not resolve.
const IN_TIME: &str = "for long times and fine detail, state the same as a NonlinearProblem (fastlsq-newton), which is followed step by step in time";

/// In space, where patches take their time, they come after waves that leave more than this.
const WORTH_SPACE: f64 = 1e-6;

/// The share of the tolerance that functions around a corner are asked to reach.
const AT_CORNERS: f64 = 1e-2;
/// No less than this is asked for.
const CLOSEST: f64 = 1e-13;

/// Solves a problem: explicit options are obeyed, the rest is searched for.
pub(crate) fn solve(problem: &ConcreteProblem, options: &Options) -> Result<Solution, SolveError> {
    super::prepared(problem, options, |maker, begin| {
        let patches = Patches::of(problem, options)?;
        if let Some(reason) = patches.at_once(problem) {
            let tried = if patches.are_asked_for() {
                None
            } else {
                by_solutions_alone(maker)?
            };
            let tried = match tried {
                Some(found) if found.status == Status::ToleranceMet => {
                    return super::as_solution(maker, found, begin);
                }
                tried => tried,
            };
            match patches.solve(maker.options) {
                Ok(patched) => {
                    let reached = patched.report().error_estimate;
                    return match tried {
                        Some(found) if found.estimate <= reached => {
                            super::as_solution(maker, found.judged_by(maker.options), begin)
                        }
                        tried => as_patched(maker, patched, tried.as_ref(), reason, begin),
                    };
                }
                Err(error) if patches.are_asked_for() => return Err(error.into()),
                Err(error) => return waves_after(maker, &error, begin),
            }
        }
        maker.may_give_up = patches.may_help();
        let mut found = search(maker)?;
        let open = options.leaves_features_open() && !problem.equations.is_empty();
        if found.is_wanting() && problem.domain.time_axis().is_some() {
            found.choice = format!("{}; {IN_TIME}", found.choice);
        }
        if !(found.is_wanting() && open) {
            return super::as_solution(maker, found, begin);
        }
        if let Some(reason) = patches.objection(&found) {
            whole_search(maker, &mut found)?;
            found.choice = format!("{}; {reason}", found.choice);
            return super::as_solution(maker, found, begin);
        }
        match patches.solve(maker.options) {
            Ok(patched) if patched.report().error_estimate < found.estimate => {
                let reason = found.unpromising.clone();
                let reason = reason.unwrap_or_else(|| "one sum of waves was not enough".to_owned());
                as_patched(maker, patched, Some(&found), &reason, begin)
            }
            Ok(patched) => {
                let estimate = patched.report().error_estimate;
                let tried = format!("patches were tried, and did no better ({estimate:.1e})");
                whole_search(maker, &mut found)?;
                found.choice = format!("{}; {tried}", found.choice);
                super::as_solution(maker, found, begin)
            }
            Err(error) => {
                whole_search(maker, &mut found)?;
                found.choice = format!("{}; no patches: {error}", found.choice);
                super::as_solution(maker, found, begin)
            }
        }
    })
}

/// Makes all choices as [`solve`] does, then factors the chosen system so that it can be used again.
pub(crate) fn factor(
    problem: &ConcreteProblem,
    options: &Options,
) -> Result<FactoredProblem, SolveError> {
    super::prepared(problem, options, |maker, begin| {
        let patches = Patches::of(problem, options)?;
        if let Some(reason) = patches.at_once(problem) {
            match patches.factor(problem, maker.options) {
                Ok(kept) => return with_patches(maker, kept, None, reason, begin),
                Err(error) if patches.are_asked_for() => return Err(error.into()),
                Err(_) => {}
            }
        }
        let mut found = search(maker)?;
        let open = options.leaves_features_open() && !problem.equations.is_empty();
        if found.is_wanting()
            && open
            && patches.may_help()
            && patches.objection(&found).is_none()
            && let Ok(kept) = patches.factor(problem, maker.options)
            && kept.0.solution().report().error_estimate < found.estimate
        {
            let reason = "one sum of waves was not enough";
            return with_patches(maker, kept, Some(&found), reason, begin);
        }
        let features = found.best.features.clone();
        let kept = maker.final_candidate(features.clone(), options.rows)?;
        if found.best.score.worst > 0.0 {
            found.estimate *= (kept.candidate.score.worst / found.best.score.worst).max(1.0);
        }
        found.best = kept.candidate;
        let solution = super::as_solution(maker, found, begin)?;
        let held_out = maker.held_out.clone();
        Ok(FactoredProblem::new(
            (maker.problem.clone(), options.clone()),
            FactoredSystem {
                system: kept.system,
                factored: kept.factored,
            },
            held_out,
            solution,
            features,
        ))
    })
}

/// Factored patches as a factored problem.
fn with_patches(
    maker: &LinearMaker<'_>,
    (kept, system): (PatchRows, System),
    found: Option<&Found<()>>,
    reason: &str,
    begin: Instant,
) -> Result<FactoredProblem, SolveError> {
    let patched = kept.solution().clone();
    let basis = patched.bases().into_iter().next();
    let features = Features::Given(basis.ok_or(SolveError::NothingToSolve)?);
    let solution = as_patched(maker, patched, found, reason, begin)?;
    let factored: Box<dyn Factored> = Box::new(kept);
    Ok(FactoredProblem::new(
        (maker.problem.clone(), maker.options.clone()),
        FactoredSystem { system, factored },
        maker.held_out.clone(),
        solution,
        features,
    ))
}

/// What functions that solve the equation already can do, before anything else is tried; `None` where there are none.
///
/// Held-out residuals are means over whole walls, in which a corner hardly counts; by the maximum principle the largest error
/// is on them all the same. So more is asked of these functions, of which a few more cost little.
fn by_solutions_alone(maker: &LinearMaker<'_>) -> Result<Option<Found<()>>, SolveError> {
    if maker.particular(0)?.is_none() {
        return Ok(None);
    }
    let options = maker.options.clone();
    let tolerance = options.tolerance;
    let closer = (AT_CORNERS * tolerance).max(CLOSEST).min(tolerance);
    let mut closely = LinearMaker {
        options: &options.tolerance(closer),
        held_out: maker.held_out.clone(),
        parity: maker.parity.clone(),
        beside: maker.beside.clone(),
        without_waves: true,
        ..*maker
    };
    match search(&mut closely) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.limit().is_some() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Takes up a search that gave up for the sake of patches.
fn whole_search(maker: &mut LinearMaker<'_>, found: &mut Found<()>) -> Result<(), SolveError> {
    if found.unpromising.is_some() {
        maker.may_give_up = false;
        match search(maker) {
            Ok(whole) if whole.estimate < found.estimate => *found = whole,
            Ok(_) => {}
            // What was found before stands.
            Err(error) => match error.limit() {
                Some(limit) => found.status = limit.into(),
                None => return Err(error),
            },
        }
    }
    Ok(())
}

/// One sum of waves where patches should have come first and could not.
fn waves_after(
    maker: &mut LinearMaker<'_>,
    error: &PatchError,
    begin: Instant,
) -> Result<Solution, SolveError> {
    let mut found = search(maker)?;
    found.choice = format!("{}; no patches: {error}", found.choice);
    super::as_solution(maker, found, begin)
}

/// Whether and how a problem can be solved on patches.
struct Patches<'a> {
    choice: &'a Patching,
    problem: Result<PatchProblem, PatchError>,
    /// Whether features are searched for: those that are given are those of one sum of waves.
    open: bool,
}

impl<'a> Patches<'a> {
    fn of(problem: &ConcreteProblem, options: &'a Options) -> Result<Self, SolveError> {
        let choice = &options.patches;
        let open = options.leaves_features_open();
        let problem = PatchProblem::of(problem);
        match (choice, problem) {
            (Patching::Always(_), Err(error)) => Err(error.into()),
            (_, problem) => Ok(Self {
                choice,
                problem,
                open,
            }),
        }
    }

    fn are_asked_for(&self) -> bool {
        self.choice.is_asked_for()
    }

    /// Why one sum of waves need not be tried, if it need not.
    fn at_once(&self, problem: &ConcreteProblem) -> Option<&'static str> {
        self.choice
            .at_once(problem.domain.as_ref(), self.may_help())
    }

    /// Why patches are not worth their time, if they are not.
    fn objection(&self, found: &Found<()>) -> Option<String> {
        let in_space = self.problem.as_ref().is_ok_and(|problem| problem.dim() > 2);
        (in_space && found.estimate <= WORTH_SPACE).then(|| {
            format!(
                "patches in space are for errors above {WORTH_SPACE:.0e}; Options::patches asks for them here"
            )
        })
    }

    /// Whether patches may take over from a search.
    fn may_help(&self) -> bool {
        self.open && matches!(self.choice, Patching::WhenNeeded(_)) && self.problem.is_ok()
    }

    fn solve(&self, options: &Options) -> Result<PatchSolution, PatchError> {
        let own = self.options(options)?;
        match &self.problem {
            Ok(problem) => problem.solve(&own),
            Err(error) => Err(error.clone()),
        }
    }

    /// Solves and keeps the factors.
    fn factor(
        &self,
        stated: &ConcreteProblem,
        options: &Options,
    ) -> Result<(PatchRows, System), PatchError> {
        let own = self.options(options)?;
        match &self.problem {
            Ok(_) => PatchRows::new(stated, &own),
            Err(error) => Err(error.clone()),
        }
    }

    fn options(&self, options: &Options) -> Result<PatchOptions, PatchError> {
        match self.choice {
            Patching::Never => Err(PatchError::Forbidden),
            Patching::WhenNeeded(own) | Patching::Always(own) => Ok(within(own, options)),
        }
    }
}

/// The options of patches in a solve with these options.
fn within(patches: &PatchOptions, options: &Options) -> PatchOptions {
    let mut own = patches.clone();
    own.tolerance = options.tolerance;
    own.seed = options.seed;
    own.control = options.control().clone();
    own
}

impl Options {
    /// These options, with patches from the first: what a search came to is not searched for again.
    fn on_patches_again(&self) -> Self {
        let own = match &self.patches {
            Patching::WhenNeeded(own) | Patching::Always(own) => own.clone(),
            Patching::Never => PatchOptions::new(),
        };
        self.clone().patches(Patching::Always(own))
    }

    /// Whether the features are left to the search, so that something else may take its place.
    #[must_use]
    pub fn leaves_features_open(&self) -> bool {
        matches!(self.choice, FeatureChoice::Automatic) && self.features.is_none()
    }
}

/// A function on patches as a solution, judged at the same fresh points as a sum of waves.
fn as_patched(
    maker: &LinearMaker<'_>,
    patched: PatchSolution,
    found: Option<&Found<()>>,
    reason: &str,
    begin: Instant,
) -> Result<Solution, SolveError> {
    let problem = maker.problem;
    let score = maker
        .held_out
        .score(&patched.bases(), patched.coefficients())?;
    // The residual of a sum of waves may look like a contradiction; patches that resolve it know better.
    let posedness = found.map(|found| found.posedness.clone());
    let seconds = begin.elapsed().as_secs_f64();
    let report = Report {
        posedness: posedness.filter(Posedness::is_fine).unwrap_or_default(),
        candidates: found.map_or_else(Vec::new, |found| found.candidates.clone()),
        ..patched
            .report()
            .of_solve(problem, maker.options, &score, reason, seconds)
    };
    let report = report.repeated_by(maker.options.on_patches_again());
    let functions = (problem.space.clone(), problem.unknowns.clone());
    patched
        .into_solution(functions, report)?
        .on_domain(problem.domain.clone())
}
