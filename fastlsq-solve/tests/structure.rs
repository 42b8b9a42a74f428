//! Structure in the data of problems in many dimensions: what was planted is found, nothing is found where there is none,
//! and solves use it.

use std::collections::BTreeSet;

use fastlsq_solve::problems::high;
use fastlsq_solve::search::{Structure, structure};
use fastlsq_solve::{
    BoxDomain, Expr, LinearProblem, Options, Status, axis, cos, exp, given, laplacian, sin, unknown,
};
use proptest::prelude::*;

/// −Δu = f on the unit cube with Dirichlet data, all for this u.
fn poisson(dim: usize, exact: &Expr) -> LinearProblem {
    let u = unknown("u");
    let source: Expr = (0..dim).map(|k| exact.d(axis(k)).d(axis(k))).sum();
    LinearProblem::on(BoxDomain::unit(dim))
        .equation(-laplacian(u), -source)
        .dirichlet(exact)
}

fn found(problem: &LinearProblem) -> Option<Structure> {
    structure(
        &problem.statement().linear().expect("a linear statement"),
        &Options::new(),
    )
}

/// The sets of coordinates that act together, by size and content.
fn sets(structure: &Structure) -> BTreeSet<Vec<usize>> {
    let parts = structure.parts.iter().filter(|part| part.is_along_axes());
    parts.map(|part| part.axes.clone()).collect()
}

/// A smooth function in which these coordinates act together.
fn together(axes: &[usize], kind: usize) -> Expr {
    let product = || {
        let factors = axes.iter().map(|&k| 0.4 + sin(0.7 * axis(k)));
        factors.reduce(|a, b| a * b).expect("at least one factor")
    };
    match kind % 3 {
        0 => product(),
        1 => {
            let squares: Expr = axes
                .iter()
                .map(|&k| (k as f64 + 1.0).sqrt() * axis(k) * axis(k))
                .sum();
            exp(-0.3 * squares)
        }
        _ => {
            let squares: Expr = axes.iter().map(|&k| axis(k) * axis(k)).sum();
            cos(0.5 + squares)
        }
    }
}

