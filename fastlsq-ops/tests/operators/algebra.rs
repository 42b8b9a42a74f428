//! Operators form a vector space, and arithmetic reads like the equation.

use fastlsq_ops::{
    Expr, Field, Frame, Operator, Residual, Space, Statement, X, Y, Z, biharmonic, exp, laplacian,
};
use proptest::prelude::*;

use crate::support::{assert_close, derived, operator, scene, scene_with_two, u};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_are_linear_in_the_operator(
        (scene, a, b) in scene_with_two(1..=6, 4), s in -3.0..3.0f64, t in -3.0..3.0f64
    ) {
        let combined = scene.rows(s * a.of(u()) - t * b.of(u()));
        let separate =
            scene.rows(a.of(u())) * faer::Scale(s) - scene.rows(b.of(u())) * faer::Scale(t);
        let scale = 3.0 * (scene.scale(a.of(u())) + scene.scale(b.of(u())));
        assert_close(&combined, &separate, 1e-13 * scale);
    }

    #[test]
    fn an_operator_minus_itself_is_zero((scene, a, b) in scene_with_two(1..=4, 4)) {
        let (a, b) = (a.of(u()), b.of(u()));
        prop_assert!(scene.operator(&a - &a).is_zero());
        let rest = scene.operator(&a + &b - &b - &a);
        let small = |t: &fastlsq_ops::Term| {
            t.coefficient().as_constant().is_some_and(|c| c.abs() < 1e-15)
        };
        prop_assert!(rest.terms().iter().all(small));
    }

    #[test]
    fn sums_commute((scene, a, b) in scene_with_two(1..=4, 4)) {
        let (a, b) = (a.of(u()), b.of(u()));
        scene.assert_same(&a + &b, &b + &a);
    }

    #[test]
    fn partial_derivatives_commute(scene in scene(2..=6), k in 0..6usize, l in 0..6usize) {
        let (k, l) = (k % scene.dim, l % scene.dim);
        let difference = derived(u(), &[k, l]) - derived(u(), &[l, k]);
        prop_assert!(scene.operator(difference).is_zero());
    }

    #[test]
    fn the_laplacian_of_the_laplacian_is_biharmonic(scene in scene(1..=6)) {
        let twice = laplacian(laplacian(u()));
        prop_assert_eq!(&twice, &biharmonic(u()));
        let sum = |of: &Expr| (0..scene.dim).map(|k| derived(of, &[k, k])).sum::<Expr>();
        scene.assert_same(twice, sum(&sum(&u().into())));
    }

    /// Δ sin z = −|w|² sin z and Δ² sin z = |w|⁴ sin z.
    #[test]
    fn sinusoids_are_eigenfunctions(scene in scene(1..=6)) {
        let values = scene.rows(u());
        let once = scene.rows(laplacian(u()));
        let twice = scene.rows(biharmonic(u()));
        for (j, w) in scene.frequencies.rows().into_iter().enumerate() {
            let square = w.dot(&w);
            for i in 0..scene.points.nrows() {
                let value = values[(i, j)];
                prop_assert!((once[(i, j)] + square * value).abs() <= 1e-13 * (1.0 + square));
                let fourth = square * square;
                prop_assert!((twice[(i, j)] - fourth * value).abs() <= 1e-13 * (1.0 + fourth));
            }
        }
    }
}

#[test]
fn numbers_and_signs_are_where_they_should_be() {
    let terms = |e: Expr| operator(2, e).to_string();
    let u = u();
    assert_eq!(terms(u.d(X) - 3.0 * u), "∂/∂x₀ − 3");
    assert_eq!(terms(3.0 * u - u.d(X)), "3 − ∂/∂x₀");
    assert_eq!(terms(u.d(X) / 4.0 + u / 2.0), "0.25 ∂/∂x₀ + 0.5");
    assert_eq!(terms(-(2.0 * (u - 3.0 * u.d(Y)))), "−2 + 6 ∂/∂x₁");
    assert_eq!(terms(u * 2.0 + u), "3");
    assert_eq!(
        terms(exp(X) * u + u.d(Y) * exp(X)),
        "exp(x₀) + exp(x₀) ∂/∂x₁"
    );
}

#[test]
fn introspection_tells_what_an_operator_is() {
    let u = u();
    let own = operator(2, biharmonic(u) - 4.0 * u.d(Y) + u);
    assert_eq!(own.dim(), Ok(2));
    assert_eq!(own.order(), 4);
    assert!(own.is_constant() && !own.is_zero() && !own.needs_normals());
    assert_eq!(own.terms().len(), 5);
    let zero = operator(2, 0.0 * u);
    assert!(zero.is_zero() && zero.is_constant());
    assert_eq!(zero.order(), 0);
    let varying = operator(2, X * u);
    assert!(!varying.is_constant());
    assert_eq!(varying.terms()[0].coefficient().to_string(), "x₀");
    let statement = Frame::new(Space::new(3), [u])
        .lower_scalar(&(u.d(Z) + X))
        .unwrap();
    assert!(statement.is_linear() && statement.order() == 1 && statement.unknowns() == 1);
    assert_eq!(statement.source().unwrap().to_string(), "−x₀");
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + std::fmt::Debug>() {}
    shared::<Expr>();
    shared::<Frame>();
    shared::<Statement>();
    shared::<Residual>();
    shared::<Operator>();
    shared::<Field>();
    shared::<fastlsq_ops::EquationRow>();
    shared::<fastlsq_ops::OperatorError>();
}
