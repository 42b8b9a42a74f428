//! A device with its context, its stream and the handles of the libraries; and memory on it.

use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys as solver;
use cudarc::driver::sys as driver;

use crate::error::CudaError;
use crate::kernels::Kernels;
use crate::probe;

/// Turns the status of a driver call into a result.
pub(crate) fn check(call: &'static str, status: driver::CUresult) -> Result<(), CudaError> {
    match status {
        driver::CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(CudaError::Driver {
            call,
            code: other as u32,
            name: format!("{other:?}"),
        }),
    }
}

/// Turns the status of a cuBLAS call into a result.
pub(crate) fn check_blas(
    call: &'static str,
    status: blas::cublasStatus_t,
) -> Result<(), CudaError> {
    match status {
        blas::cublasStatus_t::CUBLAS_STATUS_SUCCESS => Ok(()),
        other => Err(CudaError::Numerics {
            call,
            status: format!("{other:?}"),
        }),
    }
}

/// Turns the status of a cuSOLVER call into a result.
pub(crate) fn check_solver(
    call: &'static str,
    status: solver::cusolverStatus_t,
) -> Result<(), CudaError> {
    match status {
        solver::cusolverStatus_t::CUSOLVER_STATUS_SUCCESS => Ok(()),
        other => Err(CudaError::Numerics {
            call,
            status: format!("{other:?}"),
        }),
    }
}

/// A device ready for work. All work goes to one stream, in order.
pub(crate) struct Device {
    ordinal: c_int,
    name: String,
    stream: driver::CUstream,
    blas: blas::cublasHandle_t,
    solver: solver::cusolverDnHandle_t,
    kernels: Option<Kernels>,
    context: Context,
    /// Held while a piece of work is under way: the libraries' handles serve one thread at a time.
    busy: Mutex<()>,
}

#[allow(unsafe_code)]
// SAFETY: the handles are plain identifiers that may be used from any thread whose current context is the
// device's, one thread at a time. `Device::begin` sets the context and holds the lock meanwhile.
unsafe impl Send for Device {}
#[allow(unsafe_code)]
// SAFETY: as for `Send`: shared use goes through the lock.
unsafe impl Sync for Device {}

/// The device's primary context, retained.
struct Context {
    device: driver::CUdevice,
    handle: driver::CUcontext,
}

#[allow(unsafe_code)]
impl Context {
    fn retain(device: driver::CUdevice) -> Result<Self, CudaError> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the driver is initialised, the device exists, and the call writes one handle.
        let status = unsafe { driver::cuDevicePrimaryCtxRetain(&raw mut handle, device) };
        check("cuDevicePrimaryCtxRetain", status)?;
        Ok(Self { device, handle })
    }

    /// Makes this the calling thread's context.
    fn enter(&self) -> Result<(), CudaError> {
        // SAFETY: the context is retained until `self` is dropped.
        check("cuCtxSetCurrent", unsafe {
            driver::cuCtxSetCurrent(self.handle)
        })
    }
}

#[allow(unsafe_code)]
impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `retain`, released once here. Failure leaves nothing to be done.
        unsafe { driver::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("ordinal", &self.ordinal)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[allow(unsafe_code)]
impl Device {
    /// Opens a device by its number.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<Self>, CudaError> {
        let count = probe::devices()?.count;
        probe::numerical_libraries()?;
        let missing = CudaError::NoSuchDevice { ordinal, count };
        let number = c_int::try_from(ordinal).map_err(|_| missing.clone())?;
        if ordinal >= count {
            return Err(missing);
        }
        let mut device = 0;
        // SAFETY: the driver is initialised and the call writes one handle.
        check("cuDeviceGet", unsafe {
            driver::cuDeviceGet(&raw mut device, number)
        })?;
        let context = Context::retain(device)?;
        context.enter()?;
        // From here on dropping `opened` gives back whatever has been made.
        let mut opened = Self {
            ordinal: number,
            name: name_of(device)?,
            stream: std::ptr::null_mut(),
            blas: std::ptr::null_mut(),
            solver: std::ptr::null_mut(),
            kernels: None,
            context,
            busy: Mutex::new(()),
        };
        let flags = driver::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current; the call writes one handle, which `drop` gives back.
        check("cuStreamCreate", unsafe {
            driver::cuStreamCreate(&raw mut opened.stream, flags)
        })?;
        // SAFETY: as above, and the handles are bound to the stream made before.
        unsafe {
            check_blas("cublasCreate", blas::cublasCreate_v2(&raw mut opened.blas))?;
            check_blas(
                "cublasSetStream",
                blas::cublasSetStream_v2(opened.blas, opened.stream.cast()),
            )?;
            check_solver(
                "cusolverDnCreate",
                solver::cusolverDnCreate(&raw mut opened.solver),
            )?;
            check_solver(
                "cusolverDnSetStream",
                solver::cusolverDnSetStream(opened.solver, opened.stream.cast()),
            )?;
        }
        opened.kernels = Some(Kernels::load(device)?);
        Ok(Arc::new(opened))
    }

    /// The name that the driver gives the device.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where its kernels come from.
    pub(crate) fn kernel_origin(&self) -> &str {
        self.kernels.as_ref().map_or("", Kernels::origin)
    }

    /// Claims the device for the calling thread until the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<Work<'_>, CudaError> {
        let guard = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        self.context.enter()?;
        Ok(Work {
            device: self,
            _guard: guard,
        })
    }
}

