//! Declared parity, and the average over reflections.
#![allow(clippy::unwrap_used)]

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{
    Action, AxisIntegral, Basis, BasisError, Coefficient, Form, FrequencyLaw, InputMap, MultiIndex,
    Parity, SinusoidalBasis, SymmetrisedBasis, TanhBasis, UpperLimit,
};
use ndarray::Array2;
use proptest::collection::vec;
use proptest::prelude::*;

fn parities(dim: usize) -> impl Strategy<Value = Vec<Parity>> {
    let one = prop_oneof![Just(Parity::None), Just(Parity::Even), Just(Parity::Odd)];
    vec(one, dim)
}

/// x reflected about the centre along one axis.
fn mirrored(x: &[f64], center: &[f64], axis: usize) -> Vec<f64> {
    let mut mirror = x.to_vec();
    mirror[axis] = 2.0 * center[axis] - x[axis];
    mirror
}

fn require_symmetry(basis: &dyn Basis, parity: &[Parity], center: &[f64], x: &[f64]) {
    for (axis, parity) in parity.iter().enumerate() {
        let sign = match parity {
            Parity::None => continue,
            Parity::Even => 1.0,
            Parity::Odd => -1.0,
        };
        let here = basis.value_at(x).unwrap();
        let there = basis.value_at(&mirrored(x, center, axis)).unwrap();
        for (a, b) in here.iter().zip(&there) {
            assert!(
                (a - sign * b).abs() < 1e-13,
                "{parity:?} along {axis}: {a} {b}"
            );
        }
        // The derivative along the axis has the opposite symmetry.
        let slope = MultiIndex::along(basis.dim(), axis, 1).unwrap();
        let here = basis.derivative_at(x, &slope).unwrap();
        let there = basis
            .derivative_at(&mirrored(x, center, axis), &slope)
            .unwrap();
        for (a, b) in here.iter().zip(&there) {
            assert!(
                (a + sign * b).abs() < 1e-12,
                "∂ {parity:?} along {axis}: {a} {b}"
            );
        }
    }
}

/// The same features with every phase moved by an angle, as explicit features.
fn shifted(basis: &SinusoidalBasis, angle: f64) -> SinusoidalBasis {
    let phases: Vec<f64> = basis.phases().iter().map(|b| b + angle).collect();
    SinusoidalBasis::explicit(basis.frequencies().view(), &phases).unwrap()
}

