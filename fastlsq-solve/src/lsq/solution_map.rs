//! From coordinates in the range of A to the unknowns.
//!
//! With A ≈ Q₁·T the solution of a right-hand side is x = G·(Q₁ᵀb), where the N×r map G solves T·x = c
//! in the wanted sense: [`SolutionMap`] is G.

use super::block::{BlockReflectors, Shape, reduce_block};
use super::products::product;
use super::triangle::{solve_upper, solve_upper_transpose};
use super::work::Work;
use faer::{Mat, MatRef};

/// G: the unknowns for given coordinates in the range.
#[derive(Clone, Debug)]
pub(crate) enum SolutionMap {
    /// x = D·P·[R⁻¹c; 0]: only the first r unknowns of `order` are used.
    Basic {
        /// The r×r triangle.
        r: Mat<f64>,
        /// Unknowns in pivoted order, at least r of them.
        order: Vec<usize>,
        /// The diagonal of D, one number for each of the N unknowns.
        scaling: Vec<f64>,
    },
    /// x = Z₁·R⁻ᵀ·c with [Tᵀ; √μ I] = [Z₁; Z₂]·R: least norm (μ = 0) or ridge (μ > 0).
    LeastNorm {
        /// The r×r triangle.
        r: Mat<f64>,
        /// Reflectors on the N rows of Tᵀ.
        upper: BlockReflectors,
        /// Reflectors on the r rows of √μ I.
        ridge: Option<BlockReflectors>,
    },
    /// x = V·F·c with the filter factors F = Σ/(Σ² + μ).
    Singular {
        /// N×r.
        v: Mat<f64>,
        /// Σ.
        values: Vec<f64>,
        /// μ.
        ridge: f64,
    },
    /// x = D·(RᵀR)⁻¹·D·c.
    Gram {
        /// Cholesky factor, upper triangular.
        r: Mat<f64>,
        /// The diagonal of D.
        scaling: Vec<f64>,
    },
}

impl SolutionMap {
    /// The least-norm (μ = 0) or ridge (μ > 0) solution operator of T·x = c, given Tᵀ (N×r).
    pub(crate) fn least_norm(mut transposed: Mat<f64>, mu: f64, work: Work<'_>) -> Self {
        let rank = transposed.ncols();
        let mut r = Mat::zeros(rank, rank);
        let panels = reduce_block(Shape::Dense, r.as_mut(), transposed.as_mut(), rank, work);
        let upper = BlockReflectors::new(Shape::Dense, panels, transposed);
        let ridge = (mu > 0.0).then(|| {
            let mut diagonal = Mat::zeros(rank, rank);
            for i in 0..rank {
                diagonal[(i, i)] = mu.sqrt();
            }
            let shape = Shape::StackedTriangle;
            let panels = reduce_block(shape, r.as_mut(), diagonal.as_mut(), rank, work);
            BlockReflectors::new(shape, panels, diagonal)
        });
        Self::LeastNorm { r, upper, ridge }
    }

    /// Number of coordinates that [`solve`](Self::solve) takes.
    pub(crate) fn coordinates(&self) -> usize {
        match self {
            Self::Basic { r, .. } | Self::LeastNorm { r, .. } | Self::Gram { r, .. } => r.nrows(),
            Self::Singular { values, .. } => values.len(),
        }
    }

    /// Number of unknowns N.
    pub(crate) fn unknowns(&self) -> usize {
        match self {
            Self::Basic { scaling, .. } | Self::Gram { scaling, .. } => scaling.len(),
            Self::LeastNorm { upper, .. } => upper.nrows(),
            Self::Singular { v, .. } => v.nrows(),
        }
    }