#[allow(unsafe_code)]
impl Drop for Device {
    fn drop(&mut self) {
        // If this fails, the context may be current all the same.
        let _ = self.context.enter();
        // SAFETY: each handle was made in `open` and is given back once; null ones were never made.
        unsafe {
            if !self.solver.is_null() {
                solver::cusolverDnDestroy(self.solver);
            }
            if !self.blas.is_null() {
                blas::cublasDestroy_v2(self.blas);
            }
            if !self.stream.is_null() {
                driver::cuStreamDestroy_v2(self.stream);
            }
        }
        // The module goes before the context, which is released last.
        self.kernels = None;
    }
}

#[allow(unsafe_code)]
fn name_of(device: driver::CUdevice) -> Result<String, CudaError> {
    let mut text = [0u8; 256];
    let (start, length) = (text.as_mut_ptr().cast::<c_char>(), text.len() as c_int);
    // SAFETY: the call writes at most `length` bytes, the last of them zero.
    check("cuDeviceGetName", unsafe {
        driver::cuDeviceGetName(start, length, device)
    })?;
    let end = text
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(text.len());
    Ok(String::from_utf8_lossy(&text[..end]).into_owned())
}

/// The claim on a device: everything that is done there goes through it.
pub(crate) struct Work<'a> {
    device: &'a Arc<Device>,
    _guard: MutexGuard<'a, ()>,
}

#[allow(unsafe_code)]
impl<'a> Work<'a> {
    /// Memory for `len` numbers; what is in it is unspecified.
    pub(crate) fn allocate<T: Plain>(&self, len: usize) -> Result<Buffer<T>, CudaError> {
        let mut pointer = 0;
        if len > 0 {
            let bytes = len
                .checked_mul(size_of::<T>())
                .ok_or(CudaError::OutOfMemory { bytes: usize::MAX })?;
            // SAFETY: the context is current; the call writes one address, which `drop` gives back.
            match unsafe { driver::cuMemAlloc_v2(&raw mut pointer, bytes) } {
                driver::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    return Err(CudaError::OutOfMemory { bytes });
                }
                status => check("cuMemAlloc", status)?,
            }
        }
        Ok(Buffer {
            pointer,
            len,
            device: self.device.clone(),
            kind: PhantomData,
        })
    }

    /// A copy of `values` on the device.
    pub(crate) fn upload<T: Plain>(&self, values: &[T]) -> Result<Buffer<T>, CudaError> {
        let buffer = self.allocate(values.len())?;
        if !values.is_empty() {
            // SAFETY: the buffer has room for the values. The copy from pageable memory has read them
            // when the call returns, and is in order with everything else on the stream.
            let status = unsafe {
                driver::cuMemcpyHtoDAsync_v2(
                    buffer.pointer,
                    values.as_ptr().cast::<c_void>(),
                    size_of_val(values),
                    self.device.stream,
                )
            };
            check("cuMemcpyHtoDAsync", status)?;
            self.synchronise()?;
        }
        Ok(buffer)
    }

    /// What is on the device, after everything asked for before.
    pub(crate) fn download<T: Plain>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, CudaError> {
        let mut values = vec![T::default(); buffer.len];
        if !values.is_empty() {
            // SAFETY: the vector has room for the buffer's contents, and is kept until the stream is done.
            let status = unsafe {
                driver::cuMemcpyDtoHAsync_v2(
                    values.as_mut_ptr().cast::<c_void>(),
                    buffer.pointer,
                    size_of_val(values.as_slice()),
                    self.device.stream,
                )
            };
            check("cuMemcpyDtoHAsync", status)?;
        }
        self.synchronise()?;
        Ok(values)
    }

    /// Waits until everything asked for is done; errors on the way surface here.
    pub(crate) fn synchronise(&self) -> Result<(), CudaError> {
        // SAFETY: the stream lives as long as the device.
        check("cuStreamSynchronize", unsafe {
            driver::cuStreamSynchronize(self.device.stream)
        })
    }

    /// Bytes of free memory on the device.
    pub(crate) fn free_memory(&self) -> Result<usize, CudaError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current and the call writes two integers.
        check("cuMemGetInfo", unsafe {
            driver::cuMemGetInfo_v2(&raw mut free, &raw mut total)
        })?;
        Ok(free)
    }

    pub(crate) fn stream(&self) -> driver::CUstream {
        self.device.stream
    }

    pub(crate) fn blas(&self) -> blas::cublasHandle_t {
        self.device.blas
    }

    pub(crate) fn solver(&self) -> solver::cusolverDnHandle_t {
        self.device.solver
    }

    pub(crate) fn kernels(&self) -> Result<&'a Kernels, CudaError> {
        self.device.kernels.as_ref().ok_or(CudaError::Shape {
            what: "a device",
            requirement: "its kernels must be loaded",
        })
    }
}

