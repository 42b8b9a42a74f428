//! The zero level in the plane as closed curves.

use super::level::{Level, zero_between};
use crate::domain::curve::Path;
use crate::domain::outline::distance;
use crate::domain::{BoundingBox, Curve, DomainError, Outline};
use ndarray::Array2;
use std::sync::Arc;

/// Cells along each axis in which signs are compared.
const CELLS: usize = 160;

/// The loops of the zero level, the inside on their left.
pub(super) fn outline(bounds: &BoundingBox, level: &Level) -> Result<Outline, DomainError> {
    let grid = Grid::new(bounds, level)?;
    let mut curves = Vec::new();
    for vertices in grid.loops()? {
        let path = Traced {
            level: level.clone(),
            vertices,
        };
        let curve = Curve::on(Arc::new(path))?;
        let area = Outline::new([("loop", curve.clone())])?.area();
        curves.push((area, curve));
    }
    let outer = curves.iter().filter(|(area, _)| *area > 0.0).count();
    let (mut outers, mut holes) = (0, 0);
    let named = curves.into_iter().map(|(area, curve)| {
        let name = if area < 0.0 {
            holes += 1;
            format!("hole {holes}")
        } else if outer == 1 {
            "outer".to_owned()
        } else {
            outers += 1;
            format!("outer {outers}")
        };
        (name, curve)
    });
    Outline::new(named)
}

/// Levels at the nodes of a grid.
struct Grid<'a> {
    bounds: &'a BoundingBox,
    level: &'a Level,
    values: Vec<f64>,
}

/// An edge of the grid: 2 × its lower node, plus one if it is vertical.
type Edge = usize;

impl<'a> Grid<'a> {
    fn new(bounds: &'a BoundingBox, level: &'a Level) -> Result<Self, DomainError> {
        let mut grid = Self {
            bounds,
            level,
            values: Vec::new(),
        };
        let nodes = (CELLS + 1) * (CELLS + 1);
        let all: Vec<[f64; 2]> = (0..nodes).map(|node| grid.node(node)).collect();
        grid.values = level.checked(&Array2::from(all))?;
        if !grid.values.iter().any(|value| *value < 0.0) {
            return Err(DomainError::EmptyShape);
        }
        let on_border = |node: usize| {
            let (i, j) = (node % (CELLS + 1), node / (CELLS + 1));
            i == 0 || j == 0 || i == CELLS || j == CELLS
        };
        match (0..nodes).find(|&node| on_border(node) && grid.values[node] < 0.0) {
            None => Ok(grid),
            Some(node) => Err(DomainError::BoundsTooSmall {
                point: grid.node(node).to_vec(),
                value: grid.values[node],
            }),
        }
    }

    fn node(&self, node: usize) -> [f64; 2] {
        let at = |axis: usize, k: usize| {
            let (lo, hi) = (self.bounds.lo()[axis], self.bounds.hi()[axis]);
            lo + (hi - lo) * k as f64 / CELLS as f64
        };
        [at(0, node % (CELLS + 1)), at(1, node / (CELLS + 1))]
    }

    fn size(&self) -> f64 {
        self.bounds.extents().fold(0.0, f64::max)
    }

    /// A slope that is typical of the level: its largest value over the size of the bounds.
    fn usual_slope(&self) -> f64 {
        self.values.iter().fold(0.0, |max: f64, v| max.max(v.abs())) / self.size()
    }

    /// Closed chains of points on the zero level.
    fn loops(&self) -> Result<Vec<Vec<[f64; 2]>>, DomainError> {
        let mut next: Vec<Option<Edge>> = vec![None; 2 * self.values.len()];
        for j in 0..CELLS {
            for i in 0..CELLS {
                self.link(j * (CELLS + 1) + i, &mut next);
            }
        }
        let mut loops = Vec::new();
        for start in 0..next.len() {
            let mut ring: Vec<[f64; 2]> = Vec::new();
            let mut here = start;
            while let Some(following) = next[here].take() {
                let vertex = self.crossing(here);
                // Where the level is zero at a node, several edges have their zero there.
                if ring
                    .last()
                    .is_none_or(|last| distance(*last, vertex) > 1e-9 * self.size())
                {
                    ring.push(vertex);
                }
                here = following;
            }
            while ring.len() > 1 && distance(ring[0], ring[ring.len() - 1]) <= 1e-9 * self.size() {
                ring.pop();
            }
            if ring.len() > 2 {
                for vertex in &ring {
                    self.level.normal(vertex, self.usual_slope())?;
                }
                loops.push(ring);
            }
        }
        if loops.is_empty() {
            return Err(DomainError::EmptyShape);
        }
        Ok(loops)
    }

