//! The text of the kernels itself.

use fastlsq_gpu::{CudaError, compiled_kernels, compiler_version, embedded_kernels, source_line};
use fastlsq_ptx::Module;

pub(crate) fn embedded() -> Module {
    Module::parse(embedded_kernels()).unwrap()
}

#[test]
fn it_was_made_from_the_source_as_it_is() {
    let first = embedded_kernels().lines().next().unwrap();
    assert_eq!(
        first,
        source_line(),
        "run the example write_ptx after a change of kernels/*.cu"
    );
}

#[test]
fn the_compiler_makes_the_same_text_again() {
    match compiler_version() {
        Ok((12, 0)) => assert_eq!(compiled_kernels().unwrap(), embedded_kernels()),
        Ok(_) => {
            // Another version writes other text; it must be sound all the same.
            let text = compiled_kernels().unwrap();
            assert!(text.contains(".visible .entry assemble_waves("));
        }
        Err(CudaError::MissingLibrary { .. }) => println!("NVRTC is not installed: not compared"),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn drivers_from_version_12_take_it() {
    let module = embedded();
    assert_eq!((module.version(), module.target()), ((8, 0), 60));
    let names: Vec<&str> = module.kernels().map(fastlsq_ptx::Kernel::name).collect();
    let expected = [
        "assemble_waves",
        "clear_block",
        "copy_block",
        "copy_triangle",
        "find_not_finite",
        "inverse_norms",
        "round_block",
        "scale_gram",
        "scale_rows",
        "widen_triangle",
    ];
    assert_eq!(names, expected);
}

#[test]
fn nothing_is_approximate_and_nothing_foreign_is_called() {
    for line in embedded_kernels().lines() {
        for word in ["approx", ".ftz", "call", ".func", ".extern"] {
            assert!(!line.contains(word), "{line}");
        }
    }
}
