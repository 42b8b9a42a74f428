//! What was found, as a function of space and time.

use std::sync::Arc;

use fastlsq_basis::EvolvedBasis;
use ndarray::{ArrayView2, Axis};

use super::exact::Exact;
use super::space::FieldSpace;
use crate::evolution::flow::Past;
use crate::evolution::span::{Span, by_time, joined, sampled, span_at};

impl Span<FieldSpace, Vec<Vec<f64>>> {
    /// Modal coefficients of the derivative of order k in time of a state.
    fn modal(&self, t: f64, k: usize, state: usize) -> Vec<f64> {
        let weights = self.weights(t, k);
        let mut sum = Vec::new();
        for (weight, expansions) in weights.iter().zip(&self.expansions) {
            let Some(own) = expansions.get(state) else {
                continue;
            };
            sum.resize(own.len(), 0.0);
            for (sum, a) in sum.iter_mut().zip(own) {
                *sum += weight * a;
            }
        }
        sum
    }
}

/// Spans one after the other, or a solution that is known at any time.
#[derive(Debug, Clone)]
pub(crate) enum History {
    Spans(Vec<Span<FieldSpace, Vec<Vec<f64>>>>, usize),
    Exact(Arc<Exact>, f64, usize),
}

impl History {
    /// Nothing yet, in a space with this many axes.
    pub(crate) fn new(axes: usize) -> Self {
        Self::Spans(Vec::new(), axes)
    }

    /// The modal coefficients of the derivative of order k in time of all states, with their space.
    pub(crate) fn at(&self, t: f64, k: usize) -> Option<(Arc<FieldSpace>, Vec<Vec<f64>>)> {
        match self {
            Self::Exact(exact, ..) => Some((Arc::clone(&exact.space), exact.expansions(t, k))),
            Self::Spans(spans, _) => {
                let span = span_at(spans, t)?;
                let states = span.expansions.first()?.len();
                let modal = (0..states).map(|state| span.modal(t, k, state)).collect();
                Some((Arc::clone(&span.space), modal))
            }
        }
    }
}

impl Past for History {
    fn coordinates(&self) -> usize {
        match self {
            Self::Spans(_, axes) | Self::Exact(_, _, axes) => axes + 1,
        }
    }

    fn end(&self) -> Option<f64> {
        match self {
            Self::Spans(spans, _) => spans.last().map(|span| span.end),
            Self::Exact(_, end, _) => Some(*end),
        }
    }

    fn values(
        &self,
        points: ArrayView2<'_, f64>,
        state: usize,
        alpha: &[u32],
        dt: usize,
    ) -> Vec<f64> {
        let axes = alpha.len();
        let reached = self.end().unwrap_or(f64::NEG_INFINITY);
        let mut values = vec![f64::NAN; points.nrows()];
        let times = points.column(axes).to_vec();
        let places = points.slice(ndarray::s![.., ..axes]);
        for own in by_time(&times, reached) {
            let Some(&t) = own.first().map(|i| &times[*i]) else {
                continue;
            };
            let found = match self {
                Self::Exact(..) => self.at(t, dt).map(|(space, mut all)| {
                    let modal = if state < all.len() {
                        all.swap_remove(state)
                    } else {
                        Vec::new()
                    };
                    (space, modal)
                }),
                Self::Spans(spans, _) => span_at(spans, t)
                    .map(|span| (Arc::clone(&span.space), span.modal(t, dt, state))),
            };
            let Some((space, modal)) = found else {
                continue;
            };
            let at = places.select(Axis(0), &own);
            for (i, value) in own.iter().zip(space.values(&modal, alpha, at.view())) {
                values[*i] = value;
            }
        }
        values
    }

    fn unrolled(&self, state: usize) -> Option<EvolvedBasis> {
        let basis = |space: &FieldSpace| space.features();
        match self {
            Self::Spans(spans, _) => {
                let steps = spans.iter().map(|span| {
                    let own = span.expansions.iter().filter_map(|all| all.get(state));
                    let own = own.map(|modal| span.space.over_features(modal)).collect();
                    (Arc::clone(&span.space), (span.start, span.end), own)
                });
                joined(steps, basis)
            }
            Self::Exact(exact, end, _) => {
                let modal = |t: f64| {
                    let mut all = exact.expansions(t, 0).into_iter();
                    all.nth(state).unwrap_or_default()
                };
                let steps = sampled((exact.start(), *end), modal)?;
                let steps = steps.into_iter().map(|(ends, values)| {
                    let own = values.iter();
                    let own = own.map(|modal| exact.space.over_features(modal)).collect();
                    (Arc::clone(&exact.space), ends, own)
                });
                joined(steps, basis)
            }
        }
    }
}
