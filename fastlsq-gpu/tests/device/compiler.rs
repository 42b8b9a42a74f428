//! Kernels compiled for the device where the run-time compiler is installed, and the embedded ones otherwise.

use fastlsq_gpu::{Backend, Cuda, CudaError};
use fastlsq_solve::{CpuBackend, LsqOptions};

use crate::case::{Case, Verdict, require, text};
use crate::suite::system;

/// All libraries, the compiler among them.
const WITH_COMPILER: &[&str] = &["cuda", "cublas", "cusolver", "nvrtc"];
const COMPILED: &str = "compiled here for sm_60";
const EMBEDDED: &str = "embedded PTX";

pub(crate) fn cases() -> Vec<Case> {
    let case = |name: &str, origin: &'static str, settings: &str| {
        Case::new(format!("compiler::{name}"), move || solves_with(origin))
            .emulated(settings)
            .libraries(WITH_COMPILER)
    };
    vec![
        case("compiled_for_the_device", COMPILED, ""),
        // Compiled kernels do not depend on what PTX the driver understands.
        case("compiled_for_an_older_driver", COMPILED, "ptx=78"),
        case("driver_takes_no_cubin", EMBEDDED, "cubin=0"),
        case("compilation_fails", EMBEDDED, "fail=nvrtcCompileProgram:6"),
        case("program_is_not_made", EMBEDDED, "fail=nvrtcCreateProgram:1"),
        case("size_is_not_told", EMBEDDED, "fail=nvrtcGetCUBINSize:4"),
        case("image_is_not_given", EMBEDDED, "fail=nvrtcGetCUBIN:4"),
        Case::new("compiler::not_installed", || solves_with(EMBEDDED)).emulated(""),
        Case::new("compiler::without_functions", || solves_with(EMBEDDED)).libraries(&[
            "cuda",
            "cublas",
            "cusolver",
            "nvrtc-without-functions",
        ]),
        Case::new("compiler::both_refused", both_refused)
            .emulated("cubin=0;ptx=78")
            .libraries(WITH_COMPILER),
    ]
}

/// The kernels come from where they should, also the second time, and work.
fn solves_with(origin: &str) -> Verdict {
    for _ in 0..2 {
        let cuda = Cuda::new().map_err(text)?;
        let found = cuda.kernel_origin();
        require(found == origin, || format!("the kernels are {found}"))?;
        let system = system(12, 12.0, 60)?;
        let solve = |backend: &dyn Backend| -> Result<faer::Mat<f64>, String> {
            let factored = backend.factor(&system, &LsqOptions::new()).map_err(text)?;
            factored.solution().map_err(text)
        };
        let (ours, theirs) = (solve(&cuda)?, solve(&CpuBackend)?);
        let off = (&ours - &theirs).norm_l2() / theirs.norm_l2();
        require(off < 1e-11, || format!("the solution is off by {off:.1e}"))?;
    }
    Ok(())
}

/// The error gives both reasons.
fn both_refused() -> Verdict {
    let error = Cuda::new().err();
    let said = error.as_ref().map(text).unwrap_or_default();
    require(
        matches!(error, Some(CudaError::KernelsRefused { code: 222, .. }))
            && said.contains("sm_60")
            && said.contains("NO_BINARY_FOR_GPU"),
        || said.clone(),
    )
}
