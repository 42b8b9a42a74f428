//! The backend: from a system to something that can be solved again and again.

use std::sync::Arc;
use std::time::Instant;

use faer::{Mat, MatRef};
use fastlsq_solve::lsq::{self, ConstrainedFactorisation, Constraints, Factorisation, Input};
use fastlsq_solve::{
    Backend, CpuBackend, Factored, LsqError, LsqInfo, LsqOptions, Method, RowSource, SolveError,
    System,
};

use crate::blocks::{self, Plan, Request};
use crate::device::{Device, Work};
use crate::error::CudaError;
use crate::gram::{self, Gram, GramOutcome};
use crate::reduction::{Orthogonal, Reduction, reduce};
use crate::single::{self, Single};

/// A CUDA device as a backend: rows are assembled and factored there.
///
/// Cheap to clone; clones share the device. Work from several threads is done one piece after the other, so a
/// coefficient function must not itself solve on the device that its rows are being written for.
///
/// ```
/// use fastlsq_gpu::Cuda;
/// use fastlsq_solve::{BoxDomain, LinearProblem, Options, laplacian, unknown};
/// let problem = LinearProblem::on(BoxDomain::unit(2))
///     .equation(-laplacian(unknown("u")), 1.0)
///     .dirichlet(0.0);
/// match Cuda::new() {
///     Ok(cuda) => println!("{}", problem.solve_with(&Options::new().backend(cuda))?.report()),
///     Err(missing) => println!("{missing}"),
/// }
/// # Ok::<(), fastlsq_solve::SolveError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cuda {
    device: Arc<Device>,
    block_rows: Option<usize>,
    single: bool,
}

impl Cuda {
    /// The first device.
    ///
    /// # Errors
    /// What is missing: the driver, a device, a library; or what the driver refused. Never panics.
    pub fn new() -> Result<Self, CudaError> {
        Self::on_device(0)
    }

    /// A device by its number, counted from 0.
    ///
    /// # Errors
    /// As [`new`](Self::new), or no device of this number.
    pub fn on_device(ordinal: usize) -> Result<Self, CudaError> {
        Ok(Self {
            device: Device::open(ordinal)?,
            block_rows: None,
            single: false,
        })
    }

    /// Takes at most this many rows at a time (at least one). By default as many as fit into the
    /// device's free memory and the [memory limit](LsqOptions::memory_limit).
    #[must_use]
    pub fn block_rows(mut self, rows: usize) -> Self {
        self.block_rows = Some(rows.max(1));
        self
    }

    /// Factors in single precision and refines solutions in double precision (default: all in double), for
    /// cards whose f64 arithmetic is slow.
    ///
    /// Directions whose pivots lie below 1.2·10⁻⁷·max(√N, 20) of the largest are dropped. So systems with condition
    /// numbers up to about 10⁵, or with a ridge, are solved as accurately as in double precision. With features that
    /// depend on each other to rounding, as smooth ones do, about six digits remain of thirteen. Solutions of least
    /// norm have it to about seven digits. Normal equations and systems with exact rows stay in double precision. The
    /// rows are kept in double precision, on the host where the device is too small, while a solve runs.
    #[must_use]
    pub fn single_precision(mut self) -> Self {
        self.single = true;
        self
    }

    /// The name that the driver gives the device.
    #[must_use]
    pub fn device_name(&self) -> &str {
        self.device.name()
    }

    /// Where the kernels come from: compiled for this device by NVRTC where that is installed, otherwise the PTX in
    /// this crate.
    #[must_use]
    pub fn kernel_origin(&self) -> &str {
        self.device.kernel_origin()
    }

    /// Whether this is the stand-in that this crate's tests use where there is no hardware: nothing
    /// should be measured on it.
    #[must_use]
    pub fn is_emulated(&self) -> bool {
        self.device_name().starts_with("FastLSQ emulated device")
    }

    fn plan(
        &self,
        work: &Work<'_>,
        system: &System,
        options: &LsqOptions,
        keep: bool,
    ) -> Result<Plan, SolveError> {
        Ok(blocks::plan(Request {
            rows: system.nrows(),
            columns: system.ncols(),
            // In single precision a block exists a second time, at half the size.
            right_hand_sides: if self.single {
                1 + system.ncols() / 2
            } else {
                1
            },
            keep,
            block_rows: self.block_rows,
            free: work.free_memory()?,
            limit: options.control.memory(),
        })?)
    }

