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
    /// Where processes share the call: nanoseconds since its beginning, as the leading one said last.
    shared: Option<AtomicU64>,
    /// The callback has said stop, which the others do not know yet.
    wish: AtomicBool,
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
    pub(super) fn new(time: Option<Duration>, shared: bool) -> Self {
        let begin = Instant::now();
        Self {
            begin,
            shared: shared.then(|| AtomicU64::new(0)),
            wish: AtomicBool::new(false),
            // A deadline beyond what the clock can tell counts as none.
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

    /// The time that counts: that of the clock, or what the leading process said last.
    pub(super) fn now(&self) -> Instant {
        match &self.shared {
            None => Instant::now(),
            Some(said) => {
                let said = Duration::from_nanos(said.load(Ordering::Relaxed));
                self.begin.checked_add(said).unwrap_or(self.begin)
            }
        }
    }

    /// What the leading process tells the others: its time, and whether its callback said stop.
    pub(super) fn word(&self) -> [u64; 2] {
        let elapsed = u64::try_from(self.elapsed().as_nanos()).unwrap_or(u64::MAX);
        [elapsed, u64::from(self.wish.load(Ordering::Relaxed))]
    }

    /// What the leading process told.
    pub(super) fn hear(&self, [time, stop]: [u64; 2]) {
        if let Some(said) = &self.shared {
            said.fetch_max(time, Ordering::Relaxed);
        }
        if stop != 0 {
            self.end(Limit::Cancelled);
        }
    }

    /// Everything ends for this reason; a lack of memory ends one step only.
    pub(super) fn end(&self, limit: Limit) {
        if limit == Limit::Cancelled {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        if !matches!(limit, Limit::Memory { .. }) {
            self.over.store(true, Ordering::Relaxed);
        }
    }

    /// The state for a part that one process does on its own, by its own clock.
    pub(super) fn apart(&self, deadline: Option<Instant>) -> Self {
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            begin: self.begin,
            shared: None,
            wish: AtomicBool::new(false),
            deadline,
            over: AtomicBool::new(self.over.load(Ordering::Relaxed)),
            cancelled: AtomicBool::new(self.cancelled.load(Ordering::Relaxed)),
            next_report: AtomicU64::new(self.next_report.load(Ordering::Relaxed)),
            stage: Mutex::new(stage),
            best: AtomicU64::new(self.best.load(Ordering::Relaxed)),
            held: AtomicUsize::new(self.held.load(Ordering::Relaxed)),
        }
    }

    /// The time, unless everything is over.
    pub(super) fn look(&self, time: Option<Duration>, reserve: Duration) -> Result<Instant, Limit> {
        let now = self.now();
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
        // Reports follow the clock of this process in any case.
        let now = if self.shared.is_some() {
            Instant::now()
        } else {
            now
        };
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
            self.wish.store(true, Ordering::Relaxed);
            if self.shared.is_none() {
                self.end(Limit::Cancelled);
                return Err(Limit::Cancelled);
            }
        }
        Ok(())
    }
}
