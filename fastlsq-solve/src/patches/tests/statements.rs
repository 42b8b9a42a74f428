//! Conditions of every kind, varying coefficients, systems, periodicity, and statements that are wrong.

use fastlsq_ops::{EquationRow, Frame, Space, X, Y, div, grad, normal_derivative, unknown};

use super::*;
use crate::patches::{LeafSize, PatchError, PatchOptions, PatchStatus};

fn normal_derivative_plus(c: f64) -> Operator {
    let u = unknown("u");
    let row = Frame::new(Space::new(2), [u]).row(normal_derivative(u) + c * u);
    row.unwrap().block(0).unwrap().clone()
}

fn smooth(x: &[f64]) -> f64 {
    (3.0 * x[0]).sin() * x[1].exp()
}

fn slope_x(x: &[f64]) -> f64 {
    3.0 * (3.0 * x[0]).cos() * x[1].exp()
}

#[test]
fn robin_slanted_and_mixed_conditions_on_one_side() {
    let right = FaceCondition::operator(
        normal_derivative_plus(2.0),
        Data::new(|x| slope_x(x) + 2.0 * smooth(x)),
    )
    .only(|_, n| n[0] > 0.5);
    // Half of the upper side: a derivative at an angle.
    let top = FaceCondition::operator(
        operator(&[(1.0, [0, 1]), (0.5, [1, 0])]),
        Data::new(|x| smooth(x) + 0.5 * slope_x(x)),
    )
    .only(|x, n| n[1] > 0.5 && x[0] > 0.5);
    let rest = FaceCondition::values([Data::new(smooth)]);
    let source = Data::new(|x| 8.0 * smooth(x));
    let piece = Piece::new(&[0.0; 2], &[1.0; 2], minus_laplacian(), source);
    let problem = PatchProblem::new(vec![piece], vec![right, top, rest]).unwrap();
    for grid in [1, 2, 3] {
        let u = problem
            .solve(&PatchOptions::new().first_grid([grid, grid]))
            .unwrap();
        assert!(error(&u, smooth) < 1e-11, "{grid}: {:e}", error(&u, smooth));
    }
}

#[test]
fn only_normal_derivatives_leave_a_constant_free() {
    let neumann = FaceCondition::operator(normal_derivative_plus(0.0), Data::new(|_| 0.0));
    let piece = Piece::new(&[0.0; 2], &[1.0; 2], minus_laplacian(), Data::new(|_| 0.0));
    let problem = PatchProblem::new(vec![piece], vec![neumann]).unwrap();
    let answer = problem.solve(&PatchOptions::new().first_grid([2, 2]));
    assert!(matches!(answer, Err(PatchError::Singular)));
}

#[test]
fn varying_coefficients_advection_reaction_and_a_mixed_derivative() {
    // ∇·(ν∇u) + x u_xy + (1 + y) u_x − 3u with ν = 1 + x²
    let u = unknown("u");
    let diffusion = div((1.0 + X * X) * grad(u));
    let whole = diffusion + X * u.d(X).d(Y) + (1.0 + Y) * u.d(X) - 3.0 * u;
    let row = Frame::new(Space::new(2), [u]).row(whole).unwrap();
    let operator = row.block(0).unwrap().clone();
    let source = |x: &[f64]| {
        -8.0 * (1.0 + x[0] * x[0]) * smooth(x) + (x[0] + 1.0 + x[1] + 2.0 * x[0]) * slope_x(x)
            - 3.0 * smooth(x)
    };
    let problem = with_values(&[([0.0; 2], [1.0; 2])], &operator, source, smooth);
    for grid in [1, 2] {
        let u = problem
            .solve(&PatchOptions::new().first_grid([grid, grid]))
            .unwrap();
        assert!(error(&u, smooth) < 1e-10, "{:e}", error(&u, smooth));
    }
}

