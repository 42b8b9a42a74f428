//! Detail of the data that no row has seen.
//!
//! Data cost little beside rows, so they are looked at on a fine grid before a tolerance is said to be met. Where they bend
//! most between neighbouring points of the grid, and where they are largest, the residual of u is taken; one far above
//! that of the held-out points is detail that was overlooked. In more than three dimensions points are scattered, and only
//! where the data are largest is it looked at how much they bend.

use fastlsq_basis::Basis;
use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_ops::{Field, Sites};
use ndarray::{Array2, Axis};

use crate::SolveError;
use crate::control::Control;
use crate::domain::{BoundingBox, Domain};
use crate::problem::{ConcreteCondition, ConcreteProblem};
use crate::rows::{BlockScore, RowCounts, Score, TableShare, sample_blocks};

/// Detail that was overlooked.
#[derive(Debug, Clone, PartialEq)]
pub struct Unseen {
    /// The equation or condition.
    pub label: String,
    /// Where it is.
    pub point: Vec<f64>,
    /// Root mean square over the domain of the residual there, relative to the terms.
    pub share: f64,
}

/// Points of the grid in all.
const GRID: usize = 20_000;
/// The most points of a grid along one axis.
const ALONG: usize = 10_000;
/// Detail bends this many times more than the data do at a typical point of the grid.
const SHARP: f64 = 100.0;
/// Points of the grid where the residual is taken, for each of the two signs of detail.
const SUSPECTS: usize = 48;
/// Points on each condition.
const CONDITION_POINTS: usize = 1500;
/// Residuals are overlooked detail if they exceed those of the held-out points by this factor.
const FAR_ABOVE: f64 = 100.0;

/// Looks for detail that a candidate has not seen: the worst of all blocks.
pub(super) fn look(
    problem: &ConcreteProblem,
    bases: &[&dyn Basis],
    beta: &[f64],
    score: &Score,
) -> Result<Option<Unseen>, SolveError> {
    let bounds = problem.domain.bounding_box()?;
    let mut worst: Option<Unseen> = None;
    let mut report = |found: Option<Unseen>| {
        if let Some(found) = found
            && worst.as_ref().is_none_or(|worst| found.share > worst.share)
        {
            worst = Some(found);
        }
    };
    let grid = grid(&bounds);
    for (equation, part) in problem.equations.iter().zip(&score.parts) {
        if equation.source.is_constant() {
            continue;
        }
        let region = equation.region.as_ref();
        let domain = region.map_or(problem.domain.as_ref(), |own| own.domain.as_ref());
        let suspects = suspects(domain, &equation.source, &grid)?;
        let points = grid.points.select(Axis(0), &suspects.points);
        let data = equation.source.evaluate(&points)?;
        let applied = equation.operator.apply(bases, beta, &points)?;
        let residuals = applied.iter().zip(&data).map(|(a, f)| (a - f).abs());
        let details = residuals.zip(&suspects.bends);
        let details = details.map(|(residual, bend)| detail(residual, *bend, suspects.typical));
        report(judged(
            &equation.label,
            &points,
            &details.collect::<Vec<_>>(),
            suspects.of,
            *part,
        ));
    }
    // Constants have no detail, and tables have nothing between their rows.
    let varies = |own: &ConcreteCondition| !own.data.is_constant();
    let mut conditions = problem.clone();
    conditions.equations.clear();
    conditions.conditions.retain(varies);
    let counts = RowCounts {
        interior: 0,
        conditions: vec![CONDITION_POINTS; conditions.conditions.len()],
    };
    let share = TableShare::HeldOut;
    let control = Control::new();
    let blocks = sample_blocks(
        &conditions,
        &counts,
        Sequence::Halton,
        SEED,
        share,
        &control,
    )?;
    let parts = score.parts.iter().skip(problem.equations.len());
    let parts = parts
        .zip(&problem.conditions)
        .filter(|(_, own)| varies(own));
    for (block, (part, _)) in blocks.iter().zip(parts) {
        let applied = block.apply(bases, beta)?;
        let residuals = applied.iter().zip(&block.data).map(|(a, g)| (a - g).abs());
        report(judged(
            &block.label,
            &block.points,
            &residuals.collect::<Vec<_>>(),
            block.len(),
            *part,
        ));
    }
    Ok(worst)
}

