//! A = Q·R on the device, a block of rows at a time.
//!
//! Each stage stacks the triangle so far on the next block and factors the two together; the right-hand
//! sides follow. The stages that are kept make up Q. R is small: everything that needs judgement (rank,
//! ridge, least norm, constraints) is done with it by the same code as on the processor.

use faer::{Mat, MatRef};
use fastlsq_solve::{RowSource, SolveError, System};

use crate::assembly::{to_columns, write_finite_rows};
use crate::blocks::Plan;
use crate::device::{Buffer, Work};
use crate::error::CudaError;
use crate::features::columns_of;
use crate::numerics::Transpose;

/// Numbers kept on the device, or on the host where the device is too small for all of them.
#[derive(Debug)]
pub(crate) enum Kept {
    Device(Buffer<f64>),
    Host(Vec<f64>),
}

impl Kept {
    pub(crate) fn new(
        work: &Work<'_>,
        buffer: Buffer<f64>,
        resident: bool,
    ) -> Result<Self, CudaError> {
        if resident {
            Ok(Self::Device(buffer))
        } else {
            Ok(Self::Host(work.download(&buffer)?))
        }
    }

    /// Hands the numbers to `use_it`, on the device.
    pub(crate) fn with<T>(
        &self,
        work: &Work<'_>,
        use_it: impl FnOnce(&Buffer<f64>) -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        match self {
            Self::Device(buffer) => use_it(buffer),
            Self::Host(values) => use_it(&work.upload(values)?),
        }
    }
}

/// One stage: the triangle so far (`top` rows) on `count` new rows, factored.
#[derive(Debug)]
struct Stage {
    top: usize,
    count: usize,
    vectors: Kept,
    tau: Buffer<f64>,
}

impl Stage {
    fn rows(&self) -> usize {
        self.top + self.count
    }
}

/// Q of a reduction, as its stages left it.
#[derive(Debug)]
pub(crate) struct Orthogonal {
    rows: usize,
    columns: usize,
    stages: Vec<Stage>,
}

/// What a reduction leaves.
#[derive(Debug)]
pub(crate) struct Reduction {
    /// min(M, N)×N, zeros below the diagonal.
    pub(crate) r: Mat<f64>,
    /// Qᵀb, as many rows.
    pub(crate) projected: Mat<f64>,
    /// Q, if it was to be kept.
    pub(crate) q: Option<Orthogonal>,
    /// The number of blocks.
    pub(crate) blocks: usize,
}

/// Reduces the rows of a system, along with right-hand sides.
pub(crate) fn reduce(
    work: &Work<'_>,
    system: &System,
    rhs: MatRef<'_, f64>,
    plan: Plan,
    keep: bool,
) -> Result<Reduction, SolveError> {
    let (m, n) = (system.nrows(), system.ncols());
    let columns = columns_of(work, system)?;
    let mut stages = Vec::new();
    // The triangle so far, without gaps, and the right-hand sides beside it.
    let mut triangle = work.allocate::<f64>(0)?;
    let mut carried = work.allocate::<f64>(0)?;
    let (mut top, mut done, mut blocks) = (0, 0, 0);
    while done < m {
        let count = plan.rows.min(m - done);
        let rows = top + count;
        let stacked = work.allocate(rows.saturating_mul(n))?;
        if top > 0 {
            let source = triangle.matrix(top, n)?;
            work.copy_block(&source, &stacked.part(0, top, n, rows)?)?;
        }
        let fresh = stacked.part(top, count, n, rows)?;
        write_finite_rows(work, system, &columns, done, &fresh)?;
        let whole = stacked.matrix(rows, n)?;
        let tau = work.factor_qr(&whole)?;
        let beside = stack(work, &carried, top, rhs.subrows(done, count))?;
        let right = beside.matrix(rows, rhs.ncols())?;
        work.apply_q(Transpose::Yes, &whole, &tau, &right)?;

        let next = rows.min(n);
        triangle = work.allocate(next * n)?;
        let source = stacked.part(0, next, n, rows)?;
        work.copy_triangle(&source, &triangle.matrix(next, n)?)?;
        carried = head(work, &beside, rows, next, rhs.ncols())?;
        work.synchronise()?;
        if keep {
            stages.push(Stage {
                top,
                count,
                vectors: Kept::new(work, stacked, plan.resident)?,
                tau,
            });
        }
        top = next;
        done += count;
        blocks += 1;
    }
    let q = keep.then_some(Orthogonal {
        rows: m,
        columns: n,
        stages,
    });
    Ok(Reduction {
        r: from_columns(top, n, &work.download(&triangle)?),
        projected: from_columns(top, rhs.ncols(), &work.download(&carried)?),
        q,
        blocks,
    })
}

