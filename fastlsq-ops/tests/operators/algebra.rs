//! Operators form a vector space, and arithmetic reads like the equation.

use fastlsq_ops::{
    Field, MultiIndex, Operator, advection, biharmonic, derivative, identity, laplacian,
    laplacian_over, partial, partial_order, zero,
};
use proptest::prelude::*;

use crate::support::{assert_close, plain, rows, scene, scene_with_two};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_are_linear_in_the_operator(
        (scene, a, b) in scene_with_two(1..=6, 4), s in -3.0..3.0f64, t in -3.0..3.0f64
    ) {
        let combined = scene.rows(&(s * &a - t * &b));
        let separate = scene.rows(&a) * faer::Scale(s) - scene.rows(&b) * faer::Scale(t);
        let scale = 3.0 * (scene.scale(&a) + scene.scale(&b));
        assert_close(&combined, &separate, 1e-13 * scale);
    }

    #[test]
    fn an_operator_minus_itself_is_zero((_, a, b) in scene_with_two(1..=4, 4)) {
        prop_assert!((&a - &a).is_zero());
        prop_assert!((&a + &b - &b - &a).terms().iter().all(|t| t.coefficient().factor().abs() < 1e-15));
    }

    #[test]
    fn partial_derivatives_commute(scene in scene(2..=6), k in 0..6usize, l in 0..6usize) {
        let (k, l) = (k % scene.dim, l % scene.dim);
        let (first, second) = (partial(scene.dim, k), partial(scene.dim, l));
        let difference = first.of(&second) - second.of(&first);
        prop_assert!(difference.is_zero());
        let mut orders = vec![0; scene.dim];
        orders[k] += 1;
        orders[l] += 1;
        scene.assert_same(&first.of(&second), &derivative(MultiIndex::new(orders)));
    }

    #[test]
    fn the_laplacian_of_the_laplacian_is_biharmonic(scene in scene(1..=6)) {
        let twice = laplacian(scene.dim).of(&laplacian(scene.dim));
        prop_assert!((&twice - biharmonic(scene.dim)).is_zero());
        scene.assert_same(&twice, &biharmonic(scene.dim));
    }

    /// Δ sin z = −|w|² sin z and Δ² sin z = |w|⁴ sin z.
    #[test]
    fn sinusoids_are_eigenfunctions(scene in scene(1..=6)) {
        let values = scene.rows(&identity(scene.dim));
        let once = scene.rows(&laplacian(scene.dim));
        let twice = scene.rows(&biharmonic(scene.dim));
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
fn numbers_and_fields_stand_for_multiples_of_the_identity() {
    let (basis, points) = plain(2, 6, 5);
    let same = |a: &Operator, b: &Operator| {
        assert_close(&rows(a, &basis, &points), &rows(b, &basis, &points), 1e-14);
    };
    let one = identity(2);
    same(&(partial(2, 0) + 100.0), &(partial(2, 0) + 100.0 * &one));
    same(&(partial(2, 0) - 3.0), &(partial(2, 0) - &one * 3.0));
    same(&(3.0 - partial(2, 0)), &(3.0 * &one - partial(2, 0)));
    same(&(3.0 + &partial(2, 0)), &(&one * 3.0 + partial(2, 0)));
    same(&(partial(2, 0) / 4.0), &(0.25 * partial(2, 0)));
    let c = Field::new("c", |x| x[0].exp());
    same(&(partial(2, 0) + &c), &(&c * &one + partial(2, 0)));
    same(&(partial(2, 0) - &c), &(partial(2, 0) - &c * &one));
    same(&(-&one), &(zero(2) - &one));
}

#[test]
fn the_named_operators_are_the_sums_they_stand_for() {
    let (basis, points) = plain(3, 6, 5);
    let same = |a: &Operator, b: &Operator| {
        assert_close(&rows(a, &basis, &points), &rows(b, &basis, &points), 1e-13);
    };
    let second = |axis| partial_order(3, axis, 2);
    same(&laplacian(3), &(second(0) + second(1) + second(2)));
    same(&laplacian_over(3, &[0, 2]), &(second(0) + second(2)));
    same(
        &advection(&[1.0, -2.0, 0.5]),
        &(partial(3, 0) - 2.0 * partial(3, 1) + 0.5 * partial(3, 2)),
    );
    same(&partial_order(3, 1, 0), &identity(3));
    assert!(laplacian_over(3, &[]).is_zero());
}

#[test]
fn introspection_tells_what_an_operator_is() {
    let operator = biharmonic(2) - 4.0 * partial(2, 1) + 1.0;
    assert_eq!(operator.dim(), Ok(2));
    assert_eq!(operator.order(), 4);
    assert!(operator.is_constant() && !operator.is_zero() && !operator.needs_normals());
    assert_eq!(operator.terms().len(), 5);
    assert!(zero(2).is_zero() && zero(2).is_constant());
    assert_eq!(zero(2).order(), 0);
    let varying = Field::new("c", |x| x[0]) * identity(2);
    assert!(!varying.is_constant());
    let coefficient = varying.terms()[0].coefficient();
    assert_eq!(coefficient.names(), ["c(x)"]);
    assert_eq!(coefficient.factor(), 1.0);
}

#[test]
fn operators_and_fields_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + std::fmt::Debug>() {}
    shared::<Operator>();
    shared::<Field>();
    shared::<fastlsq_ops::EquationRow>();
    shared::<fastlsq_ops::BlockOperator>();
    shared::<fastlsq_ops::OperatorError>();
}
