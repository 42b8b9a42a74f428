//! Sums, products and quotients of everything that is an expression.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Expr, Node, whole};
use crate::{Coordinate, Parameter, Unknown};

/// Sums and products of more parts than this are not made into one list.
const LONGEST_LIST: usize = 1_000;

impl Expr {
    /// The sum; nested sums become one.
    pub(crate) fn sum(terms: impl IntoIterator<Item = Expr>) -> Self {
        let mut flat = Vec::new();
        for term in terms {
            match term.node() {
                Node::Sum(inner) if flat.len() + inner.len() <= LONGEST_LIST => {
                    flat.extend(inner.iter().cloned());
                }
                _ => flat.push(term),
            }
        }
        match flat.len() {
            0 => Self::from(0.0),
            1 => flat.swap_remove(0),
            _ => Self::new(Node::Sum(flat)),
        }
    }

    /// The product; nested products become one, with all their numbers as one factor in front.
    pub(crate) fn product(factors: impl IntoIterator<Item = Expr>) -> Self {
        let mut number = 1.0;
        let mut flat = Vec::new();
        for factor in factors {
            match factor.node() {
                Node::Number(value) => number *= value,
                Node::Product(value, inner) if flat.len() + inner.len() <= LONGEST_LIST => {
                    number *= value;
                    inner
                        .iter()
                        .cloned()
                        .for_each(|factor| push(&mut flat, factor));
                }
                _ => push(&mut flat, factor),
            }
        }
        match flat.len() {
            0 => Self::from(number),
            1 if number == 1.0 => flat.swap_remove(0),
            _ => Self::new(Node::Product(number, flat)),
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self.as_number(), other.as_number()) {
            (Some(a), Some(b)) => Self::from(a + b),
            (Some(0.0), _) => other,
            (_, Some(0.0)) => self,
            _ => Self::sum([self, other]),
        }
    }

    fn times(self, other: Self) -> Self {
        Self::product([self, other])
    }

    pub(crate) fn over(self, other: Self) -> Self {
        match (self.as_number(), other.as_number()) {
            (Some(a), Some(b)) => Self::from(a / b),
            (None, Some(b)) if (1.0 / b).is_finite() && b != 0.0 => {
                Self::product([Self::from(1.0 / b), self])
            }
            _ => match self.node() {
                // −(a/b) rather than (−a)/b, which needs parentheses.
                Node::Product(number, _) if number.is_sign_negative() => {
                    Self::new(Node::Quotient(self.negated(), other)).negated()
                }
                _ => Self::new(Node::Quotient(self, other)),
            },
        }
    }

    /// −e: the number in front with the opposite sign.
    pub(crate) fn negated(self) -> Self {
        Self::product([Self::from(-1.0), self])
    }
}

/// Appends a factor; a scalar equal to the one before raises its power: x x is x².
fn push(factors: &mut Vec<Expr>, factor: Expr) {
    if let Some(last) = factors.last_mut()
        && let (Some((base, n)), Some((other, m))) = (repeated(last), repeated(&factor))
        && base == other
    {
        *last = base.powi(n + m);
    } else {
        factors.push(factor);
    }
}

/// The base and the exponent of a small whole power of something that is certainly a scalar.
fn repeated(factor: &Expr) -> Option<(&Expr, i32)> {
    match factor.node() {
        Node::Unknown(_)
        | Node::Coordinate(_)
        | Node::Parameter(_)
        | Node::Given(_)
        | Node::Elementary(..) => Some((factor, 1)),
        Node::Derivative(inner, _) => repeated(inner).map(|_| (factor, 1)),
        Node::Power(base, exponent) => {
            let n = whole(*exponent).filter(|n| (2..100).contains(n))?;
            repeated(base).map(|_| (base, n))
        }
        _ => None,
    }
}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        // One zero, so that equal numbers print alike.
        let value = if value == 0.0 { 0.0 } else { value };
        Self::new(Node::Number(value))
    }
}

impl From<Unknown> for Expr {
    fn from(unknown: Unknown) -> Self {
        Self::new(Node::Unknown(unknown))
    }
}

