//! What the data of a problem tell of its solution before any solve: which coordinates act together, along which directions
//! anything changes, and how fine it is.
//!
//! Sources, boundary and initial data cost little to evaluate. Where L has constant coefficients, Lu is made of the same sets
//! of coordinates and lies along the same directions as u; on a face of a box, Dirichlet data show those that the coordinate
//! across it has no part in. What is found is a guess at u, exact where u was made of such functions and wrong where the
//! domain mixes them (−Δu = f(x₀) with u = 0 around it depends on everything): the held-out score decides.

mod degree;
mod directions;
mod groups;
mod slice;
mod words;

use groups::{Groups, components};
use slice::{Frame, Slice, slices};

use super::shape::HIGH_DIMENSION;
use crate::options::Options;
use crate::problem::ConcreteProblem;

/// This many directions are looked for before sets of coordinates are.
const FEW_DIRECTIONS: usize = 2;
/// Slices that are asked how fine they are.
const ASKED: usize = 3;
/// Lines along which a part is asked how fine it is.
const LINES: usize = 3;

/// One term of u = Σ uₚ: a function of few coordinates, or along few directions.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The directions, on the bounding box mapped to \[−1,1\]^d, each so long that a·y fills \[−1,1\].
    pub directions: Vec<Vec<f64>>,
    /// The coordinates that take part.
    pub axes: Vec<usize>,
    /// The degree of the polynomials that follow the data along it.
    pub degree: usize,
}

impl Part {
    /// Whether it is a function of coordinates, not of combinations of them.
    #[must_use]
    pub fn is_along_axes(&self) -> bool {
        self.directions.len() == self.axes.len()
    }
}

/// What was found: u is taken to be a sum of these parts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Structure {
    /// The parts.
    pub parts: Vec<Part>,
    /// In words.
    pub words: String,
}

/// Looks at the data of a problem; `None` where they have no structure, or where there is nothing to be seen.
///
/// The tolerance of the options says how small a term matters along a line; whether coordinates act together is decided by
/// rounding alone.
#[must_use]
pub fn structure(problem: &ConcreteProblem, options: &Options) -> Option<Structure> {
    let dim = problem.domain.dim();
    let bounds = problem.domain.bounding_box().ok()?;
    if dim < HIGH_DIMENSION || bounds.dim() != dim || problem.equations.is_empty() {
        return None;
    }
    let (frame, whole) = Frame::of(problem.domain.as_ref(), &bounds, options.control())?;
    let slices = slices(problem, &frame, whole);
    let names = problem.space.names();
    let parts = parts(&slices, dim, (0.01 * options.tolerance).clamp(1e-14, 1e-6))?;
    let words = words::describe(&parts, &names, dim);
    Some(Structure { parts, words })
}

/// The parts that these data are made of, up to terms of this share along a line.
fn parts(slices: &[Slice<'_>], dim: usize, share: f64) -> Option<Vec<Part>> {
    if slices.is_empty() {
        return None;
    }
    let all: Vec<usize> = (0..dim).collect();
    let mut groups = Groups::new(slices);
    let active = groups.active(&all)?;
    if active.is_empty() {
        return None;
    }
    let finest = |axes: &[usize], lines: &[Vec<f64>]| finest(slices, axes, lines, share);
    let degrees: Vec<usize> = all
        .iter()
        .map(|&axis| finest(&[axis], &[unit(dim, axis)]))
        .collect();
    let along = |axes: &[usize], count: usize| -> Option<Part> {
        let rows = directions::directions(slices, axes, &degrees)?;
        if rows.nrows() > count {
            return None;
        }
        let rows: Vec<Vec<f64>> = rows.rows().into_iter().map(|row| row.to_vec()).collect();
        Some(Part {
            degree: finest(axes, &corner_lines(&rows)),
            directions: rows.iter().map(|row| filling(row)).collect(),
            axes: axes.to_vec(),
        })
    };
    if let Some(part) = along(&active, FEW_DIRECTIONS.min(active.len() - 1)) {
        return Some(vec![part]);
    }
    let pairs = groups.pairs(&active)?;
    let together = components(pairs.iter().map(<[usize; 2]>::as_slice));
    let mut parts: Vec<Part> = Vec::new();
    let mut combined: Vec<usize> = Vec::new();
    for axes in &together {
        if let Some(part) = along(axes, axes.len() - 1) {
            combined.extend(axes);
            parts.push(part);
            continue;
        }
        let inside = pairs.iter().filter(|pair| axes.contains(&pair[0]));
        for set in groups.sets(&inside.copied().collect())? {
            let directions: Vec<Vec<f64>> = set.iter().map(|&axis| unit(dim, axis)).collect();
            parts.push(Part {
                degree: finest(&set, &corner_lines(&directions)),
                directions,
                axes: set,
            });
        }
    }
    // Each coordinate also has a function of its own, which the larger sets need not carry then.
    let single = active.iter().filter(|axis| !combined.contains(axis));
    parts.extend(single.map(|&axis| Part {
        directions: vec![unit(dim, axis)],
        axes: vec![axis],
        degree: degrees[axis],
    }));
    parts.sort_by_key(|part| (part.directions.len(), part.axes.clone()));
    let dense = parts.iter().any(|part| part.directions.len() == dim);
    (!dense).then_some(parts)
}

/// The largest degree along these lines, in the slices that show these coordinates.
fn finest(slices: &[Slice<'_>], axes: &[usize], lines: &[Vec<f64>], share: f64) -> usize {
    // Sources come last, and tell most.
    let shown = slices
        .iter()
        .rev()
        .filter(|slice| slice.shows(axes))
        .take(ASKED);
    let mut largest = 0;
    for slice in shown {
        for (k, line) in lines.iter().enumerate() {
            // Coordinates beside the line stand where no symmetry is likely.
            let aside = |axis: usize| 0.3 - 0.17 * ((axis + k) % 4) as f64;
            let centre: Vec<f64> = line
                .iter()
                .enumerate()
                .map(|(axis, along)| if *along == 0.0 { aside(axis) } else { 0.0 })
                .collect();
            largest = largest.max(degree::along(slice, &centre, line, share).unwrap_or(0));
        }
    }
    largest
}

/// Lines from corner to corner of the cube, along sums and differences of these directions.
fn corner_lines(directions: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let dim = directions.first().map_or(0, Vec::len);
    let count = LINES.min(1 << (directions.len().max(1) - 1).min(8));
    let line = |signs: usize| -> Vec<f64> {
        let sum = |axis: usize| -> f64 {
            let signed = directions.iter().enumerate().map(|(k, a)| {
                if signs >> k & 1 == 0 {
                    a[axis]
                } else {
                    -a[axis]
                }
            });
            signed.sum()
        };
        let sums: Vec<f64> = (0..dim).map(sum).collect();
        let largest = sums.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let corner = |v: &f64| {
            if v.abs() > 1e-8 * largest {
                v.signum()
            } else {
                0.0
            }
        };
        sums.iter().map(corner).collect()
    };
    (0..count).map(line).collect()
}

/// The direction so long that a·y fills [−1, 1] on the cube.
fn filling(row: &[f64]) -> Vec<f64> {
    let reach: f64 = row.iter().map(|v| v.abs()).sum();
    row.iter().map(|v| v / reach).collect()
}

fn unit(dim: usize, axis: usize) -> Vec<f64> {
    (0..dim)
        .map(|k| if k == axis { 1.0 } else { 0.0 })
        .collect()
}
