//! Dual numbers: a value together with its exact partial derivatives.
//!
//! a + Σ aₖεₖ with εₖεₗ = 0. A function written for ordinary numbers, evaluated with dual ones,
//! returns its derivatives along with its value, to rounding. Residuals of nonlinear equations and
//! parametrised data are differentiated this way.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number with K partial derivatives.
///
/// ```
/// use fastlsq_basis::Dual;
/// let x = Dual::<2>::variable(3.0, 0);
/// let y = Dual::<2>::variable(2.0, 1);
/// let z = 2.0 * x * x + (x * y).sin();
/// assert_eq!(z.value(), 18.0 + 6f64.sin());
/// assert_eq!(z.slope(0), 12.0 + 2.0 * 6f64.cos());
/// assert_eq!(z.slope(1), 3.0 * 6f64.cos());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<const K: usize> {
    value: f64,
    slopes: [f64; K],
}

impl<const K: usize> Dual<K> {
    /// A number that does not depend on any variable.
    #[must_use]
    pub const fn constant(value: f64) -> Self {
        Self {
            value,
            slopes: [0.0; K],
        }
    }

    /// The variable with this index (a constant if there is no such variable).
    #[must_use]
    pub fn variable(value: f64, index: usize) -> Self {
        let mut number = Self::constant(value);
        if let Some(slope) = number.slopes.get_mut(index) {
            *slope = 1.0;
        }
        number
    }

    /// The value.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The derivative with respect to one variable (0 if there is no such variable).
    #[must_use]
    pub fn slope(&self, index: usize) -> f64 {
        self.slopes.get(index).copied().unwrap_or(0.0)
    }

    /// All derivatives.
    #[must_use]
    pub const fn slopes(&self) -> &[f64; K] {
        &self.slopes
    }

    /// Whether value and derivatives are all finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.slopes.iter().all(|slope| slope.is_finite())
    }

    /// f(self), given f and f′ at the value.
    #[must_use]
    pub fn chain(self, value: f64, derivative: f64) -> Self {
        Self {
            value,
            slopes: self.slopes.map(|slope| derivative * slope),
        }
    }

    /// selfⁿ for an integer n.
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        match n {
            0 => Self::constant(1.0),
            _ => self.chain(self.value.powi(n), f64::from(n) * self.value.powi(n - 1)),
        }
    }

    /// selfᵖ for a real p.
    #[must_use]
    pub fn powf(self, p: f64) -> Self {
        self.chain(self.value.powf(p), p * self.value.powf(p - 1.0))
    }

    /// √self.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root)
    }

    /// e^self.
    #[must_use]
    pub fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value)
    }

    /// The natural logarithm.
    #[must_use]
    pub fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }

    /// sin.
    #[must_use]
    pub fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(sin, cos)
    }

    /// cos.
    #[must_use]
    pub fn cos(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(cos, -sin)
    }

    /// tan.
    #[must_use]
    pub fn tan(self) -> Self {
        let tan = self.value.tan();
        self.chain(tan, 1.0 + tan * tan)
    }

    /// arctan.
    #[must_use]
    pub fn atan(self) -> Self {
        self.chain(self.value.atan(), 1.0 / (1.0 + self.value * self.value))
    }

    /// sinh.
    #[must_use]
    pub fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh())
    }

    /// cosh.
    #[must_use]
    pub fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh())
    }

    /// tanh.
    #[must_use]
    pub fn tanh(self) -> Self {
        let sech = 1.0 / self.value.cosh();
        self.chain(self.value.tanh(), sech * sech)
    }

    /// |self|, with derivative 0 at 0.
    #[must_use]
    pub fn abs(self) -> Self {
        let sign = if self.value == 0.0 {
            0.0
        } else {
            self.value.signum()
        };
        self.chain(self.value.abs(), sign)
    }

    /// √(self² + other²).
    #[must_use]
    pub fn hypot(self, other: Self) -> Self {
        let value = self.value.hypot(other.value);
        self.combine(other, value, self.value / value, other.value / value)
    }

    /// The angle of the point (other, self) of the plane.
    #[must_use]
    pub fn atan2(self, other: Self) -> Self {
        let square = self.value * self.value + other.value * other.value;
        let value = self.value.atan2(other.value);
        self.combine(other, value, other.value / square, -self.value / square)
    }

    /// The larger of the two, with its derivatives.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other.value > self.value {
            other
        } else {
            self
        }
    }

    /// The smaller of the two, with its derivatives.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other.value < self.value {
            other
        } else {
            self
        }
    }

    /// 1/self.
    #[must_use]
    pub fn recip(self) -> Self {
        let value = 1.0 / self.value;
        self.chain(value, -value * value)
    }

    fn combine(self, other: Self, value: f64, a: f64, b: f64) -> Self {
        let mut slopes = self.slopes;
        for (slope, theirs) in slopes.iter_mut().zip(other.slopes) {
            *slope = a * *slope + b * theirs;
        }
        Self { value, slopes }
    }
}

