//! Rows of the regression target ≈ Σ cₖTₖ, from a fit or from differences.

mod baseline;
mod bump;
mod strong;
mod weak;

use faer::Mat;
use ndarray::ArrayView2;

pub(crate) use baseline::{Baseline, grid_derivatives};
pub use bump::{bump_transform, gauss_legendre};
pub(crate) use strong::{StrongSites, edge_weights, weighted};
pub(crate) use weak::weak_rows_of;
pub use weak::{TestFunctions, weak_rows};

use crate::regression::Regression;

/// Target and dictionary, row by row.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The target in each row.
    pub target: Vec<f64>,
    /// One column per term.
    pub columns: Mat<f64>,
    /// The block of held-out data each row belongs to.
    pub fold: Vec<usize>,
}

/// Number of blocks for cross-validation.
const FOLDS: usize = 5;

impl Rows {
    /// All rows, compressed.
    #[must_use]
    pub fn regression(&self) -> Regression {
        Regression::new(self.columns.as_ref(), &self.target)
    }

    /// Each block by itself, compressed.
    #[must_use]
    pub fn folds(&self) -> Vec<Regression> {
        (0..FOLDS)
            .map(|fold| {
                let rows: Vec<usize> = (0..self.target.len().min(self.columns.nrows()))
                    .filter(|&i| self.fold.get(i) == Some(&fold))
                    .collect();
                let columns = Mat::from_fn(rows.len(), self.columns.ncols(), |i, k| {
                    self.columns[(rows[i], k)]
                });
                let target: Vec<f64> = rows.iter().map(|&i| self.target[i]).collect();
                Regression::new(columns.as_ref(), &target)
            })
            .filter(|fold| fold.rows() > fold.terms())
            .collect()
    }
}

/// Blocks of neighbouring places: slabs along the last axis, dealt out in turn.
fn folds_of(points: ArrayView2<'_, f64>) -> Vec<usize> {
    let axis = points.ncols().saturating_sub(1);
    let column = points.column(axis);
    let lower = column.iter().fold(f64::INFINITY, |a, v| a.min(*v));
    let upper = column.iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v));
    let width = (upper - lower).max(f64::MIN_POSITIVE);
    let slabs = (4 * FOLDS) as f64;
    column
        .iter()
        .map(|v| (((v - lower) / width * slabs) as usize).min(4 * FOLDS - 1) % FOLDS)
        .collect()
}
