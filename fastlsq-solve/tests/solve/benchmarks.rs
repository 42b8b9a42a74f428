//! The exact solutions of the benchmark problems satisfy everything that the problems state.

use std::sync::Arc;

use fastlsq_solve::problems::{self, Benchmark};
use fastlsq_solve::{Basis, Options, RowBlock};

use super::exact_basis::ExactBasis;

fn exact_bases(benchmark: &Benchmark) -> Vec<ExactBasis> {
    let dim = benchmark.problem.domain().dim();
    (0..benchmark.problem.unknowns().len())
        .map(|unknown| {
            let benchmark = benchmark.clone();
            ExactBasis::new(dim, move |x| benchmark.exact(x)[unknown])
        })
        .collect()
}

/// The blocks of the problem at sampled points.
fn blocks(benchmark: &Benchmark) -> Vec<RowBlock> {
    let options = Options::new().features(8).bandwidth(1.0).rows(40, 30);
    let factored = benchmark.problem.factor_with(&options).unwrap();
    factored.system().blocks().to_vec()
}

#[test]
fn equations_and_conditions_hold() {
    for benchmark in problems::all() {
        let bases = exact_bases(&benchmark);
        let bases: Vec<&dyn Basis> = bases.iter().map(|basis| basis as &dyn Basis).collect();
        let ones = vec![1.0; bases.len()];
        for block in blocks(&benchmark) {
            let found = block.apply(&bases, &ones).unwrap();
            let terms = block
                .operator
                .term_magnitudes(&bases, &ones, block.sites())
                .unwrap();
            let size = terms.into_iter().fold(1e-3, f64::max);
            for (found, expected) in found.iter().zip(&block.data) {
                assert!(
                    (found - expected).abs() < 2e-8 * size,
                    "{}, {}: {found} instead of {expected}",
                    benchmark.name,
                    block.label
                );
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_exact_solutions() {
    for benchmark in problems::all() {
        let bases = exact_bases(&benchmark);
        for block in blocks(&benchmark) {
            for point in block.points.rows().into_iter().take(10) {
                let mut x = point.to_vec();
                let gradients = benchmark.exact_gradient(&x);
                assert_eq!(gradients.len(), bases.len());
                for (basis, gradient) in bases.iter().zip(gradients) {
                    let size = gradient.iter().fold(1e-3_f64, |m, g| m.max(g.abs()));
                    for axis in 0..x.len() {
                        let mut alpha = vec![0; x.len()];
                        alpha[axis] = 1;
                        let slope = basis.derivative(&mut x, &alpha);
                        assert!(
                            (slope - gradient[axis]).abs() < 1e-7 * size,
                            "{} axis {axis}: {slope} instead of {}",
                            benchmark.name,
                            gradient[axis]
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_exact_solution_as_a_basis_has_no_error() {
    let benchmark = problems::helmholtz_2d(10.0);
    let basis = Arc::new(exact_bases(&benchmark).remove(0));
    let options = Options::new().basis(basis).rows(50, 50);
    let u = benchmark.problem.solve_with(&options).unwrap();
    assert!((u.coefficients()[0] - 1.0).abs() < 1e-9);
    let errors = benchmark.errors(&u, 100).unwrap();
    assert!(errors.value < 1e-9 && errors.gradient < 1e-8, "{errors:?}");
}

#[test]
fn the_protocol_has_the_papers_rows() {
    for (benchmark, rows) in [
        (problems::poisson_5d(), 12_000),
        (problems::heat_5d(), 14_000),
        (problems::wave_1d(), 9_000),
        (problems::maxwell_2d_tm(), 8_000),
    ] {
        let options = benchmark.protocol().features(10).bandwidth(1.0);
        let u = benchmark.protocol_problem().solve_with(&options).unwrap();
        assert_eq!(u.report().rows, rows, "{}", benchmark.name);
    }
}

#[test]
fn benchmarks_refuse_what_is_not_theirs() {
    let poisson = problems::poisson_2d();
    assert!(poisson.exact(&[0.5]).is_empty() && poisson.exact_gradient(&[]).is_empty());
    let other = problems::poisson_5d();
    let options = Options::new().features(20).bandwidth(1.0).rows(40, 40);
    let u = other.problem.solve_with(&options).unwrap();
    assert!(poisson.errors(&u, 10).is_err());
    let impossible = problems::wave_2d_ms(-1.0);
    assert!(impossible.problem.solve().is_err());
    assert!(impossible.errors(&u, 10).is_err() && impossible.exact(&[0.5]).is_empty());
}
