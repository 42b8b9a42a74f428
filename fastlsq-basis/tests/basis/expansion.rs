//! Expansions of waves: calculus, products, powers and integrals.
#![allow(clippy::unwrap_used)]

use super::common::{box_quadrature, quadrature, slope};
use fastlsq_basis::{
    Basis, BasisError, FrequencyLaw, InputMap, MultiIndex, Parity, SinusoidalBasis,
    SinusoidalExpansion,
};
use ndarray::{Array2, array};
use proptest::collection::vec;
use proptest::prelude::*;

fn expansions(dim: usize, waves: usize) -> impl Strategy<Value = SinusoidalExpansion> {
    (
        vec(-3.0..3.0, dim * waves),
        vec(-3.0..3.0, waves),
        vec(-2.0..2.0, waves),
    )
        .prop_map(move |(w, b, c)| {
            let w = Array2::from_shape_vec((waves, dim), w).unwrap();
            SinusoidalExpansion::new(w.view(), &b, &c).unwrap()
        })
}

/// Two expansions and a point in a random dimension from 1 to 3.
fn pairs() -> impl Strategy<Value = (SinusoidalExpansion, SinusoidalExpansion, Vec<f64>)> {
    (1_usize..=3, 1_usize..=5, 1_usize..=4)
        .prop_flat_map(|(dim, n, m)| (expansions(dim, n), expansions(dim, m), vec(-2.0..2.0, dim)))
}

