//! Runs at different accuracy, and what their differences tell.
//!
//! A problem is run at least twice, with tolerances a factor apart and with functions of different degree in space. The
//! difference of two runs is an error that went through the whole evolution, with everything that made it grow or decay on
//! the way; estimates from single steps and tails know nothing of that. The finer run is returned; its error is
//! smaller than the difference by at least the factor between the tolerances where these dominate, and that is the estimate. Runs
//! are repeated, each ten times finer, until the estimate meets the tolerance or no longer falls.

use std::sync::Arc;
use web_time::Instant;

use fastlsq_basis::Basis;
use fastlsq_solve::control::Held;
use fastlsq_solve::{Control, Limit, Report, Solution, Space, Status, Unknown};

use super::flow::{Flow, Past};
use super::form::Form;
use super::ode::StepFailure;
use super::report::{BlowUp, EvolutionReport, RunReport};
use crate::NewtonError;
use crate::options::NewtonOptions;

/// From one run to the next all tolerances fall by this factor.
const FINER: f64 = 10.0;
/// The difference of two runs over the error of the finer one, at the least: smaller than the factor between their
/// tolerances, since errors do not all follow these.
const SAFE: f64 = 4.0;
/// The error of a step in time relative to that of the whole: the embedded estimate is of a lower order than the method,
/// and much larger than its error.
const STEP: f64 = 30.0;
/// The last coefficients relative to the error of the whole.
const TAIL: f64 = 0.3;
/// The finest tolerances that rounding allows.
const FINEST_STEP: f64 = 1e-11;
const FINEST_TAIL: f64 = 1e-13;
/// The smallest error that is aimed for.
const FINEST: f64 = 1e-13;
/// The maximum number of runs.
const RUNS: usize = 5;
/// Uniform and early times at which runs are compared.
const UNIFORM: usize = 48;
const EARLY: usize = 8;

/// What one run aims for.
#[derive(Debug, Clone)]
pub(crate) struct Aim {
    /// The error of one step in time, relative to the size of the solution.
    pub(crate) time: f64,
    /// The size of the last coefficients, relative to the norm of the solution.
    pub(crate) tail: f64,
    /// Whether functions in space are of the other degree: runs alternate.
    pub(crate) odd: bool,
    /// Limits on time, and whoever watches.
    pub(crate) control: Control,
}

