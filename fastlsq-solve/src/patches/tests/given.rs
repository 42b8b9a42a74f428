//! Functionals, jumps across interfaces, and other data for the same factors.

use std::f64::consts::PI;

use fastlsq_ops::EquationRow;

use super::*;
use crate::patches::{Functional, Interface, PatchError, PatchOptions, PatchStatus};

fn value() -> Operator {
    operator(&[(1.0, [0, 0])])
}

/// −Δu = f on an L with the normal derivatives of `exact`.
fn free_constant(exact: [fn(&[f64]) -> f64; 3], source: fn(&[f64]) -> f64) -> PatchProblem {
    let [_, x, y] = exact;
    let boxes = [([0.0, 0.0], [2.0, 1.0]), ([0.0, 1.0], [1.0, 2.0])];
    let piece =
        |(lo, hi): &([f64; 2], [f64; 2])| Piece::new(lo, hi, minus_laplacian(), Data::new(source));
    let sides = [
        FaceCondition::operator(operator(&[(1.0, [1, 0])]), Data::new(x))
            .only(|_, n| n[0].abs() > 0.5),
        FaceCondition::operator(operator(&[(1.0, [0, 1])]), Data::new(y)),
    ];
    PatchProblem::new(boxes.iter().map(piece).collect(), sides.to_vec()).unwrap()
}

type Given = fn(&[f64]) -> f64;

/// A function with its slopes, and its source.
fn smooth() -> ([Given; 3], Given) {
    (
        [
            |x| (1.3 * x[0]).cos() * (0.7 * x[1]).exp(),
            |x| -1.3 * (1.3 * x[0]).sin() * (0.7 * x[1]).exp(),
            |x| 0.7 * (1.3 * x[0]).cos() * (0.7 * x[1]).exp(),
        ],
        |x| (1.3 * 1.3 - 0.7 * 0.7) * (1.3 * x[0]).cos() * (0.7 * x[1]).exp(),
    )
}

#[test]
fn a_mean_or_a_value_fixes_what_normal_derivatives_leave_free() {
    let (exact, source) = smooth();
    let free = free_constant(exact, source);
    assert!(matches!(
        free.solve(&PatchOptions::new()),
        Err(PatchError::Singular)
    ));
    // ∫ over the L of a product is a sum over its two boxes.
    let along = |a: f64, b: f64| ((1.3 * b).sin() - (1.3 * a).sin()) / 1.3;
    let up = |a: f64, b: f64| ((0.7 * b).exp() - (0.7 * a).exp()) / 0.7;
    let mean = (along(0.0, 2.0) * up(0.0, 1.0) + along(0.0, 1.0) * up(1.0, 2.0)) / 3.0;
    let point = [0.4, 1.7];
    let fixes = [
        Functional::mean(value(), mean),
        Functional::at(&point, value(), exact[0](&point)),
        Functional::at(&[0.0, 0.0], value(), 1.0),
    ];
    for (k, fix) in fixes.into_iter().enumerate() {
        for grid in [[1, 1], [2, 3]] {
            let problem = free.clone().with_functional(fix.clone()).unwrap();
            let options = PatchOptions::new().first_grid(grid);
            let u = problem.solve(&options).unwrap();
            assert_eq!(u.report().status, PatchStatus::ToleranceMet, "{k}");
            assert!(
                error(&u, exact[0]) < 1e-11,
                "{k}: {:e}",
                error(&u, exact[0])
            );
        }
    }
}

#[test]
fn data_that_functionals_cannot_make_good_are_named() {
    let (exact, source) = smooth();
    let mean = || Functional::mean(value(), 0.0);
    // Without the source that the slopes need.
    let wanting = free_constant(exact, |_| 0.0)
        .with_functional(mean())
        .unwrap();
    let refused = wanting.solve(&PatchOptions::new().max_rounds(3));
    assert!(matches!(refused, Err(PatchError::Contradiction { .. })));
    // Where values are given nothing is left to fix: what agrees does no harm, what does not is named.
    let boxes = [([0.0, 0.0], [1.0, 1.0])];
    let known = with_values(&boxes, &minus_laplacian(), source, exact[0]);
    let point = [0.3, 0.6];
    let fix = |v: f64| Functional::at(&point, value(), v);
    let agrees = known
        .clone()
        .with_functional(fix(exact[0](&point)))
        .unwrap();
    let u = agrees.solve(&PatchOptions::new()).unwrap();
    assert!(error(&u, exact[0]) < 1e-10);
    let refused = known.with_functional(fix(9.0)).unwrap();
    let refused = refused.solve(&PatchOptions::new());
    assert!(matches!(refused, Err(PatchError::Contradiction { .. })));
    // Points outside, other unknowns, derivatives above the second.
    let free = free_constant(exact, source);
    let outside = free
        .clone()
        .with_functional(Functional::at(&[1.5, 1.5], value(), 0.0));
    let outside = outside.unwrap().solve(&PatchOptions::new());
    assert!(matches!(outside, Err(PatchError::Outside { .. })));
    let third = operator(&[(1.0, [3, 0])]);
    assert!(
        free.clone()
            .with_functional(Functional::mean(third, 0.0))
            .is_err()
    );
    let other = value().on(0, 2);
    assert!(free.with_functional(Functional::mean(other, 0.0)).is_err());
}

