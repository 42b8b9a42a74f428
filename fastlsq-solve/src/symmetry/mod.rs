//! Reflections and exchanges of coordinates that leave a problem unchanged: a unique solution shares them.
//!
//! Linear equations and conditions are compared with their images here; what is not linear answers for itself, as
//! [`NonlinearStatements`]. This module is for the crates of this workspace: it changes as they do.

mod exchanges;
mod reflections;

use fastlsq_basis::Parity;
use fastlsq_ops::Sites;

use crate::SolveError;
use crate::options::{FeatureChoice, Options, Symmetry};
use crate::problem::ConcreteProblem;

pub use exchanges::exchangeable;
pub use reflections::Reflection;

/// The equations and conditions of a problem that are not linear, by their places among equations, then conditions.
pub trait NonlinearStatements {
    /// Whether the statement goes over into itself, up to its sign, under a reflection of these sites; `None` for a linear
    /// one.
    fn mirrors(&self, place: usize, reflection: Reflection, sites: Sites<'_>) -> Option<bool>;

    /// Whether the statement says the same at points and at their images, with two axes exchanged; `None` for a linear one.
    fn exchanges(&self, place: usize, axes: [usize; 2], sites: [Sites<'_>; 2]) -> Option<bool>;
}

/// All statements are linear.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AllLinear;

impl NonlinearStatements for AllLinear {
    fn mirrors(&self, _: usize, _: Reflection, _: Sites<'_>) -> Option<bool> {
        None
    }

    fn exchanges(&self, _: usize, _: [usize; 2], _: [Sites<'_>; 2]) -> Option<bool> {
        None
    }
}

/// The parity of each unknown along each axis, `[unknown][axis]`: declared, detected, or none.
///
/// # Errors
/// A declaration for another dimension, or whatever keeps detection from sampling.
pub fn parity(
    problem: &ConcreteProblem,
    options: &Options,
    nonlinear: &dyn NonlinearStatements,
) -> Result<Vec<Vec<Parity>>, SolveError> {
    let none = vec![vec![Parity::None; problem.domain.dim()]; problem.unknowns.len()];
    match (&options.symmetry, &options.choice) {
        (Symmetry::Ignore, _) | (_, FeatureChoice::Basis(_) | FeatureChoice::Repeated(_)) => {
            Ok(none)
        }
        (Symmetry::Declared(parity), _) => {
            if parity.len() != problem.domain.dim() {
                return Err(SolveError::from(fastlsq_basis::BasisError::Dimension {
                    what: "the declared symmetry",
                    expected: problem.domain.dim(),
                    found: parity.len(),
                }));
            }
            Ok(vec![parity.clone(); problem.unknowns.len()])
        }
        (Symmetry::Detect, _) => reflections::detect(problem, options.seed, nonlinear),
    }
}
