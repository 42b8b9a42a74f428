//! One call under observation: its time, its memory, its panics, and whether its answer is one.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::allocation;
use crate::machine::processor_time;

/// What a call must keep to, and what it was about.
#[derive(Default)]
pub(super) struct Call {
    /// Time and memory that the next [`limited`](Self::limited) part may take.
    pub(super) time: Option<Duration>,
    pub(super) memory: Option<usize>,
    broken: Option<Broken>,
    verbose: bool,
}

/// What broke.
pub(super) enum Broken {
    Panic(String),
    Time {
        limit: Duration,
        wall: Duration,
        processor: Duration,
    },
    Memory {
        limit: usize,
        peak: usize,
    },
    Answer(String),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic(message) => write!(f, "panicked: {message}"),
            Self::Time {
                limit,
                wall,
                processor,
            } => write!(
                f,
                "took {wall:.2?} ({processor:.2?} of the processor) with a limit of {limit:.2?}"
            ),
            Self::Memory { limit, peak } => {
                write!(f, "had {peak} bytes with a limit of {limit}")
            }
            Self::Answer(what) => f.write_str(what),
        }
    }
}

/// Beyond a time limit: a fifth, and as much as a step between two looks at the clock.
const TIME_SHARE: f64 = 1.2;
const TIME_SLACK: Duration = Duration::from_millis(50);
/// Processor time is told in hundredths of a second.
const TICKS: Duration = Duration::from_millis(20);
/// Beyond a memory limit: a fifth, and what a call has before it asks: held-out points, points at which data are looked at
/// for detail, the functions of a first patch or of lines.
const MEMORY_SHARE: f64 = 1.2;
const MEMORY_SLACK: usize = 8 << 20;

impl Call {
    /// Says what is being called, for whoever wants to see one case.
    pub(super) fn describe(&self, what: &dyn fmt::Debug) {
        if self.verbose {
            println!("{what:#?}");
        }
    }

    /// The part of a case that must keep to the limits.
    pub(super) fn limited<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (begin, used) = (Instant::now(), processor_time());
        let (result, peak) = allocation::peak_of(work);
        let (wall, processor) = (begin.elapsed(), processor_time().saturating_sub(used));
        if self.verbose {
            println!("{wall:.3?}, {processor:.3?} of the processor, {peak} bytes");
        }
        if let Some(limit) = self.time {
            let allowed = limit.mul_f64(TIME_SHARE) + TIME_SLACK;
            // On a loaded machine the clock runs on while others compute.
            if wall > allowed && processor > allowed + TICKS {
                self.report(Broken::Time {
                    limit,
                    wall,
                    processor,
                });
            }
        }
        if let Some(limit) = self.memory {
            let allowed = (limit as f64 * MEMORY_SHARE) as usize;
            if peak > allowed.saturating_add(MEMORY_SLACK) {
                self.report(Broken::Memory { limit, peak });
            }
        }
        result
    }

    /// Records that an answer is not one.
    pub(super) fn refute(&mut self, wrong: bool, what: &str) {
        if wrong {
            self.report(Broken::Answer(what.to_owned()));
        }
    }

    fn report(&mut self, broken: Broken) {
        self.broken.get_or_insert(broken);
    }
}

/// Makes a call: its outcome in a word, and what broke.
pub(super) fn observed(
    verbose: bool,
    make: impl FnOnce(&mut Call) -> String,
) -> (String, Option<Broken>) {
    let mut call = Call {
        verbose,
        ..Call::default()
    };
    match panic::catch_unwind(AssertUnwindSafe(|| make(&mut call))) {
        Ok(outcome) => (outcome, call.broken),
        Err(_) => {
            let message = LAST_PANIC.lock().map(|message| message.clone());
            let message = message.unwrap_or_default();
            ("panic".to_owned(), Some(Broken::Panic(message)))
        }
    }
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// While `work` is done, panics are noted, not printed.
pub(super) fn with_quiet_panics<T>(work: impl FnOnce() -> T) -> T {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(|information| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = information.to_string();
        }
    }));
    let result = work();
    panic::set_hook(usual);
    result
}

/// The first words of an error: enough to count by.
pub(super) fn word(error: &dyn fmt::Debug) -> String {
    let text = format!("{error:?}");
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '(')
        .collect()
}
