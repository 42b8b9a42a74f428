//! The stored form of products over the axes.

use serde::{Deserialize, Serialize};

use super::ProductBasis;
use crate::error::{require_dim, require_finite, require_size, require_some};
use crate::{BasisError, InputMap};

/// Parameters as they may stand in a file, not yet checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    map: InputMap,
    classes: Vec<usize>,
    waves: Vec<usize>,
    count: usize,
    parameters: Vec<[f64; 3]>,
}

impl From<ProductBasis> for Parameters {
    fn from(basis: ProductBasis) -> Self {
        Self {
            map: basis.map,
            classes: basis.classes,
            waves: basis.waves,
            count: basis.count,
            parameters: basis.parameters,
        }
    }
}

impl TryFrom<Parameters> for ProductBasis {
    type Error = BasisError;

    fn try_from(stored: Parameters) -> Result<Self, BasisError> {
        require_some("the space", stored.map.dim())?;
        require_some("the set of features", stored.count)?;
        require_dim(
            "the list of classes",
            stored.map.dim(),
            stored.classes.len(),
        )?;
        let classes = stored
            .classes
            .iter()
            .max()
            .map_or(0, |last| last.saturating_add(1));
        require_size("the list of waves", classes, stored.waves.len())?;
        let each = stored
            .waves
            .iter()
            .fold(0usize, |sum, n| sum.saturating_add(*n));
        let expected = stored.count.saturating_mul(each);
        require_size(
            "the list of waves' parameters",
            expected,
            stored.parameters.len(),
        )?;
        let numbers: Vec<f64> = stored.parameters.iter().flatten().copied().collect();
        require_finite("the waves' parameters", &numbers)?;
        Ok(Self {
            map: stored.map,
            classes: stored.classes,
            waves: stored.waves,
            count: stored.count,
            parameters: stored.parameters,
        })
    }
}
