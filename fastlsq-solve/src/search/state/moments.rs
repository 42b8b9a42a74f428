//! What the best candidate tells of the spectrum of u.

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_basis::{Basis, InputMap, Parity};
use fastlsq_ops::EquationRow;
use ndarray::Array2;

use super::super::candidate::CandidateMaker;
use super::Search;
use crate::SolveError;

/// Points of the bounding box at which gradients are averaged.
const MOMENT_POINTS: usize = 200;

impl<W: CandidateMaker> Search<'_, W> {
    /// ⟨∇u ∇uᵀ⟩ of the best candidate in the coordinates of the map, row by row: the second moments
    /// of its spectrum. Axes of declared parity do not mix with others.
    pub(in crate::search) fn spectral_moments(
        &self,
        map: &InputMap,
    ) -> Result<Option<Vec<f64>>, W::Error> {
        let Some(best) = &self.best else {
            return Ok(None);
        };
        let dim = self.dim;
        let mut sampler = UnitSampler::new(Sequence::Halton, 0);
        let unit = sampler.points(MOMENT_POINTS, dim);
        let points = Array2::from_shape_fn(unit.dim(), |(i, k)| {
            map.center()[k] + (2.0 * unit[(i, k)] - 1.0) * map.half()[k]
        });
        let bases: Vec<&dyn Basis> = best.bases.iter().map(AsRef::as_ref).collect();
        let mut moments = vec![0.0; dim * dim];
        for unknown in 0..bases.len() {
            let mut slopes = Vec::with_capacity(dim);
            for axis in 0..dim {
                let row = EquationRow::slope(dim, axis, unknown, bases.len());
                let values = row
                    .apply(&bases, &best.beta, &points)
                    .map_err(SolveError::from)?;
                slopes.push(
                    values
                        .into_iter()
                        .map(|v| v * map.half()[axis])
                        .collect::<Vec<_>>(),
                );
            }
            let parity = self.maker.parity().get(unknown);
            let mixes = |a: usize, b: usize| {
                a == b || parity.is_none_or(|p| p[a] == Parity::None && p[b] == Parity::None)
            };
            for a in 0..dim {
                for b in (0..dim).filter(|&b| mixes(a, b)) {
                    moments[a * dim + b] += slopes[a]
                        .iter()
                        .zip(&slopes[b])
                        .map(|(x, y)| x * y)
                        .sum::<f64>();
                }
            }
        }
        Ok(moments.iter().all(|m| m.is_finite()).then_some(moments))
    }
}
