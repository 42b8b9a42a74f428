//! Problems to test solvers with: random well-posed ones with their exact solutions, and ones that are not well posed.
//!
//! ```
//! use fastlsq_solve::random_problems::{RandomProblem, ill_posed};
//! let drawn = RandomProblem::draw(7)?;
//! let solution = drawn.problem.solve()?;
//! println!("{}: error {:.1e}, estimated {:.1e}", drawn.name, drawn.error(&solution)?, solution.report().error_estimate);
//! for case in ill_posed()? {
//!     println!("{}: {}", case.name, case.fault);
//! }
//! # Ok::<(), fastlsq_solve::SolveError>(())
//! ```

mod controls;
mod functions;
mod ill_posed;
mod well_posed;

use crate::problem::LinearProblem;
use crate::problems::test_points;
use crate::{Expr, Frame, Solution, SolveError};

pub use controls::controls;
pub use ill_posed::{Fault, IllPosed, ill_posed};

/// A well-posed problem with its exact solution.
#[derive(Debug, Clone)]
pub struct RandomProblem {
    /// What it is.
    pub name: String,
    /// The problem.
    pub problem: LinearProblem,
    /// Its solution, for measurement.
    pub exact: Expr,
}

/// Points at which errors are measured.
const POINTS: usize = 2000;

impl RandomProblem {
    /// The problem number `seed`: elliptic, parabolic or hyperbolic, in one to four dimensions, with constant or variable
    /// coefficients, Dirichlet, Neumann, Robin or periodic conditions, solutions from plain ones to layers.
    ///
    /// # Errors
    /// A domain that is not valid; the numbers drawn do not let that happen.
    pub fn draw(seed: u64) -> Result<Self, SolveError> {
        well_posed::draw(seed)
    }

    /// The relative error of a solution: ‖u − u*‖/‖u*‖ at independent points.
    ///
    /// # Errors
    /// Points or values that cannot be obtained.
    pub fn error(&self, solution: &Solution) -> Result<f64, SolveError> {
        let points = test_points(self.problem.domain(), POINTS)?;
        let frame = Frame::new(self.problem.domain().coordinates(), []);
        let exact = frame.field(self.exact.clone())?.evaluate(&points)?;
        let found = solution.values(points.view())?;
        let difference = crate::rows::rms(exact.iter().zip(&found).map(|(a, b)| a - b));
        Ok(difference / crate::rows::rms(exact.into_iter()))
    }
}
