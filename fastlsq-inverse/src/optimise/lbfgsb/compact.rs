//! The limited-memory BFGS matrix in compact form (Byrd, Nocedal and Schnabel 1994).
//!
//! From the last m steps S = [s₁ … s_m] and gradient changes Y = [y₁ … y_m],
//! ```text
//! B = θI − W M Wᵀ,   W = [Y  θS],   M⁻¹ = ⎡ −D    Lᵀ  ⎤
//!                                         ⎣  L   θSᵀS ⎦
//! ```
//! with D the diagonal of SᵀY, L its strictly lower part and θ = yᵀy / sᵀy of the last pair.

use crate::optimise::cholesky::Cholesky;
use crate::optimise::vector::dot;

/// The pairs (s, y), oldest first, with their inner products.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct CompactMemory {
    capacity: usize,
    steps: Vec<Vec<f64>>,
    changes: Vec<Vec<f64>>,
    /// Row i: sᵢᵀ sⱼ for every j.
    step_products: Vec<Vec<f64>>,
    /// Row i: sᵢᵀ yⱼ for every j.
    cross_products: Vec<Vec<f64>>,
    theta: f64,
    /// Factor of θSᵀS + L D⁻¹ Lᵀ, the Schur complement in M⁻¹.
    schur: Cholesky,
}

