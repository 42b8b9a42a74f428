//! Solutions of the equation itself, in growing number, in place of waves.
//!
//! Where every equation is Laplace's or Helmholtz' with nothing on the right, functions of corners and holes solve it
//! already, and so do polynomials or waves around a point: only conditions are left to be met. Then it is their number
//! that has to grow. Outside of an obstacle there is nothing else.

use super::candidate::CandidateMaker;
use super::repeated::PointChoice;
use super::state::Search;
use crate::report::Status;

/// A level that improves the score by less than this factor is not worth another.
const WORTHWHILE: f64 = 1.5;
/// How many levels in a row may improve nothing.
const PATIENCE: usize = 2;
/// This many functions may be tried whatever the limit on features.
const MOST_FUNCTIONS: usize = 200;
/// The points of these levels are those of no other.
const FIRST_LEVEL: u64 = 900;

/// Tries growing sets of solutions; `None` if they are not good enough and something else may be.
pub(super) fn run<W: CandidateMaker>(
    search: &mut Search<'_, W>,
) -> Result<Option<Status>, W::Error> {
    let (mut best, mut failures, mut level) = (f64::INFINITY, 0, 0);
    while let Some(features) = search.maker.particular(level)? {
        if features.count() > search.limit().max(MOST_FUNCTIONS) {
            break;
        }
        let seed = search.options().seed;
        let seed = seed.wrapping_add((FIRST_LEVEL + level as u64) * 7919);
        let rows = search.rows_at(PointChoice {
            features: features.count(),
            given: features.rows(),
            seed,
            all_samples: false,
        })?;
        let score = search.consider(features, &rows)?;
        // The first level is there to be compared with.
        if level > 0
            && let Some(status) = search.settled_closely()?
        {
            return Ok(Some(status));
        }
        failures = if WORTHWHILE * score < best {
            0
        } else {
            failures + 1
        };
        best = best.min(score);
        if failures > PATIENCE {
            break;
        }
        level += 1;
    }
    Ok((level > 0 && !search.maker.may_use_waves()).then_some(Status::Saturated))
}
