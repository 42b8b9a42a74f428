//! + − × ÷ of Taylor polynomials, with each other and with numbers.

use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

use super::Taylor;

impl Taylor {
    /// The same layout, other coefficients.
    pub(super) fn with(&self, coefficients: Vec<f64>) -> Self {
        Self {
            layout: self.layout.clone(),
            coefficients,
        }
    }

    pub(super) fn scale(&self, factor: f64) -> Self {
        self.with(self.coefficients.iter().map(|c| factor * c).collect())
    }

    pub(super) fn shift(&self, by: f64) -> Self {
        let mut shifted = self.clone();
        if let Some(value) = shifted.coefficients.first_mut() {
            *value += by;
        }
        shifted
    }

    fn plus(&self, other: &Self, sign: f64) -> Self {
        match (&self.layout, &other.layout) {
            (_, None) => self.shift(sign * other.value()),
            (None, Some(_)) => other.scale(sign).shift(self.value()),
            (Some(_), Some(_)) => {
                let pairs = self.coefficients.iter().zip(&other.coefficients);
                self.with(pairs.map(|(a, b)| a + sign * b).collect())
            }
        }
    }

    fn times(&self, other: &Self) -> Self {
        match (&self.layout, &other.layout) {
            (_, None) => self.scale(other.value()),
            (None, Some(_)) => other.scale(self.value()),
            // Numbers of different computations cannot meet: closures get all theirs from one call.
            (Some(layout), Some(theirs)) if Arc::ptr_eq(layout, theirs) => {
                self.with(layout.multiply(&self.coefficients, &other.coefficients))
            }
            (Some(_), Some(_)) => self.scale(f64::NAN),
        }
    }
}

impl Neg for &Taylor {
    type Output = Taylor;
    fn neg(self) -> Taylor {
        self.scale(-1.0)
    }
}

impl Neg for Taylor {
    type Output = Self;
    fn neg(self) -> Self {
        self.scale(-1.0)
    }
}

/// An operator between all of: numbers by value, by reference, and plain f64.
macro_rules! operators {
    ($($trait:ident $method:ident: $a:ident, $b:ident => $result:expr;)*) => {$(
        impl $trait<&Taylor> for &Taylor {
            type Output = Taylor;
            fn $method(self, other: &Taylor) -> Taylor {
                let ($a, $b) = (self, other);
                $result
            }
        }
        impl $trait<Taylor> for &Taylor {
            type Output = Taylor;
            fn $method(self, other: Taylor) -> Taylor {
                $trait::$method(self, &other)
            }
        }
        impl $trait<&Taylor> for Taylor {
            type Output = Taylor;
            fn $method(self, other: &Taylor) -> Taylor {
                $trait::$method(&self, other)
            }
        }
        impl $trait for Taylor {
            type Output = Taylor;
            fn $method(self, other: Taylor) -> Taylor {
                $trait::$method(&self, &other)
            }
        }
        impl $trait<f64> for &Taylor {
            type Output = Taylor;
            fn $method(self, other: f64) -> Taylor {
                $trait::$method(self, &Taylor::constant(other))
            }
        }
        impl $trait<f64> for Taylor {
            type Output = Taylor;
            fn $method(self, other: f64) -> Taylor {
                $trait::$method(&self, &Taylor::constant(other))
            }
        }
        impl $trait<&Taylor> for f64 {
            type Output = Taylor;
            fn $method(self, other: &Taylor) -> Taylor {
                $trait::$method(&Taylor::constant(self), other)
            }
        }
        impl $trait<Taylor> for f64 {
            type Output = Taylor;
            fn $method(self, other: Taylor) -> Taylor {
                $trait::$method(&Taylor::constant(self), &other)
            }
        }
    )*};
}

operators! {
    Add add: a, b => a.plus(b, 1.0);
    Sub sub: a, b => a.plus(b, -1.0);
    Mul mul: a, b => a.times(b);
    Div div: a, b => a.times(&b.recip());
}
