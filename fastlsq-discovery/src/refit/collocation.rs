//! Where the law is enforced.

use fastlsq_basis::InputMap;
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// About `count` points of the box, denser towards its faces (Chebyshev along each axis), where
/// data say least and the law has to carry on alone.
pub(super) fn collocation_points(map: &InputMap, bandwidth: &[f64], count: usize) -> Array2<f64> {
    let dim = map.dim();
    let physical = |axis: usize, mapped: f64| map.center()[axis] + map.half()[axis] * mapped;
    if dim <= 2 {
        // More points along axes with finer detail.
        let weights: Vec<f64> = bandwidth.iter().map(|s| 2.0 + s).collect();
        let total: f64 = weights.iter().product();
        let unit = (count as f64 / total).powf(1.0 / dim as f64);
        let counts: Vec<usize> = weights
            .iter()
            .map(|w| ((w * unit).ceil() as usize).max(6))
            .collect();
        let all = counts.iter().product();
        return Array2::from_shape_fn((all, dim), |(i, k)| {
            let inner: usize = counts[k + 1..].iter().product();
            let place = (i / inner) % counts[k];
            let angle = std::f64::consts::PI * place as f64 / (counts[k] - 1) as f64;
            physical(k, -angle.cos())
        });
    }
    let unit = UnitSampler::halton(0).points(count, dim);
    Array2::from_shape_fn((count, dim), |(i, k)| {
        physical(k, -(std::f64::consts::PI * unit[(i, k)]).cos())
    })
}
