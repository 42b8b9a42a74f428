//! Where an iteration starts.

use std::sync::Arc;

use fastlsq_basis::Basis;
use fastlsq_solve::Solution;
use ndarray::Array2;

use super::Iteration;
use crate::NewtonError;
use crate::function::Function;
use crate::options::{Start, StepForm};
use crate::residual::Residual;
use crate::state::State;

impl Iteration<'_> {
    /// The state to start from, with its coefficients where it has some.
    pub(super) fn start(
        &self,
        weights: &mut Vec<f64>,
        solves: &mut usize,
    ) -> Result<(State, Option<Vec<f64>>, String), NewtonError> {
        let zero = (
            self.zero_state(),
            Some(vec![0.0; self.columns()]),
            "zero".to_owned(),
        );
        let start = &self.options.start;
        match start {
            Start::Zero => return Ok(zero),
            Start::From(solution) => return self.start_from(solution),
            Start::FromSlabs(slabs) => {
                let state = self.state_of(&Function::Slabs(slabs))?;
                return Ok((state, None, "slabs in time".to_owned()));
            }
            _ => {}
        }
        let at_zero = self.linearise(&zero.0);
        if self.check_finite(&at_zero).is_err() {
            return Ok(zero);
        }
        let mut candidates = Vec::new();
        let mut solve =
            |name: &str, keep: &dyn Fn(&Residual, u32) -> bool, weights: &mut Vec<f64>| {
                let system = self.system(&zero.0, &at_zero, StepForm::NewCoefficients, keep)?;
                // A part without any term (a first-order condition, say) leaves a block empty.
                let (beta, _) = self.solve(system, None, weights)?;
                *solves += 1;
                let state = self.state_of(&self.expansion(&beta))?;
                Ok::<_, NewtonError>((state, Some(beta), name.to_owned()))
            };
        if !matches!(start, Start::HighestOrder) {
            candidates.push(solve("the linear part", &|_, _| true, weights)?);
        }
        if !matches!(start, Start::LinearPart) && !self.concrete.linear {
            let highest = |residual: &Residual, order: u32| order == residual.order();
            candidates.push(solve("the part of highest order", &highest, weights)?);
        }
        if matches!(start, Start::Best) {
            candidates.push(zero);
        }
        let merit = |candidate: &(State, Option<Vec<f64>>, String)| {
            self.merit(&self.linearise(&candidate.0).residuals, weights)
        };
        candidates
            .into_iter()
            .min_by(|a, b| merit(a).total_cmp(&merit(b)))
            .ok_or(NewtonError::NoEquation)
    }

    fn start_from(
        &self,
        solution: &Solution,
    ) -> Result<(State, Option<Vec<f64>>, String), NewtonError> {
        let state = self.state_of(&Function::of(solution))?;
        // The coefficients can be kept only if the features are the very same.
        let same = solution.bases().len() == self.bases.len()
            && solution
                .bases()
                .iter()
                .zip(self.bases)
                .all(|(a, b)| Arc::ptr_eq(a, b));
        let beta = same.then(|| solution.coefficients().to_vec());
        Ok((state, beta, "a given function".to_owned()))
    }

    fn zero_state(&self) -> State {
        let width = |residual: &Option<Residual>| residual.as_ref().map_or(1, |r| r.jets().len());
        State {
            tables: self
                .blocks
                .iter()
                .zip(&self.concrete.residuals)
                .map(|(block, residual)| Array2::zeros((block.len(), width(residual))))
                .collect(),
            values: vec![0.0; self.value_points.nrows() * self.bases.len()],
        }
    }

    fn columns(&self) -> usize {
        self.bases.iter().map(Basis::len).sum()
    }
}
