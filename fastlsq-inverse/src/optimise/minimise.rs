//! One call for one minimisation.

use std::ops::ControlFlow;

use argmin::core::{IterState, Problem, Solver, State, TerminationReason, TerminationStatus};

use super::adam::{Adam, AdamOptions, AdamW, AdamWOptions};
use super::adapter::{ArgminObjective, ArgminResiduals, Counted};
use super::bounds::Bounds;
use super::error::OptimiseError;
use super::lbfgsb::{Lbfgsb, LbfgsbOptions};
use super::levenberg_marquardt::{LevenbergMarquardt, LevenbergMarquardtOptions};
use super::minimum::{Minimum, Progress, Status};
use super::objective::{Objective, Residuals};
use super::stop::{Stop, Stopping};

/// How to minimise an [`Objective`].
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Limited-memory BFGS in a box: the method of choice for smooth objectives.
    Lbfgsb(LbfgsbOptions),
    /// Adam with projection onto the box.
    Adam(AdamOptions),
    /// AdamW with projection onto the box.
    AdamW(AdamWOptions),
}

impl Default for Method {
    fn default() -> Self {
        Self::Lbfgsb(LbfgsbOptions::default())
    }
}

/// When to stop at the latest, and what to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The maximum number of iterations. Default 1000.
    pub max_iterations: u64,
    /// Stop as soon as the value is at most this. Default: never.
    pub target_value: Option<f64>,
    /// Keep every iterate. Default false.
    pub record_trajectory: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_iterations: 1000,
            target_value: None,
            record_trajectory: false,
        }
    }
}

/// Options of [`minimise`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MinimiseOptions {
    /// The method and its settings. Default L-BFGS-B.
    pub method: Method,
    /// Iteration limit, target value, trajectory.
    pub limits: Limits,
}

/// Options of [`minimise_squares`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SquaresOptions {
    /// Settings of Levenberg–Marquardt.
    pub method: LevenbergMarquardtOptions,
    /// Iteration limit, target value, trajectory.
    pub limits: Limits,
}

macro_rules! limit_setters {
    ($options:ty, $method:ty) => {
        impl $options {
            /// The defaults.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// Sets the method and its settings.
            #[must_use]
            pub fn method(mut self, method: $method) -> Self {
                self.method = method;
                self
            }

            /// Sets the maximum number of iterations.
            #[must_use]
            pub fn max_iterations(mut self, iterations: u64) -> Self {
                self.limits.max_iterations = iterations;
                self
            }

            /// Stops as soon as the value is at most `value`.
            #[must_use]
            pub fn target_value(mut self, value: f64) -> Self {
                self.limits.target_value = Some(value);
                self
            }

            /// Keeps every iterate.
            #[must_use]
            pub fn record_trajectory(mut self) -> Self {
                self.limits.record_trajectory = true;
                self
            }
        }
    };
}

limit_setters!(MinimiseOptions, Method);
limit_setters!(SquaresOptions, LevenbergMarquardtOptions);

/// What is called with the [`Progress`] at the start and after every iteration, and may ask to
/// stop.
pub type ProgressCallback<'a> = &'a mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>;

/// Minimises an objective over a box from one start.
///
/// ```
/// use fastlsq_inverse::optimise::{Bounds, FnObjective, MinimiseOptions, minimise};
/// // The point of the unit square that is nearest to (2, ¼).
/// let objective = FnObjective::new(2, |x: &[f64], gradient: &mut [f64]| {
///     let (a, b) = (x[0] - 2.0, x[1] - 0.25);
///     gradient.copy_from_slice(&[2.0 * a, 2.0 * b]);
///     a * a + b * b
/// });
/// let square = Bounds::uniform(2, 0.0, 1.0)?;
/// let minimum = minimise(&objective, &[0.5, 0.5], &square, &MinimiseOptions::new())?;
/// assert!(minimum.status.is_converged());
/// assert_eq!(minimum.at_bounds, [0]);
/// assert!((minimum.parameters[1] - 0.25).abs() < 1e-12);
/// # Ok::<(), fastlsq_inverse::optimise::OptimiseError>(())
/// ```
pub fn minimise<O: Objective + ?Sized>(
    objective: &O,
    start: &[f64],
    bounds: &Bounds,
    options: &MinimiseOptions,
) -> Result<Minimum, OptimiseError> {
    minimise_with_progress(objective, start, bounds, options, &mut |_| {
        ControlFlow::Continue(())
    })
}

