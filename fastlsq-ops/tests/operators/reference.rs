//! Rows against hyper-dual numbers: random operators, orders up to six, dimensions up to six.

use fastlsq_ops::{Field, MultiIndex, Operator, identity};
use proptest::prelude::*;

use crate::hyperdual::{Hyper, derivative, feature};
use crate::support::{Scene, multi_index, operator, scene};

/// Σ cₜ D^{αₜ} of each feature at each point by the oracle.
fn check_constant(scene: &Scene, operator: &Operator) {
    let rows = scene.rows(operator);
    let scale = scene.scale(operator);
    for (i, x) in scene.points.rows().into_iter().enumerate() {
        for (j, w) in scene.frequencies.rows().into_iter().enumerate() {
            let (x, w) = (x.to_vec(), w.to_vec());
            let expected: f64 = operator
                .terms()
                .iter()
                .map(|term| {
                    let f = |x: &[Hyper]| feature(&w, scene.phases[j], x);
                    term.coefficient().factor() * derivative(&term.action().derivative, &x, f)
                })
                .sum();
            let error = (rows[(i, j)] - expected).abs();
            assert!(error <= 1e-13 * scale, "{operator}: {error:e} of {scale:e}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn constant_coefficients_agree_with_hyper_dual_numbers(
        (scene, operator) in scene(1..=6).prop_flat_map(|scene| {
            let dim = scene.dim;
            (Just(scene), operator(dim, 6))
        })
    ) {
        check_constant(&scene, &operator);
    }

    /// D^α(c D^βu) with c = x₀² cos x₀ by composition against the oracle: Leibniz' rule.
    #[test]
    fn the_product_rule_agrees_with_hyper_dual_numbers(
        (scene, alpha, beta) in scene(1..=3).prop_flat_map(|scene| {
            let dim = scene.dim;
            (Just(scene), multi_index(dim, 4), multi_index(dim, 2))
        })
    ) {
        let c = Field::coordinate(0) * Field::coordinate(0) * crate::support::cosine_field(4);
        let inner = c * fastlsq_ops::derivative(beta.clone());
        let composed = fastlsq_ops::derivative(alpha.clone()).of(&inner);
        composed.validate().unwrap();
        let rows = scene.rows(&composed);
        let scale = scene.scale(&composed);
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
        let once = crate::support::rows(&fastlsq_ops::partial(2, axis), &basis, &points);
        let twice = crate::support::rows(&fastlsq_ops::partial_order(2, axis, 2), &basis, &points);
        let difference = |operator: &Operator| {
            let mut sum = faer::Mat::<f64>::zeros(points.nrows(), 9);
            for (k, weight) in weights.iter().enumerate() {
                for sign in [1.0, -1.0] {
                    let mut moved = points.clone();
                    for x in moved.column_mut(axis) {
                        *x += sign * (k as f64 + 1.0) * h;
                    }
                    let rows = crate::support::rows(operator, &basis, &moved);
                    sum += rows * faer::Scale(sign * weight / h);
                }
            }
            sum
        };
        crate::support::assert_close(&once, &difference(&identity(2)), 1e-10);
        let partial = fastlsq_ops::derivative(MultiIndex::along(2, axis, 1).unwrap());
        crate::support::assert_close(&twice, &difference(&partial), 1e-10);
    }
}
