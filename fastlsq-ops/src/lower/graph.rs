//! The graph of scalar operations: every distinct operation once.
//!
//! Nodes are numbered as they are made, operands before what is made of them, so that the order of the numbers is an
//! order of evaluation. Equal operations get the same number: common parts are found as they are written down.

use std::collections::HashMap;

use fastlsq_basis::{Action, MultiIndex};

use crate::expr::{Call, Elementary, Given, power};
use crate::{Parameter, StatementError, Unknown};

/// A node of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) u32);

impl Id {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One scalar operation. Numbers are kept by their bits, so that they can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Number(u64),
    Coordinate(usize),
    Normal(usize),
    /// A derivative (or integral) of an unknown, by its place in [`Graph::jets`].
    Jet(usize),
    /// By its place in [`Graph::parameters`].
    Parameter(usize),
    /// By its place in [`Graph::givens`].
    Given(usize),
    Add(Id, Id),
    Mul(Id, Id),
    Div(Id, Id),
    Power(Id, u64),
    Elementary(Elementary, Id),
    /// A function of [`Graph::calls`], differentiated by these arguments.
    Call(usize, Vec<Id>, Vec<usize>),
}

/// An unknown with what is done to it: D^α u, an integral, a multiplier.
#[derive(Debug, Clone, PartialEq)]
pub struct Jet {
    /// The number of the unknown.
    pub unknown: usize,
    /// What is done to it.
    pub action: Action,
}

/// Larger graphs are refused: derivatives of high order of nonlinear terms grow without bound.
const MOST_OPERATIONS: usize = 500_000;

/// All operations of some expressions in one space.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    ops: Vec<Op>,
    known: HashMap<Op, Id>,
    pub(crate) dim: usize,
    pub(crate) jets: Vec<Jet>,
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) givens: Vec<Given>,
    pub(crate) calls: Vec<Call>,
}

impl Graph {
    pub(crate) fn new(dim: usize, unknowns: Vec<Unknown>, parameters: Vec<Parameter>) -> Self {
        Self {
            ops: Vec::new(),
            known: HashMap::new(),
            dim,
            jets: Vec::new(),
            unknowns,
            parameters,
            givens: Vec::new(),
            calls: Vec::new(),
        }
    }

    pub(crate) fn op(&self, id: Id) -> &Op {
        &self.ops[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Fails before the graph exhausts the memory.
    pub(crate) fn require_moderate_size(&self) -> Result<(), StatementError> {
        if self.ops.len() <= MOST_OPERATIONS {
            Ok(())
        } else {
            Err(StatementError::TooLarge {
                what: "the expression with its derivatives carried out",
            })
        }
    }

    pub(crate) fn put(&mut self, op: Op) -> Id {
        if let Some(id) = self.known.get(&op) {
            return *id;
        }
        let id = Id(u32::try_from(self.ops.len()).unwrap_or(u32::MAX));
        self.ops.push(op.clone());
        self.known.insert(op, id);
        id
    }

    /// The operands of an operation.
    pub(crate) fn operands(&self, id: Id) -> Vec<Id> {
        match self.op(id) {
            Op::Number(_)
            | Op::Coordinate(_)
            | Op::Normal(_)
            | Op::Jet(_)
            | Op::Parameter(_)
            | Op::Given(_) => Vec::new(),
            Op::Add(a, b) | Op::Mul(a, b) | Op::Div(a, b) => vec![*a, *b],
            Op::Power(a, _) | Op::Elementary(_, a) => vec![*a],
            Op::Call(_, arguments, _) => arguments.clone(),
        }
    }

    /// Everything that is needed for these nodes, in the order of evaluation.
    pub(crate) fn reachable(&self, roots: &[Id]) -> Vec<Id> {
        let mut needed = vec![false; self.ops.len()];
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut needed[id.index()], true) {
                open.extend(self.operands(id));
            }
        }
        let ids = (0..self.ops.len()).filter(|&i| needed[i]);
        ids.filter_map(|i| u32::try_from(i).ok().map(Id)).collect()
    }

    pub(crate) fn number(&mut self, value: f64) -> Id {
        // One zero, so that it is recognised.
        let value = if value == 0.0 { 0.0 } else { value };
        self.put(Op::Number(value.to_bits()))
    }

