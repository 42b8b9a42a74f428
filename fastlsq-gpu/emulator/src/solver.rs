//! cuSOLVER: QR and Cholesky by the textbook.

use std::ffi::c_int;

use crate::blas::{begin, create, destroy, touch};
use crate::matrix::{Place, Refusal};
use crate::state::{State, state};

const FAILURE: u32 = 7; // CUSOLVER_STATUS_INTERNAL_ERROR

fn status(outcome: Result<(), Refusal>) -> u32 {
    match outcome {
        Ok(()) => 0,
        Err(Refusal::NotInitialised) => 1,
        Err(Refusal::InvalidValue) => 3,
        Err(Refusal::Failed) => FAILURE,
    }
}

/// Numbers that a routine needs as workspace.
fn workspace_size(rows: c_int, columns: c_int) -> c_int {
    16 + 2 * columns.max(1) + rows.max(0) / 8
}

unsafe fn report_size(state: &State, size: *mut c_int, rows: c_int, columns: c_int) {
    let needed = workspace_size(rows, columns);
    let said = if state.has_seed("workspace-short") {
        needed / 2
    } else {
        needed
    };
    // SAFETY: the caller passes a place for one integer.
    unsafe { size.write(said) };
}

/// Fails unless the workspace is as large as was reported to be needed; what was in it is lost.
fn use_workspace(
    state: &mut State,
    name: &str,
    address: u64,
    size: c_int,
    rows: c_int,
    columns: c_int,
    single: bool,
) -> Result<(), Refusal> {
    let needed = workspace_size(rows, columns);
    if size < needed {
        state.violation(&format!(
            "{name}: a workspace of {size} numbers where {needed} are needed"
        ));
        return Err(Refusal::InvalidValue);
    }
    let lost = vec![f64::NAN; size as usize];
    let place = Place::new(state, name, address, size, 1, size)?.in_single(single);
    place.write(state, name, &lost)
}

