//! Derivatives of nodes: along an axis (forwards), and by all unknowns and parameters at once (backwards).

use std::collections::HashMap;

use super::graph::{Graph, Id, Op};
use super::tensor::Lowering;
use crate::expr::Elementary;
use crate::{Coordinate, StatementError};

impl Lowering<'_> {
    /// The total derivative along an axis, unknowns moving with it.
    pub(crate) fn along(&mut self, id: Id, axis: usize) -> Result<Id, StatementError> {
        let mut done = self.differentiated.remove(&axis).unwrap_or_default();
        let slope = self.differentiate(id, axis, &mut done);
        self.differentiated.insert(axis, done);
        slope
    }

    /// Nodes that were differentiated before are in `done`.
    fn differentiate(
        &mut self,
        id: Id,
        axis: usize,
        done: &mut HashMap<Id, Id>,
    ) -> Result<Id, StatementError> {
        if let Some(slope) = done.get(&id) {
            return Ok(*slope);
        }
        // In the order of evaluation, so that no operand is missing and the depth of the expression does not matter.
        for node in self.graph.reachable(&[id]) {
            if !done.contains_key(&node) {
                let slope = self.slope(node, axis, done)?;
                done.insert(node, slope);
                self.graph.require_moderate_size()?;
            }
        }
        let zero = self.graph.number(0.0);
        Ok(done.get(&id).copied().unwrap_or(zero))
    }

    fn slope(&mut self, id: Id, axis: usize, done: &HashMap<Id, Id>) -> Result<Id, StatementError> {
        match self.graph.op(id).clone() {
            Op::Number(_) | Op::Parameter(_) => Ok(self.graph.number(0.0)),
            Op::Coordinate(own) => Ok(self.graph.number(if own == axis { 1.0 } else { 0.0 })),
            Op::Jet(jet) => self.raised_jet(jet, axis),
            Op::Given(given) => self.given_slope(given, axis),
            Op::Normal(_) => Err(StatementError::NormalDifferentiated),
            _ => {
                let graph = &mut *self.graph;
                let mut sum = graph.number(0.0);
                for (place, operand) in graph.operands(id).into_iter().enumerate() {
                    let inner = match done.get(&operand) {
                        Some(inner) if !graph.is_zero(*inner) => *inner,
                        _ => continue,
                    };
                    let outer = graph.partial(id, place)?;
                    let term = graph.mul(outer, inner);
                    sum = graph.add(sum, term);
                }
                Ok(sum)
            }
        }
    }

    fn given_slope(&mut self, given: usize, axis: usize) -> Result<Id, StatementError> {
        let given = self.graph.givens[given].clone();
        for (coordinate, slope) in &given.derivatives {
            if self.space.axis_of(*coordinate)? == axis {
                return self.scalar(slope);
            }
        }
        Err(StatementError::MissingDerivative {
            function: given.name.to_string(),
            coordinate: self.axis_name(axis),
        })
    }

    fn axis_name(&self, axis: usize) -> String {
        let names = self.space.names();
        names.get(axis).map_or_else(
            || Coordinate::Axis(axis).to_string(),
            |name| (*name).to_owned(),
        )
    }
}

/// ∂R/∂(leaf) for every jet and every parameter that R depends on; what vanishes identically is 0.
#[derive(Debug, Default)]
pub(crate) struct Gradient {
    /// In the order in which they are written.
    pub(crate) jets: Vec<(usize, Id)>,
    /// By rising number of the parameter.
    pub(crate) parameters: Vec<(usize, Id)>,
}