impl CompactMemory {
    /// An empty memory (B = I) for at most `capacity` pairs.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            steps: Vec::new(),
            changes: Vec::new(),
            step_products: Vec::new(),
            cross_products: Vec::new(),
            theta: 1.0,
            schur: Cholesky::default(),
        }
    }

    /// Forgets every pair: B = I.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }

    /// Number of pairs held.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn theta(&self) -> f64 {
        self.theta
    }

    /// sᵢ, oldest first.
    pub(super) fn steps(&self) -> &[Vec<f64>] {
        &self.steps
    }

    /// yᵢ, oldest first.
    pub(super) fn changes(&self) -> &[Vec<f64>] {
        &self.changes
    }

    /// Dᵢ = sᵢᵀ yᵢ.
    pub(super) fn curvature(&self, i: usize) -> f64 {
        self.cross_products[i][i]
    }

    /// Takes in a pair with sᵀy > 0, dropping the oldest when full. If rounding has spoiled
    /// positive definiteness, everything is forgotten instead.
    pub(super) fn update(&mut self, step: Vec<f64>, change: Vec<f64>) {
        if self.len() == self.capacity {
            self.steps.remove(0);
            self.changes.remove(0);
            for products in [&mut self.step_products, &mut self.cross_products] {
                products.remove(0);
                for row in products {
                    row.remove(0);
                }
            }
        }
        self.steps.push(step);
        self.changes.push(change);
        let (Some(step), Some(change)) = (self.steps.last(), self.changes.last()) else {
            return;
        };
        for (row, earlier) in self.step_products.iter_mut().zip(&self.steps) {
            row.push(dot(earlier, step));
        }
        for (row, earlier) in self.cross_products.iter_mut().zip(&self.steps) {
            row.push(dot(earlier, change));
        }
        self.step_products.push(
            self.steps
                .iter()
                .map(|earlier| dot(step, earlier))
                .collect(),
        );
        self.cross_products.push(
            self.changes
                .iter()
                .map(|earlier| dot(step, earlier))
                .collect(),
        );
        self.theta = dot(change, change) / dot(step, change);
        match self.factor_schur() {
            Some(schur) if self.theta.is_finite() && self.theta > 0.0 => self.schur = schur,
            _ => self.clear(),
        }
    }

    fn factor_schur(&self) -> Option<Cholesky> {
        Cholesky::factor(self.len(), |i, j| {
            let (row_i, row_j) = (&self.cross_products[i], &self.cross_products[j]);
            // (L D⁻¹ Lᵀ)ᵢⱼ over the columns k < min(i, j) in which both rows of L are nonzero.
            let correction: f64 = (0..j.min(i))
                .map(|k| row_i[k] * row_j[k] / self.curvature(k))
                .sum();
            self.theta * self.step_products[i][j] + correction
        })
    }

    /// Row i of W = [Y  θS].
    pub(super) fn w_row(&self, i: usize) -> Vec<f64> {
        let changes = self.changes.iter().map(|y| y[i]);
        let steps = self.steps.iter().map(|s| self.theta * s[i]);
        changes.chain(steps).collect()
    }

    /// Wᵀ v.
    pub(super) fn w_transpose_times(&self, v: &[f64]) -> Vec<f64> {
        let changes = self.changes.iter().map(|y| dot(y, v));
        let steps = self.steps.iter().map(|s| self.theta * dot(s, v));
        changes.chain(steps).collect()
    }

    /// M v for v of length 2m, by eliminating the block −D:
    /// p₂ = (θSᵀS + L D⁻¹ Lᵀ)⁻¹ (v₂ + L D⁻¹ v₁), p₁ = D⁻¹ (Lᵀ p₂ − v₁).
    pub(super) fn middle_times(&self, v: &[f64]) -> Vec<f64> {
        let pairs = self.len();
        let (v1, v2) = v.split_at(pairs);
        let scaled: Vec<f64> = (0..pairs).map(|i| v1[i] / self.curvature(i)).collect();
        let mut p2: Vec<f64> = v2
            .iter()
            .zip(&self.cross_products)
            .enumerate()
            .map(|(i, (entry, row))| entry + dot(&row[..i], &scaled[..i]))
            .collect();
        self.schur.solve_lower(&mut p2);
        self.schur.solve_upper(&mut p2);
        let mut product: Vec<f64> = (0..pairs)
            .map(|j| {
                let column: f64 = (j + 1..pairs)
                    .map(|i| self.cross_products[i][j] * p2[i])
                    .sum();
                column / self.curvature(j) - scaled[j]
            })
            .collect();
        product.extend(p2);
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B by the BFGS recursion from θI, as a list of columns.
    fn recursion(memory: &CompactMemory, n: usize) -> Vec<Vec<f64>> {
        let mut b: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| if i == j { memory.theta() } else { 0.0 })
                    .collect()
            })
            .collect();
        for (s, y) in memory.steps().iter().zip(memory.changes()) {
            let bs: Vec<f64> = b.iter().map(|row| dot(row, s)).collect();
            let (sbs, sy) = (dot(s, &bs), dot(s, y));
            for (i, row) in b.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry += y[i] * y[j] / sy - bs[i] * bs[j] / sbs;
                }
            }
        }
        b
    }

    #[test]
    fn compact_form_equals_the_bfgs_recursion_also_after_dropping_pairs() {
        let n = 6;
        let mut memory = CompactMemory::new(3);
        for k in 0_u32..5 {
            let k = f64::from(k);
            let step: Vec<f64> = (0..n).map(|i| (1.3 * k + f64::from(i)).sin()).collect();
            let change: Vec<f64> = step
                .iter()
                .enumerate()
                .map(|(i, s)| s * (1.0 + i as f64) + 0.05 * (k + i as f64).cos())
                .collect();
            memory.update(step, change);
            let dense = recursion(&memory, n as usize);
            for (i, row) in dense.iter().enumerate() {
                let mut unit = vec![0.0; n as usize];
                unit[i] = 1.0;
                let projected = memory.middle_times(&memory.w_transpose_times(&unit));
                for (j, &expected) in row.iter().enumerate() {
                    let compact = memory.theta() * unit[j] - dot(&memory.w_row(j), &projected);
                    assert!((compact - expected).abs() < 1e-11, "{compact} {expected}");
                }
            }
        }
        assert_eq!(memory.len(), 3);
    }

    #[test]
    fn useless_pairs_empty_the_memory() {
        let mut memory = CompactMemory::new(3);
        memory.update(vec![1.0, 0.0], vec![f64::MAX, f64::MAX]);
        assert!(memory.is_empty());
        assert_eq!(memory.theta(), 1.0);
    }
}
