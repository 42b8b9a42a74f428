//! Functions that carry what corners and holes of a domain do to solutions.
//!
//! Near a corner of angle ω a solution of an equation with the Laplacian as its leading part is a sum of r^λ sin λθ,
//! λ = kπ/ω, and smooth functions; smooth features see neither. Where λ is an integer, smooth data that do not fit each
//! other bring r^λ log r. Outside a hole a harmonic function is a sum of log r and of Laurent terms. Joined to smooth
//! features, alone or times a few of them, these functions restore the accuracy that a smooth domain would have.
//!
//! This module knows the domains and the bases, and nothing of problems.

use std::f64::consts::PI;
use std::sync::Arc;

use fastlsq_basis::{ComplexPower, CylinderBasis, Factor, SmoothFactor, Taylor, Weighted};

use crate::SolveError;
use crate::domain::{Corner, Domain, Hole};

/// Exponents closer than this to an integer are one.
const INTEGER: f64 = 1e-6;

/// Re and Im of ζ^λ around every corner of the domain, for all its exponents up to `highest`, the cut half way round the
/// outside; with a logarithm where λ is an integer.
///
/// The exponents at an angle ω are kπ/ω, or (k − ½)π/ω where `mixed` says that the two sides bear conditions of different
/// kinds (a value on one, a normal derivative on the other). A point of a straight side where only its name changes counts
/// if it is mixed. The factors can multiply smooth features, for equations with lower-order or varying terms.
///
/// # Errors
/// Numbers that are not finite.
pub fn corner_factors(
    domain: &dyn Domain,
    highest: f64,
    mixed: impl Fn(&Corner) -> bool,
) -> Result<Vec<Arc<dyn Factor>>, SolveError> {
    let mut factors: Vec<Arc<dyn Factor>> = Vec::new();
    let corners = domain.corners();
    if corners.is_empty() {
        return Ok(factors);
    }
    let bounds = domain.bounding_box()?;
    for corner in &corners {
        let is_mixed = mixed(corner);
        if (corner.angle - PI).abs() < INTEGER && !is_mixed {
            continue;
        }
        // No point of the domain is further away: |ζ| ≤ 1.
        let reach = |k: usize| {
            let x = corner.position[k];
            (x - bounds.lo()[k]).max(bounds.hi()[k] - x)
        };
        let scale = reach(0).hypot(reach(1));
        for exponent in exponents(corner.angle, is_mixed, highest) {
            let nearest = exponent.round();
            let resonant = (exponent - nearest).abs() < INTEGER;
            let power = if resonant { nearest } else { exponent };
            let mut function = ComplexPower::new(corner.position, power)?
                .cut_along(corner.bisector() + PI)?
                .scaled(scale)?;
            if resonant {
                function = function.times_log();
            }
            factors.extend(
                function
                    .pair()
                    .map(|part| Arc::new(part) as Arc<dyn Factor>),
            );
        }
    }
    Ok(factors)
}

/// kπ/ω, or (k − ½)π/ω, up to a bound.
fn exponents(angle: f64, mixed: bool, highest: f64) -> impl Iterator<Item = f64> {
    let shift = if mixed { 0.5 } else { 0.0 };
    (1..10_000)
        .map(move |k| (f64::from(k) - shift) * PI / angle)
        .take_while(move |exponent| *exponent <= highest + INTEGER)
}

/// The [corner factors](corner_factors) alone as a basis, to be joined to smooth features; `None` without any.
///
/// ```
/// use fastlsq_solve::domain::Polygon;
/// use fastlsq_solve::{Basis, corner_functions};
/// let l_shape = Polygon::new(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]])?;
/// // Re and Im of ζ^{2k/3} at the corner that re-enters, k = 1 … 3, and of ζ² log ζ at the others.
/// let singular = corner_functions(&l_shape, 2.0, |_| false)?;
/// assert_eq!(singular.map(|basis| basis.len()), Some(2 * (3 + 5)));
/// # Ok::<(), fastlsq_solve::SolveError>(())
/// ```
///
/// # Errors
/// Numbers that are not finite.
pub fn corner_functions(
    domain: &dyn Domain,
    highest: f64,
    mixed: impl Fn(&Corner) -> bool,
) -> Result<Option<Weighted>, SolveError> {
    alone(corner_factors(domain, highest, mixed)?)
}

/// log r and the real and imaginary parts of ζ⁻¹, …, ζ⁻ⁿ around every hole, n = `terms`; in a hole that is not round, half
/// as many around each of the further discs that fill it.
///
/// # Errors
/// Numbers that are not finite.
pub fn hole_factors(domain: &dyn Domain, terms: usize) -> Result<Vec<Arc<dyn Factor>>, SolveError> {
    let mut factors: Vec<Arc<dyn Factor>> = Vec::new();
    for hole in domain.holes() {
        let logarithm = ComplexPower::new(hole.center, 0.0)?.scaled(hole.radius)?;
        factors.push(Arc::new(logarithm.times_log()));
        factors.extend(laurent_terms(&hole, terms)?);
    }
    Ok(factors)
}