impl Graph {
    /// All slopes of a node in one sweep from it back to the leaves: their graph is no larger than a few times that of
    /// the node, however many leaves there are.
    pub(crate) fn gradient(&mut self, root: Id) -> Result<Gradient, StatementError> {
        let nodes = self.reachable(&[root]);
        // Whether a jet or a parameter is below: the sweep goes nowhere else.
        let mut moves = vec![false; self.len()];
        for node in &nodes {
            moves[node.index()] = match self.op(*node) {
                Op::Jet(_) | Op::Parameter(_) => true,
                _ => self.operands(*node).iter().any(|o| moves[o.index()]),
            };
        }
        let mut adjoint: HashMap<Id, Id> = HashMap::new();
        let one = self.number(1.0);
        adjoint.insert(root, one);
        let mut gradient = Gradient::default();
        for node in nodes.iter().rev().filter(|node| moves[node.index()]) {
            let zero = self.number(0.0);
            let own = adjoint.get(node).copied().unwrap_or(zero);
            match *self.op(*node) {
                Op::Jet(jet) => gradient.jets.push((jet, own)),
                Op::Parameter(parameter) => gradient.parameters.push((parameter, own)),
                _ if self.is_zero(own) => {}
                _ => {
                    for (place, operand) in self.operands(*node).into_iter().enumerate() {
                        if !moves[operand.index()] {
                            continue;
                        }
                        let partial = self.partial(*node, place)?;
                        let part = self.mul(own, partial);
                        let before = adjoint.get(&operand).copied().unwrap_or(zero);
                        let sum = self.add(before, part);
                        adjoint.insert(operand, sum);
                    }
                    self.require_moderate_size()?;
                }
            }
        }
        let order = self.jets_as_written(root);
        gradient
            .jets
            .sort_by_key(|(jet, _)| order.iter().position(|other| other == jet));
        gradient.parameters.sort_unstable();
        Ok(gradient)
    }

    /// The jets below a node, from left to right.
    fn jets_as_written(&self, root: Id) -> Vec<usize> {
        let mut seen = vec![false; self.len()];
        let mut open = vec![root];
        let mut jets = Vec::new();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            if let Op::Jet(jet) = self.op(id) {
                jets.push(*jet);
            }
            open.extend(self.operands(id).into_iter().rev());
        }
        jets
    }

    /// The derivative of an operation by one of its operands, the others fixed.
    fn partial(&mut self, id: Id, place: usize) -> Result<Id, StatementError> {
        Ok(match (self.op(id).clone(), place) {
            (Op::Add(..), _) => self.number(1.0),
            (Op::Mul(a, b), _) => {
                if place == 0 {
                    b
                } else {
                    a
                }
            }
            (Op::Div(_, b), 0) => {
                let one = self.number(1.0);
                self.div(one, b)
            }
            (Op::Div(_, b), _) => {
                // −(a/b)/b
                let quotient = self.div(id, b);
                self.negated(quotient)
            }
            (Op::Power(base, bits), _) => {
                let exponent = f64::from_bits(bits);
                let lower = self.power(base, exponent - 1.0);
                let factor = self.number(exponent);
                self.mul(factor, lower)
            }
            (Op::Elementary(function, argument), _) => {
                elementary_slope(self, function, argument, id)
            }
            (Op::Call(call, arguments, mut orders), _) => {
                if orders.len() >= 2 {
                    let function = self.calls[call].name.to_string();
                    return Err(StatementError::ThirdDerivative { function });
                }
                orders.push(place);
                orders.sort_unstable();
                self.put(Op::Call(call, arguments, orders))
            }
            // Leaves have no operands.
            _ => self.number(0.0),
        })
    }
}

/// f′(a), where `value` is f(a).
fn elementary_slope(graph: &mut Graph, function: Elementary, a: Id, value: Id) -> Id {
    let one = graph.number(1.0);
    match function {
        Elementary::Sin => graph.elementary(Elementary::Cos, a),
        Elementary::Cos => {
            let sin = graph.elementary(Elementary::Sin, a);
            graph.negated(sin)
        }
        Elementary::Tan => {
            let square = graph.power(value, 2.0);
            graph.add(one, square)
        }
        Elementary::Asin | Elementary::Acos => {
            let square = graph.power(a, 2.0);
            let below = graph.sub(one, square);
            let slope = graph.power(below, -0.5);
            if function == Elementary::Asin {
                slope
            } else {
                graph.negated(slope)
            }
        }
        Elementary::Atan => {
            let square = graph.power(a, 2.0);
            let below = graph.add(one, square);
            graph.div(one, below)
        }
        Elementary::Sinh => graph.elementary(Elementary::Cosh, a),
        Elementary::Cosh => graph.elementary(Elementary::Sinh, a),
        Elementary::Tanh => {
            let square = graph.power(value, 2.0);
            graph.sub(one, square)
        }
        Elementary::Exp => value,
        Elementary::Ln => graph.div(one, a),
        Elementary::Sqrt => {
            let half = graph.number(0.5);
            graph.div(half, value)
        }
        Elementary::Abs => graph.elementary(Elementary::Sign, a),
        Elementary::Sign => graph.number(0.0),
    }
}