mod sealed {
    pub(crate) trait Sealed: Copy + Default {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
    impl Sealed for u64 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
}

/// Numbers that mean the same on both sides.
pub(crate) trait Plain: sealed::Sealed {}
impl<T: sealed::Sealed> Plain for T {}

/// Memory on a device, given back when dropped.
pub(crate) struct Buffer<T> {
    pointer: driver::CUdeviceptr,
    len: usize,
    device: Arc<Device>,
    kind: PhantomData<T>,
}

impl<T> Buffer<T> {
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The address on the device; 0 for an empty buffer.
    pub(crate) fn address(&self) -> driver::CUdeviceptr {
        self.pointer
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} elements on {})", self.len, self.device.name)
    }
}

#[allow(unsafe_code)]
impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.pointer != 0 {
            // If this fails, the context may be current all the same.
            let _ = self.device.context.enter();
            // SAFETY: allocated once, given back once; the driver waits for work that still uses it.
            unsafe { driver::cuMemFree_v2(self.pointer) };
        }
    }
}

/// A column-major part of a buffer: rows, columns and the distance between columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'b, T = f64> {
    address: driver::CUdeviceptr,
    rows: usize,
    columns: usize,
    leading: usize,
    buffer: PhantomData<&'b Buffer<T>>,
}

impl<T: Plain> Buffer<T> {
    /// The part that begins at element `offset`. Parts may overlap: the device does what it is told in
    /// order.
    pub(crate) fn part(
        &self,
        offset: usize,
        rows: usize,
        columns: usize,
        leading: usize,
    ) -> Result<Part<'_, T>, CudaError> {
        let span = if rows > 0 && columns > 0 {
            let last = leading.checked_mul(columns - 1);
            last.and_then(|last| last.checked_add(rows))
        } else {
            Some(0)
        };
        let end = span.and_then(|span| span.checked_add(offset));
        if leading < rows.max(1) || end.is_none_or(|end| end > self.len) {
            return Err(CudaError::Shape {
                what: "a part of a matrix",
                requirement: "it must lie inside the memory of the matrix",
            });
        }
        Ok(Part {
            address: self.pointer + (offset * size_of::<T>()) as u64,
            rows,
            columns,
            leading,
            buffer: PhantomData,
        })
    }

    /// The whole buffer as a matrix with this many rows, without gaps.
    pub(crate) fn matrix(&self, rows: usize, columns: usize) -> Result<Part<'_, T>, CudaError> {
        self.part(0, rows, columns, rows.max(1))
    }
}

impl<'b, T: Plain> Part<'b, T> {
    /// Some rows and columns of this part.
    pub(crate) fn inside(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> Result<Part<'b, T>, CudaError> {
        let ordered = rows.start <= rows.end && columns.start <= columns.end;
        if !ordered || rows.end > self.rows || columns.end > self.columns {
            return Err(CudaError::Shape {
                what: "a part of a matrix",
                requirement: "it must lie inside the matrix",
            });
        }
        let offset = columns.start * self.leading + rows.start;
        Ok(Part {
            address: self.address + (offset * size_of::<T>()) as u64,
            rows: rows.len(),
            columns: columns.len(),
            ..*self
        })
    }

    pub(crate) fn address(&self) -> driver::CUdeviceptr {
        self.address
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn leading(&self) -> usize {
        self.leading
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0 || self.columns == 0
    }
}

/// A size as the libraries' interfaces take it.
pub(crate) fn to_int(what: &'static str, size: usize) -> Result<c_int, CudaError> {
    c_int::try_from(size).map_err(|_| CudaError::Shape {
        what,
        requirement: "at most 2³¹ − 1 in each direction",
    })
}