    /// x = G·c.
    pub(crate) fn solve(&self, c: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        let mut c = c.to_owned();
        let columns = c.ncols();
        match self {
            Self::Basic { r, order, scaling } => {
                solve_upper(r.as_ref(), c.as_mut());
                let mut x = Mat::zeros(scaling.len(), columns);
                for j in 0..columns {
                    for (i, &unknown) in order.iter().enumerate().take(r.nrows()) {
                        x[(unknown, j)] = scaling[unknown] * c[(i, j)];
                    }
                }
                x
            }
            Self::LeastNorm { r, upper, ridge } => {
                solve_upper_transpose(r.as_ref(), c.as_mut());
                if let Some(block) = ridge {
                    let mut below = Mat::zeros(block.nrows(), columns);
                    block.apply(c.as_mut(), below.as_mut());
                }
                let mut x = Mat::zeros(upper.nrows(), columns);
                upper.apply(c.as_mut(), x.as_mut());
                x
            }
            Self::Singular { v, values, ridge } => {
                filter(&mut c, values, *ridge);
                product(v.as_ref(), c.as_ref(), parallel)
            }
            Self::Gram { r, scaling } => {
                scale_rows(&mut c, scaling);
                solve_upper_transpose(r.as_ref(), c.as_mut());
                solve_upper(r.as_ref(), c.as_mut());
                scale_rows(&mut c, scaling);
                c
            }
        }
    }

    /// Gᵀ·v.
    pub(crate) fn solve_transpose(&self, v: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        match self {
            Self::Basic { r, order, scaling } => {
                let mut c = Mat::from_fn(r.nrows(), v.ncols(), |i, j| {
                    scaling[order[i]] * v[(order[i], j)]
                });
                solve_upper_transpose(r.as_ref(), c.as_mut());
                c
            }
            Self::LeastNorm { r, .. } => {
                let mut c = self.right_coordinates(v);
                solve_upper(r.as_ref(), c.as_mut());
                c
            }
            Self::Singular {
                v: right,
                values,
                ridge,
            } => {
                let mut c = product(right.as_ref().transpose(), v, parallel);
                filter(&mut c, values, *ridge);
                c
            }
            // G is symmetric.
            Self::Gram { .. } => self.solve(v, parallel),
        }
    }

    /// c − T·x for x = G·c: zero unless there is a ridge. `None` where the range is not orthonormal.
    pub(crate) fn misfit(&self, c: MatRef<'_, f64>, x: MatRef<'_, f64>) -> Option<Mat<f64>> {
        match self {
            Self::Basic { .. } | Self::LeastNorm { ridge: None, .. } => {
                Some(Mat::zeros(c.nrows(), c.ncols()))
            }
            Self::LeastNorm { r, .. } => {
                // T·x = Rᵀ·(Z₁ᵀ·x)
                let fitted = product(
                    r.as_ref().transpose(),
                    self.right_coordinates(x).as_ref(),
                    false,
                );
                Some(c - fitted)
            }
            Self::Singular { values, ridge, .. } => {
                Some(Mat::from_fn(c.nrows(), c.ncols(), |i, j| {
                    c[(i, j)] * ridge / (values[i] * values[i] + ridge)
                }))
            }
            Self::Gram { .. } => None,
        }
    }

    /// Z₁ᵀ·x of the least-norm map; empty for the others.
    fn right_coordinates(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let Self::LeastNorm { r, upper, ridge } = self else {
            return Mat::zeros(0, x.ncols());
        };
        let mut c = Mat::zeros(r.nrows(), x.ncols());
        let mut work = x.to_owned();
        upper.apply_transpose(c.as_mut(), work.as_mut());
        if let Some(block) = ridge {
            let mut below = Mat::zeros(block.nrows(), x.ncols());
            block.apply_transpose(c.as_mut(), below.as_mut());
        }
        c
    }
}

/// Multiplies row i by σᵢ/(σᵢ² + μ).
fn filter(c: &mut Mat<f64>, values: &[f64], mu: f64) {
    for j in 0..c.ncols() {
        for (i, &value) in values.iter().enumerate() {
            c[(i, j)] *= if mu == 0.0 {
                1.0 / value
            } else {
                value / (value * value + mu)
            };
        }
    }
}

/// Multiplies row i by its factor.
fn scale_rows(c: &mut Mat<f64>, factors: &[f64]) {
    for j in 0..c.ncols() {
        for (i, &factor) in factors.iter().enumerate() {
            c[(i, j)] *= factor;
        }
    }
}
