//! Work and traffic, counted where they happen.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one member. Cheap, and always on.
#[derive(Debug, Default)]
pub struct Tally {
    flops: AtomicU64,
    messages: AtomicU64,
    bytes: AtomicU64,
    meetings: AtomicU64,
}

/// What a member had done at some moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Operations of the shared part of factorisations.
    pub flops: u64,
    /// Messages with numbers that came in.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Meetings that it took part in.
    pub meetings: u64,
}

impl Tally {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            flops: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            meetings: AtomicU64::new(0),
        }
    }

    /// This many operations were done.
    pub fn worked(&self, flops: u64) {
        self.flops.fetch_add(flops, Ordering::Relaxed);
    }

    /// A message with these numbers came in.
    pub fn received(&self, numbers: &[f64]) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes
            .fetch_add(size_of_val(numbers) as u64, Ordering::Relaxed);
    }

    /// A meeting took place.
    pub(super) fn met(&self) {
        self.meetings.fetch_add(1, Ordering::Relaxed);
    }

    /// The counters now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            flops: self.flops.load(Ordering::Relaxed),
            messages: self.messages.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            meetings: self.meetings.load(Ordering::Relaxed),
        }
    }
}
