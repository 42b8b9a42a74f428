//! How well a nonlinear problem is posed: as well as its linearisation at the solution.

use std::sync::Arc;

use fastlsq_basis::Basis;
use fastlsq_solve::posed::{Look, Question, judge, probe_features};
use fastlsq_solve::rows::{RowCounts, comparable_sizes};
use fastlsq_solve::search::Candidate;
use fastlsq_solve::{Posedness, RowBlock, Sites};

use super::NewtonMaker;
use crate::NewtonError;
use crate::function::Function;
use crate::report::NewtonReport;

/// More rows for the judgement than for a solve, so that no function slips through between them.
const JUDGED_ROWS: f64 = 1.5;
/// The judgement has points of its own, used by no candidate.
const JUDGED_POINTS: u64 = 0x9_05ed;

impl NewtonMaker<'_> {
    /// Judges the linearisation at a candidate.
    pub(super) fn judged(
        &self,
        best: &Candidate<NewtonReport>,
        look: Look,
        earlier: Option<f64>,
    ) -> Result<Posedness, NewtonError> {
        let (frame, solve) = (&self.concrete.frame, &self.options.solve);
        let unknowns = self.unknowns();
        let bounds = self.problem.domain().bounding_box()?;
        let features = probe_features(&bounds, unknowns, look)?;
        let counts = RowCounts::choose(frame, None, features.count() * unknowns, JUDGED_ROWS);
        let seed = solve.seed.wrapping_add(JUDGED_POINTS);
        let fitted = self.sampled(&counts, seed)?;
        let sizes = comparable_sizes(&best.score.values, unknowns);
        let mut scales = Vec::with_capacity(fitted.len());
        for (block, residual) in fitted.iter().zip(&self.concrete.residuals) {
            let probes = self.held_out.probes();
            scales.push(match residual {
                Some(residual) => {
                    let slopes = self.slopes(residual, &best.bases, &best.beta, probes)?;
                    let sites = self.held_out.probes().with_table(slopes.view());
                    self.held_out
                        .plain_terms(&residual.row(|_| true), &sizes, sites)?
                }
                None => self.held_out.plain_terms(&block.operator, &sizes, probes)?,
            });
        }
        let question = Question {
            problem: frame,
            fitted: self.linearised(fitted, best)?,
            fresh: self.linearised(self.held_out.blocks().to_vec(), best)?,
            scales,
            sizes,
            value_points: self.held_out.value_points(),
            earlier,
        };
        Ok(judge(&question, &features, solve, &self.options.solve.lsq)?)
    }

    /// The same rows with the nonlinear ones linearised at a candidate.
    fn linearised(
        &self,
        mut blocks: Vec<RowBlock>,
        at: &Candidate<NewtonReport>,
    ) -> Result<Vec<RowBlock>, NewtonError> {
        for (block, residual) in blocks.iter_mut().zip(&self.concrete.residuals) {
            if let Some(residual) = residual {
                let slopes = self.slopes(residual, &at.bases, &at.beta, block.sites())?;
                block.operator = residual.row(|_| true);
                block.table = Some(slopes);
            }
        }
        Ok(blocks)
    }

    /// The slopes of a residual with respect to its jets at some sites.
    fn slopes(
        &self,
        residual: &crate::residual::Residual,
        bases: &[Arc<dyn Basis>],
        beta: &[f64],
        sites: Sites<'_>,
    ) -> Result<ndarray::Array2<f64>, NewtonError> {
        let function = Function::Expansion(bases.iter().map(AsRef::as_ref).collect(), beta);
        let table = residual.table(&function, sites)?;
        Ok(residual
            .try_evaluate(&table, sites, self.parameter())?
            .slopes)
    }
}
