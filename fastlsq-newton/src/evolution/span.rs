//! Steps in time as polynomials through a few of their times.

use std::sync::Arc;

use fastlsq_basis::{Basis, EvolvedBasis, EvolvedSpan, span_times, span_weights};

/// Times within a span at which it is kept: the polynomials of one step have degree 7.
pub(crate) const TIMES: usize = 8;

/// Times of a span of a solution that is known at any time.
const SAMPLED: usize = 24;
/// Places between these at which it is checked whether they are enough.
const LOOKS: [f64; 4] = [0.011, 0.27, 0.52, 0.93];
/// How far the polynomial may be from the solution there, relative to the norm of the solution nearby and to that at the start.
const CLOSE: f64 = 2e-14;
const CLOSE_AT_START: f64 = 1e-16;
/// Times are known only to this relative precision: after many waves, its effect exceeds the rounding of values.
const LAST_DIGITS: f64 = 2.0 * f64::EPSILON;
const NOISE: f64 = 4.0;
/// Spans are not halved more often than this, and not kept if they have more coefficients than this.
const DEEPEST: u32 = 40;
const MOST: usize = 1 << 25;

/// The times at which a step is kept.
pub(crate) fn times(start: f64, end: f64) -> Vec<f64> {
    span_times((start, end), TIMES)
}

/// The solution over one step in time: in some space, expansions at its times.
#[derive(Debug)]
pub(crate) struct Span<S, E> {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) space: Arc<S>,
    pub(crate) expansions: Vec<E>,
}

impl<S, E: Clone> Clone for Span<S, E> {
    fn clone(&self) -> Self {
        Self {
            space: Arc::clone(&self.space),
            expansions: self.expansions.clone(),
            ..*self
        }
    }
}

impl<S, E> Span<S, E> {
    /// The weight of each expansion in the derivative of order k in time at t.
    pub(crate) fn weights(&self, t: f64, k: usize) -> Vec<f64> {
        span_weights((self.start, self.end), TIMES, t, k)
    }
}

/// The span that holds a time; the nearest if none does.
pub(crate) fn span_at<S, E>(spans: &[Span<S, E>], t: f64) -> Option<&Span<S, E>> {
    let after = spans.partition_point(|span| span.end < t);
    spans.get(after).or(spans.last())
}

/// The places of points in rising order of their times up to `reached`, points of one time together.
pub(crate) fn by_time(times: &[f64], reached: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..times.len()).filter(|i| times[*i] <= reached).collect();
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    order
        .chunk_by(|a, b| times[*a] == times[*b])
        .map(<[usize]>::to_vec)
        .collect()
}

/// Steps one after the other as one function that can be saved: for each the functions of space, its ends, and coefficients at its times.
pub(crate) fn joined<S>(
    steps: impl Iterator<Item = (Arc<S>, (f64, f64), Vec<Vec<f64>>)>,
    basis: impl Fn(&S) -> Option<Arc<dyn Basis>>,
) -> Option<EvolvedBasis> {
    let mut known: Option<Arc<S>> = None;
    let (mut spaces, mut spans) = (Vec::new(), Vec::new());
    for (space, (start, end), coefficients) in steps {
        if !known.as_ref().is_some_and(|own| Arc::ptr_eq(own, &space)) {
            spaces.push(basis(&space)?);
            known = Some(space);
        }
        spans.push(EvolvedSpan {
            start,
            end,
            space: spaces.len() - 1,
            times: coefficients.len(),
            coefficients: coefficients.concat(),
        });
    }
    EvolvedBasis::new(spaces, spans).ok()
}

/// A span of time, and coefficients at Chebyshev's times in it.
pub(crate) type SampledSpan = ((f64, f64), Vec<Vec<f64>>);

/// Coefficients that are known at any time, as polynomials over spans as short as it takes. `None` if there would be too many.
pub(crate) fn sampled(
    (start, end): (f64, f64),
    at: impl Fn(f64) -> Vec<f64>,
) -> Option<Vec<SampledSpan>> {
    let floor = CLOSE_AT_START * norm(&at(start));
    let (mut spans, mut open, mut size) = (Vec::new(), vec![(start, end, 0)], 0);
    while let Some((from, to, depth)) = open.pop() {
        let values: Vec<Vec<f64>> = span_times((from, to), SAMPLED)
            .into_iter()
            .map(&at)
            .collect();
        let allowed = CLOSE * values.iter().map(|own| norm(own)).fold(0.0, f64::max) + floor;
        let close = LOOKS.iter().all(|share| {
            let t = from + share * (to - from);
            let mut rest = at(t);
            let mut noise = at(t * (1.0 + LAST_DIGITS));
            noise.iter_mut().zip(&rest).for_each(|(a, b)| *a -= b);
            for (weight, own) in span_weights((from, to), SAMPLED, t, 0).iter().zip(&values) {
                for (rest, value) in rest.iter_mut().zip(own) {
                    *rest -= weight * value;
                }
            }
            norm(&rest) <= allowed + NOISE * norm(&noise)
        });
        let middle = 0.5 * (from + to);
        if close || depth == DEEPEST || middle <= from || middle >= to {
            size += values.iter().map(Vec::len).sum::<usize>();
            spans.push(((from, to), values));
        } else {
            open.extend([(middle, to, depth + 1), (from, middle, depth + 1)]);
        }
        if size > MOST {
            return None;
        }
    }
    Some(spans)
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::{sampled, span_weights};

    #[test]
    fn a_thousand_waves_are_held_as_well_as_times_are_known() {
        let solution = |t: f64| vec![(2e3 * t).sin(), (2e3 * t).cos()];
        let spans = sampled((0.0, 4.0), solution).unwrap();
        assert!(spans.len() < 3000, "{}", spans.len());
    }

    #[test]
    fn decay_and_waves_are_held_by_few_spans() {
        let solution = |t: f64| vec![(-1e6 * t).exp(), (40.0 * t).sin(), 2.0 + t];
        let spans = sampled((0.0, 10.0), solution).unwrap();
        assert!(spans.len() < 300, "{}", spans.len());
        let mut last = 0.0;
        for ((from, to), values) in &spans {
            assert_eq!(*from, last);
            last = *to;
            for share in [0.01, 0.5, 0.87] {
                let t = from + share * (to - from);
                let weights = span_weights((*from, *to), values.len(), t, 0);
                for (state, exact) in solution(t).into_iter().enumerate() {
                    let pairs = weights.iter().zip(values);
                    let found: f64 = pairs.map(|(w, own)| w * own[state]).sum();
                    assert!((found - exact).abs() < 1e-12, "{t}, {state}");
                }
            }
        }
        assert_eq!(last, 10.0);
    }
}