impl Orthogonal {
    /// Rows of R.
    fn rank_bound(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// The leading rows of Qᵀb.
    pub(crate) fn project(
        &self,
        work: &Work<'_>,
        b: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, CudaError> {
        let k = b.ncols();
        let mut carried = work.allocate::<f64>(0)?;
        let mut done = 0;
        for stage in &self.stages {
            let beside = stack(work, &carried, stage.top, b.subrows(done, stage.count))?;
            let part = beside.matrix(stage.rows(), k)?;
            stage.vectors.with(work, |vectors| {
                let vectors = vectors.matrix(stage.rows(), self.columns)?;
                work.apply_q(Transpose::Yes, &vectors, &stage.tau, &part)
            })?;
            let next = stage.rows().min(self.columns);
            carried = head(work, &beside, stage.rows(), next, k)?;
            done += stage.count;
        }
        let values = work.download(&carried)?;
        Ok(from_columns(self.rank_bound(), k, &values))
    }

    /// Q·[c; 0] for c with as many rows as R.
    pub(crate) fn expand(
        &self,
        work: &Work<'_>,
        c: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, CudaError> {
        let k = c.ncols();
        let mut out = Mat::zeros(self.rows, k);
        let mut carried = c.to_owned();
        let mut end = self.rows;
        for stage in self.stages.iter().rev() {
            let mut padded = Mat::zeros(stage.rows(), k);
            padded
                .as_mut()
                .subrows_mut(0, carried.nrows())
                .copy_from(&carried);
            let beside = work.upload(&to_columns(padded.as_ref()))?;
            let part = beside.matrix(stage.rows(), k)?;
            stage.vectors.with(work, |vectors| {
                let vectors = vectors.matrix(stage.rows(), self.columns)?;
                work.apply_q(Transpose::No, &vectors, &stage.tau, &part)
            })?;
            let whole = from_columns(stage.rows(), k, &work.download(&beside)?);
            let start = end - stage.count;
            out.as_mut()
                .subrows_mut(start, stage.count)
                .copy_from(whole.as_ref().subrows(stage.top, stage.count));
            carried = whole.as_ref().subrows(0, stage.top).to_owned();
            end = start;
        }
        Ok(out)
    }
}

/// What is carried (`top` rows) on top of new right-hand sides.
fn stack(
    work: &Work<'_>,
    carried: &Buffer<f64>,
    top: usize,
    fresh: MatRef<'_, f64>,
) -> Result<Buffer<f64>, CudaError> {
    let (count, k) = (fresh.nrows(), fresh.ncols());
    let sent = work.upload(&to_columns(fresh))?;
    if top == 0 {
        return Ok(sent);
    }
    let rows = top + count;
    let both = work.allocate(rows * k)?;
    if k > 0 {
        work.copy_block(&carried.matrix(top, k)?, &both.part(0, top, k, rows)?)?;
        work.copy_block(&sent.matrix(count, k)?, &both.part(top, count, k, rows)?)?;
        work.synchronise()?;
    }
    Ok(both)
}

/// The first `count` rows, without gaps.
fn head(
    work: &Work<'_>,
    matrix: &Buffer<f64>,
    rows: usize,
    count: usize,
    k: usize,
) -> Result<Buffer<f64>, CudaError> {
    let out = work.allocate(count * k)?;
    if k > 0 {
        work.copy_block(&matrix.part(0, count, k, rows)?, &out.matrix(count, k)?)?;
        work.synchronise()?;
    }
    Ok(out)
}

/// A matrix from its entries column by column.
pub(crate) fn from_columns(rows: usize, columns: usize, values: &[f64]) -> Mat<f64> {
    Mat::from_fn(rows, columns, |i, j| {
        values.get(j * rows + i).copied().unwrap_or(0.0)
    })
}
