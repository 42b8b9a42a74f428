//! Every choice of a nonlinear solve, with its default.

use std::sync::Arc;

use fastlsq_solve::{Options, Parameter, Solution};

use crate::slabs::SlabSolution;

/// What a Newton step solves for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StepForm {
    /// The new coefficients: min ‖J c − (J c_k − R)‖. Truncated parts cannot pile up.
    #[default]
    NewCoefficients,
    /// The increment: min ‖J δ + R‖² + μ‖δ‖², as in the paper.
    Increment,
}

/// Where an iteration starts.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Start {
    /// The best of zero, the linear part and the part of highest order, by residual.
    #[default]
    Best,
    /// u = 0.
    Zero,
    /// The solution of the equation linearised at zero.
    LinearPart,
    /// The solution of the equation's part of highest order.
    HighestOrder,
    /// A function that is already there.
    From(Arc<Solution>),
    /// A solution in slabs of time; it need not be accurate.
    FromSlabs(Arc<SlabSolution>),
}

/// How a parameter is moved on the way to its value.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Continuation {
    /// Not at all.
    #[default]
    None,
    /// Through these values, then to the one it was given.
    Through(Vec<f64>),
    /// From this value in steps that shrink where Newton fails and grow where it is easy.
    From(f64),
}

/// The options of a nonlinear solve.
///
/// ```
/// use fastlsq_newton::{NewtonOptions, StepForm};
/// use fastlsq_newton::Options;
/// // The paper's setting: increments with a ridge, 30 steps, everything else explicit.
/// let paper = NewtonOptions::new()
///     .form(StepForm::Increment)
///     .ridge(1e-10)
///     .max_iterations(30)
///     .solve_options(Options::new().features(1500).bandwidth(3.0).rows(5_000, 1_000).weight(100.0));
/// # let _ = paper;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewtonOptions {
    /// Features, rows, weights, tolerance, backend, limits: as for linear problems.
    pub solve: Options,
    /// What a step solves for.
    pub form: StepForm,
    /// Where the iteration starts.
    pub start: Start,
    /// How a parameter is moved.
    pub continuation: Continuation,
    /// Which parameter is moved, where the problem has several.
    pub moving: Option<Parameter>,
    /// Whether a problem that is recognised as an [evolution](crate::evolution) is evolved in time instead of being
    /// solved in space-time (default: yes, unless features, rows, a start or a continuation are given).
    pub evolve: bool,
    /// Whether an evolution that Newton's method cannot reach at once is first followed roughly,
    /// slab by slab in time, to start from there (default: yes).
    pub march: bool,
    /// Whether features are first cut to their numerical rank, so that every step has fewer unknowns (default: no;
    /// worth it where many more features are given than the domain can tell apart).
    pub compress: bool,
    /// The maximum number of steps for one candidate (default 30).
    pub max_iterations: usize,
    /// Whether steps are shortened until the residual falls (default: yes).
    pub line_search: bool,
    /// A fixed factor on every step (default 1).
    pub damping: f64,
    /// The relative change of u at which the iteration has converged (default 1e-13).
    pub change_tolerance: f64,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl NewtonOptions {
    /// Everything automatic.
    #[must_use]
    pub fn new() -> Self {
        Self {
            solve: Options::new(),
            form: StepForm::NewCoefficients,
            start: Start::Best,
            continuation: Continuation::None,
            moving: None,
            evolve: true,
            march: true,
            compress: false,
            max_iterations: 30,
            line_search: true,
            damping: 1.0,
            change_tolerance: 1e-13,
        }
    }

    /// Features, rows, weights, tolerance and backend. A ridge that was set before stays, unless these options have one.
    #[must_use]
    pub fn solve_options(mut self, mut options: Options) -> Self {
        if options.lsq.ridge == 0.0 {
            options.lsq.ridge = self.solve.lsq.ridge;
        }
        self.solve = options;
        self
    }

    /// What a step solves for.
    #[must_use]
    pub fn form(mut self, form: StepForm) -> Self {
        self.form = form;
        self
    }

    /// Where the iteration starts.
    #[must_use]
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// How a parameter is moved on the way to its value.
    #[must_use]
    pub fn continuation(mut self, continuation: Continuation) -> Self {
        self.continuation = continuation;
        self
    }

    /// Which parameter is moved (default: the only one).
    #[must_use]
    pub fn moving(mut self, parameter: impl Into<Parameter>) -> Self {
        self.moving = Some(parameter.into());
        self
    }

    /// Whether an evolution is evolved in time.
    #[must_use]
    pub fn evolve(mut self, on: bool) -> Self {
        self.evolve = on;
        self
    }

    /// Whether a hard evolution is first followed roughly, slab by slab.
    #[must_use]
    pub fn march(mut self, on: bool) -> Self {
        self.march = on;
        self
    }

    /// Whether features are first cut to their numerical rank.
    #[must_use]
    pub fn compress(mut self, on: bool) -> Self {
        self.compress = on;
        self
    }

    /// The maximum number of steps for one candidate.
    #[must_use]
    pub fn max_iterations(mut self, iterations: usize) -> Self {
        self.max_iterations = iterations;
        self
    }

    /// Whether steps are shortened until the residual falls.
    #[must_use]
    pub fn line_search(mut self, on: bool) -> Self {
        self.line_search = on;
        self
    }

    /// A fixed factor on every step.
    #[must_use]
    pub fn damping(mut self, factor: f64) -> Self {
        self.damping = factor;
        self
    }

    /// The Tikhonov weight μ of a step (default 0: truncation is enough).
    #[must_use]
    pub fn ridge(mut self, mu: f64) -> Self {
        self.solve.lsq.ridge = mu;
        self
    }

    /// The relative change of u at which the iteration has converged.
    #[must_use]
    pub fn change_tolerance(mut self, tolerance: f64) -> Self {
        self.change_tolerance = tolerance;
        self
    }

    /// The relative error of u to aim for.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.solve = self.solve.tolerance(tolerance);
        self
    }

    /// The seed of everything random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.solve = self.solve.seed(seed);
        self
    }

    fastlsq_solve::limit_setters!(solve);

    /// The options of a call that begins now, or that is part of a running one.
    pub(crate) fn started(&self) -> Self {
        Self {
            solve: self.solve.started(),
            ..self.clone()
        }
    }
}
