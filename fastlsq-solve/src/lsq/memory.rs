//! Refusing what cannot fit, before allocating anything.

use super::error::LsqError;
use super::options::LsqOptions;
use super::streamed::Layout;

/// The limit where the machine does not tell how much memory it has.
const FALLBACK_LIMIT: usize = 16 << 30;

/// Fails if an `m`×`n` problem with `k` right-hand sides needs more memory than allowed.
pub(crate) fn check_memory(
    m: usize,
    n: usize,
    k: usize,
    options: &LsqOptions,
) -> Result<(), LsqError> {
    let limit = options.memory_limit.unwrap_or_else(available);
    let needed = estimate(m, n, k, options.keep_q).unwrap_or(usize::MAX);
    if needed > limit {
        return Err(LsqError::TooLarge {
            rows: m,
            cols: n,
            needed,
            limit,
        });
    }
    Ok(())
}

/// Bytes needed, to leading order; `None` when the number itself overflows.
fn estimate(m: usize, n: usize, k: usize, keep_q: bool) -> Option<usize> {
    let width = n.checked_add(k)?;
    let triangle = n.checked_mul(width)?;
    let layout = Layout::new(m, n);
    let block = layout.first.max(layout.block).min(m).checked_mul(width)?;
    // Triangles and blocks of the streams in flight, and copies of the triangle in the rank-revealing stage.
    let in_flight = layout.streams.min(4);
    let mut numbers = triangle
        .checked_mul(in_flight + 4)?
        .checked_add(block.checked_mul(in_flight)?)?;
    numbers = numbers.checked_add(m.checked_mul(k)?)?;
    if keep_q {
        numbers = numbers.checked_add(m.checked_mul(n)?)?;
    }
    numbers.checked_mul(size_of::<f64>())
}

/// Memory that the system says is available.
fn available() -> usize {
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
