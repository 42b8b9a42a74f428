//! From coefficients to functions: expansions in the polynomials of the pieces, and their values.

use std::sync::Arc;

use fastlsq_basis::{InputMap, PiecewiseBasis, PolynomialBasis};
use pulp::Arch;

use super::element::legendre;
use super::space::LineSpace;
use crate::space::SpaceError;

impl LineSpace {
    /// Legendre coefficients, orthonormal on each piece, of u = Σ cⱼφⱼ + Σ gₖℓₖ: piece by piece, function by function.
    /// Coefficients or data that are missing count as zero.
    #[must_use]
    pub fn expansion(&self, coefficients: &[f64], data: &[f64]) -> Vec<f64> {
        Arch::new().dispatch(
            #[inline(always)]
            || self.expanded(coefficients, data),
        )
    }

    #[inline(always)]
    fn expanded(&self, coefficients: &[f64], data: &[f64]) -> Vec<f64> {
        let mut whole = coefficients.to_vec();
        whole.resize(self.dim(), 0.0);
        for (shift, g) in self.shifts.iter().zip(data).filter(|(_, g)| **g != 0.0) {
            for (c, s) in whole.iter_mut().zip(shift) {
                *c += g * s;
            }
        }
        let height = self.functions * self.element.size();
        let mut all = vec![0.0; self.pieces.len() * height];
        for (piece, out) in self.pieces.iter().zip(all.chunks_exact_mut(height)) {
            for (local, &dof) in piece.dofs.iter().enumerate() {
                let c = whole[dof];
                for (out, m) in out.iter_mut().zip(piece.map.col_as_slice(local)) {
                    *out += c * m;
                }
            }
            for (datum, lift) in &piece.lifts {
                let g = data.get(*datum).copied().unwrap_or(0.0);
                for (out, m) in out.iter_mut().zip(lift) {
                    *out += g * m;
                }
            }
        }
        all
    }

    /// The derivative of order d of a function at the nodes.
    #[must_use]
    pub fn sample(&self, expansion: &[f64], function: usize, d: usize) -> Vec<f64> {
        Arch::new().dispatch(
            #[inline(always)]
            || self.sampled(expansion, function, d),
        )
    }

    #[inline(always)]
    fn sampled(&self, expansion: &[f64], function: usize, d: usize) -> Vec<f64> {
        let size = self.element.size();
        let height = self.functions * size;
        let mut values = Vec::with_capacity(self.nodes.len());
        let Some(table) = self.element.tables.get(d) else {
            let at = |&x: &f64| self.value(expansion, function, d, x);
            return self.nodes.iter().map(at).collect();
        };
        let q = table.nrows();
        for (piece, own) in self.pieces.iter().zip(expansion.chunks_exact(height)) {
            let scale = piece.half.powi(-(d as i32)) / piece.half.sqrt();
            let start = values.len();
            values.resize(start + q, 0.0);
            let target = &mut values[start..];
            for (k, a) in own[function * size..(function + 1) * size]
                .iter()
                .enumerate()
            {
                let a = a * scale;
                for (target, t) in target.iter_mut().zip(table.col_as_slice(k)) {
                    *target += a * t;
                }
            }
        }
        values
    }

    /// The piece that holds x; the nearest if none does.
    fn piece_of(&self, x: f64) -> usize {
        let after = self.breaks.partition_point(|b| *b <= x);
        after.saturating_sub(1).min(self.pieces.len() - 1)
    }

    /// The derivative of order d of a function at x.
    #[must_use]
    pub fn value(&self, expansion: &[f64], function: usize, d: usize, x: f64) -> f64 {
        let k = self.piece_of(x);
        let size = self.element.size();
        let start = (k * self.functions + function) * size;
        let Some(own) = expansion.get(start..start + size) else {
            return f64::NAN;
        };
        let row = self.row(k, d, x);
        own.iter().zip(row).map(|(a, r)| a * r).sum()
    }

    /// Legendre polynomials on every piece, for functions that are kept.
    ///
    /// # Errors
    /// Pieces that cannot be put side by side.
    pub fn polynomials(&self) -> Result<PiecewiseBasis, SpaceError> {
        let degree = u32::try_from(self.element.degree()).unwrap_or(u32::MAX);
        let local = PolynomialBasis::legendre(InputMap::identity(1), degree)?;
        let boxes = self.pieces.iter();
        let boxes = boxes
            .map(|piece| InputMap::from_center(vec![piece.centre], vec![piece.half]))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(PiecewiseBasis::new(Arc::new(local), boxes)?)
    }

    /// A function as coefficients of these [polynomials](Self::polynomials).
    #[must_use]
    pub fn over_polynomials(&self, expansion: &[f64], function: usize) -> Vec<f64> {
        let size = self.element.size();
        let own = expansion.chunks_exact(size).skip(function);
        let pieces = own.step_by(self.functions).zip(&self.pieces);
        // Orthonormal ones are √((k + ½)/h) Pₖ.
        pieces
            .flat_map(|(own, piece)| {
                let one = |(k, a): (usize, &f64)| a * ((k as f64 + 0.5) / piece.half).sqrt();
                own.iter().enumerate().map(one)
            })
            .collect()
    }

    /// As [`value`](Self::value), for a sum of expansions with weights.
    #[must_use]
    pub fn combined<'a>(
        &self,
        terms: impl Iterator<Item = (&'a f64, &'a Vec<f64>)>,
        function: usize,
        d: usize,
        x: f64,
    ) -> f64 {
        let k = self.piece_of(x);
        let size = self.element.size();
        let start = (k * self.functions + function) * size;
        let row = self.row(k, d, x);
        let value = |expansion: &[f64]| match expansion.get(start..start + size) {
            Some(own) => own.iter().zip(&row).map(|(a, r)| a * r).sum(),
            None => f64::NAN,
        };
        terms
            .map(|(weight, expansion)| weight * value(expansion))
            .sum()
    }

    /// Values at x of the derivatives of order d of the orthonormal polynomials of piece k.
    fn row(&self, k: usize, d: usize, x: f64) -> Vec<f64> {
        let piece = &self.pieces[k];
        let scale = piece.half.powi(-(d as i32)) / piece.half.sqrt();
        let mut row = legendre(self.element.degree(), d, (x - piece.centre) / piece.half);
        for value in &mut row {
            *value *= scale;
        }
        row
    }
}
