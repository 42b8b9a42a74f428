//! What the boundary of a domain in the plane goes around.

use super::{Outline, distance};

/// Points along each curve of a hole that stand for it.
const SAMPLES: usize = 256;
/// Points along each side of the box around a hole where its centre is looked for.
const GRID: usize = 24;

/// A hole of a domain in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// A point well inside the hole.
    pub center: [f64; 2],
    /// Its distance from the hole's boundary.
    pub radius: f64,
    /// Discs inside the hole that together nearly fill it, centre and radius; the one above is the first, and the only one
    /// of a round hole.
    pub discs: Vec<([f64; 2], f64)>,
    /// The names of the parts around the hole.
    pub parts: Vec<String>,
}

/// The most discs that fill a hole.
const MOST_DISCS: usize = 12;
/// Discs smaller than this share of the first are left out.
const SMALLEST_DISC: f64 = 0.2;

impl Outline {
    /// The holes: closed chains of curves that run clockwise.
    #[must_use]
    pub fn holes(&self) -> Vec<Hole> {
        let next = self.successors();
        let mut seen = vec![false; next.len()];
        let mut holes = Vec::new();
        for first in 0..next.len() {
            let (mut chain, mut here) = (Vec::new(), Some(first));
            while let Some(curve) = here.filter(|&k| !seen[k]) {
                seen[curve] = true;
                chain.push(curve);
                here = next[curve];
            }
            if let Some(hole) = self.hole(&chain) {
                holes.push(hole);
            }
        }
        holes
    }

    /// The hole that a chain of curves goes around, if it does so clockwise.
    fn hole(&self, chain: &[usize]) -> Option<Hole> {
        let mut ring = Vec::new();
        let mut parts: Vec<String> = Vec::new();
        for &index in chain {
            let (part, curve) = self.numbered().get(index)?;
            let steps = if curve.panels() == 1 { 16 } else { SAMPLES };
            let at = |k: usize| curve.at(curve.length() * k as f64 / steps as f64).0;
            ring.extend((0..steps).map(at));
            let name = self.names().get(*part)?;
            if !parts.contains(name) {
                parts.push(name.clone());
            }
        }
        let (area, centroid) = centroid(&ring)?;
        if area >= 0.0 {
            return None;
        }
        let clearance = |p: [f64; 2]| {
            ring.iter()
                .map(|q| distance(p, *q))
                .fold(f64::INFINITY, f64::min)
        };
        let bound = |axis: usize, sign: f64| {
            let along = ring.iter().map(|p| sign * p[axis]);
            sign * along.fold(f64::NEG_INFINITY, f64::max)
        };
        let (lo, hi) = (
            [bound(0, -1.0), bound(1, -1.0)],
            [bound(0, 1.0), bound(1, 1.0)],
        );
        let node = |k: usize| {
            let share = |axis: usize, digit: usize| {
                lo[axis] + (hi[axis] - lo[axis]) * (digit as f64 + 0.5) / GRID as f64
            };
            [share(0, k % GRID), share(1, k / GRID)]
        };
        let inside = |p: &[f64; 2]| winds(&ring, *p);
        let nodes: Vec<[f64; 2]> = (0..GRID * GRID).map(node).filter(inside).collect();
        let deepest = nodes
            .iter()
            .copied()
            .max_by(|a, b| clearance(*a).total_cmp(&clearance(*b)));
        // The centroid where it is nearly as deep: it is the exact centre of a symmetric hole.
        let centroid = Some(centroid).filter(inside);
        let center = match (centroid, deepest) {
            (Some(c), Some(d)) if clearance(c) < 0.7 * clearance(d) => d,
            (Some(c), _) => c,
            (None, d) => d?,
        };
        let radius = clearance(center);
        let mut discs = vec![(center, radius)];
        while discs.len() < MOST_DISCS {
            // The largest disc whose centre lies in no other.
            let free = |p: &&[f64; 2]| discs.iter().all(|(c, r)| distance(**p, *c) > *r);
            let next = nodes.iter().filter(free).map(|p| (*p, clearance(*p)));
            match next.max_by(|a, b| a.1.total_cmp(&b.1)) {
                Some(next) if next.1 > SMALLEST_DISC * radius => discs.push(next),
                _ => break,
            }
        }
        Some(Hole {
            center,
            radius,
            discs,
            parts,
        })
    }
}

/// Signed area and centroid of a polygon.
fn centroid(ring: &[[f64; 2]]) -> Option<(f64, [f64; 2])> {
    let origin = *ring.first()?;
    let (mut area, mut moment) = (0.0, [0.0; 2]);
    for (p, q) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        let (a, b) = (p[0] - origin[0], p[1] - origin[1]);
        let (c, d) = (q[0] - origin[0], q[1] - origin[1]);
        let cross = 0.5 * (a * d - b * c);
        area += cross;
        moment[0] += cross * (a + c) / 3.0;
        moment[1] += cross * (b + d) / 3.0;
    }
    Some((
        area,
        [origin[0] + moment[0] / area, origin[1] + moment[1] / area],
    ))
}

/// Whether a polygon goes around a point.
fn winds(ring: &[[f64; 2]], p: [f64; 2]) -> bool {
    let pairs = ring.iter().zip(ring.iter().cycle().skip(1));
    let crossings = pairs.filter(|(a, b)| {
        (a[1] > p[1]) != (b[1] > p[1])
            && p[0] < a[0] + (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1])
    });
    crossings.count() % 2 == 1
}
