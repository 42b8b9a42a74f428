//! The paper's inverse problems, each a struct with what its figures need.

mod bandwidth;
mod coil;
mod diffusion;
mod heat_map;
mod heat_sources;
mod level_lines;
mod source_position;
mod wavenumber;

pub use bandwidth::{TravellingProfile, anisotropic_error, anisotropic_poisson, helmholtz_learner};
pub use coil::{Coil, CoilMap};
pub use diffusion::DiffusionField;
pub use heat_map::HeatMap;
pub use heat_sources::{FoundSources, HeatModel, HeatSource, HeatSources};
pub use level_lines::level_lines;
pub use source_position::SourcePosition;
pub use wavenumber::Wavenumber;

/// The median of numbers (the mean of the middle two for an even count); NaN for none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => f64::NAN,
        (half, 1) => sorted[half],
        (half, _) => 0.5 * (sorted[half - 1] + sorted[half]),
    }
}
