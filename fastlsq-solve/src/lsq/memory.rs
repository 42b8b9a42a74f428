//! Refusing what cannot fit, before allocating anything.

use super::error::LsqError;
use super::options::{LsqOptions, Method};
use super::streamed::Layout;
use crate::control::Limit;

/// Fails if an `m`×`n` problem with `k` right-hand sides needs more memory than allowed, on the process with the most
/// rows if they are shared.
pub(crate) fn check_memory(
    m: usize,
    n: usize,
    k: usize,
    options: &LsqOptions,
    shared: bool,
) -> Result<(), LsqError> {
    let members = options.control.team().map_or(1, |team| team.size());
    let needed = estimate(m, n, k, options, if shared { members } else { 1 });
    match options.control.allow_bytes(needed) {
        Ok(()) => Ok(()),
        Err(Limit::Memory { needed, limit }) => Err(LsqError::TooLarge {
            rows: m,
            cols: n,
            needed,
            limit,
        }),
        Err(other) => Err(other.into()),
    }
}

/// Bytes needed, to leading order; `None` when the number itself overflows.
fn estimate(m: usize, n: usize, k: usize, options: &LsqOptions, members: usize) -> Option<usize> {
    let width = n.checked_add(k)?;
    let triangle = n.checked_mul(width)?;
    let layout = Layout::new(m, n);
    let block = layout.first.max(layout.block).min(m).checked_mul(width)?;
    // Triangles and blocks of the streams in flight, and copies of the triangle in the rank-revealing stage.
    let in_flight = layout.streams.min(4);
    let triangles = match options.method {
        // Both sides of the decomposition, what it works in, and the right side in the unknowns.
        Method::Svd => in_flight + 12,
        _ => in_flight + 4,
    };
    let mut numbers = triangle
        .checked_mul(triangles)?
        .checked_add(block.checked_mul(in_flight)?)?;
    numbers = numbers.checked_add(m.checked_mul(k)?)?;
    if options.keep_q {
        let streams = layout.streams.div_ceil(members.min(layout.streams));
        let own = (m.div_ceil(layout.streams)).checked_mul(streams)?;
        numbers = numbers.checked_add(own.checked_mul(n)?)?;
    }
    numbers.checked_mul(size_of::<f64>())
}
