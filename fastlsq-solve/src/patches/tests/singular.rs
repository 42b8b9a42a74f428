//! Corners, peaks, layers and interfaces, to tolerance and with an honest estimate.

use std::f64::consts::PI;

use super::*;
use crate::patches::{PatchOptions, PatchStatus};

/// The estimate holds within the factors that are promised.
fn check(u: &PatchSolution, exact: impl Fn(&[f64]) -> f64, bound: f64) {
    let (error, estimate) = (error(u, exact), u.report().error_estimate);
    assert!(error < bound, "error {error:e}");
    let honest = estimate > error / 5.0 && (estimate < 20.0 * error || estimate < 1e-13);
    assert!(honest, "estimate {estimate:e} for {error:e}");
}

fn corner(x: &[f64]) -> f64 {
    let mut angle = x[1].atan2(x[0]);
    if angle < -PI / 2.0 - 1e-9 {
        angle += 2.0 * PI;
    }
    x[0].hypot(x[1]).powf(2.0 / 3.0) * (2.0 / 3.0 * (angle + PI / 2.0)).sin()
}

const L_SHAPE: [([f64; 2], [f64; 2]); 2] = [([-1.0, 0.0], [1.0, 1.0]), ([0.0, -1.0], [1.0, 0.0])];

#[test]
fn the_singular_function_of_an_l_is_found() {
    let problem = with_values(&L_SHAPE, &minus_laplacian(), |_| 0.0, corner);
    let u = problem
        .solve(&PatchOptions::new().tolerance(1e-10))
        .unwrap();
    assert_eq!(u.report().status, PatchStatus::ToleranceMet);
    check(&u, corner, 1e-10);
    assert!(u.report().leaves < 250);
}

#[test]
fn turning_the_domain_turns_the_solution() {
    let options = PatchOptions::new().tolerance(1e-8);
    let u = with_values(&L_SHAPE, &minus_laplacian(), |_| 1.0, |_| 0.0)
        .solve(&options)
        .unwrap();
    // A quarter turn: (x, y) → (−y, x).
    let turned = [([-1.0, -1.0], [0.0, 1.0]), ([0.0, 0.0], [1.0, 1.0])];
    let v = with_values(&turned, &minus_laplacian(), |_| 1.0, |_| 0.0)
        .solve(&options)
        .unwrap();
    for point in [[0.5, 0.5], [-0.7, 0.2], [0.01, 0.02], [0.3, -0.9]] {
        let (a, b) = (
            u.value(&point).unwrap(),
            v.value(&[-point[1], point[0]]).unwrap(),
        );
        assert!((a - b).abs() < 3e-8 * a.abs().max(0.01), "{a} {b}");
    }
}

#[test]
fn corners_of_a_square_with_a_constant_source() {
    let series = |x: &[f64]| {
        let mut sum = x[0] * (1.0 - x[0]) / 2.0;
        for k in 0..3000 {
            let m = f64::from(2 * k + 1) * PI;
            let decay = ((m * (x[1] - 1.0)).exp() + (-m * x[1]).exp()) / (1.0 + (-m).exp());
            if decay < 1e-17 {
                break;
            }
            sum -= 4.0 / m.powi(3) * decay * (m * x[0]).sin();
        }
        sum
    };
    let problem = with_values(
        &[([0.0; 2], [1.0; 2])],
        &minus_laplacian(),
        |_| 1.0,
        |_| 0.0,
    );
    let u = problem
        .solve(&PatchOptions::new().tolerance(1e-10))
        .unwrap();
    check(&u, series, 1e-10);
}

#[test]
fn a_peak_is_found_where_it_is() {
    let square = |x: &[f64]| (x[0] - 0.37).powi(2) + (x[1] - 0.61).powi(2);
    let exact = move |x: &[f64]| (-1000.0 * square(x)).exp();
    let source = move |x: &[f64]| -exact(x) * (4e6 * square(x) - 4000.0);
    let problem = with_values(&[([0.0; 2], [1.0; 2])], &minus_laplacian(), source, exact);
    let u = problem.solve(&PatchOptions::new().tolerance(1e-9)).unwrap();
    check(&u, exact, 1e-9);
    let deepest = u.report().depth;
    let near = |leaf: &&crate::patches::LeafBox| leaf.depth == deepest;
    for leaf in u.report().boxes.iter().filter(near) {
        assert!((leaf.lo[0] - 0.37).abs() < 0.3 && (leaf.lo[1] - 0.61).abs() < 0.3);
    }
}

