//! The numbers of the Radau IIA methods, computed once per method from their definition.
//!
//! The s nodes are the zeros of P_s(ξ) − P_{s−1}(ξ) on x = (1 + ξ)/2 ∈ (0, 1], the last one 1; the method is
//! collocation there: A integrates the polynomials that interpolate at the nodes, so with shifted Legendre
//! polynomials Pₖ, Σⱼ aᵢⱼ Pₖ(cⱼ) = ∫₀^{cᵢ} Pₖ. Its order is 2s − 1.

use faer::{Mat, c64};
use fastlsq_solve::dense::{Lu, eigen};
use std::sync::Arc;

/// A Radau IIA method with s stages, in the form that the iteration uses.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// c₁ … c_s = 1.
    pub(super) nodes: Arc<[f64]>,
    /// A⁻¹.
    pub(super) inverse: Mat<f64>,
    /// The real eigenvalue of A⁻¹.
    pub(super) real: f64,
    /// The eigenvalues of A⁻¹ with positive imaginary part.
    pub(super) pairs: Vec<c64>,
    /// Eigenvectors: column 0 of the real eigenvalue, then one column per pair.
    pub(super) vectors: Mat<c64>,
    /// The rows of the inverse eigenvector matrix that belong to these columns.
    pub(super) covectors: Mat<c64>,
    /// e in the estimate h f₀ + Σ eᵢ zᵢ, multiplied by the real eigenvalue.
    pub(super) error: Vec<f64>,
}

impl Table {
    /// The method of s stages, s odd; `None` if an eigenvalue iteration fails.
    pub(super) fn new(stages: usize) -> Option<Self> {
        let nodes = nodes(stages);
        // Row i, column k: Pₖ(cᵢ), and the integrals of Pₖ from 0 to cᵢ.
        let values = Mat::from_fn(stages, stages, |i, k| legendre(k, nodes[i]));
        let integrals = Mat::from_fn(stages, stages, |i, k| integral(k, nodes[i]));
        // A·values = integrals, hence valuesᵀ·Aᵀ = integralsᵀ.
        let transposed = Lu::new(values.transpose().to_owned());
        let mut a = integrals.transpose().to_owned();
        transposed.solve_in_place(a.as_mut());
        let a = a.transpose().to_owned();
        let mut inverse = Mat::identity(stages, stages);
        Lu::new(a.clone()).solve_in_place(inverse.as_mut());

        let (values, all) = eigen(inverse.as_ref())?;
        let mut dual = Mat::identity(stages, stages);
        Lu::new(all.clone()).solve_in_place(dual.as_mut());
        let real = (0..stages).find(|&j| values[j].im == 0.0)?;
        let chosen: Vec<usize> = std::iter::once(real)
            .chain((0..stages).filter(|&j| values[j].im > 0.0))
            .collect();
        if 2 * chosen.len() != stages + 1 {
            return None;
        }
        let vectors = Mat::from_fn(stages, chosen.len(), |i, j| all[(i, chosen[j])]);
        let covectors = Mat::from_fn(chosen.len(), stages, |j, i| dual[(chosen[j], i)]);
        let gamma = values[real].re;
        // A quadrature of order s with weight 1/γ at 0: Σ b̂ⱼ Pₖ(cⱼ) = ∫₀¹ Pₖ − Pₖ(0)/γ.
        let mut weights = Mat::from_fn(stages, 1, |k, _| {
            f64::from(u8::from(k == 0)) - legendre(k, 0.0) / gamma
        });
        transposed.solve_in_place(weights.as_mut());
        let error = (0..stages)
            .map(|j| {
                let change = |i: usize| weights[(i, 0)] - a[(stages - 1, i)];
                gamma
                    * (0..stages)
                        .map(|i| change(i) * inverse[(i, j)])
                        .sum::<f64>()
            })
            .collect();
        Some(Self {
            pairs: chosen[1..].iter().map(|&j| values[j]).collect(),
            nodes: nodes.into(),
            inverse,
            real: gamma,
            vectors,
            covectors,
            error,
        })
    }

