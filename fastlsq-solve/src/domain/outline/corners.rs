//! Where the boundary of a domain in the plane turns.

use super::{GAP, Outline, distance};
use std::f64::consts::PI;

/// A turn of less than this angle does not count.
const STRAIGHT: f64 = 1e-6;

/// A point where the boundary turns, or where one part of it ends and another begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// Where it is.
    pub position: [f64; 2],
    /// The opening angle ω of the domain, 0 < ω ≤ 2π: π/2 at the corner of a square, 3π/2 where an L re-enters, π on a
    /// straight side where its part changes.
    pub angle: f64,
    /// The direction of the side that leaves the corner with the domain on its left: the domain lies between this angle
    /// and this angle plus ω.
    pub direction: f64,
    /// The names of the part that arrives at the corner and of the part that leaves it.
    pub parts: [String; 2],
}

impl Corner {
    /// The direction into the domain, half way between the sides.
    #[must_use]
    pub fn bisector(&self) -> f64 {
        self.direction + 0.5 * self.angle
    }
}

impl Outline {
    /// For each curve, the curve that begins where it ends. Where several do, the one with the domain between the two.
    pub(super) fn successors(&self) -> Vec<Option<usize>> {
        let reach = GAP * self.size();
        let starts: Vec<_> = self.curves().map(super::Curve::start).collect();
        self.curves()
            .map(|curve| {
                let (end, arriving) = curve.end();
                let near = (0..starts.len()).filter(|&k| distance(starts[k].0, end) <= reach);
                let angle = |k: &usize| opening(arriving, starts[*k].1);
                near.min_by(|a, b| angle(a).total_cmp(&angle(b)))
            })
            .collect()
    }

    /// The corners, in the order of the curves that arrive at them.
    #[must_use]
    pub fn corners(&self) -> Vec<Corner> {
        let next = self.successors();
        let mut corners = Vec::new();
        for ((part, curve), next) in self.numbered().iter().zip(next) {
            let Some((next_part, next)) = next.and_then(|k| self.numbered().get(k)) else {
                continue;
            };
            let ((_, arriving), (position, leaving)) = (curve.end(), next.start());
            let angle = opening(arriving, leaving);
            let name = |part: &usize| self.names().get(*part).cloned().unwrap_or_default();
            let parts = [name(part), name(next_part)];
            if (angle - PI).abs() < STRAIGHT && parts[0] == parts[1] {
                continue;
            }
            corners.push(Corner {
                position,
                angle,
                direction: leaving[1].atan2(leaving[0]),
                parts,
            });
        }
        corners
    }
}

/// The angle on the left between a curve that arrives and one that leaves, in (0, 2π].
fn opening(arriving: [f64; 2], leaving: [f64; 2]) -> f64 {
    let cross = arriving[0] * leaving[1] - arriving[1] * leaving[0];
    let dot = arriving[0] * leaving[0] + arriving[1] * leaving[1];
    // A curve that turns back encloses nothing: a slit, not a spike.
    let turn = cross.atan2(dot);
    if turn > PI - STRAIGHT {
        2.0 * PI
    } else {
        PI - turn
    }
}
