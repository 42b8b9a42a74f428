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
mod limits;
mod numbers;
mod options;
mod posed;
mod patches;
mod regression;
mod reproducible;
mod saved;
mod statements;
mod symmetry;
mod systems;
mod written;

use fastlsq_solve::ndarray::Array2;
use fastlsq_solve::{Expr, Solution};

/// The largest |u − exact| on a grid of the unit cube, relative to the largest |exact|; of a system, for the first unknown.
fn grid_error(solution: &Solution, exact: impl Into<Expr>) -> f64 {
    error_of(solution, solution.unknowns()[0], exact)
}

/// The same for any expression of the unknowns.
fn error_of(solution: &Solution, found: impl Into<Expr>, exact: impl Into<Expr>) -> f64 {
    let (dim, side, exact) = (solution.dim(), 9_usize, exact.into());
    let digits = u32::try_from(dim).unwrap();
    let grid = Array2::from_shape_fn((side.pow(digits), dim), |(index, k)| {
        let digit = u32::try_from(k).unwrap();
        (index / side.pow(digit) % side) as f64 / (side - 1) as f64
    });
    let largest = |expression: Expr| {
        let values = solution.evaluate(expression, &grid).unwrap().into_iter();
        values.fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs()))
    };
    largest(found.into() - &exact) / largest(exact)
}
