//! One library that stands in for `libcuda`, `libcublas`, `libcusolver` and `libnvrtc` in tests.
//!
//! It has the functions that `fastlsq-gpu` calls, under their names. Kernels are executed from their PTX by
//! `fastlsq-ptx`; factorisations and products are textbook loops. The device's name says what it is
//! ([`DEVICE_NAME`]), so nothing measured on it can be taken for a measurement.
//!
//! It is stricter than a device: memory is poisoned with NaN and separate from the host's; leading dimensions, ranges,
//! workspace sizes, handles, the current context and the order of streams are checked in every call; what is
//! not given back is counted. Whatever a device would not notice or not survive is a *violation*: the call
//! fails, the reason goes to standard error, and the count is there for the test to read.
//!
//! The environment variable `FASTLSQ_EMULATOR` sets up failures, as `key=value` pairs with semicolons between:
//!
//! | key | meaning |
//! |---|---|
//! | `devices=0` | the number of devices |
//! | `init=100` | what `cuInit` returns |
//! | `driver=11080` | the version that the driver reports |
//! | `memory=1000000` | bytes of memory |
//! | `ptx=70` | the newest version of PTX that the driver takes, times ten |
//! | `cubin=0` | the driver takes no compiled kernels |
//! | `fail=cuMemAlloc_v2:2:5` | this function returns this code, after that many calls that work |
//! | `seed=ormqr-transpose` | one of the mistakes of [`seeds`] is made on the caller's behalf |
//!
//! The functions that begin with `fastlsq_emulator` are for the tests: they count objects not given back,
//! violations, launches and calls, and make the call of a given number fail.

#![allow(unsafe_code, non_snake_case)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod blas;
mod compiler;
mod control;
mod driver;
mod matrix;
pub mod seeds;
mod settings;
mod solver;
mod state;

/// The name of the device.
pub const DEVICE_NAME: &str = "FastLSQ emulated device (no hardware)";
