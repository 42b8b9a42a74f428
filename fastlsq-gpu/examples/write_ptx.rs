//! Compiles the kernels with the run-time compiler and writes `kernels/fastlsq.ptx`.
//!
//! Run it after a change of `kernels/*.cu`, with NVRTC 12.0 on the library path, so that drivers from 12.0 on
//! take the text:
//!
//! ```sh
//! LD_LIBRARY_PATH=/path/to/nvrtc-12.0 cargo run --release -p fastlsq-gpu --example write_ptx
//! ```
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let version = fastlsq_gpu::compiler_version()?;
    if version != (12, 0) {
        return Err(format!(
            "this is NVRTC {}.{}, but 12.0 is wanted",
            version.0, version.1
        )
        .into());
    }
    let text = fastlsq_gpu::compiled_kernels()?;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/fastlsq.ptx");
    std::fs::write(&file, &text)?;
    println!("{}: {} bytes", file.display(), text.len());
    Ok(())
}