    pub(super) fn stages(&self) -> usize {
        self.nodes.len()
    }
}

/// Pₖ on [0, 1].
fn legendre(degree: usize, x: f64) -> f64 {
    fastlsq_basis::legendre::value(degree, 2.0 * x - 1.0)
}

/// ∫₀ˣ Pₖ.
fn integral(degree: usize, x: f64) -> f64 {
    if degree == 0 {
        return x;
    }
    let difference = legendre(degree + 1, x) - legendre(degree - 1, x);
    difference / (2.0 * (2.0 * degree as f64 + 1.0))
}

/// The Radau nodes, found between the sign changes of P_s − P_{s−1}.
fn nodes(stages: usize) -> Vec<f64> {
    let f = |x: f64| legendre(stages, x) - legendre(stages - 1, x);
    // Spacing near 0 is about 1/s²: a thousand cells separate the zeros of any s used here.
    let cells = 1000;
    let mut nodes = Vec::with_capacity(stages);
    for cell in 0..cells {
        let end_of = |cell: i32| f64::from(cell) / f64::from(cells);
        let (mut lo, mut hi) = (end_of(cell), end_of(cell + 1));
        // The zero at 1 is known exactly.
        if cell + 1 == cells || (f(lo) < 0.0) == (f(hi) < 0.0) {
            continue;
        }
        let rising = f(hi) > 0.0;
        while hi - lo > f64::EPSILON * hi {
            let middle = f64::midpoint(lo, hi);
            if middle <= lo || middle >= hi {
                break;
            }
            if (f(middle) > 0.0) == rising {
                hi = middle;
            } else {
                lo = middle;
            }
        }
        nodes.push(f64::midpoint(lo, hi));
    }
    nodes.push(1.0);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_method_of_order_five_has_its_known_numbers() {
        let table = Table::new(3).unwrap();
        let root = 6.0_f64.sqrt();
        for (node, known) in table
            .nodes
            .iter()
            .zip([(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0])
        {
            assert!((node - known).abs() < 1e-15);
        }
        // Hairer & Wanner, IV.8.
        let gamma = (6.0 + 81.0_f64.cbrt() - 9.0_f64.cbrt()) / 30.0;
        assert!((table.real * gamma - 1.0).abs() < 1e-13);
        let expected = [-13.0 - 7.0 * root, -13.0 + 7.0 * root, -1.0].map(|e| e / 3.0);
        for (e, known) in table.error.iter().zip(expected) {
            assert!((e - known).abs() < 1e-11, "{e} {known}");
        }
    }

    #[test]
    fn quadratures_have_their_order_and_eigenvectors_rebuild_the_matrix() {
        for stages in [3, 5, 7] {
            let table = Table::new(stages).unwrap();
            assert_eq!(table.nodes.len(), stages);
            let mut a = Mat::identity(stages, stages);
            Lu::new(table.inverse.clone()).solve_in_place(a.as_mut());
            for power in 0..2 * stages - 1 {
                let sum: f64 = (0..stages)
                    .map(|j| a[(stages - 1, j)] * table.nodes[j].powi(power as i32))
                    .sum();
                assert!(
                    (sum - 1.0 / (power + 1) as f64).abs() < 1e-13,
                    "{stages} {power}"
                );
            }
            for i in 0..stages {
                for j in 0..stages {
                    let real = table.vectors[(i, 0)] * table.real * table.covectors[(0, j)];
                    let pairs: c64 = (1..=table.pairs.len())
                        .map(|k| {
                            table.vectors[(i, k)] * table.pairs[k - 1] * table.covectors[(k, j)]
                        })
                        .sum();
                    let entry = real.re + 2.0 * pairs.re;
                    assert!(
                        (entry - table.inverse[(i, j)]).abs() < 1e-10,
                        "{stages} {i} {j}"
                    );
                }
            }
        }
    }
}
