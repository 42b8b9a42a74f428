//! Factoring and solving: `cargo bench -p fastlsq-solve`.
//!
//! For developers who change the linear algebra or the search. What the library promises is measured by
//! `cargo xtask bench`, as ratios within one run.

#![allow(clippy::unwrap_used)]

use divan::Bencher;
use faer::Mat;
use fastlsq_solve::lsq::{LsqOptions, Method, factor};
use fastlsq_solve::{
    Basis, BoxDomain, Domain, FrequencyLaw, SinusoidalBasis, UnitSampler, problems,
};

const FEATURES: usize = 400;

fn main() {
    divan::main();
}

/// Values of features on the square: numerically rank-deficient, as all such matrices are.
fn matrix(features: usize) -> Mat<f64> {
    let basis = SinusoidalBasis::random(2, features, &FrequencyLaw::Isotropic(6.0), 0).unwrap();
    let points = BoxDomain::unit(2)
        .sample_interior(4 * features, &mut UnitSampler::independent(1))
        .unwrap();
    basis.values(points.view()).unwrap()
}

#[divan::bench(args = [Method::RankRevealingQr, Method::Sketch, Method::Svd, Method::NormalEquations])]
fn least_squares(bencher: Bencher<'_, '_>, method: Method) {
    let a = matrix(FEATURES);
    let b = Mat::from_fn(a.nrows(), 1, |i, _| (i as f64).sin());
    let options = LsqOptions::new().method(method);
    bencher.bench_local(|| factor(&a, b.as_ref(), &options).unwrap());
}

#[divan::bench(args = ["poisson-2d", "helmholtz-2d", "wave-1d"])]
fn automatic(bencher: Bencher<'_, '_>, name: &str) {
    let benchmark = problems::all()
        .into_iter()
        .find(|b| b.name == name)
        .unwrap();
    bencher.bench_local(|| benchmark.problem.solve().unwrap());
}
