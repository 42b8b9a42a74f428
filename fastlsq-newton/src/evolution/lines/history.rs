//! What was found, as a function of space and time.

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_solve::space::line::LineSpace;

use super::exact::Exact;
use super::form::lagrange_slope;

/// Times within a span at which it is kept: the polynomials of one step have degree 7.
const TIMES: usize = 8;

/// Chebyshev's points on [0, 1], ends included.
pub(crate) fn span_times(start: f64, end: f64) -> [f64; TIMES] {
    std::array::from_fn(|k| match k {
        0 => start,
        k if k == TIMES - 1 => end,
        k => start + 0.5 * (end - start) * (1.0 - (PI * k as f64 / (TIMES - 1) as f64).cos()),
    })
}

/// The solution over one step in time.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) space: Arc<LineSpace>,
    /// Legendre coefficients at the times of the span.
    pub(crate) expansions: Vec<Vec<f64>>,
}

impl Span {
    /// For each time of the span, the weight of its expansion in the derivative of order k in time at t.
    fn weights(&self, t: f64, k: usize) -> Vec<f64> {
        let nodes = span_times(self.start, self.end);
        // The derivative of order k − 1 is known at the nodes; those of Lagrange's polynomials do the last one.
        let mut weights: Vec<f64> = if k == 0 {
            lagrange(&nodes, t)
        } else {
            (0..TIMES).map(|j| lagrange_slope(&nodes, j, t)).collect()
        };
        for _ in 1..k {
            weights = (0..TIMES)
                .map(|j| {
                    (0..TIMES)
                        .map(|i| weights[i] * lagrange_slope(&nodes, j, nodes[i]))
                        .sum()
                })
                .collect();
        }
        weights
    }
}

fn lagrange(nodes: &[f64; TIMES], t: f64) -> Vec<f64> {
    (0..TIMES)
        .map(|k| {
            let others = nodes.iter().enumerate().filter(|(j, _)| *j != k);
            others.fold(1.0, |product, (_, node)| {
                product * (t - node) / (nodes[k] - node)
            })
        })
        .collect()
}

/// Spans one after the other, or a solution that is known at any time.
#[derive(Debug, Clone)]
pub(crate) enum History {
    Spans(Vec<Span>),
    Exact(Box<Exact>, f64),
}

impl History {
    /// The time that was reached.
    pub(crate) fn end(&self) -> Option<f64> {
        match self {
            Self::Spans(spans) => spans.last().map(|span| span.end),
            Self::Exact(_, end) => Some(*end),
        }
    }

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

    /// Derivatives of a state in space and in time at points (x, t), in any order: points of one time share what is
    /// needed of it.
    pub(crate) fn values(
        &self,
        points: &[(f64, f64)],
        state: usize,
        dx: usize,
        dt: usize,
    ) -> Vec<f64> {
        let reached = self.end().unwrap_or(f64::NEG_INFINITY);
        let mut values = vec![f64::NAN; points.len()];
        let mut order: Vec<usize> = (0..points.len())
            .filter(|i| points[*i].1 <= reached)
            .collect();
        order.sort_by(|a, b| points[*a].1.total_cmp(&points[*b].1));
        for own in order.chunk_by(|a, b| points[*a].1 == points[*b].1) {
            let Some(&t) = own.first().map(|i| &points[*i].1) else {
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
                        values[*i] = span.space.combined(terms, state, dx, points[*i].0);
                    }
                }
                _ => {
                    let Some((space, expansion)) = self.at(t, dt) else {
                        continue;
                    };
                    for i in own {
                        values[*i] = space.value(&expansion, state, dx, points[*i].0);
                    }
                }
            }
        }
        values
    }
}

/// The span that holds a time; the nearest if none does.
fn span_at(spans: &[Span], t: f64) -> Option<&Span> {
    let after = spans.partition_point(|span| span.end < t);
    spans.get(after).or(spans.last())
}
