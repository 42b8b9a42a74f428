//! QR in single precision, solutions in double precision.
//!
//! Graphics cards do f32 arithmetic up to 32 times faster than f64. Here the rows are rounded to f32 and
//! factored at that rate; only R is kept, and its rank is decided with a threshold that suits f32. R then
//! preconditions the least-squares problem with the rows in f64: with F the solution operator of R, the
//! columns of A·F are nearly orthonormal, and a few steps of conjugate gradients (CGLS) reach the f64 solution in
//! the range of F. A step costs two products with A.

use std::sync::Arc;
use std::time::Instant;

use faer::{Mat, MatRef};
use fastlsq_solve::lsq::{self, Factorisation};
use fastlsq_solve::{LsqInfo, LsqOptions, Method, RowSource, SolveError, System};

use crate::assembly::{to_columns, write_finite_rows};
use crate::blocks::Plan;
use crate::device::{Device, Work};
use crate::error::CudaError;
use crate::features::columns_of;
use crate::numerics::Transpose;
use crate::reduction::{Kept, from_columns};

/// The maximum number of steps of conjugate gradients.
const MOST_STEPS: usize = 40;
/// The gradient, relative to the right-hand side, at which nothing more can be gained.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// A gradient that falls by less than this in a step has reached its rounding errors.
const STAGNANT: f64 = 0.7;

/// The threshold in force: never below the rounding level of f32.
pub(crate) fn threshold(options: &LsqOptions, columns: usize) -> f64 {
    let rounding = f64::from(f32::EPSILON) * (columns as f64).sqrt().max(20.0);
    options.threshold_for(columns).max(rounding)
}

/// Blocks of rows with their entries in f64.
type Blocks = Vec<(usize, Kept)>;

/// The rows in f64, and R in f32 with its rank decided.
///
/// The device is claimed for each product only: between them the host works, on all its threads.
#[derive(Debug)]
pub(crate) struct Single {
    device: Arc<Device>,
    rows: usize,
    columns: usize,
    /// √μ: rows √μ·I stand beneath A.
    root_of_ridge: f64,
    blocks: Blocks,
    factorisation: Factorisation,
    pub(crate) info: LsqInfo,
}

/// Reduces the rows and solves for the system's own right-hand side.
pub(crate) fn factor(
    device: &Arc<Device>,
    system: &System,
    options: &LsqOptions,
    plan: Plan,
) -> Result<(Single, Mat<f64>), SolveError> {
    let clock = Instant::now();
    let (m, n) = (system.nrows(), system.ncols());
    let (r, blocks) = reduce(&device.begin()?, system, plan)?;
    let seconds = clock.elapsed().as_secs_f64();

    // min ‖Ax − b‖² + μ‖x‖² is the plain problem of A with rows √μ·I beneath.
    let root_of_ridge = options.ridge.sqrt();
    let top = r.nrows();
    let stacked = if options.ridge > 0.0 {
        Mat::from_fn(top + n, n, |i, j| {
            if i < top {
                r[(i, j)]
            } else if i - top == j {
                root_of_ridge
            } else {
                0.0
            }
        })
    } else {
        r
    };
    let method = match options.method {
        Method::Svd => Method::Svd,
        _ => Method::RankRevealingQr,
    };
    let inner = options
        .clone()
        .method(method)
        .ridge(0.0)
        .threshold(threshold(options, n))
        .minimum_norm(options.minimum_norm || m < n || system.ridge_root().is_some())
        .keep_q(true);
    let none = Mat::zeros(stacked.nrows(), 0);
    let factorisation = lsq::factor(&stacked, none.as_ref(), &inner)?;

    let mut info = factorisation.info().clone();
    (info.rows, info.cols) = (m, n);
    let (tall, wide) = (m as f64, n as f64);
    info.flops += 2.0 * wide * wide * (tall - wide / 3.0).max(0.0);
    info.seconds.reduction += seconds;
    let mut single = Single {
        device: device.clone(),
        rows: m,
        columns: n,
        root_of_ridge,
        blocks,
        factorisation,
        info,
    };
    let clock = Instant::now();
    let (solution, steps) = single.minimise(system.right_hand_side().as_ref())?;
    single.info.seconds.solution += clock.elapsed().as_secs_f64();
    single.info.reason = format!(
        "QR in single precision on the device, {steps} steps of refinement in double precision"
    );
    Ok((single, solution))
}

