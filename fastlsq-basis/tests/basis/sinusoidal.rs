//! Sinusoidal features against independent references.
#![allow(clippy::unwrap_used)]

use super::common::{Complex, quadrature, slope, some_form, test_points};
use fastlsq_basis::{
    Action, AxisIntegral, Basis, BasisError, Coefficient, Draw, Form, FrequencyLaw, InputMap,
    MultiIndex, Multiplier, Parity, SinusoidalBasis, UpperLimit,
};
use ndarray::{Array2, array};
use proptest::collection::vec;
use proptest::prelude::*;

/// One feature, one point and one derivative in a random dimension from 1 to 6.
#[derive(Debug, Clone)]
struct Case {
    w: Vec<f64>,
    b: f64,
    x: Vec<f64>,
    alpha: MultiIndex,
}

impl Case {
    fn basis(&self) -> SinusoidalBasis {
        let w = Array2::from_shape_vec((1, self.w.len()), self.w.clone()).unwrap();
        SinusoidalBasis::explicit(w.view(), &[self.b]).unwrap()
    }

    fn phase(&self) -> f64 {
        self.w
            .iter()
            .zip(&self.x)
            .fold(self.b, |sum, (w, x)| sum + w * x)
    }
}

prop_compose! {
    /// A multi-index of total order at most 6: six steps, each along an axis or none.
    fn orders(dim: usize)(steps in vec(0..=dim, 6)) -> MultiIndex {
        let mut orders = vec![0; dim];
        for step in steps.into_iter().filter(|step| *step < dim) {
            orders[step] += 1;
        }
        MultiIndex::new(orders)
    }
}

fn cases() -> impl Strategy<Value = Case> {
    (1_usize..=6).prop_flat_map(|dim| {
        (
            vec(-12.0..12.0, dim),
            -7.0..7.0,
            vec(-2.0..2.0, dim),
            orders(dim),
        )
            .prop_map(|(w, b, x, alpha)| Case { w, b, x, alpha })
    })
}

/// D^α sin(w·x + b) = Im[(iw)^α e^{iz}], multiplied out in complex arithmetic.
fn by_complex_exponential(case: &Case) -> f64 {
    let mut value = Complex::turn(case.phase());
    for (w, n) in case.w.iter().zip(case.alpha.orders()) {
        for _ in 0..*n {
            value = value * Complex(0.0, *w);
        }
    }
    value.1
}

