//! The record of a Newton iteration.

use std::fmt;

/// How a Newton iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum NewtonStatus {
    /// u no longer changes.
    Converged,
    /// The residual no longer falls, but u is not settled.
    Stalled,
    /// The limit on steps was reached.
    IterationLimit,
    /// The residual grew beyond all bounds or became NaN.
    Diverged,
    /// A limit of time or memory, or a cancellation, ended it.
    Stopped,
}

impl fmt::Display for NewtonStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Stalled => "stalled",
            Self::IterationLimit => "iteration limit",
            Self::Diverged => "diverged",
            Self::Stopped => "stopped by a limit",
        })
    }
}

/// One Newton step.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Step {
    /// The number of the step, from 1.
    pub iteration: usize,
    /// Root mean square of the weighted residual after the step.
    pub residual: f64,
    /// ‖Δu‖/‖u‖ at sample points.
    pub change: f64,
    /// The accepted step length.
    pub step: f64,
    /// The numerical rank of the step's system.
    pub rank: usize,
    /// The value of the parameter, if one is declared.
    pub parameter: Option<f64>,
    /// Seconds for this step.
    pub seconds: f64,
}

/// One set of features that the search tried.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NewtonCandidate {
    /// Features of each unknown.
    pub features: usize,
    /// Newton steps, all stages of continuation together.
    pub steps: usize,
    /// How its iteration ended.
    pub status: NewtonStatus,
    /// Whether it began from the solution of an earlier candidate.
    pub warm: bool,
}

/// What happened on the way to a nonlinear solution.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NewtonReport {
    /// How the iteration of the final candidate ended.
    pub status: NewtonStatus,
    /// Whether the residual turned out to be linear in u.
    pub linear: bool,
    /// Where the iteration started.
    pub start: String,
    /// Root mean square of the weighted residual at the start.
    pub start_residual: f64,
    /// Steps of the final candidate, all stages of continuation together.
    pub history: Vec<Step>,
    /// Least-squares solves over all candidates.
    pub solves: usize,
    /// The candidates in the order they were tried.
    pub candidates: Vec<NewtonCandidate>,
}

impl NewtonReport {
    /// Steps of the final candidate.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.history.len()
    }

    /// Steps of the first candidate that converged without the help of another: what Newton's method needs from a
    /// generic start. `None` if none did.
    #[must_use]
    pub fn cold_iterations(&self) -> Option<usize> {
        let mut candidates = self.candidates.iter();
        let cold = candidates.find(|c| !c.warm && c.status == NewtonStatus::Converged)?;
        Some(cold.steps)
    }
}

impl fmt::Display for NewtonReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.linear {
            writeln!(f, "the residual is linear in u: solved in one step")?;
        }
        writeln!(
            f,
            "Newton {} after {} steps from {} ({} least-squares solves in all)",
            self.status,
            self.iterations(),
            self.start,
            self.solves
        )?;
        if self.candidates.len() > 1
            && let Some(steps) = self.cold_iterations()
        {
            writeln!(
                f,
                "  {} sets of features were tried; the first to converge from a generic start took {steps} steps",
                self.candidates.len()
            )?;
        }
        writeln!(f, "  step   residual    change      length  rank")?;
        write!(f, "     0   {:.2e}", self.start_residual)?;
        for step in &self.history {
            write!(
                f,
                "\n  {:>4}   {:.2e}    {:.2e}    {:<6.4}  {}",
                step.iteration, step.residual, step.change, step.step, step.rank
            )?;
            if let Some(parameter) = step.parameter {
                write!(f, "  parameter {parameter:.4}")?;
            }
        }
        Ok(())
    }
}
