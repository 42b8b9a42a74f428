//! The trigonometric identities, each proved on random arguments.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, PI};

use super::common::{box_quadrature, quadrature, slope};
use fastlsq_basis::identities::{
    box_integral, cosine_cube, cosine_square, couple, cycle, decouple, eigenvalue, even_odd_parts,
    gram_over_box, interval_integral, limit_kernel, quarter_waves, ridge_derivative, sinc,
    sine_cube, sine_product, sine_square, symbol,
};
use fastlsq_basis::{
    Action, Basis, Coefficient, Draw, Form, FrequencyLaw, InputMap, MultiIndex, Parity,
    SinusoidalBasis,
};
use ndarray::Array2;
use proptest::collection::vec;
use proptest::prelude::*;

/// Frequency, phase, point and a list of terms c D^α in a random dimension from 1 to 6.
type Terms = (Vec<f64>, f64, Vec<f64>, Vec<(f64, MultiIndex)>);

fn terms(step: u32) -> impl Strategy<Value = Terms> {
    (1_usize..=6).prop_flat_map(move |dim| {
        // `step` 2 gives even orders along every axis.
        let alpha = vec(0_u32..=1, dim).prop_map(move |orders| {
            MultiIndex::new(orders.iter().map(|n| n * step).collect::<Vec<_>>())
        });
        (
            vec(-4.0..4.0, dim),
            -7.0..7.0,
            vec(-2.0..2.0, dim),
            vec((-3.0..3.0, alpha), 1..5),
        )
    })
}

fn basis_of(w: &[f64], b: f64) -> SinusoidalBasis {
    let w = Array2::from_shape_vec((1, w.len()), w.to_vec()).unwrap();
    SinusoidalBasis::explicit(w.view(), &[b]).unwrap()
}

/// Σ c D^α φ at one point, through the rows of a basis.
fn applied(operator: &[(f64, MultiIndex)], w: &[f64], b: f64, x: &[f64]) -> f64 {
    let actions: Vec<Action> = operator
        .iter()
        .map(|(_, alpha)| Action::derivative(alpha.clone()))
        .collect();
    let mut form = Form::new();
    for ((c, _), action) in operator.iter().zip(&actions) {
        form.push(Coefficient::Constant(*c), action);
    }
    let x = Array2::from_shape_vec((1, x.len()), x.to_vec()).unwrap();
    basis_of(w, b).assemble(x.view(), &form).unwrap()[(0, 0)]
}

