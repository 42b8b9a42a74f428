//! Limits of a call: how long it may take, how much memory it may use, and who watches it.
//!
//! One [`Control`] serves every crate. It is part of the options ([`LsqOptions::control`](crate::LsqOptions::control), which
//! all other options contain or set), and long calls ask it again and again whether they may go on: in the panels of a
//! factorisation, between blocks of rows, candidates, Newton steps, slabs, fits. A call that is stopped returns the
//! best that it has, and its report says why it ended; only where there is nothing yet is the [`Limit`] an error.
//!
//! Where several processes work on one call (a [`Team`]), all must take the same path, so that none of them may look at
//! its own clock: the time is what the leading process said when they last [met](crate::team::meet), which they do
//! whenever a stage begins and within every shared factorisation. Its callback alone is asked; memory is what the process with
//! the least has.
//!
//! This module knows only `team`: everything may use it.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::time::{Duration, Instant};
//! use fastlsq_solve::{BoxDomain, LinearProblem, Options, Status, exp, laplacian, unknown, X, Y};
//!
//! let u = unknown("u");
//! let mut candidates = 0;
//! let options = Options::new()
//!     .time_limit(Duration::from_secs(60))
//!     .memory_limit(1 << 30)
//!     .progress(move |now| {
//!         candidates += usize::from(now.best_score.is_some());
//!         if candidates < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
//!     });
//! let solution = LinearProblem::on(BoxDomain::unit(2))
//!     .equation(-laplacian(u), exp(30.0 * X) * Y)
//!     .dirichlet(0.0)
//!     .solve_with(&options)?;
//! assert_eq!(solution.report().status, Status::Cancelled);
//! # Ok::<(), fastlsq_solve::SolveError>(())
//! ```

mod memory;
mod run;
mod setters;
mod stage;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use web_time::Instant;

use thiserror::Error;

pub(crate) use memory::gibibytes;
pub use memory::{Held, available_memory};
pub use stage::{Progress, Stage};

use crate::team::{Purpose, Team, meet};
use run::Run;

/// Why a call stopped before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Limit {
    /// The time is up.
    #[error("the time limit of {} s was reached; allow more time, or ask for fewer features and rows", .limit.as_secs_f64())]
    Time {
        /// The time that was allowed.
        limit: Duration,
    },
    /// The next step needs more memory than is allowed; nothing of it was allocated.
    #[error(
        "about {needed} bytes are needed, but {limit} are allowed; raise the memory limit, or ask for fewer features and rows"
    )]
    Memory {
        /// What is needed, to leading order; saturating at the largest integer.
        needed: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The progress callback said so.
    #[error("the progress callback cancelled the call")]
    Cancelled,
}

type Callback = dyn FnMut(&Progress) -> ControlFlow<()> + Send;

/// Time limit, memory limit and progress callback of a call, and the state of the call while it runs.
///
/// Cheap to clone; clones of a control that was [started](Self::started) share its deadline and its state.
#[derive(Clone, Default)]
pub struct Control {
    time: Option<Duration>,
    memory: Option<usize>,
    callback: Option<Arc<Mutex<Callback>>>,
    /// Time that is kept for what comes after the work under this control.
    reserve: Duration,
    run: Option<Arc<Run>>,
    /// The processes that share the call.
    team: Option<Arc<dyn Team>>,
}

