//! The winner of a search as something that can be asked for again.

use super::features::Features;
use super::ridge::Ridge;
use crate::SolveError;

/// The features and rows of a candidate: with the same problem and otherwise the same options they give the same function,
/// bit for bit, without a search.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Choices {
    /// Its features.
    pub features: Features,
    /// Its points.
    pub points: PointChoice,
    /// Its ridge.
    pub ridge: Ridge,
}

/// Where the rows of a candidate come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointChoice {
    /// There are enough rows for this many features per unknown, unless numbers are given.
    pub features: usize,
    /// Interior rows for each equation and rows for each condition, where they are given.
    pub given: Option<(usize, usize)>,
    /// The seed of the points.
    pub seed: u64,
    /// Whether held-out samples were fitted too in the end; only where there are nothing but samples.
    pub all_samples: bool,
}

impl Choices {
    /// Fails on a candidate of another problem.
    pub(crate) fn validate(&self, dim: usize, unknowns: usize) -> Result<(), SolveError> {
        let (own, functions) = match &self.features {
            Features::Random { map, parity, .. } | Features::Symmetric { map, parity, .. } => {
                (map.dim(), parity.len())
            }
            Features::Particular { functions, .. } => (dim, functions.unknowns()),
            Features::Given(basis) => (basis.dim(), unknowns),
        };
        if own != dim {
            return Err(SolveError::Dimension {
                basis: own,
                domain: dim,
            });
        }
        if functions != unknowns {
            return Err(SolveError::Option {
                option: "the choices of an earlier solve",
                value: functions as f64,
                requirement: "those of a problem with as many unknowns",
            });
        }
        Ok(())
    }
}