/// R of the rows rounded to f32, and the rows.
fn reduce(work: &Work<'_>, system: &System, plan: Plan) -> Result<(Mat<f64>, Blocks), SolveError> {
    let (m, n) = (system.nrows(), system.ncols());
    let columns = columns_of(work, system)?;
    let mut blocks = Vec::new();
    let mut triangle = work.allocate::<f64>(0)?;
    let (mut top, mut done) = (0, 0);
    while done < m {
        let count = plan.rows.min(m - done);
        let block = work.allocate(count.saturating_mul(n))?;
        let fresh = block.matrix(count, n)?;
        write_finite_rows(work, system, &columns, done, &fresh)?;
        let rows = top + count;
        let stacked = work.allocate::<f32>(rows.saturating_mul(n))?;
        if top > 0 {
            // Exact: the triangle came from singles.
            work.round_block(&triangle.matrix(top, n)?, &stacked.part(0, top, n, rows)?)?;
        }
        work.round_block(&fresh, &stacked.part(top, count, n, rows)?)?;
        work.factor_qr(&stacked.matrix(rows, n)?)?;
        let next = rows.min(n);
        triangle = work.allocate(next * n)?;
        let source = stacked.part(0, next, n, rows)?;
        work.widen_triangle(&source, &triangle.matrix(next, n)?)?;
        work.synchronise()?;
        blocks.push((count, Kept::new(work, block, plan.resident)?));
        top = next;
        done += count;
    }
    Ok((from_columns(top, n, &work.download(&triangle)?), blocks))
}

impl Single {
    /// Forgets the rows, where no further solves are wanted.
    pub(crate) fn forget_rows(&mut self) {
        self.blocks.clear();
    }