proptest! {
    #[test]
    fn sums_products_and_powers_are_expansions((u, v, x) in pairs(), factor in -2.0..2.0) {
        let at = |e: &SinusoidalExpansion| e.value(&x).unwrap();
        let (uv, vv) = (at(&u), at(&v));
        let size = 1.0 + u.bound() * v.bound();
        prop_assert!((at(&u.sum(&v).unwrap()) - (uv + vv)).abs() <= 1e-14 * size);
        prop_assert!((at(&u.scaled(factor)) - factor * uv).abs() <= 1e-14 * size);
        prop_assert!((at(&u.product(&v).unwrap()) - uv * vv).abs() <= 1e-13 * size);
        let size = 1.0 + u.bound().powi(3);
        prop_assert!((at(&u.square()) - uv * uv).abs() <= 1e-13 * size);
        prop_assert!((at(&u.cube()) - uv * uv * uv).abs() <= 1e-13 * size);
        let n = u.len();
        prop_assert_eq!(u.square().len(), 1 + n + n * (n - 1));
        prop_assert_eq!(u.cube().len(), 2 * n + 2 * n * (n - 1) + 4 * (n * n.saturating_sub(1) * n.saturating_sub(2) / 6));
        // The square and the cube agree with products as functions.
        let square = u.product(&u).unwrap();
        prop_assert!((at(&square) - at(&u.square())).abs() <= 1e-13 * size);
        prop_assert!((at(&square.product(&u).unwrap()) - at(&u.cube())).abs() <= 1e-13 * size);
    }

    #[test]
    fn merging_keeps_the_function((u, v, x) in pairs()) {
        let product = u.product(&v).unwrap();
        let doubled = product.sum(&product).unwrap().sum(&product.scaled(-0.5)).unwrap();
        let merged = doubled.merged(0.0);
        prop_assert!(merged.len() <= product.len());
        let (found, expected) = (merged.value(&x).unwrap(), 1.5 * product.value(&x).unwrap());
        prop_assert!((found - expected).abs() <= 1e-13 * (1.0 + doubled.bound()));
        // Everything cancels.
        prop_assert!(product.sum(&product.scaled(-1.0)).unwrap().merged(0.0).is_empty());
        // Nearly equal frequencies, with the stated bound.
        let tolerance = 1e-3;
        let coarse = product.merged(tolerance);
        let reach: f64 = x.iter().map(|x| x.abs()).sum();
        let change = (coarse.value(&x).unwrap() - product.value(&x).unwrap()).abs();
        prop_assert!(change <= product.bound() * tolerance * reach + 1e-13 * (1.0 + product.bound()));
    }

    #[test]
    fn derivatives_are_expansions((u, _, x) in pairs(), axis in 0_usize..3) {
        let axis = axis % u.dim();
        let mut alpha = MultiIndex::zero(u.dim());
        for _ in 0..6 {
            let next = &alpha + &MultiIndex::along(u.dim(), axis, 1).unwrap();
            let below = u.derivative(&alpha).unwrap();
            let along = |t: f64| {
                let mut x = x.clone();
                x[axis] = t;
                below.value(&x).unwrap()
            };
            let found = u.derivative(&next).unwrap().value(&x).unwrap();
            prop_assert!((found - slope(along, x[axis], 0.02)).abs() <= 1e-9 * (1.0 + below.bound()));
            alpha = next;
        }
    }

    #[test]
    fn integrals_match_quadrature((u, v, _) in pairs(), corner in -1.0..1.0) {
        let dim = u.dim();
        let (lower, upper) = (vec![corner; dim], vec![corner + 1.2; dim]);
        let f = |x: &[f64]| u.value(x).unwrap();
        let found = u.integral_over_box(&lower, &upper).unwrap();
        prop_assert!((found - box_quadrature(&f, &lower, &upper)).abs() <= 1e-12 * (1.0 + u.bound()));
        let inner = u.inner_product_over_box(&v, &lower, &upper).unwrap();
        let product = u.product(&v).unwrap().integral_over_box(&lower, &upper).unwrap();
        prop_assert!((inner - product).abs() <= 1e-13 * (1.0 + u.bound() * v.bound()));
        let g = |x: &[f64]| u.value(x).unwrap() * v.value(x).unwrap();
        let expected = box_quadrature(&g, &lower, &upper);
        prop_assert!((inner - expected).abs() <= 1e-12 * (1.0 + u.bound() * v.bound()));
    }

    #[test]
    fn antiderivatives_integrate_and_differentiate_back(
        (u, _, x) in pairs(),
        axis in 0_usize..3,
        from in -1.0..1.0,
        shrink in -200_i32..1,
    ) {
        let axis = axis % u.dim();
        // Frequencies along the axis may be tiny or, below the range of doubles, zero.
        let mut w = u.frequencies();
        w.column_mut(axis).mapv_inplace(|w| w * 10f64.powi(2 * shrink));
        let u = SinusoidalExpansion::from_sines_and_cosines(w.view(), &u.sines(), &u.cosines()).unwrap();
        let integral = u.antiderivative(axis, from).unwrap();
        let along = |t: f64| {
            let mut x = x.clone();
            x[axis] = t;
            u.value(&x).unwrap()
        };
        let expected = quadrature(along, from, x[axis]);
        let span = (x[axis] - from).abs();
        prop_assert!((integral.value(&x).unwrap() - expected).abs() <= 1e-13 * u.bound() * (1.0 + span));
        let back = integral.derivative(&MultiIndex::along(u.dim(), axis, 1).unwrap(), &x).unwrap();
        prop_assert_eq!(back, u.value(&x).unwrap());
        let mut start = x.clone();
        start[axis] = from;
        prop_assert_eq!(integral.value(&start).unwrap(), 0.0);
        // A derivative along another axis goes under the integral.
        let other = (axis + 1) % u.dim();
        if other != axis {
            let alpha = MultiIndex::along(u.dim(), other, 1).unwrap();
            let found = integral.derivative(&alpha, &x).unwrap();
            let moved = |t: f64| {
                let mut x = x.clone();
                x[other] = t;
                integral.value(&x).unwrap()
            };
            prop_assert!((found - slope(moved, x[other], 0.05)).abs() <= 1e-9 * (1.0 + u.bound() * span));
        }
    }

    #[test]
    fn expansions_and_features_are_the_same_function(seed in 0_u64..50, x in vec(-1.0..1.0, 3)) {
        let parities = [
            [Parity::None; 3],
            [Parity::Even, Parity::None, Parity::Odd],
            [Parity::Odd, Parity::Even, Parity::Odd],
        ];
        let map = InputMap::from_box(&[-0.5, 0.0, -1.0], &[1.5, 1.0, 2.0]).unwrap();
        for parity in parities {
            let basis = SinusoidalBasis::builder(3, 6)
                .law(FrequencyLaw::Isotropic(2.0))
                .seed(seed)
                .map(map.clone())
                .parity(parity)
                .build()
                .unwrap();
            let beta: Vec<f64> = (0..6).map(|j| 1.0 - 0.4 * f64::from(j)).collect();
            let expansion = SinusoidalExpansion::from_basis(&basis, &beta).unwrap();
            let alpha = MultiIndex::new([1, 0, 2]);
            let row = basis.derivative_at(&x, &alpha).unwrap();
            let expected: f64 = row.iter().zip(&beta).map(|(a, b)| a * b).sum();
            let found = expansion.derivative(&alpha).unwrap().value(&x).unwrap();
            let size = expansion.derivative(&alpha).unwrap().bound();
            prop_assert!((found - expected).abs() <= 1e-13 * (1.0 + size));

            let (features, coefficients) = expansion.to_features().unwrap();
            let row = features.value_at(&x).unwrap();
            let again: f64 = row.iter().zip(&coefficients).map(|(a, b)| a * b).sum();
            prop_assert!((again - expansion.value(&x).unwrap()).abs() <= 1e-13 * (1.0 + expansion.bound()));
        }
    }
}

