//! Vector calculus: components of sums, products, gradients, divergences and Laplacians.

use fastlsq_basis::Multiplier;

use super::graph::{Graph, Id};
use super::tensor::{Lowering, Tensor};
use crate::StatementError;
use crate::expr::Expr;

/// The largest number of components that an expression may have.
const COMPONENTS: usize = 10_000;

fn require_few(rows: usize, columns: usize) -> Result<(), StatementError> {
    if rows.saturating_mul(columns) <= COMPONENTS {
        Ok(())
    } else {
        Err(StatementError::TooLarge {
            what: "a vector or matrix in it",
        })
    }
}

impl Lowering<'_> {
    pub(super) fn identity_matrix(&mut self) -> Result<Tensor, StatementError> {
        let axes = self.space.space_axes();
        require_few(axes, axes)?;
        let (zero, one) = (self.graph.number(0.0), self.graph.number(1.0));
        let entries = (0..axes).flat_map(|i| (0..axes).map(move |j| i == j));
        Ok(Tensor {
            lengths: vec![axes, axes],
            parts: entries.map(|same| if same { one } else { zero }).collect(),
        })
    }

    pub(super) fn gradient(&mut self, mut inner: Tensor) -> Result<Tensor, StatementError> {
        let axes = self.space.space_axes();
        require_few(inner.parts.len(), axes)?;
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

    pub(super) fn divergence(
        &mut self,
        whole: &Expr,
        mut inner: Tensor,
    ) -> Result<Tensor, StatementError> {
        let axes = self.space.space_axes();
        if inner.lengths.last() != Some(&axes) {
            return Err(StatementError::Rank {
                expression: whole.to_string(),
                found: inner.describe(),
                needed: format!("a vector of {axes} to take the divergence of"),
            });
        }
        inner.lengths.pop();
        let mut parts = Vec::with_capacity(inner.parts.len() / axes.max(1));
        for row in inner.parts.chunks(axes.max(1)) {
            let mut sum = self.graph.number(0.0);
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

    pub(super) fn transposed(
        &mut self,
        whole: &Expr,
        inner: &Tensor,
    ) -> Result<Tensor, StatementError> {
        match *inner.lengths.as_slice() {
            [m, n] => Ok(Tensor {
                lengths: vec![n, m],
                parts: (0..m * n)
                    .map(|k| inner.parts[(k % m) * n + k / m])
                    .collect(),
            }),
            _ => Err(StatementError::Rank {
                expression: whole.to_string(),
                found: inner.describe(),
                needed: "a matrix to transpose".to_owned(),
            }),
        }
    }

    pub(super) fn vector(
        &mut self,
        whole: &Expr,
        components: &[Expr],
    ) -> Result<Tensor, StatementError> {
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
            require_few(parts.len(), 1)?;
        }
        let mut lengths = vec![components.len()];
        lengths.extend(inner.unwrap_or_default());
        Ok(Tensor { lengths, parts })
    }

    pub(super) fn sum(&mut self, whole: &Expr, terms: &[Expr]) -> Result<Tensor, StatementError> {
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

    pub(super) fn times(
        &mut self,
        whole: &Expr,
        a: Tensor,
        b: Tensor,
    ) -> Result<Tensor, StatementError> {
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
    pub(super) fn contract(
        &mut self,
        whole: &Expr,
        a: Tensor,
        b: Tensor,
    ) -> Result<Tensor, StatementError> {
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
        require_few(a.parts.len() / inner.max(1), columns)?;
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

    pub(super) fn each(&mut self, tensor: Tensor, change: impl Fn(&mut Graph, Id) -> Id) -> Tensor {
        let parts = tensor.parts.iter();
        Tensor {
            parts: parts.map(|part| change(self.graph, *part)).collect(),
            lengths: tensor.lengths,
        }
    }

    pub(super) fn each_along(
        &mut self,
        tensor: Tensor,
        axis: usize,
    ) -> Result<Tensor, StatementError> {
        let parts = tensor.parts.iter();
        Ok(Tensor {
            parts: parts
                .map(|part| self.along(*part, axis))
                .collect::<Result<_, _>>()?,
            lengths: tensor.lengths,
        })
    }

    pub(super) fn laplacian(&mut self, inner: &Tensor) -> Result<Tensor, StatementError> {
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

    pub(super) fn fractional_laplacian(
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
        let known = self
            .fractional
            .iter()
            .find(|(bits, _)| *bits == s.to_bits());
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
