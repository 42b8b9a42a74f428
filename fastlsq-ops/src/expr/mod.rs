//! [`Expr`]: an equation, or a part of one, as mathematics.
//!
//! An expression is a tree of nodes that are shared when it is cloned. It knows nothing of a domain: Δ is "over space",
//! whatever space will be, and a gradient has as many components as there are axes of space. A [`Frame`](crate::Frame)
//! makes it concrete.

mod arithmetic;
mod build;
mod compare;
mod display;
mod elementary;
mod given;
mod hyperdual;
mod parse;
mod reader;
#[cfg(feature = "serde")]
mod serial;
mod visit;
mod vocabulary;

use std::sync::Arc;

use fastlsq_basis::Multiplier;

pub use build::{
    abs, acos, antiderivative, asin, atan, biharmonic, call, cos, cosh, directional, div, dot, exp,
    fractional_laplacian, given, given_on_block, grad, identity_matrix, integral, laplacian, ln,
    multiplier, normal, normal_derivative, sech, sign, sin, sinh, sqrt, strain, tan, tanh,
    transpose, vector,
};
pub(crate) use elementary::Elementary;
pub(crate) use given::{Call, Given, GivenBody};
pub use hyperdual::{HyperDual, Real};
pub use parse::ParseError;
pub use vocabulary::Vocabulary;

use crate::{Coordinate, Parameter, Unknown};
use visit::children;

/// An expression: coordinates, unknowns, parameters, given functions, arithmetic, derivatives.
///
/// ```
/// use fastlsq_ops::{Expr, T, X, laplacian, sin, unknown};
/// let u = unknown("u");
/// let burgers = u.d(T) + u * u.d(X) - 0.01 * laplacian(u);
/// assert_eq!(burgers.to_string(), "u_t + u u_x − 0.01 Δu");
/// assert_eq!(Expr::parse("u_t + u u_x = 0.01 Δu")?, burgers);
/// // Derivatives of anything: the product rule is applied where the expression is used.
/// let flux = ((1.0 + sin(X)) * u.d(X)).d(X);
/// assert_eq!(flux.to_string(), "((1 + sin(x)) u_x)_x");
/// # Ok::<(), fastlsq_ops::ParseError>(())
/// ```
#[derive(Clone)]
pub struct Expr(Arc<Tree>);

/// A node with the size of what is below it.
struct Tree {
    node: Node,
    /// The longest way down.
    depth: usize,
    /// Nodes, shared ones counted as often as they occur.
    size: usize,
}

/// Deeper expressions are refused: they could exhaust the stack.
pub(crate) const DEEPEST: usize = 200;
/// Larger parts are printed as "…".
const LONGEST: usize = 5_000;

/// One node. Sums and products are flat, numbers in a product come first as one factor.
#[derive(Clone)]
pub(crate) enum Node {
    /// What was nested too deeply; every use is an error.
    TooDeep,
    Number(f64),
    Coordinate(Coordinate),
    Unknown(Unknown),
    Parameter(Parameter),
    Given(Given),
    /// The outward normal, a vector over the axes of space.
    Normal,
    /// The unit matrix over the axes of space.
    IdentityMatrix,
    Vector(Vec<Expr>),
    Sum(Vec<Expr>),
    /// The number times the factors.
    Product(f64, Vec<Expr>),
    Quotient(Expr, Expr),
    Power(Expr, f64),
    Elementary(Elementary, Expr),
    Call(Call, Vec<Expr>),
    Derivative(Expr, Coordinate),
    Laplacian(Expr),
    Gradient(Expr),
    Divergence(Expr),
    /// Contraction of the last index of the first with the first index of the second.
    Dot(Expr, Expr),
    Transpose(Expr),
    /// ∫_from^to · along a coordinate; without an upper limit up to the point itself.
    Integral(Expr, Coordinate, f64, Option<f64>),
    Multiplier(Expr, Multiplier),
    /// (−Δ)^s over space.
    FractionalLaplacian(Expr, f64),
}

impl Expr {
    pub(crate) fn new(node: Node) -> Self {
        let (mut depth, mut size) = (0, 1usize);
        for child in children(&node) {
            depth = depth.max(child.0.depth + 1);
            size = size.saturating_add(child.0.size);
        }
        if depth > DEEPEST {
            return Self(Arc::new(Tree {
                node: Node::TooDeep,
                depth: 0,
                size: 1,
            }));
        }
        Self(Arc::new(Tree { node, depth, size }))
    }

    pub(crate) fn node(&self) -> &Node {
        &self.0.node
    }

    /// The same for clones of one expression.
    pub(crate) fn identity(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }

    /// The number of nodes, shared ones counted as often as they occur.
    fn size(&self) -> usize {
        self.0.size
    }

    /// Whether it is too large to be printed.
    pub(crate) fn is_long(&self) -> bool {
        self.size() > LONGEST
    }

    /// The number that the expression is, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self.node() {
            Node::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// The derivative along a coordinate.
    #[must_use]
    pub fn d(&self, along: Coordinate) -> Self {
        Self::new(Node::Derivative(self.clone(), along))
    }

    /// The n-th power.
    #[must_use]
    pub fn powi(&self, n: i32) -> Self {
        self.powf(f64::from(n))
    }

    /// The power with a real exponent.
    #[must_use]
    pub fn powf(&self, exponent: f64) -> Self {
        match (self.node(), exponent) {
            (_, 1.0) => self.clone(),
            (Node::Number(base), _) => Self::from(power(*base, exponent)),
            _ => Self::new(Node::Power(self.clone(), exponent)),
        }
    }
}

/// xᵖ, with whole exponents by multiplication.
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    match whole(exponent) {
        Some(n) => base.powi(n),
        None => base.powf(exponent),
    }
}

/// The number as a small whole number, if it is one.
pub(crate) fn whole(value: f64) -> Option<i32> {
    (value.fract() == 0.0 && value.abs() < 1e6).then_some(value as i32)
}
