//! How far two runs are apart.

use super::history::History;

/// Uniform and early times at which runs are compared.
const UNIFORM: usize = 48;
const EARLY: usize = 8;

/// The times at which runs over an interval are compared: evenly spread, and more at the beginning, where initial layers are.
fn times(start: f64, end: f64) -> impl Iterator<Item = f64> {
    let length = end - start;
    let early = (1..=EARLY).map(move |k| start + length / UNIFORM as f64 * 0.4_f64.powi(k as i32));
    let uniform = (1..=UNIFORM).map(move |k| start + length * k as f64 / UNIFORM as f64);
    early.chain(uniform)
}

/// The largest distance in L2 over all times, for each state, relative to the largest norm that the state has;
/// up to the time that both have reached.
pub(crate) fn distance(fine: &History, coarse: &History, scales: &[f64], start: f64) -> Vec<f64> {
    let reached = |history: &History| history.end().unwrap_or(start);
    let end = reached(fine).min(reached(coarse));
    let mut worst = vec![0.0_f64; scales.len()];
    for t in times(start, end) {
        let (Some((space, own)), Some((other_space, other))) = (fine.at(t, 0), coarse.at(t, 0))
        else {
            continue;
        };
        for (state, worst) in worst.iter_mut().enumerate() {
            let values = space.sample(&own, state, 0);
            let pairs = space.nodes().iter().zip(space.weights()).zip(values);
            let sum: f64 = pairs
                .map(|((x, w), value)| {
                    w * (value - other_space.value(&other, state, 0, *x)).powi(2)
                })
                .sum();
            let distance = sum.sqrt();
            *worst = if distance.is_nan() {
                f64::NAN
            } else {
                worst.max(distance)
            };
        }
    }
    for (worst, scale) in worst.iter_mut().zip(scales) {
        *worst /= if *scale > 0.0 { *scale } else { 1.0 };
    }
    worst
}
