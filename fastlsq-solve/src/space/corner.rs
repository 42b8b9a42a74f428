//! Functions for domains of the plane with a re-entrant corner.
//!
//! At a corner of angle ω > π solutions behave like r^λ sin λθ, λ = kπ/ω, times smooth functions, and polynomials miss these.
//! Re and Im of ζ^λ times polynomials, for the λ that differ by more than integers, hold all of them: multiplication by ζ leads from
//! λ to λ + 1. Joined to the polynomials of the domain they restore the accuracy that a smooth domain would have.

use fastlsq_basis::{
    Basis, ComplexPower, Factor, InputMap, JoinedBasis, OrthogonalPolynomials, PolynomialBasis,
    Weighted,
};
use std::f64::consts::PI;
use std::sync::Arc;

use super::SpaceError;
use super::quadrature::Quadrature;
use crate::domain::{Corner, Domain};

/// Angles and exponents closer than this are the same.
const SAME: f64 = 1e-6;
/// The most exponents, where angles have no small denominators.
const EXPONENTS: usize = 4;

/// The re-entrant corner of the domain, if there is exactly one.
pub(super) fn reentrant(domain: &dyn Domain) -> Option<Corner> {
    let mut corners = domain.corners().into_iter();
    let mut sharp = corners.by_ref().filter(|corner| corner.angle > PI + SAME);
    let first = sharp.next()?;
    sharp.next().is_none().then_some(first)
}

/// kπ/ω up to integers.
fn exponents(angle: f64) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    for k in 1..=2 * EXPONENTS {
        let own = k as f64 * PI / angle;
        let distance = |other: f64| ((own - other) - (own - other).round()).abs();
        if distance(0.0) > SAME && found.iter().all(|other| distance(*other) > SAME) {
            found.push(own);
        }
        if found.len() == EXPONENTS {
            break;
        }
    }
    found
}

/// Polynomials up to a degree, and those up to a good third of it times the singular functions of a corner at `position` of the
/// reference piece.
pub(super) fn features(
    rule: &Quadrature,
    corner: &Corner,
    position: [f64; 2],
    degree: u32,
) -> Result<Arc<dyn Basis>, SpaceError> {
    let smooth = OrthogonalPolynomials::new(rule.points.view(), &rule.weights, degree)?;
    let mut factors: Vec<Arc<dyn Factor>> = Vec::new();
    for exponent in exponents(corner.angle) {
        let power = ComplexPower::new(position, exponent)?
            .cut_along(corner.bisector() + PI)?
            .scaled(2.0)?;
        let pair = power.pair();
        factors.extend(pair.map(|part| Arc::new(part) as Arc<dyn Factor>));
    }
    let inner = PolynomialBasis::legendre(
        InputMap::from_box(&[-1.0; 2], &[1.0; 2])?,
        2 * degree / 5 + 1,
    )?;
    let singular = Weighted::new(factors, Arc::new(inner))?;
    Ok(Arc::new(JoinedBasis::new([
        Arc::new(smooth) as Arc<dyn Basis>,
        Arc::new(singular) as Arc<dyn Basis>,
    ])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_up_to_integers() {
        let near = |found: &[f64], expected: &[f64]| {
            found.len() == expected.len()
                && found
                    .iter()
                    .zip(expected)
                    .all(|(a, b)| (a - b).abs() < 1e-12)
        };
        assert!(near(&exponents(1.5 * PI), &[2.0 / 3.0, 4.0 / 3.0]));
        assert!(near(&exponents(2.0 * PI), &[0.5]));
        assert_eq!(exponents(1.1 * PI).len(), EXPONENTS);
    }
}
