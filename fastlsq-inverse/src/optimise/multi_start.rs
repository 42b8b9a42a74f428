//! Several starts, the best kept.

use super::bounds::{Bounds, BoundsError};
use super::error::OptimiseError;
use super::minimise::{MinimiseOptions, SquaresOptions, minimise, minimise_squares};
use super::minimum::Minimum;
use super::objective::{Objective, Residuals};

/// The outcome of several minimisations of one problem.
#[derive(Debug)]
#[non_exhaustive]
pub struct MultiStart {
    /// The minimum with the least value.
    pub best: Minimum,
    /// Which start led to it.
    pub best_start: usize,
    /// What every start led to, in their order. A start that fails does not stop the others.
    pub runs: Vec<Result<Minimum, OptimiseError>>,
}

impl MultiStart {
    /// How many runs ended within `tolerance` · max(1, |least value|) of the least value: one
    /// among many says that the objective has several local minima.
    #[must_use]
    pub fn agreeing(&self, tolerance: f64) -> usize {
        let margin = tolerance * self.best.value.abs().max(1.0);
        self.runs
            .iter()
            .flatten()
            .filter(|run| run.value <= self.best.value + margin)
            .count()
    }
}

/// [`minimise`] from each start.
pub fn minimise_from_starts<O: Objective + ?Sized>(
    objective: &O,
    starts: &[Vec<f64>],
    bounds: &Bounds,
    options: &MinimiseOptions,
) -> Result<MultiStart, OptimiseError> {
    collect(
        starts
            .iter()
            .map(|start| minimise(objective, start, bounds, options)),
    )
}

/// [`minimise_squares`] from each start.
pub fn minimise_squares_from_starts<R: Residuals + ?Sized>(
    residuals: &R,
    starts: &[Vec<f64>],
    bounds: &Bounds,
    options: &SquaresOptions,
) -> Result<MultiStart, OptimiseError> {
    collect(
        starts
            .iter()
            .map(|start| minimise_squares(residuals, start, bounds, options)),
    )
}

fn collect(
    runs: impl Iterator<Item = Result<Minimum, OptimiseError>>,
) -> Result<MultiStart, OptimiseError> {
    let mut runs: Vec<_> = runs.collect();
    let best = runs
        .iter()
        .enumerate()
        .filter_map(|(index, run)| run.as_ref().ok().map(|minimum| (index, minimum)))
        .min_by(|(_, a), (_, b)| a.value.total_cmp(&b.value))
        .map(|(index, minimum)| (index, minimum.clone()));
    if let Some((best_start, best)) = best {
        return Ok(MultiStart {
            best,
            best_start,
            runs,
        });
    }
    let count = runs.len();
    match runs.drain(..).next() {
        Some(Err(first)) => Err(OptimiseError::AllStartsFailed {
            count,
            first: Box::new(first),
        }),
        _ => Err(OptimiseError::NoStarts),
    }
}

/// `count` points spread evenly over a box with finite sides, the same ones each time.
///
/// An additive recurrence with the powers of 1/φ, where φ^{d+1} = φ + 1 generalises the golden
/// ratio to d dimensions; the first point is the centre.
pub fn scattered_starts(bounds: &Bounds, count: usize) -> Result<Vec<Vec<f64>>, BoundsError> {
    if let Some(index) = bounds
        .sides()
        .position(|(l, u)| !(l.is_finite() && u.is_finite()))
    {
        return Err(BoundsError::Infinite { index });
    }
    let dimension = bounds.dimension() as f64;
    let mut phi: f64 = 2.0;
    for _ in 0..60 {
        phi = (1.0 + phi).powf(1.0 / (dimension + 1.0));
    }
    let point = |i: usize| {
        let mut stride = 1.0;
        let mut point: Vec<f64> = bounds
            .sides()
            .map(|(lower, upper)| {
                stride /= phi;
                let fraction = (0.5 + i as f64 * stride).fract();
                lower + fraction * (upper - lower)
            })
            .collect();
        bounds.clamp(&mut point);
        point
    };
    Ok((0..count).map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattered_points_fill_the_box_evenly() {
        let bounds = Bounds::from_pairs(&[(0.0, 1.0), (-3.0, 5.0)]).unwrap();
        let points = scattered_starts(&bounds, 64).unwrap();
        assert_eq!(points[0], [0.5, 1.0]);
        // Each of 4 × 4 cells of equal size would get 4 points; a lattice misses by little.
        let mut cells = [0; 16];
        for point in &points {
            assert!(bounds.contains(point));
            let row = (4.0 * point[0]) as usize;
            let column = (4.0 * (point[1] + 3.0) / 8.0) as usize;
            cells[4 * row + column] += 1;
        }
        assert!(cells.iter().all(|&n| (2..=6).contains(&n)), "{cells:?}");
    }

    #[test]
    fn scattering_needs_finite_sides() {
        let bounds = Bounds::from_pairs(&[(0.0, 1.0), (0.0, f64::INFINITY)]).unwrap();
        assert_eq!(
            scattered_starts(&bounds, 2),
            Err(BoundsError::Infinite { index: 1 })
        );
    }
}
