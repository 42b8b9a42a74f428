//! Where a curve runs, by any parameter.

use fastlsq_basis::Dual;
use std::fmt;
use std::sync::Arc;

/// A curve x(t), 0 ≤ t ≤ 1, smooth on `panels()` equal pieces of the parameter.
pub(crate) trait Path: fmt::Debug + Send + Sync {
    /// Position and velocity. At the border of two pieces, those of the later one.
    fn at(&self, t: f64) -> ([f64; 2], [f64; 2]);

    /// The pieces on which the curve is smooth.
    fn panels(&self) -> usize {
        1
    }

    /// Whether panels need no division to be integrated to rounding.
    fn is_straight(&self) -> bool {
        false
    }
}

/// From `from` to `to`.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) from: [f64; 2],
    pub(super) to: [f64; 2],
}

impl Path for Segment {
    fn at(&self, t: f64) -> ([f64; 2], [f64; 2]) {
        let velocity = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        // Exact at both ends.
        let along = |k: usize| (1.0 - t) * self.from[k] + t * self.to[k];
        ([along(0), along(1)], velocity)
    }

    fn is_straight(&self) -> bool {
        true
    }
}

pub(super) type Position = dyn Fn(Dual<1>) -> [Dual<1>; 2] + Send + Sync;

/// A closure, differentiated by dual numbers.
pub(super) struct Parametric {
    pub(super) position: Arc<Position>,
}

impl fmt::Debug for Parametric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parametric")
    }
}

impl Path for Parametric {
    fn at(&self, t: f64) -> ([f64; 2], [f64; 2]) {
        let [x, y] = (self.position)(Dual::variable(t, 0));
        ([x.value(), y.value()], [x.slope(0), y.slope(0)])
    }
}

/// s Q x + b in the plane: scaled, turned, shifted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanarMap {
    pub(crate) matrix: [[f64; 2]; 2],
    pub(crate) shift: [f64; 2],
    pub(crate) scale: f64,
}

impl PlanarMap {
    fn vector(&self, v: [f64; 2]) -> [f64; 2] {
        let row = |k: usize| self.matrix[k][0] * v[0] + self.matrix[k][1] * v[1];
        [row(0), row(1)]
    }
}

/// Another path, moved.
#[derive(Debug)]
pub(super) struct MovedPath {
    pub(super) path: Arc<dyn Path>,
    pub(super) map: PlanarMap,
}

impl Path for MovedPath {
    fn at(&self, t: f64) -> ([f64; 2], [f64; 2]) {
        let (position, velocity) = self.path.at(t);
        let position = self.map.vector(position);
        let shifted = [
            position[0] + self.map.shift[0],
            position[1] + self.map.shift[1],
        ];
        (shifted, self.map.vector(velocity))
    }

    fn panels(&self) -> usize {
        self.path.panels()
    }

    fn is_straight(&self) -> bool {
        self.path.is_straight()
    }
}
