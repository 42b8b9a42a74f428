//! Everything that needs a device: on the emulated one, and on a real one where there is one.
//!
//! A process finds the CUDA libraries once, on the library path it was started with. So every case runs in a
//! process of its own: this program starts itself again with the emulator's library in the place of
//! `libcuda`, `libcublas` and `libcusolver`. No case may be skipped there. After each case everything must have
//! been given back, and the emulator must have had nothing to object to.
//!
//! The emulator's library is built by cargo as a dev-dependency and lies beside this program. The way it takes the place
//! of the others (three links to one file are one library) is that of Linux.

#[cfg(target_os = "linux")]
mod assembly;
#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod compiler;
#[cfg(target_os = "linux")]
mod emulator;
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod iterated;
#[cfg(target_os = "linux")]
mod problems;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod seeds;
#[cfg(target_os = "linux")]
mod single;
#[cfg(target_os = "linux")]
mod suite;

#[cfg(target_os = "linux")]
use case::Case;

#[cfg(target_os = "linux")]
/// All cases, in the order they are listed.
fn cases() -> Vec<Case> {
    let mut all = suite::cases();
    all.extend(assembly::cases());
    all.extend(problems::cases());
    all.extend(iterated::cases());
    all.extend(single::cases());
    all.extend(compiler::cases());
    all.extend(failures::cases());
    all.extend(seeds::cases());
    all
}

#[cfg(target_os = "linux")]
fn main() {
    match std::env::var(runner::CHILD) {
        Ok(name) => runner::run_here(&cases(), &name),
        Err(_) => runner::run_all(&cases()),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("the emulated device needs Linux: nothing was tested");
}
