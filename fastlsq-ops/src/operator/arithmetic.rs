//! Sums, differences and multiples, for values and references alike.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Operator, Term, identity};
use crate::Field;
use crate::error::{require_dim, require_finite};
use crate::references::for_values_and_references;

impl Operator {
    /// a + b, or the first mistake in either.
    fn plus(&self, other: &Self) -> Self {
        let sum = || {
            let (a, b) = (self.body()?, other.body()?);
            require_dim("the second operand of a sum", a.dim, b.dim)?;
            super::collect(a.dim, a.terms.iter().chain(b.terms.iter()).cloned())
        };
        Self::checked(sum())
    }

    /// c(x) times the operator.
    #[must_use]
    pub fn scaled_by(&self, coefficient: &Field) -> Self {
        let product = || {
            let body = self.body()?;
            require_finite("a coefficient", coefficient.factor())?;
            let times = |term: &Term| Term {
                coefficient: coefficient * &term.coefficient,
                action: term.action.clone(),
            };
            super::collect(body.dim, body.terms.iter().map(times))
        };
        Self::checked(product())
    }

    /// The operator with every coefficient divided by a number.
    fn divided_by(&self, number: f64) -> Self {
        let quotient = || {
            let body = self.body()?;
            require_finite("a quotient", 1.0 / number)?;
            let over = |term: &Term| Term {
                coefficient: &term.coefficient / number,
                action: term.action.clone(),
            };
            super::collect(body.dim, body.terms.iter().map(over))
        };
        Self::checked(quotient())
    }

    /// The operator plus c(x) times the identity.
    fn shifted_by(&self, coefficient: &Field) -> Self {
        match self.dim() {
            Ok(dim) => self.plus(&identity(dim).scaled_by(coefficient)),
            Err(_) => self.clone(),
        }
    }
}

impl Neg for Operator {
    type Output = Operator;

    fn neg(self) -> Operator {
        self.scaled_by(&Field::constant(-1.0))
    }
}

impl Neg for &Operator {
    type Output = Operator;

    fn neg(self) -> Operator {
        self.scaled_by(&Field::constant(-1.0))
    }
}

for_values_and_references!(Add, add, Operator, Operator => Operator, |a: &Operator, b: &Operator| {
    a.plus(b)
});
for_values_and_references!(Sub, sub, Operator, Operator => Operator, |a: &Operator, b: &Operator| {
    a.plus(&-b)
});
for_values_and_references!(Add, add, Operator, Field => Operator, |a: &Operator, c: &Field| {
    a.shifted_by(c)
});
for_values_and_references!(Sub, sub, Operator, Field => Operator, |a: &Operator, c: &Field| {
    a.shifted_by(&-c)
});
for_values_and_references!(Add, add, Field, Operator => Operator, |c: &Field, a: &Operator| {
    a.shifted_by(c)
});
for_values_and_references!(Sub, sub, Field, Operator => Operator, |c: &Field, a: &Operator| {
    (-a).shifted_by(c)
});
for_values_and_references!(Mul, mul, Field, Operator => Operator, |c: &Field, a: &Operator| {
    a.scaled_by(c)
});
for_values_and_references!(Add, add, Operator, f64 => Operator, |a: &Operator, c: &f64| {
    a.shifted_by(&Field::constant(*c))
});
for_values_and_references!(Sub, sub, Operator, f64 => Operator, |a: &Operator, c: &f64| {
    a.shifted_by(&Field::constant(-*c))
});
for_values_and_references!(Add, add, f64, Operator => Operator, |c: &f64, a: &Operator| {
    a.shifted_by(&Field::constant(*c))
});
for_values_and_references!(Sub, sub, f64, Operator => Operator, |c: &f64, a: &Operator| {
    (-a).shifted_by(&Field::constant(*c))
});
for_values_and_references!(Mul, mul, f64, Operator => Operator, |c: &f64, a: &Operator| {
    a.scaled_by(&Field::constant(*c))
});
for_values_and_references!(Mul, mul, Operator, f64 => Operator, |a: &Operator, c: &f64| {
    a.scaled_by(&Field::constant(*c))
});
for_values_and_references!(Div, div, Operator, f64 => Operator, |a: &Operator, c: &f64| {
    a.divided_by(*c)
});
