//! How an evolution is run, and what became of it.

use crate::evolution::ode::Method;
use fastlsq_solve::space::{SpaceError, SpaceReport};
use std::fmt;
use thiserror::Error;

use crate::evolution::ode::OdeError;

/// Choices for an evolution by lines.
#[derive(Debug, Clone, PartialEq)]
pub struct LineOptions {
    /// The relative L2 error that is aimed at over the whole run.
    pub tolerance: f64,
    /// The method in time; by default the cheaper one, by the spectrum of the linearisation.
    pub method: Option<Method>,
    /// The space is refined so many times at most.
    pub refinements: usize,
    /// So many steps in time are taken at most.
    pub steps: usize,
    /// The least bandwidth of the first space.
    pub bandwidth: f64,
}

impl LineOptions {
    /// Defaults at a tolerance.
    #[must_use]
    pub fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            method: None,
            refinements: 200,
            steps: 50_000,
            bandwidth: 0.0,
        }
    }
}

/// How an evolution ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LineStatus {
    /// At the time that was asked for.
    Finished,
    /// No step was short enough from this time on: the solution blows up or becomes singular.
    Stalled {
        /// The time reached.
        time: f64,
        /// Whether values became infinite.
        not_finite: bool,
    },
    /// The solution needs more functions than allowed from this time on.
    SpaceLimit {
        /// The time reached.
        time: f64,
    },
    /// After as many steps as were allowed.
    StepLimit {
        /// The time reached.
        time: f64,
    },
    /// Someone asked to stop.
    Interrupted {
        /// The time reached.
        time: f64,
    },
}

/// A condition that the initial value does not satisfy.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The number of the unknown.
    pub unknown: usize,
    /// The name of the condition.
    pub condition: String,
    /// Where it is violated most.
    pub point: Vec<f64>,
    /// By how much.
    pub amount: f64,
}

/// What was chosen on the way, and how accurate the result is estimated to be.
#[derive(Debug, Clone)]
pub struct LineReport {
    /// How it ended.
    pub status: LineStatus,
    /// Estimated relative L2 error: what steps, projections and unresolved tails add up to.
    pub error_estimate: f64,
    /// The part of it made by steps in time.
    pub time_error: f64,
    /// The part of it made by projections from space to space.
    pub projection_error: f64,
    /// The largest tail of an expansion.
    pub tail: f64,
    /// Steps in time.
    pub steps: usize,
    /// Spaces used, one after the other: the time from which each was used, its method (`None`: the
    /// exponential), its report.
    pub spaces: Vec<(f64, Option<Method>, SpaceReport)>,
    /// Conditions that the initial values do not satisfy.
    pub mismatches: Vec<Mismatch>,
}

impl fmt::Display for LineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:?} after {} steps in {} spaces; error about {:.1e} (steps {:.1e}, projections {:.1e}, tails {:.1e})",
            self.status,
            self.steps,
            self.spaces.len(),
            self.error_estimate,
            self.time_error,
            self.projection_error,
            self.tail
        )?;
        for mismatch in &self.mismatches {
            writeln!(
                f,
                "the initial value of unknown {} misses {} by {:.1e} at {:?}",
                mismatch.unknown, mismatch.condition, mismatch.amount, mismatch.point
            )?;
        }
        if let Some((_, method, space)) = self.spaces.last() {
            writeln!(f, "last: {method:?}, {space}")?;
        }
        Ok(())
    }
}

/// What cannot be evolved at all.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum LineError {
    /// Something about the space.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// Something about time.
    #[error(transparent)]
    Ode(#[from] OdeError),
    /// Nothing to evolve.
    #[error("there are no unknowns; give at least one, with as many rates as the law writes")]
    NoUnknowns,
    /// A tolerance or time interval out of range.
    #[error("{what} = {value} is not allowed: {requirement}")]
    Option {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },
}
