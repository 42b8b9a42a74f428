//! What every rank of a job does in tests and measurements; `cargo xtask mpi` starts it under `mpirun`.
//!
//! ```text
//! mpirun -n 4 ranks suite               conformance suite of backends, odd sizes
//! mpirun -n 4 ranks problems            linear problems, patches, Newton, an inverse fit: against one process
//! mpirun -n 2 ranks fail exit|leave|early|panic|abort|problem|version|memory
//! mpirun -n 4 ranks costs               predicted and counted operations, messages, bytes
//! mpirun -n 4 ranks patch-costs CELLS single|joint|as-is   the same of patches, so many along each axis
//! mpirun -n 2 ranks fronts              seconds of fronts by one rank and by all
//! mpirun -n 2 ranks constants           flop rate, latency, bandwidth
//! mpirun -n 4 ranks memory ROWS FEATURES
//! ```
//!
//! Lines `name<TAB>value` on standard output are for the caller; rank 0 writes them. Without arguments (under `cargo test`,
//! a job of one rank) it runs the suite.

#![allow(
    clippy::print_stdout,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test program: its results belong on standard output, its failures are panics"
)]

mod agreement;
mod costs;
mod failures;
mod inclined;
mod memory;
mod suite;

use fastlsq_mpi::Mpi;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["fail", how] => failures::fail(how),
        ["problems"] => agreement::problems(&Mpi::world().unwrap()),
        ["costs"] => costs::costs(&Mpi::world().unwrap()),
        ["patch-costs", cells, how] => {
            costs::patch_costs(&Mpi::world().unwrap(), cells.parse().unwrap(), how);
        }
        ["fronts"] => costs::fronts(&Mpi::world().unwrap()),
        ["constants"] => costs::constants(&Mpi::world().unwrap()),
        ["memory", rows, features] => {
            memory::memory(
                &Mpi::world().unwrap(),
                rows.parse().unwrap(),
                features.parse().unwrap(),
            );
        }
        _ => suite::suite(&Mpi::world().unwrap()),
    }
}

/// A result, once for all ranks.
fn say(mpi: &Mpi, name: &str, value: impl std::fmt::Display) {
    if mpi.rank() == 0 {
        println!("{name}\t{value}");
    }
}
