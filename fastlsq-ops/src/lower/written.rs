//! Nodes as expressions again, for printing.

use std::collections::HashMap;

use super::graph::{Graph, Id, Op};
use crate::expr::{Expr, Node};
use crate::{axis, parameter};

/// Larger parts are not written out.
const MOST_WRITTEN: usize = 2_000;

impl Graph {
    /// An expression that prints as this node; what stands for unknowns and normals is only named.
    pub(crate) fn expression(&self, id: Id) -> Expr {
        let mut known: HashMap<Id, Expr> = HashMap::new();
        let nodes = self.reachable(&[id]);
        if nodes.len() > MOST_WRITTEN {
            return Expr::new(Node::TooDeep);
        }
        for node in nodes {
            let of = |id: &Id| known.get(id).cloned().unwrap_or_else(|| 0.0.into());
            let written = match self.op(node) {
                Op::Number(bits) => f64::from_bits(*bits).into(),
                Op::Coordinate(k) => axis(*k).into(),
                Op::Normal(k) => {
                    parameter(&format!("n{}", fastlsq_basis::typography::subscript(*k))).into()
                }
                Op::Jet(_) => parameter("∂u").into(),
                Op::Parameter(k) => self.parameters[*k].into(),
                Op::Given(k) => Expr::new(Node::Given(self.givens[*k].clone())),
                Op::Add(a, b) => of(a) + of(b),
                Op::Mul(a, b) => of(a) * of(b),
                Op::Div(a, b) => of(a) / of(b),
                Op::Power(a, bits) => of(a).powf(f64::from_bits(*bits)),
                Op::Elementary(function, a) => Expr::new(Node::Elementary(*function, of(a))),
                Op::Call(call, arguments, orders) => {
                    let arguments = arguments.iter().map(of).collect();
                    let mut call = self.calls[*call].clone();
                    let dashes = "′".repeat(orders.len());
                    call.name = crate::Name::new(&format!("{}{dashes}", call.name));
                    Expr::new(Node::Call(call, arguments))
                }
            };
            known.insert(node, written);
        }
        known.remove(&id).unwrap_or_else(|| 0.0.into())
    }
}
