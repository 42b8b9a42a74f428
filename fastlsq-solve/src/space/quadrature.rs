//! Points and weights for integrals over domains.
//!
//! Products of Gauss–Legendre rules on boxes, of trapezoidal rules along periodic axes (exact for
//! trigonometric polynomials), polar rules on discs, balls and whatever in the plane is seen whole from its middle; on any other
//! domain many quasi-random points of equal weight.

use crate::domain::{BoundingBox, Domain, UnitSampler, checked_interior};
use fastlsq_basis::legendre::value_and_slope;
use ndarray::Array2;
use std::f64::consts::PI;

use super::{SpaceError, polar};

/// A rule ∫ f ≈ Σ wᵢ f(xᵢ).
#[derive(Debug, Clone)]
pub struct Quadrature {
    /// xᵢ, one row per point.
    pub points: Array2<f64>,
    /// wᵢ > 0.
    pub weights: Vec<f64>,
}

/// How many quasi-random points stand for one point of a product rule: their sums converge slowly.
const QUASI_RANDOM_SHARE: usize = 2;

impl Quadrature {
    /// A rule on the domain with about `per_axis` points along each axis, exactly periodic along the
    /// axes that are.
    ///
    /// # Errors
    /// A domain that cannot be sampled.
    pub(super) fn on(
        domain: &dyn Domain,
        periodic: &[bool],
        per_axis: usize,
        seed: u64,
    ) -> Result<Self, SpaceError> {
        let bounds = domain.bounding_box()?;
        let dim = bounds.dim();
        // A domain that fills its bounding box is a box; one that fills its inscribed ellipsoid with
        // a single wall is a ball. Both can be told from volume and corners, whatever their type.
        if fills(domain, &bounds)? {
            let rules: Vec<Line> = (0..dim)
                .map(|axis| {
                    let (lo, hi) = (bounds.lo()[axis], bounds.hi()[axis]);
                    if periodic.get(axis).copied().unwrap_or(false) {
                        Line::trapezoidal(lo, hi, per_axis)
                    } else {
                        Line::gauss(lo, hi, per_axis)
                    }
                })
                .collect();
            return Ok(product(&rules));
        }
        if let Some(polar) = polar::rule(domain, &bounds, per_axis)? {
            return Ok(polar);
        }
        let count =
            QUASI_RANDOM_SHARE * per_axis.saturating_pow(u32::try_from(dim).unwrap_or(u32::MAX));
        let mut sampler = UnitSampler::on_stream(crate::domain::Sequence::Halton, seed, 91);
        let points = checked_interior(domain, count, &mut sampler)?;
        let weight = domain.volume()? / points.nrows().max(1) as f64;
        Ok(Self {
            weights: vec![weight; points.nrows()],
            points,
        })
    }
}

/// A rule on a line.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) nodes: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