proptest! {
    #[test]
    fn derivatives_match_the_complex_exponential(case in cases()) {
        let found = case.basis().derivative_at(&case.x, &case.alpha).unwrap()[0];
        let expected = by_complex_exponential(&case);
        // Rounding in the phase counts in full.
        let scale = case.alpha.monomial(&case.w).abs() * (1.0 + case.phase().abs() + 100.0);
        prop_assert!((found - expected).abs() <= 1e-15 * scale, "{found:e} {expected:e}");
    }

    #[test]
    fn derivatives_match_differences_of_the_order_below(case in cases(), pick in 0_usize..6) {
        let axis = pick % case.w.len();
        let mut orders = case.alpha.orders().to_vec();
        orders[axis] += 1;
        let found = case.basis().derivative_at(&case.x, &MultiIndex::new(orders)).unwrap()[0];
        let below = |t: f64| {
            let mut x = case.x.clone();
            x[axis] = t;
            case.basis().derivative_at(&x, &case.alpha).unwrap()[0]
        };
        let difference = slope(below, case.x[axis], 0.01);
        let scale = case.alpha.monomial(&case.w).abs() * (1.0 + case.w[axis].abs());
        prop_assert!((found - difference).abs() <= 1e-10 * scale, "{found:e} {difference:e}");
    }

    #[test]
    fn rows_of_a_form_are_one_combination_of_sine_and_cosine(
        case in cases(),
        // Orders and coefficient functions of the terms: few or many, alike or not.
        terms in vec((0_u32..5, -3.0..3.0, 0_usize..4), 1..7),
        parity in 0_u32..3,
    ) {
        let dim = case.w.len();
        let functions = [[0.7], [-1.3], [2.1]];
        let actions: Vec<Action> = terms
            .iter()
            .map(|(n, _, _)| match parity {
                0 => 2 * n,
                1 => 2 * n + 1,
                _ => *n,
            })
            .map(|n| Action::derivative(MultiIndex::along(dim, n as usize % dim, n).unwrap()))
            .collect();
        let mut form = Form::new();
        let (mut expected, mut size) = (0.0, 0.0);
        for ((_, constant, function), action) in terms.iter().zip(&actions) {
            let (coefficient, factor) = match functions.get(*function) {
                Some(values) => (Coefficient::PerPoint(values.as_slice()), values[0]),
                None => (Coefficient::Constant(*constant), *constant),
            };
            form.push(coefficient, action);
            let alpha = action.derivative.clone();
            size += (factor * alpha.monomial(&case.w)).abs();
            expected += factor * by_complex_exponential(&Case { alpha, ..case.clone() });
        }
        let x = Array2::from_shape_vec((1, dim), case.x.clone()).unwrap();
        let found = case.basis().assemble(x.view(), &form).unwrap()[(0, 0)];
        prop_assert!((found - expected).abs() <= 1e-14 * (1.0 + case.phase().abs()) * size);
    }

    #[test]
    fn integrals_match_quadrature(case in cases(), pick in 0_usize..6, from in -1.5..1.5, to in -1.5..1.5) {
        let dim = case.w.len();
        let axis = pick % dim;
        let basis = case.basis();
        let along = |t: f64| {
            let mut x = case.x.clone();
            x[axis] = t;
            basis.derivative_at(&x, &case.alpha).unwrap()[0]
        };
        let mut x = Array2::from_shape_vec((1, dim), case.x.clone()).unwrap();
        x[(0, axis)] = to;
        for limit in [UpperLimit::Coordinate, UpperLimit::Fixed(to)] {
            let action = Action {
                derivative: case.alpha.clone(),
                integrals: vec![AxisIntegral { axis, from, to: limit }],
                multiplier: None,
            };
            let found = basis.assemble(x.view(), &Form::action(&action)).unwrap()[(0, 0)];
            let expected = quadrature(along, from, to);
            let scale = case.alpha.monomial(&case.w).abs() * (to - from).abs().max(1e-3);
            prop_assert!((found - expected).abs() <= 1e-11 * scale, "{found:e} {expected:e}");
        }
    }

    #[test]
    fn integrals_stay_accurate_as_the_frequency_vanishes(
        exponent in -320_i32..2,
        b in -3.0..3.0,
        from in -1.0..1.0,
        to in -1.0..1.0,
    ) {
        let w = 10f64.powi(exponent);
        let basis = SinusoidalBasis::explicit(array![[w]].view(), &[b]).unwrap();
        let action = Action {
            derivative: MultiIndex::zero(1),
            integrals: vec![AxisIntegral { axis: 0, from, to: UpperLimit::Fixed(to) }],
            multiplier: None,
        };
        let found = basis.assemble(array![[0.0]].view(), &Form::action(&action)).unwrap()[(0, 0)];
        let expected = quadrature(|x| (w * x + b).sin(), from, to);
        // Relative to the length of the interval: no digits are lost for any w.
        prop_assert!((found - expected).abs() <= 4e-15 * (to - from).abs(), "{found:e} {expected:e}");
    }

    #[test]
    fn two_integrals_match_a_product_rule(w in vec(-5.0..5.0, 2), b in -3.0..3.0, x in -1.0..1.0) {
        let frequencies = Array2::from_shape_vec((1, 2), w.clone()).unwrap();
        let basis = SinusoidalBasis::explicit(frequencies.view(), &[b]).unwrap();
        let action = Action {
            derivative: MultiIndex::zero(2),
            integrals: vec![
                AxisIntegral { axis: 1, from: -0.5, to: UpperLimit::Fixed(1.5) },
                AxisIntegral { axis: 0, from: 0.25, to: UpperLimit::Coordinate },
            ],
            multiplier: None,
        };
        let found = basis.assemble(array![[x, 9.0]].view(), &Form::action(&action)).unwrap()[(0, 0)];
        let f = |p: &[f64]| (w[0] * p[0] + w[1] * p[1] + b).sin();
        let expected = super::common::box_quadrature(&f, &[0.25, -0.5], &[x, 1.5]);
        prop_assert!((found - expected).abs() <= 1e-12);
    }

    #[test]
    fn multipliers_are_factors(case in cases(), power in 0.1..2.0) {
        let fractional = Multiplier::new("(−Δ)^s", move |w: &[f64]| {
            w.iter().map(|w| w * w).sum::<f64>().powf(power)
        });
        let action = Action {
            derivative: case.alpha.clone(),
            integrals: Vec::new(),
            multiplier: Some(fractional.clone()),
        };
        let x = Array2::from_shape_vec((1, case.x.len()), case.x.clone()).unwrap();
        let basis = case.basis();
        let found = basis.assemble(x.view(), &Form::action(&action)).unwrap()[(0, 0)];
        let expected = fractional.symbol(&case.w) * by_complex_exponential(&case);
        let size = fractional.symbol(&case.w) * case.alpha.monomial(&case.w).abs();
        prop_assert!((found - expected).abs() <= 1e-13 * (1.0 + case.phase().abs()) * size);
    }

    #[test]
    fn mapped_features_follow_the_chain_rule(
        seed in 0_u64..1000,
        dim in 1_usize..4,
        corner in vec(-3.0..3.0, 3),
        width in vec(0.1..4.0, 3),
    ) {
        let lower = &corner[..dim];
        let upper: Vec<f64> = lower.iter().zip(&width).map(|(a, h)| a + h).collect();
        let map = InputMap::from_box(lower, &upper).unwrap();
        let plain = SinusoidalBasis::builder(dim, 5).seed(seed).build().unwrap();
        let mapped = SinusoidalBasis::builder(dim, 5).seed(seed).map(map.clone()).build().unwrap();
        let x: Vec<f64> = lower.iter().zip(&width).map(|(a, h)| a + 0.3 * h).collect();
        let inside: Vec<f64> = x.iter().enumerate().map(|(k, x)| map.apply(k, *x)).collect();
        let found = mapped.gradient_at(&x).unwrap();
        let expected = plain.gradient_at(&inside).unwrap();
        for j in 0..5 {
            for k in 0..dim {
                let chained = expected[(k, j)] / map.half()[k];
                prop_assert!((found[(k, j)] - chained).abs() <= 1e-12 / map.half()[k]);
            }
        }
    }
}