impl Aim {
    /// What to aim for where the whole is to have this error.
    fn new(error: f64, odd: bool, control: &Control) -> Self {
        Self {
            time: (STEP * error).clamp(FINEST_STEP, 1e-3),
            tail: (TAIL * error).clamp(FINEST_TAIL, 1e-2),
            odd,
            control: control.clone(),
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) enum Finish {
    /// At the last time.
    Complete,
    /// Where no step was short enough.
    Stalled(StepFailure),
    /// At a limit on time, or because someone stopped it.
    Stopped(Limit),
    /// After more steps than anyone should wait for.
    Steps,
}

/// How time was dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InTime {
    /// By the exponential of the matrix.
    Exponential,
    /// By implicit steps.
    Implicit,
    /// By explicit steps.
    Explicit,
}

/// One run.
#[derive(Debug, Clone)]
pub(crate) struct Run<H> {
    pub(crate) history: H,
    pub(crate) in_time: InTime,
    pub(crate) finish: Finish,
    pub(crate) steps: usize,
    /// Changes of the space.
    pub(crate) meshes: usize,
    /// The degree of the functions in space.
    pub(crate) degree: usize,
    /// The maximum number of coefficients.
    pub(crate) dim: usize,
    /// The smallest and the largest number of pieces.
    pub(crate) pieces: (usize, usize),
    /// The time from which on something was not resolved as asked, for want of coefficients.
    pub(crate) unresolved: Option<f64>,
    /// Largest norms of the states.
    pub(crate) scales: Vec<f64>,
    /// What is odd about the initial values.
    pub(crate) remarks: Vec<String>,
    /// The memory of what is kept for each step.
    held: Vec<Arc<Held>>,
}

impl<H> Run<H> {
    /// A run that has not begun.
    pub(crate) fn new(history: H, states: usize) -> Self {
        Self {
            history,
            in_time: InTime::Implicit,
            finish: Finish::Complete,
            steps: 0,
            meshes: 0,
            degree: 0,
            dim: 0,
            pieces: (usize::MAX, 0),
            unresolved: None,
            scales: vec![0.0; states],
            remarks: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Reserves memory for this many more numbers, for as long as the run lives.
    pub(crate) fn keep(&mut self, control: &Control, numbers: usize) -> Result<(), Limit> {
        let held = control.hold(numbers.checked_mul(size_of::<f64>()))?;
        self.held.push(Arc::new(held));
        Ok(())
    }
}

/// A problem that can be run in time.
pub(crate) trait Evolving: Sync {
    /// What a run leaves.
    type History: Past + Clone + Send + 'static;

    fn form(&self) -> &Form;

    fn run(&self, aim: &Aim) -> Result<Run<Self::History>, NewtonError>;

    /// The L2 distance of each state between two runs at a time that both have reached.
    fn distances(&self, fine: &Self::History, coarse: &Self::History, t: f64) -> Option<Vec<f64>>;

    /// The largest absolute value and the largest norm of a state at a time.
    fn size(&self, history: &Self::History, t: f64) -> Option<(f64, f64)>;

    /// What the functions of space are.
    fn functions(&self, run: &Run<Self::History>) -> String;
}

/// Evolves the problem.
pub(crate) fn evolve<E: Evolving>(
    functions: (Space, Vec<Unknown>),
    problem: &E,
    options: &NewtonOptions,
) -> Result<(Solution, EvolutionReport), NewtonError> {
    let begin = Instant::now();
    let control = options.solve.control();
    let tolerance = options.solve.tolerance;
    let one = |error: f64, odd: bool| -> Result<(Run<E::History>, RunReport), NewtonError> {
        let begin = Instant::now();
        let run = problem.run(&Aim::new(error, odd, control))?;
        let report = RunReport {
            tolerance: error,
            degree: run.degree,
            steps: run.steps,
            meshes: run.meshes,
            pieces: run.pieces,
            dim: run.dim,
            difference: f64::NAN,
            seconds: begin.elapsed().as_secs_f64(),
        };
        Ok((run, report))
    };
    let mut error = (FINER.sqrt() * tolerance).max(FINER * FINEST);
    // Two runs are needed in any case, and neither needs the other.
    let (coarse, fine) = (|| one(error, true), || one(error / FINER, false));
    let (first, second) = match control.team() {
        None => rayon::join(coarse, fine),
        // Members meet at every step, one run after the other.
        Some(_) => (coarse(), fine()),
    };
    let (mut best, of_first) = first?;
    let mut reports = vec![of_first];
    let mut second = Some(second);
    // A single run cannot tell its error.
    let mut estimate = f64::INFINITY;
    let mut status = Status::LimitReached;
    let mut differences = vec![f64::NAN];
    for k in 1..RUNS {
        if matches!(best.finish, Finish::Stopped(_)) {
            break;
        }
        error /= FINER;
        let (run, of_run) = second.take().unwrap_or_else(|| one(error, k % 2 == 0))?;
        reports.push(of_run);
        if matches!(run.finish, Finish::Stopped(_)) {
            break;
        }
        let difference = difference(problem, &run, &best);
        differences.push(difference);
        let own = difference / SAFE + rounding(run.steps);
        // Where rounding dominates, differences no longer fall.
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
        reached: best.history.end().unwrap_or(problem.form().times.0),
        stopped: match best.finish {
            Finish::Stopped(limit) => Some(limit),
            _ => None,
        },
        blow_up: blow_up(problem, &best),
        unresolved: best.unresolved,
        remarks: best.remarks.clone(),
        runs: reports,
    };
    let mut report = report(&best, &evolution, (status, estimate, seconds), options);
    report.law = problem.functions(&best);
    let past: Arc<dyn Past> = Arc::new(best.history);
    let states = problem.form().states.iter().enumerate();
    let bases: Vec<Arc<dyn Basis>> = states
        .filter(|(_, (_, t))| *t == 0)
        .map(|(state, _)| {
            Arc::new(Flow {
                past: Arc::clone(&past),
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

/// The largest distance in L2 over all times, of the worst unknown, relative to the largest norm that it has; up to the
/// time that both have reached.
fn difference<E: Evolving>(problem: &E, fine: &Run<E::History>, coarse: &Run<E::History>) -> f64 {
    let form = problem.form();
    let start = form.times.0;
    let reached = |run: &Run<E::History>| run.history.end().unwrap_or(start);
    let end = reached(fine).min(reached(coarse));
    let mut worst = vec![0.0_f64; form.states.len()];
    for t in times(start, end) {
        let distances = problem.distances(&fine.history, &coarse.history, t);
        for (worst, distance) in worst.iter_mut().zip(distances.into_iter().flatten()) {
            *worst = if distance.is_nan() {
                f64::NAN
            } else {
                worst.max(distance)
            };
        }
    }
    let pairs = worst.iter().zip(&fine.scales).zip(&form.states);
    pairs
        .filter(|(_, (_, t))| *t == 0)
        .map(|((worst, scale), _)| worst / if *scale > 0.0 { *scale } else { 1.0 })
        .fold(
            0.0,
            |a: f64, b| if b.is_nan() { f64::NAN } else { a.max(b) },
        )
}

/// The times at which runs over an interval are compared: evenly spread, and more at the beginning, where initial layers are.
fn times(start: f64, end: f64) -> impl Iterator<Item = f64> {
    let length = end - start;
    let early = (1..=EARLY).map(move |k| start + length / UNIFORM as f64 * 0.4_f64.powi(k as i32));
    let uniform = (1..=UNIFORM).map(move |k| start + length * k as f64 / UNIFORM as f64);
    early.chain(uniform)
}

/// What rounding adds up to.
fn rounding(steps: usize) -> f64 {
    f64::EPSILON * (steps.max(1) as f64).sqrt()
}

/// A run that stalls in growth is a solution that ceases to exist.
fn blow_up<E: Evolving>(problem: &E, run: &Run<E::History>) -> Option<BlowUp> {
    let Finish::Stalled(failure) = &run.finish else {
        return None;
    };
    let (largest, norm) = problem.size(&run.history, failure.time)?;
    Some(BlowUp {
        time: failure.time,
        largest,
        norm,
    })
}

fn report<H>(
    run: &Run<H>,
    evolution: &EvolutionReport,
    (status, estimate, seconds): (Status, f64, f64),
    options: &NewtonOptions,
) -> Report {
    let mut report = Report::empty();
    report.status = status;
    report.error_estimate = estimate;
    report.features = run.dim;
    report.rank = run.dim;
    report.choice = "an evolution, since the equations give the rates of all unknowns: by lines in space, then in time".to_owned();
    report.method = match run.in_time {
        InTime::Exponential => "the exponential of the matrix, to any time in one step".to_owned(),
        InTime::Implicit => format!("Radau IIA of orders 5 to 13, {} steps", run.steps),
        InTime::Explicit => format!("Dormand–Prince of order 8, {} steps", run.steps),
    };
    report.backend = "small matrices on one thread".to_owned();
    report.seconds = seconds;
    report.solve_seconds = evolution.runs.last().map_or(0.0, |run| run.seconds);
    report.seed = options.solve.seed;
    report
}