/// Two operators on two unknowns.
fn both(a: (usize, Operator), b: (usize, Operator)) -> EquationRow {
    EquationRow::zero(2).with(a.0, a.1).with(b.0, b.1)
}

#[test]
fn rigid_motions_of_an_elastic_body_are_fixed_by_three_numbers() {
    // μ = 1, λ = 1.5: (λ + 2μ) u_xx + μ u_yy + (λ + μ) v_xy = f, and the same with x and y exchanged.
    let (lambda, mu) = (1.5, 1.0);
    let row = |own: [u32; 2], cross: [u32; 2], unknown: usize| -> EquationRow {
        let stretch = operator(&[(lambda + 2.0 * mu, own), (mu, cross)]);
        let shear = operator(&[(lambda + mu, [1, 1])]);
        both((unknown, stretch), (1 - unknown, shear))
    };
    // u = sin x cos y, v = x y²: traction and body force by hand.
    let u = |x: &[f64]| x[0].sin() * x[1].cos();
    let v = |x: &[f64]| x[0] * x[1] * x[1];
    let f = move |x: &[f64]| {
        -(lambda + 3.0 * mu) * x[0].sin() * x[1].cos() + (lambda + mu) * 2.0 * x[1]
    };
    let g =
        move |x: &[f64]| (lambda + 2.0 * mu) * 2.0 * x[0] - (lambda + mu) * x[0].cos() * x[1].sin();
    let ux = |x: &[f64]| x[0].cos() * x[1].cos();
    let uy = |x: &[f64]| -x[0].sin() * x[1].sin();
    let vx = |x: &[f64]| x[1] * x[1];
    let vy = |x: &[f64]| 2.0 * x[0] * x[1];
    let piece = Piece::system(
        &[0.0, 0.0],
        &[1.0, 1.0],
        vec![
            (row([2, 0], [0, 2], 0), Data::new(f)),
            (row([0, 2], [2, 0], 1), Data::new(g)),
        ],
    );
    // σ_xx, σ_xy on sides across x; σ_xy, σ_yy on the others.
    let normal = |axis: usize| {
        let own = if axis == 0 { [1, 0] } else { [0, 1] };
        let other = if axis == 0 { [0, 1] } else { [1, 0] };
        let along = operator(&[(lambda + 2.0 * mu, own)]);
        both((axis, along), (1 - axis, operator(&[(lambda, other)])))
    };
    let shear = || {
        both(
            (0, operator(&[(mu, [0, 1])])),
            (1, operator(&[(mu, [1, 0])])),
        )
    };
    let sxx = move |x: &[f64]| (lambda + 2.0 * mu) * ux(x) + lambda * vy(x);
    let syy = move |x: &[f64]| (lambda + 2.0 * mu) * vy(x) + lambda * ux(x);
    let sxy = move |x: &[f64]| mu * (uy(x) + vx(x));
    let sides = vec![
        FaceCondition::system(vec![(normal(0), Data::new(sxx)), (shear(), Data::new(sxy))])
            .only(|_, n| n[0].abs() > 0.5),
        FaceCondition::system(vec![(shear(), Data::new(sxy)), (normal(1), Data::new(syy))]),
    ];
    let point = [0.25, 0.5];
    let rotation = both(
        (1, operator(&[(1.0, [1, 0])])),
        (0, operator(&[(-1.0, [0, 1])])),
    );
    let fixed = PatchProblem::new(vec![piece], sides).unwrap();
    let fixed = [
        Functional::at(&point, value().on(0, 2), u(&point)),
        Functional::at(&point, value().on(1, 2), v(&point)),
        Functional::at(&point, rotation, vx(&point) - uy(&point)),
    ]
    .into_iter()
    .try_fold(fixed, PatchProblem::with_functional)
    .unwrap();
    let found = fixed
        .solve(&PatchOptions::new().first_grid([2, 2]))
        .unwrap();
    assert!(
        error_of(&found, 0, u) < 1e-10,
        "{:e}",
        error_of(&found, 0, u)
    );
    assert!(
        error_of(&found, 1, v) < 1e-10,
        "{:e}",
        error_of(&found, 1, v)
    );
}

/// Two boxes with ν = 1 and 3, u₁ = sin(x) cos(y) and u₂ = x² + y + 2: both u and ν ∂u/∂x jump at x = 1.
fn jumping() -> (PatchProblem, impl Fn(&[f64]) -> f64 + Clone) {
    let left = |x: &[f64]| x[0].sin() * x[1].cos();
    let right = |x: &[f64]| x[0] * x[0] + x[1] + 2.0;
    let exact = move |x: &[f64]| if x[0] < 1.0 { left(x) } else { right(x) };
    let nu = |c: f64| operator(&[(c, [2, 0]), (c, [0, 2])]);
    let pieces = vec![
        Piece::new(
            &[0.0, 0.0],
            &[1.0, 1.0],
            nu(1.0),
            Data::new(move |x| -2.0 * left(x)),
        ),
        Piece::new(&[1.0, 0.0], &[2.0, 1.0], nu(3.0), Data::new(|_| 6.0)),
    ];
    let problem = PatchProblem::new(pieces, vec![FaceCondition::values([Data::new(exact)])]);
    (problem.unwrap(), exact)
}

