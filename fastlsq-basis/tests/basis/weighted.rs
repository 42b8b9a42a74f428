//! Products of factors and features against what they must be.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use fastlsq_basis::{
    Action, Basis, BasisError, ComplexPower, Factor, FrequencyLaw, MultiIndex, SavedBasis,
    SinusoidalBasis, SmoothFactor, Weighted,
};
use proptest::prelude::*;

fn alone(factor: impl Factor + 'static) -> Weighted {
    Weighted::functions([Arc::new(factor) as Arc<dyn Factor>]).unwrap()
}

proptest! {
    /// In polar coordinates around the centre, the angle counted from the direction opposite to the cut.
    #[test]
    fn powers_in_polar_coordinates(
        exponent in -4.0..4.0_f64, cut in -3.0..3.0_f64, radius in 0.1..2.0_f64, angle in -3.1..3.1_f64,
        logarithm: bool,
    ) {
        let mut power = ComplexPower::new([0.3, -0.4], exponent).unwrap().cut_along(cut).unwrap();
        if logarithm {
            power = power.times_log();
        }
        let direction = cut - PI + angle;
        let point = [0.3 + radius * direction.cos(), -0.4 + radius * direction.sin()];
        let size = radius.powf(exponent);
        let (sin, cos) = (exponent * angle).sin_cos();
        let (re, im) = if logarithm {
            let log = radius.ln();
            (size * (cos * log - sin * angle), size * (cos * angle + sin * log))
        } else {
            (size * cos, size * sin)
        };
        let [real, imaginary] = power.pair();
        let bound = 1e-11 * size * 10.0;
        prop_assert!((alone(real.clone()).value_at(&point).unwrap()[0] - re).abs() < bound);
        prop_assert!((alone(imaginary.clone()).value_at(&point).unwrap()[0] - im).abs() < bound);
        // Harmonic, and conjugate: uₓ = vᵧ, uᵧ = −vₓ.
        prop_assert_eq!(alone(real.clone()).laplacian_at(&point).unwrap()[0], 0.0);
        let (u, v) = (alone(real).gradient_at(&point).unwrap(), alone(imaginary).gradient_at(&point).unwrap());
        prop_assert_eq!(u[(0, 0)], v[(1, 0)]);
        prop_assert_eq!(u[(1, 0)], -v[(0, 0)]);
    }

    /// (w₁w₂)φ = w₁(w₂φ), in every derivative.
    #[test]
    fn factors_multiply(x in -1.0..1.0_f64, y in -1.0..1.0_f64, m in 0..4_u32, n in 0..4_u32) {
        let waves: Arc<dyn Basis> =
            Arc::new(SinusoidalBasis::random(2, 5, &FrequencyLaw::Isotropic(2.0), 3).unwrap());
        let first = SmoothFactor::new(2, |x| (&x[0] * &x[1]).exp());
        let second = SmoothFactor::new(2, |x| 1.0 / (2.0 + x[0].powi(2) + &x[1]));
        let both = SmoothFactor::new(2, |x| (&x[0] * &x[1]).exp() / (2.0 + x[0].powi(2) + &x[1]));
        let once = Weighted::new([Arc::new(both) as _], waves.clone()).unwrap();
        let inner = Weighted::new([Arc::new(second) as _], waves).unwrap();
        let twice = Weighted::new([Arc::new(first) as _], Arc::new(inner)).unwrap();
        let alpha = MultiIndex::new([m, n]);
        let (once, twice) = (
            once.derivative_at(&[x, y], &alpha).unwrap(),
            twice.derivative_at(&[x, y], &alpha).unwrap(),
        );
        let size = once.iter().fold(1.0_f64, |max, v| max.max(v.abs()));
        for (a, b) in once.iter().zip(&twice) {
            prop_assert!((a - b).abs() < 1e-11 * size, "{} {}", a, b);
        }
    }
}

#[test]
fn the_argument_jumps_across_the_cut_only() {
    // Im log ζ around the origin, the cut upwards.
    let angle = ComplexPower::new([0.0, 0.0], 0.0).unwrap().times_log();
    let angle = alone(angle.cut_along(0.5 * PI).unwrap().imaginary());
    let at = |direction: f64| angle.value_at(&[direction.cos(), direction.sin()]).unwrap()[0];
    assert!((at(0.5 * PI - 1e-9) - at(0.5 * PI + 1e-9) - TAU).abs() < 1e-6);
    assert!((at(PI - 1e-9) - at(PI + 1e-9)).abs() < 1e-6);
    assert!(at(-0.5 * PI).abs() < 1e-15);
}

