//! The suite that every backend passes, and sizes that do not divide.

use std::sync::Arc;

use faer::Mat;
use fastlsq_mpi::Mpi;
use fastlsq_mpi::fastlsq_solve::conformance::CHECKS;
use fastlsq_mpi::fastlsq_solve::{
    Backend, CpuBackend, EquationRow, FrequencyLaw, LsqOptions, Method, RowBlock, SinusoidalBasis,
    System, UnitSampler,
};

use crate::say;

pub(crate) fn suite(mpi: &Mpi) {
    for (name, check) in CHECKS {
        check(mpi).unwrap_or_else(|violation| panic!("{name}: {violation}"));
    }
    say(mpi, "conformance checks", CHECKS.len());
    // Odd sizes; fewer rows than features; fewer streams than ranks; one row.
    let sizes = [(33_001, 37), (9_973, 101), (1_031, 5), (20, 60), (1, 3)];
    for (rows, features) in sizes {
        for method in [Method::Auto, Method::Svd, Method::Sketch] {
            let system = values(rows, features);
            let keep = LsqOptions::new().method(method).keep_q(true);
            let (own, alone) = (
                mpi.factor(&system, &keep),
                CpuBackend.factor(&system, &keep),
            );
            let (own, alone) = (own.unwrap(), alone.unwrap());
            assert_eq!(
                bits(&own.solution().unwrap()),
                bits(&alone.solution().unwrap())
            );
            let b = Mat::from_fn(rows, 3, |i, j| ((i * (j + 2)) as f64).sin());
            let v = Mat::from_fn(features, 2, |i, j| ((i + 7 * j) as f64).cos());
            let solved = (
                own.solve(b.as_ref()).unwrap(),
                alone.solve(b.as_ref()).unwrap(),
            );
            let adjoint = (
                own.adjoint(v.as_ref()).unwrap(),
                alone.adjoint(v.as_ref()).unwrap(),
            );
            for (own, alone) in [solved, adjoint] {
                let off = (&own - &alone).norm_l2();
                assert!(
                    off <= 1e-12 * alone.norm_l2(),
                    "{rows}×{features}, {method}: {off:e}"
                );
            }
        }
    }
    say(mpi, "sizes with the bits of one process", sizes.len());
}

fn bits(a: &Mat<f64>) -> Vec<u64> {
    let entries = (0..a.ncols()).flat_map(|j| (0..a.nrows()).map(move |i| (i, j)));
    entries.map(|at| a[at].to_bits()).collect()
}

/// Values at points of the unit square.
pub(crate) fn values(rows: usize, features: usize) -> System {
    let law = FrequencyLaw::Isotropic(8.0);
    let basis = SinusoidalBasis::random(2, features, &law, 3).unwrap();
    let points = UnitSampler::halton(1).points(rows, 2);
    let data = points.rows().into_iter().map(|x| (3.0 * x[0]).sin() * x[1]);
    let data = data.collect();
    let block = RowBlock::new("values", EquationRow::value(2, 0, 1), points, data);
    System::new(vec![Arc::new(basis)], vec![block]).unwrap()
}