#[test]
fn a_selection_keeps_its_features() {
    let basis = SinusoidalBasis::builder(2, 20)
        .law(FrequencyLaw::blocks(&[1.0, 5.0]))
        .map(InputMap::from_box(&[0.0, 0.0], &[2.0, 1.0]).unwrap())
        .build()
        .unwrap();
    let chosen = [13, 2, 19];
    let selection = basis.select(&chosen).unwrap();
    let points = test_points(7, 2);
    let (all, some) = (
        basis.values(points.view()).unwrap(),
        selection.values(points.view()).unwrap(),
    );
    for (k, &j) in chosen.iter().enumerate() {
        for i in 0..7 {
            assert_eq!(some[(i, k)], all[(i, j)]);
        }
    }
    assert!(basis.select(&[]).is_err());
    assert!(basis.select(&[20]).is_err());
}

#[test]
fn a_law_changes_the_scale_and_keeps_the_draw() {
    let basis = SinusoidalBasis::random(3, 10, &FrequencyLaw::Isotropic(2.0), 5).unwrap();
    let wider = basis.with_law(&FrequencyLaw::Isotropic(6.0)).unwrap();
    assert_eq!(basis.standard_draw(), wider.standard_draw());
    for j in 0..10 {
        for (w, v) in basis.frequency(j).iter().zip(wider.frequency(j)) {
            assert!((3.0 * w - v).abs() <= 1e-14 * v.abs());
        }
    }
    assert_eq!(basis.phases(), wider.phases());
    let mixed = basis.with_factor(array![[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]].view());
    assert_eq!(mixed.unwrap().frequencies(), basis.frequencies());
}

