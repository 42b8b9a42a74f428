//! The search for a solution: what is given is obeyed, the rest is tried.

mod continuation;
mod maker;
mod posed;
mod score;

use web_time::Instant;

use fastlsq_solve::patches::NewtonPatches;
use fastlsq_solve::search::{self, Found};
use fastlsq_solve::{DomainExt, FeatureChoice, Report, Solution};

pub(crate) use maker::NewtonMaker;

use crate::NewtonError;
use crate::evolution::Evolution;
use crate::on_patches::Patches;
use crate::options::{Continuation, NewtonOptions, Start};
use crate::problem::{Concrete, NonlinearProblem};
use crate::report::NewtonReport;
use crate::solution::NonlinearSolution;

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
    let mut instead = None;
    if leaves_open(options) {
        match Evolution::recognise(&problem.statement().concrete(&[])?) {
            Ok(evolution) => {
                return options
                    .solve
                    .with_threads(|| problem.evolved(&evolution, concrete.linear, options));
            }
            Err(reason) if problem.domain().time_axis().is_some() => instead = Some(reason),
            Err(_) => {}
        }
    }
    options
        .solve
        .with_threads(|| run(problem, concrete, instead, options))
}

/// Whether the options ask for nothing that only a solve in space-time offers.
fn leaves_open(options: &NewtonOptions) -> bool {
    options.evolve
        && options.solve.features.is_none()
        && options.solve.rows.is_none()
        && matches!(options.solve.choice, FeatureChoice::Automatic)
        && matches!(options.start, Start::Best)
        && options.continuation == Continuation::None
}

fn validate(concrete: &Concrete, options: &NewtonOptions) -> Result<(), NewtonError> {
    options.solve.validate(&concrete.frame)?;
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
        return option(
            "continuation",
            value,
            "values of a parameter must be finite",
        );
    }
    let ridge = options.solve.lsq.ridge;
    if !(ridge.is_finite() && ridge >= 0.0) {
        return option("ridge", ridge, "finite and not negative");
    }
    let change = options.change_tolerance;
    if !(change.is_finite() && change >= 0.0) {
        return option("change_tolerance", change, "finite and not negative");
    }
    Ok(())
}

/// Solves in space-time as a whole; `instead` says why a problem in time cannot be evolved.
fn run(
    problem: &NonlinearProblem,
    concrete: Concrete,
    instead: Option<String>,
    options: &NewtonOptions,
) -> Result<NonlinearSolution, NewtonError> {
    let begin = Instant::now();
    let statement = problem.statement().concrete(&[])?;
    let patches = Patches::of(&statement, options);
    let mut maker = NewtonMaker::new(problem, concrete, options)?;
    if let Some(reason) = patches.at_once(&statement) {
        match patches.solve(None) {
            Ok(patched) if patched.settled || patches.are_asked_for() => {
                return maker.patched(patched, None, reason, begin);
            }
            Err(error) if patches.are_asked_for() => return Err(error.into()),
            _ => {}
        }
    }
    maker.may_give_up = patches.may_help();
    let mut found = search::search(&mut maker)?;
    if let Some(reason) = instead {
        found.choice = format!(
            "{}; in space-time, since it cannot be followed in time: {reason}",
            found.choice
        );
    }
    if found.is_wanting() && patches.may_help() {
        match on_patches(&mut maker, &patches, &mut found)? {
            Ok(patched) => {
                let reason = found.unpromising.clone();
                let reason = reason.unwrap_or_else(|| "one sum of waves was not enough".to_owned());
                return maker.patched(patched, Some(&found), &reason, begin);
            }
            Err(tried) => found.choice = format!("{}; {tried}", found.choice),
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let frame = &maker.concrete.frame;
    let report = Report::of(frame, &options.solve, &found, seconds);
    let functions = (frame.space.clone(), frame.unknowns.clone());
    let mut newton = found.best.extra;
    (newton.solves, newton.candidates) = (maker.solves, maker.candidates);
    let solution = Solution::from_parts(functions, found.best.bases, found.best.beta, report)?
        .on_domain(frame.domain.clone())?;
    Ok(NonlinearSolution::new(
        solution,
        newton,
        found.best.features,
    ))
}

/// What patches find for a problem that a search could not solve; or, after the whole search, why they are not taken.
fn on_patches(
    maker: &mut NewtonMaker<'_>,
    patches: &Patches<'_>,
    found: &mut Found<NewtonReport>,
) -> Result<Result<NewtonPatches, String>, NewtonError> {
    let start = maker.start_for_patches(found)?;
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
        maker.may_give_up = false;
        match search::search(maker) {
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