#[test]
fn u_and_the_flux_jump_by_what_is_given_in_either_direction() {
    let (problem, exact) = jumping();
    let jump = |x: &[f64]| 3.0 + x[1] - 1.0_f64.sin() * x[1].cos();
    let flux = |x: &[f64]| 3.0 * 2.0 - 1.0_f64.cos() * x[1].cos();
    let forward = Interface::between(0, 1)
        .jump([Data::new(jump)])
        .flux_jump([Data::new(flux)]);
    // From the other side both change their sign: u₁ − u₂, and n points the other way in both fluxes.
    let backward = Interface::between(1, 0)
        .jump([Data::new(move |x| -jump(x))])
        .flux_jump([Data::new(flux)]);
    for interface in [forward, backward] {
        let problem = problem.clone().with_interface(interface).unwrap();
        let u = problem.solve(&PatchOptions::new()).unwrap();
        assert!(error(&u, &exact) < 1e-11, "{:e}", error(&u, &exact));
        // With hanging sides along the interface, from either side.
        for split in 0..2 {
            let shape = |tree: crate::patches::tree::Tree, grid: &crate::patches::grid::Grid| {
                tree.split(&[split], grid)
            };
            let u = problem.solve_from(&PatchOptions::new().max_rounds(1), shape);
            let u = u.unwrap();
            assert!(u.report().leaves == 5 && error(&u, &exact) < 1e-11);
        }
    }
    // Without the jumps it is another problem.
    let u = problem.solve(&PatchOptions::new().tolerance(1e-4)).unwrap();
    assert!(error(&u, &exact) > 1e-2);
    assert!(
        problem
            .clone()
            .with_interface(Interface::between(0, 2))
            .is_err()
    );
    assert!(problem.with_interface(Interface::between(1, 1)).is_err());
}

#[test]
fn other_data_need_no_other_factors() {
    let (problem, exact) = jumping();
    let own = problem.with_interface(Interface::between(0, 1)).unwrap();
    let factors = own.factor(&PatchOptions::new().tolerance(1e-8)).unwrap();
    // The data that the factors were made with.
    let again = factors.solve(&factors.new_data()).unwrap();
    assert!(again.report().error_estimate < 1e-6);
    let point = [0.3, 0.8];
    let both = [&again, factors.solution()].map(|u| u.value(&point).unwrap());
    assert!((both[0] - both[1]).abs() < 1e-11);
    // A jump that was not there before.
    let jump = |x: &[f64]| 3.0 + x[1] - 1.0_f64.sin() * x[1].cos();
    let flux = |x: &[f64]| 3.0 * 2.0 - 1.0_f64.cos() * x[1].cos();
    let interface = Interface::between(0, 1)
        .jump([Data::new(jump)])
        .flux_jump([Data::new(flux)]);
    let data = factors.new_data().interface(0, interface).unwrap();
    let u = factors.solve(&data).unwrap();
    assert!(error(&u, &exact) < 1e-10, "{:e}", error(&u, &exact));
    assert!(u.report().error_estimate > 0.2 * error(&u, &exact));
    // A wave of another kind: source and boundary values of sin(πx) sin(πy)/ν, whose flux is continuous.
    let wave = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
    let smooth = move |x: &[f64]| wave(x) / if x[0] < 1.0 { 1.0 } else { 3.0 };
    let mut data = factors
        .new_data()
        .condition(0, 0, Data::new(|_| 0.0))
        .unwrap();
    for piece in 0..2 {
        let source = Data::new(move |x| -2.0 * PI * PI * wave(x));
        data = data.source(piece, 0, source).unwrap();
    }
    let u = factors.solve(&data).unwrap();
    assert!(error(&u, smooth) < 1e-9, "{:e}", error(&u, smooth));
    assert!(factors.new_data().source(2, 0, Data::new(|_| 0.0)).is_err());
    assert!(
        factors
            .new_data()
            .condition(0, 1, Data::new(|_| 0.0))
            .is_err()
    );
    assert!(factors.new_data().functional(0, 1.0).is_err());
}

#[test]
fn functionals_take_other_numbers_too() {
    let (exact, source) = smooth();
    let free = free_constant(exact, source);
    let fixed = free
        .with_functional(Functional::at(&[0.0, 0.0], value(), 1.0))
        .unwrap();
    let factors = fixed.factor(&PatchOptions::new()).unwrap();
    let raised = factors.new_data().functional(0, 3.0).unwrap();
    let u = factors.solve(&raised).unwrap();
    assert!(error(&u, |x| 2.0 + exact[0](x)) < 1e-10);
}
