//! The next space, when the tail of the expansion has grown too large.

use super::semidiscrete::Semidiscrete;
use fastlsq_solve::space::{Modes, Sampled, SpaceBuilder, SpaceError, Target};
use ndarray::Array2;

/// Growth of the bandwidth of a single piece.
const GROWTH: f64 = 1.4;

/// The largest L2 size that each unknown has had: what its errors are relative to.
#[derive(Debug, Clone)]
pub(super) struct Sizes(Vec<f64>);

impl Sizes {
    /// At the start; an unknown of second order that starts at rest in zero is measured by its rate over a
    /// hundredth of the run.
    pub(super) fn new(
        ode: &Semidiscrete,
        t: f64,
        y: &[f64],
        duration: f64,
    ) -> Result<Self, SpaceError> {
        let mut sizes = Vec::with_capacity(ode.spaces.len());
        for k in 0..ode.spaces.len() {
            let mut size = length(&ode.modal(k, false, t, y)?);
            if ode.second_order(k) {
                size = size.max(0.01 * duration * length(&ode.modal(k, true, t, y)?));
            }
            sizes.push(size);
        }
        Ok(Self(sizes))
    }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// For each piece, the largest tail among the unknowns, each relative to the size of its unknown.
pub(super) fn tails(
    ode: &Semidiscrete,
    t: f64,
    y: &[f64],
    sizes: &mut Sizes,
) -> Result<Vec<f64>, SpaceError> {
    let mut worst: Vec<f64> = Vec::new();
    for (k, space) in ode.spaces.iter().enumerate() {
        let modal = ode.modal(k, false, t, y)?;
        sizes.0[k] = sizes.0[k].max(length(&modal));
        let size = sizes.0[k];
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

/// The intervals on which functions are further from their projection y than `allowed`, relative to their
/// size: kinks and mismatches that a smooth space must be fine to hold. `None` if there are none, or no
/// intervals to cut.
pub(super) fn unresolved(
    ode: &Semidiscrete,
    t: f64,
    y: &[f64],
    allowed: f64,
    functions: &dyn Fn(usize, &Array2<f64>) -> Vec<f64>,
) -> Result<Option<Modes>, SpaceError> {
    let modes = ode.spaces[0].modes();
    if modes.breaks().is_empty() {
        return Ok(None);
    }
    let mut marked = vec![false; modes.breaks().len() - 1];
    for (k, space) in ode.spaces.iter().enumerate() {
        let before = functions(k, modes.nodes());
        let after = space.at_nodes(&y[ode.part(k, false)], &ode.data(k, t))?;
        let change: Vec<f64> = before.iter().zip(&after).map(|(a, b)| a - b).collect();
        let size = space.norm(&before);
        for (marked, lost) in marked.iter_mut().zip(modes.piece_norms(&change)) {
            *marked |= lost > allowed * size;
        }
    }
    if marked.contains(&true) {
        modes.halved(&marked).map(Some)
    } else {
        Ok(None)
    }
}

/// Intervals for the state y at time t, if far fewer would do.
pub(super) fn coarsened(
    builder: &SpaceBuilder,
    ode: &Semidiscrete,
    t: f64,
    y: &[f64],
    sizes: &Sizes,
) -> Result<Option<Modes>, SpaceError> {
    let old = ode.spaces[0].modes();
    if old.breaks().len() < 4 {
        return Ok(None);
    }
    // Where intervals cannot be found anew, those at hand stay.
    let modes = refined(builder, ode, t, y, &[], (f64::INFINITY, sizes)).ok();
    Ok(modes.filter(|modes| 10 * modes.len() < 7 * old.len()))
}

/// Modes that represent the state y at time t, finer wherever a tail exceeds `allowed`.
pub(super) fn refined(
    builder: &SpaceBuilder,
    ode: &Semidiscrete,
    t: f64,
    y: &[f64],
    tails: &[f64],
    (allowed, sizes): (f64, &Sizes),
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
    let functions: Vec<Target<'_>> = functions
        .iter()
        .zip(&sizes.0)
        .map(|(f, &size)| (&**f, size))
        .collect();
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
