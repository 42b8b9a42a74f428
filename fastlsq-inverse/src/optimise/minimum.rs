//! What an optimisation gives back.

use std::fmt;

use super::stop::ConvergenceTest;

/// How an optimisation ended. None of these is an error: the best point found is there in each
/// case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// A convergence test holds.
    Converged(ConvergenceTest),
    /// No decrease could be found although no convergence test holds: usually the accuracy of the
    /// objective is exhausted, or its gradient is wrong (see
    /// [`check_gradient`](super::check_gradient)).
    Stalled,
    /// The iteration limit was reached.
    IterationLimit,
    /// The objective fell to the target value.
    TargetReached,
    /// The progress callback asked to stop.
    Interrupted,
}

impl Status {
    /// Whether a convergence test holds.
    #[must_use]
    pub fn is_converged(self) -> bool {
        matches!(self, Self::Converged(_))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged(test) => write!(f, "converged: {test}"),
            Self::Stalled => f.write_str("stalled: no further decrease could be found"),
            Self::IterationLimit => f.write_str("stopped at the iteration limit"),
            Self::TargetReached => f.write_str("the target value was reached"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// The best point that an optimisation found, and how it got there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Minimum {
    /// The parameters with the least value among all iterates.
    pub parameters: Vec<f64>,
    /// The objective there (½‖r‖² for residuals).
    pub value: f64,
    /// Its gradient there.
    pub gradient: Vec<f64>,
    /// ‖P(x − g) − x‖∞, zero at a stationary point of the box.
    pub gradient_norm: f64,
    /// Indices of the parameters that lie on a side of the box.
    pub at_bounds: Vec<usize>,
    /// Number of iterations.
    pub iterations: u64,
    /// Number of evaluations of the objective, or of the residuals.
    pub evaluations: u64,
    /// Number of gradients, or Jacobians.
    pub gradient_evaluations: u64,
    /// How the optimisation ended.
    pub status: Status,
    /// The start that was used, inside the box.
    pub start: Vec<f64>,
    /// Indices of the coordinates of the given start that lay outside the box and were moved to
    /// its side.
    pub start_projected: Vec<usize>,
    /// The value at the start and after each iteration.
    pub history: Vec<f64>,
    /// The iterates that belong to the history, if they were asked for.
    pub trajectory: Vec<Vec<f64>>,
}

impl fmt::Display for Minimum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            value,
            gradient_norm,
            iterations,
            evaluations,
            status,
            ..
        } = self;
        write!(
            f,
            "value {value:e}, projected gradient {gradient_norm:.1e}, {iterations} iterations, \
             {evaluations} evaluations; {status}"
        )?;
        if !self.at_bounds.is_empty() {
            write!(f, "; parameters {:?} on a bound", self.at_bounds)?;
        }
        if !self.start_projected.is_empty() {
            write!(
                f,
                "; the start was outside the box in {:?}",
                self.start_projected
            )?;
        }
        Ok(())
    }
}

/// The state of a running optimisation, for progress reports.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Iterations done; 0 for the start.
    pub iteration: u64,
    /// The objective at the current iterate.
    pub value: f64,
    /// ‖P(x − g) − x‖∞ there.
    pub gradient_norm: f64,
    /// Evaluations so far.
    pub evaluations: u64,
    /// The current iterate.
    pub parameters: &'a [f64],
}
