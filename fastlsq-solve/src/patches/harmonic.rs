//! The equation inside a leaf with coefficients of its own.
//!
//! Let Δ̂ Z = Q R, where Z spans the kernel of the traces, Ẑ = Z R⁻¹, and let Ŝ lift traces to functions with Δ̂ = 0 in the sense
//! of least squares; both are the same for all leaves. In these functions the rows of an equation Σ c_α D̂^α, over
//! the size of its leading coefficients, are
//!
//! M = Σ_α diag(c_α) (D̂^α Ẑ),
//!
//! a sum of known tables without any product of matrices, and their condition is that of the coefficients, not that of a
//! differential operator: MᵀM can be factored as it stands.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};

use super::PatchError;
use super::coefficients::LocalRow;
use super::leaf::each_trace;
use super::reference::{LeastSquares, Reference, times};
use crate::dense::{cholesky, cholesky_solve};
use crate::lsq::{add_product, pivoted_qr, solve_upper};

/// Pivots of the Gram matrix's factor below this share of the largest call for the factors of the rows themselves.
const FLAT: f64 = 1e-3;
/// Functions that Δ̂ takes to less than this share of the largest are left out.
const CUT: f64 = 1e-13;

/// What all leaves with varying coefficients share.
#[derive(Debug)]
pub(super) struct Harmonic {
    /// Ẑ.
    kernel: Mat<f64>,
    /// Ŝ.
    lift: Mat<f64>,
    /// For every α, D̂^α Ẑ at the inner points.
    kernel_tables: Vec<Mat<f64>>,
    /// For every α, D̂^α Ŝ there.
    lift_tables: Vec<Mat<f64>>,
}

impl Harmonic {
    pub(super) fn new(reference: &Reference) -> Result<Self, PatchError> {
        let tables = reference.tables(&reference.inner)?;
        let mut laplacian = Mat::zeros(reference.inner.len(), reference.rank());
        for (alpha, table) in reference.derivatives.iter().zip(tables) {
            if alpha.orders().contains(&2) {
                laplacian += table;
            }
        }
        let inside = times(laplacian.as_ref(), reference.kernel.as_ref());
        let largest = (0..inside.ncols())
            .map(|j| inside.col(j).norm_l2())
            .fold(0.0, f64::max);
        let qr = pivoted_qr(inside, CUT * largest, true);
        let rank = qr.rank();
        let mut inverse = Mat::<f64>::identity(rank, rank);
        solve_upper(qr.r11(), inverse.as_mut());
        let order = &qr.order[..rank];
        let chosen = Mat::from_fn(reference.rank(), rank, |i, j| {
            reference.kernel[(i, order[j])]
        });
        let kernel = times(chosen.as_ref(), inverse.as_ref());
        // Q = Δ̂ Ẑ is orthonormal.
        let q = times(laplacian.as_ref(), kernel.as_ref());
        let lifted = times(laplacian.as_ref(), reference.lift.as_ref());
        let part = times(q.transpose(), lifted.as_ref());
        let mut lift = reference.lift.clone();
        add_product(lift.as_mut(), -1.0, kernel.as_ref(), part.as_ref(), true);
        let all = |of: &Mat<f64>| {
            tables
                .iter()
                .map(|t| times(t.as_ref(), of.as_ref()))
                .collect()
        };
        Ok(Self {
            kernel_tables: all(&kernel),
            lift_tables: all(&lift),
            kernel,
            lift,
        })
    }
}

/// (AZ)⁺ of one leaf.
#[derive(Debug)]
pub(super) struct OwnInside {
    factor: Factor,
    rows: Vec<LocalRow>,
}

#[derive(Debug)]
enum Factor {
    /// The lower Cholesky factor of MᵀM.
    Gram(Mat<f64>),
    /// The factors of M, where its condition is too large for that.
    Rows(LeastSquares),
}

impl OwnInside {
    /// The factors for these rows at the inner points, and S: traces → coefficients.
    pub(super) fn new(
        rows: &[LocalRow],
        reference: &Reference,
    ) -> Result<(Self, Mat<f64>), PatchError> {
        let harmonic = reference.harmonic()?;
        let unknowns = rows.len();
        let (points, nodes) = (reference.inner.len(), reference.side_nodes());
        let (rank, size) = (reference.rank(), harmonic.kernel.ncols());
        let traces = 2 * reference.dim * unknowns * nodes;
        let mut inside = Mat::zeros(unknowns * points, unknowns * size);
        let mut lifted = Mat::zeros(unknowns * points, traces);
        for (e, row) in rows.iter().enumerate() {
            for term in &row.terms {
                let (v, start) = (term.unknown, e * points);
                let part = inside.as_mut().submatrix_mut(start, v * size, points, size);
                term.add_times(harmonic.kernel_tables[term.alpha].as_ref(), part);
                let table = &harmonic.lift_tables[term.alpha];
                each_trace(reference, unknowns, v, |from, to| {
                    let part = lifted.as_mut().submatrix_mut(start, to, points, nodes);
                    term.add_times(table.as_ref().subcols(from, nodes), part);
                });
            }
        }
        let (factor, x) = Factor::new(inside, lifted);
        let mut solve = Mat::zeros(unknowns * rank, traces);
        for v in 0..unknowns {
            each_trace(reference, unknowns, v, |from, to| {
                let mut part = solve.as_mut().submatrix_mut(v * rank, to, rank, nodes);
                part.copy_from(harmonic.lift.as_ref().subcols(from, nodes));
            });
        }
        expand(&mut solve, -1.0, harmonic, x.as_ref(), reference);
        let own = Self {
            factor,
            rows: rows.to_vec(),
        };
        Ok((own, solve))
    }

