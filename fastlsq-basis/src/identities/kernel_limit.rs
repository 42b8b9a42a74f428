//! The Gaussian kernel that random features converge to.

use crate::BasisError;
use crate::error::{require_dim, require_finite};
use crate::sinusoidal::FrequencyLaw;

/// E[φ(x) φ(x′)] for φ = sin(w·x + b) with w of this law and b uniform on the circle: the limit of
/// Σⱼ φⱼ(x) φⱼ(x′) for normalised features as N → ∞.
///
/// For w ~ N(0, L Lᵀ) it is ½ exp(−½ |Lᵀ(x − x′)|²), so ½ exp(−σ²|x − x′|²/2) for the isotropic law;
/// the factor ½ is the mean of sin² over the phase. Blocks and low-order laws give averages of such
/// terms. Points are in the coordinates that the law is stated in.
///
/// ```
/// use fastlsq_basis::{FrequencyLaw, identities::limit_kernel};
/// let k = limit_kernel(&FrequencyLaw::Isotropic(2.0), &[0.0], &[1.0])?;
/// assert_eq!(k, 0.5 * (-2.0f64).exp());
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
///
/// # Errors
/// Points of different dimensions or not finite, a law that does not fit them.
pub fn limit_kernel(law: &FrequencyLaw, x: &[f64], y: &[f64]) -> Result<f64, BasisError> {
    require_dim("the second point", x.len(), y.len())?;
    require_finite("the first point", x)?;
    require_finite("the second point", y)?;
    law.validate(x.len())?;
    let offset: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    Ok(0.5 * law.characteristic(&offset))
}
