//! When a solver stops by itself.

use std::fmt;

use argmin::core::{TerminationReason, TerminationStatus};

use super::bounds::Bounds;

/// The test by which an optimisation was found to have converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ConvergenceTest {
    /// The gradient is small in the directions in which the box lets the parameters move.
    ProjectedGradient,
    /// The last step decreased the objective by a negligible fraction.
    RelativeDecrease,
    /// The last step was negligible beside the parameters.
    SmallStep,
}

impl fmt::Display for ConvergenceTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ProjectedGradient => "the projected gradient is small",
            Self::RelativeDecrease => "the objective no longer decreases noticeably",
            Self::SmallStep => "the parameters no longer change noticeably",
        })
    }
}

/// Why a solver of this crate stopped by its own decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Stop {
    /// A convergence test holds.
    Converged(ConvergenceTest),
    /// No decrease could be found although no convergence test holds: usually the accuracy of the
    /// objective is exhausted, or its gradient is wrong.
    Stalled,
}

/// The gradient along a run: the norms at the last iterate, and the scale set by the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct GradientNorms {
    pub(crate) projected: f64,
    free: f64,
    free_at_start: f64,
}

impl GradientNorms {
    pub(crate) fn start(bounds: &Bounds, x: &[f64], gradient: &[f64]) -> Self {
        let free = bounds.free_gradient_norm(x, gradient);
        let projected = bounds.projected_gradient_norm(x, gradient);
        Self {
            projected,
            free,
            free_at_start: free,
        }
    }

    pub(crate) fn update(&mut self, bounds: &Bounds, x: &[f64], gradient: &[f64]) {
        let free_at_start = self.free_at_start;
        *self = Self {
            free_at_start,
            ..Self::start(bounds, x, gradient)
        };
    }

    /// The tests of the solvers: the projected gradient against the absolute tolerance, the free
    /// gradient against the relative one.
    pub(crate) fn are_small(&self, absolute: f64, relative: f64) -> bool {
        self.projected <= absolute || self.free <= relative * self.free_at_start
    }
}

/// A solver that can tell why it stopped.
pub(crate) trait Stopping {
    fn stop(&self) -> Option<Stop>;
}

/// A stop in the words of argmin.
pub(crate) fn termination(stop: Option<Stop>) -> TerminationStatus {
    match stop {
        None => TerminationStatus::NotTerminated,
        Some(Stop::Converged(_)) => {
            TerminationStatus::Terminated(TerminationReason::SolverConverged)
        }
        Some(Stop::Stalled) => TerminationStatus::Terminated(TerminationReason::SolverExit(
            "stalled: no further decrease could be found".to_owned(),
        )),
    }
}
