//! Evenly spaced axes, and linear maps along one axis of a tensor grid.

use crate::DiscoveryError;

/// Spacings may differ from their mean by this share: axes are often stored in single precision.
const EVENNESS: f64 = 1e-3;

/// Fewest points along an axis: a window of the narrowest test function, and room to move it.
pub(crate) const SHORTEST: usize = 20;

/// Evenly spaced coordinates start, start + step, …
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    pub(crate) start: f64,
    pub(crate) step: f64,
    pub(crate) count: usize,
}

impl Axis {
    /// Checks that the coordinates are finite, increase and are evenly spaced.
    pub(crate) fn new(axis: usize, coordinates: &[f64]) -> Result<Self, DiscoveryError> {
        let count = coordinates.len();
        if count < SHORTEST {
            return Err(DiscoveryError::ShortRecord {
                axis,
                found: count,
                needed: SHORTEST,
            });
        }
        let refuse = |index: usize, reason: &'static str| DiscoveryError::Axis {
            axis,
            index,
            value: coordinates.get(index).copied().unwrap_or(f64::NAN),
            reason,
        };
        if let Some(index) = coordinates.iter().position(|x| !x.is_finite()) {
            return Err(refuse(index, "coordinates must be finite"));
        }
        if let Some(index) = coordinates.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(refuse(
                index + 1,
                "coordinates must increase; sort or reverse the axis, and the array with it",
            ));
        }
        let (start, end) = (coordinates[0], coordinates[count - 1]);
        let step = (end - start) / (count - 1) as f64;
        let even = |pair: &[f64]| ((pair[1] - pair[0]) / step - 1.0).abs() <= EVENNESS;
        if let Some(index) = coordinates.windows(2).position(|pair| !even(pair)) {
            return Err(refuse(
                index + 1,
                "windows need even spacing; interpolate, or give scattered samples to Samples::new",
            ));
        }
        Ok(Self { start, step, count })
    }
}

/// Weights over consecutive points, starting at `first`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stencil {
    pub(crate) first: usize,
    pub(crate) weights: Vec<f64>,
}

/// Applies one stencil for every new point of an axis; the last axis varies fastest.
///
/// The axis has then as many points as there are stencils; the others stay as they are.
pub(crate) fn apply_along(
    values: &[f64],
    shape: &[usize],
    axis: usize,
    stencils: &[Stencil],
) -> Vec<f64> {
    let count = shape[axis];
    let inner: usize = shape[axis + 1..].iter().product();
    let mut out = Vec::with_capacity(values.len() / count.max(1) * stencils.len());
    let mut sum = vec![0.0; inner];
    for slab in values.chunks_exact(count * inner) {
        for stencil in stencils {
            if inner == 1 {
                let part = &slab[stencil.first..stencil.first + stencil.weights.len()];
                out.push(part.iter().zip(&stencil.weights).map(|(v, w)| v * w).sum());
                continue;
            }
            sum.fill(0.0);
            for (k, weight) in stencil.weights.iter().enumerate() {
                let from = (stencil.first + k) * inner;
                for (s, v) in sum.iter_mut().zip(&slab[from..from + inner]) {
                    *s += weight * v;
                }
            }
            out.extend_from_slice(&sum);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencils_act_along_their_axis_only() {
        // f(i, j, k) = 100 i + 10 j + k on 2 × 3 × 4
        let values: Vec<f64> = (0..24)
            .map(|p| f64::from(100 * (p / 12) + 10 * (p / 4 % 3) + p % 4))
            .collect();
        let difference = |first| Stencil {
            first,
            weights: vec![-1.0, 1.0],
        };
        for (axis, slope, points) in [(0, 100.0, 1), (1, 10.0, 2), (2, 1.0, 3)] {
            let stencils: Vec<Stencil> = (0..points).map(difference).collect();
            let out = apply_along(&values, &[2, 3, 4], axis, &stencils);
            assert_eq!(out.len(), 24 / [2, 3, 4][axis] * points);
            assert!(out.iter().all(|v| (v - slope).abs() < 1e-12), "axis {axis}");
        }
    }

    #[test]
    fn axes_are_checked() {
        let good: Vec<f64> = (0..30).map(|i| 0.1 * f64::from(i)).collect();
        assert!((Axis::new(0, &good).unwrap().step - 0.1).abs() < 1e-12);
        let mut bad = good.clone();
        bad[7] = bad[6];
        assert!(matches!(
            Axis::new(1, &bad),
            Err(DiscoveryError::Axis {
                axis: 1,
                index: 7,
                ..
            })
        ));
        bad[7] = 0.72;
        assert!(matches!(
            Axis::new(2, &bad),
            Err(DiscoveryError::Axis {
                axis: 2,
                index: 7,
                ..
            })
        ));
        bad[7] = f64::NAN;
        assert!(matches!(
            Axis::new(2, &bad),
            Err(DiscoveryError::Axis { index: 7, .. })
        ));
        assert!(matches!(
            Axis::new(0, &good[..8]),
            Err(DiscoveryError::ShortRecord {
                axis: 0,
                found: 8,
                ..
            })
        ));
    }
}
