//! From features to functions that are orthonormal in the reference leaf, ψ = Tᵀφ.

use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

use super::leaf::apply;
use crate::lsq::add_product;

/// T: coefficients of the features from those of the functions, β = T c.
#[derive(Debug)]
pub(super) enum Compression {
    /// Features that are orthogonal already: T is diagonal.
    Scales(Vec<f64>),
    /// Combinations of features.
    Combinations(Mat<f64>),
}

impl Compression {
    /// How many features there are.
    pub(super) fn features(&self) -> usize {
        match self {
            Self::Scales(scales) => scales.len(),
            Self::Combinations(matrix) => matrix.nrows(),
        }
    }

    /// How many functions there are.
    pub(super) fn rank(&self) -> usize {
        match self {
            Self::Scales(scales) => scales.len(),
            Self::Combinations(matrix) => matrix.ncols(),
        }
    }

    /// A·T: a table of the functions from one of the features, a row per point.
    pub(super) fn table(&self, features: Mat<f64>) -> Mat<f64> {
        match self {
            Self::Scales(scales) => {
                let mut table = features;
                for (j, &scale) in scales.iter().enumerate() {
                    table.col_mut(j).iter_mut().for_each(|a| *a *= scale);
                }
                table
            }
            Self::Combinations(matrix) => {
                let mut table = Mat::zeros(features.nrows(), matrix.ncols());
                add_product(
                    table.as_mut(),
                    1.0,
                    features.as_ref(),
                    matrix.as_ref(),
                    true,
                );
                table
            }
        }
    }

    /// Adds A·T.
    pub(super) fn add_table(&self, mut out: MatMut<'_, f64>, features: MatRef<'_, f64>) {
        match self {
            Self::Scales(scales) => {
                for (j, &scale) in scales.iter().enumerate() {
                    let target = out.rb_mut().col_mut(j);
                    let column = features.col(j);
                    target
                        .iter_mut()
                        .zip(column.iter())
                        .for_each(|(t, a)| *t += scale * a);
                }
            }
            Self::Combinations(matrix) => {
                add_product(out, 1.0, features, matrix.as_ref(), true);
            }
        }
    }

    /// T·C for coefficients side by side.
    pub(super) fn times(&self, c: MatRef<'_, f64>) -> Mat<f64> {
        match self {
            Self::Scales(scales) => {
                Mat::from_fn(scales.len(), c.ncols(), |i, j| scales[i] * c[(i, j)])
            }
            Self::Combinations(matrix) => super::reference::times(matrix.as_ref(), c),
        }
    }

    /// T·c.
    pub(super) fn coefficients(&self, c: &[f64]) -> Vec<f64> {
        match self {
            Self::Scales(scales) => scaled(scales, c),
            Self::Combinations(matrix) => apply(matrix.as_ref(), c),
        }
    }

    /// Tᵀ·b.
    pub(super) fn covector(&self, b: &[f64]) -> Vec<f64> {
        match self {
            Self::Scales(scales) => scaled(scales, b),
            Self::Combinations(matrix) => apply(matrix.transpose(), b),
        }
    }
}

fn scaled(scales: &[f64], numbers: &[f64]) -> Vec<f64> {
    scales.iter().zip(numbers).map(|(s, x)| s * x).collect()
}
