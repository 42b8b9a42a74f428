//! Independent truths: observations are made by other methods than the one that explains them.

mod magnetics;
mod sine_series;

pub use magnetics::GridPotential;
pub use sine_series::{HeatSeries, PoissonSeries};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Values with independent normal noise of this deviation added, from an explicit seed.
#[must_use]
pub fn with_noise(values: &[f64], deviation: f64, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    values
        .iter()
        .map(|value| {
            let draw: f64 = StandardNormal.sample(&mut rng);
            value + deviation * draw
        })
        .collect()
}
