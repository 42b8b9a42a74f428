//! The noise of gridded data, and the highest frequency of the signal in it.

use std::f64::consts::PI;

use super::axis::{Stencil, apply_along};

/// Orders of the differences that are tried.
const ORDERS: [usize; 4] = [2, 4, 6, 8];
/// Lines along an axis that are enough for its spectrum.
const LINES: usize = 64;

/// Standard deviation of white noise on a smooth field: the least over several orders of the root
/// mean square of differences along all axes at once, with weights of unit norm.
///
/// Differences of order q take a smooth field to O(hᑫ) and keep the variance of white noise.
pub(crate) fn noise_level(values: &[f64], shape: &[usize]) -> f64 {
    let mut least = f64::INFINITY;
    for order in ORDERS {
        if shape.iter().any(|&n| n < 2 * order + 2) {
            continue;
        }
        let weights = difference(order);
        let (mut now, mut extent) = (values.to_vec(), shape.to_vec());
        for axis in 0..shape.len() {
            let stencils: Vec<Stencil> = (0..extent[axis] - order)
                .map(|first| Stencil {
                    first,
                    weights: weights.clone(),
                })
                .collect();
            now = apply_along(&now, &extent, axis, &stencils);
            extent[axis] = stencils.len();
        }
        let known = now.iter().filter(|v| v.is_finite());
        let (square, count) = known.fold((0.0, 0usize), |(s, n), v| (s + v * v, n + 1));
        if count > 0 {
            least = least.min((square / count as f64).sqrt());
        }
    }
    if least.is_finite() { least } else { 0.0 }
}

/// Binomial weights with alternating signs and unit norm.
fn difference(order: usize) -> Vec<f64> {
    let mut weights = vec![1.0];
    for _ in 0..order {
        let mut next = vec![0.0; weights.len() + 1];
        for (k, w) in weights.iter().enumerate() {
            next[k] += w;
            next[k + 1] -= w;
        }
        weights = next;
    }
    let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    weights.iter().map(|w| w / norm).collect()
}

/// Angular frequency per point below which `share` of the signal's energy along an axis lies; the
/// energy of the noise is subtracted.
pub(crate) fn corner(values: &[f64], shape: &[usize], axis: usize, noise: f64, share: f64) -> f64 {
    let count = shape[axis];
    let inner: usize = shape[axis + 1..].iter().product();
    let total = values.len() / count.max(1);
    let skip = total.div_ceil(LINES).max(1);
    let taper: Vec<f64> = (0..count)
        .map(|i| (PI * (i as f64 + 0.5) / count as f64).sin().powi(2))
        .collect();
    let half = count / 2;
    let mut power = vec![0.0; half + 1];
    let mut lines = 0.0;
    for line in (0..total).step_by(skip) {
        let base = line / inner * inner * count + line % inner;
        let raw: Vec<f64> = (0..count).map(|i| values[base + i * inner]).collect();
        if raw.iter().any(|v| !v.is_finite()) {
            continue;
        }
        let mean = raw.iter().sum::<f64>() / count as f64;
        lines += 1.0;
        for (k, slot) in power.iter_mut().enumerate() {
            let turn = 2.0 * PI * k as f64 / count as f64;
            // One rotation per point instead of one sine and cosine.
            let (step_sin, step_cos) = turn.sin_cos();
            let (mut sin, mut cos, mut re, mut im) = (0.0, 1.0, 0.0, 0.0);
            for (v, w) in raw.iter().zip(&taper) {
                let x = (v - mean) * w;
                re += x * cos;
                im += x * sin;
                (cos, sin) = (
                    cos * step_cos - sin * step_sin,
                    sin * step_cos + cos * step_sin,
                );
            }
            *slot += re * re + im * im;
        }
    }
    let floor = noise * noise * taper.iter().map(|w| w * w).sum::<f64>() * lines;
    let signal: Vec<f64> = power.iter().map(|p| (p - floor).max(0.0)).collect();
    // What the subtraction leaves of the noise is as large as its own fluctuation: beyond the last
    // frequency that stands out clearly there is no signal.
    let last = power
        .iter()
        .rposition(|p| *p > 3.0 * floor)
        .unwrap_or(half)
        .max(1);
    let whole: f64 = signal[..=last].iter().sum();
    let mut sum = 0.0;
    for (k, p) in signal[..=last].iter().enumerate() {
        sum += p;
        if sum >= share * whole {
            return 2.0 * PI * (k as f64).max(1.0) / count as f64;
        }
    }
    2.0 * PI * last as f64 / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastlsq_basis::sampling::UnitSampler;

    fn field(noise: f64) -> Vec<f64> {
        let errors = UnitSampler::independent(3).normals(128 * 100, 1);
        (0..128 * 100)
            .map(|p| {
                let (i, j) = ((p / 100) as f64, (p % 100) as f64);
                (2.0 * PI * 6.0 * i / 128.0).sin() * (0.1 * j).cos() + noise * errors[(p, 0)]
            })
            .collect()
    }

    #[test]
    fn noise_is_told_from_a_smooth_field() {
        for noise in [1e-3, 0.1, 1.0] {
            let found = noise_level(&field(noise), &[128, 100]);
            assert!((found / noise - 1.0).abs() < 0.05, "{noise}: {found}");
        }
        assert!(noise_level(&field(0.0), &[128, 100]) < 1e-6);
    }

    #[test]
    fn the_corner_is_the_frequency_of_the_signal() {
        for noise in [0.0, 0.5] {
            let found = corner(&field(noise), &[128, 100], 0, noise, 0.95) * 128.0 / (2.0 * PI);
            assert!((5.0..=8.0).contains(&found), "{noise}: {found}");
        }
    }
}
