//! What can keep a device from being used.

use fastlsq_solve::SolveError;
use thiserror::Error;

/// The libraries that are looked for at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Library {
    /// `libcuda`: the driver's own library.
    Driver,
    /// `libcublas`: matrix products.
    Blas,
    /// `libcusolver`: factorisations.
    Solver,
    /// `libnvrtc`: the run-time compiler.
    Compiler,
}

impl std::fmt::Display for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Driver => "libcuda",
            Self::Blas => "libcublas",
            Self::Solver => "libcusolver",
            Self::Compiler => "libnvrtc",
        })
    }
}

/// Why there is no CUDA device to work with, or why it failed.
///
/// Every text is made here: printing an error never calls into a CUDA library.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The driver library is not installed.
    #[error("no CUDA driver library was found; install the NVIDIA driver, or use the CPU backend")]
    NoDriver,
    /// The driver is installed but refuses to start.
    #[error(
        "the CUDA driver did not start (error {code}); check that the kernel module is loaded and matches the driver"
    )]
    DriverFailed {
        /// The driver's own error number.
        code: u32,
    },
    /// The driver is older than the kernels need.
    #[error(
        "the CUDA driver supports version {major}.{minor}, but 12.0 is needed; install driver 525 or newer"
    )]
    DriverTooOld {
        /// The major CUDA version that the driver supports.
        major: u32,
        /// The minor version.
        minor: u32,
    },
    /// The driver works, but there is no device.
    #[error("the CUDA driver works, but it finds no device; check CUDA_VISIBLE_DEVICES")]
    NoDevice,
    /// A device number that does not exist.
    #[error("there is no CUDA device {ordinal}; there are {count}, numbered from 0")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// A library that the backend needs, or one that it depends on, is not installed.
    #[error(
        "{library} was not found or could not be loaded; install the CUDA libraries (version 12 or 13) and put them on the library path"
    )]
    MissingLibrary {
        /// The library.
        library: Library,
    },
    /// A library lacks a function.
    #[error("{library} has no function {symbol}; install CUDA 12 or 13")]
    MissingFunction {
        /// The library.
        library: Library,
        /// The function.
        symbol: &'static str,
    },
    /// The kernels could not be loaded.
    #[error(
        "the driver refused the kernels ({name}, error {code}){compiler}; install a newer driver"
    )]
    KernelsRefused {
        /// The driver's error number.
        code: u32,
        /// Its name.
        name: String,
        /// What the run-time compiler said, if it was tried.
        compiler: String,
    },
    /// The device does not have enough free memory.
    #[error(
        "the device does not have {bytes} bytes left; use fewer features, set a memory limit so that rows are taken in smaller blocks, or free memory on the device"
    )]
    OutOfMemory {
        /// What was asked for.
        bytes: usize,
    },
    /// A call of the driver failed.
    #[error("{call} failed: {name} (error {code})")]
    Driver {
        /// The call.
        call: &'static str,
        /// The driver's error number.
        code: u32,
        /// Its name.
        name: String,
    },
    /// A call of cuBLAS or cuSOLVER failed.
    #[error("{call} failed: {status}")]
    Numerics {
        /// The call.
        call: &'static str,
        /// The status it returned.
        status: String,
    },
    /// A routine was called with an argument it does not accept.
    #[error("{call} refused its argument {argument}; please report this as a bug of fastlsq-gpu")]
    Argument {
        /// The call.
        call: &'static str,
        /// The number of the argument, counted from 1.
        argument: u32,
    },
    /// A matrix that the 32-bit interface of the libraries cannot describe, or a part that does not exist.
    #[error("{what} does not fit: {requirement}")]
    Shape {
        /// What does not fit.
        what: &'static str,
        /// What would.
        requirement: &'static str,
    },
}

/// The name of the backend in errors.
pub(crate) const BACKEND: &str = "cuda";

impl From<CudaError> for SolveError {
    fn from(error: CudaError) -> Self {
        Self::Backend {
            backend: BACKEND.to_owned(),
            reason: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_text_of_its_own() {
        let errors = [
            CudaError::NoDriver,
            CudaError::DriverFailed { code: 3 },
            CudaError::DriverTooOld {
                major: 11,
                minor: 8,
            },
            CudaError::NoDevice,
            CudaError::NoSuchDevice {
                ordinal: 4,
                count: 1,
            },
            CudaError::MissingLibrary {
                library: Library::Solver,
            },
            CudaError::MissingFunction {
                library: Library::Blas,
                symbol: "cublasDsyrk_v2",
            },
            CudaError::KernelsRefused {
                code: 222,
                name: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION".to_owned(),
                compiler: String::new(),
            },
            CudaError::OutOfMemory { bytes: 17 },
            CudaError::Driver {
                call: "cuLaunchKernel",
                code: 700,
                name: "CUDA_ERROR_ILLEGAL_ADDRESS".to_owned(),
            },
            CudaError::Numerics {
                call: "cusolverDnDgeqrf",
                status: "CUSOLVER_STATUS_INTERNAL_ERROR".to_owned(),
            },
            CudaError::Argument {
                call: "cusolverDnDgeqrf",
                argument: 4,
            },
            CudaError::Shape {
                what: "a block",
                requirement: "at most 2³¹ − 1 rows",
            },
        ];
        let texts: std::collections::BTreeSet<String> =
            errors.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), errors.len());
        for error in errors {
            let text = SolveError::from(error.clone()).to_string();
            assert_eq!(text, format!("backend cuda: {error}"));
        }
    }
}