    /// Reduces all rows of a system on the device.
    fn reduce(&self, system: &System, options: &LsqOptions) -> Result<Reduction, SolveError> {
        let work = self.device.begin()?;
        let plan = self.plan(&work, system, options, options.keep_q)?;
        let rhs = system.right_hand_side();
        reduce(&work, system, rhs.as_ref(), plan, options.keep_q)
    }

    /// The normal equations, unless they are not positive definite.
    fn normal_equations(
        &self,
        system: &System,
        options: &LsqOptions,
    ) -> Result<GramOutcome, SolveError> {
        let work = self.device.begin()?;
        let plan = self.plan(&work, system, options, options.keep_q)?;
        gram::factor(&work, system, options, plan)
    }

    /// QR on the device, the rank revealed on its triangle.
    fn orthogonal(
        &self,
        system: &System,
        options: &LsqOptions,
        fallbacks: Vec<String>,
    ) -> Result<Box<dyn Factored>, SolveError> {
        let clock = Instant::now();
        let reduction = self.reduce(system, options)?;
        let seconds = clock.elapsed().as_secs_f64();
        let method = match options.method {
            method @ (Method::Svd | Method::Qr) => method,
            _ => Method::RankRevealingQr,
        };
        let inner = options.clone().method(method);
        let factorisation = lsq::factor(&reduction.r, reduction.projected.as_ref(), &inner)?;
        let mut info = factorisation.info().clone();
        self.describe(&mut info, system, &reduction, seconds);
        info.fallbacks.splice(0..0, fallbacks);
        Ok(Box::new(CudaFactored {
            device: self.device.clone(),
            rows: system.nrows(),
            columns: system.ncols(),
            q: reduction.q,
            factorisation,
            info,
        }))
    }

    /// QR in single precision, refined.
    fn refined(
        &self,
        system: &System,
        options: &LsqOptions,
        fallbacks: Vec<String>,
    ) -> Result<Box<dyn Factored>, SolveError> {
        let plan = self.plan(&self.device.begin()?, system, options, true)?;
        let (mut factored, solution) = single::factor(&self.device, system, options, plan)?;
        if !options.keep_q {
            factored.forget_rows();
        }
        factored.info.fallbacks.splice(0..0, fallbacks);
        Ok(Box::new(CudaSingle { factored, solution }))
    }

    /// The same with rows that must hold exactly.
    fn constrained(
        &self,
        system: &System,
        free: &System,
        exact: &System,
        options: &LsqOptions,
    ) -> Result<Box<dyn Factored>, SolveError> {
        let clock = Instant::now();
        let reduction = self.reduce(free, options)?;
        let seconds = clock.elapsed().as_secs_f64();
        let mut matrix = Mat::zeros(exact.nrows(), exact.ncols());
        exact.write_rows(0, matrix.as_mut())?;
        let values = exact.right_hand_side();
        let constraints = Constraints {
            matrix: matrix.as_ref(),
            values: values.as_ref(),
        };
        let (r, projected) = (&reduction.r, reduction.projected.as_ref());
        let factorisation = lsq::factor_constrained(r, projected, constraints, options)?;
        let fixed = factorisation.constraint_rank();
        let mut info = factorisation.info().cloned().unwrap_or_else(|| {
            LsqInfo::new(
                Method::RankRevealingQr,
                "no free coefficients are left",
                0,
                0,
            )
        });
        info.rank += fixed;
        self.describe(&mut info, system, &reduction, seconds);
        info.reason = format!("{}; constraints of rank {fixed} eliminated", info.reason);
        let mut is_exact = vec![false; system.nrows()];
        for range in system.exact_rows() {
            is_exact[range].fill(true);
        }
        Ok(Box::new(CudaConstrained {
            device: self.device.clone(),
            q: reduction.q,
            factorisation,
            is_exact,
            columns: system.ncols(),
            info,
        }))
    }