/// How many terms each disc of a hole gets: the first all of them, the others half.
fn shares(hole: &Hole, terms: usize) -> impl Iterator<Item = ([f64; 2], f64, usize)> + '_ {
    let discs = hole.discs.iter().enumerate();
    discs.map(move |(k, &(center, radius))| {
        let own = if k == 0 { terms } else { terms.div_ceil(2) };
        (center, radius, own)
    })
}

/// The real and imaginary parts of ζ⁻¹, …, ζ⁻ⁿ around the discs of a hole.
fn laurent_terms(hole: &Hole, terms: usize) -> Result<Vec<Arc<dyn Factor>>, SolveError> {
    let mut factors: Vec<Arc<dyn Factor>> = Vec::new();
    for (center, radius, own) in shares(hole, terms) {
        for n in 1..=own {
            let power = ComplexPower::new(center, -(n as f64))?.scaled(radius)?;
            let pair = power.pair();
            factors.extend(pair.map(|part| Arc::new(part) as Arc<dyn Factor>));
        }
    }
    Ok(factors)
}

/// Bounded harmonic functions outside of obstacles: 1, the Laurent terms of every hole, and the difference between its
/// logarithm and that of the first; `None` without holes.
///
/// # Errors
/// Numbers that are not finite.
pub fn bounded_functions(
    domain: &dyn Domain,
    terms: usize,
) -> Result<Option<Weighted>, SolveError> {
    let holes = domain.holes();
    let Some(first) = holes.first() else {
        return Ok(None);
    };
    let mut factors: Vec<Arc<dyn Factor>> = vec![Arc::new(ComplexPower::new(first.center, 0.0)?)];
    for (k, hole) in holes.iter().enumerate() {
        if k > 0 {
            let ([a, b], [c, d]) = (hole.center, first.center);
            let square = |x: &[Taylor], [a, b]: [f64; 2]| (&x[0] - a).powi(2) + (&x[1] - b).powi(2);
            let ratio = SmoothFactor::new(2, move |x| {
                0.5 * (square(x, [a, b]).ln() - square(x, [c, d]).ln())
            });
            factors.push(Arc::new(ratio));
        }
        factors.extend(laurent_terms(hole, terms)?);
    }
    alone(factors)
}

/// Y_n(kr) cos nθ and sin nθ around every hole, n = 0, …, `orders`: what Laurent terms are to Laplace's equation, for
/// Δu + k²u = 0.
///
/// # Errors
/// A wave number that is not positive and finite.
pub fn hole_waves(
    domain: &dyn Domain,
    wave_number: f64,
    orders: usize,
) -> Result<Vec<CylinderBasis>, SolveError> {
    let mut waves = Vec::new();
    for hole in domain.holes() {
        for (center, radius, own) in shares(&hole, orders) {
            waves.push(CylinderBasis::singular(center, wave_number, own, radius)?);
        }
    }
    Ok(waves)
}

/// Waves that leave the holes of a domain, as bases of the real and of the imaginary part of Σ cₙ H_n⁽¹⁾(kr) e^{±inθ}: the
/// coefficients of both are the same.
///
/// # Errors
/// A wave number that is not positive and finite.
pub fn outgoing_waves(
    domain: &dyn Domain,
    wave_number: f64,
    orders: usize,
) -> Result<Vec<[CylinderBasis; 2]>, SolveError> {
    let mut waves = Vec::new();
    for hole in domain.holes() {
        for (center, radius, own) in shares(&hole, orders) {
            waves.push(CylinderBasis::outgoing(center, wave_number, own, radius)?);
        }
    }
    Ok(waves)
}

/// The [hole factors](hole_factors) alone as a basis, to be joined to smooth features; `None` without holes.
///
/// # Errors
/// Numbers that are not finite.
pub fn hole_functions(domain: &dyn Domain, terms: usize) -> Result<Option<Weighted>, SolveError> {
    alone(hole_factors(domain, terms)?)
}

/// Re and Im of ζᵏ, k = 0, …, n = `degree`, around the middle of a domain of the plane, as a basis; `None` in other
/// dimensions.
///
/// For Laplace's equation these few columns do what many waves do: what is left of a solution when the functions of
/// corners and holes are taken out is a power series in ζ that converges up to the nearest mirror image of a hole.
///
/// # Errors
/// Numbers that are not finite.
pub fn harmonic_polynomials(
    domain: &dyn Domain,
    degree: usize,
) -> Result<Option<Weighted>, SolveError> {
    let bounds = domain.bounding_box()?;
    let ([left, bottom], [right, top]) = (bounds.lo(), bounds.hi()) else {
        return Ok(None);
    };
    let center = [0.5 * (left + right), 0.5 * (bottom + top)];
    let scale = 0.5 * (right - left).hypot(top - bottom);
    let power = |exponent: f64| ComplexPower::new(center, exponent)?.scaled(scale);
    let mut factors: Vec<Arc<dyn Factor>> = vec![Arc::new(power(0.0)?)];
    for k in 1..=degree {
        let pair = power(k as f64)?.pair();
        factors.extend(pair.map(|part| Arc::new(part) as Arc<dyn Factor>));
    }
    alone(factors)
}

fn alone(factors: Vec<Arc<dyn Factor>>) -> Result<Option<Weighted>, SolveError> {
    if factors.is_empty() {
        return Ok(None);
    }
    Ok(Some(Weighted::functions(factors)?))
}
