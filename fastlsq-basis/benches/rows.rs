//! Writing rows of features: `cargo bench -p fastlsq-basis`.
//!
//! For developers who change the kernels. What the library promises is measured by `cargo xtask bench assembly`, as
//! ratios within one run.

#![allow(clippy::unwrap_used)]

use divan::{Bencher, counter::ItemsCount};
use faer::Mat;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{
    Action, Basis, Coefficient, Form, FrequencyLaw, MultiIndex, Parity, SinusoidalBasis,
};

const POINTS: usize = 2_000;
const FEATURES: usize = 500;

fn main() {
    divan::main();
}

/// Writes Σ D^α φ on one thread, again and again, into the same matrix.
fn write(bencher: Bencher<'_, '_>, basis: &SinusoidalBasis, orders: &[[u32; 2]]) {
    let points = UnitSampler::halton(1).points(POINTS, 2);
    let actions: Vec<Action> = orders
        .iter()
        .map(|&alpha| Action::derivative(MultiIndex::new(alpha)))
        .collect();
    let mut form = Form::new();
    for action in &actions {
        form.push(Coefficient::Constant(1.0), action);
    }
    let mut out = Mat::zeros(POINTS, FEATURES);
    bencher
        .counter(ItemsCount::new(POINTS * FEATURES))
        .bench_local(|| {
            basis
                .write_rows(points.view(), &form, out.as_mut())
                .unwrap();
        });
}

fn features() -> SinusoidalBasis {
    SinusoidalBasis::random(2, FEATURES, &FrequencyLaw::Isotropic(8.0), 0).unwrap()
}

#[divan::bench]
fn values(bencher: Bencher<'_, '_>) {
    write(bencher, &features(), &[[0, 0]]);
}

#[divan::bench]
fn laplacian(bencher: Bencher<'_, '_>) {
    write(bencher, &features(), &[[2, 0], [0, 2]]);
}

#[divan::bench]
fn biharmonic(bencher: Bencher<'_, '_>) {
    write(bencher, &features(), &[[4, 0], [2, 2], [2, 2], [0, 4]]);
}

#[divan::bench]
fn even_in_both_axes(bencher: Bencher<'_, '_>) {
    let basis = features()
        .with_parity(&[Parity::Even, Parity::Even])
        .unwrap();
    write(bencher, &basis, &[[2, 0], [0, 2]]);
}
