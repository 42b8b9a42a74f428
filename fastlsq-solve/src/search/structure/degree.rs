//! How fine data are along a line: the degree of the polynomial that follows them.

use std::f64::consts::PI;

use ndarray::Array2;

use super::slice::Slice;

/// Points on a line, in the order in which they are tried.
const POINTS: [usize; 4] = [33, 65, 129, 257];
/// A degree below this share of the number of points is known.
const KNOWN: f64 = 0.8;

/// The degree of the Chebyshev series of the data on the line y = centre + t·direction, t ∈ [−1, 1], up to terms below
/// `share` of the largest. `None` if the data cannot be evaluated there.
pub(super) fn along(
    slice: &Slice<'_>,
    centre: &[f64],
    direction: &[f64],
    share: f64,
) -> Option<usize> {
    let mut degree = 0;
    for points in POINTS {
        let angle = |i: usize| PI * (i as f64 + 0.5) / points as f64;
        let y = Array2::from_shape_fn((points, centre.len()), |(i, k)| {
            centre[k] + angle(i).cos() * direction[k]
        });
        let values = slice.values(y)?;
        let coefficient = |n: usize| -> f64 {
            let terms = values
                .iter()
                .enumerate()
                .map(|(i, v)| v * (n as f64 * angle(i)).cos());
            2.0 / points as f64 * terms.sum::<f64>()
        };
        let series: Vec<f64> = (0..points).map(|n| coefficient(n).abs()).collect();
        let largest = series.iter().copied().fold(0.0, f64::max);
        let counts = |c: &f64| *c > (share * largest).max(slice.rounding);
        degree = series.iter().rposition(counts).unwrap_or(0);
        if (degree as f64) < KNOWN * points as f64 {
            break;
        }
    }
    Some(degree)
}
