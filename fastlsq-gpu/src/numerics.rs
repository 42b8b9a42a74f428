//! Products and factorisations by cuBLAS and cuSOLVER, with their shapes checked.

use std::ffi::c_int;

use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys as solver;

use crate::device::{Buffer, Part, Plain, Work, check_blas, check_solver, to_int};
use crate::error::CudaError;

/// Whether a factor is applied as it is or transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transpose {
    No,
    Yes,
}

impl Transpose {
    fn for_blas(self) -> blas::cublasOperation_t {
        match self {
            Self::No => blas::cublasOperation_t::CUBLAS_OP_N,
            Self::Yes => blas::cublasOperation_t::CUBLAS_OP_T,
        }
    }

    fn for_solver(self) -> solver::cublasOperation_t {
        match self {
            Self::No => solver::cublasOperation_t::CUBLAS_OP_N,
            Self::Yes => solver::cublasOperation_t::CUBLAS_OP_T,
        }
    }
}

/// A part's address, sizes and leading dimension as the libraries take them.
struct Raw<T> {
    pointer: *mut T,
    rows: c_int,
    columns: c_int,
    leading: c_int,
}

fn raw<T: Plain>(part: &Part<'_, T>) -> Result<Raw<T>, CudaError> {
    Ok(Raw {
        // An address on the device, which only the libraries use.
        pointer: part.address() as usize as *mut T,
        rows: to_int("a matrix", part.rows())?,
        columns: to_int("a matrix", part.columns())?,
        leading: to_int("a matrix", part.leading())?,
    })
}

fn pointer<T>(buffer: &Buffer<T>) -> *mut T {
    buffer.address() as usize as *mut T
}

/// A function of the library, and its name for errors.
pub(crate) struct Named<F> {
    name: &'static str,
    call: F,
}

type QrWorkspace<T> = unsafe fn(
    solver::cusolverDnHandle_t,
    c_int,
    c_int,
    *mut T,
    c_int,
    *mut c_int,
) -> solver::cusolverStatus_t;
type Qr<T> = unsafe fn(
    solver::cusolverDnHandle_t,
    c_int,
    c_int,
    *mut T,
    c_int,
    *mut T,
    *mut T,
    c_int,
    *mut c_int,
) -> solver::cusolverStatus_t;

/// A precision in which the library factors.
pub(crate) trait Factorable: Plain + Sized {
    const QR_WORKSPACE: Named<QrWorkspace<Self>>;
    const QR: Named<Qr<Self>>;
}

impl Factorable for f64 {
    const QR_WORKSPACE: Named<QrWorkspace<Self>> = Named {
        name: "cusolverDnDgeqrf_bufferSize",
        call: solver::cusolverDnDgeqrf_bufferSize,
    };
    const QR: Named<Qr<Self>> = Named {
        name: "cusolverDnDgeqrf",
        call: solver::cusolverDnDgeqrf,
    };
}

impl Factorable for f32 {
    const QR_WORKSPACE: Named<QrWorkspace<Self>> = Named {
        name: "cusolverDnSgeqrf_bufferSize",
        call: solver::cusolverDnSgeqrf_bufferSize,
    };
    const QR: Named<Qr<Self>> = Named {
        name: "cusolverDnSgeqrf",
        call: solver::cusolverDnSgeqrf,
    };
}

/// Fails unless two sizes are the same.
fn expect(found: usize, needed: usize) -> Result<(), CudaError> {
    if found == needed {
        Ok(())
    } else {
        Err(CudaError::Shape {
            what: "a matrix",
            requirement: "the sizes of factors must match",
        })
    }
}