impl Control {
    /// No limits, nobody watching.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            time: None,
            memory: None,
            callback: None,
            reserve: Duration::ZERO,
            run: None,
            team: None,
        }
    }

    /// The call ends when this time has passed, with the best that it has by then.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time = Some(limit);
        self
    }

    /// The most memory, in bytes, that the call may use at a time (default: what the machine has available).
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Called at every new stage, and every few milliseconds within long ones, from any thread but never twice at once;
    /// `Break` ends the call with the best that it has.
    #[must_use]
    pub fn progress(
        mut self,
        callback: impl FnMut(&Progress) -> ControlFlow<()> + Send + 'static,
    ) -> Self {
        self.callback = Some(Arc::new(Mutex::new(callback)));
        self
    }

    /// The call is made by all members of a team at the same time (default: by this process alone).
    #[must_use]
    pub fn shared_by(mut self, team: Option<Arc<dyn Team>>) -> Self {
        self.team = team.or(self.team);
        self
    }

    /// The processes that share the call.
    #[must_use]
    pub fn team(&self) -> Option<&Arc<dyn Team>> {
        self.team.as_ref()
    }

    /// The time that the call may take.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        self.time
    }

    /// The memory that was allowed, if any was named.
    #[must_use]
    pub fn memory(&self) -> Option<usize> {
        self.memory
    }

    /// These settings, and those of another control where nothing is set here.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.time = self.time.or(other.time);
        self.memory = self.memory.or(other.memory);
        self.callback = self.callback.or_else(|| other.callback.clone());
        self.run = self.run.or_else(|| other.run.clone());
        self.team = self.team.or_else(|| other.team.clone());
        self
    }

    /// The control of a call that begins now. Within a call that is already running, it is that call's own: a deadline
    /// is set once, by the outermost call.
    #[must_use]
    pub fn started(&self) -> Self {
        let mut control = self.clone();
        if control.run.is_none() {
            control.run = Some(Arc::new(Run::new(self.time, self.team.is_some())));
        }
        control
    }

    /// The same control for work that must end this much before the deadline, because a result is still to be made of it.
    #[must_use]
    pub fn reserving(mut self, time: Duration) -> Self {
        self.reserve = self.reserve.saturating_add(time);
        self
    }

    /// The memory limit alone: for what is made of the best so far when time is up.
    #[must_use]
    pub fn without_deadline(&self) -> Self {
        Self {
            memory: self.memory,
            team: self.team.clone(),
            ..Self::new()
        }
    }

    /// The control of a part of the call that this process does on its own: by its own clock, until the deadline as it is known
    /// now. The members must agree that the part was stopped before the call goes on. Without a team, the same
    /// control.
    #[must_use]
    pub fn apart(&self) -> Self {
        let Some(team) = &self.team else {
            return self.clone();
        };
        let now = Instant::now();
        let deadline = self.remaining().and_then(|left| now.checked_add(left));
        Self {
            time: self.time,
            memory: self.memory.or(Some(team.memory())),
            callback: self.own_callback().cloned(),
            reserve: Duration::ZERO,
            run: self.run.as_ref().map(|run| Arc::new(run.apart(deadline))),
            team: None,
        }
    }

    /// Meets with the team, if there is one: all members learn the leader's time, and the largest `failure` of any.
    pub(crate) fn agree(&self, purpose: Purpose, fingerprint: u64, failure: u64) -> u64 {
        let Some(team) = &self.team else {
            return failure;
        };
        let own = match &self.run {
            Some(run) if team.rank() == 0 => run.word(),
            _ => [0; 2],
        };
        let values = [failure, own[0], own[1], 0];
        let [failure, time, stop, _] = meet(team.as_ref(), purpose, fingerprint, values);
        if let Some(run) = &self.run {
            run.hear([time, stop]);
        }
        failure
    }

    /// The call ends for this reason, on all members of a team.
    pub(crate) fn end(&self, limit: Limit) {
        if let Some(run) = &self.run {
            run.end(limit);
        }
    }

    /// A duration that was measured here, as the leading process measured it: for decisions that depend on it.
    #[must_use]
    pub fn agreed(&self, measured: Duration) -> Duration {
        let Some(team) = &self.team else {
            return measured;
        };
        let leads = team.rank() == 0;
        let nanos = u64::try_from(measured.as_nanos()).unwrap_or(u64::MAX);
        let word = if leads { nanos } else { 0 };
        Duration::from_nanos(self.agree(Purpose::Clock, 0, word))
    }

    /// The time since the call began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.run
            .as_ref()
            .map_or(Duration::ZERO, |run| run.elapsed())
    }

    /// The time that is left; `None` without a time limit.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let run = self.run.as_ref()?;
        let left = run.deadline?.saturating_duration_since(run.now());
        Some(left.saturating_sub(self.reserve))
    }

    /// Whether the call may go on. Costs some tens of nanoseconds.
    ///
    /// # Errors
    /// The time is up, or the callback said stop.
    pub fn check(&self) -> Result<(), Limit> {
        let Some(run) = &self.run else {
            return Ok(());
        };
        let now = run.look(self.time, self.reserve)?;
        if let Some(callback) = self.own_callback()
            && run.report_is_due(now)
            && let Ok(mut callback) = callback.try_lock()
        {
            run.report(&mut *callback)?;
        }
        Ok(())
    }

    /// Whether the call was told to stop: for the innermost loops, whose results are then thrown away.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.check().is_err()
    }

    /// Begins a stage: the callback hears of it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn enter(&self, stage: Stage) -> Result<(), Limit> {
        let Some(run) = &self.run else {
            return Ok(());
        };
        run.look(self.time, self.reserve)?;
        if let Some(callback) = self.own_callback() {
            run.set_stage(stage);
            // A callback that panicked elsewhere has said nothing against going on.
            let mut callback = callback.lock().unwrap_or_else(PoisonError::into_inner);
            run.report(&mut *callback)?;
        }
        if self.team.is_some() {
            self.agree(Purpose::Clock, 0, 0);
            run.look(self.time, self.reserve)?;
        }
        Ok(())
    }

    /// The callback, where this process is the one to ask it.
    fn own_callback(&self) -> Option<&Arc<Mutex<Callback>>> {
        let leads = self.team.as_ref().is_none_or(|team| team.rank() == 0);
        self.callback.as_ref().filter(|_| leads)
    }

    /// Takes note of the score of a candidate; the best is reported.
    pub fn note_score(&self, score: f64) {
        if let Some(run) = &self.run {
            run.note_score(score);
        }
    }

    /// Whether a step that cannot be interrupted, and takes about this many seconds, may begin.
    ///
    /// # Errors
    /// As [`check`](Self::check), and too little time left.
    pub fn allow_seconds(&self, seconds: f64) -> Result<(), Limit> {
        self.check()?;
        match (self.time, self.remaining()) {
            (Some(limit), Some(left))
                if seconds > left.as_secs_f64() + GRACE * limit.as_secs_f64() =>
            {
                Err(Limit::Time { limit })
            }
            _ => Ok(()),
        }
    }
}

/// A step that cannot be interrupted may exceed the time limit by this share of it.
const GRACE: f64 = 0.15;

impl PartialEq for Control {
    /// Equal settings; callbacks are equal if they are the same one.
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.callback, &other.callback) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        self.time == other.time && self.memory == other.memory && same
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("time_limit", &self.time)
            .field("memory_limit", &self.memory)
            .field("progress", &self.callback.is_some())
            .field("running", &self.run.is_some())
            .field("team", &self.team)
            .finish()
    }
}

#[cfg(test)]
mod tests;
