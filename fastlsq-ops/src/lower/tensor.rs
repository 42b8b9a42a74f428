//! From expressions to scalars: every vector and matrix becomes its components over the axes of the space.

use std::collections::HashMap;

use fastlsq_basis::Multiplier;

use super::graph::{Graph, Id, Op};
use crate::expr::{Expr, Node};
use crate::{Space, StatementError};

/// The components of a scalar (no lengths), a vector (one) or a matrix (two), the last index running fastest.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(super) lengths: Vec<usize>,
    pub(crate) parts: Vec<Id>,
}

impl Tensor {
    pub(super) fn scalar(id: Id) -> Self {
        Self {
            lengths: Vec::new(),
            parts: vec![id],
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        self.lengths.is_empty()
    }

    /// "a number", "a vector of 2", "a matrix of 2 × 2".
    pub(super) fn describe(&self) -> String {
        match self.lengths.as_slice() {
            [] => "a number".to_owned(),
            [n] => format!("a vector of {n}"),
            [m, n] => format!("a matrix of {m} × {n}"),
            more => format!("an object with {} indices", more.len()),
        }
    }
}

/// An expression on its way into a graph.
pub(crate) struct Lowering<'a> {
    pub(crate) graph: &'a mut Graph,
    pub(crate) space: &'a Space,
    /// Values of parameters that are known.
    pub(crate) values: &'a [(crate::Parameter, f64)],
    /// What is known of derivatives along each axis.
    pub(crate) differentiated: HashMap<usize, HashMap<Id, Id>>,
    /// What shared parts of the expression became.
    lowered: HashMap<*const (), Tensor>,
    pub(super) fractional: Vec<(u64, Multiplier)>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(
        graph: &'a mut Graph,
        space: &'a Space,
        values: &'a [(crate::Parameter, f64)],
    ) -> Self {
        Self {
            graph,
            space,
            values,
            differentiated: HashMap::new(),
            lowered: HashMap::new(),
            fractional: Vec::new(),
        }
    }

    /// The node of an expression that must be a number.
    pub(crate) fn scalar(&mut self, expression: &Expr) -> Result<Id, StatementError> {
        let tensor = self.tensor(expression)?;
        self.only_part(expression, &tensor)
    }

    fn only_part(&self, expression: &Expr, tensor: &Tensor) -> Result<Id, StatementError> {
        match (tensor.is_scalar(), tensor.parts.as_slice()) {
            (true, [id]) => Ok(*id),
            _ => Err(StatementError::Rank {
                expression: expression.to_string(),
                found: tensor.describe(),
                needed: "a number".to_owned(),
            }),
        }
    }

    pub(crate) fn tensor(&mut self, expression: &Expr) -> Result<Tensor, StatementError> {
        if let Some(known) = self.lowered.get(&expression.identity()) {
            return Ok(known.clone());
        }
        let tensor = self.fresh(expression)?;
        self.graph.require_moderate_size()?;
        self.lowered.insert(expression.identity(), tensor.clone());
        Ok(tensor)
    }

