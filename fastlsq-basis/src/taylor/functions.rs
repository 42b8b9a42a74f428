//! Elementary functions of Taylor polynomials.
//!
//! f(a + δ) = Σ cₙ δⁿ with the Taylor coefficients cₙ of f at a, by Horner's rule; δ has no value, so that the sum ends
//! with the degree that is kept.

use super::Taylor;

impl Taylor {
    /// Σ cₙ δⁿ for the coefficients that `series` gives for n = 0 … degree.
    fn compose(&self, series: impl FnOnce(f64, usize) -> Vec<f64>) -> Self {
        let degree = self.layout.as_ref().map_or(0, |layout| layout.degree());
        let coefficients = series(self.value(), degree as usize);
        let delta = self.shift(-self.value());
        let mut terms = coefficients.into_iter().rev();
        let last = terms.next().unwrap_or(f64::NAN);
        let start = match &self.layout {
            None => Self::constant(last),
            Some(layout) => {
                let mut constant = vec![0.0; layout.len()];
                constant[0] = last;
                self.with(constant)
            }
        };
        terms.fold(start, |sum, c| (&sum * &delta).shift(c))
    }

    /// selfᵖ for a real p.
    #[must_use]
    pub fn powf(&self, p: f64) -> Self {
        self.compose(|a, degree| {
            // cₙ₊₁ = cₙ (p − n)/((n + 1) a)
            let mut c = a.powf(p);
            let next = |n: usize| {
                let here = c;
                c *= (p - n as f64) / ((n as f64 + 1.0) * a);
                here
            };
            (0..=degree).map(next).collect()
        })
    }

    /// selfⁿ for an integer n.
    #[must_use]
    pub fn powi(&self, n: i32) -> Self {
        self.compose(|a, degree| {
            let mut binomial = 1.0;
            (0..=degree)
                .map(|k| {
                    let rest = n.saturating_sub(i32::try_from(k).unwrap_or(i32::MAX));
                    let term = if binomial == 0.0 {
                        0.0
                    } else {
                        binomial * a.powi(rest)
                    };
                    binomial *= f64::from(rest) / (k as f64 + 1.0);
                    term
                })
                .collect()
        })
    }

    /// √self.
    #[must_use]
    pub fn sqrt(&self) -> Self {
        self.powf(0.5)
    }

    /// 1/self.
    #[must_use]
    pub fn recip(&self) -> Self {
        self.powi(-1)
    }

    /// e^self.
    #[must_use]
    pub fn exp(&self) -> Self {
        self.compose(|a, degree| {
            let mut c = a.exp();
            let next = |n: usize| {
                let here = c;
                c /= n as f64 + 1.0;
                here
            };
            (0..=degree).map(next).collect()
        })
    }

    /// The natural logarithm.
    #[must_use]
    pub fn ln(&self) -> Self {
        self.compose(|a, degree| {
            let mut power = -1.0;
            let mut coefficients = vec![a.ln()];
            for n in 1..=degree {
                power *= -1.0 / a;
                coefficients.push(power / n as f64);
            }
            coefficients
        })
    }

    /// sin.
    #[must_use]
    pub fn sin(&self) -> Self {
        self.compose(|a, degree| {
            let (sin, cos) = a.sin_cos();
            cyclic([sin, cos, -sin, -cos], degree)
        })
    }

    /// cos.
    #[must_use]
    pub fn cos(&self) -> Self {
        self.compose(|a, degree| {
            let (sin, cos) = a.sin_cos();
            cyclic([cos, -sin, -cos, sin], degree)
        })
    }

    /// tan.
    #[must_use]
    pub fn tan(&self) -> Self {
        self.compose(|a, degree| riccati(a.tan(), 1.0, degree))
    }

    /// tanh.
    #[must_use]
    pub fn tanh(&self) -> Self {
        self.compose(|a, degree| riccati(a.tanh(), -1.0, degree))
    }

    /// sinh.
    #[must_use]
    pub fn sinh(&self) -> Self {
        self.compose(|a, degree| cyclic([a.sinh(), a.cosh(), a.sinh(), a.cosh()], degree))
    }

    /// cosh.
    #[must_use]
    pub fn cosh(&self) -> Self {
        self.compose(|a, degree| cyclic([a.cosh(), a.sinh(), a.cosh(), a.sinh()], degree))
    }

    /// arctan.
    #[must_use]
    pub fn atan(&self) -> Self {
        self.compose(|a, degree| {
            // y′ (1 + x²) = 1: with q = 1 + a² + 2ah + h², the coefficients dₙ of y′ satisfy Σ dₙ₋ₖ qₖ = [n = 0].
            let q = 1.0 + a * a;
            let mut slopes: Vec<f64> = Vec::with_capacity(degree);
            for n in 0..degree {
                let before = |k: usize| n.checked_sub(k).map_or(0.0, |m| slopes[m]);
                let unit = if n == 0 { 1.0 } else { 0.0 };
                let slope = (unit - 2.0 * a * before(1) - before(2)) / q;
                slopes.push(slope);
            }
            let integrated = slopes.iter().enumerate().map(|(n, d)| d / (n as f64 + 1.0));
            std::iter::once(a.atan()).chain(integrated).collect()
        })
    }

    /// |self|, the sign taken at the value.
    #[must_use]
    pub fn abs(&self) -> Self {
        self.scale(if self.value() < 0.0 { -1.0 } else { 1.0 })
    }
}

/// Coefficients of a function whose derivatives repeat after four.
fn cyclic(derivatives: [f64; 4], degree: usize) -> Vec<f64> {
    let mut factorial = 1.0;
    (0..=degree)
        .map(|n| {
            factorial *= n.max(1) as f64;
            derivatives[n % 4] / factorial
        })
        .collect()
}

/// Coefficients of the solution of y′ = 1 + s y² with a given value: tan (s = 1), tanh (s = −1).
fn riccati(value: f64, sign: f64, degree: usize) -> Vec<f64> {
    let mut c = vec![value];
    for n in 0..degree {
        let square: f64 = (0..=n).map(|k| c[k] * c[n - k]).sum();
        let unit = if n == 0 { 1.0 } else { 0.0 };
        c.push((unit + sign * square) / (n as f64 + 1.0));
    }
    c
}