    /// Adds what was done on the device to the record of the triangle.
    fn describe(&self, info: &mut LsqInfo, system: &System, reduction: &Reduction, seconds: f64) {
        let (m, n) = (system.nrows() as f64, system.ncols() as f64);
        (info.rows, info.cols) = (system.nrows(), system.ncols());
        info.reason = match reduction.blocks {
            1 => "QR on the device, the rank revealed on its triangle".to_owned(),
            blocks => format!(
                "QR on the device in {blocks} blocks of rows, the rank revealed on its triangle"
            ),
        };
        let small = m.min(n);
        info.flops += 4.0 * (m * n * small - 0.5 * (m + n) * small * small + small.powi(3) / 3.0);
        info.seconds.reduction += seconds;
    }
}

impl Backend for Cuda {
    fn name(&self) -> String {
        format!("cuda ({})", self.device_name())
    }

    fn factor(
        &self,
        system: &System,
        options: &LsqOptions,
    ) -> Result<Box<dyn Factored>, SolveError> {
        options.validate()?;
        if system.shares_coefficients() {
            // Its columns are sums over unknowns, which the kernels do not write.
            return CpuBackend.factor(system, options);
        }
        if let (Some(free), Some(exact)) = system.split_exact() {
            return self.constrained(system, &free, &exact, options);
        }
        let mut fallbacks = Vec::new();
        match options.method {
            Method::NormalEquations => match self.normal_equations(system, options)? {
                GramOutcome::Solved(gram) => {
                    let device = self.device.clone();
                    return Ok(Box::new(CudaGram { device, gram: *gram }));
                }
                GramOutcome::Indefinite(pivot) => fallbacks.push(format!(
                    "AᵀA is not positive definite to working accuracy (pivot {pivot}): solved by rank-revealing QR"
                )),
            },
            Method::Sketch => fallbacks.push(
                "the device factors all columns, without a sketch: solved by rank-revealing QR"
                    .to_owned(),
            ),
            _ => {}
        }
        if self.single {
            self.refined(system, options, fallbacks)
        } else {
            self.orthogonal(system, options, fallbacks)
        }
    }
}

/// Fails unless an input has as many rows as needed, all finite.
fn check_input(
    a: MatRef<'_, f64>,
    expected: usize,
    input: Input,
    each: &'static str,
) -> Result<(), LsqError> {
    if a.nrows() != expected {
        return Err(LsqError::Shape {
            input,
            each,
            expected,
            found: a.nrows(),
        });
    }
    for row in 0..a.nrows() {
        for column in 0..a.ncols() {
            let value = a[(row, column)];
            if !value.is_finite() {
                return Err(LsqError::NotFinite {
                    input,
                    row,
                    column,
                    value,
                });
            }
        }
    }
    Ok(())
}

fn check_right_hand_side(b: MatRef<'_, f64>, rows: usize) -> Result<(), LsqError> {
    check_input(b, rows, Input::RightHandSide, "row of the system")
}

fn check_covector(v: MatRef<'_, f64>, columns: usize) -> Result<(), LsqError> {
    check_input(v, columns, Input::Adjoint, "column of A")
}

/// A = Q·R with Q on the device and R factored on the host.
#[derive(Debug)]
struct CudaFactored {
    device: Arc<Device>,
    rows: usize,
    columns: usize,
    q: Option<Orthogonal>,
    factorisation: Factorisation,
    info: LsqInfo,
}

impl Factored for CudaFactored {
    fn solution(&self) -> Result<Mat<f64>, SolveError> {
        Ok(self.factorisation.solution().to_owned())
    }

    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let q = self.q.as_ref().ok_or(LsqError::QNotKept)?;
        check_right_hand_side(right_hand_sides, self.rows)?;
        let projected = q.project(&self.device.begin()?, right_hand_sides)?;
        Ok(self.factorisation.solve(projected.as_ref())?)
    }

    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let q = self.q.as_ref().ok_or(LsqError::QNotKept)?;
        check_covector(covectors, self.columns)?;
        let inner = self.factorisation.adjoint(covectors)?;
        Ok(q.expand(&self.device.begin()?, inner.as_ref())?)
    }

    fn info(&self) -> &LsqInfo {
        &self.info
    }
}

