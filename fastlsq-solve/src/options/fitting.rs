//! Whether options fit a problem, and the threads that they ask for.

use super::{FeatureChoice, Options};
use crate::SolveError;
use crate::domain::DomainError;
use crate::lsq::MOST_THREADS;
use crate::problem::{ConcretePlace, ConcreteProblem, Imposition};
use crate::rows::check_size;

/// Coordinates must tell this share of the width of the domain apart.
const COARSEST: f64 = 1e-6;

impl Options {
    /// Checks a problem and its options before any work is done.
    ///
    /// # Errors
    /// The first mistake.
    #[doc(hidden)]
    pub fn validate(&self, problem: &ConcreteProblem) -> Result<(), SolveError> {
        if problem.equations.is_empty() && problem.conditions.is_empty() {
            return Err(SolveError::NothingToSolve);
        }
        let bounds = problem.domain.bounding_box()?;
        let dim = bounds.dim();
        for (axis, (&lo, &hi)) in bounds.lo().iter().zip(bounds.hi()).enumerate() {
            let spacing = f64::EPSILON * lo.abs().max(hi.abs());
            if spacing > COARSEST * (hi - lo) {
                return Err(DomainError::TooFewDigits {
                    axis,
                    lo,
                    hi,
                    spacing,
                }
                .into());
            }
        }
        for condition in &problem.conditions {
            if condition.deviations.is_some()
                && !matches!(condition.place, ConcretePlace::Points { .. })
            {
                return Err(SolveError::DeviationsWithoutTable {
                    label: condition.label.clone(),
                });
            }
        }
        let option = |option, value, requirement| {
            Err(SolveError::Option {
                option,
                value,
                requirement,
            })
        };
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return option("tolerance", self.tolerance, "positive and finite");
        }
        if !(self.oversampling.is_finite() && self.oversampling > 0.0) {
            return option("oversampling", self.oversampling, "positive and finite");
        }
        if self.features == Some(0) || self.max_features == 0 {
            return option("features", 0.0, "at least one feature is needed");
        }
        if let Some(features) = self.features {
            check_size(features, problem.unknowns.len())?;
        }
        let own = problem
            .conditions
            .iter()
            .filter_map(|c| match c.imposition {
                Imposition::Weighted(weight) => Some(weight),
                _ => None,
            });
        if let Some(weight) = own
            .chain(self.weight)
            .find(|weight| !(weight.is_finite() && *weight > 0.0))
        {
            return option("weight", weight, "positive and finite");
        }
        if let Some((features, law)) = &self.begin_with {
            if *features == 0 {
                return option("begin_with", 0.0, "at least one feature is needed");
            }
            law.validate(dim)?;
        }
        if let Some(threads) = self.lsq.threads
            && !(1..=MOST_THREADS).contains(&threads)
        {
            return option("threads", threads as f64, "between 1 and 1024");
        }
        if let Some((0, _)) = self.rows
            && !problem.equations.is_empty()
        {
            return option("rows", 0.0, "an equation needs interior rows");
        }
        if let FeatureChoice::Basis(basis) = &self.choice
            && basis.dim() != dim
        {
            return Err(SolveError::Dimension {
                basis: basis.dim(),
                domain: dim,
            });
        }
        if let FeatureChoice::Repeated(choices) = &self.choice {
            choices.validate(dim, problem.unknowns.len())?;
        }
        if let FeatureChoice::Grid { bandwidths, trials } = &self.choice
            && (bandwidths.is_empty() || *trials == 0)
        {
            return option(
                "bandwidth_grid",
                0.0,
                "at least one bandwidth and one trial",
            );
        }
        Ok(())
    }

    /// Runs in a pool of the requested size, or in the current one.
    ///
    /// # Errors
    /// A pool that cannot be started, and whatever the work returns.
    #[doc(hidden)]
    pub fn with_threads<T: Send, E: From<SolveError> + Send>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send,
    ) -> Result<T, E> {
        let Some(threads) = self.lsq.threads else {
            return work();
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| SolveError::Threads {
                threads,
                reason: error.to_string(),
            })?
            .install(work)
    }
}
