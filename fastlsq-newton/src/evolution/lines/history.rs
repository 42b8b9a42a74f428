//! What was found, as a function of space and time.

use std::sync::Arc;

use fastlsq_basis::{Basis, EvolvedBasis};
use fastlsq_solve::space::line::LineSpace;
use ndarray::ArrayView2;

use super::exact::Exact;
use crate::evolution::flow::Past;
use crate::evolution::span::{Span, by_time, joined, sampled, span_at};

/// Spans one after the other, or a solution that is known at any time.
#[derive(Debug, Clone)]
pub(crate) enum History {
    Spans(Vec<Span<LineSpace, Vec<f64>>>),
    Exact(Box<Exact>, f64),
}

impl History {
    /// The Legendre coefficients of the derivative of order k in time, with their space.
    pub(crate) fn at(&self, t: f64, k: usize) -> Option<(&Arc<LineSpace>, Vec<f64>)> {
        match self {
            Self::Exact(exact, _) => Some((&exact.space, exact.expansion(t, k))),
            Self::Spans(spans) => {
                let span = span_at(spans, t)?;
                let weights = span.weights(t, k);
                let mut sum = vec![0.0; span.expansions.first()?.len()];
                for (weight, expansion) in weights.iter().zip(&span.expansions) {
                    for (sum, a) in sum.iter_mut().zip(expansion) {
                        *sum += weight * a;
                    }
                }
                Some((&span.space, sum))
            }
        }
    }
}

impl Past for History {
    fn coordinates(&self) -> usize {
        2
    }

    fn end(&self) -> Option<f64> {
        match self {
            Self::Spans(spans) => spans.last().map(|span| span.end),
            Self::Exact(_, end) => Some(*end),
        }
    }

    fn values(
        &self,
        points: ArrayView2<'_, f64>,
        state: usize,
        space: &[u32],
        dt: usize,
    ) -> Vec<f64> {
        let dx = space.first().map_or(0, |d| *d as usize);
        let reached = self.end().unwrap_or(f64::NEG_INFINITY);
        let mut values = vec![f64::NAN; points.nrows()];
        let times = points.column(1).to_vec();
        for own in by_time(&times, reached) {
            let Some(&t) = own.first().map(|i| &times[*i]) else {
                continue;
            };
            match self {
                // A single point needs one piece of each expansion.
                Self::Spans(spans) if own.len() < 8 => {
                    let Some(span) = span_at(spans, t) else {
                        continue;
                    };
                    let weights = span.weights(t, dt);
                    for i in own {
                        let terms = weights.iter().zip(&span.expansions);
                        values[i] = span.space.combined(terms, state, dx, points[(i, 0)]);
                    }
                }
                _ => {
                    let Some((space, expansion)) = self.at(t, dt) else {
                        continue;
                    };
                    for i in own {
                        values[i] = space.value(&expansion, state, dx, points[(i, 0)]);
                    }
                }
            }
        }
        values
    }

    fn unrolled(&self, state: usize) -> Option<EvolvedBasis> {
        let over = |space: &LineSpace, all: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let own = all.iter();
            own.map(|expansion| space.over_polynomials(expansion, state))
                .collect()
        };
        let basis = |space: &LineSpace| Some(Arc::new(space.polynomials().ok()?) as Arc<dyn Basis>);
        match self {
            Self::Spans(spans) => {
                let steps = spans.iter().map(|span| {
                    let own = over(&span.space, &span.expansions);
                    (Arc::clone(&span.space), (span.start, span.end), own)
                });
                joined(steps, basis)
            }
            Self::Exact(exact, end) => {
                let space = &exact.space;
                let spans = sampled((exact.start(), *end), |t| exact.expansion(t, 0))?;
                let steps = spans
                    .into_iter()
                    .map(|(ends, values)| (Arc::clone(space), ends, over(space, &values)));
                joined(steps, basis)
            }
        }
    }
}
