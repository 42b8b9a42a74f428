//! Fair timing: the sides take turns, and the median counts.

use std::time::Instant;

use anyhow::{Context, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::format::middle;

/// The median seconds of each side. All sides run once to warm up; then they take turns.
pub(super) fn take_turns<const N: usize>(
    rounds: usize,
    mut sides: [&mut dyn FnMut() -> Result<()>; N],
) -> Result<[f64; N]> {
    for side in &mut sides {
        side()?;
    }
    let mut times: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for (side, times) in sides.iter_mut().zip(&mut times) {
            let clock = Instant::now();
            side()?;
            times.push(clock.elapsed().as_secs_f64());
        }
    }
    Ok(times.map(|times| middle(times).unwrap_or(f64::NAN)))
}

/// A pool of this many threads.
pub(super) fn pool(threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .with_context(|| format!("cannot start {threads} threads"))
}