/// The seed of the points on conditions.
const SEED: u64 = 0x0de_7a11;

/// A grid of cell centres, one point per row, the last axis fastest.
struct Grid {
    points: Array2<f64>,
    /// Points along each axis; 0 where the points are scattered instead.
    along: usize,
    /// How far they are apart along each axis, scattered ones about.
    steps: Vec<f64>,
}

fn grid(bounds: &BoundingBox) -> Grid {
    let dim = bounds.dim();
    let (lo, hi) = (bounds.lo(), bounds.hi());
    let each = (GRID as f64).powf(1.0 / dim as f64).round();
    let steps = |along: f64| lo.iter().zip(hi).map(|(a, b)| (b - a) / along).collect();
    if dim > 3 {
        let mut sampler = UnitSampler::halton(SEED);
        let mut points = sampler.points(GRID, dim);
        for (k, mut column) in points.columns_mut().into_iter().enumerate() {
            column.mapv_inplace(|t| lo[k] + t * (hi[k] - lo[k]));
        }
        return Grid {
            points,
            along: 0,
            steps: steps(each),
        };
    }
    let along = (each as usize).min(ALONG);
    let mut points = Array2::zeros((along.pow(dim as u32), dim));
    for (k, mut column) in points.columns_mut().into_iter().enumerate() {
        let centre = |j: usize| lo[k] + (j as f64 + 0.5) / along as f64 * (hi[k] - lo[k]);
        let centres: Vec<f64> = (0..along).map(centre).collect();
        let repeated = along.pow((dim - 1 - k) as u32);
        let cycle = centres
            .iter()
            .flat_map(|c| std::iter::repeat_n(c, repeated));
        for (x, c) in column.iter_mut().zip(cycle.cycle()) {
            *x = *c;
        }
    }
    Grid {
        points,
        along,
        steps: steps(along as f64),
    }
}

/// Points at which the residual is worth a look.
struct Suspects {
    /// Points of the grid: where the data bend most between neighbours, and where they are largest.
    points: Vec<usize>,
    /// How much the data bend there.
    bends: Vec<f64>,
    /// How much they bend at a typical point.
    typical: f64,
    /// How many points of the domain were looked at.
    of: usize,
}

/// The part of a residual that is detail of the data: all of it where the data bend sharply, and about as much as the
/// residual is large, as they do at a peak that u knows nothing of. A residual that is much smaller or much larger than that
/// is u's own.
fn detail(residual: f64, bend: f64, typical: f64) -> f64 {
    let alike = bend / ALIKE..=bend * ALIKE;
    let sharp = bend > SHARP * typical;
    if sharp && alike.contains(&residual) {
        residual
    } else {
        0.0
    }
}

/// Bends and residuals are alike within this factor.
const ALIKE: f64 = 20.0;

