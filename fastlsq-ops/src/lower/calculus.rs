//! Derivatives of nodes: along an axis, by a jet, by a parameter.

use std::collections::HashMap;

use super::graph::{Graph, Id, Op};
use super::tensor::Lowering;
use crate::expr::Elementary;
use crate::{Coordinate, StatementError};

/// What is differentiated by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Variable {
    /// An axis, unknowns moving with it: the total derivative.
    Axis(usize),
    /// An unknown's derivative as if it were a variable of its own.
    Jet(usize),
    Parameter(usize),
}

/// How leaves are differentiated along an axis, which takes more than the graph.
pub(crate) trait AxisRule {
    fn graph(&mut self) -> &mut Graph;
    fn leaf(&mut self, id: Id, axis: usize) -> Result<Id, StatementError>;
}

impl AxisRule for Graph {
    fn graph(&mut self) -> &mut Graph {
        self
    }

    /// Never asked for: only a [`Lowering`] differentiates along axes.
    fn leaf(&mut self, _: Id, _: usize) -> Result<Id, StatementError> {
        Ok(self.number(0.0))
    }
}

impl Graph {
    /// ∂/∂(jet) or ∂/∂(parameter); nodes that were differentiated before are in `done`.
    pub(crate) fn slope(
        &mut self,
        id: Id,
        by: Variable,
        done: &mut HashMap<Id, Id>,
    ) -> Result<Id, StatementError> {
        derivative(self, id, by, done)
    }
}

impl AxisRule for Lowering<'_> {
    fn graph(&mut self) -> &mut Graph {
        self.graph
    }

    fn leaf(&mut self, id: Id, axis: usize) -> Result<Id, StatementError> {
        match self.graph.op(id).clone() {
            Op::Jet(jet) => self.raised_jet(jet, axis),
            Op::Given(given) => {
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
            Op::Normal(_) => Err(StatementError::NormalDifferentiated),
            _ => Ok(self.graph.number(0.0)),
        }
    }
}

/// The derivative of a node by the rules of calculus.
pub(crate) fn derivative(
    rule: &mut impl AxisRule,
    id: Id,
    by: Variable,
    done: &mut HashMap<Id, Id>,
) -> Result<Id, StatementError> {
    // In the order of evaluation, so that no operand is missing and the depth of the expression does not matter.
    for node in rule.graph().reachable(&[id]) {
        if done.contains_key(&node) {
            continue;
        }
        let slope = of_node(rule, node, by, done)?;
        done.insert(node, slope);
    }
    match done.get(&id) {
        Some(slope) => Ok(*slope),
        None => Ok(rule.graph().number(0.0)),
    }
}

fn of_node(
    rule: &mut impl AxisRule,
    id: Id,
    by: Variable,
    done: &HashMap<Id, Id>,
) -> Result<Id, StatementError> {
    let op = rule.graph().op(id).clone();
    let is_leaf = match (&op, by) {
        (Op::Jet(_) | Op::Given(_) | Op::Normal(_), Variable::Axis(axis)) => {
            return rule.leaf(id, axis);
        }
        (Op::Coordinate(own), Variable::Axis(axis)) => Some(*own == axis),
        (Op::Jet(own), Variable::Jet(jet)) => Some(*own == jet),
        (Op::Parameter(own), Variable::Parameter(parameter)) => Some(*own == parameter),
        (
            Op::Number(_)
            | Op::Coordinate(_)
            | Op::Normal(_)
            | Op::Jet(_)
            | Op::Parameter(_)
            | Op::Given(_),
            _,
        ) => Some(false),
        _ => None,
    };
    let graph = rule.graph();
    if let Some(own) = is_leaf {
        return Ok(graph.number(if own { 1.0 } else { 0.0 }));
    }
    let zero = graph.number(0.0);
    let slope_of = |id: &Id| done.get(id).copied().unwrap_or(zero);
    Ok(match op {
        Op::Add(a, b) => {
            let (da, db) = (slope_of(&a), slope_of(&b));
            graph.add(da, db)
        }
        Op::Mul(a, b) => {
            let (da, db) = (slope_of(&a), slope_of(&b));
            let left = graph.mul(da, b);
            let right = graph.mul(a, db);
            graph.add(left, right)
        }
        Op::Div(a, b) => {
            // (a′ − (a/b) b′)/b
            let (da, db) = (slope_of(&a), slope_of(&b));
            let quotient = graph.mul(id, db);
            let above = graph.sub(da, quotient);
            graph.div(above, b)
        }
        Op::Power(base, bits) => {
            let exponent = f64::from_bits(bits);
            let slope = slope_of(&base);
            if graph.is_zero(slope) {
                return Ok(zero);
            }
            let lower = graph.power(base, exponent - 1.0);
            let factor = graph.number(exponent);
            let outer = graph.mul(factor, lower);
            graph.mul(outer, slope)
        }
        Op::Elementary(function, argument) => {
            let slope = slope_of(&argument);
            if graph.is_zero(slope) {
                return Ok(zero);
            }
            let outer = elementary_slope(graph, function, argument, id);
            graph.mul(outer, slope)
        }
        Op::Call(call, arguments, orders) => {
            let mut sum = zero;
            for (place, argument) in arguments.iter().enumerate() {
                let slope = slope_of(argument);
                if graph.is_zero(slope) {
                    continue;
                }
                if orders.len() >= 2 {
                    let name = graph.calls[call].name.to_string();
                    return Err(StatementError::ThirdDerivative { function: name });
                }
                let mut raised = orders.clone();
                raised.push(place);
                raised.sort_unstable();
                let outer = graph.put(Op::Call(call, arguments.clone(), raised));
                let term = graph.mul(outer, slope);
                sum = graph.add(sum, term);
            }
            sum
        }
        _ => zero,
    })
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

impl Lowering<'_> {
    pub(crate) fn along(&mut self, id: Id, axis: usize) -> Result<Id, StatementError> {
        let mut done = self.differentiated.remove(&axis).unwrap_or_default();
        let slope = derivative(self, id, Variable::Axis(axis), &mut done);
        self.differentiated.insert(axis, done);
        slope
    }

    pub(crate) fn axis_name(&self, axis: usize) -> String {
        let names = self.space.names();
        names.get(axis).map_or_else(
            || Coordinate::Axis(axis).to_string(),
            |name| (*name).to_owned(),
        )
    }
}
