//! Tanh, multiquadric, polynomial and joined bases: what the conformance suite does not cover.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use fastlsq_basis::{
    Action, AxisIntegral, Basis, BasisError, Form, InputMap, JoinedBasis, MultiIndex, Multiplier,
    MultiquadricBasis, PolynomialBasis, SinusoidalBasis, TanhBasis, UpperLimit, WeightLaw,
};
use ndarray::{Array2, array};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn tanh_satisfies_its_own_equation(w in vec(-4.0..4.0, 3), b in -3.0..3.0, x in vec(-2.0..2.0, 3)) {
        // ψ″ = −2wψψ′ along any axis, and mixed derivatives are proportional.
        let weights = Array2::from_shape_vec((1, 3), w.clone()).unwrap();
        let basis = TanhBasis::explicit(weights.view(), &[b]).unwrap();
        let at = |orders: [u32; 3]| basis.derivative_at(&x, &MultiIndex::new(orders)).unwrap()[0];
        let (value, slope) = (at([0, 0, 0]), at([1, 0, 0]));
        prop_assert!((at([2, 0, 0]) + 2.0 * w[0] * value * slope).abs() <= 1e-14 * (1.0 + w[0] * w[0]));
        prop_assert!((at([1, 1, 0]) * w[0] - at([2, 0, 0]) * w[1]).abs() <= 1e-13 * (1.0 + w[0] * w[0]));
        // Once more: ψ‴ = −2w(ψ′² + ψψ″).
        let third = -2.0 * w[0] * (slope * slope + value * at([2, 0, 0]));
        prop_assert!((at([3, 0, 0]) - third).abs() <= 1e-13 * (1.0 + w[0].abs().powi(3)));
    }

    #[test]
    fn tanh_keeps_its_digits_in_the_tails(z in 5.0_f64..300.0, n in 1_u32..=6) {
        // tanh⁽ⁿ⁾(z) = −2 (−2)ⁿ e^{−2z} (1 + O(2ⁿ e^{−2z})) with both leading terms of the series.
        let basis = TanhBasis::explicit(array![[1.0]].view(), &[0.0]).unwrap();
        let found = basis.derivative_at(&[z], &MultiIndex::new([n])).unwrap()[0];
        let power = n as i32;
        let expected: f64 = (1..=6)
            .map(|k| {
                let rate = -2.0 * f64::from(k);
                let sign = if k % 2 == 1 { -2.0 } else { 2.0 };
                sign * rate.powi(power) * (rate * z).exp()
            })
            .sum();
        prop_assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found:e} {expected:e}");
    }

    #[test]
    fn the_laplacian_of_a_multiquadric(center in vec(-1.0..1.0, 6), x in vec(-1.0..1.0, 6), dim in 1_usize..=6, c in 0.1..2.0) {
        // Δ√s = (d − 1)/√s + c²/s^{3/2} in d dimensions.
        let centers = Array2::from_shape_vec((1, dim), center[..dim].to_vec()).unwrap();
        let basis = MultiquadricBasis::new(centers.view(), c).unwrap();
        let s: f64 = c * c + center[..dim].iter().zip(&x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let expected = (dim as f64 - 1.0) / s.sqrt() + c * c / s.powf(1.5);
        let found = basis.laplacian_at(&x[..dim]).unwrap()[0];
        prop_assert!((found - expected).abs() <= 1e-13 * expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn polynomials_integrate_exactly(x in -1.0..2.0, y in -1.0..2.0, from in -1.0..1.0) {
        let map = InputMap::from_box(&[-1.0, 0.0], &[3.0, 1.0]).unwrap();
        for basis in [
            PolynomialBasis::monomials(map.clone(), 5).unwrap(),
            PolynomialBasis::legendre(map.clone(), 5).unwrap(),
        ] {
            let action = Action {
                derivative: MultiIndex::new([0, 1]),
                integrals: vec![
                    AxisIntegral { axis: 0, from, to: UpperLimit::Coordinate },
                    AxisIntegral { axis: 1, from: 0.5, to: UpperLimit::Fixed(y) },
                ],
                multiplier: None,
            };
            let found = basis.assemble(array![[x, 9.0]].view(), &Form::action(&action)).unwrap();
            for j in 0..basis.len() {
                let slope = |p: &[f64]| basis.derivative_at(p, &MultiIndex::new([0, 1])).unwrap()[j];
                let expected = super::common::box_quadrature(&slope, &[from, 0.5], &[x, y]);
                prop_assert!((found[(0, j)] - expected).abs() <= 1e-9 * (1.0 + expected.abs()));
            }
        }
    }
}

#[test]
fn weight_laws_have_their_moments() {
    let count = 20_000;
    let moments = |law: WeightLaw| {
        let basis = TanhBasis::builder(2, count)
            .weights(law)
            .seed(3)
            .build()
            .unwrap();
        let all: Vec<f64> = basis
            .weights()
            .iter()
            .chain(basis.biases())
            .copied()
            .collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|w| w * w).sum::<f64>() / all.len() as f64;
        let largest = all.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        (mean, variance, largest)
    };
    // Five deviations of the mean and the variance of 60000 numbers.
    let bound = 5.0 / (3.0 * count as f64).sqrt();
    let (mean, variance, largest) = moments(WeightLaw::Uniform(3.0));
    assert!(mean.abs() < bound * 3f64.sqrt() && largest <= 3.0 && largest > 2.99);
    assert!((variance - 3.0).abs() < bound * (81.0f64 / 5.0 - 9.0).sqrt());
    let (mean, variance, largest) = moments(WeightLaw::Gaussian(2.0));
    assert!(mean.abs() < bound * 2.0 && largest > 6.0);
    assert!((variance - 4.0).abs() < bound * 4.0 * 2f64.sqrt());
}

#[test]
fn tanh_draws_do_not_depend_on_the_count() {
    let draw = |count| TanhBasis::builder(3, count).seed(9).build().unwrap();
    let (few, many) = (draw(5), draw(50));
    assert_eq!(few.weights(), many.weights().slice(ndarray::s![..5, ..]));
    assert_eq!(few.biases(), &many.biases()[..5]);
    let biased = TanhBasis::builder(3, 5)
        .biases(WeightLaw::Uniform(0.0))
        .seed(9)
        .build()
        .unwrap();
    assert_eq!(biased.biases(), [0.0; 5]);
    assert_eq!(biased.weights(), few.weights());
}

#[test]
fn joined_columns_are_those_of_the_parts() {
    let map = InputMap::identity(2);
    let waves = Arc::new(SinusoidalBasis::builder(2, 4).build().unwrap());
    let linear = Arc::new(PolynomialBasis::monomials(map, 1).unwrap());
    let joined = JoinedBasis::new([waves.clone() as Arc<dyn Basis>, linear.clone()]).unwrap();
    assert_eq!(
        (joined.columns(0), joined.columns(1), joined.columns(2)),
        (0..4, 4..7, 7..7)
    );
    let x = [0.3, -0.2];
    let gradient = joined.gradient_at(&x).unwrap();
    let parts = [
        waves.gradient_at(&x).unwrap(),
        linear.gradient_at(&x).unwrap(),
    ];
    for (part, gradient_of_part) in parts.iter().enumerate() {
        for (k, j) in joined.columns(part).enumerate() {
            assert_eq!(gradient[(1, j)], gradient_of_part[(1, k)]);
        }
    }
    let nothing: [Arc<dyn Basis>; 0] = [];
    assert!(matches!(
        JoinedBasis::new(nothing),
        Err(BasisError::Empty { .. })
    ));
    let line = Arc::new(PolynomialBasis::monomials(InputMap::identity(1), 1).unwrap());
    let mixed = JoinedBasis::new([waves as Arc<dyn Basis>, line]);
    assert!(matches!(mixed, Err(BasisError::Dimension { .. })));
}

#[test]
fn what_has_no_closed_form_is_refused_by_name() {
    let tanh = TanhBasis::builder(1, 2).build().unwrap();
    let integral = Action {
        integrals: vec![AxisIntegral {
            axis: 0,
            from: 0.0,
            to: UpperLimit::Coordinate,
        }],
        ..Action::identity(1)
    };
    let multiplier = Action {
        multiplier: Some(Multiplier::new("(−Δ)^½", |w| w[0].abs())),
        ..Action::identity(1)
    };
    let message = |basis: &dyn Basis, action: &Action| {
        basis
            .assemble(array![[0.1]].view(), &Form::action(action))
            .unwrap_err()
            .to_string()
    };
    assert!(message(&tanh, &integral).contains("tanh basis has no closed form for integrals"));
    assert!(message(&tanh, &multiplier).contains("(−Δ)^½"));
    let radial = MultiquadricBasis::new(array![[0.0]].view(), 1.0).unwrap();
    assert!(message(&radial, &integral).contains("multiquadric basis"));
    let polynomial = PolynomialBasis::monomials(InputMap::identity(1), 2).unwrap();
    assert!(message(&polynomial, &multiplier).contains("polynomial basis"));
}

#[test]
fn wrong_parameters_are_errors() {
    let parameter =
        |answer: Result<(), BasisError>| matches!(answer, Err(BasisError::Parameter { .. }));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let law = WeightLaw::Uniform(bad);
        assert!(parameter(
            TanhBasis::builder(1, 2).weights(law).build().map(drop)
        ));
        assert!(parameter(
            TanhBasis::builder(1, 2).biases(law).build().map(drop)
        ));
        assert!(parameter(
            MultiquadricBasis::new(array![[0.0]].view(), bad).map(drop)
        ));
    }
    assert!(TanhBasis::builder(0, 2).build().is_err());
    assert!(TanhBasis::builder(2, 0).build().is_err());
    assert!(
        TanhBasis::builder(2, 1)
            .map(InputMap::identity(1))
            .build()
            .is_err()
    );
    assert!(TanhBasis::explicit(array![[f64::NAN]].view(), &[0.0]).is_err());
    assert!(MultiquadricBasis::new(Array2::zeros((0, 2)).view(), 1.0).is_err());
    assert!(MultiquadricBasis::new(Array2::zeros((2, 0)).view(), 1.0).is_err());
    assert!(MultiquadricBasis::with_map(array![[0.0]].view(), 1.0, InputMap::identity(2)).is_err());
    assert!(parameter(
        PolynomialBasis::monomials(InputMap::identity(30), 30).map(drop)
    ));
    assert!(PolynomialBasis::monomials(InputMap::identity(0), 1).is_err());
    assert!(InputMap::from_box(&[0.0, 1.0], &[1.0, 1.0]).is_err());
    assert!(InputMap::from_box(&[0.0], &[1.0, 1.0]).is_err());
    assert!(InputMap::from_box(&[0.0], &[f64::INFINITY]).is_err());
}
