//! Derivatives of tanh of every order, without cancellation in the tails.
//!
//! With t = tanh z and s = 1 − t² = sech² z, the classical recurrence P_{n+1}(t) = (1 − t²) Pₙ′(t)
//! mixes powers of t that cancel as |t| → 1. In terms of s it splits by parity,
//!
//! tanh⁽ⁿ⁾ = Oₙ(s) for odd n,  tanh⁽ⁿ⁾ = t Eₙ(s) for even n ≥ 2,
//!
//! with Oₙ and Eₙ of zero constant term: the tails decay like s with full relative accuracy, since s
//! is computed from an exponential and never as 1 − t².
//!
//! From s′ = −2ts and t′ = s: O₁ = s, E_{n+1} = −2s Oₙ′, O_{n+1} = s Eₙ − 2s(1 − s) Eₙ′.

/// c₀ t + O(s) + t E(s): a combination of derivatives of tanh.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TanhPolynomial {
    /// The coefficient of tanh itself.
    value: f64,
    /// Coefficients of s¹, s², … in O.
    odd: Vec<f64>,
    /// Coefficients of s¹, s², … in E.
    even: Vec<f64>,
}

impl TanhPolynomial {
    /// The n-th derivative of tanh.
    pub(super) fn derivative(n: u32) -> Self {
        if n == 0 {
            return Self {
                value: 1.0,
                ..Self::default()
            };
        }
        let mut coefficients = vec![1.0];
        for order in 1..n {
            coefficients = if order % 2 == 1 {
                odd_to_even(&coefficients)
            } else {
                even_to_odd(&coefficients)
            };
        }
        if n % 2 == 1 {
            Self {
                odd: coefficients,
                ..Self::default()
            }
        } else {
            Self {
                even: coefficients,
                ..Self::default()
            }
        }
    }

    /// Adds a multiple of another combination.
    pub(super) fn add(&mut self, factor: f64, other: &Self) {
        self.value += factor * other.value;
        add_to(&mut self.odd, factor, &other.odd);
        add_to(&mut self.even, factor, &other.even);
    }

    /// Whether every coefficient is finite.
    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && self.odd.iter().chain(&self.even).all(|c| c.is_finite())
    }

    /// The combination at a point where t = tanh z and s = sech² z.
    pub(super) fn at(&self, t: f64, s: f64) -> f64 {
        let odd = s * horner(&self.odd, s);
        let even = s * horner(&self.even, s);
        t * (self.value + even) + odd
    }
}

/// tanh z and sech² z, each with small relative error for every z.
pub(super) fn tanh_sech2(z: f64) -> (f64, f64) {
    let size = z.abs();
    if size < 0.35 {
        // e^{−2|z|} − 1 keeps the digits of small arguments.
        let shrink = (-2.0 * size).exp_m1();
        let t = -shrink / (2.0 + shrink);
        (t.copysign(z), (1.0 - t) * (1.0 + t))
    } else {
        let decay = (-2.0 * size).exp();
        let sum = 1.0 + decay;
        (((1.0 - decay) / sum).copysign(z), 4.0 * decay / (sum * sum))
    }
}

/// E = −2s O′: the coefficient of s^k is −2k times that of O.
fn odd_to_even(odd: &[f64]) -> Vec<f64> {
    odd.iter()
        .enumerate()
        .map(|(i, c)| -2.0 * (i + 1) as f64 * c)
        .collect()
}

/// O = sE − 2s(1 − s)E′: the coefficient of s^k is (2k − 1) E_{k−1} − 2k E_k.
fn even_to_odd(even: &[f64]) -> Vec<f64> {
    (0..=even.len())
        .map(|i| {
            let k = (i + 1) as f64;
            let lower = if i == 0 { 0.0 } else { even[i - 1] };
            let same = even.get(i).copied().unwrap_or(0.0);
            (2.0 * k - 1.0) * lower - 2.0 * k * same
        })
        .collect()
}

fn add_to(target: &mut Vec<f64>, factor: f64, source: &[f64]) {
    if target.len() < source.len() {
        target.resize(source.len(), 0.0);
    }
    for (t, s) in target.iter_mut().zip(source) {
        *t += factor * s;
    }
}

fn horner(coefficients: &[f64], s: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * s + c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    /// The textbook recurrence P_{n+1} = (1 − t²) P′, with exact integer coefficients.
    fn textbook(n: u32) -> Vec<i128> {
        let mut p = vec![0, 1];
        for _ in 0..n {
            let slope: Vec<i128> = (1..p.len()).map(|k| k as i128 * p[k]).collect();
            let mut next = vec![0; slope.len() + 2];
            for (k, c) in slope.iter().enumerate() {
                next[k] += c;
                next[k + 2] -= c;
            }
            p = next;
        }
        p
    }

    #[test]
    fn agrees_with_the_textbook_recurrence_where_that_is_accurate() {
        for n in 0..=12 {
            let exact = textbook(n);
            let value = |t: f64| exact.iter().rev().fold(0.0, |sum, &c| sum * t + c as f64);
            let arguments = (0..=40).map(|i| -1.0 + 0.05 * f64::from(i));
            let size = arguments
                .clone()
                .map(|z| value(z.tanh()).abs())
                .fold(0.0, f64::max);
            for z in arguments {
                let (t, s) = tanh_sech2(z);
                let value = value(t);
                let got = TanhPolynomial::derivative(n).at(t, s);
                assert!(
                    (got - value).abs() <= 2e-13 * size,
                    "n={n} z={z}: {got} {value}"
                );
            }
        }
    }

    /// d^n/dz^n of tanh z = 1 − 2e^{−2z} + 2e^{−4z} − …, term by term.
    fn tail(n: u32, z: f64) -> f64 {
        let power = i32::try_from(n).unwrap();
        let mut sum = 0.0;
        for k in (1..60).rev() {
            let rate = -2.0 * f64::from(k);
            let sign = if k % 2 == 1 { -1.0 } else { 1.0 };
            sum += 2.0 * sign * rate.powi(power) * (rate * z).exp();
        }
        if n == 0 { 1.0 + sum } else { sum }
    }

    #[test]
    fn tails_are_accurate_to_the_last_digits() {
        for n in 0..=10 {
            for z in [3.0, 5.5, 9.0, 17.0, 20.0, 100.0, 300.0] {
                let (t, s) = tanh_sech2(z);
                let got = TanhPolynomial::derivative(n).at(t, s);
                assert_relative_eq!(got, tail(n, z), max_relative = 3e-13);
                let mirrored = TanhPolynomial::derivative(n).at(-t, s);
                assert_eq!(mirrored, if n % 2 == 0 { -got } else { got });
            }
        }
    }

    proptest! {
        #[test]
        fn tanh_and_sech_squared_match_the_library(z in -800.0_f64..800.0, scale in -18_i32..3) {
            let z = z * 10f64.powi(scale);
            let (t, s) = tanh_sech2(z);
            prop_assert!((t - z.tanh()).abs() <= 4.0 * f64::EPSILON * z.tanh().abs());
            let sech = 1.0 / z.cosh();
            prop_assert!((s - sech * sech).abs() <= 1e-13 * sech * sech + 1e-300);
        }
    }

    #[test]
    fn the_ends_of_the_range_are_sound() {
        assert_eq!(tanh_sech2(0.0), (0.0, 1.0));
        assert!(tanh_sech2(-0.0).0.is_sign_negative());
        assert_eq!(tanh_sech2(1e9), (1.0, 0.0));
        assert_eq!(tanh_sech2(-1e9), (-1.0, 0.0));
    }
}