    /// Links the edges of the cell above and to the right of a node that the zero level enters and leaves by.
    fn link(&self, node: usize, next: &mut [Option<Edge>]) {
        // Corners and the edges after them, counter-clockwise from the lower left.
        let corners = [node, node + 1, node + CELLS + 2, node + CELLS + 1];
        let edges = [
            2 * node,
            2 * (node + 1) + 1,
            2 * (node + CELLS + 1),
            2 * node + 1,
        ];
        let inside = corners.map(|corner| self.values[corner] < 0.0);
        // With the inside on its left the level enters where the inside ends, and leaves where it begins again.
        let enters = |k: usize| inside[k] && !inside[(k + 1) % 4];
        let leaves = |k: usize| !inside[k] && inside[(k + 1) % 4];
        let entries = (0..4).filter(|&k| enters(k));
        let saddle = entries.clone().count() == 2;
        for entry in entries {
            let exit = if saddle {
                let [a, b] = [self.node(corners[0]), self.node(corners[2])];
                let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
                let joined = self.level.value(&middle) < 0.0;
                Some(if joined {
                    (entry + 1) % 4
                } else {
                    (entry + 3) % 4
                })
            } else {
                (0..4).find(|&k| leaves(k))
            };
            if let Some(exit) = exit {
                next[edges[entry]] = Some(edges[exit]);
            }
        }
    }

    /// Where the level is zero on an edge.
    fn crossing(&self, edge: Edge) -> [f64; 2] {
        let (first, vertical) = (edge / 2, edge % 2 == 1);
        let second = if vertical {
            first + CELLS + 1
        } else {
            first + 1
        };
        let (a, b) = (self.node(first), self.node(second));
        let at = |t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
        let ends = ((0.0, self.values[first]), (1.0, self.values[second]));
        at(zero_between(ends.0, ends.1, |t| self.level.value(&at(t))))
    }
}

/// The zero level beside the chords between points on it.
#[derive(Debug)]
struct Traced {
    level: Level,
    vertices: Vec<[f64; 2]>,
}

impl Traced {
    /// How far from the chord point p the level is zero in the direction n, and its gradient there.
    fn height(&self, p: [f64; 2], n: [f64; 2], reach: f64) -> (f64, [f64; 2]) {
        let mut slopes = [0.0; 2];
        let mut height = 0.0;
        for _ in 0..30 {
            let value = self
                .level
                .gradient(&[p[0] + height * n[0], p[1] + height * n[1]], &mut slopes);
            let step = value / (slopes[0] * n[0] + slopes[1] * n[1]);
            if !step.is_finite() || (height - step).abs() > reach {
                break;
            }
            height -= step;
            if step.abs() <= 1e-15 * (reach + p[0].abs() + p[1].abs()) {
                return (height, slopes);
            }
        }
        // Newton's method went astray: look for a change of sign around the chord.
        let at = |h: f64| self.level.value(&[p[0] + h * n[0], p[1] + h * n[1]]);
        let steps = 32;
        let place = |k: i32| reach * f64::from(k) / f64::from(steps);
        let mut best: Option<f64> = None;
        for k in -steps..steps {
            let (a, b) = (place(k), place(k + 1));
            let (fa, fb) = (at(a), at(b));
            if (fa < 0.0) != (fb < 0.0) {
                let zero = zero_between((a, fa), (b, fb), at);
                if best.is_none_or(|known| zero.abs() < known.abs()) {
                    best = Some(zero);
                }
            }
        }
        let height = best.unwrap_or(0.0);
        self.level
            .gradient(&[p[0] + height * n[0], p[1] + height * n[1]], &mut slopes);
        (height, slopes)
    }
}

impl Path for Traced {
    fn at(&self, t: f64) -> ([f64; 2], [f64; 2]) {
        let count = self.vertices.len();
        let scaled = t.clamp(0.0, 1.0) * count as f64;
        let panel = (scaled as usize).min(count - 1);
        let share = scaled - panel as f64;
        let (a, b) = (self.vertices[panel], self.vertices[(panel + 1) % count]);
        let chord = [b[0] - a[0], b[1] - a[1]];
        let length = chord[0].hypot(chord[1]);
        let normal = [chord[1] / length, -chord[0] / length];
        let p = [a[0] + share * chord[0], a[1] + share * chord[1]];
        let (height, slopes) = self.height(p, normal, length);
        // φ(p + h n) = 0 along the chord: h′ = −∇φ·chord / ∇φ·n.
        let slope = -(slopes[0] * chord[0] + slopes[1] * chord[1])
            / (slopes[0] * normal[0] + slopes[1] * normal[1]);
        let slope = if slope.is_finite() { slope } else { 0.0 };
        let velocity = |k: usize| count as f64 * (chord[k] + slope * normal[k]);
        (
            [p[0] + height * normal[0], p[1] + height * normal[1]],
            [velocity(0), velocity(1)],
        )
    }

    fn panels(&self) -> usize {
        self.vertices.len()
    }
}