/// As [`minimise`], with a callback that sees the progress and may stop the run.
pub fn minimise_with_progress<O: Objective + ?Sized>(
    objective: &O,
    start: &[f64],
    bounds: &Bounds,
    options: &MinimiseOptions,
    progress: ProgressCallback<'_>,
) -> Result<Minimum, OptimiseError> {
    let start = Start::new(start, bounds, objective.dimension())?;
    let problem = ArgminObjective::new(objective);
    let limits = &options.limits;
    let own = || bounds.clone();
    match &options.method {
        Method::Lbfgsb(settings) => drive(
            problem,
            Lbfgsb::new(own(), settings.clone())?,
            start,
            bounds,
            limits,
            progress,
        ),
        Method::Adam(settings) => drive(
            problem,
            Adam::new(own(), settings.clone())?,
            start,
            bounds,
            limits,
            progress,
        ),
        Method::AdamW(settings) => drive(
            problem,
            AdamW::new(own(), settings.clone())?,
            start,
            bounds,
            limits,
            progress,
        ),
    }
}

/// Minimises ½‖r(x)‖² over a box from one start by Levenberg–Marquardt.
pub fn minimise_squares<R: Residuals + ?Sized>(
    residuals: &R,
    start: &[f64],
    bounds: &Bounds,
    options: &SquaresOptions,
) -> Result<Minimum, OptimiseError> {
    let quiet = &mut |_: &Progress<'_>| ControlFlow::Continue(());
    minimise_squares_with_progress(residuals, start, bounds, options, quiet)
}

/// As [`minimise_squares`], with a callback that sees the progress and may stop the run.
pub fn minimise_squares_with_progress<R: Residuals + ?Sized>(
    residuals: &R,
    start: &[f64],
    bounds: &Bounds,
    options: &SquaresOptions,
    progress: ProgressCallback<'_>,
) -> Result<Minimum, OptimiseError> {
    let start = Start::new(start, bounds, residuals.dimension())?;
    let solver = LevenbergMarquardt::new(bounds.clone(), options.method.clone())?;
    let problem = ArgminResiduals::new(residuals);
    drive(problem, solver, start, bounds, &options.limits, progress)
}

/// A start inside the box, and which coordinates had to be moved there.
struct Start {
    point: Vec<f64>,
    projected: Vec<usize>,
}

impl Start {
    fn new(start: &[f64], bounds: &Bounds, dimension: usize) -> Result<Self, OptimiseError> {
        if bounds.dimension() != dimension {
            let (expected, found) = (dimension, bounds.dimension());
            return Err(OptimiseError::BoundsDimension { expected, found });
        }
        if let Some(index) = start.iter().position(|x| !x.is_finite()) {
            return Err(OptimiseError::NonFiniteStart {
                index,
                value: start[index],
            });
        }
        let mut point = start.to_vec();
        let projected = bounds.project(&mut point)?;
        Ok(Self { point, projected })
    }
}

