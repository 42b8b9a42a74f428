//! Evolution by lines: space as joined polynomials that follow the solution, time by implicit steps of high order.
//!
//! A problem is run at least twice, with tolerances a factor apart and with polynomials of different degree. The
//! difference of two runs is an error that went through the whole evolution, with everything that made it grow or decay on
//! the way; what steps and tails estimate one by one knows nothing of that. The finer run is returned; its error is
//! smaller than the difference by at least the factor between the tolerances where these rule, and that is the estimate. Runs
//! are repeated, each ten times finer, until the estimate meets the tolerance or no longer falls.

mod compare;
mod compatibility;
mod exact;
mod flow;
mod form;
mod history;
mod march;
mod mesh;
mod system;

use std::sync::Arc;
use std::time::Instant;

use fastlsq_basis::Basis;
use fastlsq_solve::{Control, Report, Solution, Space, Status, Unknown};

use super::report::{BlowUp, EvolutionReport, RunReport};
use crate::NewtonError;
use crate::options::NewtonOptions;
use flow::Flow;
pub(crate) use form::LineProblem;
use march::{Aim, Finish, Run};

/// From one run to the next all tolerances fall by this factor.
const FINER: f64 = 10.0;
/// The difference of two runs over the error of the finer one, at the least: smaller than the factor between their
/// tolerances, since errors do not all follow these.
const SAFE: f64 = 4.0;
/// The error of a step in time relative to that of the whole: the embedded estimate is of a lower order than the method,
/// and much larger than its error.
const STEP: f64 = 30.0;
/// The last coefficients of a piece relative to the error of the whole.
const TAIL: f64 = 0.3;
/// The finest tolerances that rounding allows.
const FINEST_STEP: f64 = 1e-11;
const FINEST_TAIL: f64 = 1e-13;
/// The smallest error that is aimed for.
const FINEST: f64 = 1e-13;
/// The most coefficients.
const LIMIT: usize = 6000;
/// The most runs.
const RUNS: usize = 5;

/// What to aim for where the whole is to have the error ε; odd runs have a lower degree.
fn aim(error: f64, order: usize, odd: bool, control: &Control) -> Aim {
    let degree = 12 + 2 * order - if odd { 2 } else { 0 };
    Aim {
        time: (STEP * error).clamp(FINEST_STEP, 1e-3),
        tail: (TAIL * error).clamp(FINEST_TAIL, 1e-2),
        degree,
        limit: LIMIT,
        control: control.clone(),
    }
}

