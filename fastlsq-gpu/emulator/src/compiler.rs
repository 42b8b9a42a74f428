//! The run-time compiler's functions.
//!
//! It knows one program: the kernels of `fastlsq-gpu`, recognised by the fingerprint that the embedded PTX carries. Its
//! "CUBIN" is that PTX behind a header that names the architecture; the driver of this library takes it apart again.

use std::ffi::{CStr, c_char, c_int};

use crate::state::{CallResult, finish, state};

/// What a compiled image begins with, as real ones do.
const MAGIC: &[u8] = b"\x7fELF for ";

/// The text that the known program compiles to.
const PTX: &str = include_str!("../../kernels/fastlsq.ptx");

/// Codes of the compiler's own.
mod nvrtc {
    pub(super) const INVALID_INPUT: u32 = 3;
    pub(super) const INVALID_PROGRAM: u32 = 4;
    pub(super) const INVALID_OPTION: u32 = 5;
    pub(super) const COMPILATION: u32 = 6;
}

/// A program on the way to its image.
#[derive(Debug)]
pub(crate) struct Program {
    source: String,
    image: Option<Vec<u8>>,
}

/// The architecture that an image was made for and its text, if it is one of this compiler's.
pub(crate) unsafe fn take_apart(image: *const c_char) -> Option<(String, String)> {
    // SAFETY: the header and the text behind it end with a zero each, and anything else that is loaded is text.
    let header = unsafe { CStr::from_ptr(image) };
    let architecture = header.to_bytes().strip_prefix(MAGIC)?;
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(image.add(header.to_bytes_with_nul().len())) };
    let architecture = String::from_utf8_lossy(architecture).into_owned();
    Some((architecture, text.to_string_lossy().into_owned()))
}

/// FNV-1a, as in the first line of the embedded PTX.
fn fingerprint(source: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = source.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    format!("{hash:016x}")
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> u32 {
    if major.is_null() || minor.is_null() {
        return nvrtc::INVALID_INPUT;
    }
    // SAFETY: the caller passes places for two integers.
    unsafe {
        major.write(12);
        minor.write(0);
    }
    0
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcCreateProgram(
    program: *mut usize,
    source: *const c_char,
    _name: *const c_char,
    headers: c_int,
    _contents: *const *const c_char,
    _names: *const *const c_char,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("nvrtcCreateProgram", nvrtc::INVALID_INPUT)?;
        if program.is_null() || source.is_null() || headers != 0 {
            return Err(nvrtc::INVALID_INPUT);
        }
        // SAFETY: the source ends with a zero.
        let source = unsafe { CStr::from_ptr(source) }.to_string_lossy();
        let handle = state.new_handle();
        let new = Program {
            source: source.into_owned(),
            image: None,
        };
        state.programs.insert(handle, new);
        // SAFETY: the caller passes a place for one handle.
        unsafe { program.write(handle) };
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcCompileProgram(
    program: usize,
    count: c_int,
    options: *const *const c_char,
) -> u32 {
    let mut state = state();
    finish((|| {
        state.call("nvrtcCompileProgram", nvrtc::COMPILATION)?;
        let options: Vec<String> = (0..usize::try_from(count).unwrap_or(0))
            .map(|k| {
                // SAFETY: the caller passes `count` texts that end with a zero.
                let text = unsafe { CStr::from_ptr(*options.add(k)) };
                text.to_string_lossy().into_owned()
            })
            .collect();
        let wanted = |option: &&String| option.starts_with("--gpu-architecture=");
        let architecture = options
            .iter()
            .find(wanted)
            .and_then(|o| o.split('=').nth(1));
        let Some(architecture) = architecture.filter(|name| name.starts_with("sm_")) else {
            state.violation("a CUBIN is compiled without an architecture");
            return Err(nvrtc::INVALID_OPTION);
        };
        let mut image = [MAGIC, architecture.as_bytes(), b"\0"].concat();
        image.extend(PTX.bytes().chain([0]));
        if !options.iter().any(|option| option == "--fmad=false") {
            state.violation("the kernels are compiled without --fmad=false, which lets the compiler contract products and sums");
        }
        let known = PTX.lines().next().unwrap_or_default();
        let program = state.programs.get_mut(&program);
        let program = program.ok_or(nvrtc::INVALID_PROGRAM)?;
        if !known.ends_with(&fingerprint(&program.source)) {
            state.violation(
                "the compiler is not given the program that the embedded PTX was made from",
            );
            return Err(nvrtc::COMPILATION);
        }
        program.image = Some(image);
        Ok(())
    })())
}

/// The image of a program, after one of the calls that ask for it.
fn with_image(name: &str, program: usize, answer: impl FnOnce(&[u8])) -> u32 {
    let mut state = state();
    finish((|| -> CallResult {
        state.call(name, nvrtc::INVALID_PROGRAM)?;
        let program = state.programs.get(&program).ok_or(nvrtc::INVALID_PROGRAM)?;
        let image = program.image.as_ref().ok_or(nvrtc::INVALID_PROGRAM)?;
        answer(image);
        Ok(())
    })())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcGetCUBINSize(program: usize, size: *mut usize) -> u32 {
    // SAFETY: the caller passes a place for one size.
    with_image("nvrtcGetCUBINSize", program, |image| unsafe {
        size.write(image.len());
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcGetCUBIN(program: usize, target: *mut u8) -> u32 {
    // SAFETY: the caller has room for as many bytes as `nvrtcGetCUBINSize` said.
    with_image("nvrtcGetCUBIN", program, |image| unsafe {
        target.copy_from(image.as_ptr(), image.len());
    })
}

/// PTX is embedded, never compiled where the kernels are used: asking for it is a mistake.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcGetPTXSize(_program: usize, _size: *mut usize) -> u32 {
    state().violation("the compiler is asked for PTX");
    nvrtc::INVALID_PROGRAM
}

/// As [`nvrtcGetPTXSize`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcGetPTX(_program: usize, _target: *mut c_char) -> u32 {
    state().violation("the compiler is asked for PTX");
    nvrtc::INVALID_PROGRAM
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn nvrtcDestroyProgram(program: *mut usize) -> u32 {
    let mut state = state();
    finish((|| {
        if program.is_null() {
            return Err(nvrtc::INVALID_PROGRAM);
        }
        // SAFETY: the caller passes the place of one handle, which is cleared.
        let handle = unsafe { program.replace(0) };
        state
            .programs
            .remove(&handle)
            .ok_or(nvrtc::INVALID_PROGRAM)?;
        Ok(())
    })())
}
