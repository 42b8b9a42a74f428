//! How much memory a rank needs for many rows.

use std::time::Instant;

use fastlsq_mpi::Mpi;
use fastlsq_mpi::fastlsq_solve::{Backend, LsqOptions};

use crate::suite::values;

/// Streams this many rows, and tells the largest memory that any rank ever had.
pub(crate) fn memory(mpi: &Mpi, rows: usize, features: usize) {
    let system = values(rows, features);
    let begin = Instant::now();
    let factored = mpi.factor(&system, &LsqOptions::new()).unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let team = mpi.as_team();
    let mut peaks = Vec::new();
    for rank in 0..mpi.size() {
        let mut peak = [peak_bytes()];
        team.broadcast(rank, &mut peak);
        peaks.push(peak[0]);
    }
    if mpi.rank() == 0 {
        println!("rank of the matrix\t{}", factored.info().rank);
        println!("seconds\t{seconds:.1}");
        for (rank, peak) in peaks.iter().enumerate() {
            println!("MiB on rank {rank}\t{:.0}", peak / f64::from(1 << 20));
        }
    }
}

/// The largest resident set so far.
fn peak_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| {
        rest.trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<f64>()
            .ok()
    });
    kilobytes.unwrap_or(f64::NAN) * 1024.0
}