/// Rounding-level noise that depends on the point in no simple way.
fn noisy(exact: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Expr {
    given("g", move |x: &[f64]| {
        let bits = x.iter().fold(0u64, |h, v| {
            (h ^ v.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        exact(x) * (1.0 + ((bits >> 40) as f64 / (1u64 << 24) as f64 - 0.5) * 4e-16)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn planted_sets_are_found_exactly(
        dim in 5usize..13,
        picks in prop::collection::vec((prop::collection::btree_set(0usize..13, 2..4), 0usize..3), 0..4),
    ) {
        let mut planted: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut exact: Expr = (0..dim).map(|k| sin(1.3 * axis(k))).sum();
        for (set, kind) in picks {
            let set: Vec<usize> = set.into_iter().filter(|k| *k < dim).collect();
            // Sets that overlap would be joined or hidden: each coordinate in one of them at most.
            if set.len() < 2 || planted.iter().flatten().any(|k| set.contains(k)) {
                continue;
            }
            exact = exact + together(&set, kind);
            planted.insert(set);
        }
        let found = found(&poisson(dim, &exact)).unwrap();
        let larger: BTreeSet<Vec<usize>> = sets(&found).into_iter().filter(|s| s.len() > 1).collect();
        prop_assert_eq!(larger, planted);
        let single = sets(&found).into_iter().filter(|s| s.len() == 1).count();
        prop_assert_eq!(single, dim);
    }

    #[test]
    fn planted_directions_are_found_to_rounding(
        dim in 4usize..10,
        rank in 1usize..3,
        weights in prop::collection::vec(0.3f64..1.5, 20),
        signs in prop::collection::vec(any::<bool>(), 20),
    ) {
        let weight = |k: usize, r: usize| {
            let at = 10 * r + k;
            if signs[at] { weights[at] } else { -weights[at] }
        };
        let along = |r: usize| -> Expr { (0..dim).map(|k| weight(k, r) * axis(k)).sum() };
        let mut exact = sin(along(0) + 0.3);
        if rank == 2 {
            exact = exact * exp(0.4 * along(1));
        }
        let found = found(&poisson(dim, &exact)).unwrap();
        prop_assert_eq!(found.parts.len(), 1);
        let rows = &found.parts[0].directions;
        prop_assert_eq!(rows.len(), rank);
        // Each planted vector lies in the span of what was found.
        for r in 0..rank {
            let planted: Vec<f64> = (0..dim).map(|k| weight(k, r)).collect();
            let mut rest = planted.clone();
            let mut basis: Vec<Vec<f64>> = Vec::new();
            for row in rows {
                let mut own = row.clone();
                for other in &basis {
                    let overlap: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                    own.iter_mut().zip(other).for_each(|(a, b)| *a -= overlap * b);
                }
                let length = own.iter().map(|a| a * a).sum::<f64>().sqrt();
                own.iter_mut().for_each(|a| *a /= length);
                let overlap: f64 = rest.iter().zip(&own).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(&own).for_each(|(a, b)| *a -= overlap * b);
                basis.push(own);
            }
            let missed = rest.iter().map(|a| a * a).sum::<f64>().sqrt();
            prop_assert!(missed < 1e-11, "missed {:e}", missed);
        }
    }

    #[test]
    fn dense_functions_have_no_structure(dim in 4usize..9, kind in 1usize..3) {
        let all: Vec<usize> = (0..dim).collect();
        prop_assert!(found(&poisson(dim, &together(&all, kind))).is_none());
    }
}

#[test]
fn noise_of_the_size_of_rounding_hides_nothing() {
    let u = unknown("u");
    let value = |x: &[f64]| {
        x.iter().map(|x| (2.0 * x).sin()).sum::<f64>() + x[0] * x[1] * x[2] + (x[3] + x[4]).cos()
    };
    let source = |x: &[f64]| {
        4.0 * x.iter().map(|x| (2.0 * x).sin()).sum::<f64>() + 2.0 * (x[3] + x[4]).cos()
    };
    let problem = LinearProblem::on(BoxDomain::unit(9))
        .equation(-laplacian(u), noisy(source))
        .dirichlet(noisy(value));
    let found = found(&problem).unwrap();
    let larger: Vec<Vec<usize>> = sets(&found).into_iter().filter(|s| s.len() > 1).collect();
    assert_eq!(larger, [vec![0, 1, 2], vec![3, 4]]);
    assert_eq!(
        found.words,
        "additive in x₀ … x₈ with the pair (x₃, x₄), the triple (x₀, x₁, x₂)"
    );
}

#[test]
fn conditions_alone_tell_where_the_source_is_silent() {
    // e^{a·x} sin(b·x) with a ⊥ b of one length is harmonic: the faces tell both directions, each without one coordinate.
    let a: Expr = axis(0) + axis(1) + axis(2) + axis(3);
    let b: Expr = axis(0) - axis(1) + axis(2) - axis(3) + 0.0 * axis(4);
    let exact = exp(0.3 * a) * sin(0.3 * b);
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(5))
        .equation(laplacian(u), 0.0)
        .dirichlet(&exact);
    let found = found(&problem).unwrap();
    assert_eq!(
        found.words,
        "depends on 2 directions of x₀ … x₃; without x₄"
    );
}

#[test]
fn slopes_across_a_face_act_together_with_its_axis() {
    // On the faces across x₀, ∂u/∂x₀ = x₁: only the Neumann data say that x₀ and x₁ act together.
    let u = unknown("u");
    let exact: Expr = axis(0) * axis(1) + axis(2) + axis(3);
    let problem = LinearProblem::on(BoxDomain::unit(4))
        .equation(laplacian(u), 0.0)
        .neumann(fastlsq_solve::normal_derivative(&exact));
    let found = found(&problem).unwrap();
    assert_eq!(found.words, "additive in x₀ … x₃ with the pair (x₀, x₁)");
}

#[test]
fn solves_use_what_was_found_and_say_so() {
    let benchmark = high::ridge_10d();
    let solution = benchmark
        .problem
        .solve_with(&Options::new().tolerance(3e-12))
        .unwrap();
    let report = solution.report();
    assert_eq!(report.status, Status::ToleranceMet, "{report}");
    assert!(
        benchmark.errors(&solution, 500).unwrap().value < 1e-11,
        "{report}"
    );
    assert!(
        report
            .structure
            .starts_with("depends on one direction of x₀ … x₉"),
        "{report}"
    );
    assert!(report.features < 50, "{report}");

    let benchmark = high::pairs_10d();
    let solution = benchmark
        .problem
        .solve_with(&Options::new().tolerance(1e-10))
        .unwrap();
    let report = solution.report();
    assert!(
        benchmark.errors(&solution, 500).unwrap().value < 1e-10,
        "{report}"
    );
    assert!(
        report.structure.contains("pairs (x₀, x₁), (x₂, x₃)"),
        "{report}"
    );
}

/// The domain mixes what the data keep apart: u depends on everything although f and g do not.
#[test]
fn a_wrong_guess_is_given_up() {
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(4))
        .equation(-laplacian(u), exp(axis(0)))
        .dirichlet(0.0);
    let options = Options::new().tolerance(1e-2).max_features(400);
    let report_of = |options: &Options| problem.solve_with(options).unwrap().report().clone();
    let report = report_of(&options);
    assert!(!report.law.contains("direction"), "{report}");
    assert!(
        report
            .structure
            .starts_with("the data alone: additive in x₀; without x₁ … x₃"),
        "{report}"
    );
}

/// No structure, no symmetry, ten dimensions: the estimate says how far it is.
#[test]
fn a_function_without_structure_is_reported_honestly() {
    let u = unknown("u");
    let weights = |k: usize| 0.3 + 0.17 * k as f64;
    let squares: Expr = (0..10).map(|k| weights(k) * axis(k) * axis(k)).sum();
    let exact = 1.0 / (1.0 + squares);
    let source: Expr = (0..10).map(|k| exact.d(axis(k)).d(axis(k))).sum();
    let problem = LinearProblem::on(BoxDomain::unit(10))
        .equation(-laplacian(u), -source)
        .dirichlet(&exact);
    let solution = problem
        .solve_with(&Options::new().tolerance(1e-8).max_features(500))
        .unwrap();
    let benchmark = fastlsq_solve::problems::Benchmark::new("dense", "−Δu = f", problem, &[exact]);
    let error = benchmark.errors(&solution, 1000).unwrap().value;
    let report = solution.report();
    assert!(
        report.structure.is_empty() && report.status != Status::ToleranceMet,
        "{report}"
    );
    let ratio = report.error_estimate / error;
    assert!(
        (0.2..20.0).contains(&ratio),
        "estimate over error {ratio}: {report}"
    );
}

#[test]
fn coordinates_that_can_be_exchanged_share_their_features() {
    // A product in six dimensions: dense, but of the same factor along every axis.
    let benchmark = high::product_6d();
    let solution = benchmark
        .problem
        .solve_with(&Options::new().tolerance(1e-8))
        .unwrap();
    let report = solution.report();
    assert!(
        benchmark.errors(&solution, 500).unwrap().value < 1e-8,
        "{report}"
    );
    assert_eq!(report.symmetry, "x₀, x₁, x₂, x₃, x₄, x₅ can be exchanged");
    // One weight among the coordinates is enough to tell two of them apart.
    let u = unknown("u");
    let squares: Expr = (0..5)
        .map(|k| (if k == 2 { 1.1 } else { 1.0 }) * axis(k) * axis(k))
        .sum();
    let exact = cos(0.3 + squares);
    let source: Expr = (0..5).map(|k| exact.d(axis(k)).d(axis(k))).sum();
    let problem = LinearProblem::on(BoxDomain::unit(5))
        .equation(-laplacian(u), -source)
        .dirichlet(&exact);
    let report = problem
        .solve_with(&Options::new().tolerance(1e-3))
        .unwrap()
        .report()
        .clone();
    assert_eq!(report.symmetry, "x₀, x₁, x₃, x₄ can be exchanged");
}