proptest! {
    #[test]
    fn the_derivatives_of_the_sine_cycle(n in 0_u32..200, z in -10.0..10.0) {
        prop_assert!((slope(|t| cycle(n, t), z, 0.02) - cycle(n + 1, z)).abs() < 1e-12);
        prop_assert_eq!(cycle(n + 4, z), cycle(n, z));
        prop_assert_eq!(cycle(n + 2, z), -cycle(n, z));
    }

    #[test]
    fn the_chain_rule_pulls_frequencies_out((w, b, x, operator) in terms(1)) {
        for (_, alpha) in &operator {
            let found = ridge_derivative(alpha, &w, b, &x).unwrap();
            let expected = basis_of(&w, b).derivative_at(&x, alpha).unwrap()[0];
            prop_assert!((found - expected).abs() <= 1e-13 * (1.0 + alpha.monomial(&w).abs()));
        }
    }

    #[test]
    fn a_symbol_turns_sines_into_sines_and_cosines((w, b, x, operator) in terms(1)) {
        let (p, q) = symbol(&operator, &w).unwrap();
        let z: f64 = w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() + b;
        let expected = p * z.sin() + q * z.cos();
        let size: f64 = operator.iter().map(|(c, alpha)| (c * alpha.monomial(&w)).abs()).sum();
        prop_assert!((applied(&operator, &w, b, &x) - expected).abs() <= 1e-13 * (1.0 + size));
    }

    #[test]
    fn sinusoids_are_eigenfunctions_of_even_operators((w, b, x, operator) in terms(2)) {
        let eigenvalue = eigenvalue(&operator, &w).unwrap().unwrap();
        let value = basis_of(&w, b).value_at(&x).unwrap()[0];
        let size: f64 = operator.iter().map(|(c, alpha)| (c * alpha.monomial(&w)).abs()).sum();
        let found = applied(&operator, &w, b, &x);
        prop_assert!((found - eigenvalue * value).abs() <= 1e-13 * (1.0 + size));
    }

    #[test]
    fn an_odd_order_has_no_eigenvalue((w, _, _, mut operator) in terms(2), axis in 0_usize..6) {
        let dim = w.len();
        operator.push((1.0, MultiIndex::along(dim, axis % dim, 3).unwrap()));
        prop_assert_eq!(eigenvalue(&operator, &w).unwrap(), None);
        prop_assert!(symbol(&operator, &vec![0.0; dim + 1]).is_err());
    }

    #[test]
    fn phases_decouple_and_couple(z in -20.0..20.0, b in -20.0..20.0, size in 0.0_f64..5.0) {
        let (along_sine, along_cosine) = decouple(b);
        let found = along_sine * f64::sin(z) + along_cosine * f64::cos(z);
        prop_assert!((found - f64::sin(z + b)).abs() < 1e-14);
        let (amplitude, phase) = couple(size * along_sine, size * along_cosine);
        prop_assert!((amplitude - size).abs() < 1e-14);
        prop_assert!((amplitude * f64::sin(z + phase) - size * f64::sin(z + b)).abs() < 1e-13);
    }

    #[test]
    fn even_and_odd_parts(z in -20.0..20.0, b in -20.0..20.0) {
        let (even, odd) = even_odd_parts(z, b);
        let (mirrored_even, mirrored_odd) = even_odd_parts(-z, b);
        prop_assert_eq!((even, odd), (mirrored_even, -mirrored_odd));
        prop_assert!((even + odd - f64::sin(z + b)).abs() < 1e-14);
    }

    #[test]
    fn quarter_and_half_waves(z in -20.0..20.0, n in -9_i64..9) {
        let shifted = f64::sin(z + n as f64 * FRAC_PI_2);
        prop_assert!((quarter_waves(n, z) - shifted).abs() < 1e-14);
        prop_assert_eq!(quarter_waves(1, z), f64::cos(z));
        prop_assert_eq!(quarter_waves(2, z), -f64::sin(z));
        prop_assert_eq!(quarter_waves(n + 2, z), -quarter_waves(n, z));
    }

    #[test]
    fn products_and_powers_reduce(x in -20.0..20.0, y in -20.0..20.0) {
        let (s, c) = f64::sin_cos(x);
        prop_assert!((sine_product(x, y) - s * f64::sin(y)).abs() < 1e-14);
        prop_assert!((sine_square(x) - s * s).abs() < 1e-14);
        prop_assert!((cosine_square(x) - c * c).abs() < 1e-14);
        prop_assert!((sine_cube(x) - s * s * s).abs() < 1e-14);
        prop_assert!((cosine_cube(x) - c * c * c).abs() < 1e-14);
    }

    #[test]
    fn sinc_is_accurate_to_the_last_digits(t in -30.0_f64..30.0, exponent in -310_i32..1) {
        let t = t * 10f64.powi(exponent);
        let expected = if t == 0.0 { 1.0 } else { core_math::sin(t) / t };
        prop_assert!((sinc(t) - expected).abs() <= 4.0 * f64::EPSILON * expected.abs().max(1e-3));
    }

    #[test]
    fn interval_integrals_match_quadrature(
        w in -20.0_f64..20.0,
        shrink in -300_i32..1,
        b in -3.0_f64..3.0,
        from in -1.0..1.0,
        to in -1.0..1.0,
    ) {
        for w in [w, w * 10f64.powi(shrink)] {
            let expected = quadrature(|x| (w * x + b).sin(), from, to);
            prop_assert!((interval_integral(w, b, from, to) - expected).abs() <= 1e-13 * f64::abs(to - from));
        }
    }

    #[test]
    fn box_integrals_match_quadrature(w in vec(-6.0_f64..6.0, 3), b in -3.0_f64..3.0, dim in 1_usize..=3) {
        let w = &w[..dim];
        let (lower, upper) = (vec![-0.4; dim], vec![0.9; dim]);
        let f = |x: &[f64]| (w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b).sin();
        let expected = box_quadrature(&f, &lower, &upper);
        prop_assert!((box_integral(w, b, &lower, &upper).unwrap() - expected).abs() < 1e-13);
    }
}

