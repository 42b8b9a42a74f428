//! The paper's matrix-cache experiment: Helmholtz, factored once, many right-hand sides.

use std::time::Instant;

use anyhow::Result;
use fastlsq_solve::lsq::{LsqOptions, Method};
use fastlsq_solve::{Backend, CpuBackend};

use crate::format::middle;
use fastlsq_solve::problems::{HelmholtzWaves, PlaneWave, WaveSizes};

/// The paper's sizes: 5000 + 1000 rows, 1500 features.
pub(crate) const PAPER: WaveSizes = WaveSizes {
    features: 1500,
    interior: 5000,
    boundary: 1000,
    bandwidth: 10.0,
};
/// Half of the paper's sizes.
pub(crate) const HALF: WaveSizes = WaveSizes {
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
    /// Assembly, factorisation and solution with the method that is chosen automatically (at these sizes, the
    /// randomised sketch), in the median.
    pub(crate) full_seconds: f64,
    /// The same by rank-revealing QR.
    pub(crate) qr_seconds: f64,
    /// Assembly and factorisation with the automatic method, kept for further right-hand sides.
    pub(crate) factor_seconds: f64,
    /// A new right-hand side on what was kept, in the median.
    pub(crate) cached_seconds: f64,
    /// The largest relative error of a fresh solve.
    pub(crate) fresh_error: f64,
    /// The largest relative error of a cached solve.
    pub(crate) cached_error: f64,
    /// Numerical rank of the system.
    pub(crate) rank: usize,
}

/// Runs the experiment.
pub(crate) fn measure(sizes: WaveSizes, seed: u64) -> Result<Measured> {
    let helmholtz = HelmholtzWaves::new(sizes, seed)?;
    let waves = PlaneWave::random(RIGHT_HAND_SIDES, seed);

    let (mut full, mut qr, mut fresh_error) = (Vec::new(), Vec::new(), 0.0f64);
    for wave in waves.iter().take(FULL_SOLVES) {
        let system = helmholtz.system(*wave)?;
        for (method, seconds) in [
            (Method::Auto, &mut full),
            (Method::RankRevealingQr, &mut qr),
        ] {
            let options = LsqOptions::new().method(method);
            let clock = Instant::now();
            let solution = CpuBackend.factor(&system, &options)?.solution()?;
            seconds.push(clock.elapsed().as_secs_f64());
            fresh_error = fresh_error.max(helmholtz.error(solution.as_ref(), *wave)?);
        }
    }

    let system = helmholtz.system(PlaneWave::PLAIN)?;
    let clock = Instant::now();
    let factored = CpuBackend.factor(&system, &LsqOptions::new().keep_q(true))?;
    let factor_seconds = clock.elapsed().as_secs_f64();
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
        qr_seconds: middle(qr).unwrap_or(f64::NAN),
        factor_seconds,
        cached_seconds: middle(cached).unwrap_or(f64::NAN),
        fresh_error,
        cached_error,
        rank: factored.info().rank,
    })
}
