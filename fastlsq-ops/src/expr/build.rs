//! The words of the language: functions, derivatives, vectors, integrals.

use std::sync::Arc;

use fastlsq_basis::Multiplier;
use ndarray::ArrayView2;

use super::{Call, Elementary, Expr, Given, GivenBody, Node, Real};
use crate::{Coordinate, Name};

macro_rules! elementary {
    ($($(#[$doc:meta])* $function:ident => $variant:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $function(argument: impl Into<Expr>) -> Expr {
            elementary(Elementary::$variant, argument.into())
        }
    )*};
}

elementary! {
    /// The sine.
    sin => Sin,
    /// The cosine.
    cos => Cos,
    /// The tangent.
    tan => Tan,
    /// The inverse sine.
    asin => Asin,
    /// The inverse cosine.
    acos => Acos,
    /// The inverse tangent.
    atan => Atan,
    /// The hyperbolic sine.
    sinh => Sinh,
    /// The hyperbolic cosine.
    cosh => Cosh,
    /// The hyperbolic tangent.
    tanh => Tanh,
    /// The exponential function.
    exp => Exp,
    /// The natural logarithm.
    ln => Ln,
    /// The square root.
    sqrt => Sqrt,
    /// The absolute value; its derivative is the sign.
    abs => Abs,
    /// −1, 0 or 1; its derivative is taken as 0.
    sign => Sign,
}

pub(crate) fn elementary(function: Elementary, argument: Expr) -> Expr {
    match argument.as_number() {
        Some(value) => Expr::from(function.value(value)),
        None => Expr::new(Node::Elementary(function, argument)),
    }
}

/// 1/cosh.
#[must_use]
pub fn sech(argument: impl Into<Expr>) -> Expr {
    1.0 / cosh(argument)
}

