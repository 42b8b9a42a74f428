//! Steps in time as polynomials through a few of their times.

use std::f64::consts::PI;

use super::form::lagrange_slope;

/// Times within a span at which it is kept: the polynomials of one step have degree 7.
pub(crate) const TIMES: usize = 8;

/// Chebyshev's points on [start, end], ends included.
pub(crate) fn span_times(start: f64, end: f64) -> [f64; TIMES] {
    std::array::from_fn(|k| match k {
        0 => start,
        k if k == TIMES - 1 => end,
        k => start + 0.5 * (end - start) * (1.0 - (PI * k as f64 / (TIMES - 1) as f64).cos()),
    })
}

/// For each time of a span, the weight of what is kept there in the derivative of order k in time at t.
pub(crate) fn span_weights((start, end): (f64, f64), t: f64, k: usize) -> Vec<f64> {
    let nodes = span_times(start, end);
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

/// The places of points in rising order of their times up to `reached`, points of one time together.
pub(crate) fn by_time(times: &[f64], reached: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..times.len()).filter(|i| times[*i] <= reached).collect();
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    order
        .chunk_by(|a, b| times[*a] == times[*b])
        .map(<[usize]>::to_vec)
        .collect()
}
