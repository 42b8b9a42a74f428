//! The CUDA backend of FastLSQ.
//!
//! ```no_run
//! use fastlsq_gpu::Cuda;
//! use fastlsq_solve::{BoxDomain, LinearProblem, Options, laplacian, unknown};
//! let u = LinearProblem::on(BoxDomain::unit(2))
//!     .equation(-laplacian(unknown("u")), 1.0)
//!     .dirichlet(0.0)
//!     .solve_with(&Options::new().backend(Cuda::new()?))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is done where
//! The matrix A of the least-squares problem min ‖Aβ − b‖ (paper, Algorithm 1) never exists on the host. Frequencies,
//! phases, points, coefficients, weights and b travel; for sinusoidal features each entry
//! Σ c(xᵢ) (pⱼ sin zᵢⱼ + qⱼ cos zᵢⱼ) is computed on the device, two numbers per feature for any
//! constant-coefficient operator. Then
//!
//! 1. A = Q·R by Householder reflections (cuSOLVER), in blocks of rows where A does not fit into memory;
//! 2. R, which is N×N, comes to the host, where the same code as on the processor decides on the rank and
//!    solves: basic, least-norm, ridge, truncated SVD, constraints. So the accuracy is that of the CPU backend;
//! 3. new right-hand sides and adjoint solves apply Q on the device.
//!
//! [`Method::NormalEquations`](fastlsq_solve::Method::NormalEquations) stays on the device altogether (syrk,
//! potrf). [`Cuda::single_precision`] factors in f32 and refines in f64. Features that are not sinusoidal are evaluated on the host and sent over.
//!
//! # Without a device
//! The crate builds and links on any machine: libraries are looked for at run time. [`Cuda::new`] says what
//! is missing, as a [`CudaError`]; it never panics, and it never falls back to the processor silently.
//!
//! # Where things are
//! [`Cuda`] is the backend, [`devices`] counts devices, [`CudaError`] lists what can be missing or fail.

mod assembly;
mod backend;
mod blocks;
mod compiler;
mod device;
mod error;
mod features;
mod gram;
mod kernels;
mod numerics;
mod probe;
mod reduction;
mod single;

pub use backend::Cuda;
#[doc(hidden)]
pub use compiler::{compiled_kernels, compiler_version, embedded_kernels, source_line};
pub use error::{CudaError, Library};
pub use fastlsq_solve::{Backend, Factored};
pub use probe::{Devices, devices};

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
