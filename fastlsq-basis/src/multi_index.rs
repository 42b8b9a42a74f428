//! Multi-indices α and the partial derivatives D^α they name.

use crate::typography::{exponent, subscript};
use std::fmt;
use std::ops::Add;

use crate::BasisError;

/// A multi-index α = (α₀, …, α_{d−1}): the partial derivative D^α = Π ∂^{αₖ}/∂xₖ^{αₖ}.
///
/// ```
/// use fastlsq_basis::MultiIndex;
/// let alpha = MultiIndex::new([2, 1]);
/// assert_eq!(alpha.order(), 3);
/// assert_eq!(alpha.to_string(), "∂³/∂x₀²∂x₁");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MultiIndex(Vec<u32>);

impl MultiIndex {
    /// The multi-index with these orders, one for each axis.
    pub fn new(orders: impl Into<Vec<u32>>) -> Self {
        Self(orders.into())
    }

    /// α = 0: the function itself.
    #[must_use]
    pub fn zero(dim: usize) -> Self {
        Self(vec![0; dim])
    }

    /// The derivative of the given order along one axis.
    ///
    /// # Errors
    /// [`BasisError::Axis`] if `axis ≥ dim`.
    pub fn along(dim: usize, axis: usize, order: u32) -> Result<Self, BasisError> {
        if axis >= dim {
            return Err(BasisError::Axis { axis, dim });
        }
        let mut orders = vec![0; dim];
        orders[axis] = order;
        Ok(Self(orders))
    }

    /// The number of axes d.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.0.len()
    }

    /// The total order |α| = Σ αₖ.
    #[must_use]
    pub fn order(&self) -> u32 {
        self.0.iter().fold(0, |sum, &n| sum.saturating_add(n))
    }

    /// The order along each axis.
    #[must_use]
    pub fn orders(&self) -> &[u32] {
        &self.0
    }

    /// Whether α = 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|&n| n == 0)
    }

    /// The monomial w^α = Π wₖ^{αₖ} (axes beyond the shorter of the two are ignored).
    #[must_use]
    pub fn monomial(&self, w: &[f64]) -> f64 {
        self.0
            .iter()
            .zip(w)
            .filter(|(n, _)| **n > 0)
            .map(|(&n, &w)| power(w, n))
            .product()
    }

    /// ∂(w^α)/∂w_axis = α_axis w^{α − e_axis}.
    #[must_use]
    pub fn monomial_derivative(&self, w: &[f64], axis: usize) -> f64 {
        let Some(&n) = self.0.get(axis) else {
            return 0.0;
        };
        if n == 0 {
            return 0.0;
        }
        let others: f64 = self
            .0
            .iter()
            .zip(w)
            .enumerate()
            .filter(|(k, (n, _))| *k != axis && **n > 0)
            .map(|(_, (&n, &w))| power(w, n))
            .product();
        f64::from(n) * w.get(axis).map_or(0.0, |&w| power(w, n - 1)) * others
    }

    /// The sum α + β, or `None` if the dimensions differ or an order overflows.
    #[must_use]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        if self.dim() != other.dim() {
            return None;
        }
        self.0
            .iter()
            .zip(&other.0)
            .map(|(a, b)| a.checked_add(*b))
            .collect::<Option<_>>()
            .map(Self)
    }

    /// One order more along an axis, or `None` if there is no such axis or the order overflows.
    #[must_use]
    pub fn raised(&self, axis: usize) -> Option<Self> {
        let mut orders = self.0.clone();
        let order = orders.get_mut(axis)?;
        *order = order.checked_add(1)?;
        Some(Self(orders))
    }

    /// Every multi-index of the given dimension with total order at most `order`, by rising order.
    #[must_use]
    pub fn up_to_order(dim: usize, order: u32) -> Vec<Self> {
        let mut all = vec![Self::zero(dim)];
        let mut last = all.clone();
        for _ in 0..order {
            let mut next = Vec::new();
            for alpha in &last {
                // Raise only axes at or after the last raised one: each index appears once.
                let first = alpha.0.iter().rposition(|&n| n > 0).unwrap_or(0);
                for axis in first..dim {
                    let mut raised = alpha.clone();
                    raised.0[axis] += 1;
                    next.push(raised);
                }
            }
            all.extend(next.iter().cloned());
            last = next;
        }
        all
    }
}

/// wⁿ for a non-negative integer n of any size.
fn power(w: f64, n: u32) -> f64 {
    w.powi(i32::try_from(n).unwrap_or(i32::MAX))
}

impl Add for &MultiIndex {
    type Output = MultiIndex;

    /// α + β; a shorter index is padded with zeros.
    fn add(self, other: &MultiIndex) -> MultiIndex {
        let dim = self.dim().max(other.dim());
        let at = |index: &MultiIndex, k: usize| index.0.get(k).copied().unwrap_or(0);
        MultiIndex(
            (0..dim)
                .map(|k| at(self, k).saturating_add(at(other, k)))
                .collect(),
        )
    }
}

impl fmt::Display for MultiIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.order();
        if order == 0 {
            return write!(f, "1");
        }
        write!(f, "∂{}/", exponent(order as usize))?;
        for (axis, &n) in self.0.iter().enumerate().filter(|(_, n)| **n > 0) {
            write!(f, "∂x{}{}", subscript(axis), exponent(n as usize))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_mathematics() {
        assert_eq!(MultiIndex::zero(3).to_string(), "1");
        assert_eq!(MultiIndex::new([0, 1]).to_string(), "∂/∂x₁");
        assert_eq!(MultiIndex::new([2]).to_string(), "∂²/∂x₀²");
        assert_eq!(
            MultiIndex::new(vec![0; 12].into_iter().chain([12]).collect::<Vec<_>>()).to_string(),
            "∂¹²/∂x₁₂¹²"
        );
    }

    #[test]
    fn monomials_and_their_derivatives() {
        let alpha = MultiIndex::new([2, 0, 3]);
        let w = [1.5, 0.0, -2.0];
        assert_eq!(alpha.monomial(&w), 2.25 * -8.0);
        assert_eq!(alpha.monomial_derivative(&w, 0), 3.0 * -8.0);
        assert_eq!(alpha.monomial_derivative(&w, 1), 0.0);
        assert_eq!(alpha.monomial_derivative(&w, 2), 2.25 * 12.0);
        assert_eq!(MultiIndex::new([1]).monomial_derivative(&[0.0], 0), 1.0);
    }

    #[test]
    fn lists_each_index_once() {
        let all = MultiIndex::up_to_order(3, 4);
        assert_eq!(all.len(), 35); // (3+4 choose 4)
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn mismatched_axes_are_errors() {
        assert_eq!(
            MultiIndex::along(2, 2, 1),
            Err(BasisError::Axis { axis: 2, dim: 2 })
        );
        assert_eq!(
            MultiIndex::new([1]).checked_add(&MultiIndex::new([1, 1])),
            None
        );
    }
}
