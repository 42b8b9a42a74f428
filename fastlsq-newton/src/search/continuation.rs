//! The iteration of one candidate, and a parameter that is moved on the way.

use std::sync::Arc;

use fastlsq_basis::Basis;
use fastlsq_solve::{RowBlock, WrittenRows};

use super::NewtonMaker;
use crate::NewtonError;
use crate::iteration::{Iterated, Iteration};
use crate::options::{Continuation, Start};
use crate::report::{NewtonStatus, Step};

/// The maximum number of values of the parameter on the way to the last.
const MOST_STAGES: usize = 200;
/// The maximum number of steps of a candidate that starts from the solution of another.
const WARM_ITERATIONS: usize = 8;

/// Features and rows of one candidate, with what all its steps share.
pub(super) struct StepRows<'a> {
    pub(super) bases: &'a [Arc<dyn Basis>],
    pub(super) blocks: &'a [RowBlock],
    pub(super) unchanged: Vec<Option<WrittenRows>>,
}

impl NewtonMaker<'_> {
    /// One Newton iteration at one value of the parameter.
    pub(super) fn iterate(
        &self,
        rows: &StepRows<'_>,
        parameter: f64,
        start: Start,
    ) -> Result<Iterated, NewtonError> {
        let mut options = self.options.clone();
        if self.warm.is_some() {
            // From a good start a candidate that needs many steps is not worth having.
            options.max_iterations = options.max_iterations.min(WARM_ITERATIONS);
        }
        options.start = start;
        Iteration {
            unchanged: &rows.unchanged,
            ..self.iteration(rows.bases, rows.blocks, &options, parameter)
        }
        .run()
    }

    /// The values of the parameter on the way, and the iteration through them.
    pub(super) fn through_stages(&self, rows: &StepRows<'_>) -> Result<Iterated, NewtonError> {
        let last = self.parameter();
        let mut history: Vec<Step> = Vec::new();
        let mut solves = 0;
        let mut start = self.options.start.clone();
        let mut first: Option<(String, f64)> = None;
        let mut stage = |value: f64, start: Start| -> Result<Iterated, NewtonError> {
            let outcome = self.iterate(rows, value, start)?;
            solves += outcome.solves;
            history.extend(outcome.history.iter().cloned());
            first.get_or_insert((outcome.start.clone(), outcome.start_residual));
            Ok(outcome)
        };
        let as_start = |outcome: &Iterated| -> Result<Start, NewtonError> {
            Ok(Start::From(Arc::new(
                self.as_solution(rows.bases, outcome.beta.clone())?,
            )))
        };
        let mut outcome = match &self.options.continuation {
            Continuation::None => stage(last, start)?,
            Continuation::Through(values) => {
                for &value in values.iter().filter(|v| **v != last) {
                    let reached = stage(value, start)?;
                    start = as_start(&reached)?;
                }
                stage(last, start)?
            }
            Continuation::From(value) => {
                let mut reached = stage(*value, start)?;
                let (mut at, mut step) = (*value, last - value);
                for _stage in 0..MOST_STAGES {
                    if at == last {
                        break;
                    }
                    let next = if (last - at).abs() <= step.abs() {
                        last
                    } else {
                        at + step
                    };
                    let tried = match stage(next, as_start(&reached)?) {
                        Err(error) if error.limit().is_some() => {
                            reached.status = NewtonStatus::Stopped;
                            break;
                        }
                        tried => tried?,
                    };
                    if tried.status == NewtonStatus::Converged {
                        (at, reached) = (next, tried);
                        step *= 2.0;
                    } else {
                        step *= 0.25;
                        if step.abs() < 1e-6 * (last - value).abs() {
                            reached = tried;
                            break;
                        }
                    }
                }
                if at != last && reached.status == NewtonStatus::Converged {
                    reached.status = NewtonStatus::IterationLimit;
                }
                reached
            }
        };
        for (index, step) in history.iter_mut().enumerate() {
            step.iteration = index + 1;
        }
        let (start, residual) = first.unwrap_or_default();
        (outcome.history, outcome.solves) = (history, solves);
        (outcome.start, outcome.start_residual) = (start, residual);
        Ok(outcome)
    }
}