#[test]
fn plane_elasticity_on_an_l() {
    let (lambda, mu) = (1.5, 1.0);
    let row = |own: [u32; 2], other: [u32; 2], first: usize| {
        let own = operator(&[(lambda + 2.0 * mu, own), (mu, other)]);
        let mixed = operator(&[(lambda + mu, [1, 1])]);
        EquationRow::zero(2).with(first, own).with(1 - first, mixed)
    };
    let u = |x: &[f64]| (2.0 * x[0]).sin() * x[1].cos();
    let v = |x: &[f64]| (x[0] - x[1]).exp();
    let force_u = move |x: &[f64]| (-4.0 * (lambda + 2.0 * mu) - mu) * u(x) - (lambda + mu) * v(x);
    let force_v = move |x: &[f64]| {
        (lambda + 3.0 * mu) * v(x) - (lambda + mu) * 2.0 * (2.0 * x[0]).cos() * x[1].sin()
    };
    let piece = |lo: [f64; 2], hi: [f64; 2]| {
        let equations = vec![
            (row([2, 0], [0, 2], 0), Data::new(force_u)),
            (row([0, 2], [2, 0], 1), Data::new(force_v)),
        ];
        Piece::system(&lo, &hi, equations)
    };
    let pieces = vec![
        piece([0.0, 0.0], [1.0, 1.0]),
        piece([-1.0, 0.0], [0.0, 1.0]),
        piece([0.0, -1.0], [1.0, 0.0]),
    ];
    let values = FaceCondition::values([Data::new(u), Data::new(v)]);
    let problem = PatchProblem::new(pieces, vec![values]).unwrap();
    let found = problem.solve(&PatchOptions::new()).unwrap();
    assert_eq!(found.report().status, PatchStatus::ToleranceMet);
    assert!(error_of(&found, 0, u) < 1e-9 && error_of(&found, 1, v) < 1e-9);
}

#[test]
fn periodic_axes_have_no_boundary() {
    let exact = |x: &[f64]| (2.0 * x[0]).sin() * x[1].cos();
    let turn = 2.0 * std::f64::consts::PI;
    let operator = operator(&[(-1.0, [2, 0]), (-1.0, [0, 2]), (1.0, [0, 0])]);
    let source = Data::new(move |x| 6.0 * exact(x));
    let piece = Piece::new(&[0.0; 2], &[turn; 2], operator, source);
    let problem = PatchProblem::new(vec![piece], vec![])
        .unwrap()
        .periodic_along(0)
        .periodic_along(1);
    for grid in [1, 2, 3] {
        let options = PatchOptions::new().first_grid([grid, grid]);
        let u = problem.solve(&options).unwrap();
        assert!(error(&u, exact) < 1e-9, "{grid}: {:e}", error(&u, exact));
    }
}

#[test]
fn wrong_statements_are_named() {
    let piece = |lo: &[f64], hi: &[f64], operator: Operator| {
        Piece::new(lo, hi, operator, Data::new(|_| 1.0))
    };
    let values = || vec![FaceCondition::values([Data::new(|_| 0.0)])];
    let new = |pieces, conditions| PatchProblem::new(pieces, conditions);
    assert!(matches!(
        new(vec![], values()),
        Err(PatchError::Statement { .. })
    ));
    let reversed = piece(&[1.0, 0.0], &[0.0, 1.0], minus_laplacian());
    assert!(matches!(
        new(vec![reversed], values()),
        Err(PatchError::Box { .. })
    ));
    let first = piece(&[0.0; 2], &[1.0; 2], operator(&[(1.0, [1, 0])]));
    assert!(matches!(
        new(vec![first], values()),
        Err(PatchError::NotSecondOrder { .. })
    ));
    let sound = || vec![piece(&[0.0; 2], &[1.0; 2], minus_laplacian())];
    let second = FaceCondition::operator(minus_laplacian(), Data::new(|_| 0.0));
    assert!(matches!(
        new(sound(), vec![second]),
        Err(PatchError::NotFirstOrder { index: 0 })
    ));
    let options = PatchOptions::new();
    let half = values().remove(0).only(|x, _| x[0] < 0.5);
    let uncovered = new(sound(), vec![half]).unwrap().solve(&options);
    assert!(matches!(uncovered, Err(PatchError::NoCondition { .. })));
    let infinite = FaceCondition::values([Data::new(|x| 1.0 / (x[0] - x[0]))]);
    let infinite = new(sound(), vec![infinite]).unwrap().solve(&options);
    assert!(matches!(infinite, Err(PatchError::DataNotFinite { .. })));
    let problem = new(sound(), values()).unwrap();
    let wrong = problem.solve(&PatchOptions::new().tolerance(0.0));
    assert!(matches!(wrong, Err(PatchError::Option { .. })));
    let wrong = problem.solve(&PatchOptions::new().leaf(LeafSize::legendre(1, 3, 5)));
    assert!(matches!(wrong, Err(PatchError::Option { .. })));
    let u = problem.solve(&PatchOptions::new().max_rounds(1)).unwrap();
    assert!(matches!(
        u.value(&[2.0, 0.5]),
        Err(PatchError::Outside { .. })
    ));
    assert!(u.value(&[0.5]).is_err());
    assert!(u.value(&[f64::NAN, 0.5]).is_err());
    assert!(u.value(&[1.0, 1.0]).is_ok() && u.value(&[0.0, 0.0]).is_ok());
}