proptest! {
    #[test]
    fn features_have_the_declared_parity(
        (dim, parity) in (1_usize..=5).prop_flat_map(|dim| (Just(dim), parities(dim))),
        seed in 0_u64..100,
        x in vec(-1.0..2.0, 5),
    ) {
        let lower: Vec<f64> = (0..dim).map(|k| -0.5 + 0.2 * k as f64).collect();
        let upper: Vec<f64> = lower.iter().map(|a| a + 2.0).collect();
        let map = InputMap::from_box(&lower, &upper).unwrap();
        let builder = || SinusoidalBasis::builder(dim, 4).seed(seed).map(map.clone());
        let product = builder().parity(parity.clone()).build().unwrap();
        require_symmetry(&product, &parity, map.center(), &x[..dim]);
        let plain = Arc::new(builder().build().unwrap());
        let average = SymmetrisedBasis::new(plain, &parity, map.center()).unwrap();
        require_symmetry(&average, &parity, map.center(), &x[..dim]);
        let tanh = Arc::new(TanhBasis::builder(dim, 4).seed(seed).build().unwrap());
        let average = SymmetrisedBasis::new(tanh, &parity, map.center()).unwrap();
        require_symmetry(&average, &parity, map.center(), &x[..dim]);
    }

    /// The product form with phase b is the reflection average at phase b − mπ/2 for m odd axes; with
    /// every axis symmetric, the average carries the constant sin(b + mπ/2) in addition.
    #[test]
    fn the_product_form_is_the_reflection_average(
        (dim, parity) in (1_usize..=4).prop_flat_map(|dim| (Just(dim), parities(dim))),
        seed in 0_u64..100,
        coefficients in vec(-2.0..2.0, 4),
    ) {
        let lower: Vec<f64> = (0..dim).map(|k| -0.5 + 0.3 * k as f64).collect();
        let upper: Vec<f64> = lower.iter().map(|a| a + 1.5).collect();
        let map = InputMap::from_box(&lower, &upper).unwrap();
        let builder = SinusoidalBasis::builder(dim, 5)
            .law(FrequencyLaw::Isotropic(2.0))
            .seed(seed)
            .map(map.clone())
            .normalised(false);
        let plain = builder.clone().build().unwrap();
        let product = builder.parity(parity.clone()).build().unwrap();
        let odd = parity.iter().filter(|p| **p == Parity::Odd).count() as f64;
        let moved = Arc::new(shifted(&plain, -odd * FRAC_PI_2));
        let average = SymmetrisedBasis::new(moved, &parity, map.center()).unwrap();

        let points = UnitSampler::halton(seed).points(4, dim);
        let axis = dim - 1;
        let actions = [
            Action::identity(dim),
            Action::derivative(MultiIndex::new(vec![1; dim])),
            Action::derivative(MultiIndex::along(dim, 0, 2).unwrap()),
            Action {
                integrals: vec![AxisIntegral { axis, from: -0.2, to: UpperLimit::Coordinate }],
                ..Action::identity(dim)
            },
        ];
        let form = Form::new()
            .with(Coefficient::Constant(0.7), &actions[0])
            .with(Coefficient::PerPoint(&coefficients), &actions[1])
            .with(Coefficient::PerPoint(&coefficients), &actions[2])
            .with(Coefficient::Constant(-1.1), &actions[3]);
        let found = product.assemble(points.view(), &form).unwrap();
        let expected = average.assemble(points.view(), &form).unwrap();
        let all_symmetric = parity.iter().all(|p| *p != Parity::None);
        for j in 0..5 {
            // The bare phase in the coordinates of the map.
            let bare = plain.frequency(j).iter().zip(map.center()).fold(plain.phases()[j], |b, (w, c)| b + w * c);
            let constant = if all_symmetric { bare.sin() } else { 1.0 };
            for i in 0..4 {
                let (f, e) = (constant * found[(i, j)], expected[(i, j)]);
                prop_assert!((f - e).abs() <= 1e-11 * (1.0 + f.abs()), "{parity:?} {f} {e}");
            }
        }
    }
}

#[test]
fn without_symmetric_axes_nothing_changes() {
    let tanh = Arc::new(TanhBasis::builder(2, 3).build().unwrap());
    let wrapped = SymmetrisedBasis::new(tanh.clone(), &[Parity::None; 2], &[0.0; 2]).unwrap();
    let points = Array2::from_shape_fn((4, 2), |(i, k)| 0.3 * i as f64 - k as f64);
    assert_eq!(
        wrapped.values(points.view()).unwrap(),
        tanh.values(points.view()).unwrap()
    );
}

#[test]
fn wrong_symmetries_are_errors() {
    let tanh: Arc<dyn Basis> = Arc::new(TanhBasis::builder(2, 3).build().unwrap());
    let make = |parity: &[Parity], center: &[f64]| {
        SymmetrisedBasis::new(tanh.clone(), parity, center).map(|_| ())
    };
    let dimension = |answer| matches!(answer, Err(BasisError::Dimension { .. }));
    assert!(dimension(make(&[Parity::Even], &[0.0, 0.0])));
    assert!(dimension(make(&[Parity::Even; 2], &[0.0])));
    let center = make(&[Parity::Even; 2], &[0.0, f64::NAN]);
    assert!(matches!(center, Err(BasisError::NotFinite { .. })));
    let wide: Arc<dyn Basis> = Arc::new(TanhBasis::builder(17, 1).build().unwrap());
    let many = SymmetrisedBasis::new(wide, &[Parity::Odd; 17], &[0.0; 17]);
    assert!(matches!(many, Err(BasisError::Parameter { .. })));
}
