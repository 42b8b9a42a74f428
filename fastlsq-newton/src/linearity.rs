//! Is a residual linear in u? Then one step solves it.

use fastlsq_solve::Sites;
use ndarray::Array2;

use crate::residual::Residual;

/// Whether slopes and remainder are the same at two unrelated states, at every point.
pub(crate) fn is_linear(residual: &Residual, sites: Sites<'_>, parameter: f64) -> bool {
    let width = residual.requests().len();
    let state = |phase: f64| {
        Array2::from_shape_fn((sites.len(), width), |(i, t)| {
            (phase + 1.7 * i as f64 + 0.9 * t as f64).sin() + phase
        })
    };
    let (first, second) = (state(0.3), state(1.9));
    let a = residual.evaluate(&first, sites, parameter);
    let b = residual.evaluate(&second, sites, parameter);
    if a.first_bad().is_some() || b.first_bad().is_some() {
        return false;
    }
    let scale = |values: &[f64]| values.iter().fold(1e-300, |m: f64, v| m.max(v.abs()));
    let same_slopes = a
        .slopes
        .iter()
        .zip(&b.slopes)
        .all(|(x, y)| (x - y).abs() <= 1e-13 * x.abs().max(y.abs()));
    let remainder = |e: &crate::residual::Evaluated, table: &Array2<f64>| -> Vec<f64> {
        e.values
            .iter()
            .zip(e.linear_part(table))
            .map(|(r, l)| r - l)
            .collect()
    };
    let (ra, rb) = (remainder(&a, &first), remainder(&b, &second));
    let size = scale(&a.values).max(scale(&b.values));
    same_slopes
        && ra
            .iter()
            .zip(&rb)
            .all(|(x, y)| (x - y).abs() <= 1e-12 * size)
}