impl<const K: usize> From<f64> for Dual<K> {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl<const K: usize> Neg for Dual<K> {
    type Output = Self;
    fn neg(self) -> Self {
        self.chain(-self.value, -1.0)
    }
}

impl<const K: usize> Add for Dual<K> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.combine(other, self.value + other.value, 1.0, 1.0)
    }
}

impl<const K: usize> Sub for Dual<K> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.combine(other, self.value - other.value, 1.0, -1.0)
    }
}

impl<const K: usize> Mul for Dual<K> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.combine(other, self.value * other.value, other.value, self.value)
    }
}

impl<const K: usize> Div for Dual<K> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        self.combine(other, quotient, 1.0 / other.value, -quotient / other.value)
    }
}

macro_rules! with_numbers {
    ($($trait:ident $method:ident),*) => {$(
        impl<const K: usize> $trait<f64> for Dual<K> {
            type Output = Self;
            fn $method(self, other: f64) -> Self {
                $trait::$method(self, Self::constant(other))
            }
        }
        impl<const K: usize> $trait<Dual<K>> for f64 {
            type Output = Dual<K>;
            fn $method(self, other: Dual<K>) -> Dual<K> {
                $trait::$method(Dual::constant(self), other)
            }
        }
    )*};
}
with_numbers!(Add add, Sub sub, Mul mul, Div div);

impl<const K: usize> AddAssign for Dual<K> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const K: usize> SubAssign for Dual<K> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const K: usize> MulAssign for Dual<K> {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl<const K: usize> DivAssign for Dual<K> {
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}

impl<const K: usize> std::iter::Sum for Dual<K> {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::constant(0.0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type D = Dual<2>;

    /// Every operation, at arguments where all are smooth.
    fn sample(x: D, y: D) -> D {
        let mut total = (x * y).sin() + (x / y).cos() * 2.0 - 0.5 / x + y.powi(3) - x.powi(-2);
        total += (x + y).sqrt() * x.exp().ln() + (0.3 * y).tan() - x.atan();
        total -= y.sinh() * x.cosh() / (1.0 + y.tanh());
        total *= (x - 3.0).abs().powf(1.5) + y.recip() + x.hypot(y) * x.atan2(y);
        total += (x + y).max(y) * (x + y).min(x);
        -total
    }

    proptest! {
        #[test]
        fn slopes_agree_with_differences(x in 0.5..2.0f64, y in 0.5..2.0f64) {
            let at = |x: f64, y: f64| sample(D::constant(x), D::constant(y)).value();
            let exact = sample(D::variable(x, 0), D::variable(y, 1));
            let h = 1e-3;
            // Central differences of order six.
            let slope = |f: &dyn Fn(f64) -> f64| {
                (45.0 * (f(h) - f(-h)) - 9.0 * (f(2.0 * h) - f(-2.0 * h)) + f(3.0 * h) - f(-3.0 * h))
                    / (60.0 * h)
            };
            let scale = 1.0 + exact.slope(0).abs() + exact.slope(1).abs();
            prop_assert!((slope(&|d| at(x + d, y)) - exact.slope(0)).abs() < 1e-9 * scale);
            prop_assert!((slope(&|d| at(x, y + d)) - exact.slope(1)).abs() < 1e-9 * scale);
            prop_assert_eq!(at(x, y), exact.value());
        }
    }

    #[test]
    fn edge_cases() {
        assert_eq!(D::variable(0.0, 0).powi(0).slope(0), 0.0);
        assert_eq!(D::variable(0.0, 0).powi(1).slope(0), 1.0);
        assert_eq!(D::variable(0.0, 0).abs().slope(0), 0.0);
        assert_eq!(D::variable(1.0, 7), D::constant(1.0));
        assert_eq!(
            [D::constant(1.0), D::variable(2.0, 1)]
                .into_iter()
                .sum::<D>()
                .value(),
            3.0
        );
        assert!(!D::variable(0.0, 0).ln().is_finite());
    }
}
