//! Rules in polar coordinates: balls, and domains of the plane that are seen whole from their middle.

use crate::domain::{BoundingBox, Domain, Sequence, UnitSampler, checked_interior};
use ndarray::Array2;
use std::f64::consts::PI;

use super::SpaceError;
use super::quadrature::{Line, Quadrature};

/// Rays along which it is checked whether a domain is seen whole, and places on each.
const LOOKS: usize = 12;
/// Points whose mean is the middle, where that of the bounding box does not serve.
const MIDDLE: usize = 500;
/// How far area by the rule and area of the domain may differ: the latter may be an estimate.
const AREA: f64 = 5e-3;

/// A rule that is exact for products of two polynomials of degree below `per_axis` on a ball, and accurate beyond all
/// powers on smooth domains that are star-shaped; `None` for other domains.
pub(super) fn rule(
    domain: &dyn Domain,
    bounds: &BoundingBox,
    per_axis: usize,
) -> Result<Option<Quadrature>, SpaceError> {
    let pairs = || bounds.lo().iter().zip(bounds.hi());
    let half: Vec<f64> = pairs().map(|(lo, hi)| 0.5 * (hi - lo)).collect();
    let centre: Vec<f64> = pairs().map(|(lo, hi)| 0.5 * (lo + hi)).collect();
    if is_ball(domain, &half, &centre)? {
        return ball(half[0], &centre, per_axis).map(Some);
    }
    let (&[x, y], &[a, b]) = (&centre[..], &half[..]) else {
        return Ok(None);
    };
    let found = star(domain, [x, y], 2.0 * a.hypot(b), (per_axis, 1))?;
    if found.is_some() {
        return Ok(found);
    }
    let mut sampler = UnitSampler::on_stream(Sequence::Halton, 0, 95);
    let inside = checked_interior(domain, MIDDLE, &mut sampler)?;
    let mean = |k: usize| inside.column(k).sum() / inside.nrows().max(1) as f64;
    star(domain, [mean(0), mean(1)], 2.0 * a.hypot(b), (per_axis, 1))
}

/// A rule around a corner of a domain of the plane that is seen whole from there: with r = R(θ)ρ³ it integrates powers
/// of r^{1/3} too, and fractional powers better than any other.
pub(super) fn corner_rule(
    domain: &dyn Domain,
    bounds: &BoundingBox,
    position: [f64; 2],
    per_axis: usize,
) -> Result<Option<Quadrature>, SpaceError> {
    let reach = bounds.extents().map(|e| e * e).sum::<f64>().sqrt();
    star(domain, position, reach, (per_axis, 3))
}

fn is_ball(domain: &dyn Domain, half: &[f64], centre: &[f64]) -> Result<bool, SpaceError> {
    let dim = half.len();
    let radius = half[0];
    let round = half.iter().all(|h| (h / radius - 1.0).abs() < 1e-12);
    let measure = match dim {
        2 => PI * radius * radius,
        3 => 4.0 / 3.0 * PI * radius.powi(3),
        _ => return Ok(false),
    };
    let whole = domain.parts().len() == 1 && (domain.volume()? / measure - 1.0).abs() < 1e-12;
    // A ball holds the points just inside its sphere and not those just outside, in any direction.
    let diagonal = |share: f64| {
        let step = share * radius / (dim as f64).sqrt();
        let point: Vec<f64> = centre.iter().map(|c| c + step).collect();
        domain.contains(&point)
    };
    Ok(round && whole && diagonal(1.0 - 1e-9) && !diagonal(1.0 + 1e-9))
}

fn ball(radius: f64, centre: &[f64], per_axis: usize) -> Result<Quadrature, SpaceError> {
    let around = Line::trapezoidal(0.0, 2.0 * PI, 2 * per_axis);
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    if let &[x, y] = centre {
        // Means over circles are polynomials in s = r², and r dr = ½ ds.
        let squares = Line::gauss(0.0, radius * radius, per_axis.div_ceil(2) + 4);
        for (s, ws) in squares.nodes.iter().zip(&squares.weights) {
            for (angle, wa) in around.nodes.iter().zip(&around.weights) {
                let (sin, cos) = angle.sin_cos();
                points.extend([x + s.sqrt() * cos, y + s.sqrt() * sin]);
                weights.push(0.5 * ws * wa);
            }
        }
    } else {
        let radii = Line::gauss(0.0, radius, per_axis + 2);
        let heights = Line::gauss(-1.0, 1.0, per_axis);
        for (r, wr) in radii.nodes.iter().zip(&radii.weights) {
            for (z, wz) in heights.nodes.iter().zip(&heights.weights) {
                for (angle, wa) in around.nodes.iter().zip(&around.weights) {
                    let flat = r * (1.0 - z * z).sqrt();
                    let (sin, cos) = angle.sin_cos();
                    points.extend([
                        centre[0] + flat * cos,
                        centre[1] + flat * sin,
                        centre[2] + r * z,
                    ]);
                    weights.push(wr * wz * wa * r * r);
                }
            }
        }
    }
    assembled(points, weights, centre.len())
}