#[test]
fn wrong_choices_are_errors() {
    let build = |b: fastlsq_basis::SinusoidalBuilder| b.build().unwrap_err();
    let basis = SinusoidalBasis::builder;
    assert!(matches!(build(basis(0, 3)), BasisError::Empty { .. }));
    assert!(matches!(build(basis(3, 0)), BasisError::Empty { .. }));
    assert!(matches!(
        build(basis(2, 3).law(FrequencyLaw::Isotropic(f64::NAN))),
        BasisError::Parameter { .. }
    ));
    assert!(matches!(
        build(basis(2, 3).map(InputMap::identity(3))),
        BasisError::Dimension { .. }
    ));
    assert!(matches!(
        build(basis(2, 3).parity([Parity::Even])),
        BasisError::Dimension { .. }
    ));
    // Frequencies that overflow in physical coordinates.
    let narrow = InputMap::from_box(&[0.0], &[1e-308]).unwrap();
    let law = FrequencyLaw::Isotropic(1e10);
    assert!(matches!(
        build(basis(1, 3).map(narrow).law(law)),
        BasisError::NotFinite { .. }
    ));
    assert!(matches!(
        build(basis(65, 1).parity(vec![Parity::Even; 65])),
        BasisError::Parameter { .. }
    ));
    let law = FrequencyLaw::LowOrder {
        order: 30,
        law: Box::new(FrequencyLaw::Isotropic(1.0)),
    };
    assert!(matches!(
        build(basis(60, 1).law(law)),
        BasisError::Parameter { .. }
    ));
    assert!(SinusoidalBasis::explicit(array![[1.0], [f64::NAN]].view(), &[0.0, 0.0]).is_err());
    assert!(SinusoidalBasis::explicit(array![[1.0]].view(), &[0.0, 0.0]).is_err());
    // A symbol with a pole at a frequency of the basis.
    let constant = SinusoidalBasis::explicit(array![[0.0]].view(), &[1.0]).unwrap();
    let action = Action {
        multiplier: Some(Multiplier::new("|ω|⁻¹", |w| 1.0 / w[0].abs())),
        ..Action::identity(1)
    };
    let answer = constant.assemble(array![[0.5]].view(), &Form::action(&action));
    assert!(matches!(answer, Err(BasisError::NotFinite { .. })));
}

/// Arguments beyond the vectorised range are as good as the standard library's, next to others.
#[test]
fn huge_arguments_take_the_slow_path() {
    let w = 3e9;
    let basis = SinusoidalBasis::explicit(array![[w], [2.0]].view(), &[0.25, 0.25]).unwrap();
    let points = Array2::from_shape_fn((600, 1), |(i, _)| 0.001 * i as f64);
    let actions = [
        Action::identity(1),
        Action::derivative(MultiIndex::new([1])),
    ];
    let form = some_form(&actions);
    let rows = basis.assemble(points.view(), &form).unwrap();
    for (i, x) in points.iter().enumerate() {
        for (j, w) in [w, 2.0].into_iter().enumerate() {
            let z = f64::mul_add(w, *x, 0.25);
            let expected = 0.5 * z.sin() + 1.5 * w * z.cos();
            assert!(
                (rows[(i, j)] - expected).abs() <= 1e-15 * (1.0 + 2.0 * w),
                "{i} {j}"
            );
        }
    }
}

/// The first features for seed 0 are part of the contract: results stay reproducible.
#[test]
fn the_draw_of_seed_zero_is_fixed() {
    let bits = |draw: Draw| {
        let law = FrequencyLaw::Isotropic(1.0);
        let basis = SinusoidalBasis::builder(2, 2)
            .law(law)
            .draw(draw)
            .build()
            .unwrap();
        let mut all: Vec<u64> = basis.frequencies().iter().map(|w| w.to_bits()).collect();
        all.extend(basis.phases().iter().map(|b| b.to_bits()));
        all
    };
    let independent = [
        0x3fd2_3434_8a6b_afb6,
        0xbffc_5806_ced1_5dd2,
        0x3ff4_cca1_3e31_b0c5,
        0xbfe5_4e8c_266c_b732,
        0x3ffe_bbc4_67bf_644b,
        0x4011_b59c_749d_6d9e,
    ];
    assert_eq!(bits(Draw::Independent), independent);
    // The first direction and all phases are those of the independent draw.
    let orthogonal = [
        0x3fd2_3434_8a6b_afb6,
        0xbffc_5806_ced1_5dd2,
        0x3ff7_12cb_45b7_1c79,
        0x3fcd_a350_2167_66e3,
        0x3ffe_bbc4_67bf_644b,
        0x4011_b59c_749d_6d9e,
    ];
    assert_eq!(bits(Draw::Orthogonal), orthogonal);
    let quasi_random = [
        0x3fd6_0056_d280_c658,
        0x3fd8_31fb_ef2e_9d4c,
        0xbff1_afc4_1d10_c19f,
        0xbfdf_0423_db8a_81b6,
        0x4005_ccda_7bba_0831,
        0x400f_da72_3708_80a0,
    ];
    assert_eq!(bits(Draw::QuasiRandom), quasi_random);
}
