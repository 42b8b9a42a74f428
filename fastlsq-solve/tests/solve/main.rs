//! Problems from statement to solution: exact solutions, choices, limits, files, and wrong input.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic is the message"
)]

mod automatic;
mod bases;
mod benchmarks;
mod conditions;
mod convergence;
mod errors;
mod exact_basis;
mod factored;
mod options;
mod regression;
mod reproducible;
mod saved;
mod symmetry;
mod systems;
mod written;

use fastlsq_solve::Solution;

/// The largest |u − exact| on a grid of the unit cube, relative to the largest |exact|.
fn grid_error(u: &Solution, exact: impl Fn(&[f64]) -> f64) -> f64 {
    let (dim, side) = (u.dim(), 9_usize);
    let (mut worst, mut size) = (0.0_f64, f64::MIN_POSITIVE);
    for index in 0..side.pow(u32::try_from(dim).unwrap()) {
        let point: Vec<f64> = (0..dim)
            .map(|k| {
                (index / side.pow(u32::try_from(k).unwrap()) % side) as f64 / (side - 1) as f64
            })
            .collect();
        let expected = exact(&point);
        worst = worst.max((u.value(&point).unwrap() - expected).abs());
        size = size.max(expected.abs());
    }
    worst / size
}
