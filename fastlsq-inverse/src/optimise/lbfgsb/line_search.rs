//! The search along a direction inside the box.

use argmin::core::{CostFunction, Error, Gradient, Problem};

use super::more_thuente::{MoreThuente, Verdict, WolfeConstants};
use crate::optimise::bounds::Bounds;
use crate::optimise::evaluate::evaluate;
use crate::optimise::vector::dot;

/// A point with its value and gradient.
#[derive(Clone, Debug)]
pub(super) struct Iterate {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
}

/// A direction with what is known about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLine<'a> {
    pub(super) direction: &'a [f64],
    /// gᵀd < 0.
    pub(super) slope: f64,
    pub(super) first_step: f64,
    /// The longest step that stays in the box.
    pub(super) longest_step: f64,
}

/// How a search ended.
#[derive(Debug)]
pub(super) enum SearchResult {
    /// A point with a lower value.
    Lower { iterate: Iterate, step: f64 },
    /// No sampled point is lower.
    NotLower,
}

/// Samples at most `most` points on the line. Every sampled point is clamped into the box, so
/// that rounding in x + t d cannot leave it. Points without finite value or gradient shorten the
/// step.
pub(super) fn search<O>(
    problem: &mut Problem<O>,
    bounds: &Bounds,
    from: &Iterate,
    line: &SearchLine<'_>,
    constants: WolfeConstants,
    most: u64,
) -> Result<SearchResult, Error>
where
    O: CostFunction<Param = Vec<f64>, Output = f64>
        + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    let mut machine = MoreThuente::new(
        from.value,
        line.slope,
        line.first_step,
        line.longest_step,
        constants,
    );
    let mut step = line.first_step;
    let mut best: Option<(f64, Iterate)> = None;
    let mut last = from.x.clone();
    for _ in 0..most {
        let mut x: Vec<f64> = from
            .x
            .iter()
            .zip(line.direction)
            .map(|(start, d)| start + step * d)
            .collect();
        bounds.clamp(&mut x);
        if x == last {
            // The steps have become shorter than the spacing of the numbers around x.
            break;
        }
        last.clone_from(&x);
        let Some((value, gradient)) = evaluate(problem, &x)?.finite() else {
            step = machine.retreat();
            continue;
        };
        let verdict = machine.advance(value, dot(&gradient, line.direction));
        let iterate = Iterate { x, value, gradient };
        if verdict == Verdict::Satisfied {
            return Ok(SearchResult::Lower { iterate, step });
        }
        if best.as_ref().is_none_or(|(_, known)| value < known.value) {
            best = Some((step, iterate));
        }
        match verdict {
            Verdict::Try(next) => step = next,
            Verdict::Satisfied | Verdict::Exhausted => break,
        }
    }
    Ok(match best {
        Some((step, iterate)) if iterate.value < from.value => {
            SearchResult::Lower { iterate, step }
        }
        _ => SearchResult::NotLower,
    })
}

/// The longest step t with x + t d in the box, at most `cap`.
pub(super) fn longest_feasible_step(
    x: &[f64],
    direction: &[f64],
    bounds: &Bounds,
    cap: f64,
) -> f64 {
    x.iter()
        .zip(direction)
        .zip(bounds.sides())
        .fold(cap, |longest, ((&start, &d), (l, u))| {
            if d == 0.0 {
                return longest;
            }
            let side = if d < 0.0 { l } else { u };
            longest.min(((side - start) / d).max(0.0))
        })
}
