//! The run-time compiler, where it is installed.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys as driver;
use cudarc::nvrtc::sys as nvrtc;

use crate::device::check;
use crate::error::CudaError;
use crate::kernels::SOURCE;
use crate::probe;

/// Options that the arithmetic depends on: no contraction behind the source's back.
const OPTIONS: [&str; 2] = ["--fmad=false", "--std=c++14"];

fn checked(call: &'static str, status: nvrtc::nvrtcResult) -> Result<(), CudaError> {
    match status {
        nvrtc::nvrtcResult::NVRTC_SUCCESS => Ok(()),
        other => Err(CudaError::Numerics {
            call,
            status: format!("{other:?}"),
        }),
    }
}

/// What is wanted of the compiler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Image {
    Text,
    Binary,
}

struct Program(nvrtc::nvrtcProgram);

#[allow(unsafe_code)]
impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        unsafe { nvrtc::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

#[allow(unsafe_code)]
fn compile(architecture: &str, image: Image) -> Result<Vec<u8>, CudaError> {
    probe::compiler_library()?;
    let not_text = |_| CudaError::Shape {
        what: "the kernels' source",
        requirement: "text without zeros",
    };
    let source = CString::new(SOURCE).map_err(not_text)?;
    let options = [
        format!("--gpu-architecture={architecture}"),
        OPTIONS[0].to_owned(),
        OPTIONS[1].to_owned(),
    ];
    let options: Vec<CString> = options
        .into_iter()
        .map(|option| CString::new(option).map_err(not_text))
        .collect::<Result<_, _>>()?;
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let mut program = Program(std::ptr::null_mut());
    // SAFETY: the library is there with all these functions; source, name and options end with a zero and
    // outlive the program; the sizes are those that the library itself reports.
    unsafe {
        checked(
            "nvrtcCreateProgram",
            nvrtc::nvrtcCreateProgram(
                &raw mut program.0,
                source.as_ptr(),
                c"fastlsq.cu".as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            ),
        )?;
        checked(
            "nvrtcCompileProgram",
            nvrtc::nvrtcCompileProgram(program.0, pointers.len() as i32, pointers.as_ptr()),
        )?;
        let mut size = 0;
        let mut bytes;
        match image {
            Image::Text => {
                let status = nvrtc::nvrtcGetPTXSize(program.0, &raw mut size);
                checked("nvrtcGetPTXSize", status)?;
                bytes = vec![0u8; size];
                let status = nvrtc::nvrtcGetPTX(program.0, bytes.as_mut_ptr().cast());
                checked("nvrtcGetPTX", status)?;
            }
            Image::Binary => {
                let status = nvrtc::nvrtcGetCUBINSize(program.0, &raw mut size);
                checked("nvrtcGetCUBINSize", status)?;
                bytes = vec![0u8; size];
                let status = nvrtc::nvrtcGetCUBIN(program.0, bytes.as_mut_ptr().cast());
                checked("nvrtcGetCUBIN", status)?;
            }
        }
        Ok(bytes)
    }
}

/// Images by architecture, kept for the life of the process: compiling takes longer than many a solve.
static COMPILED: Mutex<BTreeMap<String, Arc<[u8]>>> = Mutex::new(BTreeMap::new());

/// The kernels compiled for a device, and its architecture.
#[allow(unsafe_code)]
pub(crate) fn cubin_for(device: driver::CUdevice) -> Result<(Arc<[u8]>, String), CudaError> {
    probe::compiler_library()?;
    use driver::CUdevice_attribute as Attribute;
    let attribute = |which: Attribute| {
        let mut value = 0;
        // SAFETY: the device exists and the call writes one integer.
        let status = unsafe { driver::cuDeviceGetAttribute(&raw mut value, which, device) };
        check("cuDeviceGetAttribute", status).map(|()| value)
    };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let architecture = format!("sm_{major}{minor}");
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let image = match compiled.get(&architecture) {
        Some(image) => Arc::clone(image),
        None => {
            let image: Arc<[u8]> = compile(&architecture, Image::Binary)?.into();
            compiled.insert(architecture.clone(), Arc::clone(&image));
            image
        }
    };
    Ok((image, architecture))
}

/// Compiles the kernels to PTX for compute capability 6.0, as it is embedded in this crate (7.5 with
/// compilers that begin there). For the crate's own tools.
///
/// Constants of the compiler's own headers, which nothing refers to, are left out, so that the text is a
/// translation of this crate's source alone; a first line records the source it was made from.
#[doc(hidden)]
pub fn compiled_kernels() -> Result<String, CudaError> {
    // Version 13 begins with 7.5.
    let architecture = match compiler_version()?.0 {
        ..=12 => "compute_60",
        _ => "compute_75",
    };
    let bytes = compile(architecture, Image::Text)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end_matches('\0');
    let kept = text
        .lines()
        .filter(|line| !(line.starts_with(".global") && line.contains("2nv6target")));
    let mut out = source_line();
    for line in kept {
        out.push('\n');
        out.push_str(line.trim_end());
    }
    out.push('\n');
    Ok(out)
}

/// The PTX in this crate. For the crate's own tests and tools.
#[doc(hidden)]
#[must_use]
pub fn embedded_kernels() -> &'static str {
    crate::kernels::PTX
}

/// The first line of the embedded PTX: a fingerprint (FNV-1a) of the source. For the crate's own tests.
#[doc(hidden)]
#[must_use]
pub fn source_line() -> String {
    let hash = SOURCE
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
    format!("// made from kernels/*.cu with fingerprint {hash:016x}")
}

/// The version of the run-time compiler. For the crate's own tests and tools.
#[doc(hidden)]
#[allow(unsafe_code)]
pub fn compiler_version() -> Result<(i32, i32), CudaError> {
    probe::compiler_library()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the function is there and writes two integers.
    let status = unsafe { nvrtc::nvrtcVersion(&raw mut major, &raw mut minor) };
    checked("nvrtcVersion", status)?;
    Ok((major, minor))
}
