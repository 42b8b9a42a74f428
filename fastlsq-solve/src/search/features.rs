//! The features of a candidate: what is chosen of them, and the bases built from it.

use std::sync::Arc;

use fastlsq_basis::{Basis, Draw, FrequencyLaw, InputMap, Parity, ProductBasis, SinusoidalBasis};

use super::homes::{Home, Surroundings};
use crate::SolveError;

/// The features of a candidate.
#[derive(Debug, Clone)]
pub enum Features {
    /// Random sinusoids.
    Random {
        /// How many for each unknown.
        count: usize,
        /// The law of their frequencies, in the coordinates of the map.
        law: FrequencyLaw,
        /// The map of the inputs.
        map: InputMap,
        /// For each unknown, for each axis.
        parity: Vec<Vec<Parity>>,
        /// How the standard frequencies are spread.
        draw: Draw,
        /// The seed of the draw.
        seed: u64,
        /// What the geometry says of each unknown.
        beside: Option<Surroundings>,
    },
    /// Products over the axes that do not change when axes of one class are exchanged.
    Symmetric {
        /// How many for each unknown.
        count: usize,
        /// The class of each axis.
        classes: Vec<usize>,
        /// The largest frequency of each class, in the coordinates of the map.
        radii: Vec<f64>,
        /// The map of the inputs.
        map: InputMap,
        /// For each unknown, for each axis.
        parity: Vec<Vec<Parity>>,
        /// The seed of the draw.
        seed: u64,
    },
    /// Solutions of the equations themselves, without waves.
    Particular {
        /// The functions of each unknown.
        functions: Surroundings,
        /// How often their number has grown.
        level: u64,
        /// The rows that they need: of each equation, and of each condition.
        rows: (usize, usize),
    },
    /// The user's own basis.
    Given(Arc<dyn Basis>),
}

impl Features {
    /// The same kind of features from another draw.
    #[must_use]
    pub fn with_seed(&self, new: u64) -> Self {
        let mut features = self.clone();
        if let Self::Random { seed, .. } | Self::Symmetric { seed, .. } = &mut features {
            *seed = new;
        }
        features
    }

    /// The same kind of features in another number.
    #[must_use]
    pub fn with_count(&self, new: usize) -> Self {
        let mut features = self.clone();
        if let Self::Random { count, .. } | Self::Symmetric { count, .. } = &mut features {
            *count = new;
        }
        features
    }

    /// The same kind of features with every frequency multiplied by a factor.
    #[must_use]
    pub fn stretched(&self, factor: f64) -> Self {
        let mut features = self.clone();
        match &mut features {
            Self::Random { law, .. } => *law = law.scaled(factor),
            Self::Symmetric { radii, .. } => radii.iter_mut().for_each(|radius| *radius *= factor),
            Self::Particular { .. } | Self::Given(_) => {}
        }
        features
    }

    /// The seed of the draw; `None` for a given basis.
    #[must_use]
    pub fn draw(&self) -> Option<u64> {
        match self {
            Self::Random { seed, .. } | Self::Symmetric { seed, .. } => Some(*seed),
            Self::Particular { level, .. } => Some(*level),
            Self::Given(_) => None,
        }
    }

    /// Features for each unknown.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Random { count, .. } | Self::Symmetric { count, .. } => *count,
            Self::Particular { functions, .. } => functions.functions(),
            Self::Given(basis) => basis.len(),
        }
    }

    /// The bases, one for each unknown; unknowns of the same parity share theirs.
    ///
    /// # Errors
    /// A law, map or parity that does not fit the dimension.
    pub fn build(
        &self,
        unknowns: usize,
        normalised: bool,
    ) -> Result<Vec<Arc<dyn Basis>>, SolveError> {
        match self {
            Self::Given(basis) => Ok(vec![basis.clone(); unknowns]),
            Self::Symmetric {
                count,
                classes,
                radii,
                map,
                parity,
                seed,
            } => for_each_kind(parity, None, |own, _| {
                let basis = ProductBasis::random(map.clone(), classes, own, *count, radii, *seed)?;
                Ok(Arc::new(basis))
            }),
            Self::Random {
                count,
                law,
                map,
                parity,
                draw,
                seed,
                beside,
            } => for_each_kind(parity, beside.as_ref(), |own, home| {
                let waves = || -> Result<Arc<dyn Basis>, SolveError> {
                    let map = home.map_or_else(|| map.clone(), |home| home.map(map));
                    let waves = SinusoidalBasis::builder(map.dim(), *count)
                        .draw(*draw)
                        .law(law.clone())
                        .map(map)
                        .parity(own.to_vec())
                        .seed(*seed)
                        .normalised(normalised)
                        .build()?;
                    Ok(Arc::new(waves))
                };
                match home {
                    Some(home) => home.build(waves),
                    None => waves(),
                }
            }),
            Self::Particular { functions, .. } => {
                let none = vec![Vec::new(); unknowns];
                for_each_kind(&none, Some(functions), |_, home| {
                    let nothing = || Err(SolveError::NothingToSolve);
                    home.map_or_else(nothing, |home| home.build(nothing))
                })
            }
        }
    }

    /// The rows of each equation and of each condition, where their number is not the usual one.
    #[must_use]
    pub fn rows(&self) -> Option<(usize, usize)> {
        match self {
            Self::Particular { rows, .. } => Some(*rows),
            _ => None,
        }
    }

    /// For each unknown the one whose coefficients it has; empty if each has its own.
    #[must_use]
    pub fn owners(&self) -> &[usize] {
        match self {
            Self::Random {
                beside: Some(own), ..
            }
            | Self::Particular { functions: own, .. } => own.owners(),
            _ => &[],
        }
    }
}

/// One basis for each unknown; unknowns of the same parity that live alike share theirs.
fn for_each_kind(
    parity: &[Vec<Parity>],
    surroundings: Option<&Surroundings>,
    build: impl Fn(&[Parity], Option<&Home>) -> Result<Arc<dyn Basis>, SolveError>,
) -> Result<Vec<Arc<dyn Basis>>, SolveError> {
    let home = |k: usize| surroundings.and_then(|own| own.home(k));
    let alike = |j: usize, k: usize| match (home(j), home(k)) {
        (Some(one), Some(other)) => one.is_like(other),
        (one, other) => one.is_none() && other.is_none(),
    };
    let mut bases: Vec<Arc<dyn Basis>> = Vec::with_capacity(parity.len());
    for (k, own) in parity.iter().enumerate() {
        let same = (0..k).find(|&j| parity[j] == *own && alike(j, k));
        let basis = match same {
            Some(same) => bases[same].clone(),
            None => build(own, home(k))?,
        };
        bases.push(basis);
    }
    Ok(bases)
}
