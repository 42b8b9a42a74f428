//! The few vector operations that the solvers share.

/// Σ aᵢ bᵢ.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// y ← y + α x.
pub(crate) fn add_scaled(y: &mut [f64], alpha: f64, x: &[f64]) {
    for (target, source) in y.iter_mut().zip(x) {
        *target += alpha * source;
    }
}

/// a − b.
pub(crate) fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// Whether every entry is finite.
pub(crate) fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}
