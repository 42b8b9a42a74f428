//! Following a branch of solutions past folds: pseudo-arclength continuation.
//!
//! Beside a fold the parameter p cannot be prescribed, so it becomes an unknown of its own (one constant
//! feature), and one row takes its place. With the direction (u̇, ṗ) of the branch through the last two
//! points and the predicted point (û, p̂) at distance ds, the row is
//! u̇(x*)(u(x*) − û(x*)) + ṗ(p − p̂) = 0, at the point x* where the branch moves most. Newton's method
//! solves for all new coefficients and p together: J β + R_p p = J β_k + R_p p_k − R.
mod correct;
mod fold;
mod follow;
mod scale;

use fastlsq_solve::Solution;

use crate::options::NewtonOptions;

/// How a branch is followed.
///
/// ```
/// use fastlsq_newton::{BranchOptions, Interval, NonlinearProblem, X, exp, parameter, unknown};
/// // Bratu's problem u″ + λ eᵘ = 0: two solutions below λ = 3.5138…, none above.
/// let (u, load) = (unknown("u"), parameter("λ"));
/// let branch = NonlinearProblem::on(Interval::unit())
///     .equation(u.d(X).d(X) + load * exp(u), 0.0)
///     .dirichlet(0.0)
///     .parameter(load, 1.0)
///     .follow(&BranchOptions::new().first_step(0.5).within(0.9, 4.0))?;
/// assert!((branch.folds()[0].parameter - 3.513_830_719).abs() < 1e-6);
/// # Ok::<(), fastlsq_newton::NewtonError>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BranchOptions {
    /// The first change of the parameter, with its sign: it sets the direction and the scale.
    pub first_step: f64,
    /// The branch ends where the parameter leaves this interval.
    pub within: (f64, f64),
    /// The maximum number of points.
    pub max_points: usize,
    /// Options of the solves. The features are those that solve the first point, unless they are given.
    pub newton: NewtonOptions,
}

impl Default for BranchOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl BranchOptions {
    /// A first step of 0.1, any value of the parameter, at most 100 points.
    #[must_use]
    pub fn new() -> Self {
        Self {
            first_step: 0.1,
            within: (f64::NEG_INFINITY, f64::INFINITY),
            max_points: 100,
            newton: NewtonOptions::new(),
        }
    }

    /// The first change of the parameter, with its sign.
    #[must_use]
    pub fn first_step(mut self, step: f64) -> Self {
        self.first_step = step;
        self
    }

    /// The branch ends where the parameter leaves \[lo, hi\].
    #[must_use]
    pub fn within(mut self, lo: f64, hi: f64) -> Self {
        self.within = (lo, hi);
        self
    }

    /// The maximum number of points.
    #[must_use]
    pub fn max_points(mut self, points: usize) -> Self {
        self.max_points = points;
        self
    }

    /// Options of the solves.
    #[must_use]
    pub fn newton(mut self, options: NewtonOptions) -> Self {
        self.newton = options;
        self
    }
}

/// One solution on a branch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BranchPoint {
    /// The parameter.
    pub parameter: f64,
    /// The solution there.
    pub solution: Solution,
    /// Distance along the branch from its beginning, in units of the first step.
    pub arclength: f64,
    /// The number of Newton steps needed.
    pub iterations: usize,
    /// The worst relative residual of equations and conditions at held-out points.
    pub held_out_residual: f64,
    /// u where changes are measured, all unknowns one after the other.
    values: Vec<f64>,
}

/// Why a branch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BranchEnd {
    /// The parameter left the interval.
    LeftInterval,
    /// As many points as were allowed.
    PointLimit,
    /// Newton's method fails even for the shortest steps.
    StepTooShort,
    /// A limit of time or memory, or a cancellation, ended it.
    Stopped,
}

/// A branch of solutions.
#[derive(Debug, Clone)]
pub struct Branch {
    points: Vec<BranchPoint>,
    folds: Vec<BranchPoint>,
    end: BranchEnd,
}

impl Branch {
    /// The solutions, in the order in which they were reached.
    #[must_use]
    pub fn points(&self) -> &[BranchPoint] {
        &self.points
    }

    /// Solutions where the parameter turns back.
    #[must_use]
    pub fn folds(&self) -> &[BranchPoint] {
        &self.folds
    }

    /// Why the branch ended.
    #[must_use]
    pub fn end(&self) -> BranchEnd {
        self.end
    }
}
