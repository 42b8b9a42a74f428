//! Boxes of one shape over the samples.

use fastlsq_basis::sampling::UnitSampler;
use ndarray::ArrayView2;

use crate::{DiscoveryError, Samples};

/// Distance between neighbouring windows in half-widths: they share more than half of their width.
const SPACING: f64 = 0.9;

/// Half-widths of a window along each axis, over samples that fill a box.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub(super) half: Vec<f64>,
}

impl Layout {
    /// Windows that hold `count` samples on average, with these ratios of the half-widths to the box.
    ///
    /// An axis that is shorter than its share is covered by one window, and the others make up for it.
    pub(super) fn new(samples: &Samples, count: usize, ratios: &[f64]) -> Self {
        let (lower, upper) = samples.bounds();
        let dim = ratios.len();
        let mut shares = vec![1.0; dim];
        let mut open: Vec<usize> = (0..dim).collect();
        let whole = (count as f64 / samples.len() as f64).min(1.0);
        while !open.is_empty() {
            let product: f64 = open.iter().map(|&k| ratios[k]).product();
            let scale = (whole / product).powf(1.0 / open.len() as f64);
            let full = |k: &usize| scale * ratios[*k] >= 1.0;
            if open.iter().any(full) {
                open.retain(|k| !full(k));
                continue;
            }
            for &k in &open {
                shares[k] = scale * ratios[k];
            }
            break;
        }
        let half = (0..dim).map(|k| 0.5 * shares[k] * (upper[k] - lower[k]));
        Self {
            half: half.collect(),
            lower,
            upper,
        }
    }

    fn is_whole(&self, axis: usize) -> bool {
        2.0 * self.half[axis] >= (1.0 - 1e-9) * (self.upper[axis] - self.lower[axis])
    }

    /// Middles of windows that cover the box.
    pub(super) fn centres(&self) -> Vec<Vec<f64>> {
        let mut centres: Vec<Vec<f64>> = vec![Vec::new()];
        for axis in 0..self.half.len() {
            let (low, high, half) = (self.lower[axis], self.upper[axis], self.half[axis]);
            let room = high - low - 2.0 * half;
            let steps = if self.is_whole(axis) {
                0
            } else {
                (room / (SPACING * half)).ceil() as usize
            };
            let place = |i: usize| match steps {
                0 => 0.5 * (low + high),
                _ => low + half + room * i as f64 / steps as f64,
            };
            let longer = centres.iter().flat_map(|centre| {
                (0..=steps).map(move |i| {
                    let mut longer = centre.clone();
                    longer.push(place(i));
                    longer
                })
            });
            centres = longer.collect();
        }
        centres
    }

    /// A few middles of windows that are spread over the box.
    pub(super) fn probes(&self, count: usize) -> Vec<Vec<f64>> {
        let unit = UnitSampler::halton(1).points(count, self.half.len());
        let along = |axis: usize, s: f64| {
            let room = self.upper[axis] - self.lower[axis] - 2.0 * self.half[axis];
            self.lower[axis] + self.half[axis] + room.max(0.0) * s
        };
        let rows = unit.rows().into_iter();
        rows.map(|row| row.iter().enumerate().map(|(k, s)| along(k, *s)).collect())
            .collect()
    }

    /// Distance of a point from the middle of a window: 1 on its edge.
    pub(super) fn distance(&self, centre: &[f64], point: ndarray::ArrayView1<'_, f64>) -> f64 {
        let axes = point.iter().zip(centre).zip(&self.half);
        axes.map(|((x, c), h)| (x - c).abs() / h)
            .fold(0.0, f64::max)
    }

    /// The samples of a window.
    pub(super) fn members(&self, centre: &[f64], points: ArrayView2<'_, f64>) -> Vec<usize> {
        let inside = |i: &usize| self.distance(centre, points.row(*i)) <= 1.0;
        (0..points.nrows()).filter(inside).collect()
    }

    /// The samples of a window by themselves.
    ///
    /// # Errors
    /// Too few of them, or samples that do not vary.
    pub(super) fn local(
        &self,
        centre: &[f64],
        samples: &Samples,
    ) -> Result<(Vec<usize>, Samples), DiscoveryError> {
        let members = self.members(centre, samples.points());
        let local = samples.subset(&members)?;
        Ok((members, local))
    }
}
