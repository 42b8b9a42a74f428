//! The result of a nonlinear solve.

use std::fmt;
use std::ops::Deref;

use fastlsq_solve::Solution;
use fastlsq_solve::search::Features;

use crate::evolution::EvolutionReport;
use crate::report::{NewtonReport, NewtonStatus};

/// A [`Solution`] with the record of the Newton iteration that found it.
#[derive(Debug, Clone)]
pub struct NonlinearSolution {
    solution: Solution,
    newton: NewtonReport,
    features: Features,
    evolution: Option<EvolutionReport>,
}

impl NonlinearSolution {
    pub(crate) fn new(solution: Solution, newton: NewtonReport, features: Features) -> Self {
        Self {
            solution,
            newton,
            features,
            evolution: None,
        }
    }

    /// A solution that was evolved in time.
    pub(crate) fn evolved(
        solution: Solution,
        features: Features,
        linear: bool,
        evolution: EvolutionReport,
    ) -> Self {
        let newton = NewtonReport {
            status: if evolution.blow_up.is_some() {
                NewtonStatus::Diverged
            } else {
                NewtonStatus::Converged
            },
            linear,
            start: "the initial values".to_owned(),
            start_residual: 0.0,
            history: Vec::new(),
            solves: 0,
            candidates: Vec::new(),
        };
        Self {
            features,
            solution,
            newton,
            evolution: Some(evolution),
        }
    }

    /// How it was evolved in time; `None` if it was found in space-time.
    #[must_use]
    pub fn evolution(&self) -> Option<&EvolutionReport> {
        self.evolution.as_ref()
    }

    /// The features it is made of.
    pub(crate) fn features(&self) -> &Features {
        &self.features
    }

    /// The record of the Newton iteration.
    #[must_use]
    pub fn newton(&self) -> &NewtonReport {
        &self.newton
    }

    /// The function itself.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The function itself, without the record.
    #[must_use]
    pub fn into_solution(self) -> Solution {
        self.solution
    }
}

impl Deref for NonlinearSolution {
    type Target = Solution;

    fn deref(&self) -> &Solution {
        &self.solution
    }
}

impl fmt::Display for NonlinearSolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.evolution {
            Some(evolution) => writeln!(f, "{evolution}")?,
            None => writeln!(f, "{}", self.newton)?,
        }
        write!(f, "{}", self.solution.report())
    }
}
