//! The held-out score of a nonlinear candidate.

use fastlsq_basis::Basis;
use fastlsq_solve::rows::{BlockScore, Score, rms, sizes};
use ndarray::Array2;

use super::NewtonMaker;
use crate::NewtonError;
use crate::function::Function;

impl NewtonMaker<'_> {
    /// The held-out score of a nonlinear candidate: as for linear ones, with the sizes of the
    /// linearised terms.
    pub(crate) fn score(&self, bases: &[&dyn Basis], beta: &[f64]) -> Result<Score, NewtonError> {
        self.score_at(bases, beta, self.parameter())
    }

    /// The held-out score at another value of the parameter.
    pub(crate) fn score_at(
        &self,
        bases: &[&dyn Basis],
        beta: &[f64],
        parameter: f64,
    ) -> Result<Score, NewtonError> {
        let function = Function::Expansion(bases.to_vec(), beta);
        let values = self.held_out.values(bases, beta)?;
        let sizes = sizes(&values, bases.len());
        let mut parts = Vec::new();
        for (block, residual) in self.held_out.blocks().iter().zip(&self.concrete.residuals) {
            parts.push(match residual {
                Some(residual) => {
                    let table = residual.table(&function, block.sites())?;
                    let zero = Array2::zeros(table.dim());
                    let here = residual.evaluate(&table, block.sites(), parameter);
                    let at_zero = residual.evaluate(&zero, block.sites(), parameter);
                    let probes = self.held_out.probes();
                    let table = residual.table(&function, probes)?;
                    let there = residual.evaluate(&table, probes, parameter);
                    let linear = residual.row(|_| true);
                    let slopes = probes.with_table(there.slopes.view());
                    // The residual without u: its data, where it is defined at u = 0.
                    let data = rms(at_zero.values.into_iter());
                    BlockScore {
                        residual: rms(here.values.into_iter()),
                        scale: rms(there.magnitudes(&table).into_iter()),
                        data: if data.is_finite() { data } else { 0.0 },
                        plain: self.held_out.plain_terms(&linear, &sizes, slopes)?,
                    }
                }
                None => self.held_out.block_score(block, bases, beta, &values)?,
            });
        }
        Ok(Score::new(parts, values))
    }
}
