//! The result of a nonlinear solve.

use std::fmt;
use std::ops::Deref;

use fastlsq_solve::Solution;
use fastlsq_solve::auto::Features;

use crate::report::NewtonReport;

/// A [`Solution`] with the record of the Newton iteration that found it.
#[derive(Debug, Clone)]
pub struct NonlinearSolution {
    solution: Solution,
    newton: NewtonReport,
    features: Features,
}

impl NonlinearSolution {
    pub(crate) fn new(solution: Solution, newton: NewtonReport, features: Features) -> Self {
        Self {
            solution,
            newton,
            features,
        }
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
        writeln!(f, "{}", self.newton)?;
        write!(f, "{}", self.solution.report())
    }
}
