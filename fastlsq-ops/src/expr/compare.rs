//! Equal by structure, and how expressions show themselves to programmers.

use std::collections::HashSet;
use std::fmt;
use std::mem::discriminant;

use super::visit::children;
use super::{Expr, Node};

impl PartialEq for Expr {
    /// The same structure; closures are the same if they are clones of one another.
    fn eq(&self, other: &Self) -> bool {
        // Parts may be shared many times over: every pair is compared once.
        let mut seen = HashSet::new();
        let mut open = vec![(self, other)];
        while let Some((a, b)) = open.pop() {
            let pair = (a.identity(), b.identity());
            if pair.0 == pair.1 || !seen.insert(pair) {
                continue;
            }
            if a.size() != b.size() || !alike(a.node(), b.node()) {
                return false;
            }
            let (inside, others) = (children(a.node()), children(b.node()));
            if inside.len() != others.len() {
                return false;
            }
            open.extend(inside.into_iter().zip(others));
        }
        true
    }
}

/// Whether two nodes are the same, what is inside them aside.
fn alike(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Number(a), Node::Number(b)) => a == b,
        (Node::Coordinate(a), Node::Coordinate(b)) => a == b,
        (Node::Unknown(a), Node::Unknown(b)) => a == b,
        (Node::Parameter(a), Node::Parameter(b)) => a == b,
        (Node::Given(a), Node::Given(b)) => {
            let along = |given: &super::Given| -> Vec<_> {
                given.derivatives.iter().map(|(along, _)| *along).collect()
            };
            a.name == b.name && a.body.same(&b.body) && along(a) == along(b)
        }
        (Node::Product(a, _), Node::Product(b, _)) => a == b,
        (Node::Power(_, a), Node::Power(_, b)) => a == b,
        (Node::Elementary(a, _), Node::Elementary(b, _)) => a == b,
        (Node::Call(a, _), Node::Call(b, _)) => a == b,
        (Node::Derivative(_, a), Node::Derivative(_, b)) => a == b,
        (Node::Integral(_, a, from, to), Node::Integral(_, b, other_from, other_to)) => {
            a == b && from == other_from && to == other_to
        }
        (Node::Multiplier(_, a), Node::Multiplier(_, b)) => a == b,
        (Node::FractionalLaplacian(_, a), Node::FractionalLaplacian(_, b)) => a == b,
        _ => discriminant(a) == discriminant(b),
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}
