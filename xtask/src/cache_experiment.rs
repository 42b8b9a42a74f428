//! The paper's matrix-cache experiment: Helmholtz, factored once, many right-hand sides.

use std::time::Instant;

use anyhow::Result;
use fastlsq_solve::lsq::{LsqOptions, Method};
use fastlsq_solve::{Backend, CpuBackend};

use crate::format::middle;
use crate::helmholtz::{Helmholtz, Sizes, Wave};

/// The paper's sizes: 5000 + 1000 rows, 1500 features.
pub(crate) const PAPER: Sizes = Sizes {
    features: 1500,
    interior: 5000,
    boundary: 1000,
    bandwidth: 10.0,
};
/// Half of the paper's sizes.
pub(crate) const HALF: Sizes = Sizes {
    features: 750,
    interior: 2500,
    boundary: 500,
    ..PAPER
};
/// New right-hand sides, as in the paper.
pub(crate) const RIGHT_HAND_SIDES: usize = 50;
/// Full solves that are timed.
const FULL_SOLVES: usize = 3;

/// What was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// Assembly, factorisation by rank-revealing QR and solution, in the median.
    pub(crate) full_seconds: f64,
    /// The same with the method chosen automatically (at these sizes, the randomised sketch).
    pub(crate) chosen_seconds: f64,
    /// A new right-hand side on the factored system, in the median.
    pub(crate) cached_seconds: f64,
    /// The largest relative error of a fresh solve.
    pub(crate) fresh_error: f64,
    /// The largest relative error of a cached solve.
    pub(crate) cached_error: f64,
    /// Numerical rank of the system.
    pub(crate) rank: usize,
}

/// Runs the experiment.
pub(crate) fn measure(sizes: Sizes, seed: u64) -> Result<Measured> {
    let helmholtz = Helmholtz::new(sizes, seed)?;
    let waves = Wave::random(RIGHT_HAND_SIDES, seed);

    let (mut full, mut chosen, mut fresh_error) = (Vec::new(), Vec::new(), 0.0f64);
    for wave in waves.iter().take(FULL_SOLVES) {
        let system = helmholtz.system(*wave)?;
        for (method, seconds) in [
            (Method::RankRevealingQr, &mut full),
            (Method::Auto, &mut chosen),
        ] {
            let options = LsqOptions::new().method(method);
            let clock = Instant::now();
            let solution = CpuBackend.factor(&system, &options)?.solution()?;
            seconds.push(clock.elapsed().as_secs_f64());
            fresh_error = fresh_error.max(helmholtz.error(solution.as_ref(), *wave)?);
        }
    }

    let options = LsqOptions::new().keep_q(true);
    let factored = CpuBackend.factor(&helmholtz.system(Wave::PLAIN)?, &options)?;
    let (mut cached, mut cached_error) = (Vec::new(), 0.0f64);
    for wave in &waves {
        let right_hand_side = helmholtz.system(*wave)?.right_hand_side();
        let clock = Instant::now();
        let solution = factored.solve(right_hand_side.as_ref())?;
        cached.push(clock.elapsed().as_secs_f64());
        cached_error = cached_error.max(helmholtz.error(solution.as_ref(), *wave)?);
    }
    Ok(Measured {
        full_seconds: middle(full).unwrap_or(f64::NAN),
        chosen_seconds: middle(chosen).unwrap_or(f64::NAN),
        cached_seconds: middle(cached).unwrap_or(f64::NAN),
        fresh_error,
        cached_error,
        rank: factored.info().rank,
    })
}
