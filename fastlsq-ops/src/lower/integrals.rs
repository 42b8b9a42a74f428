//! Integrals, multipliers and further derivatives of what stands for an unknown.

use fastlsq_basis::{AxisIntegral, Multiplier, UpperLimit};

use super::graph::{Graph, Id, Op};
use super::tensor::Lowering;
use crate::StatementError;
use crate::expr::Expr;

impl Lowering<'_> {
    /// The derivative of a jet along an axis: one order more, or an integral undone.
    pub(crate) fn raised_jet(&mut self, jet: usize, axis: usize) -> Result<Id, StatementError> {
        let jet = self.graph.jets[jet].clone();
        let mut action = jet.action;
        if let Some(place) = action.integrals.iter().position(|i| i.axis == axis) {
            return match action.integrals.remove(place).to {
                UpperLimit::Coordinate => Ok(self.graph.jet(jet.unknown, action)),
                // A definite integral does not depend on its axis.
                UpperLimit::Fixed(_) => Ok(self.graph.number(0.0)),
            };
        }
        let raised = action
            .derivative
            .raised(axis)
            .ok_or(StatementError::TooLarge {
                what: "the order of a derivative",
            })?;
        action.derivative = raised;
        Ok(self.graph.jet(jet.unknown, action))
    }

    /// ∫_from^to of an expression that is linear in the unknowns, with coefficients that do not vary along the axis.
    pub(crate) fn integral(
        &mut self,
        whole: &Expr,
        inner: Id,
        axis: usize,
        from: f64,
        to: Option<f64>,
    ) -> Result<Id, StatementError> {
        for limit in [Some(from), to].into_iter().flatten() {
            if !limit.is_finite() {
                return Err(StatementError::NotFinite { value: limit });
            }
        }
        let upper = to.map_or(UpperLimit::Coordinate, UpperLimit::Fixed);
        let mut sum = self.graph.number(0.0);
        for (jet, coefficient) in self.linear_terms(whole, inner)? {
            let slope = self.along(coefficient, axis)?;
            if !self.graph.is_zero(slope) {
                return Err(refused(
                    whole,
                    "a coefficient changes along the coordinate that is integrated over",
                ));
            }
            let jet = self.graph.jets[jet].clone();
            let own = jet.action.integrals.iter().find(|i| i.axis == axis);
            let term = match (own.map(|own| own.to), upper) {
                (None, to) => {
                    let mut action = jet.action.clone();
                    action.integrals.push(AxisIntegral { axis, from, to });
                    // Integrals along distinct axes commute; one order makes like terms equal.
                    action.integrals.sort_by_key(|integral| integral.axis);
                    self.graph.jet(jet.unknown, action)
                }
                (Some(UpperLimit::Coordinate), _) => {
                    return Err(refused(
                        whole,
                        "an antiderivative cannot be integrated again along its coordinate",
                    ));
                }
                // The inner integral no longer depends on the axis: only the length remains.
                (Some(UpperLimit::Fixed(_)), to) => {
                    let to = match to {
                        UpperLimit::Fixed(to) => self.graph.number(to),
                        UpperLimit::Coordinate => self.graph.put(Op::Coordinate(axis)),
                    };
                    let from = self.graph.number(from);
                    let length = self.graph.sub(to, from);
                    let own = self.graph.jet(jet.unknown, jet.action);
                    self.graph.mul(length, own)
                }
            };
            let term = self.graph.mul(coefficient, term);
            sum = self.graph.add(sum, term);
        }
        Ok(sum)
    }

    /// A Fourier multiplier after an expression that is linear in the unknowns, with constant coefficients.
    pub(crate) fn multiplied(
        &mut self,
        whole: &Expr,
        inner: Id,
        multiplier: &Multiplier,
    ) -> Result<Id, StatementError> {
        let mut sum = self.graph.number(0.0);
        for (jet, coefficient) in self.linear_terms(whole, inner)? {
            let varies = self.graph.reachable(&[coefficient]).into_iter().any(|id| {
                matches!(
                    self.graph.op(id),
                    Op::Coordinate(_) | Op::Normal(_) | Op::Given(_)
                )
            });
            if varies {
                return Err(refused(
                    whole,
                    "a Fourier multiplier can only follow operators with constant coefficients",
                ));
            }
            let jet = self.graph.jets[jet].clone();
            if !jet.action.integrals.is_empty() {
                return Err(refused(
                    whole,
                    "a Fourier multiplier cannot follow an integral, whose value at the lower limit has other \
                     frequencies; integrate last",
                ));
            }
            let mut action = jet.action;
            action.multiplier = Some(match &action.multiplier {
                Some(first) => first.then(multiplier),
                None => multiplier.clone(),
            });
            let own = self.graph.jet(jet.unknown, action);
            let term = self.graph.mul(coefficient, own);
            sum = self.graph.add(sum, term);
        }
        Ok(sum)
    }

    /// The jets with their coefficients in an expression that must be linear, with nothing else.
    fn linear_terms(&mut self, whole: &Expr, id: Id) -> Result<Vec<(usize, Id)>, StatementError> {
        if self.graph.degree(id) != super::linear::Degree::Linear {
            return Err(refused(
                whole,
                "only expressions that are linear in the unknowns have one",
            ));
        }
        let terms = self.graph.gradient(id)?.jets;
        let rest = self.graph.without_jets(id);
        if self.graph.is_zero(rest) {
            Ok(terms)
        } else {
            Err(refused(whole, "a part of it contains no unknown"))
        }
    }
}

fn refused(whole: &Expr, reason: &'static str) -> StatementError {
    StatementError::NoClosedForm {
        expression: whole.to_string(),
        reason,
    }
}

impl Graph {
    /// The value where all unknowns vanish, of an expression that is linear in them.
    pub(crate) fn without_jets(&mut self, id: Id) -> Id {
        let mut without: std::collections::HashMap<Id, Id> = std::collections::HashMap::new();
        for node in self.reachable(&[id]) {
            let same = |id: &Id| without.get(id).copied().unwrap_or(*id);
            let new = match self.op(node).clone() {
                Op::Jet(_) => self.number(0.0),
                Op::Add(a, b) => {
                    let (a, b) = (same(&a), same(&b));
                    self.add(a, b)
                }
                Op::Mul(a, b) => {
                    let (a, b) = (same(&a), same(&b));
                    self.mul(a, b)
                }
                Op::Div(a, b) => {
                    let (a, b) = (same(&a), same(&b));
                    self.div(a, b)
                }
                Op::Power(a, bits) => {
                    let a = same(&a);
                    self.power(a, f64::from_bits(bits))
                }
                Op::Elementary(function, a) => {
                    let a = same(&a);
                    self.elementary(function, a)
                }
                Op::Call(call, arguments, orders) => {
                    let arguments = arguments.iter().map(same).collect();
                    self.put(Op::Call(call, arguments, orders))
                }
                _ => node,
            };
            without.insert(node, new);
        }
        without.get(&id).copied().unwrap_or(id)
    }
}
