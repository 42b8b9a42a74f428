//! The optimisations of a fit, in parameters scaled by their widths.

use std::ops::ControlFlow;

use fastlsq_solve::Stage;

use super::options::{FitMethod, FitOptions};
use crate::InverseError;
use crate::engine::Scaled;
use crate::optimise::{
    MinimiseOptions, Minimum, OptimiseError, Progress, SquaresOptions,
    minimise_squares_with_progress, minimise_with_progress,
};

/// The preliminary fits, and the one that counts.
pub(super) fn tempered_run(
    scaled: &Scaled<'_>,
    start: &[f64],
    options: &FitOptions,
    evaluations: &mut u64,
    progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Minimum, InverseError> {
    let mut from = start.to_vec();
    let mut preliminary = FitOptions::new().max_iterations(30);
    preliminary.limits.record_trajectory = options.limits.record_trajectory;
    let mut trajectory = Vec::new();
    for factor in &options.tempering {
        let end = run(&scaled.tempered(*factor), &from, &preliminary, progress)?;
        *evaluations += end.evaluations;
        from = end.parameters;
        trajectory.extend(end.trajectory);
    }
    let mut minimum = run(scaled, &from, options, progress)?;
    *evaluations += minimum.evaluations;
    trajectory.append(&mut minimum.trajectory);
    minimum.trajectory = trajectory;
    Ok(minimum)
}

/// One optimisation, in scaled parameters; its record in physical ones.
fn run(
    scaled: &Scaled<'_>,
    start: &[f64],
    options: &FitOptions,
    progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Minimum, InverseError> {
    let bounds = scaled.bounds().map_err(OptimiseError::from)?;
    let from = scaled.scaled(start);
    let mut watched = |inner: &Progress<'_>| {
        scaled.control().note_score(inner.value);
        let iteration = inner.iteration;
        if scaled.control().enter(Stage::Fit { iteration }).is_err() {
            return ControlFlow::Break(());
        }
        let parameters = scaled.physical(inner.parameters);
        progress(&Progress {
            parameters: &parameters,
            ..*inner
        })
    };
    let limits = options.limits.clone();
    let mut minimum = match &options.method {
        FitMethod::LevenbergMarquardt(method) => {
            let options = SquaresOptions {
                method: method.clone(),
                limits,
            };
            minimise_squares_with_progress(scaled, &from, &bounds, &options, &mut watched)?
        }
        FitMethod::Gradient(method) => {
            let options = MinimiseOptions {
                method: method.clone(),
                limits,
            };
            minimise_with_progress(scaled, &from, &bounds, &options, &mut watched)?
        }
    };
    minimum.parameters = scaled.physical(&minimum.parameters);
    minimum.start = scaled.physical(&minimum.start);
    for point in &mut minimum.trajectory {
        *point = scaled.physical(point);
    }
    for (slope, scale) in minimum.gradient.iter_mut().zip(scaled.scales()) {
        *slope /= scale;
    }
    Ok(minimum)
}