    /// P·F for sources side by side.
    pub(super) fn apply(&self, f: Mat<f64>, reference: &Reference) -> Mat<f64> {
        let unknowns = self.rows.len();
        let mut out = Mat::zeros(unknowns * reference.rank(), f.ncols());
        let Ok(harmonic) = reference.harmonic() else {
            return out;
        };
        let x = match &self.factor {
            Factor::Rows(inside) => inside.solve(f),
            Factor::Gram(lower) => {
                let mut x = self.transposed(f.as_ref(), harmonic, reference);
                cholesky_solve(lower.as_ref(), x.as_mut());
                x
            }
        };
        expand(&mut out, 1.0, harmonic, x.as_ref(), reference);
        out
    }

    /// Pᵀ·C for coefficients side by side.
    pub(super) fn apply_transposed(&self, c: MatRef<'_, f64>, reference: &Reference) -> Mat<f64> {
        let unknowns = self.rows.len();
        let points = reference.inner.len();
        let mut out = Mat::zeros(unknowns * points, c.ncols());
        let Ok(harmonic) = reference.harmonic() else {
            return out;
        };
        let (rank, size) = (reference.rank(), harmonic.kernel.ncols());
        let mut x = Mat::zeros(unknowns * size, c.ncols());
        for v in 0..unknowns {
            let target = x.as_mut().subrows_mut(v * size, size);
            let own = c.subrows(v * rank, rank);
            add_product(target, 1.0, harmonic.kernel.transpose(), own, false);
        }
        match &self.factor {
            Factor::Rows(inside) => inside.solve_transposed(&x),
            Factor::Gram(lower) => {
                cholesky_solve(lower.as_ref(), x.as_mut());
                // M·x.
                for (e, row) in self.rows.iter().enumerate() {
                    for term in &row.terms {
                        let own = x.as_ref().subrows(term.unknown * size, size);
                        let table = harmonic.kernel_tables[term.alpha].as_ref();
                        let values = times(table, own);
                        let part = out.as_mut().subrows_mut(e * points, points);
                        term.add_times(values.as_ref(), part);
                    }
                }
                out
            }
        }
    }

    /// Mᵀ·F.
    fn transposed(
        &self,
        f: MatRef<'_, f64>,
        harmonic: &Harmonic,
        reference: &Reference,
    ) -> Mat<f64> {
        let (points, size) = (reference.inner.len(), harmonic.kernel.ncols());
        let mut out = Mat::zeros(self.rows.len() * size, f.ncols());
        for (e, row) in self.rows.iter().enumerate() {
            let own = f.subrows(e * points, points);
            for term in &row.terms {
                let mut weighted = Mat::zeros(points, f.ncols());
                term.add_times(own, weighted.as_mut());
                add_product(
                    out.as_mut().subrows_mut(term.unknown * size, size),
                    1.0,
                    harmonic.kernel_tables[term.alpha].transpose(),
                    weighted.as_ref(),
                    false,
                );
            }
        }
        out
    }

    /// Numbers that are stored.
    pub(super) fn numbers(&self) -> usize {
        let factor = match &self.factor {
            Factor::Gram(lower) => lower.nrows() * lower.ncols(),
            Factor::Rows(inside) => inside.numbers(),
        };
        factor + self.rows.iter().map(LocalRow::numbers).sum::<usize>()
    }
}

impl Factor {
    /// The factors of M, and M⁺ B.
    fn new(inside: Mat<f64>, b: Mat<f64>) -> (Self, Mat<f64>) {
        let n = inside.ncols();
        let mut gram = Mat::zeros(n, n);
        matmul(
            gram.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            inside.transpose(),
            BlockStructure::Rectangular,
            inside.as_ref(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        let lower = cholesky(gram).filter(|lower| {
            let pivots = || (0..n).map(|i| lower[(i, i)]);
            let largest = pivots().fold(0.0, f64::max);
            pivots().all(|pivot| pivot > FLAT * largest)
        });
        match lower {
            Some(lower) => {
                let mut x = times(inside.transpose(), b.as_ref());
                cholesky_solve(lower.as_ref(), x.as_mut());
                (Self::Gram(lower), x)
            }
            None => {
                let inside = LeastSquares::of_equation(inside);
                let x = inside.solve(b);
                (Self::Rows(inside), x)
            }
        }
    }
}

/// Adds α (I ⊗ Ẑ)·X.
fn expand(
    out: &mut Mat<f64>,
    alpha: f64,
    harmonic: &Harmonic,
    x: MatRef<'_, f64>,
    reference: &Reference,
) {
    let (rank, size) = (reference.rank(), harmonic.kernel.ncols());
    for v in 0..out.nrows() / rank.max(1) {
        let target = out.as_mut().subrows_mut(v * rank, rank);
        let own = x.subrows(v * size, size);
        add_product(target, alpha, harmonic.kernel.as_ref(), own, false);
    }
}
