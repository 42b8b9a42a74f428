//! How long assembly and least squares take on this machine's CUDA device, beside the processor.
//!
//! `cargo run --release -p fastlsq-gpu --example measure [largest number of rows]`
//!
//! Prints rows for the table in this crate's README. Features sin(w·x + b) in the plane, rows of
//! Δu + k²u. `device` is assembly and QR on the device, with all that travels; `rank` is the pivoted QR of the
//! triangle and the solution, on the host; `cached` is one further right-hand side; `normal` is the normal
//! equations. Each is the best of three runs after one to warm up. The emulated device of the tests is refused.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{FrequencyLaw, SinusoidalBasis};
use fastlsq_gpu::{Backend, Cuda};
use fastlsq_solve::{
    CpuBackend, Frame, LsqOptions, Method, RowBlock, RowSource, Space, System, laplacian, unknown,
};

fn system(rows: usize, features: usize) -> Result<System, Box<dyn Error>> {
    let basis = SinusoidalBasis::random(2, features, &FrequencyLaw::Isotropic(12.0), 1)?;
    let points = UnitSampler::halton(1).points(rows, 2);
    let data = points.rows().into_iter().map(|x| (3.0 * x[0] - x[1]).sin());
    let u = unknown("u");
    let operator = Frame::new(Space::new(2), [u]).row(laplacian(u) + 100.0 * u)?;
    let block = RowBlock::new("rows", operator, points.clone(), data.collect());
    Ok(System::new(vec![Arc::new(basis)], vec![block])?)
}

/// The shortest of three runs, after one to warm up, in milliseconds.
fn best<T>(mut run: impl FnMut() -> Result<T, Box<dyn Error>>) -> Result<(f64, T), Box<dyn Error>> {
    let mut result = run()?;
    let mut shortest = f64::INFINITY;
    for _ in 0..3 {
        let clock = Instant::now();
        result = run()?;
        shortest = shortest.min(1e3 * clock.elapsed().as_secs_f64());
    }
    Ok((shortest, result))
}

fn main() -> Result<(), Box<dyn Error>> {
    let most_rows = std::env::args()
        .nth(1)
        .map_or(Ok(usize::MAX), |text| text.parse())?;
    let cuda = Cuda::new()?;
    if cuda.is_emulated() {
        return Err("this is the emulated device of the tests: nothing is measured on it".into());
    }
    println!(
        "{}, kernels: {}\n",
        cuda.device_name(),
        cuda.kernel_origin()
    );
    println!("| rows × features | device ms | rank ms | cached ms | normal ms | CPU ms |");
    println!("|---|---|---|---|---|---|");
    for (rows, features) in [
        (3_000, 500),
        (5_000, 1_000),
        (12_000, 1_500),
        (40_000, 3_000),
    ] {
        if rows > most_rows {
            continue;
        }
        let system = system(rows, features)?;
        let options = LsqOptions::new().keep_q(true);
        let (_, factored) = best(|| Ok(cuda.factor(&system, &options)?))?;
        let seconds = factored.info().seconds;
        let b = system.right_hand_side();
        let (cached, _) = best(|| Ok(factored.solve(b.as_ref())?))?;
        let fast = LsqOptions::new()
            .method(Method::NormalEquations)
            .ridge(1e-8);
        let (normal, _) = best(|| Ok(cuda.factor(&system, &fast)?))?;
        let (cpu, _) = best(|| Ok(CpuBackend.factor(&system, &LsqOptions::new())?))?;
        println!(
            "| {} × {} | {:.1} | {:.1} | {cached:.1} | {normal:.1} | {cpu:.1} |",
            system.nrows(),
            system.ncols(),
            1e3 * seconds.reduction,
            1e3 * (seconds.rank_revealing + seconds.solution),
        );
    }
    Ok(())
}
