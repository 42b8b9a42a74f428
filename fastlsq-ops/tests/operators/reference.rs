//! Rows against hyper-dual numbers: random operators, orders up to six, dimensions up to six.

use fastlsq_ops::{Expr, MultiIndex, X, cos};
use ndarray::Array2;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::hyperdual::{Hyper, derivative, feature};
use crate::support::{Constant, Scene, constant, derived, operator, scene, u};

fn multi_index(dim: usize, axes: &[usize]) -> MultiIndex {
    let mut orders = vec![0; dim];
    axes.iter().for_each(|k| orders[*k] += 1);
    MultiIndex::new(orders)
}

/// Σ cₜ D^{αₜ} of each feature at each point by the oracle.
fn check_constant(scene: &Scene, operator: &Constant) {
    let rows = scene.rows(operator.of(u()));
    let scale = scene.scale(operator.of(u()));
    for (i, x) in scene.points.rows().into_iter().enumerate() {
        for (j, w) in scene.frequencies.rows().into_iter().enumerate() {
            let (x, w) = (x.to_vec(), w.to_vec());
            let f = |x: &[Hyper]| feature(&w, scene.phases[j], x);
            let terms = operator.0.iter();
            let expected: f64 = terms
                .map(|(c, axes)| c * derivative(&multi_index(scene.dim, axes), &x, f))
                .sum();
            let error = (rows[(i, j)] - expected).abs();
            assert!(
                error <= 1e-13 * scale,
                "{operator:?}: {error:e} of {scale:e}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn constant_coefficients_agree_with_hyper_dual_numbers(
        (scene, operator) in scene(1..=6).prop_flat_map(|scene| {
            let dim = scene.dim;
            (Just(scene), constant(dim, 6))
        })
    ) {
        check_constant(&scene, &operator);
    }

    /// D^α(c D^βu) with c = x₀² cos x₀ against the oracle: Leibniz' rule.
    #[test]
    fn the_product_rule_agrees_with_hyper_dual_numbers(
        (scene, alpha, beta) in scene(1..=3).prop_flat_map(|scene| {
            let dim = scene.dim;
            (Just(scene), vec(0..dim, 0..=4), vec(0..dim, 0..=2))
        })
    ) {
        let c = X.powi(2) * cos(X);
        let composed = derived(c * derived(u(), &beta), &alpha);
        let rows = scene.rows(&composed);
        let scale = scene.scale(&composed);
        let (alpha, beta) = (multi_index(scene.dim, &alpha), multi_index(scene.dim, &beta));
        for (i, x) in scene.points.rows().into_iter().enumerate() {
            for (j, w) in scene.frequencies.rows().into_iter().enumerate() {
                let w = w.to_vec();
                // D^β sin z = w^β sin(z + |β| π/2)
                let shift = f64::from(beta.order()) * std::f64::consts::FRAC_PI_2;
                let expected = derivative(&alpha, &x.to_vec(), |x| {
                    let c = &(&x[0] * &x[0]) * &x[0].cos();
                    let v = feature(&w, scene.phases[j] + shift, x);
                    &(&c * &v) * beta.monomial(&w)
                });
                let error = (rows[(i, j)] - expected).abs();
                prop_assert!(error <= 1e-13 * scale, "{composed}: {error:e} of {scale:e}");
            }
        }
    }
}

/// An eighth-order central difference of values alone, as a second opinion on low orders.
#[test]
fn first_and_second_derivatives_agree_with_central_differences() {
    let (basis, points) = crate::support::plain(2, 9, 7);
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let h = 2e-2;
    for axis in 0..2 {
        let rows =
            |e: Expr, points: &Array2<f64>| crate::support::rows(&operator(2, e), &basis, points);
        let difference = |e: &Expr| {
            let mut sum = faer::Mat::<f64>::zeros(points.nrows(), 9);
            for (k, weight) in weights.iter().enumerate() {
                for sign in [1.0, -1.0] {
                    let mut moved = points.clone();
                    for x in moved.column_mut(axis) {
                        *x += sign * (k as f64 + 1.0) * h;
                    }
                    sum += rows(e.clone(), &moved) * faer::Scale(sign * weight / h);
                }
            }
            sum
        };
        let (once, twice) = (derived(u(), &[axis]), derived(u(), &[axis, axis]));
        let close = crate::support::assert_close;
        close(
            &rows(once.clone(), &points),
            &difference(&u().into()),
            1e-10,
        );
        close(&rows(twice, &points), &difference(&once), 1e-10);
    }
}
