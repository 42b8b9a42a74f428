//! The stored form of a sinusoidal basis: the choices, not what follows from them.

use serde::{Deserialize, Serialize};

use super::{FrequencyLaw, Parity, SinusoidalBasis};
use crate::error::{require_dim, require_finite, require_size, require_some};
use crate::{BasisError, InputMap};

/// Parameters as they may stand in a file, not yet checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    dim: usize,
    draw: Vec<f64>,
    phases: Vec<f64>,
    law: Option<FrequencyLaw>,
    map: InputMap,
    parity: Vec<Parity>,
    normalised_by: Option<usize>,
}

impl From<SinusoidalBasis> for Parameters {
    fn from(basis: SinusoidalBasis) -> Self {
        Self {
            dim: basis.dim,
            draw: basis.draw,
            phases: basis.drawn_phases,
            law: basis.law,
            map: basis.map,
            parity: basis.parity,
            normalised_by: basis.normalised_by,
        }
    }
}

impl TryFrom<Parameters> for SinusoidalBasis {
    type Error = BasisError;

    fn try_from(stored: Parameters) -> Result<Self, BasisError> {
        let dim = stored.dim;
        require_some("the space", dim)?;
        require_some("the set of features", stored.phases.len())?;
        require_size(
            "the list of frequencies",
            stored.phases.len().saturating_mul(dim),
            stored.draw.len(),
        )?;
        require_finite("the frequencies", &stored.draw)?;
        require_finite("the phases", &stored.phases)?;
        require_dim("the input map", dim, stored.map.dim())?;
        if let Some(law) = &stored.law {
            law.validate(dim)?;
        }
        if let Some(count) = stored.normalised_by {
            require_some("the set of features that 1/√N counts", count)?;
        }
        Self {
            dim,
            draw: stored.draw,
            drawn_phases: stored.phases,
            law: stored.law,
            map: stored.map,
            parity: stored.parity,
            normalised_by: stored.normalised_by,
            frequencies: Vec::new(),
            phases: Vec::new(),
        }
        .refreshed()
    }
}
