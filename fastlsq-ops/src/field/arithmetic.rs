//! Products and multiples of fields, for values and references alike.

use std::ops::{Div, Mul, Neg};

use super::Field;
use crate::references::for_values_and_references;

impl Field {
    fn times(&self, other: &Field) -> Field {
        Field {
            factor: self.factor * other.factor,
            functions: [self.functions.as_slice(), &other.functions].concat(),
        }
    }

    fn scaled(&self, number: f64) -> Field {
        self.with_factor(number * self.factor)
    }
}

for_values_and_references!(Mul, mul, Field, Field => Field, |a: &Field, b: &Field| a.times(b));
for_values_and_references!(Mul, mul, Field, f64 => Field, |a: &Field, c: &f64| a.scaled(*c));
for_values_and_references!(Mul, mul, f64, Field => Field, |c: &f64, a: &Field| a.scaled(*c));
for_values_and_references!(Div, div, Field, f64 => Field, |a: &Field, c: &f64| {
    a.with_factor(a.factor / *c)
});

impl Neg for Field {
    type Output = Field;

    fn neg(self) -> Field {
        self.scaled(-1.0)
    }
}

impl Neg for &Field {
    type Output = Field;

    fn neg(self) -> Field {
        self.scaled(-1.0)
    }
}