/// Evolves the problem.
pub(crate) fn evolve(
    functions: (Space, Vec<Unknown>),
    line: &LineProblem,
    options: &NewtonOptions,
) -> Result<(Solution, EvolutionReport), NewtonError> {
    let begin = Instant::now();
    let control = options.solve.control();
    let tolerance = options.solve.tolerance;
    let mut reports = Vec::new();
    let mut one = |error: f64, odd: bool| -> Result<Run, NewtonError> {
        let begin = Instant::now();
        let aim = aim(error, line.order, odd, control);
        let run = march::run(line, &aim)?;
        reports.push(RunReport {
            tolerance: error,
            degree: aim.degree,
            steps: run.steps,
            meshes: run.meshes,
            pieces: run.pieces,
            dim: run.dim,
            difference: f64::NAN,
            seconds: begin.elapsed().as_secs_f64(),
        });
        Ok(run)
    };
    let mut error = (FINER.sqrt() * tolerance).max(FINER * FINEST);
    let mut best = one(error, true)?;
    // A single run cannot tell its error.
    let mut estimate = f64::INFINITY;
    let mut status = Status::LimitReached;
    let mut differences = vec![f64::NAN];
    for k in 1..RUNS {
        if matches!(best.finish, Finish::Stopped(_)) {
            break;
        }
        error /= FINER;
        let run = one(error, k % 2 == 0)?;
        if matches!(run.finish, Finish::Stopped(_)) {
            break;
        }
        let difference = compare::distance(&run.history, &best.history, &run.scales, line.times.0)
            .into_iter()
            .enumerate()
            .filter(|(state, _)| line.states[*state].1 == 0)
            .fold(
                0.0,
                |a: f64, (_, b)| if b.is_nan() { f64::NAN } else { a.max(b) },
            );
        differences.push(difference);
        let own = difference / SAFE + rounding(&run);
        // Where rounding rules, differences no longer fall.
        let fell = own <= 0.5 * estimate;
        if fell || !estimate.is_finite() {
            best = run;
        }
        estimate = if fell { own } else { estimate.min(own) };
        if estimate <= tolerance {
            status = Status::ToleranceMet;
            break;
        }
        if !fell || error < FINER * FINEST {
            status = Status::Saturated;
            break;
        }
    }
    for (report, difference) in reports.iter_mut().zip(differences) {
        report.difference = difference;
    }
    if !matches!(best.finish, Finish::Complete) || best.unresolved.is_some() {
        status = Status::LimitReached;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let evolution = EvolutionReport {
        reached: best.history.end().unwrap_or(line.times.0),
        stopped: match best.finish {
            Finish::Stopped(limit) => Some(limit),
            _ => None,
        },
        blow_up: blow_up(&best, line),
        unresolved: best.unresolved,
        remarks: best.remarks.clone(),
        runs: reports,
    };
    let report = report(&best, &evolution, (status, estimate, seconds), options);
    let history = Arc::new(best.history);
    let bases: Vec<Arc<dyn Basis>> = line
        .states
        .iter()
        .enumerate()
        .filter(|(_, (_, t))| *t == 0)
        .map(|(state, _)| {
            Arc::new(Flow {
                history: Arc::clone(&history),
                state,
            }) as Arc<dyn Basis>
        })
        .collect();
    let beta = vec![1.0; bases.len()];
    Ok((
        Solution::from_parts(functions, bases, beta, report)?,
        evolution,
    ))
}

/// What rounding adds up to.
fn rounding(run: &Run) -> f64 {
    f64::EPSILON * (run.steps.max(1) as f64).sqrt()
}

/// A run that stalls in growth is a solution that ceases to exist.
fn blow_up(run: &Run, line: &LineProblem) -> Option<BlowUp> {
    let Finish::Stalled(failure) = &run.finish else {
        return None;
    };
    let (space, expansion) = run.history.at(failure.time, 0)?;
    let norms = space.norms(&expansion);
    let largest = (0..line.states.len())
        .flat_map(|state| space.sample(&expansion, state, 0))
        .fold(0.0, |a: f64, b| a.max(b.abs()));
    Some(BlowUp {
        time: failure.time,
        largest,
        norm: norms.into_iter().fold(0.0, f64::max),
    })
}

fn report(
    run: &Run,
    evolution: &EvolutionReport,
    (status, estimate, seconds): (Status, f64, f64),
    options: &NewtonOptions,
) -> Report {
    let last = evolution.runs.last();
    let degree = last.map_or(0, |run| run.degree);
    let mut report = Report::empty();
    report.status = status;
    report.error_estimate = estimate;
    report.features = run.dim;
    report.rank = run.dim;
    report.law = format!(
        "polynomials of degree {degree} on {} to {} joined pieces",
        run.pieces.0, run.pieces.1
    );
    report.choice = "an evolution: by lines in space, step by step in time".to_owned();
    report.method = if run.exact {
        "the exponential of the matrix, any time at once".to_owned()
    } else {
        format!("Radau IIA of orders 5 to 13, {} steps", run.steps)
    };
    report.backend = "dense and banded matrices on one thread".to_owned();
    report.seconds = seconds;
    report.solve_seconds = last.map_or(0.0, |run| run.seconds);
    report.seed = options.solve.seed;
    report
}