/// A given function of the point, with a name for printing and for messages.
///
/// Its derivatives are not known to the library: an expression that differentiates it needs
/// [`Expr::with_gradient`]. Where a formula exists, write it as an expression instead.
///
/// ```
/// use fastlsq_ops::{X, given, unknown};
/// let u = unknown("u");
/// let c = given("c", |x| 1.0 + x[0] * x[0]);
/// assert_eq!((c * u.d(X).d(X)).to_string(), "c u_xx");
/// ```
#[must_use]
pub fn given(name: &str, function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Expr {
    Expr::new(Node::Given(Given {
        name: Name::new(name),
        body: GivenBody::Point(Arc::new(function)),
        derivatives: Vec::new(),
    }))
}

/// As [`given`], for a function that takes many points at once (one row per point) and writes one value for each.
#[must_use]
pub fn given_on_block(
    name: &str,
    function: impl Fn(ArrayView2<'_, f64>, &mut [f64]) + Send + Sync + 'static,
) -> Expr {
    Expr::new(Node::Given(Given {
        name: Name::new(name),
        body: GivenBody::Block(Arc::new(function)),
        derivatives: Vec::new(),
    }))
}

/// An arbitrary Rust function of other expressions, for what cannot be written as a formula: differentiated by dual numbers,
/// up to second derivatives.
///
/// ```
/// use fastlsq_ops::{Real, call, laplacian, unknown};
/// let u = unknown("u");
/// // A rate that is found by an iteration.
/// let rate = call("rate", [u.into()], |a: &[Real]| {
///     let mut w = a[0] / 2.0;
///     for _ in 0..20 {
///         w = w - (w * w.exp() - a[0]) / (w.exp() * (1.0 + w));
///     }
///     w
/// });
/// assert_eq!((laplacian(u) + rate).to_string(), "Δu + rate(u)");
/// ```
#[must_use]
pub fn call(
    name: &str,
    arguments: impl IntoIterator<Item = Expr>,
    function: impl Fn(&[Real]) -> Real + Send + Sync + 'static,
) -> Expr {
    let call = Call {
        name: Name::new(name),
        function: Arc::new(function),
    };
    Expr::new(Node::Call(call, arguments.into_iter().collect()))
}

impl Expr {
    /// A [given](given) function with its gradient made known: the coordinates with the derivatives along them.
    /// Anything else differentiates itself and is returned as it is.
    #[must_use]
    pub fn with_gradient(self, gradient: impl IntoIterator<Item = (Coordinate, Expr)>) -> Self {
        match self.node() {
            Node::Given(given) => {
                let mut given = given.clone();
                given.derivatives.extend(gradient);
                Self::new(Node::Given(given))
            }
            _ => self,
        }
    }
}

/// The Laplacian Δ over the axes of space, never over time; of a vector, of each component.
#[must_use]
pub fn laplacian(of: impl Into<Expr>) -> Expr {
    Expr::new(Node::Laplacian(of.into()))
}

/// The biharmonic operator Δ² over the axes of space.
#[must_use]
pub fn biharmonic(of: impl Into<Expr>) -> Expr {
    laplacian(laplacian(of))
}

/// The gradient ∇ over the axes of space; of a vector, the matrix ∂ⱼvᵢ.
#[must_use]
pub fn grad(of: impl Into<Expr>) -> Expr {
    Expr::new(Node::Gradient(of.into()))
}

/// The divergence ∇· over the axes of space; of a matrix, of each row.
///
/// ```
/// use fastlsq_ops::{X, div, exp, grad, unknown};
/// let u = unknown("u");
/// assert_eq!((-div(exp(X) * grad(u))).to_string(), "−∇·(exp(x) ∇u)");
/// ```
#[must_use]
pub fn div(of: impl Into<Expr>) -> Expr {
    Expr::new(Node::Divergence(of.into()))
}

/// The scalar product of two vectors, or the product of a matrix and a vector.
#[must_use]
pub fn dot(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::new(Node::Dot(a.into(), b.into()))
}

/// A vector with these components.
#[must_use]
pub fn vector<E: Into<Expr>>(components: impl IntoIterator<Item = E>) -> Expr {
    let components = components.into_iter().map(Into::into).collect();
    Expr::new(Node::Vector(components))
}

/// The transpose of a matrix.
#[must_use]
pub fn transpose(of: impl Into<Expr>) -> Expr {
    Expr::new(Node::Transpose(of.into()))
}

/// The strain (∇v + ∇vᵀ)/2 of a displacement or velocity.
#[must_use]
pub fn strain(of: impl Into<Expr>) -> Expr {
    let gradient = grad(of);
    0.5 * (&gradient + transpose(&gradient))
}

/// The unit matrix.
#[must_use]
pub fn identity_matrix() -> Expr {
    Expr::new(Node::IdentityMatrix)
}

/// The outward normal on a boundary.
#[must_use]
pub fn normal() -> Expr {
    Expr::new(Node::Normal)
}

/// The derivative ∂/∂n = n·∇ along the outward normal.
#[must_use]
pub fn normal_derivative(of: impl Into<Expr>) -> Expr {
    dot(normal(), grad(of))
}

/// The derivative v·∇ along a vector.
#[must_use]
pub fn directional(along: impl Into<Expr>, of: impl Into<Expr>) -> Expr {
    dot(along, grad(of))
}

/// The definite integral ∫_from^to along a coordinate (Fredholm type).
#[must_use]
pub fn integral(of: impl Into<Expr>, along: Coordinate, from: f64, to: f64) -> Expr {
    Expr::new(Node::Integral(of.into(), along, from, Some(to)))
}

/// The integral ∫_from^x along a coordinate up to the point itself (Volterra type).
#[must_use]
pub fn antiderivative(of: impl Into<Expr>, along: Coordinate, from: f64) -> Expr {
    Expr::new(Node::Integral(of.into(), along, from, None))
}

/// The Fourier multiplier that scales each sinusoid of frequency ω by m(ω), ω over all axes.
///
/// Only sinusoidal features have a closed form for it.
#[must_use]
pub fn multiplier(of: impl Into<Expr>, multiplier: Multiplier) -> Expr {
    Expr::new(Node::Multiplier(of.into(), multiplier))
}

/// The fractional Laplacian (−Δ)^s over the axes of space, s ≥ 0, with symbol |ω|^{2s}; s = 1 is −Δ.
///
/// For s = 0, 1 and 2 this is a differential operator, which every basis can evaluate; otherwise it is a Fourier
/// multiplier, for sinusoidal features only.
#[must_use]
pub fn fractional_laplacian(of: impl Into<Expr>, s: f64) -> Expr {
    Expr::new(Node::FractionalLaplacian(of.into(), s))
}
