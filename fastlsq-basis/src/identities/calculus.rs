//! Calculus symmetries: differentiation is a rotation of the phase.

use crate::error::require_dim;
use crate::{BasisError, MultiIndex};

/// Φ_{n mod 4}(z), the n-th derivative of the sine: sin, cos, −sin, −cos.
///
/// ```
/// use fastlsq_basis::identities::cycle;
/// assert_eq!(cycle(3, 0.2), -0.2f64.cos());
/// assert_eq!(cycle(4, 0.2), 0.2f64.sin());
/// ```
#[must_use]
pub fn cycle(n: u32, z: f64) -> f64 {
    match n % 4 {
        0 => z.sin(),
        1 => z.cos(),
        2 => -z.sin(),
        _ => -z.cos(),
    }
}

/// Φₙ in components: (p, q) with sin⁽ⁿ⁾ = p sin + q cos.
pub(crate) fn cycle_components(n: u32) -> (f64, f64) {
    match n % 4 {
        0 => (1.0, 0.0),
        1 => (0.0, 1.0),
        2 => (-1.0, 0.0),
        _ => (0.0, -1.0),
    }
}

/// D^α sin(w·x + b) = (Πₖ wₖ^{αₖ}) Φ_{|α| mod 4}(w·x + b) (paper, Eq. 3).
///
/// # Errors
/// Arguments of different dimensions.
pub fn ridge_derivative(
    alpha: &MultiIndex,
    frequency: &[f64],
    phase: f64,
    x: &[f64],
) -> Result<f64, BasisError> {
    require_dim("the frequency", alpha.dim(), frequency.len())?;
    require_dim("the point", alpha.dim(), x.len())?;
    let z = frequency
        .iter()
        .zip(x)
        .fold(phase, |sum, (w, x)| sum + w * x);
    Ok(alpha.monomial(frequency) * cycle(order_mod_4(alpha), z))
}

/// The symbol of L = Σ c D^α at a frequency: (p, q) with L sin(w·x + b) = p sin(w·x + b) + q cos(w·x + b).
///
/// # Errors
/// A multi-index of another dimension than the frequency.
pub fn symbol(operator: &[(f64, MultiIndex)], frequency: &[f64]) -> Result<(f64, f64), BasisError> {
    let (mut p, mut q) = (0.0, 0.0);
    for (coefficient, alpha) in operator {
        require_dim(
            "a multi-index of the operator",
            frequency.len(),
            alpha.dim(),
        )?;
        let (unit_p, unit_q) = cycle_components(order_mod_4(alpha));
        let weight = coefficient * alpha.monomial(frequency);
        p += unit_p * weight;
        q += unit_q * weight;
    }
    Ok((p, q))
}

/// The number λ with Lφ = λφ for φ = sin(w·x + b), if all orders of L = Σ c D^α are even.
///
/// `None` if an odd order occurs: it turns the sine into a cosine, and φ is no eigenfunction
/// (e^{iw·x} is one of any constant-coefficient operator). The Laplacian has λ = −|w|².
///
/// ```
/// use fastlsq_basis::{MultiIndex, identities::eigenvalue};
/// let laplacian = [(1.0, MultiIndex::new([2, 0])), (1.0, MultiIndex::new([0, 2]))];
/// assert_eq!(eigenvalue(&laplacian, &[3.0, 4.0])?, Some(-25.0));
/// assert_eq!(eigenvalue(&[(1.0, MultiIndex::new([1, 0]))], &[3.0, 4.0])?, None);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
///
/// # Errors
/// A multi-index of another dimension than the frequency.
pub fn eigenvalue(
    operator: &[(f64, MultiIndex)],
    frequency: &[f64],
) -> Result<Option<f64>, BasisError> {
    let (p, _) = symbol(operator, frequency)?;
    let even = operator
        .iter()
        .all(|(_, alpha)| order_mod_4(alpha).is_multiple_of(2));
    Ok(even.then_some(p))
}

/// |α| mod 4, whatever the size of the orders.
fn order_mod_4(alpha: &MultiIndex) -> u32 {
    alpha.orders().iter().map(|n| n % 4).sum::<u32>() % 4
}
