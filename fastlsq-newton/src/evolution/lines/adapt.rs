//! The next space, when the tail of the expansion has grown too large.

use super::semidiscrete::Semidiscrete;
use fastlsq_solve::space::{Modes, Sampled, SpaceBuilder, SpaceError};
use ndarray::Array2;

/// Growth of the bandwidth of a single piece.
const GROWTH: f64 = 1.4;

/// For each piece, the largest tail among the unknowns, each relative to the size of its unknown.
pub(super) fn tails(ode: &Semidiscrete, t: f64, y: &[f64]) -> Result<Vec<f64>, SpaceError> {
    let mut worst: Vec<f64> = Vec::new();
    for (k, space) in ode.spaces.iter().enumerate() {
        let modal = ode.modal(k, false, t, y)?;
        let size = modal.iter().map(|c| c * c).sum::<f64>().sqrt();
        let tails = space.modes().tails(&modal);
        worst.resize(tails.len(), 0.0);
        for (worst, tail) in worst.iter_mut().zip(tails) {
            if size > 0.0 {
                *worst = worst.max(tail / size);
            }
        }
    }
    Ok(worst)
}

/// Modes that represent the state y at time t, finer wherever a tail exceeds `allowed`.
pub(super) fn refined(
    builder: &SpaceBuilder,
    ode: &Semidiscrete,
    t: f64,
    y: &[f64],
    tails: &[f64],
    allowed: f64,
) -> Result<Modes, SpaceError> {
    let old = ode.spaces[0].modes();
    let states: Vec<Vec<f64>> = (0..ode.spaces.len())
        .map(|k| ode.modal(k, false, t, y))
        .collect::<Result<_, _>>()?;
    let functions: Vec<Box<Sampled<'_>>> = states
        .iter()
        .map(|modal| {
            let f = move |points: &Array2<f64>| old.apply(&identity(points.ncols()), modal, points);
            Box::new(f) as Box<Sampled<'_>>
        })
        .collect();
    let functions: Vec<&Sampled<'_>> = functions.iter().map(|f| &**f).collect();
    if old.breaks().is_empty() {
        return builder.fitted(&functions, GROWTH * old.bandwidth());
    }
    let modes = builder.fitted_intervals(&functions)?;
    let mut breaks: Vec<f64> = modes.breaks().to_vec();
    // The state fits, or it would not have been accepted; where its tail grows, intervals must be
    // shorter than they were.
    for (ends, tail) in old.breaks().windows(2).zip(tails) {
        if *tail <= allowed {
            continue;
        }
        let (lo, hi) = (ends[0], ends[1]);
        let length = hi - lo;
        let added: Vec<f64> = breaks
            .windows(2)
            .filter(|new| new[0] < hi && new[1] > lo && new[1] - new[0] > 0.75 * length)
            .map(|new| 0.5 * (new[0] + new[1]))
            .collect();
        breaks.extend(added);
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
    }
    modes.with_breaks(&breaks)
}

fn identity(dim: usize) -> fastlsq_solve::Operator {
    let action = fastlsq_solve::Action::identity(dim);
    fastlsq_solve::Operator::from_terms(dim, [fastlsq_solve::Term::new(1.0, action)])
}