#[test]
fn values_at_the_singularity_are_limits_or_errors() {
    let center = [0.25, 0.5];
    let power = |exponent| ComplexPower::new(center, exponent).unwrap();
    let slope = MultiIndex::new([1, 0]);
    assert_eq!(alone(power(0.5)).value_at(&center).unwrap(), [0.0]);
    assert_eq!(
        alone(power(2.0).times_log()).value_at(&center).unwrap(),
        [0.0]
    );
    assert_eq!(alone(power(0.0)).value_at(&center).unwrap(), [1.0]);
    let line = alone(power(1.0)).derivative_at(&center, &slope).unwrap()[0];
    assert!((line - 1.0).abs() < 1e-15);
    let refused = |basis: Weighted, alpha: &MultiIndex| {
        matches!(
            basis.derivative_at(&center, alpha),
            Err(BasisError::NotFinite { .. })
        )
    };
    assert!(refused(alone(power(0.5)), &slope));
    assert!(refused(alone(power(-1.0)), &MultiIndex::zero(2)));
    assert!(refused(alone(power(0.0).times_log()), &MultiIndex::zero(2)));
    let waves: Arc<dyn Basis> =
        Arc::new(SinusoidalBasis::random(2, 5, &FrequencyLaw::Isotropic(2.0), 3).unwrap());
    let product = Weighted::new([Arc::new(power(0.5)) as _], waves).unwrap();
    assert!(refused(product, &slope));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let factor = || Arc::new(SmoothFactor::new(2, |x| x[0].sin())) as Arc<dyn Factor>;
    let waves: Arc<dyn Basis> =
        Arc::new(SinusoidalBasis::random(3, 5, &FrequencyLaw::Isotropic(2.0), 3).unwrap());
    assert!(matches!(
        Weighted::functions([]),
        Err(BasisError::Empty { .. })
    ));
    assert!(matches!(
        Weighted::new([factor()], waves),
        Err(BasisError::Dimension { .. })
    ));
    let line = Arc::new(SmoothFactor::new(1, |x| x[0].sin())) as Arc<dyn Factor>;
    assert!(matches!(
        Weighted::functions([factor(), line]),
        Err(BasisError::Dimension { .. })
    ));
    assert!(ComplexPower::new([f64::NAN, 0.0], 1.0).is_err());
    assert!(ComplexPower::new([0.0, 0.0], f64::INFINITY).is_err());
    let power = ComplexPower::new([0.0, 0.0], 1.0).unwrap();
    assert!(power.clone().cut_along(f64::NAN).is_err());
    assert!(power.clone().scaled(0.0).is_err());
    assert!(power.scaled(f64::INFINITY).is_err());
    let basis = Weighted::functions([factor()]).unwrap();
    let far = Action::derivative(MultiIndex::new([40, 40]));
    let answer = basis.derivative_at(&[0.1, 0.2], &far.derivative);
    assert!(matches!(answer, Err(BasisError::Unsupported { .. })));
}

#[test]
fn powers_are_saved_and_checked_when_read() {
    let power = ComplexPower::new([0.1, 0.2], 0.5)
        .unwrap()
        .times_log()
        .imaginary();
    let basis = alone(power.cut_along(1.0).unwrap().scaled(2.0).unwrap());
    let saved = basis.to_saved().unwrap();
    let text = serde_json::to_string(&saved).unwrap();
    let read: SavedBasis = serde_json::from_str(&text).unwrap();
    assert_eq!(read, saved);
    let at = [0.7, -0.3];
    assert_eq!(
        read.into_basis().value_at(&at).unwrap(),
        basis.value_at(&at).unwrap()
    );
    for (good, bad) in [
        ("\"scale\":2.0", "\"scale\":-2.0"),
        ("[{", "[{},{"),
        ("0.5", "null"),
    ] {
        let damaged = text.replacen(good, bad, 1);
        assert_ne!(damaged, text);
        assert!(
            serde_json::from_str::<SavedBasis>(&damaged).is_err(),
            "{damaged}"
        );
    }
    // A closure cannot be saved, and neither can what contains one.
    assert!(
        alone(SmoothFactor::new(2, |x| x[0].sin()))
            .to_saved()
            .is_none()
    );
}
