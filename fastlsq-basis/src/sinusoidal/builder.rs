//! The choices behind a random sinusoidal basis.

use super::draw::StandardDraw;
use super::{Draw, FrequencyLaw, Parity, SinusoidalBasis};
use crate::error::{require_dim, require_memory, require_some};
use crate::{BasisError, InputMap};

/// The choices behind a random [`SinusoidalBasis`], with their defaults.
#[derive(Debug, Clone)]
pub struct SinusoidalBuilder {
    dim: usize,
    count: usize,
    law: FrequencyLaw,
    seed: u64,
    draw: Draw,
    map: Option<InputMap>,
    parity: Option<Vec<Parity>>,
    normalised: bool,
}

impl SinusoidalBuilder {
    /// The law of the frequencies, in the coordinates of the map (default: isotropic, σ = 1).
    #[must_use]
    pub fn law(mut self, law: FrequencyLaw) -> Self {
        self.law = law;
        self
    }

    /// The seed of the draw (default 0).
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How the draw is made (default: independent).
    #[must_use]
    pub fn draw(mut self, draw: Draw) -> Self {
        self.draw = draw;
        self
    }

    /// The map of the inputs (default: none).
    #[must_use]
    pub fn map(mut self, map: InputMap) -> Self {
        self.map = Some(map);
        self
    }

    /// Symmetry along each axis, about the centre of the map (default: none).
    #[must_use]
    pub fn parity(mut self, parity: impl Into<Vec<Parity>>) -> Self {
        self.parity = Some(parity.into());
        self
    }

    /// Whether features carry the factor 1/√N (default: yes).
    #[must_use]
    pub fn normalised(mut self, normalised: bool) -> Self {
        self.normalised = normalised;
        self
    }

    /// Draws the features.
    ///
    /// # Errors
    /// No axes or features, more features than memory can hold, or a law, map or parity that does not fit the dimension.
    pub fn build(self) -> Result<SinusoidalBasis, BasisError> {
        let Self {
            dim, count, law, ..
        } = self;
        require_some("the space", dim)?;
        require_some("the set of features", count)?;
        require_memory(count, dim)?;
        law.validate(dim)?;
        let map = self.map.unwrap_or_else(|| InputMap::identity(dim));
        require_dim("the input map", dim, map.dim())?;
        let parity = self.parity.unwrap_or_else(|| vec![Parity::None; dim]);
        let draw = StandardDraw::of_law(&law, dim, count, self.seed, self.draw);
        SinusoidalBasis {
            dim,
            draw: draw.normals,
            drawn_phases: draw.phases,
            law: Some(law),
            map,
            parity,
            normalised_by: self.normalised.then_some(count),
            frequencies: Vec::new(),
            phases: Vec::new(),
        }
        .refreshed()
    }
}

impl SinusoidalBasis {
    /// Starts a random basis of `count` features in dimension `dim`; the rest has defaults.
    #[must_use]
    pub fn builder(dim: usize, count: usize) -> SinusoidalBuilder {
        SinusoidalBuilder {
            dim,
            count,
            law: FrequencyLaw::Isotropic(1.0),
            seed: 0,
            draw: Draw::Independent,
            map: None,
            parity: None,
            normalised: true,
        }
    }
}