#[test]
fn the_square_of_a_sine() {
    let sine = SinusoidalExpansion::new(array![[2.0]].view(), &[0.0], &[1.0]).unwrap();
    let square = sine.square();
    // sin² 2x = ½ − ½ cos 4x
    assert_eq!(square.frequencies(), array![[0.0], [4.0]]);
    assert_eq!(
        (square.sines(), square.cosines()),
        (vec![0.0, 0.0], vec![0.5, -0.5])
    );
    assert_eq!(
        square
            .integral_over_box(&[0.0], &[std::f64::consts::PI])
            .unwrap(),
        std::f64::consts::FRAC_PI_2
    );
    let one = SinusoidalExpansion::constant(1, 1.0).unwrap();
    assert_eq!(one.product(&one).unwrap().merged(0.0), one);
    assert_eq!(
        one.antiderivative(0, -1.0).unwrap().value(&[2.0]).unwrap(),
        3.0
    );
}

#[test]
fn wrong_arguments_are_errors() {
    let line = SinusoidalExpansion::constant(1, 1.0).unwrap();
    let plane = SinusoidalExpansion::constant(2, 1.0).unwrap();
    let dimension =
        |answer: Result<(), BasisError>| matches!(answer, Err(BasisError::Dimension { .. }));
    assert!(dimension(line.product(&plane).map(drop)));
    assert!(dimension(line.sum(&plane).map(drop)));
    assert!(dimension(line.value(&[0.0, 0.0]).map(drop)));
    assert!(dimension(line.derivative(&MultiIndex::zero(2)).map(drop)));
    assert!(dimension(
        line.integral_over_box(&[0.0], &[1.0, 1.0]).map(drop)
    ));
    assert!(dimension(
        line.inner_product_over_box(&plane, &[0.0], &[1.0])
            .map(drop)
    ));
    assert!(matches!(
        line.antiderivative(1, 0.0),
        Err(BasisError::Axis { .. })
    ));
    assert!(matches!(
        line.value(&[f64::NAN]),
        Err(BasisError::NotFinite { .. })
    ));
    assert!(SinusoidalExpansion::constant(0, 1.0).is_err());
    assert!(SinusoidalExpansion::constant(1, f64::NAN).is_err());
    assert!(SinusoidalExpansion::new(array![[1.0]].view(), &[0.0, 1.0], &[1.0]).is_err());
    let empty = line.sum(&line.scaled(-1.0)).unwrap().merged(0.0);
    assert!(matches!(empty.to_features(), Err(BasisError::Empty { .. })));
    assert_eq!(empty.value(&[0.3]).unwrap(), 0.0);
}