#[test]
fn layers_of_any_width_on_an_interval() {
    for (width, bound) in [(2e-3, 1e-10), (1e-4, 1e-9), (1e-6, 1e-8)] {
        let exact = move |x: &[f64]| x[0] - ((x[0] - 1.0) / width).exp();
        let problem = with_values(
            &[([0.0], [1.0])],
            &operator(&[(-width, [2]), (1.0, [1])]),
            |_| 1.0,
            exact,
        );
        let u = problem
            .solve(&PatchOptions::new().tolerance(0.1 * bound))
            .unwrap();
        assert!(error(&u, exact) < bound, "{width}: {:e}", error(&u, exact));
        assert!(u.report().error_estimate < bound);
    }
}

#[test]
fn layers_are_met_where_the_equation_has_them() {
    let solved =
        |terms: &[(f64, [u32; 1])], source: f64, exact: &(dyn Fn(&[f64]) -> f64 + Sync)| {
            let ends = [exact(&[0.0]), exact(&[1.0])];
            let values = move |x: &[f64]| if x[0] < 0.5 { ends[0] } else { ends[1] };
            let problem = with_values(&[([0.0], [1.0])], &operator(terms), move |_| source, values);
            let u = problem.solve(&PatchOptions::new().tolerance(1e-9)).unwrap();
            assert!(error(&u, exact) < 1e-9, "{:e}", error(&u, exact));
            u.report().clone()
        };
    // −εu″ − u′ = −1: at the lower end. −εu″ + u = 1: at both, of width √ε. Advection and decay: one layer of each kind.
    let eps = 1e-6;
    let flow = solved(&[(-eps, [2]), (-1.0, [1])], -1.0, &|x| {
        x[0] + (-x[0] / eps).exp()
    });
    let root = f64::sqrt(eps);
    let decay = solved(&[(-eps, [2]), (1.0, [0])], 1.0, &|x| {
        1.0 - (-x[0] / root).exp() - ((x[0] - 1.0) / root).exp()
    });
    let (sum, product) = (1.0 / eps, -200.0 / eps);
    let larger = 0.5 * (sum + (sum * sum - 4.0 * product).sqrt());
    let smaller = product / larger;
    let both = solved(&[(-eps, [2]), (1.0, [1]), (200.0, [0])], 0.0, &|x| {
        (smaller * x[0]).exp() + (larger * (x[0] - 1.0)).exp()
    });
    for (report, most) in [(flow, 24), (decay, 30), (both, 36)] {
        assert!(
            report.leaves <= most && report.rounds.len() <= 4,
            "{report}"
        );
    }
}

#[test]
fn coefficients_may_jump_on_faces() {
    let nu = |x: &[f64]| {
        if (x[0] > 0.0) == (x[1] > 0.0) {
            1.0
        } else {
            1000.0
        }
    };
    // ν ∂u/∂n is continuous, u has kinks along both axes.
    let wave = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
    let exact = move |x: &[f64]| wave(x) / nu(x);
    let mut pieces = Vec::new();
    for lo in [[-1.0, -1.0], [0.0, -1.0], [-1.0, 0.0], [0.0, 0.0]] {
        let hi = [lo[0] + 1.0, lo[1] + 1.0];
        let nu = nu(&[lo[0] + 0.5, lo[1] + 0.5]);
        let source = Data::new(move |x| -2.0 * PI * PI * wave(x));
        pieces.push(Piece::new(
            &lo,
            &hi,
            operator(&[(nu, [2, 0]), (nu, [0, 2])]),
            source,
        ));
    }
    let conditions = vec![FaceCondition::values([Data::new(exact)])];
    let u = PatchProblem::new(pieces, conditions).unwrap();
    let u = u.solve(&PatchOptions::new()).unwrap();
    assert!(error(&u, exact) < 1e-10);
}
