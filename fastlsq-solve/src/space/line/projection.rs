//! From functions to coefficients: projections, and the matrices of linear rates.

use faer::Mat;
use pulp::Arch;

use super::band::{BandMatrix, dot};
use super::space::LineSpace;
use crate::dense::product;

/// One term c(x) u_s⁽ᵈ⁾ in the rate of a function.
#[derive(Debug, Clone, Copy)]
pub struct SlopeTerm<'a> {
    /// The function whose rate it is in.
    pub of: usize,
    /// s.
    pub by: usize,
    /// d.
    pub derivative: usize,
    /// c at the nodes.
    pub values: &'a [f64],
}

impl LineSpace {
    /// L2 projection of functions given at the nodes, one list for each.
    #[must_use]
    pub fn project(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let mut rhs = Arch::new().dispatch(
            #[inline(always)]
            || self.products(values),
        );
        self.mass_factors.solve_real(&mut rhs);
        rhs
    }

    /// ⟨φᵢ, f⟩.
    #[inline(always)]
    fn products(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let size = self.element.size();
        let q = self.element.nodes.len();
        let table = &self.element.tables[0];
        let mut rhs = vec![0.0; self.dim()];
        let mut own = vec![0.0; self.functions * size];
        let mut weighted = vec![0.0; q];
        for (k, piece) in self.pieces.iter().enumerate() {
            let scale = piece.half.sqrt();
            for (function, values) in values.iter().enumerate().take(self.functions) {
                let values = &values[k * q..(k + 1) * q];
                for ((t, v), w) in weighted.iter_mut().zip(values).zip(&self.element.weights) {
                    *t = v * w * scale;
                }
                for (i, own) in own[function * size..(function + 1) * size]
                    .iter_mut()
                    .enumerate()
                {
                    *own = dot(table.col_as_slice(i), &weighted);
                }
            }
            for (local, &dof) in piece.dofs.iter().enumerate() {
                rhs[dof] += dot(piece.map.col_as_slice(local), &own);
            }
        }
        rhs
    }

    /// Legendre coefficients of functions given at the nodes, on each piece by itself: no joints, no conditions.
    #[must_use]
    pub fn unjoined(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let size = self.element.size();
        let q = self.element.nodes.len();
        let table = &self.element.tables[0];
        let mut all = Vec::with_capacity(self.pieces.len() * self.functions * size);
        for (k, piece) in self.pieces.iter().enumerate() {
            let scale = piece.half.sqrt();
            for values in values.iter().take(self.functions) {
                let values = &values[k * q..(k + 1) * q];
                for i in 0..size {
                    let products = table.col(i).iter().zip(values).zip(&self.element.weights);
                    all.push(scale * products.map(|((t, v), w)| t * v * w).sum::<f64>());
                }
            }
        }
        all
    }

    /// The matrix ⟨φᵢ, Σ terms φⱼ⟩.
    #[must_use]
    pub fn matrix(&self, terms: &[SlopeTerm<'_>]) -> BandMatrix {
        let (size, functions) = (self.element.size(), self.functions);
        let q = self.element.nodes.len();
        let mut out = self.mass.as_ref().clone();
        out.clear();
        for (k, piece) in self.pieces.iter().enumerate() {
            let mut local = Mat::zeros(functions * size, functions * size);
            for of in 0..functions {
                for by in 0..functions {
                    let mut applied = Mat::<f64>::zeros(q, size);
                    let mut any = false;
                    let own = terms.iter().filter(|term| term.of == of && term.by == by);
                    for term in own {
                        let Some(table) = self.element.tables.get(term.derivative) else {
                            continue;
                        };
                        any = true;
                        let scale = piece.half.powi(-(term.derivative as i32));
                        let factors: Vec<f64> = term.values[k * q..(k + 1) * q]
                            .iter()
                            .zip(&self.element.weights)
                            .map(|(v, w)| v * w * scale)
                            .collect();
                        for j in 0..size {
                            let column = applied.col_mut(j);
                            for ((a, t), f) in
                                column.iter_mut().zip(table.col(j).iter()).zip(&factors)
                            {
                                *a += f * t;
                            }
                        }
                    }
                    if any {
                        let block = product(self.element.tables[0].transpose(), applied.as_ref());
                        local
                            .as_mut()
                            .submatrix_mut(of * size, by * size, size, size)
                            .copy_from(&block);
                    }
                }
            }
            let half = product(local.as_ref(), piece.map.as_ref());
            piece.scatter(&product(piece.map.transpose(), half.as_ref()), &mut out);
        }
        out
    }
}
