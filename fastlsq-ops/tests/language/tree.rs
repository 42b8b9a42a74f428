//! Random smooth expressions with an independent meaning: the same formula on any kind of number.

use std::ops::{Add, Div, Mul, Sub};

use fastlsq_basis::Dual;
use fastlsq_ops::{
    Expr, HyperDual, Parameter, Unknown, X, Y, abs, acos, asin, atan, cos, cosh, exp, ln,
    parameter, sign, sin, sinh, sqrt, tan, tanh, unknown,
};
use proptest::prelude::*;

/// What the formulas are evaluated with.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + From<f64>
{
    fn elementary(self, function: Function) -> Self;
    fn power(self, exponent: f64) -> Self;
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Sqrt,
    Abs,
    Sign,
}

impl Function {
    const ALL: [Self; 14] = [
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Asin,
        Self::Acos,
        Self::Atan,
        Self::Sinh,
        Self::Cosh,
        Self::Tanh,
        Self::Exp,
        Self::Ln,
        Self::Sqrt,
        Self::Abs,
        Self::Sign,
    ];
}

macro_rules! number {
    ($number:ty $(, $k:ident)?) => {
        impl$(<const $k: usize>)? Number for $number {
            fn elementary(self, function: Function) -> Self {
                let one = <$number>::from(1.0);
                let arc = |x: Self| (x / (one - x * x).sqrt()).atan();
                match function {
                    Function::Sin => self.sin(),
                    Function::Cos => self.cos(),
                    Function::Tan => self.tan(),
                    Function::Asin => arc(self),
                    Function::Acos => <$number>::from(std::f64::consts::FRAC_PI_2) - arc(self),
                    Function::Atan => self.atan(),
                    Function::Sinh => self.sinh(),
                    Function::Cosh => self.cosh(),
                    Function::Tanh => self.tanh(),
                    Function::Exp => self.exp(),
                    Function::Ln => self.ln(),
                    Function::Sqrt => self.sqrt(),
                    Function::Abs => self.abs(),
                    Function::Sign => <$number>::from(self.value().signum()),
                }
            }

            fn power(self, exponent: f64) -> Self {
                if exponent.fract() == 0.0 {
                    self.powi(exponent as i32)
                } else {
                    self.powf(exponent)
                }
            }
        }
    };
}
number!(Dual<K>, K);
number!(HyperDual);

/// A formula in x, y, the unknowns u and v, and the parameters k and q.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Number(f64),
    /// x, y, u, v, k, q.
    Leaf(usize),
    Add(Box<Tree>, Box<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Mul(Box<Tree>, Box<Tree>),
    /// a/(1.5 + sin b), which is never far from a.
    Div(Box<Tree>, Box<Tree>),
    /// (1.5 + sin a)ᵖ.
    Power(Box<Tree>, f64),
    /// f of something inside its domain.
    Function(Function, Box<Tree>),
}

pub(crate) fn uv() -> [Unknown; 2] {
    ["u", "v"].map(unknown)
}

pub(crate) fn kq() -> [Parameter; 2] {
    ["k", "q"].map(parameter)
}

impl Tree {
    pub(crate) fn expression(&self) -> Expr {
        match self {
            Self::Number(value) => (*value).into(),
            Self::Leaf(0) => X.into(),
            Self::Leaf(1) => Y.into(),
            Self::Leaf(k @ 2..=3) => uv()[k - 2].into(),
            Self::Leaf(k) => kq()[k - 4].into(),
            Self::Add(a, b) => a.expression() + b.expression(),
            Self::Sub(a, b) => a.expression() - b.expression(),
            Self::Mul(a, b) => a.expression() * b.expression(),
            Self::Div(a, b) => a.expression() / (1.5 + sin(b.expression())),
            Self::Power(a, p) => (1.5 + sin(a.expression())).powf(*p),
            Self::Function(function, a) => {
                let wave = sin(a.expression());
                match function {
                    Function::Sin => sin(wave),
                    Function::Cos => cos(wave),
                    Function::Tan => tan(wave),
                    Function::Asin => asin(0.5 * wave),
                    Function::Acos => acos(0.5 * wave),
                    Function::Atan => atan(wave),
                    Function::Sinh => sinh(wave),
                    Function::Cosh => cosh(wave),
                    Function::Tanh => tanh(wave),
                    Function::Exp => exp(wave),
                    Function::Ln => ln(wave + 2.0),
                    Function::Sqrt => sqrt(wave + 2.0),
                    Function::Abs => abs(wave - 2.0),
                    Function::Sign => sign(wave - 2.0),
                }
            }
        }
    }

    pub(crate) fn value<N: Number>(&self, leaves: [N; 6]) -> N {
        let of = |tree: &Self| tree.value(leaves);
        let wave = |tree: &Self| of(tree).elementary(Function::Sin);
        let number = |x: f64| N::from(x);
        match self {
            Self::Number(value) => number(*value),
            Self::Leaf(k) => leaves[*k],
            Self::Add(a, b) => of(a) + of(b),
            Self::Sub(a, b) => of(a) - of(b),
            Self::Mul(a, b) => of(a) * of(b),
            Self::Div(a, b) => of(a) / (number(1.5) + wave(b)),
            Self::Power(a, p) => (number(1.5) + wave(a)).power(*p),
            Self::Function(function, a) => {
                let wave = wave(a);
                let argument = match function {
                    Function::Asin | Function::Acos => number(0.5) * wave,
                    Function::Ln | Function::Sqrt => wave + number(2.0),
                    Function::Abs | Function::Sign => wave - number(2.0),
                    _ => wave,
                };
                argument.elementary(*function)
            }
        }
    }
}

/// Formulas of moderate size with these leaves: x, y and this many of u, v, k, q.
pub(crate) fn tree(leaves: usize) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (-2.0..2.0f64).prop_map(Tree::Number),
        (0..leaves).prop_map(Tree::Leaf),
        (0..leaves).prop_map(Tree::Leaf),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        let powers = proptest::sample::select(vec![2.0, 3.0, 4.0, -1.0, -2.0, 0.5, 1.3, 7.0]);
        let functions = proptest::sample::select(Function::ALL.to_vec());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Tree::Add(a, b)),
            pair.clone().prop_map(|(a, b)| Tree::Sub(a, b)),
            pair.clone().prop_map(|(a, b)| Tree::Mul(a, b)),
            pair.prop_map(|(a, b)| Tree::Div(a, b)),
            (inner.clone(), powers).prop_map(|(a, p)| Tree::Power(Box::new(a), p)),
            (functions, inner).prop_map(|(f, a)| Tree::Function(f, Box::new(a))),
        ]
    })
}
