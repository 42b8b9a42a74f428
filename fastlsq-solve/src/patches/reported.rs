//! The record of patches as that of a solve.

use super::PatchReport;
use crate::backend::{Backend, CpuBackend};
use crate::options::Options;
use crate::problem::ConcreteProblem;
use crate::report::{BlockReport, Report};
use crate::rows::Score;

impl PatchReport {
    /// The record of a solve that ended on patches, for `reason` and after this many seconds, judged at fresh points.
    #[must_use]
    pub fn of_solve(
        &self,
        problem: &ConcreteProblem,
        options: &Options,
        score: &Score,
        reason: &str,
        seconds: f64,
    ) -> Report {
        let equations = problem.equations.len();
        let labels = problem.equations.iter().map(|e| &e.label);
        let labels = labels.chain(problem.conditions.iter().map(|c| &c.label));
        let rows = self.leaves * self.inner_points;
        let blocks = labels.zip(&score.blocks).enumerate();
        let blocks = blocks.map(|(index, (label, held_out))| BlockReport {
            label: label.clone(),
            rows: if index < equations { rows } else { 0 },
            weight: 1.0,
            held_out: *held_out,
        });
        Report {
            status: self.status.into(),
            error_estimate: self.error_estimate,
            held_out_residual: score.worst,
            blocks: blocks.collect(),
            features: self.leaves * self.rank,
            rows: equations * rows,
            rank: self.leaves * self.rank,
            law: self.functions.clone(),
            choice: format!("patches, because {reason}"),
            method: "exact traces, least squares in each patch, elimination along the tree"
                .to_owned(),
            backend: CpuBackend.name(),
            solve_seconds: self.times.total.as_secs_f64(),
            seconds,
            seed: options.seed,
            ..Report::empty()
        }
    }
}