    /// Whether new right-hand sides are possible.
    pub(crate) fn is_kept(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// [A; √μ I]·x.
    fn times(&self, x: MatRef<'_, f64>) -> Result<Mat<f64>, CudaError> {
        let work = &self.device.begin()?;
        let (n, k) = (self.columns, x.ncols());
        let sent = work.upload(&to_columns(x))?;
        let beneath = if self.root_of_ridge > 0.0 { n } else { 0 };
        let mut out = Mat::zeros(self.rows + beneath, k);
        let mut done = 0;
        for (count, block) in &self.blocks {
            let part = work.allocate(count * k)?;
            block.with(work, |block| {
                let (a, x) = (block.matrix(*count, n)?, sent.matrix(n, k)?);
                work.multiply(Transpose::No, &a, &x, 0.0, &part.matrix(*count, k)?)?;
                work.synchronise()
            })?;
            out.as_mut()
                .subrows_mut(done, *count)
                .copy_from(&from_columns(*count, k, &work.download(&part)?));
            done += count;
        }
        for j in 0..k {
            for i in 0..beneath {
                out[(self.rows + i, j)] = self.root_of_ridge * x[(i, j)];
            }
        }
        Ok(out)
    }

    /// [A; √μ I]ᵀ·r.
    fn transpose_times(&self, r: MatRef<'_, f64>) -> Result<Mat<f64>, CudaError> {
        let work = &self.device.begin()?;
        let (n, k) = (self.columns, r.ncols());
        let sum = work.upload(&vec![0.0; n * k])?;
        let mut done = 0;
        for (count, block) in &self.blocks {
            let sent = work.upload(&to_columns(r.subrows(done, *count)))?;
            block.with(work, |block| {
                let (a, r) = (block.matrix(*count, n)?, sent.matrix(*count, k)?);
                work.multiply(Transpose::Yes, &a, &r, 1.0, &sum.matrix(n, k)?)?;
                work.synchronise()
            })?;
            done += count;
        }
        let mut out = from_columns(n, k, &work.download(&sum)?);
        if self.root_of_ridge > 0.0 {
            for j in 0..k {
                for i in 0..n {
                    out[(i, j)] += self.root_of_ridge * r[(self.rows + i, j)];
                }
            }
        }
        Ok(out)
    }

    /// A·F·c, with the ridge beneath.
    fn forward(&self, c: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let x = self.factorisation.solve(c)?;
        Ok(self.times(x.as_ref())?)
    }

    /// Fᵀ·Aᵀ·r, with the ridge beneath.
    fn backward(&self, r: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let v = self.transpose_times(r)?;
        Ok(self.factorisation.adjoint(v.as_ref())?)
    }

    /// Least-squares solutions for right-hand sides that have been checked; and the largest number of steps that one took.
    fn minimise(&self, b: MatRef<'_, f64>) -> Result<(Mat<f64>, usize), SolveError> {
        let mut all = Mat::zeros(self.columns, b.ncols());
        let mut most = 0;
        for j in 0..b.ncols() {
            let beneath = if self.root_of_ridge > 0.0 {
                self.columns
            } else {
                0
            };
            let mut r = Mat::zeros(self.rows + beneath, 1);
            r.as_mut()
                .subrows_mut(0, self.rows)
                .copy_from(b.subcols(j, 1));
            let size = r.norm_l2();
            let mut s = self.backward(r.as_ref())?;
            let mut p = s.clone();
            let mut c = Mat::<f64>::zeros(s.nrows(), 1);
            let mut gradient = s.norm_l2();
            let mut steps = 0;
            while steps < MOST_STEPS && gradient > ROUNDING * size {
                let q = self.forward(p.as_ref())?;
                let curvature = q.squared_norm_l2();
                if curvature == 0.0 {
                    break;
                }
                let step = gradient * gradient / curvature;
                c += faer::Scale(step) * &p;
                r -= faer::Scale(step) * &q;
                s = self.backward(r.as_ref())?;
                let next = s.norm_l2();
                steps += 1;
                if next > STAGNANT * gradient {
                    break;
                }
                let ratio = (next / gradient) * (next / gradient);
                p = &s + faer::Scale(ratio) * &p;
                gradient = next;
            }
            let x = self.factorisation.solve(c.as_ref())?;
            all.as_mut().subcols_mut(j, 1).copy_from(&x);
            most = most.max(steps);
        }
        Ok((all, most))
    }

    /// Solutions for new right-hand sides.
    pub(crate) fn solve(&self, b: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        Ok(self.minimise(b)?.0)
    }

    /// The transpose of [`solve`](Self::solve): A·F·(Fᵀ·AᵀA·F)⁺·Fᵀ·v, by conjugate gradients.
    pub(crate) fn adjoint(&self, v: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let mut all = Mat::zeros(self.rows, v.ncols());
        for j in 0..v.ncols() {
            let mut rest = self.factorisation.adjoint(v.subcols(j, 1))?;
            let mut u = Mat::<f64>::zeros(rest.nrows(), 1);
            let mut image = Mat::<f64>::zeros(0, 0);
            let mut p = rest.clone();
            let size = rest.norm_l2();
            let mut norm = size;
            let mut steps = 0;
            while steps < MOST_STEPS && norm > ROUNDING * size {
                let q = self.forward(p.as_ref())?;
                let curvature = q.squared_norm_l2();
                if curvature == 0.0 {
                    break;
                }
                let step = norm * norm / curvature;
                u += faer::Scale(step) * &p;
                rest -= faer::Scale(step) * self.backward(q.as_ref())?;
                let next = rest.norm_l2();
                steps += 1;
                if next > STAGNANT * norm {
                    break;
                }
                let ratio = (next / norm) * (next / norm);
                p = &rest + faer::Scale(ratio) * &p;
                norm = next;
            }
            if size > 0.0 {
                image = self.forward(u.as_ref())?;
            }
            if image.nrows() >= self.rows {
                all.as_mut()
                    .subcols_mut(j, 1)
                    .copy_from(image.as_ref().subrows(0, self.rows));
            }
        }
        Ok(all)
    }
}
