//! The held-out score of a nonlinear candidate.

use fastlsq_basis::Basis;
use fastlsq_solve::auto::{Score, rms, share, worse};

use super::NewtonBench;
use crate::NewtonError;
use crate::function::Function;

impl NewtonBench<'_> {
    /// The held-out score of a nonlinear candidate: as for linear ones, with the sizes of the
    /// linearised terms.
    pub(super) fn score(&self, bases: &[&dyn Basis], beta: &[f64]) -> Result<Score, NewtonError> {
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
        let mut relative = Vec::new();
        for (block, residual) in self.held_out.blocks().iter().zip(&self.concrete.residuals) {
            relative.push(match residual {
                Some(residual) => {
                    let table = residual.table(&function, block.sites())?;
                    let here = residual.evaluate(&table, block.sites(), parameter);
                    let table = residual.table(&function, self.held_out.probes())?;
                    let there = residual.evaluate(&table, self.held_out.probes(), parameter);
                    let scale = rms(there.magnitudes(&table).into_iter());
                    share(rms(here.values.into_iter()), scale)
                }
                None => self.held_out.block_score(block, bases, beta, &values)?,
            });
        }
        let worst = relative.iter().copied().fold(0.0, worse);
        Ok(Score {
            blocks: relative,
            worst,
            values,
        })
    }
}
