//! Patches in three dimensions.

use proptest::prelude::*;

use super::*;
use crate::patches::{LeafSize, PatchOptions};

fn minus_laplacian_3d() -> Operator {
    operator(&[(-1.0, [2, 0, 0]), (-1.0, [0, 2, 0]), (-1.0, [0, 0, 2])])
}

fn small() -> PatchOptions {
    PatchOptions::new()
        .max_rounds(1)
        .leaf(LeafSize::legendre(13, 9, 13))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// A random tree with hanging faces on all sides: quadratics pass exactly.
    #[test]
    fn hanging_faces_do_not_disturb_polynomials(
        splits in prop::collection::vec(0_usize..1000, 1..3),
    ) {
        let exact = |x: &[f64]| x[0] * x[0] - x[1] * x[2] + 2.0 * x[2] * x[2] + x[1] - 0.5;
        let shape = |mut tree: crate::patches::tree::Tree, grid: &crate::patches::grid::Grid| {
            for split in &splits {
                tree = tree.split(&[split % tree.leaves.len()], grid);
            }
            tree
        };
        let boxes = [([0.0, 0.0, 0.0], [2.0, 1.0, 1.0])];
        let problem = with_values(&boxes, &minus_laplacian_3d(), |_| -6.0, exact);
        let u = problem.solve_from(&small(), shape).unwrap();
        prop_assert!(error(&u, exact) < 1e-11, "{:e}", error(&u, exact));
    }
}

#[test]
fn the_error_falls_with_the_order_of_the_leaf() {
    let exact = |x: &[f64]| (12.0 * x[0] + 6.0 * x[1]).sin() * x[2].exp();
    let source = move |x: &[f64]| 179.0 * exact(x);
    let problem = with_values(
        &[([0.0; 3], [1.0; 3])],
        &minus_laplacian_3d(),
        source,
        exact,
    );
    let at = |n: usize| {
        let options = small().first_grid([n, n, n]);
        error(&problem.solve(&options).unwrap(), exact)
    };
    let (coarse, fine) = (at(1), at(2));
    // Traces of polynomials of eighth degree: order nine at least.
    assert!(coarse / fine > 400.0, "{coarse:e} {fine:e}");
}

#[test]
fn the_first_tree_knows_how_fine_the_sources_are() {
    // A peak that one leaf cannot hold: the tree begins finer, all leaves are split at once, and the estimate holds.
    let peak = |x: &[f64]| {
        let square: f64 = x
            .iter()
            .zip([0.4, 0.55, 0.45])
            .map(|(x, c)| (x - c).powi(2))
            .sum();
        (square, (-200.0 * square).exp())
    };
    let source = move |x: &[f64]| {
        let (square, value) = peak(x);
        (1200.0 - 160_000.0 * square) * value
    };
    let boxes = [([0.0; 3], [1.0; 3])];
    let problem = with_values(&boxes, &minus_laplacian_3d(), source, move |x| peak(x).1);
    let options = PatchOptions::new().tolerance(1e-3);
    let u = problem.solve(&options).unwrap();
    let rounds = &u.report().rounds;
    assert!(rounds[0].leaves > 1, "{rounds:?}");
    for pair in rounds.windows(2) {
        assert_eq!(pair[1].leaves, 8 * pair[0].leaves, "{rounds:?}");
    }
    let found = error(&u, move |x| peak(x).1);
    assert!(found < 1e-3, "{found:e}");
    // A smooth source needs one leaf.
    let exact = |x: &[f64]| x[0].sin() * x[1].cos() + x[2];
    let source = |x: &[f64]| 2.0 * x[0].sin() * x[1].cos();
    let problem = with_values(&boxes, &minus_laplacian_3d(), source, exact);
    let u = problem.solve(&options).unwrap();
    assert_eq!(u.report().rounds[0].leaves, 1);
    assert!(error(&u, exact) < 1e-3);
}

#[test]
fn leaves_whose_solutions_no_neighbour_sees_are_refused() {
    let problem = with_values(
        &[([0.0; 3], [1.0; 3])],
        &minus_laplacian_3d(),
        |_| 1.0,
        |_| 0.0,
    );
    let options = small().leaf(LeafSize::legendre(12, 8, 12));
    let refused = problem.solve(&options);
    assert!(matches!(
        refused,
        Err(crate::patches::PatchError::Option { .. })
    ));
}

#[test]
fn slopes_may_be_given_on_a_face_of_a_union_of_boxes() {
    // A cube without one of its octants; ∂u/∂n on the plane x = 0, values elsewhere.
    let exact = |x: &[f64]| x[0] * x[1] - x[2] * x[2] + 3.0 * x[0];
    let source = Data::new(|_: &[f64]| 2.0);
    let piece =
        |lo: [f64; 3], hi: [f64; 3]| Piece::new(&lo, &hi, minus_laplacian_3d(), source.clone());
    let pieces = vec![
        piece([0.0; 3], [2.0, 2.0, 1.0]),
        piece([0.0, 0.0, 1.0], [2.0, 1.0, 2.0]),
        piece([0.0, 1.0, 1.0], [1.0, 2.0, 2.0]),
    ];
    let slope = FaceCondition::operator(operator(&[(-1.0, [1, 0, 0])]), Data::new(|x| -x[1] - 3.0));
    let conditions = vec![
        slope.only(|x, _| x[0] == 0.0),
        FaceCondition::values([Data::new(exact)]),
    ];
    let problem = PatchProblem::new(pieces, conditions).unwrap();
    let u = problem.solve(&small()).unwrap();
    assert_eq!(u.report().leaves, 7);
    assert!(error(&u, exact) < 1e-11, "{:e}", error(&u, exact));
}
