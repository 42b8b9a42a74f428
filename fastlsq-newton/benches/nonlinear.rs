//! Nonlinear solves: `cargo bench -p fastlsq-newton`.
//!
//! For developers who change the iteration. What the library promises is measured by `cargo xtask bench newton`, as
//! ratios within one run.

#![allow(clippy::unwrap_used)]

use divan::Bencher;
use fastlsq_newton::{NewtonOptions, Options, problems};

fn main() {
    divan::main();
}

#[divan::bench(args = ["nl-poisson-2d", "bratu-2d", "steady-burgers-1d", "nl-helmholtz-2d", "allen-cahn-1d"])]
fn automatic(bencher: Bencher<'_, '_>, name: &str) {
    let benchmark = problems::paper()
        .into_iter()
        .find(|b| b.name == name)
        .unwrap();
    bencher.bench_local(|| benchmark.problem.solve().unwrap());
}

/// Many more features than their rank, whole or cut to it first.
#[divan::bench(args = [false, true])]
fn given_features(bencher: Bencher<'_, '_>, compress: bool) {
    let benchmark = problems::nl_poisson_2d();
    let given = Options::new().features(800).bandwidth(3.0);
    let options = NewtonOptions::new().solve_options(given).compress(compress);
    bencher.bench_local(|| benchmark.problem.solve_with(&options).unwrap());
}
