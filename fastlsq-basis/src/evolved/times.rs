//! Polynomials in time through a few times of a span.

use std::f64::consts::PI;

/// Chebyshev's points on [start, end], ends included; the middle if only one is asked for.
#[must_use]
pub fn span_times((start, end): (f64, f64), count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1);
    (0..count)
        .map(|k| match k {
            _ if last == 0 => 0.5 * (start + end),
            0 => start,
            k if k == last => end,
            k => start + 0.5 * (end - start) * (1.0 - (PI * k as f64 / last as f64).cos()),
        })
        .collect()
}

/// For each of the [times of a span](span_times), the weight of what is known there in the derivative of order k at t of the
/// polynomial through all.
///
/// Values by the second barycentric formula (Berrut and Trefethen 2004), derivatives by its matrix, whose rows sum to zero.
#[must_use]
pub fn span_weights(ends: (f64, f64), count: usize, t: f64, k: usize) -> Vec<f64> {
    // The polynomial has a degree below `count`.
    if k >= count.max(1) {
        return vec![0.0; count];
    }
    let nodes = span_times(ends, count);
    let share = |j: usize| {
        let sign = if j.is_multiple_of(2) { 1.0 } else { -1.0 };
        if j == 0 || j + 1 == count {
            0.5 * sign
        } else {
            sign
        }
    };
    let mut weights: Vec<f64> = if let Some(at) = nodes.iter().position(|node| *node == t) {
        (0..count).map(|j| f64::from(u8::from(j == at))).collect()
    } else {
        let terms: Vec<f64> = (0..count).map(|j| share(j) / (t - nodes[j])).collect();
        let sum: f64 = terms.iter().sum();
        terms.into_iter().map(|term| term / sum).collect()
    };
    for _ in 0..k {
        let mut next = vec![0.0; count];
        for (i, weight) in weights.iter().enumerate() {
            for j in (0..count).filter(|j| *j != i) {
                let entry = weight * share(j) / (share(i) * (nodes[i] - nodes[j]));
                next[j] += entry;
                next[i] -= entry;
            }
        }
        weights = next;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::{span_times, span_weights};

    #[test]
    fn polynomials_and_their_derivatives_are_exact() {
        let (ends, count) = ((0.5, 1.25), 8);
        let nodes = span_times(ends, count);
        assert_eq!((nodes[0], nodes[7]), ends);
        // t⁷ and its derivatives, at a node and between.
        for t in [nodes[3], 0.5, 0.71, 1.25] {
            for (k, exact) in [t.powi(7), 7.0 * t.powi(6), 42.0 * t.powi(5)]
                .into_iter()
                .enumerate()
            {
                let weights = span_weights(ends, count, t, k);
                let found: f64 = weights
                    .iter()
                    .zip(&nodes)
                    .map(|(w, node)| w * node.powi(7))
                    .sum();
                assert!((found - exact).abs() < 1e-11 * exact, "{t}, {k}: {found}");
            }
        }
        assert_eq!(span_weights((0.0, 1.0), 1, 0.3, 0), [1.0]);
        assert_eq!(span_weights((0.0, 1.0), 1, 0.3, 1), [0.0]);
    }
}
