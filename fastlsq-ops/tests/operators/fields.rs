//! Coefficients that vary: expressions, given functions, normals and tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use faer::Mat;
use fastlsq_ops::{
    Action, Expr, Field, MultiIndex, Operator, Real, Sites, Term, X, Y, call, directional, div,
    dot, exp, given, given_on_block, grad, laplacian, normal_derivative, sin,
};
use ndarray::Array2;
use proptest::prelude::*;

use crate::support::{assert_close, derived, operator, plain, rows, scene, u};

fn nu() -> Expr {
    given("ν", |x| 1.0 + 0.5 * x[0].sin() * x[1]).with_gradient([
        (X, given("ν₀", |x| 0.5 * x[0].cos() * x[1])),
        (Y, given("ν₁", |x| 0.5 * x[0].sin())),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// ∇·(ν∇u): with ν as an expression, as code with its gradient, expanded, and by hand.
    #[test]
    fn diffusion_is_the_divergence_of_the_flux(scene in scene(2..=2)) {
        let formula = 1.0 + 0.5 * sin(X) * Y;
        let written = scene.rows(div(&formula * grad(u())));
        scene.assert_same(div(&formula * grad(u())), div(nu() * grad(u())));
        scene.assert_same(
            div(nu() * grad(u())),
            (nu() * u().d(X)).d(X) + (nu() * u().d(Y)).d(Y),
        );
        let expanded = nu() * laplacian(u()) + dot(grad(&formula), grad(u()));
        scene.assert_same(div(nu() * grad(u())), expanded);
        for (i, x) in scene.points.rows().into_iter().enumerate() {
            let (nu, g) = (
                1.0 + 0.5 * x[0].sin() * x[1],
                [0.5 * x[0].cos() * x[1], 0.5 * x[0].sin()],
            );
            for (j, w) in scene.frequencies.rows().into_iter().enumerate() {
                let (sin, cos) = (w.dot(&x) + scene.phases[j]).sin_cos();
                let by_hand = -nu * w.dot(&w) * sin + (g[0] * w[0] + g[1] * w[1]) * cos;
                prop_assert!((written[(i, j)] - by_hand).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_normal_derivative_is_the_normal_times_the_gradient(scene in scene(1..=5)) {
        let normals = scene.points.mapv(|x| (3.0 * x).cos());
        let sites = Sites::new(scene.points.view()).with_normals(normals.view());
        let basis = scene.basis();
        let along = scene.operator(normal_derivative(u()));
        let written = rows(&along, &basis, sites);
        let mut expected = Mat::<f64>::zeros(5, 4);
        for axis in 0..scene.dim {
            let partial = scene.rows(derived(u(), &[axis]));
            for i in 0..5 {
                for j in 0..4 {
                    expected[(i, j)] += normals[(i, axis)] * partial[(i, j)];
                }
            }
        }
        assert_close(&written, &expected, 1e-12);
        // A pair of points and optional normals says the same.
        let pair = (scene.points.view(), Some(normals.view()));
        assert_close(&rows(&along, &basis, pair), &written, 0.0);
    }
}

#[test]
fn tabulated_coefficients_come_with_the_points() {
    let (basis, points) = plain(2, 8, 700);
    let table = Array2::from_shape_fn((700, 2), |(i, k)| (i as f64 * 0.1 + k as f64).cos());
    let action = |orders: [u32; 2]| Action::derivative(MultiIndex::new(orders));
    let terms = [
        Term::new(Field::tabulated("a", 0), action([2, 0])),
        Term::new(Field::tabulated("b", 1), action([0, 0])),
    ];
    let operator = Operator::from_terms(2, terms);
    assert_eq!(operator.to_string(), "a ∂²/∂x₀² + b");
    let sites = Sites::new(points.view()).with_table(table.view());
    let written = rows(&operator, &basis, sites);
    let second = rows(&self::operator(2, u().d(X).d(X)), &basis, &points);
    let value = rows(&self::operator(2, u()), &basis, &points);
    for i in 0..700 {
        for j in 0..8 {
            let expected = table[(i, 0)] * second[(i, j)] + table[(i, 1)] * value[(i, j)];
            assert!((written[(i, j)] - expected).abs() < 1e-13);
        }
    }
    // Blocks of the sites carry their part of the table.
    let block = rows(&operator, &basis, sites.block(300, 50));
    assert_close(&block, &written.subrows(300, 50).to_owned(), 0.0);
}

#[test]
fn each_function_is_evaluated_once_at_each_point() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    let c = given("c", move |x| {
        counter.fetch_add(1, Ordering::Relaxed);
        x[0]
    });
    let (basis, points) = plain(2, 3, 40);
    let several = &c * laplacian(u()) - 3.0 * &c * u().d(X) + (&c + &c * &c) * u();
    rows(&operator(2, several), &basis, &points);
    assert_eq!(calls.load(Ordering::Relaxed), 40);
}

#[test]
fn coefficients_of_one_derivative_become_one() {
    let c = given("c", |x| x[0]);
    let sum = operator(1, &c * u() + 2.0 * &c * u() + exp(X) * u());
    assert_eq!(sum.terms().len(), 1);
    let points = ndarray::array![[0.5]];
    let value = sum.terms()[0].coefficient().evaluate(&points).unwrap();
    assert_eq!(value, [1.5 + 0.5f64.exp()]);
}

#[test]
fn functions_of_points_of_blocks_and_of_expressions_are_the_same() {
    let (basis, points) = plain(2, 5, 600);
    let formula = sin(X) * Y;
    let by_point = given("f", |x| x[0].sin() * x[1]);
    let by_block = given_on_block("f", |points, out| {
        for (point, out) in points.rows().into_iter().zip(out) {
            *out = point[0].sin() * point[1];
        }
    });
    let called = call("f", [X.into(), Y.into()], |a: &[Real]| a[0].sin() * a[1]);
    let expected = rows(&operator(2, formula * u()), &basis, &points);
    for f in [by_point, by_block, called] {
        assert_close(
            &rows(&operator(2, f * u()), &basis, &points),
            &expected,
            0.0,
        );
    }
}

/// Points stored the other way round: rows are not contiguous, functions get copies.
#[test]
fn strided_points() {
    let (basis, points) = plain(2, 5, 20);
    let rotation = directional([-1.0 * Y, 1.0 * X], u());
    let written = rows(&operator(2, rotation), &basis, &points);
    let turned = points.t().as_standard_layout().to_owned();
    let closure = given("−y", |x| -x[1]) * u().d(X) + X * u().d(Y);
    assert_close(
        &rows(&operator(2, closure), &basis, turned.t()),
        &written,
        1e-15,
    );
}
