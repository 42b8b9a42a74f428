//! From expressions to scalars: every vector and matrix becomes its components over the axes of the space.

use std::collections::HashMap;

use fastlsq_basis::Multiplier;

use super::graph::{Graph, Id, Op};
use crate::expr::{Expr, Node};
use crate::{Space, StatementError};

/// The components of a scalar (no lengths), a vector (one) or a matrix (two), the last index running fastest.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    lengths: Vec<usize>,
    pub(crate) parts: Vec<Id>,
}

impl Tensor {
    fn scalar(id: Id) -> Self {
        Self {
            lengths: Vec::new(),
            parts: vec![id],
        }
    }

    fn is_scalar(&self) -> bool {
        self.lengths.is_empty()
    }

    /// "a number", "a vector of 2", "a matrix of 2 × 2".
    pub(crate) fn describe(&self) -> String {
        match self.lengths.as_slice() {
            [] => "a number".to_owned(),
            [n] => format!("a vector of {n}"),
            [m, n] => format!("a matrix of {m} × {n}"),
            more => format!("an object with {} indices", more.len()),
        }
    }
}

/// The largest number of components that an expression may have.
const COMPONENTS: usize = 10_000;

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
    fractional: Vec<(u64, Multiplier)>,
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
        if tensor.parts.len() > COMPONENTS {
            return Err(StatementError::TooLarge {
                what: "a vector or matrix in it",
            });
        }
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
                        known: self.graph.unknowns.iter().map(ToString::to_string).collect(),
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
            Node::IdentityMatrix => {
                let axes = self.space.space_axes();
                let (zero, one) = (self.graph.number(0.0), self.graph.number(1.0));
                let parts = (0..axes * axes)
                    .map(|k| if k / axes == k % axes { one } else { zero })
                    .collect();
                Ok(Tensor {
                    lengths: vec![axes, axes],
                    parts,
                })
            }
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
                let mut inner = self.tensor(inner)?;
                let axes = self.space.space_axes();
                let mut parts = Vec::with_capacity(inner.parts.len() * axes);
                for part in &inner.parts {
                    for axis in 0..axes {
                        parts.push(self.along(*part, axis)?);
                    }
                }
                inner.lengths.push(axes);
                Ok(Tensor {
                    lengths: inner.lengths,
                    parts,
                })
            }
            Node::Divergence(inner) => {
                let mut inner = self.tensor(inner)?;
                let axes = self.space.space_axes();
                if inner.lengths.pop() != Some(axes) {
                    return Err(StatementError::Rank {
                        expression: expression.to_string(),
                        found: self.tensor_again(&inner),
                        needed: format!("a vector of {axes} to take the divergence of"),
                    });
                }
                let zero = self.graph.number(0.0);
                let mut parts = Vec::with_capacity(inner.parts.len() / axes.max(1));
                for row in inner.parts.chunks(axes.max(1)) {
                    let mut sum = zero;
                    for (axis, part) in row.iter().enumerate() {
                        let slope = self.along(*part, axis)?;
                        sum = self.graph.add(sum, slope);
                    }
                    parts.push(sum);
                }
                Ok(Tensor {
                    lengths: inner.lengths,
                    parts,
                })
            }
            Node::Dot(a, b) => {
                let (a, b) = (self.tensor(a)?, self.tensor(b)?);
                self.contract(expression, a, b)
            }
            Node::Transpose(inner) => {
                let inner = self.tensor(inner)?;
                match *inner.lengths.as_slice() {
                    [m, n] => Ok(Tensor {
                        lengths: vec![n, m],
                        parts: (0..m * n)
                            .map(|k| inner.parts[(k % m) * n + k / m])
                            .collect(),
                    }),
                    _ => Err(StatementError::Rank {
                        expression: expression.to_string(),
                        found: inner.describe(),
                        needed: "a matrix to transpose".to_owned(),
                    }),
                }
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

    fn tensor_again(&self, cut: &Tensor) -> String {
        if cut.is_scalar() && cut.parts.len() == 1 {
            "a number".to_owned()
        } else {
            "something of another shape".to_owned()
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

    fn vector(&mut self, whole: &Expr, components: &[Expr]) -> Result<Tensor, StatementError> {
        let mut parts = Vec::new();
        let mut inner: Option<Vec<usize>> = None;
        for component in components {
            let tensor = self.tensor(component)?;
            if *inner.get_or_insert_with(|| tensor.lengths.clone()) != tensor.lengths {
                return Err(StatementError::Rank {
                    expression: whole.to_string(),
                    found: tensor.describe(),
                    needed: "components of one shape".to_owned(),
                });
            }
            parts.extend(tensor.parts);
        }
        let mut lengths = vec![components.len()];
        lengths.extend(inner.unwrap_or_default());
        Ok(Tensor { lengths, parts })
    }

    fn sum(&mut self, whole: &Expr, terms: &[Expr]) -> Result<Tensor, StatementError> {
        let mut sum: Option<Tensor> = None;
        for term in terms {
            let term = self.tensor(term)?;
            sum = Some(match sum {
                None => term,
                Some(sum) if sum.lengths == term.lengths => {
                    let pairs = sum.parts.iter().zip(&term.parts);
                    let parts = pairs.map(|(a, b)| self.graph.add(*a, *b)).collect();
                    Tensor {
                        lengths: sum.lengths,
                        parts,
                    }
                }
                Some(sum) => {
                    return Err(StatementError::Rank {
                        expression: whole.to_string(),
                        found: term.describe(),
                        needed: format!("{} as in the other terms", sum.describe()),
                    });
                }
            });
        }
        Ok(sum.unwrap_or_else(|| Tensor::scalar(self.graph.number(0.0))))
    }

    fn times(&mut self, whole: &Expr, a: Tensor, b: Tensor) -> Result<Tensor, StatementError> {
        match (a.parts.as_slice(), b.parts.as_slice()) {
            ([factor], _) if a.is_scalar() => {
                let factor = *factor;
                Ok(self.each(b, |graph, part| graph.mul(factor, part)))
            }
            (_, [factor]) if b.is_scalar() => {
                let factor = *factor;
                Ok(self.each(a, |graph, part| graph.mul(part, factor)))
            }
            _ => Err(StatementError::Rank {
                expression: whole.to_string(),
                found: format!("a product of {} and {}", a.describe(), b.describe()),
                needed: "at most one vector among the factors; for products of vectors use dot"
                    .to_owned(),
            }),
        }
    }

    /// Σₖ a_{…k} b_{k…}; numbers are multiplied.
    fn contract(&mut self, whole: &Expr, a: Tensor, b: Tensor) -> Result<Tensor, StatementError> {
        if a.is_scalar() || b.is_scalar() {
            return self.times(whole, a, b);
        }
        let (Some(&inner), Some(&first)) = (a.lengths.last(), b.lengths.first()) else {
            return self.times(whole, a, b);
        };
        if inner != first {
            return Err(StatementError::Rank {
                expression: whole.to_string(),
                found: format!("{} and {}", a.describe(), b.describe()),
                needed: "as many components in both".to_owned(),
            });
        }
        let mut lengths = a.lengths[..a.lengths.len() - 1].to_vec();
        lengths.extend(&b.lengths[1..]);
        let columns = b.parts.len() / inner.max(1);
        let zero = self.graph.number(0.0);
        let mut parts = Vec::new();
        for row in a.parts.chunks(inner.max(1)) {
            for column in 0..columns {
                let mut sum = zero;
                for (k, left) in row.iter().enumerate() {
                    let product = self.graph.mul(*left, b.parts[k * columns + column]);
                    sum = self.graph.add(sum, product);
                }
                parts.push(sum);
            }
        }
        Ok(Tensor { lengths, parts })
    }

    fn each(&mut self, tensor: Tensor, change: impl Fn(&mut Graph, Id) -> Id) -> Tensor {
        let parts = tensor.parts.iter();
        Tensor {
            parts: parts.map(|part| change(self.graph, *part)).collect(),
            lengths: tensor.lengths,
        }
    }

    fn each_along(&mut self, tensor: Tensor, axis: usize) -> Result<Tensor, StatementError> {
        let parts = tensor.parts.iter();
        Ok(Tensor {
            parts: parts
                .map(|part| self.along(*part, axis))
                .collect::<Result<_, _>>()?,
            lengths: tensor.lengths,
        })
    }

    fn laplacian(&mut self, inner: &Tensor) -> Result<Tensor, StatementError> {
        let mut parts = Vec::with_capacity(inner.parts.len());
        for part in &inner.parts {
            let mut sum = self.graph.number(0.0);
            for axis in 0..self.space.space_axes() {
                let first = self.along(*part, axis)?;
                let second = self.along(first, axis)?;
                sum = self.graph.add(sum, second);
            }
            parts.push(sum);
        }
        Ok(Tensor {
            lengths: inner.lengths.clone(),
            parts,
        })
    }

    fn fractional_laplacian(
        &mut self,
        whole: &Expr,
        inner: Tensor,
        s: f64,
    ) -> Result<Tensor, StatementError> {
        if !(s.is_finite() && s >= 0.0) {
            return Err(StatementError::FractionalOrder { order: s });
        }
        if s == 0.0 {
            return Ok(inner);
        }
        if s == 1.0 || s == 2.0 {
            let once = self.laplacian(&inner)?;
            return if s == 1.0 {
                Ok(self.each(once, Graph::negated))
            } else {
                self.laplacian(&once)
            };
        }
        // One multiplier for each order, so that equal terms are seen to be equal.
        let known = self.fractional.iter().find(|(bits, _)| *bits == s.to_bits());
        let multiplier = match known {
            Some((_, multiplier)) => multiplier.clone(),
            None => {
                let axes = self.space.space_axes();
                let symbol = move |w: &[f64]| {
                    let space = w.iter().take(axes);
                    space.map(|w| w * w).sum::<f64>().powf(s)
                };
                let multiplier = Multiplier::new(format!("(−Δ)^{s}"), symbol);
                self.fractional.push((s.to_bits(), multiplier.clone()));
                multiplier
            }
        };
        let mut parts = Vec::with_capacity(inner.parts.len());
        for part in &inner.parts {
            parts.push(self.multiplied(whole, *part, &multiplier)?);
        }
        Ok(Tensor {
            lengths: inner.lengths,
            parts,
        })
    }
}
