//! The driver's functions.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use fastlsq_ptx::{Dim, Launch, Module, Order};

use crate::DEVICE_NAME;
use crate::compiler;
use crate::state::{CONTEXT, CallResult, Function, State, code, finish, set_current, state};

/// The code of a call that was told to fail by its number.
const FAILURE: u32 = code::LAUNCH_FAILED;

/// Compute capability 6.0: what the embedded PTX asks for.
const CAPABILITY: (c_int, c_int) = (6, 0);

/// Writes an answer where the caller wants it.
unsafe fn answer<T>(target: *mut T, value: T) -> CallResult {
    if target.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the caller of the exported function passes a place for one value.
    unsafe { target.write(value) };
    Ok(())
}

fn ready(state: &State) -> CallResult {
    if state.initialised {
        Ok(())
    } else {
        Err(code::NOT_INITIALIZED)
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuInit(flags: c_uint) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuInit", FAILURE)?;
        if flags != 0 {
            return Err(code::INVALID_VALUE);
        }
        if state.settings.init != 0 {
            return Err(state.settings.init);
        }
        if state.settings.devices == 0 {
            return Err(code::NO_DEVICE);
        }
        state.initialised = true;
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuDriverGetVersion", FAILURE)?;
        // SAFETY: as `answer` says.
        unsafe { answer(version, state.settings.driver) }
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuDeviceGetCount", FAILURE)?;
        ready(&state)?;
        // SAFETY: as `answer` says. A negative setting stands for a driver that starts without devices.
        unsafe { answer(count, state.settings.devices.max(0)) }
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuDeviceGet", FAILURE)?;
        ready(&state)?;
        if !(0..state.settings.devices).contains(&ordinal) {
            return Err(code::INVALID_DEVICE);
        }
        // SAFETY: as `answer` says.
        unsafe { answer(device, ordinal) }
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDeviceGetName(
    name: *mut c_char,
    length: c_int,
    _device: c_int,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuDeviceGetName", FAILURE)?;
        let bytes = DEVICE_NAME.as_bytes();
        if name.is_null() || (length as usize) <= bytes.len() {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: the caller says that there is room for `length` bytes, which is more than the name has.
        unsafe {
            name.cast::<u8>().copy_from(bytes.as_ptr(), bytes.len());
            name.add(bytes.len()).write(0);
        }
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    _device: c_int,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuDeviceGetAttribute", FAILURE)?;
        let found = match attribute {
            75 => CAPABILITY.0,
            76 => CAPABILITY.1,
            _ => return Err(code::INVALID_VALUE),
        };
        // SAFETY: as `answer` says.
        unsafe { answer(value, found) }
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDevicePrimaryCtxRetain(
    context: *mut usize,
    device: c_int,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuDevicePrimaryCtxRetain", FAILURE)?;
        if device != 0 {
            return Err(code::INVALID_DEVICE);
        }
        // SAFETY: as `answer` says.
        unsafe { answer(context, CONTEXT) }?;
        state.contexts += 1;
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuDevicePrimaryCtxRelease_v2(_device: c_int) -> u32 {
    let mut state = state();
    if state.contexts == 0 {
        state.violation("a context is released more often than retained");
        return code::INVALID_CONTEXT;
    }
    state.contexts -= 1;
    code::SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuCtxSetCurrent(context: usize) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("cuCtxSetCurrent", FAILURE)?;
        if context != CONTEXT || state.contexts == 0 {
            state.violation("a context that does not exist is made current");
            return Err(code::INVALID_CONTEXT);
        }
        if !state.has_seed("context") {
            set_current(true);
        }
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuStreamCreate(stream: *mut usize, _flags: c_uint) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuStreamCreate", FAILURE)?;
        let handle = state.new_handle();
        // SAFETY: as `answer` says.
        unsafe { answer(stream, handle) }?;
        state.streams.push(handle);
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuStreamSynchronize(stream: usize) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuStreamSynchronize", FAILURE)?;
        state.require_stream(stream, "cuStreamSynchronize")?;
        state.waited_for(stream);
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuStreamDestroy_v2(stream: usize) -> u32 {
    let mut state = state();
    finish((|| {
        state.require_context("cuStreamDestroy")?;
        state.require_stream(stream, "cuStreamDestroy")?;
        state.waited_for(stream);
        state.streams.retain(|own| *own != stream);
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuMemAlloc_v2", code::OUT_OF_MEMORY)?;
        if state.memory.allocated().saturating_add(bytes) > state.settings.memory {
            return Err(code::OUT_OF_MEMORY);
        }
        let allocated = state.memory.allocate(bytes);
        let Ok(allocated) = allocated else {
            state.violation(&format!("an allocation of {bytes} bytes"));
            return Err(code::INVALID_VALUE);
        };
        // SAFETY: as `answer` says.
        unsafe { answer(address, allocated) }
    })())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemFree_v2(address: u64) -> u32 {
    let mut state = state();
    finish((|| {
        state.require_context("cuMemFree")?;
        if state.has_seed("leak") {
            return Ok(());
        }
        let times = if state.has_seed("double-free") { 2 } else { 1 };
        for _ in 0..times {
            if let Err(fault) = state.memory.free(address) {
                state.violation(&format!("cuMemFree: {fault}"));
                return Err(code::INVALID_VALUE);
            }
        }
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuMemGetInfo_v2", FAILURE)?;
        let all = state.settings.memory;
        // SAFETY: as `answer` says.
        unsafe {
            answer(free, all.saturating_sub(state.memory.allocated()))?;
            answer(total, all)
        }
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    target: u64,
    source: *const c_void,
    bytes: usize,
    stream: usize,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuMemcpyHtoDAsync_v2", FAILURE)?;
        state.require_stream(stream, "cuMemcpyHtoDAsync")?;
        let bytes = bytes.saturating_sub(if state.has_seed("upload-short") { 8 } else { 0 });
        state.touch(target, stream, "cuMemcpyHtoDAsync")?;
        // SAFETY: the caller has `bytes` readable bytes at `source`.
        let values = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), bytes) };
        match state.memory.bytes_mut(target, bytes) {
            Ok(place) => {
                place.copy_from_slice(values);
                Ok(())
            }
            Err(fault) => {
                state.violation(&format!("cuMemcpyHtoDAsync: {fault}"));
                Err(code::INVALID_VALUE)
            }
        }
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    target: *mut c_void,
    source: u64,
    bytes: usize,
    stream: usize,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuMemcpyDtoHAsync_v2", FAILURE)?;
        state.require_stream(stream, "cuMemcpyDtoHAsync")?;
        let bytes = bytes.saturating_sub(if state.has_seed("download-short") {
            8
        } else {
            0
        });
        state.touch(source, stream, "cuMemcpyDtoHAsync")?;
        match state.memory.bytes(source, bytes) {
            Ok(values) => {
                // SAFETY: the caller has room for `bytes` bytes at `target`.
                unsafe { target.cast::<u8>().copy_from(values.as_ptr(), bytes) };
                Ok(())
            }
            Err(fault) => {
                state.violation(&format!("cuMemcpyDtoHAsync: {fault}"));
                Err(code::INVALID_VALUE)
            }
        }
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuModuleLoadData(module: *mut usize, image: *const c_void) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuModuleLoadData", FAILURE)?;
        if image.is_null() {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: an image ends with a zero.
        let compiled = unsafe { compiler::take_apart(image.cast()) };
        let text = match &compiled {
            Some((architecture, text)) => {
                let (major, minor) = CAPABILITY;
                if !state.settings.cubin || *architecture != format!("sm_{major}{minor}") {
                    return Err(code::NO_BINARY_FOR_GPU);
                }
                text.into()
            }
            // SAFETY: an image of text ends with a zero.
            None => unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy(),
        };
        let parsed = Module::parse(&text).map_err(|error| {
            state.violation(&format!("the PTX is not understood: {error}"));
            code::INVALID_PTX
        })?;
        let (major, minor) = parsed.version();
        if compiled.is_none() && 10 * major + minor > state.settings.ptx {
            return Err(code::UNSUPPORTED_PTX);
        }
        let handle = state.new_handle();
        // SAFETY: as `answer` says.
        unsafe { answer(module, handle) }?;
        state.modules.insert(handle, parsed);
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuModuleGetFunction(
    function: *mut usize,
    module: usize,
    name: *const c_char,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call_in_context("cuModuleGetFunction", FAILURE)?;
        // SAFETY: the name ends with a zero.
        let name = unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned();
        let found = state.modules.get(&module).ok_or(code::INVALID_HANDLE)?;
        found.kernel(&name).ok_or(code::NOT_FOUND)?;
        let handle = state.new_handle();
        // SAFETY: as `answer` says.
        unsafe { answer(function, handle) }?;
        state.functions.insert(handle, Function { module, name });
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuModuleUnload(module: usize) -> u32 {
    let mut state = state();
    finish((|| {
        state.require_context("cuModuleUnload")?;
        if state.modules.remove(&module).is_none() {
            state.violation("a module that does not exist is unloaded");
            return Err(code::INVALID_HANDLE);
        }
        state
            .functions
            .retain(|_, function| function.module != module);
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuLaunchKernel(
    function: usize,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    _shared: c_uint,
    stream: usize,
    parameters: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> u32 {
    let mut state = state();
    let state = &mut *state;
    finish((|| {
        state.call_in_context("cuLaunchKernel", FAILURE)?;
        state.require_stream(stream, "cuLaunchKernel")?;
        let handle = state.functions.get(&function).ok_or(code::INVALID_HANDLE)?;
        let (module, name) = (handle.module, handle.name.clone());
        let module = state.modules.get(&module).ok_or(code::INVALID_HANDLE)?;
        let kernel = module.kernel(&name).ok_or(code::INVALID_HANDLE)?.clone();
        let mut values = Vec::with_capacity(kernel.parameters().len());
        for (index, &bytes) in kernel.parameters().iter().enumerate() {
            // SAFETY: the caller passes one pointer for each parameter, to a value of its size.
            let value = unsafe {
                let place = *parameters.add(index);
                match bytes {
                    4 => u64::from(place.cast::<u32>().read()),
                    _ => place.cast::<u64>().read(),
                }
            };
            values.push(value);
        }
        if state.has_seed("kernel-sizes-swapped") && values.len() > 1 {
            values.swap(0, 1);
        }
        if state.has_seed("kernel-argument-missing")
            && let Some(address) = values.iter_mut().rev().find(|value| **value >> 36 != 0)
        {
            *address = 0;
        }
        let mut grid = [grid_x, grid_y, grid_z];
        let mut block = [block_x, block_y, block_z];
        if state.has_seed("grid-rows-short") {
            grid[0] = grid[0].saturating_sub(1).max(1);
        }
        if state.has_seed("grid-columns-long") {
            grid[1] += 65_536;
        }
        if state.has_seed("threads-half") {
            block[0] /= 2;
        }
        let fits = grid[1].max(grid[2]) <= 65_535
            && grid[0] < 1 << 31
            && grid.iter().chain(&block).all(|&n| n > 0);
        if !fits {
            state.violation(&format!(
                "{name}: a grid of {grid:?} blocks of {block:?} threads"
            ));
            return Err(code::INVALID_VALUE);
        }
        for &value in &values {
            if value >> 36 != 0 && state.memory.bytes(value, 0).is_ok() {
                state.touch(value, stream, &name)?;
            }
        }
        state.launches += 1;
        let launches = state.launches;
        let order = match launches % 3 {
            0 => Order::Ascending,
            1 => Order::Descending,
            _ => Order::Shuffled(launches),
        };
        let launch = Launch {
            grid: Dim(grid),
            block: Dim(block),
            order,
        };
        fastlsq_ptx::run(&kernel, launch, &values, &mut state.memory)
            .map(|_| ())
            .map_err(|fault| {
                state.violation(&fault.to_string());
                code::ILLEGAL_ADDRESS
            })
    })())
}
