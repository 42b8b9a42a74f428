//! Finding libraries and devices without ever calling what is not there.
//!
//! The bindings panic when a library or one of its functions is missing. Each library is therefore opened,
//! and each function that this crate calls is looked up, before the first call; the answers are kept for
//! the life of the process.

use std::sync::OnceLock;

use cudarc::{cublas, cusolver, driver, nvrtc};

use crate::error::{CudaError, Library};

/// The oldest driver that takes the kernels: CUDA 12.0.
const OLDEST_DRIVER: u32 = 12_000;

const DRIVER: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuStreamCreate",
    "cuStreamSynchronize",
    "cuStreamDestroy_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuLaunchKernel",
];

const BLAS: &[&str] = &[
    "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasSetStream_v2",
    "cublasDgemm_v2",
    "cublasDsyrk_v2",
];

const SOLVER: &[&str] = &[
    "cusolverDnCreate",
    "cusolverDnDestroy",
    "cusolverDnSetStream",
    "cusolverDnDgeqrf_bufferSize",
    "cusolverDnDgeqrf",
    "cusolverDnSgeqrf_bufferSize",
    "cusolverDnSgeqrf",
    "cusolverDnDormqr_bufferSize",
    "cusolverDnDormqr",
    "cusolverDnDpotrf_bufferSize",
    "cusolverDnDpotrf",
    "cusolverDnDpotrs",
];

const COMPILER: &[&str] = &[
    "nvrtcVersion",
    "nvrtcCreateProgram",
    "nvrtcCompileProgram",
    "nvrtcGetPTXSize",
    "nvrtcGetPTX",
    "nvrtcGetCUBINSize",
    "nvrtcGetCUBIN",
    "nvrtcDestroyProgram",
];

/// Opens a library and looks up every function of the list, once.
macro_rules! probe {
    ($module:path, $library:expr, $symbols:expr) => {{
        use $module as sys;
        static FOUND: OnceLock<Result<(), CudaError>> = OnceLock::new();
        FOUND
            .get_or_init(|| {
                // SAFETY: opening one of NVIDIA's libraries by name runs its initialisers only.
                if !unsafe { sys::is_culib_present() } {
                    return Err(CudaError::MissingLibrary { library: $library });
                }
                for &symbol in $symbols {
                    // SAFETY: the library is present, so this does not panic; the address is looked
                    // up and dropped, never called.
                    let found = unsafe { sys::culib().get::<*const ()>(symbol.as_bytes()).is_ok() };
                    if !found {
                        return Err(CudaError::MissingFunction {
                            library: $library,
                            symbol,
                        });
                    }
                }
                Ok(())
            })
            .clone()
    }};
}

/// Fails unless the driver library is there.
#[allow(unsafe_code)]
pub(crate) fn driver_library() -> Result<(), CudaError> {
    probe!(driver::sys, Library::Driver, DRIVER).map_err(|error| match error {
        CudaError::MissingLibrary { .. } => CudaError::NoDriver,
        other => other,
    })
}

/// Fails unless cuBLAS and cuSOLVER are there.
#[allow(unsafe_code)]
pub(crate) fn numerical_libraries() -> Result<(), CudaError> {
    probe!(cublas::sys, Library::Blas, BLAS)?;
    probe!(cusolver::sys, Library::Solver, SOLVER)
}

/// Fails unless the run-time compiler is there.
#[allow(unsafe_code)]
pub(crate) fn compiler_library() -> Result<(), CudaError> {
    probe!(nvrtc::sys, Library::Compiler, COMPILER)
}

/// What the driver reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Devices {
    /// The number of devices.
    pub count: usize,
}

/// Looks for the driver and its devices, once per process; later calls return the same answer.
///
/// ```
/// match fastlsq_gpu::devices() {
///     Ok(devices) => println!("{} CUDA device(s)", devices.count),
///     Err(error) => println!("{error}"),
/// }
/// ```
///
/// # Errors
/// Each cause has a variant of its own.
pub fn devices() -> Result<Devices, CudaError> {
    static FOUND: OnceLock<Result<Devices, CudaError>> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

#[allow(unsafe_code)]
fn look() -> Result<Devices, CudaError> {
    driver_library()?;
    let failed = |status: driver::sys::CUresult| match status {
        driver::sys::CUresult::CUDA_SUCCESS => Ok(()),
        driver::sys::CUresult::CUDA_ERROR_NO_DEVICE => Err(CudaError::NoDevice),
        other => Err(CudaError::DriverFailed { code: other as u32 }),
    };
    // SAFETY: the function is there, and 0 is the only flag it knows.
    failed(unsafe { driver::sys::cuInit(0) })?;
    let mut version = 0;
    // SAFETY: the function is there and writes one integer.
    failed(unsafe { driver::sys::cuDriverGetVersion(&raw mut version) })?;
    let version = version.unsigned_abs();
    if version < OLDEST_DRIVER {
        return Err(CudaError::DriverTooOld {
            major: version / 1000,
            minor: version % 1000 / 10,
        });
    }
    let mut count = 0;
    // SAFETY: the driver is initialised, and the call writes one integer.
    failed(unsafe { driver::sys::cuDeviceGetCount(&raw mut count) })?;
    match count {
        count if count > 0 => Ok(Devices {
            count: count.unsigned_abs() as usize,
        }),
        _ => Err(CudaError::NoDevice),
    }
}
