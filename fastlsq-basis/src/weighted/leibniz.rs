//! A form in wφ as a form in φ.

use ndarray::ArrayView2;

use crate::error::require_derivative;
use crate::form::{Action, Coefficient, Form};
use crate::{BasisError, MultiIndex};

/// More terms than this in Leibniz' rule are taken for a mistake.
const MAX_TERMS: u64 = 1024;

/// c_t(x) D^α(wφ) = Σ c_t(x) (α choose γ) D^γw D^{α−γ}φ for every term of a form, like derivatives put together.
#[derive(Debug)]
pub(super) struct Plan {
    /// The γ that occur.
    factor_orders: Vec<MultiIndex>,
    /// The D^{α−γ} that occur.
    inner_actions: Vec<Action>,
    products: Vec<Product>,
}

/// One term of the sum.
#[derive(Debug)]
struct Product {
    /// Which term of the form.
    term: usize,
    /// Which γ.
    factor: usize,
    /// Which D^{α−γ}.
    inner: usize,
    /// (α choose γ).
    binomial: f64,
}

impl Plan {
    /// `varies` tells whether φ is a basis; the constant 1 has no derivatives but itself.
    pub(super) fn new(form: &Form<'_>, varies: bool) -> Result<Self, BasisError> {
        let mut plan = Self {
            factor_orders: Vec::new(),
            inner_actions: Vec::new(),
            products: Vec::new(),
        };
        for (term, part) in form.terms().iter().enumerate() {
            require_derivative("weighted basis", part.action)?;
            let alpha = &part.action.derivative;
            let count = alpha.orders().iter().try_fold(1_u64, |count, &n| {
                count
                    .checked_mul(u64::from(n) + 1)
                    .filter(|c| *c <= MAX_TERMS)
            });
            if count.is_none() {
                return Err(BasisError::Unsupported {
                    basis: "weighted basis",
                    action: format!(
                        "{alpha}: Leibniz' rule would have more than {MAX_TERMS} terms"
                    ),
                });
            }
            if varies {
                for (gamma, binomial) in below(alpha) {
                    plan.push(term, alpha, &gamma, binomial);
                }
            } else {
                plan.push(term, alpha, alpha.orders(), 1.0);
            }
        }
        Ok(plan)
    }

    fn push(&mut self, term: usize, alpha: &MultiIndex, gamma: &[u32], binomial: f64) {
        let rest: Vec<u32> = alpha
            .orders()
            .iter()
            .zip(gamma)
            .map(|(a, g)| a - g)
            .collect();
        let factor = place(&mut self.factor_orders, MultiIndex::new(gamma));
        let inner = place(
            &mut self.inner_actions,
            Action::derivative(MultiIndex::new(rest)),
        );
        self.products.push(Product {
            term,
            factor,
            inner,
            binomial,
        });
    }

    pub(super) fn factor_orders(&self) -> &[MultiIndex] {
        &self.factor_orders
    }

    pub(super) fn inner_actions(&self) -> &[Action] {
        &self.inner_actions
    }

    /// The coefficient of every inner action at every point, from the factor's derivatives there.
    pub(super) fn coefficients(
        &self,
        form: &Form<'_>,
        derivatives: ArrayView2<'_, f64>,
    ) -> Vec<Vec<f64>> {
        let mut coefficients = vec![vec![0.0; derivatives.ncols()]; self.inner_actions.len()];
        for product in &self.products {
            let own = &mut coefficients[product.inner];
            let derivative = derivatives.row(product.factor);
            match form.terms()[product.term].coefficient {
                Coefficient::Constant(c) => {
                    let c = c * product.binomial;
                    for (sum, d) in own.iter_mut().zip(derivative) {
                        *sum += c * d;
                    }
                }
                Coefficient::PerPoint(values) => {
                    for ((sum, d), c) in own.iter_mut().zip(derivative).zip(values) {
                        *sum += c * product.binomial * d;
                    }
                }
            }
        }
        coefficients
    }
}

/// The place of an item in a list, at its end if it is new.
fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter()
        .position(|known| *known == item)
        .unwrap_or_else(|| {
            list.push(item);
            list.len() - 1
        })
}

/// All γ ≤ α with (α choose γ).
fn below(alpha: &MultiIndex) -> Vec<(Vec<u32>, f64)> {
    let mut all = vec![(Vec::with_capacity(alpha.dim()), 1.0)];
    for &n in alpha.orders() {
        all = all
            .iter()
            .flat_map(|(head, product)| {
                let mut choose = 1.0;
                (0..=n).map(move |k| {
                    if k > 0 {
                        choose *= f64::from(n - k + 1) / f64::from(k);
                    }
                    let mut gamma: Vec<u32> = head.clone();
                    gamma.push(k);
                    (gamma, product * choose)
                })
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials_of_a_multi_index_add_up_to_a_power_of_two() {
        let all = below(&MultiIndex::new([3, 2, 0]));
        assert_eq!(all.len(), 12);
        assert_eq!(all.iter().map(|(_, b)| b).sum::<f64>(), 32.0);
        assert!(all.contains(&(vec![1, 1, 0], 6.0)));
    }
}
