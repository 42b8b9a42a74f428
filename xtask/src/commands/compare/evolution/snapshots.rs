//! What an evolution is measured by: its values at some times, at points of space that belong to each.

use anyhow::Result;
use fastlsq_solve::Solution;
use ndarray::Array2;
use serde::Serialize;

/// Points at each time.
const POINTS: usize = 1000;

/// The truth at some times.
#[derive(Debug, Serialize)]
pub(super) struct Snapshots {
    pub(super) times: Vec<f64>,
    /// For each time, points that are shifted from time to time, so that none has a special place.
    pub(super) points: Vec<Vec<f64>>,
    /// u there.
    values: Vec<Vec<f64>>,
}

impl Snapshots {
    /// `truth` is u at time number k.
    pub(super) fn new(
        (lo, hi): (f64, f64),
        times: Vec<f64>,
        truth: impl Fn(usize, f64) -> f64,
    ) -> Self {
        let at = |k: usize| {
            let shift = (0.618 * (k + 1) as f64).fract();
            let share = move |i: usize| (i as f64 + shift) / POINTS as f64;
            (0..POINTS).map(move |i| lo + (hi - lo) * share(i))
        };
        let points: Vec<Vec<f64>> = (0..times.len()).map(|k| at(k).collect()).collect();
        let value = |(k, own): (usize, &Vec<f64>)| own.iter().map(|x| truth(k, *x)).collect();
        Self {
            values: points.iter().enumerate().map(value).collect(),
            points,
            times,
        }
    }

    /// The values of a solution in space-time at the points.
    pub(super) fn of(&self, solution: &Solution) -> Result<Vec<Vec<f64>>> {
        let pairs = self.points.iter().zip(&self.times);
        pairs.map(|(own, t)| at_time(solution, own, *t)).collect()
    }

    /// The largest L2 distance over the times, relative to the largest norm of the truth; `None` unless there are
    /// finite values everywhere.
    pub(super) fn error(&self, found: &[Vec<f64>]) -> Option<f64> {
        if found.len() != self.times.len() {
            return None;
        }
        let (mut worst, mut norm) = (0.0_f64, 0.0_f64);
        for (found, truth) in found.iter().zip(&self.values) {
            if found.len() != truth.len() {
                return None;
            }
            let pairs = found.iter().zip(truth);
            let distance: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
            if !distance.is_finite() {
                return None;
            }
            worst = worst.max(distance);
            norm = norm.max(truth.iter().map(|b| b * b).sum());
        }
        Some((worst / norm).sqrt())
    }
}

/// The values of a solution in space-time at points of space.
pub(super) fn at_time(solution: &Solution, points: &[f64], t: f64) -> Result<Vec<f64>> {
    let sites = Array2::from_shape_fn((points.len(), 2), |(i, axis)| match axis {
        0 => points[i],
        _ => t,
    });
    Ok(solution.values(sites.view())?)
}

#[cfg(test)]
mod tests {
    use super::Snapshots;

    #[test]
    fn the_error_is_the_worst_over_the_largest_norm() {
        let truth = |k: usize, _: f64| [2.0, 1.0][k];
        let snapshots = Snapshots::new((-1.0, 1.0), vec![0.5, 1.0], truth);
        assert!(snapshots.points[0][0] != snapshots.points[1][0]);
        assert!(
            snapshots
                .points
                .iter()
                .flatten()
                .all(|x| (-1.0..1.0).contains(x))
        );
        let mut found = snapshots.values.clone();
        assert_eq!(snapshots.error(&found), Some(0.0));
        for value in &mut found[1] {
            *value += 0.02;
        }
        assert!((snapshots.error(&found).unwrap() - 0.01).abs() < 1e-12);
        found[0][7] = f64::NAN;
        assert_eq!(snapshots.error(&found), None);
        assert_eq!(snapshots.error(&found[..1]), None);
    }
}