impl Line {
    /// Gauss–Legendre.
    pub(super) fn gauss(lo: f64, hi: f64, count: usize) -> Self {
        let (centre, half) = (0.5 * (lo + hi), 0.5 * (hi - lo));
        let mut nodes = vec![0.0; count];
        let mut weights = vec![0.0; count];
        for i in 0..count {
            // Newton's iteration from Tricomi's approximation of the zeros of P_n.
            let n = count as f64;
            let mut x = (PI * (i as f64 + 0.75) / (n + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..10 {
                let (value, derivative) = value_and_slope(count, x);
                slope = derivative;
                let change = value / derivative;
                x -= change;
                if change.abs() <= f64::EPSILON * x.abs() {
                    slope = value_and_slope(count, x).1;
                    break;
                }
            }
            // The zeros come in falling order.
            let place = count - 1 - i;
            nodes[place] = centre + half * x;
            weights[place] = half * 2.0 / ((1.0 - x * x) * slope * slope);
        }
        Self { nodes, weights }
    }

    /// Equidistant points of one period.
    pub(super) fn trapezoidal(lo: f64, hi: f64, count: usize) -> Self {
        let step = (hi - lo) / count.max(1) as f64;
        Self {
            nodes: (0..count).map(|i| lo + step * i as f64).collect(),
            weights: vec![step; count],
        }
    }
}

/// The product of rules along the axes.
fn product(rules: &[Line]) -> Quadrature {
    let count = rules.iter().map(|rule| rule.nodes.len()).product();
    let mut points = Array2::zeros((count, rules.len()));
    let mut weights = vec![1.0; count];
    for (i, weight) in weights.iter_mut().enumerate() {
        let mut rest = i;
        for (axis, rule) in rules.iter().enumerate() {
            let k = rest % rule.nodes.len();
            rest /= rule.nodes.len();
            points[(i, axis)] = rule.nodes[k];
            *weight *= rule.weights[k];
        }
    }
    Quadrature { points, weights }
}

/// Whether a domain is a box, whatever its type.
///
/// # Errors
/// A domain without a volume or a bounding box.
pub fn is_box(domain: &dyn Domain) -> Result<bool, SpaceError> {
    fills(domain, &domain.bounding_box()?)
}

/// Whether a domain fills its bounding box.
pub(super) fn fills(domain: &dyn Domain, bounds: &BoundingBox) -> Result<bool, SpaceError> {
    let dim = bounds.dim();
    if dim > 16 {
        return Ok(false);
    }
    let full = (domain.volume()? / bounds.volume() - 1.0).abs() < 1e-12;
    let corners = (0..1_usize << dim).all(|corner| {
        let point: Vec<f64> = (0..dim)
            .map(|axis| {
                if corner >> axis & 1 == 1 {
                    bounds.hi()[axis]
                } else {
                    bounds.lo()[axis]
                }
            })
            .collect();
        domain.contains(&point)
    });
    Ok(full && corners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, BoxDomain, Interval};

    fn integral(rule: &Quadrature, f: impl Fn(&[f64]) -> f64) -> f64 {
        rule.points
            .rows()
            .into_iter()
            .zip(&rule.weights)
            .map(|(x, w)| w * f(&x.to_vec()))
            .sum()
    }

    #[test]
    fn gauss_rules_are_exact_for_their_degree() {
        for count in [1, 2, 5, 20, 64, 300] {
            let line = Line::gauss(-1.0, 1.0, count);
            let total: f64 = line.weights.iter().sum();
            assert!((total - 2.0).abs() < 1e-13, "{count}");
            let degree = 2 * count as i32 - 2;
            let sum: f64 = line
                .nodes
                .iter()
                .zip(&line.weights)
                .map(|(x, w)| w * x.powi(degree))
                .sum();
            assert!((sum - 2.0 / f64::from(degree + 1)).abs() < 1e-13, "{count}");
            assert!(line.nodes.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn rules_know_boxes_and_balls() {
        let interval = Quadrature::on(&Interval::new(1.0, 3.0).unwrap(), &[false], 12, 0).unwrap();
        assert!(
            (integral(&interval, |x| x[0].exp()) - (3.0_f64.exp() - 1.0_f64.exp())).abs() < 1e-12
        );
        let cube = Quadrature::on(&BoxDomain::unit(3), &[false; 3], 8, 0).unwrap();
        assert!(
            (integral(&cube, |x| x[0] * x[1].powi(2) * x[2].powi(3)) - 1.0 / 24.0).abs() < 1e-14
        );
        let disc =
            Quadrature::on(&Ball::new(&[1.0, 2.0], 2.0).unwrap(), &[false; 2], 20, 0).unwrap();
        // ∫ (x − 1)⁴ = π r⁶/8.
        assert!((integral(&disc, |x| (x[0] - 1.0).powi(4)) - 8.0 * PI).abs() < 1e-11);
        let ball = Quadrature::on(&Ball::unit(3), &[false; 3], 16, 0).unwrap();
        assert!(
            (integral(&ball, |x| x[2].powi(2) * x[0].powi(2)) - 4.0 * PI / 105.0).abs() < 1e-13
        );
        // Periodic along x only: exact for trigonometric polynomials there.
        let strip = Quadrature::on(&BoxDomain::unit(2), &[true, false], 10, 0).unwrap();
        let wave = integral(&strip, |x| (6.0 * PI * x[0]).cos().powi(2) * x[1]);
        assert!((wave - 0.25).abs() < 1e-14);
    }
}
