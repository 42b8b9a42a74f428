//! Which monomials are kept, and which pairs of them multiply to which.

use crate::MultiIndex;

/// The monomials h^γ with γ ≤ `highest` on every axis, numbered with the last axis fastest.
#[derive(Debug)]
pub(super) struct Layout {
    highest: Vec<u32>,
    /// How far apart neighbours along each axis are.
    strides: Vec<usize>,
    len: usize,
    /// (i, j, k) with h^i h^j = h^k, all kept.
    products: Vec<[u32; 3]>,
}

impl Layout {
    pub(super) fn new(highest: &[u32]) -> Self {
        let mut strides = vec![1; highest.len()];
        let mut len = 1;
        for (stride, &n) in strides.iter_mut().zip(highest).rev() {
            *stride = len;
            len *= n as usize + 1;
        }
        let mut products = vec![[0; 3]];
        for (&stride, &n) in strides.iter().zip(highest) {
            let step = stride as u32;
            products = products
                .iter()
                .flat_map(|&[i, j, k]| {
                    (0..=n).flat_map(move |a| {
                        (0..=n - a).map(move |b| [i + a * step, j + b * step, k + (a + b) * step])
                    })
                })
                .collect();
        }
        Self {
            highest: highest.to_vec(),
            strides,
            len,
            products,
        }
    }

    /// How many coefficients there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The highest power of a number without a value that does not vanish.
    pub(super) fn degree(&self) -> u32 {
        self.highest.iter().sum()
    }

    /// The number of h^γ, if it is kept.
    pub(super) fn position(&self, gamma: &MultiIndex) -> Option<usize> {
        if gamma.dim() != self.highest.len() {
            return None;
        }
        let mut position = 0;
        for ((&n, &most), stride) in gamma.orders().iter().zip(&self.highest).zip(&self.strides) {
            if n > most {
                return None;
            }
            position += n as usize * stride;
        }
        Some(position)
    }

    /// The number of h_axis, if it is kept.
    pub(super) fn first_along(&self, axis: usize) -> Option<usize> {
        let kept = *self.highest.get(axis)? > 0;
        kept.then(|| self.strides[axis])
    }

    /// The product of two polynomials, higher monomials dropped.
    pub(super) fn multiply(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.len];
        for &[i, j, k] in &self.products {
            product[k as usize] += a[i as usize] * b[j as usize];
        }
        product
    }
}
