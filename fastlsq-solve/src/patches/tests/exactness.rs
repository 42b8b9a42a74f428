//! What lies in the span of every leaf is found, on any tree; what does not converges at the order of the traces.

use proptest::prelude::*;

use super::*;
use crate::patches::{LeafSize, PatchOptions, PatchStatus};

fn one_round() -> PatchOptions {
    PatchOptions::new().max_rounds(1)
}

#[test]
fn polynomials_are_exact_in_every_dimension() {
    let line = with_values(
        &[([0.0], [2.0])],
        &operator(&[(1.0, [2]), (3.0, [1])]),
        |x| 20.0 * x[0].powi(3) + 15.0 * x[0].powi(4),
        |x| x[0].powi(5),
    );
    let u = line.solve(&one_round().first_grid([3])).unwrap();
    assert!(error(&u, |x| x[0].powi(5)) < 1e-13);
    let exact = |x: &[f64]| x[0].powi(3) * x[1] - x[1].powi(4) + 2.0;
    let plane = with_values(
        &[([0.0, 0.0], [1.0, 1.0])],
        &minus_laplacian(),
        |x| -6.0 * x[0] * x[1] + 12.0 * x[1] * x[1],
        exact,
    );
    let u = plane.solve(&one_round().first_grid([2, 3])).unwrap();
    assert!(error(&u, exact) < 1e-13);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A random tree with hanging sides everywhere: linear functions and quadratics pass exactly.
    #[test]
    fn hanging_sides_do_not_disturb_polynomials(
        splits in prop::collection::vec(0_usize..1000, 1..9),
    ) {
        let exact = |x: &[f64]| x[0] * x[0] - 2.0 * x[1] * x[1] + x[0] * x[1] + 0.5 * x[1] - 3.0;
        let shape = |mut tree: crate::patches::tree::Tree, grid: &crate::patches::grid::Grid| {
            for split in &splits {
                tree = tree.split(&[split % tree.leaves.len()], grid);
            }
            tree
        };
        let problem = with_values(&[([-1.0, 0.0], [1.0, 1.0])], &minus_laplacian(), |_| 2.0, exact);
        let leaf = LeafSize::legendre(8, 6, 10);
        let u = problem.solve_from(&one_round().leaf(leaf), shape).unwrap();
        prop_assert!(u.report().rank > leaf.side_nodes);
        prop_assert!(error(&u, exact) < 1e-11, "{:e}", error(&u, exact));
    }
}

#[test]
fn the_error_falls_with_the_order_of_the_leaf() {
    let exact = |x: &[f64]| (3.0 * x[0]).sin() * (2.0 * x[1]).exp();
    let problem = with_values(
        &[([0.0, 0.0], [1.0, 1.0])],
        &minus_laplacian(),
        |x| 5.0 * (3.0 * x[0]).sin() * (2.0 * x[1]).exp(),
        exact,
    );
    let leaf = LeafSize::legendre(7, 5, 9);
    let errors: Vec<f64> = [2, 4, 8]
        .iter()
        .map(|&n| {
            let options = one_round().leaf(leaf).first_grid([n, n]);
            error(&problem.solve(&options).unwrap(), exact)
        })
        .collect();
    // Traces of five nodes: order five at least.
    for pair in errors.windows(2) {
        assert!(pair[0] / pair[1] > 28.0, "{errors:?}");
    }
}

#[test]
fn one_leaf_is_a_global_sum_and_waves_do_as_well_as_polynomials() {
    let exact = |x: &[f64]| (x[0] + 0.5 * x[1]).sin();
    let problem = with_values(
        &[([0.0, 0.0], [1.0, 1.0])],
        &minus_laplacian(),
        |x| 1.25 * (x[0] + 0.5 * x[1]).sin(),
        exact,
    );
    for leaf in [LeafSize::for_dim(2), LeafSize::waves_for_dim(2)] {
        let u = problem.solve(&PatchOptions::new().leaf(leaf)).unwrap();
        assert_eq!(u.report().status, PatchStatus::ToleranceMet);
        assert_eq!(u.report().leaves, 1);
        assert!(error(&u, exact) < 1e-11);
        let point = [0.3, 0.7];
        let gradient = u.gradient(&point).unwrap();
        let slope = (point[0] + 0.5 * point[1]).cos();
        assert!((gradient[0] - slope).abs() < 1e-9 && (gradient[1] - 0.5 * slope).abs() < 1e-9);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let peak = |x: &[f64]| (-300.0 * ((x[0] - 0.4).powi(2) + (x[1] - 0.3).powi(2))).exp();
    let source = move |x: &[f64]| {
        let r = (x[0] - 0.4).powi(2) + (x[1] - 0.3).powi(2);
        -(-300.0 * r).exp() * (360_000.0 * r - 1200.0)
    };
    let problem = with_values(
        &[([0.0, 0.0], [1.0, 1.0])],
        &minus_laplacian(),
        source,
        peak,
    );
    let options = PatchOptions::new().tolerance(1e-7);
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let u = pool.build().unwrap().install(|| problem.solve(&options));
        u.unwrap().coefficients().to_vec()
    };
    let one = solve(1);
    assert_eq!(one, solve(2));
    assert_eq!(one, solve(3));
}