impl From<Coordinate> for Expr {
    fn from(coordinate: Coordinate) -> Self {
        Self::new(Node::Coordinate(coordinate))
    }
}

impl From<Parameter> for Expr {
    fn from(parameter: Parameter) -> Self {
        Self::new(Node::Parameter(parameter))
    }
}

impl From<&Expr> for Expr {
    fn from(expression: &Expr) -> Self {
        expression.clone()
    }
}

impl<E: Into<Expr>, const N: usize> From<[E; N]> for Expr {
    /// A vector with these components.
    fn from(components: [E; N]) -> Self {
        super::vector(components)
    }
}

impl<F: Fn(&[f64]) -> f64 + Send + Sync + 'static> From<F> for Expr {
    /// A given function of the point. The argument's type must be written: `|x: &[f64]| …`;
    /// [`given`](super::given) needs no type, and gives the function a name.
    fn from(function: F) -> Self {
        super::given("f", function)
    }
}

/// A binary operation between two types of operands.
macro_rules! operation {
    ($op:ident, $method:ident, $body:ident: $($left:ty, $right:ty;)*) => {$(
        impl $op<$right> for $left {
            type Output = Expr;
            fn $method(self, other: $right) -> Expr {
                $body(Expr::from(self), Expr::from(other))
            }
        }
    )*};
}

/// All operations between a type and those that follow it in the list, both ways.
macro_rules! operations {
    ($($left:ty, $right:ty;)*) => {
        operation!(Add, add, add_expr: $($left, $right;)*);
        operation!(Sub, sub, sub_expr: $($left, $right;)*);
        operation!(Mul, mul, mul_expr: $($left, $right;)*);
        operation!(Div, div, div_expr: $($left, $right;)*);
    };
}

fn add_expr(a: Expr, b: Expr) -> Expr {
    a.plus(b)
}

fn sub_expr(a: Expr, b: Expr) -> Expr {
    a.plus(b.negated())
}

fn mul_expr(a: Expr, b: Expr) -> Expr {
    a.times(b)
}

fn div_expr(a: Expr, b: Expr) -> Expr {
    a.over(b)
}

operations! {
    Expr, Expr; Expr, &Expr; Expr, Unknown; Expr, Coordinate; Expr, Parameter; Expr, f64;
    &Expr, Expr; &Expr, &Expr; &Expr, Unknown; &Expr, Coordinate; &Expr, Parameter; &Expr, f64;
    Unknown, Expr; Unknown, &Expr; Unknown, Unknown; Unknown, Coordinate; Unknown, Parameter; Unknown, f64;
    Coordinate, Expr; Coordinate, &Expr; Coordinate, Unknown; Coordinate, Coordinate; Coordinate, Parameter; Coordinate, f64;
    Parameter, Expr; Parameter, &Expr; Parameter, Unknown; Parameter, Coordinate; Parameter, Parameter; Parameter, f64;
    f64, Expr; f64, &Expr; f64, Unknown; f64, Coordinate; f64, Parameter;
}

macro_rules! handles {
    ($($handle:ty),*) => {$(
        impl Neg for $handle {
            type Output = Expr;
            fn neg(self) -> Expr {
                Expr::from(self).negated()
            }
        }
    )*};
}
handles!(Expr, &Expr, Unknown, Coordinate, Parameter);

/// What every handle can do as an expression.
macro_rules! methods {
    ($($handle:ident),*) => {$(
        impl $handle {
            /// The derivative along a coordinate.
            #[must_use]
            pub fn d(self, along: Coordinate) -> Expr {
                Expr::from(self).d(along)
            }

            /// The n-th power.
            #[must_use]
            pub fn powi(self, n: i32) -> Expr {
                Expr::from(self).powi(n)
            }

            /// The power with a real exponent.
            #[must_use]
            pub fn powf(self, exponent: f64) -> Expr {
                Expr::from(self).powf(exponent)
            }
        }
    )*};
}
methods!(Unknown, Coordinate, Parameter);

impl std::iter::Sum for Expr {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        Expr::sum(terms)
    }
}

impl std::iter::Product for Expr {
    fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
        Expr::product(factors)
    }
}
