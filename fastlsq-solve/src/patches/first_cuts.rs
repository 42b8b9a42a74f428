//! Where a tree in space begins, from the sources.
//!
//! In space a uniform tree has few kinds of fronts and each is factored once, while a tree that is finer in one place has a
//! kind for nearly every merge. Sources are cheap to evaluate: the coarsest uniform grid whose leaves can hold them tells how
//! fine the leaves will have to be, and the tree begins one halving before that, so that the step from one solve to the next
//! tells the error.

use rayon::prelude::*;

use super::PatchError;
use super::frame::LeafFrame;
use super::grid::{Cell, Grid};
use super::leaf::apply;
use super::options::PatchOptions;
use super::problem::PatchProblem;
use super::reference::{PointSet, Reference};

/// Cells along each axis that are tried.
const TRIED: [usize; 5] = [1, 2, 4, 6, 8];
/// What leaves may lack of the sources, in units of the tolerance: u is smoother than its source by two derivatives.
const SMOOTHER: f64 = 10.0;
/// A share of the leaves that is large enough to split all of them.
const MOST: f64 = 0.25;
/// Uniform trees have no more leaves than this.
const UNIFORM: usize = 256;

/// Cells along each axis of each box to begin with.
pub(super) fn first_cuts(
    problem: &PatchProblem,
    options: &PatchOptions,
    reference: &Reference,
) -> Result<usize, PatchError> {
    let grid_points = PointSet::new(reference.grid.clone());
    let coarse = Grid::new(problem, options)?.roots().len();
    let most = UNIFORM.min(options.max_leaves);
    let mut enough = 1;
    for cuts in TRIED {
        options.control.check()?;
        if cuts > 1 && coarse.saturating_mul(cuts.pow(3)) > most {
            break;
        }
        let finer = options.clone().first_grid(vec![cuts; problem.dim]);
        let grid = Grid::new(problem, &finer)?;
        let roots = grid.roots();
        enough = cuts.div_ceil(2);
        let lacking = roots
            .par_iter()
            .map(|root| lacking(root, &grid, problem, reference, &grid_points))
            .collect::<Result<Vec<(f64, f64)>, PatchError>>()?;
        let largest = |of: fn(&(f64, f64)) -> f64| lacking.iter().map(of).fold(0.0, f64::max);
        if largest(|part| part.0) <= SMOOTHER * options.tolerance * largest(|part| part.1) {
            break;
        }
    }
    Ok(enough)
}

/// The rms of what the functions of a leaf do not hold of the sources, and the largest source in it.
fn lacking(
    cell: &Cell,
    grid: &Grid,
    problem: &PatchProblem,
    reference: &Reference,
    grid_points: &PointSet,
) -> Result<(f64, f64), PatchError> {
    let frame = LeafFrame::new(*cell, grid, problem, reference)?;
    let given = frame.source_at(grid_points, problem)?;
    let fresh = frame.source_at(&reference.check, problem)?;
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    for (given, fresh) in given
        .chunks(grid_points.len())
        .zip(fresh.chunks(reference.check.len()))
    {
        let held = apply(reference.check_values.as_ref(), &reference.project(given));
        for (f, held) in fresh.iter().zip(held) {
            sum += (f - held).powi(2) / fresh.len() as f64;
            largest = largest.max(f.abs());
        }
    }
    Ok((sum.sqrt(), largest))
}

/// All leaves of a uniform tree where many are to be split and all are of one kind; else those that were marked.
pub(super) fn evenly(
    marked: Vec<usize>,
    leaves: &[Cell],
    one_kind: bool,
    dim: usize,
    max_leaves: usize,
) -> Vec<usize> {
    let count = leaves.len();
    let uniform = leaves.windows(2).all(|pair| pair[0].size == pair[1].size);
    let many = marked.len() as f64 >= MOST * count as f64;
    let finer = count << dim;
    let few = finer <= UNIFORM && count + finer <= max_leaves;
    if dim == 3 && one_kind && uniform && many && few {
        (0..count).collect()
    } else {
        marked
    }
}
