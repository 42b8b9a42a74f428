//! Derivatives in time of data that are known at any time.

use crate::NewtonError;

/// Points of the formula, and their distance as a share of the time interval.
const STENCIL: usize = 9;
const SPACING: f64 = 5e-4;

/// The derivative at t of the polynomial that is 1 at node k and 0 at the others.
fn lagrange_slope(nodes: &[f64], k: usize, t: f64) -> f64 {
    let others = || nodes.iter().enumerate().filter(|(j, _)| *j != k);
    others()
        .map(|(left_out, node)| {
            others()
                .filter(|(j, _)| *j != left_out)
                .fold(1.0 / (nodes[k] - node), |product, (_, node)| {
                    product * (t - node) / (nodes[k] - node)
                })
        })
        .sum()
}

/// The rate of change at t of values that are known at any time of an interval.
pub(crate) fn slope_in_time(
    (start, end): (f64, f64),
    t: f64,
    values: impl Fn(f64) -> Result<Vec<f64>, NewtonError>,
) -> Result<Vec<f64>, NewtonError> {
    let step = SPACING * (end - start);
    let reach = step * (STENCIL / 2) as f64;
    let first = t.clamp(start + reach, end - reach) - reach;
    let nodes: Vec<f64> = (0..STENCIL).map(|k| first + step * k as f64).collect();
    let mut slope = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        let values = values(*node)?;
        let weight = lagrange_slope(&nodes, k, t);
        slope.resize(values.len(), 0.0);
        for (slope, value) in slope.iter_mut().zip(values) {
            *slope += weight * value;
        }
    }
    Ok(slope)
}

#[cfg(test)]
mod tests {
    use super::slope_in_time;

    #[test]
    fn smooth_data_to_ten_digits() {
        for t in [0.0, 0.3, 2.0] {
            let found = slope_in_time((0.0, 2.0), t, |t| Ok(vec![(3.0 * t).sin(), 1.0])).unwrap();
            assert!((found[0] - 3.0 * (3.0 * t).cos()).abs() < 1e-9, "at {t}");
            assert!(found[1].abs() < 1e-9);
        }
    }
}
