//! cuBLAS: handles, products.

use std::ffi::c_int;

use crate::matrix::{Place, Refusal};
use crate::state::{State, code, state};

const FAILURE: u32 = 14; // CUBLAS_STATUS_INTERNAL_ERROR

fn status(outcome: Result<(), Refusal>) -> u32 {
    match outcome {
        Ok(()) => 0,
        Err(Refusal::NotInitialised) => 1,
        Err(Refusal::InvalidValue) => 7,
        Err(Refusal::Failed) => FAILURE,
    }
}

/// Makes a handle of a library: it begins on the default stream.
pub(crate) unsafe fn create(
    state: &mut State,
    name: &str,
    failure: u32,
    handle: *mut usize,
) -> u32 {
    match state.call_in_context(name, failure) {
        Err(code::INVALID_CONTEXT) => return 1,
        Err(code) => return code,
        Ok(()) => {}
    }
    let made = state.new_handle();
    state.handles.insert(made, 0);
    // SAFETY: the caller passes a place for one handle.
    unsafe { handle.write(made) };
    0
}

pub(crate) fn destroy(state: &mut State, name: &str, handle: usize) -> u32 {
    if state.handles.remove(&handle).is_none() {
        state.violation(&format!("{name}: a handle that does not exist"));
        return 1;
    }
    0
}

/// Begins a call on a handle; returns its stream.
pub(crate) fn begin(state: &mut State, name: &str, handle: usize) -> Result<usize, Refusal> {
    if state.call_in_context(name, 0).is_err() {
        return Err(Refusal::Failed);
    }
    match state.handles.get(&handle) {
        Some(&stream) => Ok(stream),
        None => {
            state.violation(&format!("{name}: a handle that does not exist"));
            Err(Refusal::NotInitialised)
        }
    }
}

/// Notes that a handle's stream works on some memory.
pub(crate) fn touch(
    state: &mut State,
    name: &str,
    stream: usize,
    addresses: &[u64],
) -> Result<(), Refusal> {
    for &address in addresses {
        let outcome = state.touch(address, stream, name);
        outcome.map_err(|_| Refusal::Failed)?;
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cublasCreate_v2(handle: *mut usize) -> u32 {
    // SAFETY: as `create` says.
    unsafe { create(&mut state(), "cublasCreate_v2", FAILURE, handle) }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cublasDestroy_v2(handle: usize) -> u32 {
    destroy(&mut state(), "cublasDestroy", handle)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cublasSetStream_v2(handle: usize, stream: usize) -> u32 {
    let mut state = state();
    if let Err(refusal) = begin(&mut state, "cublasSetStream_v2", handle) {
        return status(Err(refusal));
    }
    if !state.has_seed("blas-stream") {
        state.handles.insert(handle, stream);
    }
    0
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cublasDgemm_v2(
    handle: usize,
    transpose_a: u32,
    transpose_b: u32,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const f64,
    a: u64,
    lda: c_int,
    b: u64,
    ldb: c_int,
    beta: *const f64,
    c: u64,
    ldc: c_int,
) -> u32 {
    let mut state = state();
    let state = &mut *state;
    // SAFETY: the scalars are on the host, as a handle's default mode has it.
    let (alpha, beta) = unsafe { (alpha.read(), beta.read()) };
    status((|| {
        let name = "cublasDgemm_v2";
        let stream = begin(state, name, handle)?;
        let flip = u32::from(state.has_seed("gemm-transpose"));
        let transposed = [(transpose_a ^ flip) == 1, transpose_b == 1];
        let shape = |transposed: bool, rows, columns| {
            if transposed {
                (columns, rows)
            } else {
                (rows, columns)
            }
        };
        let (rows, columns) = shape(transposed[0], m, k);
        let a = Place::new(state, name, a, rows, columns, lda)?;
        let (rows, columns) = shape(transposed[1], k, n);
        let b = Place::new(state, name, b, rows, columns, ldb)?;
        let c = Place::new(state, name, c, m, n, ldc)?;
        touch(state, name, stream, &[a.address, b.address, c.address])?;
        let (left, right) = (a.read(state, name)?, b.read(state, name)?);
        let mut out = c.read(state, name)?;
        for j in 0..c.columns {
            for i in 0..c.rows {
                let mut sum = 0.0;
                for l in 0..k as usize {
                    let x = if transposed[0] {
                        left[i * a.rows + l]
                    } else {
                        left[l * a.rows + i]
                    };
                    let y = if transposed[1] {
                        right[l * b.rows + j]
                    } else {
                        right[j * b.rows + l]
                    };
                    sum += x * y;
                }
                let old = &mut out[j * c.rows + i];
                // With β = 0 what was there is not read, even if it is NaN.
                *old = alpha * sum + if beta == 0.0 { 0.0 } else { beta * *old };
            }
        }
        c.write(state, name, &out)
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cublasDsyrk_v2(
    handle: usize,
    uplo: u32,
    transpose: u32,
    n: c_int,
    k: c_int,
    alpha: *const f64,
    a: u64,
    lda: c_int,
    beta: *const f64,
    c: u64,
    ldc: c_int,
) -> u32 {
    let mut state = state();
    let state = &mut *state;
    // SAFETY: as for `cublasDgemm_v2`.
    let (alpha, mut beta) = unsafe { (alpha.read(), beta.read()) };
    status((|| {
        let name = "cublasDsyrk_v2";
        let stream = begin(state, name, handle)?;
        let upper = (uplo == 1) != state.has_seed("gram-uplo");
        if state.has_seed("gram-beta") {
            beta = 1.0;
        }
        let transposed = transpose == 1;
        let (rows, columns) = if transposed { (k, n) } else { (n, k) };
        let a = Place::new(state, name, a, rows, columns, lda)?;
        let c = Place::new(state, name, c, n, n, ldc)?;
        touch(state, name, stream, &[a.address, c.address])?;
        let factor = a.read(state, name)?;
        let mut out = c.read(state, name)?;
        let entry = |l: usize, i: usize| {
            if transposed {
                factor[i * a.rows + l]
            } else {
                factor[l * a.rows + i]
            }
        };
        for j in 0..c.columns {
            for i in 0..c.rows {
                if if upper { i > j } else { i < j } {
                    continue;
                }
                let sum: f64 = (0..k as usize).map(|l| entry(l, i) * entry(l, j)).sum();
                let old = &mut out[j * c.rows + i];
                *old = alpha * sum + if beta == 0.0 { 0.0 } else { beta * *old };
            }
        }
        c.write(state, name, &out)
    })())
}
