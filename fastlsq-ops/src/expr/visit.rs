//! What an expression is made of.

use std::collections::HashSet;

use super::{Expr, Node};
use crate::{Coordinate, Parameter, Unknown};

/// The expressions directly inside a node.
pub(crate) fn children(node: &Node) -> Vec<&Expr> {
    match node {
        Node::TooDeep
        | Node::Number(_)
        | Node::Coordinate(_)
        | Node::Unknown(_)
        | Node::Parameter(_)
        | Node::Normal
        | Node::IdentityMatrix => Vec::new(),
        Node::Given(given) => given.derivatives.iter().map(|(_, d)| d).collect(),
        Node::Vector(list) | Node::Sum(list) | Node::Product(_, list) | Node::Call(_, list) => {
            list.iter().collect()
        }
        Node::Quotient(a, b) | Node::Dot(a, b) => vec![a, b],
        Node::Power(inner, _)
        | Node::Elementary(_, inner)
        | Node::Derivative(inner, _)
        | Node::Laplacian(inner)
        | Node::Gradient(inner)
        | Node::Divergence(inner)
        | Node::Transpose(inner)
        | Node::Integral(inner, ..)
        | Node::Multiplier(inner, _)
        | Node::FractionalLaplacian(inner, _) => vec![inner],
    }
}

impl Expr {
    /// Looks at every part, at shared parts once.
    fn visit(&self, look: &mut impl FnMut(&Node)) {
        let mut seen = HashSet::new();
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            if seen.insert(next.identity()) {
                look(next.node());
                // The first part is looked at first.
                let mut inside = children(next.node());
                inside.reverse();
                open.extend(inside);
            }
        }
    }

    /// The unknowns in it, in the order in which they first appear.
    #[must_use]
    pub fn unknowns(&self) -> Vec<Unknown> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Node::Unknown(unknown) = node
                && !found.contains(unknown)
            {
                found.push(*unknown);
            }
        });
        found
    }

    /// The parameters in it, in the order in which they first appear.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Node::Parameter(parameter) = node
                && !found.contains(parameter)
            {
                found.push(*parameter);
            }
        });
        found
    }

    /// The coordinates in it that have names of their own.
    pub(crate) fn named_coordinates(&self) -> Vec<Coordinate> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            let coordinate = match node {
                Node::Coordinate(c) | Node::Derivative(_, c) | Node::Integral(_, c, ..) => *c,
                _ => return,
            };
            if matches!(coordinate, Coordinate::Named(_)) && !found.contains(&coordinate) {
                found.push(coordinate);
            }
        });
        found
    }

    /// Whether it contains Rust closures, which cannot be written down or read.
    #[must_use]
    pub fn has_closures(&self) -> bool {
        let mut found = false;
        self.visit(&mut |node| {
            found |= matches!(node, Node::Given(_) | Node::Call(..) | Node::Multiplier(..));
        });
        found
    }

    /// Whether parts were left out because they were nested too deeply.
    pub(crate) fn is_too_deep(&self) -> bool {
        let mut found = false;
        self.visit(&mut |node| found |= matches!(node, Node::TooDeep));
        found
    }

    /// The terms of the outermost sum.
    #[must_use]
    pub fn terms(&self) -> Vec<Expr> {
        match self.node() {
            Node::Sum(terms) => terms.clone(),
            _ => vec![self.clone()],
        }
    }

    /// The terms of a sum, of a multiple of one, or the components of a vector; none for anything else.
    pub(crate) fn summands(&self) -> Vec<Expr> {
        match self.node() {
            Node::Sum(parts) | Node::Vector(parts) => parts.clone(),
            Node::Product(_, factors) => match factors.as_slice() {
                [only] => only.summands(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The factors of the outermost product with their exponents, a number in front among them.
    ///
    /// ```
    /// use fastlsq_ops::{Expr, X, unknown};
    /// let u = unknown("u");
    /// let factors = (2.0 * u.powi(3) * u.d(X)).factors();
    /// assert_eq!(factors, [(Expr::from(2.0), 1.0), (u.into(), 3.0), (u.d(X), 1.0)]);
    /// ```
    #[must_use]
    pub fn factors(&self) -> Vec<(Expr, f64)> {
        let split = |factor: &Expr| match factor.node() {
            Node::Power(base, exponent) => (base.clone(), *exponent),
            _ => (factor.clone(), 1.0),
        };
        match self.node() {
            Node::Product(number, factors) => (*number != 1.0)
                .then(|| (Expr::from(*number), 1.0))
                .into_iter()
                .chain(factors.iter().map(split))
                .collect(),
            _ => vec![split(self)],
        }
    }
}