    pub(crate) fn as_number(&self, id: Id) -> Option<f64> {
        match self.op(id) {
            Op::Number(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    pub(crate) fn is_zero(&self, id: Id) -> bool {
        self.as_number(id) == Some(0.0)
    }

    pub(crate) fn jet(&mut self, unknown: usize, action: Action) -> Id {
        let jet = Jet { unknown, action };
        let place = match self.jets.iter().position(|own| *own == jet) {
            Some(place) => place,
            None => {
                self.jets.push(jet);
                self.jets.len() - 1
            }
        };
        self.put(Op::Jet(place))
    }

    pub(crate) fn unknown(&mut self, unknown: usize) -> Id {
        let action = Action::derivative(MultiIndex::zero(self.dim));
        self.jet(unknown, action)
    }

    pub(crate) fn given(&mut self, given: &Given) -> Id {
        let place = match self
            .givens
            .iter()
            .position(|own| own.body.same(&given.body))
        {
            Some(place) => {
                // The same closure, perhaps with more of its gradient made known.
                let known = &mut self.givens[place].derivatives;
                for (coordinate, slope) in &given.derivatives {
                    if known.iter().all(|(own, _)| own != coordinate) {
                        known.push((*coordinate, slope.clone()));
                    }
                }
                place
            }
            None => {
                self.givens.push(given.clone());
                self.givens.len() - 1
            }
        };
        self.put(Op::Given(place))
    }

    pub(crate) fn call(&mut self, call: &Call, arguments: Vec<Id>) -> Id {
        let place = match self.calls.iter().position(|own| own == call) {
            Some(place) => place,
            None => {
                self.calls.push(call.clone());
                self.calls.len() - 1
            }
        };
        self.put(Op::Call(place, arguments, Vec::new()))
    }

    pub(crate) fn add(&mut self, a: Id, b: Id) -> Id {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => self.number(x + y),
            (Some(0.0), _) => b,
            (_, Some(0.0)) => a,
            _ => self.put(Op::Add(a, b)),
        }
    }

    pub(crate) fn mul(&mut self, a: Id, b: Id) -> Id {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => self.number(x * y),
            (Some(0.0), _) => a,
            (_, Some(0.0)) => b,
            (Some(1.0), _) => b,
            (_, Some(1.0)) => a,
            // Numbers in front, and only one of them.
            (None, Some(_)) => self.mul(b, a),
            (Some(x), None) => match *self.op(b) {
                Op::Mul(inner, rest) => match self.as_number(inner) {
                    Some(y) => {
                        let both = self.number(x * y);
                        self.mul(both, rest)
                    }
                    None => self.put(Op::Mul(a, b)),
                },
                _ => self.put(Op::Mul(a, b)),
            },
            (None, None) => match (self.op(a).clone(), self.op(b).clone()) {
                (Op::Mul(number, rest), _) if self.as_number(number).is_some() => {
                    let product = self.mul(rest, b);
                    self.mul(number, product)
                }
                (_, Op::Mul(number, rest)) if self.as_number(number).is_some() => {
                    let product = self.mul(a, rest);
                    self.mul(number, product)
                }
                // (y/x) x = y: an equation divided by its coefficient has constant coefficients again.
                (Op::Div(above, below), _) if below == b => above,
                (_, Op::Div(above, below)) if below == a => above,
                _ => self.put(Op::Mul(a, b)),
            },
        }
    }

    pub(crate) fn negated(&mut self, a: Id) -> Id {
        let minus = self.number(-1.0);
        self.mul(minus, a)
    }

    pub(crate) fn sub(&mut self, a: Id, b: Id) -> Id {
        let b = self.negated(b);
        self.add(a, b)
    }

    pub(crate) fn div(&mut self, a: Id, b: Id) -> Id {
        match (self.as_number(a), self.as_number(b)) {
            (Some(x), Some(y)) => self.number(x / y),
            (Some(0.0), _) | (_, Some(1.0)) => a,
            (None, Some(y)) if (1.0 / y).is_finite() => {
                let inverse = self.number(1.0 / y);
                self.mul(inverse, a)
            }
            _ => self.put(Op::Div(a, b)),
        }
    }

    pub(crate) fn power(&mut self, base: Id, exponent: f64) -> Id {
        match (self.as_number(base), exponent) {
            (Some(x), _) => self.number(power(x, exponent)),
            (_, 0.0) => self.number(1.0),
            (_, 1.0) => base,
            _ => self.put(Op::Power(base, exponent.to_bits())),
        }
    }

    pub(crate) fn elementary(&mut self, function: Elementary, argument: Id) -> Id {
        match self.as_number(argument) {
            Some(x) => self.number(function.value(x)),
            None => self.put(Op::Elementary(function, argument)),
        }
    }

    /// Whether a parameter occurs below a node.
    pub(crate) fn has_parameters(&self, id: Id) -> bool {
        let mut needed = self.reachable(&[id]).into_iter();
        needed.any(|id| matches!(self.op(id), Op::Parameter(_)))
    }

    /// Whether a component of the normal is needed.
    pub(crate) fn needs_normals(&self, id: Id) -> bool {
        let mut needed = self.reachable(&[id]).into_iter();
        needed.any(|id| matches!(self.op(id), Op::Normal(_)))
    }

    /// Fails if a number in them, or an exponent, is not finite.
    pub(crate) fn require_finite(&self, roots: &[Id]) -> Result<(), StatementError> {
        for id in self.reachable(roots) {
            let value = match self.op(id) {
                Op::Number(bits) | Op::Power(_, bits) => f64::from_bits(*bits),
                _ => 0.0,
            };
            if !value.is_finite() {
                return Err(StatementError::NotFinite { value });
            }
        }
        Ok(())
    }
}
