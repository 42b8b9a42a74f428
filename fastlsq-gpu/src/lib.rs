//! Finding CUDA devices for FastLSQ, without CUDA installed.
//!
//! This crate builds and links on any machine: the driver is looked for at run time. [`devices`]
//! says what is there, or what is missing; it never panics. Assembling and factoring on a device is
//! not part of this version: solves run on the CPU backend of `fastlsq-solve`.
//!
//! ```
//! match fastlsq_gpu::devices() {
//!     Ok(devices) => println!("{} CUDA device(s)", devices.count),
//!     Err(error) => println!("{error}"),
//! }
//! ```

use std::sync::OnceLock;

use cudarc::driver::{result, sys};
use thiserror::Error;

/// Why there is no CUDA device to work with.
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
    /// The driver works, but there is no device.
    #[error("the CUDA driver works, but it finds no device; check CUDA_VISIBLE_DEVICES")]
    NoDevice,
}

/// What the driver reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Devices {
    /// The number of devices.
    pub count: usize,
}

/// Looks for the driver and its devices, once a process; later calls return the same answer.
///
/// # Errors
/// Each cause has a variant of its own.
pub fn devices() -> Result<Devices, CudaError> {
    static FOUND: OnceLock<Result<Devices, CudaError>> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

fn look() -> Result<Devices, CudaError> {
    // The bindings panic when the library is missing, so its presence is asked for first.
    #[allow(unsafe_code)]
    // SAFETY: the call only tries to open the driver library by name and reports whether it could.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(CudaError::NoDriver);
    }
    let failed = |error: cudarc::driver::DriverError| CudaError::DriverFailed {
        code: error.0 as u32,
    };
    result::init().map_err(failed)?;
    match result::device::get_count().map_err(failed)? {
        count if count > 0 => Ok(Devices {
            count: count.unsigned_abs() as usize,
        }),
        _ => Err(CudaError::NoDevice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_never_panics_and_repeats_itself() {
        assert_eq!(devices(), devices());
        if let Err(error) = devices() {
            assert!(!error.to_string().is_empty());
        }
    }
}