/// ∫₀^{2π} ∫₀^{R(θ)} f r dr dθ, with R(θ) by bisection: equal angles where the boundary is smooth, Gauss' rule between
/// corners; radii are R(θ) times powers of Gauss' points.
fn star(
    domain: &dyn Domain,
    [x, y]: [f64; 2],
    reach: f64,
    (per_axis, power): (usize, i32),
) -> Result<Option<Quadrature>, SpaceError> {
    let inside = |r: f64, angle: f64| {
        let (sin, cos) = angle.sin_cos();
        domain.contains(&[x + r * cos, y + r * sin])
    };
    if !domain.holes().is_empty() || !inside(0.0, 0.0) {
        return Ok(None);
    }
    let radius = |angle: f64| {
        let (mut lo, mut hi) = (0.0, 1.01 * reach);
        for _ in 0..60 {
            let middle = 0.5 * (lo + hi);
            if inside(middle, angle) {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        0.5 * (lo + hi)
    };
    for k in 0..LOOKS {
        let angle = 2.0 * PI * (k as f64 + 0.37) / LOOKS as f64;
        let r = radius(angle);
        let shares = (0..LOOKS).map(|j| (j as f64 + 0.5) / LOOKS as f64);
        let sound = (r <= 1e-9 * reach || shares.clone().all(|share| inside(share * r, angle)))
            && !shares
                .into_iter()
                .any(|share| inside(r + share * (1.01 * reach - r) + 1e-6 * reach, angle));
        if !sound {
            return Ok(None);
        }
    }
    let mut turns: Vec<f64> = domain
        .corners()
        .iter()
        .map(|corner| [corner.position[0] - x, corner.position[1] - y])
        .filter(|[a, b]| a.hypot(*b) > 1e-9 * reach)
        .map(|[a, b]| b.atan2(a))
        .collect();
    turns.sort_by(f64::total_cmp);
    turns.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
    let angles = match turns.first() {
        None => Line::trapezoidal(0.0, 2.0 * PI, 4 * per_axis),
        Some(first) => {
            let mut line = Line {
                nodes: Vec::new(),
                weights: Vec::new(),
            };
            let ends = turns.iter().skip(1).copied().chain([first + 2.0 * PI]);
            for (from, to) in turns.iter().zip(ends) {
                // A wide angle takes more points.
                let share = 0.4 + 0.9 * (to - from) / PI;
                let count = (per_axis as f64 * share) as usize + 8;
                let panel = Line::gauss(*from, to, count);
                line.nodes.extend(panel.nodes);
                line.weights.extend(panel.weights);
            }
            line
        }
    };
    let unit = Line::gauss(0.0, 1.0, (power as usize + 1) * per_axis / 2 + 2);
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for (angle, wa) in angles.nodes.iter().zip(&angles.weights) {
        let whole = radius(*angle);
        if whole <= 1e-9 * reach {
            continue;
        }
        let (sin, cos) = angle.sin_cos();
        for (rho, wr) in unit.nodes.iter().zip(&unit.weights) {
            let r = whole * rho.powi(power);
            points.extend([x + r * cos, y + r * sin]);
            weights.push(wa * wr * whole * f64::from(power) * rho.powi(power - 1) * r);
        }
    }
    let area: f64 = weights.iter().sum();
    if (area / domain.volume()? - 1.0).abs() > AREA {
        return Ok(None);
    }
    assembled(points, weights, 2).map(Some)
}

fn assembled(points: Vec<f64>, weights: Vec<f64>, dim: usize) -> Result<Quadrature, SpaceError> {
    let points = Array2::from_shape_vec((weights.len(), dim), points).map_err(|_| {
        SpaceError::Numerical {
            what: "a polar rule",
        }
    })?;
    Ok(Quadrature { points, weights })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ellipse, Polygon};

    #[test]
    fn moments_of_an_ellipse_and_of_a_polygon() {
        let moment = |rule: &Quadrature, f: &dyn Fn(f64, f64) -> f64| -> f64 {
            let rows = rule.points.rows().into_iter().zip(&rule.weights);
            rows.map(|(p, w)| w * f(p[0], p[1])).sum()
        };
        let ellipse = Ellipse::new([0.5, 0.0], [2.0, 1.0]).unwrap();
        let bounds = ellipse.bounding_box().unwrap();
        let found = rule(&ellipse, &bounds, 24).unwrap().unwrap();
        // ∫ (x − ½)² = π a³ b/4.
        assert!((moment(&found, &|x, _| (x - 0.5).powi(2)) - 2.0 * PI).abs() < 1e-11);
        let triangle = Polygon::new(&[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]).unwrap();
        let bounds = triangle.bounding_box().unwrap();
        let found = rule(&triangle, &bounds, 24).unwrap().unwrap();
        // ∫ xy over x + y ≤ 3 is 3⁴/24.
        assert!((moment(&found, &|x, y| x * y) - 81.0 / 24.0).abs() < 1e-9);
    }
}
