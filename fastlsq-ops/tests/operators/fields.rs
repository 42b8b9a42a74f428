//! Coefficients that vary: fields, normals and tables.

use faer::Mat;
use fastlsq_ops::{
    Field, Sites, advection_field, diffusion, identity, laplacian, normal_derivative, partial,
};
use ndarray::Array2;
use proptest::prelude::*;

use crate::support::{assert_close, plain, rows, scene};

fn nu() -> Field {
    Field::new("ν", |x| 1.0 + 0.5 * x[0].sin() * x[1])
}

fn gradient() -> [Field; 2] {
    [
        Field::new("ν₀", |x| 0.5 * x[0].cos() * x[1]),
        Field::new("ν₁", |x| 0.5 * x[0].sin()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// ∇·(ν∇u): the named operator, the expanded form, the composition, and by hand.
    #[test]
    fn diffusion_is_the_divergence_of_the_flux(scene in scene(2..=2)) {
        let operator = diffusion(nu(), gradient());
        let [g0, g1] = gradient();
        let expanded = nu() * laplacian(2) + g0 * partial(2, 0) + g1 * partial(2, 1);
        scene.assert_same(&operator, &expanded);
        let smooth = nu().with_gradient(gradient());
        let flux = |axis| &smooth * partial(2, axis);
        let composed = partial(2, 0).of(&flux(0)) + partial(2, 1).of(&flux(1));
        scene.assert_same(&operator, &composed);
        let written = scene.rows(&operator);
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
        let written = rows(&normal_derivative(scene.dim), &basis, sites);
        let mut expected = Mat::<f64>::zeros(5, 4);
        for axis in 0..scene.dim {
            let partial = rows(&partial(scene.dim, axis), &basis, &scene.points);
            for i in 0..5 {
                for j in 0..4 {
                    expected[(i, j)] += normals[(i, axis)] * partial[(i, j)];
                }
            }
        }
        assert_close(&written, &expected, 1e-13 * 10.0);
        // A pair of points and optional normals says the same.
        let pair = (scene.points.view(), Some(normals.view()));
        assert_close(&rows(&normal_derivative(scene.dim), &basis, pair), &written, 0.0);
    }
}

#[test]
fn tabulated_coefficients_come_with_the_points() {
    let (basis, points) = plain(2, 8, 700);
    let table = Array2::from_shape_fn((700, 2), |(i, k)| (i as f64 * 0.1 + k as f64).cos());
    let operator = Field::tabulated("a", 0) * laplacian(2) + 2.0 * Field::tabulated("b", 1);
    let sites = Sites::new(points.view()).with_table(table.view());
    let written = rows(&operator, &basis, sites);
    let (second, value) = (
        rows(&laplacian(2), &basis, &points),
        rows(&identity(2), &basis, &points),
    );
    for i in 0..700 {
        for j in 0..8 {
            let expected = table[(i, 0)] * second[(i, j)] + 2.0 * table[(i, 1)] * value[(i, j)];
            assert!((written[(i, j)] - expected).abs() < 1e-13);
        }
    }
    // Blocks of the sites carry their part of the table.
    let block = rows(&operator, &basis, sites.block(300, 50));
    assert_close(&block, &written.subrows(300, 50).to_owned(), 0.0);
}

#[test]
fn each_function_is_evaluated_once_at_each_point() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    let c = Field::new("c", move |x| {
        counter.fetch_add(1, Ordering::Relaxed);
        x[0]
    });
    let operator = &c * laplacian(2) - 3.0 * &c * partial(2, 0) + &c * &c * identity(2);
    let (basis, points) = plain(2, 3, 40);
    rows(&operator, &basis, &points);
    assert_eq!(calls.load(Ordering::Relaxed), 40);
}

#[test]
fn like_terms_add_up_by_the_identity_of_their_functions() {
    let (c, d) = (Field::new("c", |x| x[0]), Field::new("c", |x| x[0]));
    let same = &c * identity(1) + 2.0 * &c * identity(1);
    assert_eq!(same.to_string(), "3 c(x)");
    assert_eq!((&c * identity(1) + &d * identity(1)).terms().len(), 2);
    assert!((&c * &d * identity(1) - &d * &c * identity(1)).is_zero());
}

#[test]
fn the_derivative_of_a_product_can_be_given_as_a_whole() {
    let (a, b) = (
        Field::new("a", |x| x[0].sin()),
        Field::new("b", |x| x[0].cos()),
    );
    // (2 sin x cos x)′ = 2 cos 2x
    let product = (2.0 * &a * &b).with_derivative(0, Field::new("d", |x| 2.0 * (2.0 * x[0]).cos()));
    let (basis, points) = plain(1, 5, 6);
    let composed = partial(1, 0).of(&(&product * identity(1)));
    let expected = 2.0 * &a * &b * partial(1, 0) + Field::new("d", |x| 2.0 * (2.0 * x[0]).cos());
    assert_close(
        &rows(&composed, &basis, &points),
        &rows(&expected, &basis, &points),
        1e-14,
    );
    assert_eq!(product.to_string(), "(2 a(x) b(x))");
}

#[test]
fn velocity_fields_and_strided_points() {
    let (basis, points) = plain(2, 5, 20);
    let operator = advection_field([-Field::coordinate(1), Field::coordinate(0)]);
    let written = rows(&operator, &basis, &points);
    // Points stored the other way round: rows are not contiguous, fields are evaluated on copies.
    let turned = points.t().as_standard_layout().to_owned();
    let closure =
        Field::new("−x₁", |x| -x[1]) * partial(2, 0) + Field::coordinate(0) * partial(2, 1);
    assert_close(&rows(&closure, &basis, turned.t()), &written, 1e-15);
}

#[test]
fn the_derivative_of_a_multiple_is_that_of_the_function() {
    let nu = Field::new("ν", |x| x[0] * x[0]);
    let tripled = (3.0 * &nu).with_derivative(0, 6.0 * Field::coordinate(0));
    let flux = partial(1, 0).of(&(tripled * identity(1)));
    assert_eq!(flux.to_string(), "3 ν(x) ∂/∂x₀ + 6 x₀");
    // It is still the same function: like terms cancel.
    assert_eq!((flux - 3.0 * nu * partial(1, 0)).to_string(), "6 x₀");
}
