//! From the triangle to the unknowns: the small dense part of a factorisation.
//!
//! Every method ends in A ≈ Q·L·T with Q the streamed orthogonal factor, L (N×r) orthonormal columns and
//! T (r×N) of full row rank. The solution of a right-hand side is x = G·(Lᵀ·Qᵀb) with an N×r map G that
//! solves T·x = c in the wanted sense: [`LeftMap`] is L, [`SolutionMap`] is G.

use super::block::{BlockReflectors, Shape, reduce_block};
use super::kernels::{axpy, column, column_mut, dot, norm, scale};
use super::pivoted::PivotedQr;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Mat, MatMut, MatRef, Par};

/// L: orthonormal columns that span the range of the triangle.
#[derive(Clone, Debug)]
pub(crate) enum LeftMap {
    /// The whole space.
    Identity,
    /// The first columns of a pivoted QR's orthogonal factor.
    Pivoted(PivotedQr),
    /// Given explicitly (left singular vectors).
    Explicit(Mat<f64>),
}

impl LeftMap {
    /// Lᵀ·c, r rows.
    pub(crate) fn project(&self, mut c: Mat<f64>) -> Mat<f64> {
        match self {
            Self::Identity => c,
            Self::Pivoted(qr) => {
                qr.apply_transpose(c.as_mut());
                c.truncate(qr.rank(), c.ncols());
                c
            }
            Self::Explicit(u) => u.transpose() * c,
        }
    }

    /// L·c, N rows.
    pub(crate) fn expand(&self, c: MatRef<'_, f64>) -> Mat<f64> {
        match self {
            Self::Identity => c.to_owned(),
            Self::Pivoted(qr) => qr.expand(c),
            Self::Explicit(u) => u * c,
        }
    }
}

/// G: the unknowns for given coordinates in the range.
#[derive(Clone, Debug)]
pub(crate) enum SolutionMap {
    /// x = D·P·[R⁻¹c; 0]: only the first r pivoted unknowns are used.
    Basic {
        /// The r×r triangle.
        r: Mat<f64>,
        /// The unknowns in pivoted order; the first r are used.
        order: Vec<usize>,
        /// The diagonal of D.
        scaling: Vec<f64>,
    },
    /// x = first N rows of Z·[R⁻ᵀc; 0] with [Tᵀ; √μ I] = Z·R: least norm, or ridge.
    LeastNorm {
        /// The r×r triangle.
        r: Mat<f64>,
        /// Z as reflectors on N rows, then on r more for the ridge.
        z: Vec<BlockReflectors>,
        /// N.
        n: usize,
    },
    /// x = D·V·Σ⁻¹·c.
    Singular {
        /// D·V, N×r.
        v: Mat<f64>,
        /// Σ.
        values: Vec<f64>,
    },
}

impl SolutionMap {
    /// The least-norm (μ = 0) or ridge (μ > 0) solution operator of T·x = c, given Tᵀ (N×r).
    pub(crate) fn least_norm(mut transposed: Mat<f64>, ridge: f64, parallel: bool) -> Self {
        let (n, rank) = transposed.shape();
        let mut r = Mat::zeros(rank, rank);
        let panels = reduce_block(
            Shape::Dense,
            r.as_mut(),
            transposed.as_mut(),
            rank,
            parallel,
        );
        let mut z = vec![BlockReflectors::new(Shape::Dense, panels, transposed)];
        if ridge > 0.0 {
            let mut diagonal = Mat::zeros(rank, rank);
            for i in 0..rank {
                diagonal[(i, i)] = ridge.sqrt();
            }
            let panels = reduce_block(
                Shape::StackedTriangle,
                r.as_mut(),
                diagonal.as_mut(),
                rank,
                parallel,
            );
            z.push(BlockReflectors::new(
                Shape::StackedTriangle,
                panels,
                diagonal,
            ));
        }
        Self::LeastNorm { r, z, n }
    }

    /// Number of unknowns N.
    fn unknowns(&self) -> usize {
        match self {
            Self::Basic { order, .. } => order.len(),
            Self::LeastNorm { n, .. } => *n,
            Self::Singular { v, .. } => v.nrows(),
        }
    }

    /// x = G·c.
    pub(crate) fn solve(&self, c: MatRef<'_, f64>) -> Mat<f64> {
        let mut c = c.to_owned();
        let columns = c.ncols();
        match self {
            Self::Basic { r, order, scaling } => {
                solve_upper_triangular_in_place(r.as_ref(), c.as_mut(), Par::Seq);
                let mut x = Mat::zeros(self.unknowns(), columns);
                for j in 0..columns {
                    for (i, &unknown) in order.iter().enumerate().take(r.nrows()) {
                        x[(unknown, j)] = scaling[unknown] * c[(i, j)];
                    }
                }
                x
            }
            Self::LeastNorm { r, z, n } => {
                solve_lower_triangular_in_place(r.as_ref().transpose(), c.as_mut(), Par::Seq);
                let mut x = Mat::zeros(*n, columns);
                for block in z.iter().rev() {
                    if block.nrows() == *n && std::ptr::eq(block, &z[0]) {
                        block.apply(c.as_mut(), x.as_mut());
                    } else {
                        let mut below = Mat::zeros(block.nrows(), columns);
                        block.apply(c.as_mut(), below.as_mut());
                    }
                }
                x
            }
            Self::Singular { v, values } => {
                for (i, value) in values.iter().enumerate() {
                    for j in 0..columns {
                        c[(i, j)] /= value;
                    }
                }
                v * c
            }
        }
    }

