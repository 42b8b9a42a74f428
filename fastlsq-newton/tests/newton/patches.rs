//! Nonlinear problems with local structure: Newton's method goes on to patches by itself.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic is the message"
)]

use fastlsq_newton::patches::{PatchOptions, Patching};
use fastlsq_newton::problems::{bratu_2d, local};
use fastlsq_newton::{NewtonOptions, NewtonStatus, Options, Status};

#[test]
fn a_front_inside_the_domain_is_found_where_it_is() {
    let benchmark = local::interior_layer(0.05, 0.5);
    let options = NewtonOptions::new().tolerance(1e-7);
    let solution = benchmark.problem.solve_with(&options).unwrap();
    let report = solution.report();
    let patches = report.patches.as_ref().unwrap();
    let error = benchmark.errors(&solution, 2000).unwrap().value;
    assert_eq!(report.status, Status::ToleranceMet, "{report}");
    assert_eq!(solution.newton().status, NewtonStatus::Converged);
    assert!(
        error < 1e-7 && report.error_estimate > error / 5.0,
        "{error:e}"
    );
    // The deepest patches lie along the front.
    let near = |x: &[f64]| (0.5_f64.cos() * (x[0] - 0.45) + 0.5_f64.sin() * (x[1] - 0.55)).abs();
    let deepest = patches
        .boxes
        .iter()
        .filter(|leaf| leaf.depth == patches.depth);
    for leaf in deepest {
        assert!(near(&leaf.lo) < 0.5, "{leaf:?}");
    }
}

#[test]
fn a_corner_is_refined_and_trees_of_other_leaves_agree() {
    let problem = local::bratu_corner().unwrap();
    let options = NewtonOptions::new().tolerance(1e-6);
    let solution = problem.solve_with(&options).unwrap();
    assert!(solution.report().choice.contains("re-entrant"));
    let grid = Options::new()
        .tolerance(1e-7)
        .patches(PatchOptions::new().first_grid([2, 2]));
    let finer = problem
        .solve_with(&NewtonOptions::new().solve_options(grid))
        .unwrap();
    for point in [[0.5, 0.5], [-0.4, 0.3], [0.02, 0.01], [0.7, -0.6]] {
        let (a, b) = (
            solution.value(&point).unwrap(),
            finer.value(&point).unwrap(),
        );
        assert!((a - b).abs() < 1e-5 * b, "{point:?} {a} {b}");
    }
}

#[test]
fn smooth_problems_stay_one_sum_of_waves_and_patches_can_be_forbidden() {
    let smooth = bratu_2d().problem;
    let solution = smooth
        .solve_with(&NewtonOptions::new().tolerance(1e-10))
        .unwrap();
    assert!(solution.report().patches.is_none());
    let never = Options::new()
        .tolerance(1e-6)
        .max_features(300)
        .patches(Patching::Never);
    let options = NewtonOptions::new().solve_options(never);
    let front = local::interior_layer(0.1, 0.5).problem;
    assert!(
        front
            .solve_with(&options)
            .unwrap()
            .report()
            .patches
            .is_none()
    );
}