    fn fresh(&mut self, expression: &Expr) -> Result<Tensor, StatementError> {
        match expression.node() {
            Node::TooDeep => Err(StatementError::TooLarge {
                what: "the nesting of its parts",
            }),
            Node::Number(value) => Ok(Tensor::scalar(self.graph.number(*value))),
            Node::Coordinate(coordinate) => {
                let axis = self.space.axis_of(*coordinate)?;
                Ok(Tensor::scalar(self.graph.put(Op::Coordinate(axis))))
            }
            Node::Unknown(unknown) => {
                if unknown.is_improper() {
                    return Err(StatementError::Name {
                        name: unknown.to_string(),
                    });
                }
                let number = self.graph.unknowns.iter().position(|own| own == unknown);
                match number {
                    Some(number) => Ok(Tensor::scalar(self.graph.unknown(number))),
                    None => Err(StatementError::NoSuchUnknown {
                        name: unknown.to_string(),
                        known: self
                            .graph
                            .unknowns
                            .iter()
                            .map(ToString::to_string)
                            .collect(),
                    }),
                }
            }
            Node::Parameter(parameter) => self.parameter(*parameter).map(Tensor::scalar),
            Node::Given(given) => Ok(Tensor::scalar(self.graph.given(given))),
            Node::Normal => {
                let axes = self.space.space_axes();
                let parts = (0..axes).map(|k| self.graph.put(Op::Normal(k))).collect();
                Ok(Tensor {
                    lengths: vec![axes],
                    parts,
                })
            }
            Node::IdentityMatrix => self.identity_matrix(),
            Node::Vector(components) => self.vector(expression, components),
            Node::Sum(terms) => self.sum(expression, terms),
            Node::Product(number, factors) => {
                let mut product = Tensor::scalar(self.graph.number(*number));
                for factor in factors {
                    let factor = self.tensor(factor)?;
                    product = self.times(expression, product, factor)?;
                }
                Ok(product)
            }
            Node::Quotient(a, b) => {
                let above = self.tensor(a)?;
                let below = self.scalar(b)?;
                Ok(self.each(above, |graph, part| graph.div(part, below)))
            }
            Node::Power(base, exponent) => {
                let base = self.scalar(base)?;
                Ok(Tensor::scalar(self.graph.power(base, *exponent)))
            }
            Node::Elementary(function, argument) => {
                let argument = self.scalar(argument)?;
                Ok(Tensor::scalar(self.graph.elementary(*function, argument)))
            }
            Node::Call(call, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.scalar(argument))
                    .collect::<Result<_, _>>()?;
                Ok(Tensor::scalar(self.graph.call(call, arguments)))
            }
            Node::Derivative(inner, coordinate) => {
                let inner = self.tensor(inner)?;
                let axis = self.space.axis_of(*coordinate)?;
                self.each_along(inner, axis)
            }
            Node::Laplacian(inner) => {
                let inner = self.tensor(inner)?;
                self.laplacian(&inner)
            }
            Node::Gradient(inner) => {
                let inner = self.tensor(inner)?;
                self.gradient(inner)
            }
            Node::Divergence(inner) => {
                let inner = self.tensor(inner)?;
                self.divergence(expression, inner)
            }
            Node::Dot(a, b) => {
                let (a, b) = (self.tensor(a)?, self.tensor(b)?);
                self.contract(expression, a, b)
            }
            Node::Transpose(inner) => {
                let inner = self.tensor(inner)?;
                self.transposed(expression, &inner)
            }
            Node::Integral(inner, coordinate, from, to) => {
                let inner = self.scalar(inner)?;
                let axis = self.space.axis_of(*coordinate)?;
                self.integral(expression, inner, axis, *from, *to)
                    .map(Tensor::scalar)
            }
            Node::Multiplier(inner, multiplier) => {
                let inner = self.scalar(inner)?;
                self.multiplied(expression, inner, multiplier)
                    .map(Tensor::scalar)
            }
            Node::FractionalLaplacian(inner, s) => {
                let inner = self.tensor(inner)?;
                self.fractional_laplacian(expression, inner, *s)
            }
        }
    }

    fn parameter(&mut self, parameter: crate::Parameter) -> Result<Id, StatementError> {
        if parameter.is_improper() {
            return Err(StatementError::Name {
                name: parameter.to_string(),
            });
        }
        if let Some(place) = self.graph.parameters.iter().position(|p| *p == parameter) {
            return Ok(self.graph.put(Op::Parameter(place)));
        }
        match self.values.iter().find(|(own, _)| *own == parameter) {
            Some((_, value)) => Ok(self.graph.number(*value)),
            None => Err(StatementError::FreeParameter {
                name: parameter.to_string(),
            }),
        }
    }
}
