//! A tree of leaves with their common discretisation, and the first one for a problem.

use std::sync::Arc;

use rayon::prelude::*;

use super::PatchError;
use super::first_cuts::first_cuts;
use super::frame::LeafFrame;
use super::grid::Grid;
use super::options::{LeafSize, PatchOptions};
use super::problem::PatchProblem;
use super::reference::Reference;
use super::solution::Snapshot;
use super::tree::Tree;

/// The leaves, the lattice they live on, and what each of them is made of.
#[derive(Debug, Clone)]
pub(super) struct PatchMesh {
    pub(super) grid: Arc<Grid>,
    pub(super) tree: Arc<Tree>,
    pub(super) reference: Arc<Reference>,
}

impl PatchMesh {
    /// As asked for, or by dimension, in space by tolerance and sources. Where solutions oscillate, enough leaves that each
    /// resolves its waves; larger ones on a line and in the plane.
    pub(super) fn first(
        problem: &PatchProblem,
        options: &PatchOptions,
    ) -> Result<Self, PatchError> {
        let (grid, reference) = prepare(problem, options)?;
        let tree = first_tree(problem, &grid, &reference, options)?;
        Ok(Self {
            grid: Arc::new(grid),
            tree: Arc::new(tree),
            reference: Arc::new(reference),
        })
    }

    /// u on these leaves.
    pub(super) fn snapshot(&self, coefficients: Vec<Vec<f64>>) -> Snapshot {
        Snapshot {
            tree: Arc::clone(&self.tree),
            reference: Arc::clone(&self.reference),
            coefficients,
        }
    }

    /// The mesh with these leaves split.
    pub(super) fn split(&self, marked: &[usize]) -> Self {
        Self {
            tree: Arc::new(self.tree.split(marked, &self.grid)),
            ..self.clone()
        }
    }
}

fn prepare(
    problem: &PatchProblem,
    options: &PatchOptions,
) -> Result<(Grid, Reference), PatchError> {
    let dim = problem.dim;
    let grid = Grid::new(problem, options)?;
    let in_space = dim == 3 && problem.unknowns == 1 && problem.has_constant_operators();
    let size = options.leaf.unwrap_or_else(|| {
        let large = LeafSize::in_space(options.tolerance);
        if in_space && large.check_limits(problem, &options.control).is_ok() {
            large
        } else {
            LeafSize::for_dim(dim)
        }
    });
    size.check_traces(dim)?;
    size.check_limits(problem, &options.control)?;
    let reference = Reference::new(dim, &size, options.seed)?;
    if problem.is_pointwise() {
        // Nothing is known of the linearised equations yet.
        return Ok((grid, reference));
    }
    let (grid, cuts) = if in_space && options.first_grid.is_empty() {
        let cuts = first_cuts(problem, options, &reference)?;
        let finer = options.clone().first_grid(vec![cuts; dim]);
        (Grid::new(problem, &finer)?, cuts)
    } else {
        (grid, 1)
    };
    let frames = grid
        .roots()
        .iter()
        .map(|root| {
            let frame = LeafFrame::new(*root, &grid, problem, &reference)?;
            frame.check_elliptic(&reference)?;
            Ok(frame)
        })
        .collect::<Result<Vec<LeafFrame>, PatchError>>()?;
    let waves = frames.iter().map(|frame| frame.oscillation);
    let waves = waves.fold(0.0, f64::max);
    if waves <= reference.resolution {
        return Ok((grid, reference));
    }
    // Leaves in space are as large as they can be already.
    let reference = if options.leaf.is_none() && dim < 3 {
        Reference::new(dim, &LeafSize::oscillating(dim), options.seed)?
    } else {
        reference
    };
    let parts = (waves / reference.resolution).ceil();
    let cells = parts.powi(i32::try_from(dim).unwrap_or(1)) * grid.roots().len() as f64;
    if !options.first_grid.is_empty() || cells > options.max_leaves as f64 {
        return Ok((grid, reference));
    }
    let options = options.clone().first_grid(vec![cuts * parts as usize; dim]);
    Ok((Grid::new(problem, &options)?, reference))
}

/// Functions that fall off by e^−2 times this across a leaf are resolved, to 1e-11 by polynomials of degree 20.
const STEEPEST: f64 = 6.0;

/// The root cells, split until waves of the equation are resolved in every leaf and, on a line, so are the layers that it may
/// have at ends and interfaces: before these are resolved, a flow carries their residuals everywhere, and every leaf would be
/// split.
fn first_tree(
    problem: &PatchProblem,
    grid: &Grid,
    reference: &Reference,
    options: &PatchOptions,
) -> Result<Tree, PatchError> {
    let mut tree = Tree::new(grid.roots());
    if problem.is_pointwise() {
        return Ok(tree);
    }
    loop {
        let coarse = tree
            .leaves
            .par_iter()
            .map(|cell| {
                let frame = LeafFrame::new(*cell, grid, problem, reference)?;
                let waves = frame.oscillation > reference.resolution;
                let depth = cell.depth() < options.max_depth;
                Ok(waves || (depth && has_layer(&frame, grid, reference)))
            })
            .collect::<Result<Vec<bool>, PatchError>>()?;
        let marked: Vec<usize> = (0..coarse.len()).filter(|&place| coarse[place]).collect();
        let after = tree.leaves.len() + (marked.len() << problem.dim);
        if marked.is_empty() || after > options.max_leaves {
            return Ok(tree);
        }
        tree = tree.split(&marked, grid);
    }
}

/// Whether a leaf at an end of a line, or at an interface, may have a layer there that is too thin for it.
fn has_layer(frame: &LeafFrame, grid: &Grid, reference: &Reference) -> bool {
    if grid.dim != 1 {
        return false;
    }
    let rows = frame.rows.iter().map(|row| row.falling_off(reference));
    let [lower, upper] = rows.fold([0.0_f64; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
    let ends = [(lower, false), (upper, true)];
    ends.into_iter()
        .any(|(steep, upper)| steep > STEEPEST && grid.is_wall(&frame.cell, 0, upper))
}