#[allow(unsafe_code)]
impl Work<'_> {
    /// C ← Aᵀ·B + βC or A·B + βC.
    pub(crate) fn multiply(
        &self,
        transpose: Transpose,
        a: &Part<'_>,
        b: &Part<'_>,
        beta: f64,
        c: &Part<'_>,
    ) -> Result<(), CudaError> {
        let (outer, inner) = match transpose {
            Transpose::No => (a.rows(), a.columns()),
            Transpose::Yes => (a.columns(), a.rows()),
        };
        expect(b.rows(), inner)?;
        expect(c.rows(), outer)?;
        expect(c.columns(), b.columns())?;
        if c.is_empty() || inner == 0 {
            return Ok(());
        }
        let (a, b, c) = (raw(a)?, raw(b)?, raw(c)?);
        let one = 1.0;
        // SAFETY: the parts lie inside their buffers and their sizes match; the scalars are on the host,
        // as the handle's default mode has it, and are read before the call returns.
        check_blas("cublasDgemm", unsafe {
            blas::cublasDgemm_v2(
                self.blas(),
                transpose.for_blas(),
                Transpose::No.for_blas(),
                c.rows,
                c.columns,
                b.rows,
                &raw const one,
                a.pointer,
                a.leading,
                b.pointer,
                b.leading,
                &raw const beta,
                c.pointer,
                c.leading,
            )
        })
    }

    /// The lower triangle of G ← Aᵀ·A + βG.
    pub(crate) fn add_gram(
        &self,
        a: &Part<'_>,
        beta: f64,
        gram: &Part<'_>,
    ) -> Result<(), CudaError> {
        expect(gram.rows(), a.columns())?;
        expect(gram.columns(), a.columns())?;
        if a.is_empty() {
            return Ok(());
        }
        let (a, g) = (raw(a)?, raw(gram)?);
        let one = 1.0;
        // SAFETY: as for `multiply`.
        check_blas("cublasDsyrk", unsafe {
            blas::cublasDsyrk_v2(
                self.blas(),
                blas::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER,
                blas::cublasOperation_t::CUBLAS_OP_T,
                g.rows,
                a.rows,
                &raw const one,
                a.pointer,
                a.leading,
                &raw const beta,
                g.pointer,
                g.leading,
            )
        })
    }

    /// A ← R above the diagonal and Householder vectors below it; returns their factors τ.
    pub(crate) fn factor_qr<T: Factorable>(&self, a: &Part<'_, T>) -> Result<Buffer<T>, CudaError> {
        let tau = self.allocate::<T>(a.rows().min(a.columns()))?;
        let info = self.allocate::<i32>(1)?;
        let a = raw(a)?;
        let ((needs, call), mut size) = ((T::QR_WORKSPACE, T::QR), 0);
        // SAFETY: the call only looks at the sizes and writes one integer.
        check_solver(needs.name, unsafe {
            (needs.call)(
                self.solver(),
                a.rows,
                a.columns,
                a.pointer,
                a.leading,
                &raw mut size,
            )
        })?;
        let workspace = self.workspace::<T>(size)?;
        // SAFETY: the part lies inside its buffer; τ has min(rows, columns) elements and the workspace the
        // size that the library asked for.
        check_solver(call.name, unsafe {
            (call.call)(
                self.solver(),
                a.rows,
                a.columns,
                a.pointer,
                a.leading,
                pointer(&tau),
                pointer(&workspace),
                size,
                pointer(&info),
            )
        })?;
        self.expect_success(call.name, &info)?;
        Ok(tau)
    }

    /// C ← Q·C or Qᵀ·C, with Q from [`factor_qr`](Self::factor_qr) of a matrix with as many rows as C.
    pub(crate) fn apply_q(
        &self,
        transpose: Transpose,
        vectors: &Part<'_>,
        tau: &Buffer<f64>,
        c: &Part<'_>,
    ) -> Result<(), CudaError> {
        expect(c.rows(), vectors.rows())?;
        expect(tau.len(), vectors.rows().min(vectors.columns()))?;
        if c.is_empty() || tau.len() == 0 {
            return Ok(());
        }
        let (v, c) = (raw(vectors)?, raw(c)?);
        let reflections = to_int("the reflections", tau.len())?;
        let side = solver::cublasSideMode_t::CUBLAS_SIDE_LEFT;
        let operation = transpose.for_solver();
        let mut size = 0;
        // SAFETY: the call only looks at the sizes and writes one integer.
        check_solver("cusolverDnDormqr_bufferSize", unsafe {
            solver::cusolverDnDormqr_bufferSize(
                self.solver(),
                side,
                operation,
                c.rows,
                c.columns,
                reflections,
                v.pointer,
                v.leading,
                pointer(tau),
                c.pointer,
                c.leading,
                &raw mut size,
            )
        })?;
        let workspace = self.workspace(size)?;
        let info = self.allocate::<i32>(1)?;
        // SAFETY: the parts lie inside their buffers and their sizes match; the workspace has the size that
        // the library asked for.
        check_solver("cusolverDnDormqr", unsafe {
            solver::cusolverDnDormqr(
                self.solver(),
                side,
                operation,
                c.rows,
                c.columns,
                reflections,
                v.pointer,
                v.leading,
                pointer(tau),
                c.pointer,
                c.leading,
                pointer(&workspace),
                size,
                pointer(&info),
            )
        })?;
        self.expect_success("cusolverDnDormqr", &info)
    }

    /// G ← L with G = L·Lᵀ, lower triangles; `Some(i)` if the leading minor of order i + 1 is not
    /// positive.
    pub(crate) fn factor_cholesky(&self, gram: &Part<'_>) -> Result<Option<usize>, CudaError> {
        expect(gram.rows(), gram.columns())?;
        let g = raw(gram)?;
        let lower = solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER;
        let mut size = 0;
        // SAFETY: the call only looks at the sizes and writes one integer.
        check_solver("cusolverDnDpotrf_bufferSize", unsafe {
            solver::cusolverDnDpotrf_bufferSize(
                self.solver(),
                lower,
                g.rows,
                g.pointer,
                g.leading,
                &raw mut size,
            )
        })?;
        let workspace = self.workspace(size)?;
        let info = self.allocate::<i32>(1)?;
        // SAFETY: the part lies inside its buffer; the workspace has the size that the library asked for.
        check_solver("cusolverDnDpotrf", unsafe {
            solver::cusolverDnDpotrf(
                self.solver(),
                lower,
                g.rows,
                g.pointer,
                g.leading,
                pointer(&workspace),
                size,
                pointer(&info),
            )
        })?;
        match self.status(&info)? {
            0 => Ok(None),
            minor if minor > 0 => Ok(Some(minor.unsigned_abs() as usize - 1)),
            argument => Err(CudaError::Argument {
                call: "cusolverDnDpotrf",
                argument: argument.unsigned_abs(),
            }),
        }
    }

    /// B ← (L·Lᵀ)⁻¹·B.
    pub(crate) fn solve_cholesky(&self, factor: &Part<'_>, b: &Part<'_>) -> Result<(), CudaError> {
        expect(b.rows(), factor.rows())?;
        expect(factor.columns(), factor.rows())?;
        if b.is_empty() {
            return Ok(());
        }
        let (l, b) = (raw(factor)?, raw(b)?);
        let info = self.allocate::<i32>(1)?;
        // SAFETY: the parts lie inside their buffers and their sizes match.
        check_solver("cusolverDnDpotrs", unsafe {
            solver::cusolverDnDpotrs(
                self.solver(),
                solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER,
                l.rows,
                b.columns,
                l.pointer,
                l.leading,
                b.pointer,
                b.leading,
                pointer(&info),
            )
        })?;
        self.expect_success("cusolverDnDpotrs", &info)
    }

    fn workspace<T: Plain>(&self, size: c_int) -> Result<Buffer<T>, CudaError> {
        self.allocate(size.unsigned_abs() as usize)
    }

    fn status(&self, info: &Buffer<i32>) -> Result<i32, CudaError> {
        Ok(self.download(info)?.first().copied().unwrap_or(0))
    }

    /// A routine's report: 0, or minus the number of an argument it does not accept.
    fn expect_success(&self, call: &'static str, info: &Buffer<i32>) -> Result<(), CudaError> {
        match self.status(info)? {
            0 => Ok(()),
            argument => Err(CudaError::Argument {
                call,
                argument: argument.unsigned_abs(),
            }),
        }
    }
}
