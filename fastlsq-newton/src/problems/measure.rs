//! Errors of evolutions: the worst over some times.

use fastlsq_solve::Solution;
use ndarray::Array2;

use crate::NewtonError;

/// Times at which errors are measured.
pub(super) const TIMES: usize = 20;

/// The largest L2 distance over some times, relative to the largest norm of the truth, of one unknown or several. `truth` gives
/// the points of space that belong to a time, and the values of the unknowns at each of them.
pub(super) fn worst(
    times: &[f64],
    solution: &Solution,
    truth: impl Fn(usize) -> Result<(Array2<f64>, Vec<Vec<f64>>), NewtonError>,
) -> Result<f64, NewtonError> {
    let (mut error, mut norm) = (0.0_f64, 0.0_f64);
    for (k, &t) in times.iter().enumerate() {
        let (space, truth) = truth(k)?;
        let axes = space.ncols();
        let points = Array2::from_shape_fn((space.nrows(), axes + 1), |(i, axis)| {
            if axis < axes { space[(i, axis)] } else { t }
        });
        let (mut distance, mut size) = (0.0, 0.0);
        for (number, unknown) in solution.unknowns().iter().enumerate() {
            let found = solution.evaluate(*unknown, &points)?;
            let own = truth.iter().filter_map(|values| values.get(number));
            for (found, truth) in found.iter().zip(own) {
                distance += (found - truth).powi(2);
                size += truth * truth;
            }
        }
        // What is not a number at one time is not one over all times.
        error = if error.is_nan() || distance.is_nan() {
            f64::NAN
        } else {
            error.max(distance)
        };
        norm = norm.max(size);
    }
    Ok((error / norm).sqrt())
}

/// The number of points as a power of two, and the steps, of a reference; half of both for the coarse one that checks it.
pub(super) fn halved_if(coarse: bool, (level, steps): (u32, usize)) -> (u32, usize) {
    if coarse {
        (level - 1, steps / 2)
    } else {
        (level, steps)
    }
}
