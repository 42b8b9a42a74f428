//! What a progress callback sees.

use std::fmt;
use std::time::Duration;

/// What a call is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Stage {
    /// Points are sampled, data evaluated, symmetries looked for.
    Preparing,
    /// A candidate with this many features per unknown is solved.
    Candidate {
        /// Features per unknown.
        features: usize,
    },
    /// Newton's method takes a step.
    NewtonStep {
        /// The number of the step, from 1.
        number: usize,
    },
    /// A slab of time is solved.
    Slab {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// An evolution has come to this time.
    Evolution {
        /// The time.
        time: f64,
    },
    /// A point of a branch is sought.
    BranchPoint {
        /// Its number, from 1.
        number: usize,
    },
    /// A round of patches.
    Patches {
        /// How many there are.
        leaves: usize,
    },
    /// Parameters are fitted to observations.
    Fit {
        /// The iteration.
        iteration: u64,
    },
    /// A law is fitted to data.
    Law {
        /// How many were fitted before.
        fitted: usize,
    },
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preparing => f.write_str("preparing"),
            Self::Candidate { features } => write!(f, "candidate with {features} features"),
            Self::NewtonStep { number } => write!(f, "Newton step {number}"),
            Self::Slab { from, to } => write!(f, "slab from t = {from} to {to}"),
            Self::Evolution { time } => write!(f, "evolution at t = {time}"),
            Self::BranchPoint { number } => write!(f, "point {number} of the branch"),
            Self::Patches { leaves } => write!(f, "{leaves} patches"),
            Self::Fit { iteration } => write!(f, "fit, iteration {iteration}"),
            Self::Law { fitted } => write!(f, "law {}", fitted + 1),
        }
    }
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// The best score so far, the smaller the better: a relative residual at fresh points for solves, a misfit for fits.
    /// `None` while there is nothing that could be returned.
    pub best_score: Option<f64>,
    /// The time since the call began.
    pub elapsed: Duration,
}
