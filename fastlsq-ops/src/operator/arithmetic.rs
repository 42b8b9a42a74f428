//! Sums, differences and multiples, for values and references alike.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Operator, Term, identity};
use crate::Field;
use crate::error::require_dim;

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
            let times = |term: &Term| Term {
                coefficient: coefficient * &term.coefficient,
                action: term.action.clone(),
            };
            super::collect(body.dim, body.terms.iter().map(times))
        };
        Self::checked(product())
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

/// Implements an operation for every mix of values and references.
macro_rules! for_values_and_references {
    ($op:ident, $method:ident, $left:ty, $right:ty, $body:expr) => {
        for_values_and_references!(@one $op, $method, $left, $right, $body);
        for_values_and_references!(@one $op, $method, $left, &$right, $body);
        for_values_and_references!(@one $op, $method, &$left, $right, $body);
        for_values_and_references!(@one $op, $method, &$left, &$right, $body);
    };
    (@one $op:ident, $method:ident, $left:ty, $right:ty, $body:expr) => {
        impl $op<$right> for $left {
            type Output = Operator;

            fn $method(self, other: $right) -> Operator {
                $body(&self, &other)
            }
        }
    };
}

for_values_and_references!(
    Add,
    add,
    Operator,
    Operator,
    |a: &Operator, b: &Operator| a.plus(b)
);
for_values_and_references!(
    Sub,
    sub,
    Operator,
    Operator,
    |a: &Operator, b: &Operator| a.plus(&-b)
);
for_values_and_references!(Add, add, Operator, Field, |a: &Operator, c: &Field| a
    .shifted_by(c));
for_values_and_references!(Sub, sub, Operator, Field, |a: &Operator, c: &Field| a
    .shifted_by(&-c));
for_values_and_references!(Mul, mul, Field, Operator, |c: &Field, a: &Operator| a
    .scaled_by(c));
for_values_and_references!(Add, add, Operator, f64, |a: &Operator, c: &f64| a
    .shifted_by(&(*c).into()));
for_values_and_references!(Sub, sub, Operator, f64, |a: &Operator, c: &f64| a
    .shifted_by(&(-*c).into()));
for_values_and_references!(Add, add, f64, Operator, |c: &f64, a: &Operator| a
    .shifted_by(&(*c).into()));
for_values_and_references!(Sub, sub, f64, Operator, |c: &f64, a: &Operator| (-a)
    .shifted_by(&(*c).into()));
for_values_and_references!(Mul, mul, f64, Operator, |c: &f64, a: &Operator| a
    .scaled_by(&(*c).into()));
for_values_and_references!(Mul, mul, Operator, f64, |a: &Operator, c: &f64| a
    .scaled_by(&(*c).into()));
for_values_and_references!(Div, div, Operator, f64, |a: &Operator, c: &f64| a
    .scaled_by(&(1.0 / *c).into()));
