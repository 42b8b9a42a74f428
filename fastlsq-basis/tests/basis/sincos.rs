//! Accuracy of the vectorised sine and cosine against a correctly rounded reference.

use super::common::ulps;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{REDUCTION_LIMIT, sin_cos};

const ALLOWED: u64 = 2;

fn check(arguments: &[f64]) {
    let mut sin = vec![f64::NAN; arguments.len()];
    let mut cos = sin.clone();
    sin_cos(arguments, &mut sin, &mut cos);
    for ((&z, &s), &c) in arguments.iter().zip(&sin).zip(&cos) {
        let (exact_sin, exact_cos) = (core_math::sin(z), core_math::cos(z));
        let off = (ulps(s, exact_sin), ulps(c, exact_cos));
        assert!(
            off.0 <= ALLOWED && off.1 <= ALLOWED,
            "z = {z:e}: ({s:e}, {c:e}) for ({exact_sin:e}, {exact_cos:e}), {off:?} ulp"
        );
    }
}

#[test]
fn random_arguments() {
    for size in [1.0, 10.0, 1e3, 1e6, REDUCTION_LIMIT] {
        let unit = UnitSampler::independent(3).points(100_000, 1);
        let arguments: Vec<f64> = unit.iter().map(|u| (2.0 * u - 1.0) * size).collect();
        check(&arguments);
    }
}

#[test]
fn next_to_multiples_of_a_quarter_wave() {
    // The doubles around k π/2: here one of the two functions nearly vanishes and every bit of the
    // reduction counts. Up to 1e6 every third multiple, beyond with growing strides.
    let mut arguments = Vec::new();
    let mut k: f64 = 0.0;
    while k * std::f64::consts::FRAC_PI_2 < REDUCTION_LIMIT {
        let nearest = k * std::f64::consts::FRAC_PI_2;
        for z in [nearest.next_down(), nearest, nearest.next_up()] {
            arguments.extend([z, -z]);
        }
        k += if nearest < 1e6 { 3.0 } else { 997.0 };
    }
    check(&arguments);
    // Multiples of π/4, where the quadrant changes.
    let quarters: Vec<f64> = (0..100_000)
        .map(|k| (f64::from(k) + 0.5) * std::f64::consts::FRAC_PI_2)
        .flat_map(|z| [z.next_down(), z, z.next_up(), -z])
        .collect();
    check(&quarters);
}

#[test]
fn doubles_closest_to_multiples() {
    // Of four million multiples of π/2, those that a double comes closest to.
    let mut closest: Vec<(f64, f64)> = (1..4_000_000_u32)
        .map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2)
        .map(|z| {
            let (s, c) = z.sin_cos();
            (s.abs().min(c.abs()) / z, z)
        })
        .collect();
    closest.sort_by(|a, b| a.0.total_cmp(&b.0));
    let arguments: Vec<f64> = closest.into_iter().take(2000).map(|(_, z)| z).collect();
    check(&arguments);
}

#[test]
fn tiny_arguments() {
    let mut arguments = Vec::new();
    for exponent in -1074..=0 {
        let z = 2f64.powi(exponent);
        arguments.extend([z, -z, 1.5 * z, -1.75 * z]);
    }
    check(&arguments);
    check(&[5e-324, -5e-324, f64::MIN_POSITIVE, 1e-308]);
}

#[test]
fn zeros_keep_their_sign() {
    let (mut sin, mut cos) = ([f64::NAN; 2], [f64::NAN; 2]);
    sin_cos(&[0.0, -0.0], &mut sin, &mut cos);
    assert!(sin[0].to_bits() == 0.0_f64.to_bits() && sin[1].to_bits() == (-0.0_f64).to_bits());
    assert_eq!(cos, [1.0, 1.0]);
}

#[test]
fn special_arguments_are_as_in_the_standard_library() {
    let above = REDUCTION_LIMIT.next_up();
    let arguments = [above, -above, 1e9, 1e15, -1e22, 1e300, f64::MAX, f64::MIN];
    // One special argument must not disturb its neighbours.
    let mixed: Vec<f64> = arguments.iter().flat_map(|&z| [1.0, z, -2.0]).collect();
    let (mut sin, mut cos) = (vec![0.0; mixed.len()], vec![0.0; mixed.len()]);
    sin_cos(&mixed, &mut sin, &mut cos);
    for (k, z) in mixed.iter().enumerate() {
        if z.abs() > REDUCTION_LIMIT {
            assert_eq!((sin[k], cos[k]), z.sin_cos(), "z = {z:e}");
        } else {
            assert!(ulps(sin[k], core_math::sin(*z)) <= ALLOWED, "z = {z:e}");
        }
    }
    for z in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut sin, mut cos) = ([0.0; 3], [0.0; 3]);
        sin_cos(&[0.5, z, 0.5], &mut sin, &mut cos);
        assert!(sin[1].is_nan() && cos[1].is_nan());
        assert!(ulps(sin[0], 0.5_f64.sin()) <= ALLOWED && sin[0] == sin[2]);
    }
}

#[test]
fn slices_of_any_length() {
    for length in 0..40 {
        let z: Vec<f64> = (0..length).map(|k| 0.37 * f64::from(k) - 3.0).collect();
        check(&z);
        // Extra elements of longer slices are left alone.
        let (mut sin, mut cos) = (vec![9.0; z.len() + 2], vec![9.0; z.len() + 3]);
        sin_cos(&z, &mut sin, &mut cos);
        assert!(
            sin[z.len()..]
                .iter()
                .chain(&cos[z.len()..])
                .all(|v| *v == 9.0)
        );
    }
}