fn suspects(domain: &dyn Domain, data: &Field, grid: &Grid) -> Result<Suspects, SolveError> {
    let inside: Vec<bool> = grid
        .points
        .rows()
        .into_iter()
        .map(|point| point.as_slice().is_some_and(|x| domain.contains(x)))
        .collect();
    let chosen: Vec<usize> = (0..inside.len()).filter(|&i| inside[i]).collect();
    let values = if chosen.len() == inside.len() {
        data.evaluate(Sites::new(grid.points.view()))?
    } else {
        // Data outside of the domain need not be defined: they are not asked for.
        let points = grid.points.select(Axis(0), &chosen);
        let own = data.evaluate(Sites::new(points.view()))?;
        let mut values = vec![f64::NAN; inside.len()];
        for (&i, value) in chosen.iter().zip(&own) {
            values[i] = *value;
        }
        values
    };
    // At the rim of the grid u is worst anyway, and data cannot be compared on both sides: they are not looked at.
    let bend = |i: usize| -> f64 {
        let mut largest = 0.0f64;
        let mut stride = 1;
        for _ in 0..grid.points.ncols() {
            let index = i / stride % grid.along.max(1);
            if index < 2 || index + 2 >= grid.along {
                return 0.0;
            }
            let fourth = fourth_difference(|j| values[i + j * stride - 2 * stride]);
            largest = largest.max(fourth.abs());
            stride *= grid.along;
        }
        largest
    };
    let mut suspects = Vec::with_capacity(2 * SUSPECTS);
    let mut take = |measure: &dyn Fn(usize) -> f64| {
        let mut ranked: Vec<(f64, usize)> = chosen.iter().map(|&i| (measure(i), i)).collect();
        let count = SUSPECTS.min(ranked.len());
        if count < ranked.len() {
            ranked.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0));
        }
        suspects.extend(ranked.into_iter().take(count).map(|(_, i)| i));
    };
    if grid.along > 0 {
        take(&bend);
    }
    take(&|i| values[i].abs());
    let gridded = grid.along > 0;
    let (bends, typical): (Vec<f64>, Vec<f64>) = if gridded {
        let all = chosen.iter().map(|&i| bend(i));
        (suspects.iter().map(|&i| bend(i)).collect(), all.collect())
    } else {
        let bends = |of: &[usize]| {
            let points = grid.points.select(Axis(0), of);
            bends_between(domain, data, &points, &grid.steps)
        };
        let some: Vec<usize> = chosen.iter().copied().take(2 * SUSPECTS).collect();
        (bends(&suspects)?, bends(&some)?)
    };
    Ok(Suspects {
        typical: median(typical.into_iter().filter(|bend| *bend > 0.0)),
        bends,
        points: suspects,
        of: chosen.len(),
    })
}

/// How much data bend at points that lie on no grid: fourth differences towards the side on which the domain goes on; 0 along an
/// axis where it ends on both.
fn bends_between(
    domain: &dyn Domain,
    data: &Field,
    points: &Array2<f64>,
    steps: &[f64],
) -> Result<Vec<f64>, SolveError> {
    let mut bends = vec![0.0f64; points.nrows()];
    for (axis, step) in steps.iter().enumerate() {
        let mut lines = Vec::new();
        for (i, point) in points.rows().into_iter().enumerate() {
            let moved = |steps: f64| {
                let mut moved = point.to_owned();
                moved[axis] += steps * step;
                moved
            };
            let inside = |side: &f64| {
                let line = (1..5).map(|j| moved(side * f64::from(j)));
                line.into_iter()
                    .all(|x| x.as_slice().is_some_and(|x| domain.contains(x)))
            };
            if let Some(side) = [1.0, -1.0].into_iter().find(inside) {
                lines.push((
                    i,
                    (0..5)
                        .map(|j| moved(side * f64::from(j)))
                        .collect::<Vec<_>>(),
                ));
            }
        }
        let all: Vec<_> = lines.iter().flat_map(|(_, line)| line).collect();
        let all = Array2::from_shape_fn((all.len(), points.ncols()), |(i, k)| all[i][k]);
        let values = data.evaluate(Sites::new(all.view()))?;
        for ((i, _), line) in lines.iter().zip(values.chunks_exact(5)) {
            let fourth = fourth_difference(|j| line[j]);
            bends[*i] = bends[*i].max(fourth.abs());
        }
    }
    Ok(bends)
}

fn fourth_difference(value: impl Fn(usize) -> f64) -> f64 {
    value(0) - 4.0 * value(1) + 6.0 * value(2) - 4.0 * value(3) + value(4)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let middle = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Whether the residuals at some points, of this many that were looked at, are far above those of the held-out ones.
fn judged(
    label: &str,
    points: &Array2<f64>,
    residuals: &[f64],
    of: usize,
    part: BlockScore,
) -> Option<Unseen> {
    let limit = FAR_ABOVE * part.residual;
    let (place, largest) = residuals
        .iter()
        .copied()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    if largest.is_nan() || largest <= limit || part.scale <= 0.0 {
        return None;
    }
    let squares: f64 = residuals
        .iter()
        .filter(|r| **r > limit)
        .map(|r| r * r)
        .sum();
    Some(Unseen {
        label: label.to_owned(),
        point: points.row(place).to_vec(),
        share: (squares / of.max(1) as f64).sqrt() / part.scale,
    })
}