    /// Gᵀ·v.
    pub(crate) fn solve_transpose(&self, v: MatRef<'_, f64>) -> Mat<f64> {
        let columns = v.ncols();
        match self {
            Self::Basic { r, order, scaling } => {
                let mut c = Mat::from_fn(r.nrows(), columns, |i, j| {
                    scaling[order[i]] * v[(order[i], j)]
                });
                solve_lower_triangular_in_place(r.as_ref().transpose(), c.as_mut(), Par::Seq);
                c
            }
            Self::LeastNorm { r, z, .. } => {
                let mut c = Mat::zeros(r.nrows(), columns);
                let mut x = v.to_owned();
                for (i, block) in z.iter().enumerate() {
                    if i == 0 {
                        block.apply_transpose(c.as_mut(), x.as_mut());
                    } else {
                        let mut below = Mat::zeros(block.nrows(), columns);
                        block.apply_transpose(c.as_mut(), below.as_mut());
                    }
                }
                solve_upper_triangular_in_place(r.as_ref(), c.as_mut(), Par::Seq);
                c
            }
            Self::Singular { v: right, values } => {
                let mut c = right.transpose() * v;
                for (i, value) in values.iter().enumerate() {
                    for j in 0..columns {
                        c[(i, j)] /= value;
                    }
                }
                c
            }
        }
    }
}

/// Column scaling: 1/‖column‖, or 1 where the column is zero or scaling is off.
pub(crate) fn column_scaling(r: MatRef<'_, f64>, on: bool) -> Vec<f64> {
    (0..r.ncols())
        .map(|j| {
            let size = if on { norm(column(r, j)) } else { 1.0 };
            let inverse = 1.0 / size;
            if inverse.is_finite() && inverse > 0.0 {
                inverse
            } else {
                1.0
            }
        })
        .collect()
}

/// Multiplies each column by its factor.
pub(crate) fn scale_columns(mut a: MatMut<'_, f64>, factors: &[f64]) {
    use faer::prelude::ReborrowMut;
    for (j, &factor) in factors.iter().enumerate() {
        scale(factor, column_mut(a.rb_mut(), j));
    }
}

/// The largest over the smallest singular value of an upper triangle, by a few power iterations
/// with it and its inverse.
pub(crate) fn triangle_condition(r: MatRef<'_, f64>) -> f64 {
    let n = r.nrows();
    if n == 0 {
        return 1.0;
    }
    let start = || {
        let mut x = Mat::from_fn(n, 1, |i, _| {
            if i % 3 == 1 {
                -1.0
            } else {
                1.0 + (i % 7) as f64 / 7.0
            }
        });
        normalise(&mut x);
        x
    };
    let (mut x, mut largest) = (start(), 0.0);
    for _ in 0..4 {
        x = triangle_times(r, &x);
        largest = normalise(&mut x);
        x = triangle_transpose_times(r, &x);
        normalise(&mut x);
    }
    let (mut x, mut inverse) = (start(), 0.0);
    for _ in 0..3 {
        solve_lower_triangular_in_place(r.transpose(), x.as_mut(), Par::Seq);
        normalise(&mut x);
        solve_upper_triangular_in_place(r, x.as_mut(), Par::Seq);
        inverse = normalise(&mut x);
    }
    largest * inverse
}

fn normalise(x: &mut Mat<f64>) -> f64 {
    let values = column_mut(x.as_mut(), 0);
    let size = norm(values);
    if size > 0.0 {
        scale(1.0 / size, values);
    }
    size
}

fn triangle_times(r: MatRef<'_, f64>, x: &Mat<f64>) -> Mat<f64> {
    let mut y = Mat::zeros(r.nrows(), 1);
    for j in 0..r.ncols() {
        axpy(
            x[(j, 0)],
            &column(r, j)[..=j],
            &mut column_mut(y.as_mut(), 0)[..=j],
        );
    }
    y
}

fn triangle_transpose_times(r: MatRef<'_, f64>, x: &Mat<f64>) -> Mat<f64> {
    let values = column(x.as_ref(), 0);
    Mat::from_fn(r.ncols(), 1, |j, _| dot(&column(r, j)[..=j], &values[..=j]))
}
