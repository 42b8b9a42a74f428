//! Numbers with exact first and second derivatives, for functions given as Rust code.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The numbers that a function given as Rust code computes with.
pub type Real = HyperDual;

/// A number a + b ε₁ + c ε₂ + d ε₁ε₂ with ε₁² = ε₂² = 0: a value with its first derivatives along two directions and
/// their mixed second one, exact to rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HyperDual {
    value: f64,
    first: [f64; 2],
    mixed: f64,
}

impl HyperDual {
    /// A number that depends on nothing.
    #[must_use]
    pub const fn constant(value: f64) -> Self {
        Self {
            value,
            first: [0.0; 2],
            mixed: 0.0,
        }
    }

    /// The argument itself, with its slopes along the two directions.
    #[must_use]
    pub const fn variable(value: f64, first: [f64; 2]) -> Self {
        Self {
            value,
            first,
            mixed: 0.0,
        }
    }

    /// The value.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The derivative along one of the two directions.
    #[must_use]
    pub fn slope(&self, direction: usize) -> f64 {
        self.first.get(direction).copied().unwrap_or(0.0)
    }

    /// The mixed second derivative.
    #[must_use]
    pub const fn mixed(&self) -> f64 {
        self.mixed
    }

    /// f(self), given f, f′ and f″ at the value.
    #[must_use]
    pub fn chain(self, value: f64, first: f64, second: f64) -> Self {
        let [a, b] = self.first;
        Self {
            value,
            first: [first * a, first * b],
            mixed: first * self.mixed + second * a * b,
        }
    }

    /// selfⁿ for an integer n.
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        let (x, k) = (self.value, f64::from(n));
        let first = match n {
            0 => 0.0,
            _ => k * x.powi(n.saturating_sub(1)),
        };
        let second = match n {
            0 | 1 => 0.0,
            _ => k * (k - 1.0) * x.powi(n.saturating_sub(2)),
        };
        self.chain(x.powi(n), first, second)
    }

    /// selfᵖ for a real p.
    #[must_use]
    pub fn powf(self, p: f64) -> Self {
        let x = self.value;
        // A factor 0 stays 0 where the power is infinite: (x¹)″ at 0.
        let times = |factor: f64, power: f64| match factor {
            0.0 => 0.0,
            _ => factor * x.powf(power),
        };
        let second = times(p * (p - 1.0), p - 2.0);
        self.chain(x.powf(p), times(p, p - 1.0), second)
    }

    /// √self.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root, -0.25 / (root * self.value))
    }

    /// e^self.
    #[must_use]
    pub fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value, value)
    }

    /// The natural logarithm.
    #[must_use]
    pub fn ln(self) -> Self {
        let slope = 1.0 / self.value;
        self.chain(self.value.ln(), slope, -slope * slope)
    }

    /// sin.
    #[must_use]
    pub fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(sin, cos, -sin)
    }

    /// cos.
    #[must_use]
    pub fn cos(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(cos, -sin, -cos)
    }

    /// tan.
    #[must_use]
    pub fn tan(self) -> Self {
        let tan = self.value.tan();
        let slope = 1.0 + tan * tan;
        self.chain(tan, slope, 2.0 * tan * slope)
    }

    /// arctan.
    #[must_use]
    pub fn atan(self) -> Self {
        let slope = 1.0 / (1.0 + self.value * self.value);
        self.chain(self.value.atan(), slope, -2.0 * self.value * slope * slope)
    }

    /// sinh.
    #[must_use]
    pub fn sinh(self) -> Self {
        let (sinh, cosh) = (self.value.sinh(), self.value.cosh());
        self.chain(sinh, cosh, sinh)
    }

    /// cosh.
    #[must_use]
    pub fn cosh(self) -> Self {
        let (sinh, cosh) = (self.value.sinh(), self.value.cosh());
        self.chain(cosh, sinh, cosh)
    }

    /// tanh.
    #[must_use]
    pub fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        let slope = 1.0 / self.value.cosh().powi(2);
        self.chain(tanh, slope, -2.0 * tanh * slope)
    }

    /// |self|, with derivative 0 at 0.
    #[must_use]
    pub fn abs(self) -> Self {
        let sign = if self.value == 0.0 {
            0.0
        } else {
            self.value.signum()
        };
        self.chain(self.value.abs(), sign, 0.0)
    }

    /// 1/self.
    #[must_use]
    pub fn recip(self) -> Self {
        let value = 1.0 / self.value;
        self.chain(value, -value * value, 2.0 * value.powi(3))
    }
}

impl From<f64> for HyperDual {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl Neg for HyperDual {
    type Output = Self;
    fn neg(self) -> Self {
        self.chain(-self.value, -1.0, 0.0)
    }
}

impl Add for HyperDual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            first: [
                self.first[0] + other.first[0],
                self.first[1] + other.first[1],
            ],
            mixed: self.mixed + other.mixed,
        }
    }
}

impl Sub for HyperDual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for HyperDual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let first = |k: usize| self.first[k] * other.value + self.value * other.first[k];
        Self {
            value: self.value * other.value,
            first: [first(0), first(1)],
            mixed: self.mixed * other.value
                + self.first[0] * other.first[1]
                + self.first[1] * other.first[0]
                + self.value * other.mixed,
        }
    }
}

impl Div for HyperDual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        // From q b = a: q′ = (a′ − q b′)/b, and once more.
        let b = other.value;
        let value = self.value / b;
        let first = [0, 1].map(|k| (self.first[k] - value * other.first[k]) / b);
        let products = first[0] * other.first[1] + first[1] * other.first[0];
        Self {
            value,
            first,
            mixed: (self.mixed - products - value * other.mixed) / b,
        }
    }
}

macro_rules! with_numbers {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait<f64> for HyperDual {
            type Output = Self;
            fn $method(self, other: f64) -> Self {
                $trait::$method(self, Self::constant(other))
            }
        }
        impl $trait<HyperDual> for f64 {
            type Output = HyperDual;
            fn $method(self, other: HyperDual) -> HyperDual {
                $trait::$method(HyperDual::constant(self), other)
            }
        }
    )*};
}
with_numbers!(Add add, Sub sub, Mul mul, Div div);
