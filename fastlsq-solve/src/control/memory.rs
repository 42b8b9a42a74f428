//! Refusing what cannot fit, before anything of it is allocated.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::run::Run;
use super::{Control, Limit};

/// The limit where the machine does not tell how much memory it has.
const FALLBACK_LIMIT: usize = gibibytes(16);

/// This many gibibytes in bytes, or as many bytes as an address can tell apart.
pub(crate) const fn gibibytes(count: u64) -> usize {
    let bytes = count << 30;
    if bytes > usize::MAX as u64 {
        usize::MAX
    } else {
        bytes as usize
    }
}

/// Memory that a caller holds while it calls others; given back when dropped.
#[derive(Debug)]
#[must_use = "what is held is given back when this is dropped"]
pub struct Held {
    run: Option<Arc<Run>>,
    bytes: usize,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(run) = &self.run {
            run.held.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

impl Control {
    /// Whether this many more bytes may be used, beside what is [held](Self::hold) already. `None` stands for a number that
    /// cannot even be written down.
    ///
    /// # Errors
    /// The memory limit; without one, what the machine has available.
    pub fn allow_bytes(&self, bytes: Option<usize>) -> Result<(), Limit> {
        let held = self
            .run
            .as_ref()
            .map_or(0, |run| run.held.load(Ordering::Relaxed));
        let needed = bytes
            .and_then(|bytes| bytes.checked_add(held))
            .unwrap_or(usize::MAX);
        // Asking the machine costs more than small steps do.
        if self.memory.is_none() && needed < UNASKED {
            return Ok(());
        }
        let limit = match (self.memory, self.team()) {
            (Some(limit), _) => limit,
            (None, Some(team)) => team.memory(),
            (None, None) => available_memory(),
        };
        if needed > limit {
            return Err(Limit::Memory { needed, limit });
        }
        Ok(())
    }

    /// Says that this many bytes are in use until the returned value is dropped.
    ///
    /// # Errors
    /// As [`allow_bytes`](Self::allow_bytes).
    pub fn hold(&self, bytes: Option<usize>) -> Result<Held, Limit> {
        self.allow_bytes(bytes)?;
        let bytes = bytes.unwrap_or(0);
        if let Some(run) = &self.run {
            run.held.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(Held {
            run: self.run.clone(),
            bytes,
        })
    }
}

/// Less than this is available on any machine.
const UNASKED: usize = 16 << 20;

/// Memory that the system says is available, in bytes.
#[must_use]
pub fn available_memory() -> usize {
    let table = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    table
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| {
            rest.trim()
                .trim_end_matches("kB")
                .trim()
                .parse::<usize>()
                .ok()
        })
        .and_then(|kilobytes| kilobytes.checked_mul(1024))
        .unwrap_or(FALLBACK_LIMIT)
}
