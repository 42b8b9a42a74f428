//! Bases as plain data, so that a solution can be written to a file and read back.

use std::sync::Arc;

use crate::{Basis, SinusoidalBasis};

/// One of the bases of this crate, by value.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SavedBasis {
    /// Sinusoidal features.
    Sinusoidal(SinusoidalBasis),
}

impl SavedBasis {
    /// The basis, ready for use.
    #[must_use]
    pub fn into_basis(self) -> Arc<dyn Basis> {
        match self {
            Self::Sinusoidal(basis) => Arc::new(basis),
        }
    }
}
