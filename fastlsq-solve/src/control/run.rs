//! The state of a call while it runs.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use web_time::Instant;

use super::{Limit, Progress, Stage};

/// Within a stage the callback is asked this often.
const EVERY: Duration = Duration::from_millis(10);

/// Shared by all clones of a started control.
pub(super) struct Run {
    begin: Instant,
    pub(super) deadline: Option<Instant>,
    /// Once the time is up or the callback has said stop, everything stops.
    over: AtomicBool,
    cancelled: AtomicBool,
    /// Nanoseconds from the beginning to the next report.
    next_report: AtomicU64,
    stage: Mutex<Stage>,
    /// The bits of the best score.
    best: AtomicU64,
    /// Bytes that callers say they hold.
    pub(super) held: AtomicUsize,
}

impl Run {
    pub(super) fn new(time: Option<Duration>) -> Self {
        let begin = Instant::now();
        Self {
            begin,
            // A deadline beyond what the clock can tell is none.
            deadline: time.and_then(|time| begin.checked_add(time)),
            over: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            next_report: AtomicU64::new(0),
            stage: Mutex::new(Stage::Preparing),
            best: AtomicU64::new(f64::INFINITY.to_bits()),
            held: AtomicUsize::new(0),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// The time, unless everything is over.
    pub(super) fn look(&self, time: Option<Duration>, reserve: Duration) -> Result<Instant, Limit> {
        let now = Instant::now();
        let passed = |at: Instant| self.deadline.is_some_and(|deadline| at >= deadline);
        if !self.over.load(Ordering::Relaxed) {
            // Whoever keeps a reserve stops sooner; others go on.
            if !passed(now.checked_add(reserve).unwrap_or(now)) {
                return Ok(now);
            }
            self.over.store(passed(now), Ordering::Relaxed);
        }
        Err(if self.cancelled.load(Ordering::Relaxed) {
            Limit::Cancelled
        } else {
            Limit::Time {
                limit: time.unwrap_or_default(),
            }
        })
    }

    pub(super) fn report_is_due(&self, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.begin).as_nanos();
        elapsed >= u128::from(self.next_report.load(Ordering::Relaxed))
    }

    pub(super) fn set_stage(&self, stage: Stage) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    pub(super) fn note_score(&self, score: f64) {
        // Bits of numbers that are not negative are ordered as these are.
        if score >= 0.0 {
            self.best.fetch_min(score.to_bits(), Ordering::Relaxed);
        }
    }

    /// Asks the callback.
    pub(super) fn report(
        &self,
        callback: &mut (dyn FnMut(&Progress) -> ControlFlow<()> + Send),
    ) -> Result<(), Limit> {
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let best = f64::from_bits(self.best.load(Ordering::Relaxed));
        let progress = Progress {
            stage,
            best_score: best.is_finite().then_some(best),
            elapsed: self.elapsed(),
        };
        let answer = callback(&progress);
        let next = (self.elapsed() + EVERY).as_nanos();
        let next = u64::try_from(next).unwrap_or(u64::MAX);
        self.next_report.store(next, Ordering::Relaxed);
        if answer.is_break() {
            self.cancelled.store(true, Ordering::Relaxed);
            self.over.store(true, Ordering::Relaxed);
            return Err(Limit::Cancelled);
        }
        Ok(())
    }
}