/// Writes a routine's report.
fn set_info(state: &mut State, name: &str, address: u64, value: i32) -> Result<(), Refusal> {
    match state.memory.bytes_mut(address, 4) {
        Ok(bytes) => {
            bytes.copy_from_slice(&value.to_le_bytes());
            Ok(())
        }
        Err(fault) => {
            state.violation(&format!("{name}: its report: {fault}"));
            Err(Refusal::Failed)
        }
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cusolverDnCreate(handle: *mut usize) -> u32 {
    // SAFETY: as `create` says.
    unsafe { create(&mut state(), "cusolverDnCreate", FAILURE, handle) }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cusolverDnDestroy(handle: usize) -> u32 {
    destroy(&mut state(), "cusolverDnDestroy", handle)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cusolverDnSetStream(handle: usize, stream: usize) -> u32 {
    let mut state = state();
    if let Err(refusal) = begin(&mut state, "cusolverDnSetStream", handle) {
        return status(Err(refusal));
    }
    if !state.has_seed("solver-stream") {
        state.handles.insert(handle, stream);
    }
    0
}

unsafe fn qr_size(
    name: &str,
    handle: usize,
    m: c_int,
    n: c_int,
    a: u64,
    lda: c_int,
    size: *mut c_int,
) -> u32 {
    let mut state = state();
    status((|| {
        begin(&mut state, name, handle)?;
        Place::new(&mut state, name, a, m, n, lda)?;
        // SAFETY: as `report_size` says.
        unsafe { report_size(&state, size, m, n) };
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cusolverDnDgeqrf_bufferSize(
    handle: usize,
    m: c_int,
    n: c_int,
    a: u64,
    lda: c_int,
    size: *mut c_int,
) -> u32 {
    // SAFETY: as `report_size` says.
    unsafe { qr_size("cusolverDnDgeqrf_bufferSize", handle, m, n, a, lda, size) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cusolverDnSgeqrf_bufferSize(
    handle: usize,
    m: c_int,
    n: c_int,
    a: u64,
    lda: c_int,
    size: *mut c_int,
) -> u32 {
    // SAFETY: as `report_size` says.
    unsafe { qr_size("cusolverDnSgeqrf_bufferSize", handle, m, n, a, lda, size) }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cusolverDnDgeqrf(
    handle: usize,
    m: c_int,
    n: c_int,
    a: u64,
    lda: c_int,
    tau: u64,
    workspace: u64,
    size: c_int,
    info: u64,
) -> u32 {
    let name = "cusolverDnDgeqrf";
    qr(
        name, false, handle, m, n, a, lda, tau, workspace, size, info,
    )
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cusolverDnSgeqrf(
    handle: usize,
    m: c_int,
    n: c_int,
    a: u64,
    lda: c_int,
    tau: u64,
    workspace: u64,
    size: c_int,
    info: u64,
) -> u32 {
    let name = "cusolverDnSgeqrf";
    qr(name, true, handle, m, n, a, lda, tau, workspace, size, info)
}

fn qr(
    name: &str,
    single: bool,
    handle: usize,
    m: c_int,
    n: c_int,
    a: u64,
    lda: c_int,
    tau: u64,
    workspace: u64,
    size: c_int,
    info: u64,
) -> u32 {
    let mut state = state();
    let state = &mut *state;
    status((|| {
        let stream = begin(state, name, handle)?;
        let (mut m, mut lda) = (m, lda);
        if state.has_seed("qr-leading") {
            lda = n;
        }
        if state.has_seed("qr-leading-long") {
            lda += 1;
        }
        if state.has_seed("qr-rows-short") {
            m -= 1;
        }
        let a = Place::new(state, name, a, m, n, lda)?.in_single(single);
        let count = m.min(n);
        let tau = Place::new(state, name, tau, count, 1, count.max(1))?.in_single(single);
        touch(
            state,
            name,
            stream,
            &[a.address, tau.address, workspace, info],
        )?;
        use_workspace(state, name, workspace, size, m, n, single)?;
        let mut matrix = a.read(state, name)?;
        let factors = householder(&mut matrix, a.rows, a.columns, single);
        a.write(state, name, &matrix)?;
        tau.write(state, name, &factors)?;
        set_info(state, name, info, 0)
    })())
}

/// A ← R above, vectors below the diagonal; returns the factors τ. In single precision every column is
/// rounded after every reflection.
fn householder(a: &mut [f64], rows: usize, columns: usize, single: bool) -> Vec<f64> {
    let mut factors = Vec::new();
    for j in 0..rows.min(columns) {
        let (left, right) = a.split_at_mut((j + 1) * rows);
        let pivot = &mut left[j * rows + j..];
        let alpha = pivot[0];
        let below = pivot[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
        if below == 0.0 {
            factors.push(0.0);
            continue;
        }
        let beta = -alpha.signum() * alpha.hypot(below);
        let tau = (beta - alpha) / beta;
        let scale = 1.0 / (alpha - beta);
        pivot[1..].iter_mut().for_each(|x| *x *= scale);
        pivot[0] = beta;
        if single {
            round(pivot);
        }
        for column in right.chunks_exact_mut(rows) {
            reflect(&pivot[1..], tau, &mut column[j..]);
            if single {
                round(&mut column[j..]);
            }
        }
        factors.push(tau);
    }
    factors
}

fn round(values: &mut [f64]) {
    for value in values {
        *value = f64::from(*value as f32);
    }
}

/// x ← (I − τ v vᵀ)·x for v = [1; below].
fn reflect(below: &[f64], tau: f64, x: &mut [f64]) {
    let Some((first, rest)) = x.split_first_mut() else {
        return;
    };
    let product: f64 = *first + below.iter().zip(&*rest).map(|(v, x)| v * x).sum::<f64>();
    let step = tau * product;
    *first -= step;
    for (x, v) in rest.iter_mut().zip(below) {
        *x -= step * v;
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cusolverDnDormqr_bufferSize(
    handle: usize,
    _side: u32,
    _transpose: u32,
    m: c_int,
    n: c_int,
    _k: c_int,
    _a: u64,
    _lda: c_int,
    _tau: u64,
    c: u64,
    ldc: c_int,
    size: *mut c_int,
) -> u32 {
    let mut state = state();
    status((|| {
        let name = "cusolverDnDormqr_bufferSize";
        begin(&mut state, name, handle)?;
        Place::new(&mut state, name, c, m, n, ldc)?;
        // SAFETY: as `report_size` says.
        unsafe { report_size(&state, size, m, n) };
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cusolverDnDormqr(
    handle: usize,
    side: u32,
    transpose: u32,
    m: c_int,
    n: c_int,
    k: c_int,
    a: u64,
    lda: c_int,
    tau: u64,
    c: u64,
    ldc: c_int,
    workspace: u64,
    size: c_int,
    info: u64,
) -> u32 {
    let mut state = state();
    let state = &mut *state;
    status((|| {
        let name = "cusolverDnDormqr";
        let stream = begin(state, name, handle)?;
        let transposed = (transpose == 1) != state.has_seed("ormqr-transpose");
        let k = if state.has_seed("ormqr-reflections") {
            k - 1
        } else {
            k
        };
        if side != 0 || k > m {
            state.violation(&format!("{name}: side {side}, {k} reflections of {m} rows"));
            return Err(Refusal::InvalidValue);
        }
        let a = Place::new(state, name, a, m, k, lda)?;
        let tau = Place::new(state, name, tau, k, 1, k.max(1))?;
        let c = Place::new(state, name, c, m, n, ldc)?;
        touch(
            state,
            name,
            stream,
            &[a.address, tau.address, c.address, workspace, info],
        )?;
        use_workspace(state, name, workspace, size, m, n, false)?;
        let (vectors, factors) = (a.read(state, name)?, tau.read(state, name)?);
        let mut out = c.read(state, name)?;
        // Q = H₁·H₂·…: the first reflection comes first in Qᵀ, and last in Q.
        let reflections: Vec<usize> = if transposed {
            (0..factors.len()).collect()
        } else {
            (0..factors.len()).rev().collect()
        };
        for column in out.chunks_exact_mut(c.rows.max(1)) {
            for &j in &reflections {
                let below = &vectors[j * a.rows + j + 1..(j + 1) * a.rows];
                reflect(below, factors[j], &mut column[j..]);
            }
        }
        c.write(state, name, &out)?;
        set_info(state, name, info, 0)
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cusolverDnDpotrf_bufferSize(
    handle: usize,
    _uplo: u32,
    n: c_int,
    a: u64,
    lda: c_int,
    size: *mut c_int,
) -> u32 {
    let mut state = state();
    status((|| {
        let name = "cusolverDnDpotrf_bufferSize";
        begin(&mut state, name, handle)?;
        Place::new(&mut state, name, a, n, n, lda)?;
        // SAFETY: as `report_size` says.
        unsafe { report_size(&state, size, n, n) };
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cusolverDnDpotrf(
    handle: usize,
    uplo: u32,
    n: c_int,
    a: u64,
    lda: c_int,
    workspace: u64,
    size: c_int,
    info: u64,
) -> u32 {
    let mut state = state();
    let state = &mut *state;
    status((|| {
        let name = "cusolverDnDpotrf";
        let stream = begin(state, name, handle)?;
        let lower = (uplo == 0) != state.has_seed("cholesky-uplo");
        let a = Place::new(state, name, a, n, n, lda)?;
        touch(state, name, stream, &[a.address, workspace, info])?;
        use_workspace(state, name, workspace, size, n, n, false)?;
        let mut matrix = a.read(state, name)?;
        let minor = cholesky(&mut matrix, a.rows, lower);
        a.write(state, name, &matrix)?;
        set_info(state, name, info, minor)
    })())
}

/// One triangle of A ← its Cholesky factor; 0, or the order of the first minor that is not positive.
fn cholesky(a: &mut [f64], n: usize, lower: bool) -> i32 {
    let at = |i: usize, j: usize| if lower { j * n + i } else { i * n + j };
    for j in 0..n {
        let squares: f64 = (0..j).map(|l| a[at(j, l)] * a[at(j, l)]).sum();
        let pivot = a[at(j, j)] - squares;
        if pivot <= 0.0 || pivot.is_nan() {
            return j as i32 + 1;
        }
        let root = pivot.sqrt();
        a[at(j, j)] = root;
        for i in j + 1..n {
            let product: f64 = (0..j).map(|l| a[at(i, l)] * a[at(j, l)]).sum();
            a[at(i, j)] = (a[at(i, j)] - product) / root;
        }
    }
    0
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cusolverDnDpotrs(
    handle: usize,
    uplo: u32,
    n: c_int,
    columns: c_int,
    a: u64,
    lda: c_int,
    b: u64,
    ldb: c_int,
    info: u64,
) -> u32 {
    let mut state = state();
    let state = &mut *state;
    status((|| {
        let name = "cusolverDnDpotrs";
        let stream = begin(state, name, handle)?;
        let lower = uplo == 0;
        let a = Place::new(state, name, a, n, n, lda)?;
        let b = Place::new(state, name, b, n, columns, ldb)?;
        touch(state, name, stream, &[a.address, b.address, info])?;
        let factor = a.read(state, name)?;
        let mut out = b.read(state, name)?;
        let n = a.rows;
        let at = |i: usize, j: usize| factor[if lower { j * n + i } else { i * n + j }];
        for x in out.chunks_exact_mut(n.max(1)) {
            for i in 0..n {
                let known: f64 = (0..i).map(|j| at(i, j) * x[j]).sum();
                x[i] = (x[i] - known) / at(i, i);
            }
            for i in (0..n).rev() {
                let known: f64 = (i + 1..n).map(|j| at(j, i) * x[j]).sum();
                x[i] = (x[i] - known) / at(i, i);
            }
        }
        b.write(state, name, &out)?;
        set_info(state, name, info, 0)
    })())
}
