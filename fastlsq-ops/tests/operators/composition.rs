//! Derivatives of anything: composition is the product of symbols, and the product rule is applied.

use fastlsq_ops::{
    Expr, Frame, Space, StatementError, X, Y, axis, cos, div, dot, exp, given, grad, laplacian,
    sin, unknown,
};
use proptest::prelude::*;

use crate::support::{derived, operator, scene, scene_with_two, try_operator, u};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_symbol_of_a_composition_is_the_product_of_symbols(
        (scene, a, b) in scene_with_two(1..=6, 3)
    ) {
        let composed = scene.operator(a.of(b.of(u())));
        let scale = scene.scale(a.of(b.of(u())));
        for w in scene.frequencies.rows() {
            let w = w.to_vec();
            let (pa, qa) = scene.operator(a.of(u())).symbol(&w).unwrap();
            let (pb, qb) = scene.operator(b.of(u())).symbol(&w).unwrap();
            let (p, q) = composed.symbol(&w).unwrap();
            prop_assert!((p - (pa * pb - qa * qb)).abs() <= 1e-13 * scale);
            prop_assert!((q - (pa * qb + qa * pb)).abs() <= 1e-13 * scale);
        }
        scene.assert_same(a.of(b.of(u())), b.of(a.of(u())));
    }

    /// L sin(w·x + b) = p sin z + q cos z.
    #[test]
    fn rows_are_the_symbol_times_the_sinusoid((scene, a, _) in scene_with_two(1..=6, 5)) {
        let rows = scene.rows(a.of(u()));
        let scale = scene.scale(a.of(u()));
        for (j, w) in scene.frequencies.rows().into_iter().enumerate() {
            let (p, q) = scene.operator(a.of(u())).symbol(&w.to_vec()).unwrap();
            for (i, x) in scene.points.rows().into_iter().enumerate() {
                let (sin, cos) = (w.dot(&x) + scene.phases[j]).sin_cos();
                prop_assert!((rows[(i, j)] - (p * sin + q * cos)).abs() <= 1e-13 * scale);
            }
        }
    }

    /// a(c(b(u))) with c = cos x · b + s x ∂ₓ, carried out from the inside and by linearity of the outermost.
    #[test]
    fn outer_operators_are_linear_over_inner_ones_with_varying_coefficients(
        (scene, a, b) in scene_with_two(1..=2, 2), s in -2.0..2.0f64
    ) {
        let c = |e: Expr| cos(X) * b.of(&e) + s * X * e.d(X);
        let whole = a.of(c(b.of(u())));
        let split = a.of(cos(X) * b.of(b.of(u()))) + a.of(s * X * b.of(u()).d(X));
        scene.assert_same(whole, split);
    }

    #[test]
    fn one_and_zero_compose_as_they_should((scene, a, _) in scene_with_two(1..=4, 4)) {
        scene.assert_same(a.of(1.0 * u()), a.of(u()));
        prop_assert!(scene.operator(a.of(0.0 * u())).is_zero());
        prop_assert!(scene.operator(0.0 * a.of(u())).is_zero());
    }

    /// [∂ₖ, xₖ] = 1: the canonical commutation relation.
    #[test]
    fn derivative_and_coordinate_do_not_commute(dim in 1..=3usize, k in 0..3usize) {
        let k = axis(k % dim);
        let commutator = operator(dim, (k * u()).d(k) - k * u().d(k));
        let constant: Vec<_> = commutator.terms().iter().filter(|t| t.action().derivative.is_zero()).collect();
        prop_assert_eq!(constant.len(), 1);
        prop_assert_eq!(constant[0].coefficient().as_constant(), Some(1.0));
    }

    /// ∇·(k∇u) = kΔu + ∇k·∇u.
    #[test]
    fn the_divergence_of_a_flux_is_expanded(scene in scene(1..=4), a in -2.0..2.0f64) {
        let k = exp(a * X) * (2.0 + sin(axis(scene.dim - 1)));
        let expanded = &k * laplacian(u()) + dot(grad(&k), grad(u()));
        scene.assert_same(div(&k * grad(u())), expanded);
    }
}

/// Δ is the sum of the second derivatives over space, and never contains time.
#[test]
fn the_laplacian_does_not_touch_time() {
    let u = u();
    for axes in 1..=4 {
        let still = Frame::new(Space::new(axes), [u]);
        let moving = Frame::new(Space::new(axes).with_time(), [u]);
        let sum: Expr = (0..axes).map(|k| derived(u, &[k, k])).sum();
        for frame in [still, moving] {
            let of = |e: &Expr| frame.lower_scalar(e).unwrap().row().unwrap().to_string();
            assert_eq!(of(&laplacian(u)), of(&sum));
            let statement = frame.lower_scalar(&laplacian(u)).unwrap();
            assert_eq!(statement.jets().len(), axes);
            let orders = statement
                .jets()
                .map(|jet| jet.action.derivative.orders()[axes..].to_vec());
            assert!(orders.flatten().all(|order| order == 0));
        }
    }
    let frame = Frame::new(Space::new(2).with_time(), [u]);
    assert_eq!(frame.lower(&grad(u)).unwrap().len(), 2);
    assert_eq!(frame.lower(&grad(grad(u))).unwrap().len(), 4);
}

#[test]
fn high_powers_of_a_coordinate_stay_small_sums() {
    let nested = derived(X.powi(8) * u(), &[0; 8]);
    let operator = operator(1, nested);
    // ∂⁸(x⁸u) = Σ (8 over k)² k! x^{8−k} u^{(8−k)}: nine terms, the last one 8! u.
    assert_eq!(operator.terms().len(), 9);
    let coefficient = |order: u32| {
        let mut terms = operator.terms().iter();
        let term = terms
            .find(|t| t.action().derivative.order() == order)
            .unwrap();
        let half = ndarray::array![[0.5]];
        term.coefficient().evaluate(&half).unwrap()[0]
    };
    assert_eq!(coefficient(0), 40320.0);
    // k = 1: 64 x⁷.
    assert!((coefficient(7) - 64.0 * 0.5f64.powi(7)).abs() < 1e-13);
    assert_eq!(coefficient(8), 0.5f64.powi(8));
}

#[test]
fn a_missing_derivative_is_named() {
    let u = u();
    let nu = given("ν", |x| x[0]).with_gradient([(X, 1.0.into())]);
    assert!(try_operator(2, (&nu * u.d(Y)).d(X)).is_ok());
    let missing = StatementError::MissingDerivative {
        function: "ν".into(),
        coordinate: "y".into(),
    };
    let refused = try_operator(2, (&nu * u.d(Y)).d(Y)).unwrap_err();
    assert_eq!(refused, missing);
    let message = missing.to_string();
    assert!(
        message.contains("the derivative of ν along y") && message.contains("with_gradient"),
        "{message}"
    );
    // The outer coefficient is never differentiated.
    assert!(try_operator(2, nu * laplacian(u).d(Y)).is_ok());
    // The same closure with more of its gradient known is the same function.
    let plain = given("c", |x| x[0]);
    let known = plain.clone().with_gradient([(X, 1.0.into())]);
    assert!(try_operator(1, plain * u + (known * u).d(X)).is_ok());
}

#[test]
fn a_product_of_unknowns_is_differentiated_too() {
    let (u, v) = (unknown("u"), unknown("v"));
    let frame = Frame::new(Space::new(1), [u, v]);
    let statement = frame.lower_scalar(&(u * v).d(X).d(X)).unwrap();
    assert!(!statement.is_linear() && statement.order() == 2);
    // u, v, u′, v′, u″, v″
    assert_eq!(statement.jets().len(), 6);
}
