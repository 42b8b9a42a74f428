//! Patches in three dimensions.

use proptest::prelude::*;

use super::*;
use crate::patches::first_cuts::first_cuts;
use crate::patches::reference::Reference;
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

/// A peak in the unit cube, and the problem that it solves.
fn peak(sharpness: f64) -> (PatchProblem, impl Fn(&[f64]) -> f64) {
    let square = |x: &[f64]| -> f64 {
        let each = x.iter().zip([0.4, 0.55, 0.45]);
        each.map(|(x, c)| (x - c).powi(2)).sum()
    };
    let exact = move |x: &[f64]| (-sharpness * square(x)).exp();
    let source = move |x: &[f64]| sharpness * (6.0 - 4.0 * sharpness * square(x)) * exact(x);
    let boxes = [([0.0; 3], [1.0; 3])];
    let problem = with_values(&boxes, &minus_laplacian_3d(), source, exact);
    (problem, exact)
}

#[test]
fn the_first_grid_follows_from_the_sources_and_keeps_to_the_limits() {
    let reference = Reference::new(3, &LeafSize::for_dim(3), 0).unwrap();
    let cuts = |sharpness: f64, options: &PatchOptions| {
        first_cuts(&peak(sharpness).0, options, &reference).unwrap()
    };
    let options = PatchOptions::new().tolerance(1e-4);
    let each = [1.0, 50.0, 200.0].map(|sharpness| cuts(sharpness, &options));
    assert_eq!(each[0], 1);
    assert!(each[0] <= each[1] && each[1] < each[2], "{each:?}");
    assert!(cuts(200.0, &PatchOptions::new().tolerance(1e-8)) >= each[2]);
    assert_eq!(cuts(200.0, &options.max_leaves(7)), 1);
}

#[test]
fn uniform_trees_stay_uniform_where_many_leaves_ask_for_more() {
    let (problem, exact) = peak(60.0);
    let options = PatchOptions::new().tolerance(1e-3).first_grid([2, 2, 2]);
    let u = problem.solve(&options).unwrap();
    let leaves: Vec<usize> = u.report().rounds.iter().map(|r| r.leaves).collect();
    assert_eq!(leaves[..2], [8, 64]);
    let found = error(&u, &exact);
    assert!(found < 1e-3, "{found:e}");
    assert!(u.report().error_estimate > found / 5.0);
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
