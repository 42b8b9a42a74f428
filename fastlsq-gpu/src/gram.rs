//! Normal equations: Cholesky of D·AᵀA·D + μD² on the device.

use std::time::Instant;

use faer::{Mat, MatRef};
use fastlsq_solve::lsq::condition_of_triangle;
use fastlsq_solve::{LsqError, LsqInfo, LsqOptions, Method, RowSource, SolveError, System};

use crate::assembly::{to_columns, write_finite_rows};
use crate::blocks::Plan;
use crate::device::{Buffer, Work};
use crate::error::CudaError;
use crate::features::columns_of;
use crate::numerics::Transpose;
use crate::reduction::{Kept, from_columns};

/// AᵀA + μI as its Cholesky factor, and A itself if it was to be kept.
#[derive(Debug)]
pub(crate) struct Gram {
    rows: usize,
    columns: usize,
    factor: Buffer<f64>,
    scaling: Buffer<f64>,
    /// The blocks of A: rows and entries.
    matrix: Option<Vec<(usize, Kept)>>,
    pub(crate) solution: Mat<f64>,
    pub(crate) info: LsqInfo,
}

/// What became of the normal equations.
pub(crate) enum GramOutcome {
    Solved(Box<Gram>),
    /// Not positive definite to working accuracy: the pivot where that showed.
    Indefinite(usize),
}

/// Forms and factors the normal equations.
pub(crate) fn factor(
    work: &Work<'_>,
    system: &System,
    options: &LsqOptions,
    plan: Plan,
) -> Result<GramOutcome, SolveError> {
    let clock = Instant::now();
    let (m, n) = (system.nrows(), system.ncols());
    let rhs = system.right_hand_side();
    let columns = columns_of(work, system)?;
    let gram = work.allocate(n.saturating_mul(n))?;
    let products = work.allocate(n)?;
    let mut kept = Vec::new();
    let mut done = 0;
    while done < m {
        let count = plan.rows.min(m - done);
        let block = work.allocate(count.saturating_mul(n))?;
        let part = block.matrix(count, n)?;
        write_finite_rows(work, system, &columns, done, &part)?;
        // The first block overwrites: what is in fresh memory is unspecified.
        let beta = if done == 0 { 0.0 } else { 1.0 };
        work.add_gram(&part, beta, &gram.matrix(n, n)?)?;
        let b = work.upload(&to_columns(rhs.as_ref().subrows(done, count)))?;
        work.multiply(
            Transpose::Yes,
            &part,
            &b.matrix(count, 1)?,
            beta,
            &products.matrix(n, 1)?,
        )?;
        work.synchronise()?;
        if options.keep_q {
            kept.push((count, Kept::new(work, block, plan.resident)?));
        }
        done += count;
    }
    let reduction_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let part = gram.matrix(n, n)?;
    let scaling = if options.equilibrate {
        work.inverse_norms(&part)?
    } else {
        work.upload(&vec![1.0; n])?
    };
    work.scale_gram(&scaling, options.ridge, &part)?;
    if let Some(pivot) = work.factor_cholesky(&part)? {
        return Ok(GramOutcome::Indefinite(pivot));
    }
    let lower = from_columns(n, n, &work.download(&gram)?);
    let pivots: Vec<f64> = (0..n).map(|i| lower[(i, i)]).collect();
    let largest = pivots.iter().copied().fold(0.0, f64::max);
    // Pivots of the size of the rounding errors in AᵀA mean nothing; neither does a NaN.
    let noise = 10.0 * f64::EPSILON * largest * largest;
    let sound = |pivot: &f64| pivot * pivot > noise;
    if let Some(index) = pivots.iter().position(|pivot| !sound(pivot)) {
        return Ok(GramOutcome::Indefinite(index));
    }
    let mut info = LsqInfo::new(Method::NormalEquations, "as asked for", m, n);
    info.rank = n;
    info.threshold = options.threshold_for(n);
    info.largest_pivot = largest;
    info.smallest_pivot = pivots.iter().copied().fold(f64::INFINITY, f64::min);
    info.condition = condition_of_triangle(lower.transpose());
    info.flops = m as f64 * (n as f64).powi(2) + (n as f64).powi(3) / 3.0;
    info.seconds.reduction = reduction_seconds;
    info.seconds.rank_revealing = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let mut solved = Gram {
        rows: m,
        columns: n,
        factor: gram,
        scaling,
        matrix: options.keep_q.then_some(kept),
        solution: Mat::zeros(0, 0),
        info,
    };
    solved.invert(work, &products, 1)?;
    solved.solution = from_columns(n, 1, &work.download(&products)?);
    solved.info.seconds.solution = clock.elapsed().as_secs_f64();
    Ok(GramOutcome::Solved(Box::new(solved)))
}

impl Gram {
    /// x ← D·(L·Lᵀ)⁻¹·D·x for k columns.
    fn invert(&self, work: &Work<'_>, x: &Buffer<f64>, k: usize) -> Result<(), CudaError> {
        let n = self.columns;
        let x = x.matrix(n, k)?;
        work.scale_rows(&self.scaling, &x)?;
        work.solve_cholesky(&self.factor.matrix(n, n)?, &x)?;
        work.scale_rows(&self.scaling, &x)?;
        work.synchronise()
    }

    /// Whether new right-hand sides are possible.
    pub(crate) fn is_kept(&self) -> bool {
        self.matrix.is_some()
    }

    fn blocks(&self) -> Result<&[(usize, Kept)], LsqError> {
        self.matrix.as_deref().ok_or(LsqError::QNotKept)
    }

    /// The solution for right-hand sides that have been checked.
    pub(crate) fn solve(
        &self,
        work: &Work<'_>,
        b: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, SolveError> {
        let (n, k) = (self.columns, b.ncols());
        let products = work.upload(&vec![0.0; n * k])?;
        let mut done = 0;
        for (count, block) in self.blocks()? {
            let sent = work.upload(&to_columns(b.subrows(done, *count)))?;
            block.with(work, |block| {
                let a = block.matrix(*count, n)?;
                let b = sent.matrix(*count, k)?;
                work.multiply(Transpose::Yes, &a, &b, 1.0, &products.matrix(n, k)?)?;
                work.synchronise()
            })?;
            done += count;
        }
        self.invert(work, &products, k)?;
        Ok(from_columns(n, k, &work.download(&products)?))
    }

    /// A·G·v: the map from right-hand sides to solutions, transposed.
    pub(crate) fn adjoint(
        &self,
        work: &Work<'_>,
        v: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, SolveError> {
        let (n, k) = (self.columns, v.ncols());
        let x = work.upload(&to_columns(v))?;
        self.invert(work, &x, k)?;
        let mut out = Mat::zeros(self.rows, k);
        let mut done = 0;
        for (count, block) in self.blocks()? {
            let part = work.allocate(count * k)?;
            block.with(work, |block| {
                let a = block.matrix(*count, n)?;
                let target = part.matrix(*count, k)?;
                work.multiply(Transpose::No, &a, &x.matrix(n, k)?, 0.0, &target)?;
                work.synchronise()
            })?;
            out.as_mut()
                .subrows_mut(done, *count)
                .copy_from(&from_columns(*count, k, &work.download(&part)?));
            done += count;
        }
        Ok(out)
    }
}