#[test]
fn the_gram_matrix_matches_quadrature() {
    let parities = [
        [Parity::None, Parity::None],
        [Parity::Even, Parity::None],
        [Parity::Odd, Parity::None],
        [Parity::Odd, Parity::Even],
    ];
    let map = InputMap::from_box(&[0.0, -1.0], &[2.0, 1.5]).unwrap();
    let (lower, upper) = ([0.1, -0.8], [1.7, 1.2]);
    for parity in parities {
        for normalised in [true, false] {
            let basis = SinusoidalBasis::builder(2, 6)
                .law(FrequencyLaw::Isotropic(3.0))
                .map(map.clone())
                .parity(parity)
                .normalised(normalised)
                .build()
                .unwrap();
            let gram = gram_over_box(&basis, &lower, &upper).unwrap();
            for i in 0..6 {
                for j in 0..6 {
                    let product = |x: &[f64]| {
                        let values = basis.value_at(x).unwrap();
                        values[i] * values[j]
                    };
                    let expected = box_quadrature(&product, &lower, &upper);
                    assert!(
                        (gram[(i, j)] - expected).abs() < 1e-12,
                        "{parity:?} ({i}, {j})"
                    );
                }
            }
        }
    }
    let basis = SinusoidalBasis::builder(2, 3).build().unwrap();
    assert!(gram_over_box(&basis, &[0.0], &[1.0]).is_err());
    assert!(gram_over_box(&basis, &[0.0, f64::NAN], &[1.0, 1.0]).is_err());
}

/// ∫ sin(nx) sin(mx) dx = π δ on [−π, π], and sines are orthogonal to cosines.
#[test]
fn whole_frequencies_are_orthogonal() {
    let count = 20;
    let frequencies = Array2::from_shape_fn((2 * count, 1), |(j, _)| (j / 2 + 1) as f64);
    let phases: Vec<f64> = (0..2 * count)
        .map(|j| if j % 2 == 0 { 0.0 } else { FRAC_PI_2 })
        .collect();
    let basis = SinusoidalBasis::explicit(frequencies.view(), &phases).unwrap();
    let gram = gram_over_box(&basis, &[-PI], &[PI]).unwrap();
    for i in 0..2 * count {
        for j in 0..2 * count {
            let expected = if i == j { PI } else { 0.0 };
            assert!(
                (gram[(i, j)] - expected).abs() < 1e-14,
                "({i}, {j}): {}",
                gram[(i, j)]
            );
        }
    }
}

/// Σⱼ φⱼ(x) φⱼ(y) tends to ½ exp(−½|Lᵀ(x − y)|²): the mean of N bounded terms, with its deviation.
#[test]
fn features_converge_to_the_gaussian_kernel_with_its_half() {
    let laws = [
        FrequencyLaw::Isotropic(1.3),
        FrequencyLaw::PerAxis(vec![0.4, 2.0, 1.0]),
        FrequencyLaw::Cholesky(vec![1.0, -0.8, 0.7, 0.3, 0.2, 1.5]),
        FrequencyLaw::blocks(&[0.5, 1.0, 4.0]),
        FrequencyLaw::low_order_mix(&FrequencyLaw::Isotropic(1.5)),
    ];
    let (x, near, far) = ([0.2, -0.1, 0.4], [0.5, 0.1, 0.0], [-0.9, 1.0, 1.6]);
    let count = 100_000;
    for law in &laws {
        for draw in [Draw::Independent, Draw::Orthogonal, Draw::QuasiRandom] {
            let basis = SinusoidalBasis::builder(3, count)
                .law(law.clone())
                .draw(draw)
                .seed(2)
                .build()
                .unwrap();
            let at = basis.value_at(&x).unwrap();
            for y in [&x, &near, &far] {
                let sum: f64 = at
                    .iter()
                    .zip(basis.value_at(y).unwrap())
                    .map(|(a, b)| a * b)
                    .sum();
                let limit = limit_kernel(law, &x, y).unwrap();
                // |sin · sin| ≤ 1 has deviation at most ½ about its mean: five of them.
                let bound = 2.5 / (count as f64).sqrt();
                assert!(
                    (sum - limit).abs() < bound,
                    "{law:?} {draw:?}: {sum} {limit}"
                );
            }
            assert_eq!(limit_kernel(law, &x, &x).unwrap(), 0.5);
        }
    }
    assert!(limit_kernel(&laws[1], &[0.0], &[1.0]).is_err());
    assert!(limit_kernel(&laws[0], &[0.0], &[f64::NAN]).is_err());
}
