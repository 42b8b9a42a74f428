//! What the geometry of a problem says of the features: where each unknown lives, which functions join its waves or stand
//! in their place, and which unknowns share their coefficients.

use std::sync::Arc;

use fastlsq_basis::{Basis, InputMap, JoinedBasis, RestrictedBasis};

use crate::SolveError;
use crate::domain::Region;
use crate::problem::ConcreteProblem;

/// What one unknown is made of.
#[derive(Debug, Clone, Default)]
pub struct Home {
    /// The region that it lives in, with the map of the box around that; everywhere if none.
    region: Option<(Arc<Region>, InputMap)>,
    /// Functions that join its waves.
    functions: Option<Arc<dyn Basis>>,
    /// Whether there are no waves beside these functions.
    alone: bool,
}

/// What the geometry says, for each unknown.
#[derive(Debug, Clone)]
pub struct Surroundings {
    homes: Vec<Home>,
    /// For each unknown the one whose coefficients it has; empty if each has its own.
    owners: Vec<usize>,
    words: String,
}

impl Surroundings {
    /// Where the unknowns of a problem live; `None` if there is nothing to say.
    pub(super) fn of(problem: &ConcreteProblem) -> Result<Option<Self>, SolveError> {
        let divided = problem.homes.iter().any(Option::is_some);
        let unbounded = (0..problem.unknowns.len()).any(|k| problem.is_unbounded(k));
        if !divided && !unbounded {
            return Ok(None);
        }
        let mut surroundings = Self::plain(problem.unknowns.len());
        for (home, region) in surroundings.homes.iter_mut().zip(&problem.homes) {
            if let Some(region) = region {
                let bounds = region.domain.bounding_box()?;
                let map = InputMap::from_box(bounds.lo(), bounds.hi())?;
                home.region = Some((Arc::new(region.clone()), map));
            }
        }
        if !problem.outgoing.is_empty() {
            let mut owners: Vec<usize> = (0..problem.unknowns.len()).collect();
            for &[one, other] in &problem.outgoing {
                owners[one.max(other)] = one.min(other);
            }
            surroundings.owners = owners;
        }
        Ok(Some(surroundings))
    }

    /// Every unknown lives everywhere, made of waves alone.
    pub(super) fn plain(unknowns: usize) -> Self {
        Self {
            homes: vec![Home::default(); unknowns],
            owners: Vec::new(),
            words: String::new(),
        }
    }

    /// The same with functions for each unknown, which have its waves beside them or not.
    pub(super) fn with_functions(
        &self,
        functions: Vec<Option<Arc<dyn Basis>>>,
        alone: impl Fn(usize) -> bool,
        words: String,
    ) -> Self {
        let mut own = self.clone();
        for (k, (home, functions)) in own.homes.iter_mut().zip(functions).enumerate() {
            home.alone = functions.is_some() && alone(k);
            home.functions = functions;
        }
        own.words = words;
        own
    }

    /// The same with more functions for every unknown, which were asked for.
    pub(super) fn with_known(&self, known: &Arc<dyn Basis>) -> Result<Self, SolveError> {
        let mut own = self.clone();
        for home in &mut own.homes {
            home.functions = Some(match &home.functions {
                Some(others) => Arc::new(JoinedBasis::new(vec![
                    Arc::clone(others),
                    Arc::clone(known),
                ])?),
                None => Arc::clone(known),
            });
        }
        let given = format!("{} given", known.len());
        own.words = match self.words.as_str() {
            "" => given,
            others => format!("{others} and {given}"),
        };
        Ok(own)
    }

    /// The number of unknowns.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        self.homes.len()
    }

    /// The most functions that an unknown has beside its waves.
    #[must_use]
    pub fn functions(&self) -> usize {
        let lengths = self.homes.iter().map(Home::functions);
        lengths.max().unwrap_or(0)
    }

    /// The functions in words; empty if there are none.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// For each unknown the one whose coefficients it has; empty if each has its own.
    #[must_use]
    pub fn owners(&self) -> &[usize] {
        &self.owners
    }

    /// What an unknown is made of.
    pub(super) fn home(&self, unknown: usize) -> Option<&Home> {
        self.homes.get(unknown)
    }
}

impl Home {
    fn functions(&self) -> usize {
        self.functions.as_ref().map_or(0, Basis::len)
    }

    /// Whether the features of two unknowns of equal parity are the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let region = |home: &Self| home.region.as_ref().map(|(own, _)| own.name.clone());
        let functions = match (&self.functions, &other.functions) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        region(self) == region(other) && functions && self.alone == other.alone
    }

    /// The map of the waves: that of the region's box in place of the domain's, unless coordinates are taken as they are.
    pub(super) fn map(&self, domain: &InputMap) -> InputMap {
        match &self.region {
            Some((_, own)) if *domain != InputMap::identity(domain.dim()) => own.clone(),
            _ => domain.clone(),
        }
    }

    /// The features of the unknown.
    pub(super) fn build(
        &self,
        waves: impl FnOnce() -> Result<Arc<dyn Basis>, SolveError>,
    ) -> Result<Arc<dyn Basis>, SolveError> {
        let basis = match &self.functions {
            Some(functions) if self.alone => functions.clone(),
            Some(functions) => Arc::new(JoinedBasis::new([waves()?, functions.clone()])?),
            None => waves()?,
        };
        Ok(match &self.region {
            None => basis,
            Some((region, _)) => {
                let region = region.clone();
                Arc::new(RestrictedBasis::new(basis, move |x| region.reaches(x)))
            }
        })
    }
}
