//! Which CUDA device would be used, or what is missing; then one small problem on it.
//!
//! `cargo run --release -p fastlsq-gpu --example device [number of the device]`
#![allow(clippy::print_stdout)]

use std::error::Error;

use fastlsq_gpu::Cuda;
use fastlsq_solve::{BoxDomain, LinearProblem, Options, laplacian, unknown};

fn main() -> Result<(), Box<dyn Error>> {
    let number = std::env::args().nth(1);
    let opened = match number {
        None => Cuda::new(),
        Some(text) => match text.parse() {
            Ok(number) => Cuda::on_device(number),
            Err(_) => return Err(format!("`{text}` is not the number of a device").into()),
        },
    };
    let cuda = match opened {
        Ok(cuda) => cuda,
        Err(missing) => {
            println!("no CUDA device: {missing}\n({missing:?})");
            return Ok(());
        }
    };
    println!("{}, kernels: {}", cuda.device_name(), cuda.kernel_origin());

    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), 1.0)
        .dirichlet(0.0);
    let options = Options::new()
        .features(200)
        .bandwidth(4.0)
        .rows(800, 200)
        .backend(cuda);
    let u = problem.solve_with(&options)?;
    // The series for the bending of a square membrane gives 0.0736713532814… in the middle.
    let middle = u.value(&[0.5, 0.5])?;
    println!("u(½, ½) = {middle:.6} by {}", u.report().backend);
    assert!((middle - 0.073_671_353_3).abs() < 1e-3);
    Ok(())
}