/// The same subject to rows that hold exactly.
#[derive(Debug)]
struct CudaConstrained {
    device: Arc<Device>,
    q: Option<Orthogonal>,
    factorisation: ConstrainedFactorisation,
    /// For each row of the system whether it is a constraint.
    is_exact: Vec<bool>,
    columns: usize,
    info: LsqInfo,
}

impl Factored for CudaConstrained {
    fn solution(&self) -> Result<Mat<f64>, SolveError> {
        Ok(self.factorisation.solution().to_owned())
    }

    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let q = self.q.as_ref().ok_or(LsqError::QNotKept)?;
        check_right_hand_side(right_hand_sides, self.is_exact.len())?;
        let part = |wanted: bool| {
            let rows = self.is_exact.iter().enumerate();
            let rows: Vec<usize> = rows
                .filter_map(|(i, &exact)| (exact == wanted).then_some(i))
                .collect();
            Mat::from_fn(rows.len(), right_hand_sides.ncols(), |i, j| {
                right_hand_sides[(rows[i], j)]
            })
        };
        let projected = q.project(&self.device.begin()?, part(false).as_ref())?;
        let solution = self
            .factorisation
            .solve(projected.as_ref(), part(true).as_ref())?;
        Ok(solution)
    }

    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        let q = self.q.as_ref().ok_or(LsqError::QNotKept)?;
        check_covector(covectors, self.columns)?;
        let (fitted, values) = self.factorisation.adjoint(covectors)?;
        let fitted = q.expand(&self.device.begin()?, fitted.as_ref())?;
        let mut all = Mat::zeros(self.is_exact.len(), covectors.ncols());
        let (mut next_fitted, mut next_value) = (0, 0);
        for (row, &exact) in self.is_exact.iter().enumerate() {
            let (source, next) = if exact {
                (&values, &mut next_value)
            } else {
                (&fitted, &mut next_fitted)
            };
            all.row_mut(row).copy_from(source.row(*next));
            *next += 1;
        }
        Ok(all)
    }

    fn info(&self) -> &LsqInfo {
        &self.info
    }
}

/// R in single precision, solutions in double precision.
#[derive(Debug)]
struct CudaSingle {
    factored: Single,
    solution: Mat<f64>,
}

impl CudaSingle {
    fn require_rows(&self) -> Result<(), LsqError> {
        let kept = self.factored.is_kept();
        kept.then_some(()).ok_or(LsqError::QNotKept)
    }
}

impl Factored for CudaSingle {
    fn solution(&self) -> Result<Mat<f64>, SolveError> {
        Ok(self.solution.clone())
    }

    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        self.require_rows()?;
        check_right_hand_side(right_hand_sides, self.factored.info.rows)?;
        self.factored.solve(right_hand_sides)
    }

    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        self.require_rows()?;
        check_covector(covectors, self.factored.info.cols)?;
        self.factored.adjoint(covectors)
    }

    fn info(&self) -> &LsqInfo {
        &self.factored.info
    }
}

/// Normal equations on the device.
#[derive(Debug)]
struct CudaGram {
    device: Arc<Device>,
    gram: Gram,
}

impl CudaGram {
    fn require_matrix(&self) -> Result<(), LsqError> {
        self.gram.is_kept().then_some(()).ok_or(LsqError::QNotKept)
    }
}

impl Factored for CudaGram {
    fn solution(&self) -> Result<Mat<f64>, SolveError> {
        Ok(self.gram.solution.clone())
    }

    fn solve(&self, right_hand_sides: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        self.require_matrix()?;
        check_right_hand_side(right_hand_sides, self.gram.info.rows)?;
        self.gram.solve(&self.device.begin()?, right_hand_sides)
    }

    fn adjoint(&self, covectors: MatRef<'_, f64>) -> Result<Mat<f64>, SolveError> {
        self.require_matrix()?;
        check_covector(covectors, self.gram.info.cols)?;
        self.gram.adjoint(&self.device.begin()?, covectors)
    }

    fn info(&self) -> &LsqInfo {
        &self.gram.info
    }
}
