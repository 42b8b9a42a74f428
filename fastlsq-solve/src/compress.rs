//! A basis cut to its numerical rank.

use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::{Basis, MultiIndex};
use ndarray::{ArrayView2, Axis};

use crate::SolveError;
use crate::lsq::{LsqOptions, spanning_columns};

/// The matrix that decides on the rank, a derivative of it, and what the decision takes.
const COPIES: usize = 3;
/// Rows that decide on the rank, for each feature.
const ROWS_A_FEATURE: f64 = 1.5;

/// The features that matter: as many as the numerical rank of these derivatives at these points, the others being
/// combinations of them to rounding.
///
/// In few dimensions features are numerically dependent: of 1500 with σ = 3 on a square some 200 carry everything
/// (and of a thousand on an interval, twenty). A basis that serves many solves, as in Newton's method, is worth
/// cutting once. `derivatives` are those that the equation uses; the threshold is that of the options.
///
/// A basis that cannot be cut ([`Basis::selected`]), or for which there are fewer rows than features to decide on, comes
/// back as it is.
///
/// # Errors
/// Points or derivatives that do not fit the basis, a limit that is reached.
///
/// ```
/// use std::sync::Arc;
/// use fastlsq_solve::{Basis, BoxDomain, Domain, FrequencyLaw, LsqOptions, MultiIndex, SinusoidalBasis, UnitSampler, compress};
/// let basis: Arc<dyn Basis> = Arc::new(SinusoidalBasis::random(1, 300, &FrequencyLaw::Isotropic(3.0), 0)?);
/// let points = BoxDomain::unit(1).sample_interior(400, &mut UnitSampler::independent(0))?;
/// let small = compress(&basis, &[MultiIndex::new([0]), MultiIndex::new([2])], points.view(), &LsqOptions::new())?;
/// assert!(small.len() < 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compress(
    basis: &Arc<dyn Basis>,
    derivatives: &[MultiIndex],
    points: ArrayView2<'_, f64>,
    options: &LsqOptions,
) -> Result<Arc<dyn Basis>, SolveError> {
    let features = basis.len();
    let available = points.nrows() * derivatives.len();
    if available < features || features == 0 {
        return Ok(Arc::clone(basis));
    }
    let wanted = (ROWS_A_FEATURE * features as f64 / derivatives.len() as f64).ceil() as usize;
    let count = wanted.clamp(1, points.nrows());
    // Evenly over the list, so that every kind of point in it takes part.
    let places: Vec<usize> = (0..count).map(|i| i * points.nrows() / count).collect();
    let chosen = points.select(Axis(0), &places);
    let rows = count * derivatives.len();
    let entries = rows.checked_mul(features);
    let bytes = entries.and_then(|entries| entries.checked_mul(COPIES * size_of::<f64>()));
    options.control.allow_bytes(bytes)?;
    let mut matrix = Mat::zeros(rows, features);
    for (k, alpha) in derivatives.iter().enumerate() {
        options.control.check()?;
        let mut part = basis.derivatives(chosen.view(), alpha)?;
        let size = part.norm_max();
        if size > 0.0 {
            part /= faer::Scale(size);
        }
        matrix
            .as_mut()
            .subrows_mut(k * count, count)
            .copy_from(part);
    }
    let columns = spanning_columns(matrix, options)?;
    if columns.is_empty() || columns.len() == features {
        return Ok(Arc::clone(basis));
    }
    Ok(basis
        .selected(&columns)
        .unwrap_or_else(|| Arc::clone(basis)))
}