/// Runs a solver step by step, as argmin's `Executor` does, keeping the history.
fn drive<O, S, J, R>(
    problem: O,
    mut solver: S,
    start: Start,
    bounds: &Bounds,
    limits: &Limits,
    progress: ProgressCallback<'_>,
) -> Result<Minimum, OptimiseError>
where
    O: Counted,
    S: Solver<O, IterState<Vec<f64>, Vec<f64>, J, (), R, f64>> + Stopping,
{
    let mut problem = Problem::new(problem);
    let state = IterState::new()
        .param(start.point.clone())
        .max_iters(limits.max_iterations)
        .target_cost(limits.target_value.unwrap_or(f64::NEG_INFINITY));
    let (mut state, _) = solver
        .init(&mut problem, state)
        .map_err(OptimiseError::from_framework)?;
    let mut record = Record::new(bounds, limits.record_trajectory);
    let mut iterations = state.iter;
    let status = loop {
        state.update();
        let (evaluations, _) = counts(&problem);
        if record.take(&state, evaluations, progress)?.is_break() {
            break Status::Interrupted;
        }
        if let TerminationStatus::Terminated(reason) = solver.terminate_internal(&state) {
            break status(&reason, solver.stop());
        }
        iterations = state.iter;
        let next = solver.next_iter(&mut problem, state);
        (state, _) = match next.map_err(OptimiseError::from_framework) {
            Ok(next) => next,
            // The best so far stands.
            Err(error) if error.limit().is_some() => break Status::Interrupted,
            Err(error) => return Err(error),
        };
        state.increment_iter();
        iterations = state.iter;
    };
    let (evaluations, gradient_evaluations) = counts(&problem);
    let best = record.best.ok_or(OptimiseError::MissingStart)?;
    Ok(Minimum {
        gradient_norm: bounds.projected_gradient_norm(&best.parameters, &best.gradient),
        at_bounds: bounds.active(&best.parameters),
        parameters: best.parameters,
        value: best.value,
        gradient: best.gradient,
        iterations,
        evaluations,
        gradient_evaluations,
        status,
        start: start.point,
        start_projected: start.projected,
        history: record.history,
        trajectory: record.trajectory,
    })
}

/// Evaluations of the problem itself and of its derivatives.
fn counts<O: Counted>(problem: &Problem<O>) -> (u64, u64) {
    problem.problem.as_ref().map_or((0, 0), |inner| {
        (inner.evaluations(), inner.derivative_evaluations())
    })
}

fn status(reason: &TerminationReason, stop: Option<Stop>) -> Status {
    match (stop, reason) {
        (Some(Stop::Converged(test)), _) => Status::Converged(test),
        (_, TerminationReason::MaxItersReached) => Status::IterationLimit,
        (_, TerminationReason::TargetCostReached) => Status::TargetReached,
        (_, TerminationReason::Interrupt | TerminationReason::Timeout) => Status::Interrupted,
        (_, TerminationReason::SolverConverged | TerminationReason::SolverExit(_)) => {
            Status::Stalled
        }
    }
}

/// What is kept while the solver runs.
struct Record<'a> {
    bounds: &'a Bounds,
    keep_iterates: bool,
    best: Option<Best>,
    history: Vec<f64>,
    trajectory: Vec<Vec<f64>>,
}

struct Best {
    parameters: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl<'a> Record<'a> {
    fn new(bounds: &'a Bounds, keep_iterates: bool) -> Self {
        let (history, trajectory) = (Vec::new(), Vec::new());
        Self {
            bounds,
            keep_iterates,
            best: None,
            history,
            trajectory,
        }
    }

    /// Takes in an iterate and reports it.
    fn take<J, R>(
        &mut self,
        state: &IterState<Vec<f64>, Vec<f64>, J, (), R, f64>,
        evaluations: u64,
        progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, OptimiseError> {
        let (Some(x), Some(gradient)) = (&state.param, &state.grad) else {
            return Err(OptimiseError::MissingStart);
        };
        let value = state.cost;
        self.history.push(value);
        if self.keep_iterates {
            self.trajectory.push(x.clone());
        }
        if self.best.as_ref().is_none_or(|best| value < best.value) {
            self.best = Some(Best {
                parameters: x.clone(),
                value,
                gradient: gradient.clone(),
            });
        }
        Ok(progress(&Progress {
            iteration: state.iter,
            value,
            gradient_norm: self.bounds.projected_gradient_norm(x, gradient),
            evaluations,
            parameters: x,
        }))
    }
}
