//! Oriented curves in the plane, by length.

mod length;
mod path;

use super::DomainError;
use super::quadrature::gauss_legendre;
use fastlsq_basis::Dual;
use length::Lengths;
use path::{MovedPath, Parametric, Segment};
use std::fmt;
use std::sync::Arc;

pub(crate) use path::{Path, PlanarMap};

/// How far beside an end its tangent is taken, relative to the length: a kink may lie at the very end.
const BESIDE: f64 = 1e-12;

/// An oriented piece of a curve in the plane, parametrised by its length.
///
/// On the boundary of a domain the domain lies on the left.
#[derive(Clone)]
pub struct Curve {
    path: Arc<dyn Path>,
    lengths: Arc<Lengths>,
    /// The piece of the path, by length from its start.
    from: f64,
    to: f64,
    reversed: bool,
}

impl fmt::Debug for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curve")
            .field("start", &self.start().0)
            .field("end", &self.end().0)
            .field("length", &self.length())
            .finish_non_exhaustive()
    }
}

impl Curve {
    /// The straight line between two points.
    ///
    /// # Errors
    /// Unless the points are finite and distinct.
    pub fn segment(from: [f64; 2], to: [f64; 2]) -> Result<Self, DomainError> {
        Self::on(Arc::new(Segment { from, to }))
    }

    /// The curve x(t), 0 ≤ t ≤ 1, of a smooth function of the parameter, differentiated by dual numbers.
    ///
    /// ```
    /// use fastlsq_solve::domain::Curve;
    /// use std::f64::consts::{PI, TAU};
    /// let circle = Curve::parametric(|t| [(TAU * t).cos(), (TAU * t).sin()])?;
    /// assert!((circle.length() - TAU).abs() < 1e-12);
    /// let (position, tangent) = circle.at(0.5 * PI);
    /// assert!(position[0].abs() < 1e-9 && (tangent[0] + 1.0).abs() < 1e-9);
    /// # Ok::<(), fastlsq_solve::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// If the curve is not finite or has no length.
    pub fn parametric(
        position: impl Fn(Dual<1>) -> [Dual<1>; 2] + Send + Sync + 'static,
    ) -> Result<Self, DomainError> {
        Self::on(Arc::new(Parametric {
            position: Arc::new(position),
        }))
    }

    pub(crate) fn on(path: Arc<dyn Path>) -> Result<Self, DomainError> {
        let lengths = Lengths::of(&*path);
        let to = lengths.total();
        if !(to.is_finite() && to > 0.0) {
            return Err(DomainError::BadCurve { length: to });
        }
        Ok(Self {
            path,
            lengths: Arc::new(lengths),
            from: 0.0,
            to,
            reversed: false,
        })
    }

    /// The length.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.to - self.from
    }

    /// Position and unit tangent at a length from the start (the ends for lengths outside).
    #[must_use]
    pub fn at(&self, length: f64) -> ([f64; 2], [f64; 2]) {
        let s = length.clamp(0.0, self.length());
        self.along(if self.reversed {
            self.to - s
        } else {
            self.from + s
        })
    }

    /// Position and unit tangent at a length along the whole path, in the direction of the piece.
    fn along(&self, s: f64) -> ([f64; 2], [f64; 2]) {
        let s = s.clamp(0.0, self.lengths.total());
        let (position, [x, y]) = self.path.at(self.lengths.parameter(s));
        let speed = x.hypot(y) * if self.reversed { -1.0 } else { 1.0 };
        (position, [x / speed, y / speed])
    }

    /// The end that is reached last: position and tangent, as seen from the curve.
    #[must_use]
    pub fn end(&self) -> ([f64; 2], [f64; 2]) {
        let (position, tangent) = self.at(self.length());
        // The tangent of the panel that ends here, not of one that might begin.
        let (_, before) = self.at(self.length() * (1.0 - BESIDE));
        (position, if self.reversed { tangent } else { before })
    }

    /// The end that the curve starts from: position and tangent.
    #[must_use]
    pub fn start(&self) -> ([f64; 2], [f64; 2]) {
        let (position, tangent) = self.at(0.0);
        let (_, after) = self.at(self.length() * BESIDE);
        (position, if self.reversed { after } else { tangent })
    }

    /// The same points, traversed the other way.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            reversed: !self.reversed,
            ..self.clone()
        }
    }

    /// The piece between two lengths from the start, as far as there is one.
    #[must_use]
    pub fn piece(&self, start: f64, end: f64) -> Self {
        let (a, b) = (
            start.clamp(0.0, self.length()),
            end.clamp(0.0, self.length()),
        );
        let (from, to) = if self.reversed {
            (self.to - b, self.to - a)
        } else {
            (self.from + a, self.from + b)
        };
        Self {
            from,
            to: to.max(from),
            ..self.clone()
        }
    }

    pub(crate) fn moved(&self, map: PlanarMap) -> Self {
        Self {
            path: Arc::new(MovedPath {
                path: Arc::clone(&self.path),
                map,
            }),
            lengths: Arc::new(self.lengths.scaled(map.scale)),
            from: self.from * map.scale,
            to: self.to * map.scale,
            reversed: self.reversed,
        }
    }

    /// The number of pieces into which the path is cut for integrals.
    pub(crate) fn panels(&self) -> usize {
        self.lengths.panels()
    }

    /// Σ w f(x, v) ≈ ∫ f(x, dx/dt) dt over the curve, in its direction, by Gauss' rule on every panel.
    pub(crate) fn integrate(&self, f: impl Fn([f64; 2], [f64; 2]) -> f64) -> f64 {
        let rule = gauss_legendre(8);
        let panels = self.lengths.panels() as f64;
        let (first, last) = (
            self.lengths.parameter(self.from),
            self.lengths.parameter(self.to),
        );
        // At a border the parameter may belong to the next panel.
        let last = if self.to >= self.lengths.total() {
            1.0
        } else {
            last
        };
        let sign = if self.reversed { -1.0 } else { 1.0 };
        let mut sum = 0.0;
        let mut start = first;
        while start < last {
            let end = (((start * panels + 1e-9).floor() + 1.0) / panels).min(last);
            let half = 0.5 * (end - start);
            for (x, w) in &rule {
                let (position, velocity) = self.path.at(start + half * (1.0 + x));
                sum += half * w * f(position, velocity.map(|v| sign * v));
            }
            start = end;
        }
        sum
    }

    /// The length from the start at which the curve comes closest to a point, and how close that is.
    pub(crate) fn nearest(&self, point: [f64; 2]) -> (f64, f64) {
        let gap = |s: f64| {
            let (position, tangent) = self.at(s);
            let d = [point[0] - position[0], point[1] - position[1]];
            (d[0].hypot(d[1]), d[0] * tangent[0] + d[1] * tangent[1])
        };
        let steps = 4 * self.panels().max(32);
        let place = |k: usize| self.length() * k as f64 / steps as f64;
        let coarse = (0..=steps).map(|k| (place(k), gap(place(k)).0));
        let (mut s, mut distance) = coarse.fold((0.0, f64::INFINITY), |best, here| {
            if here.1 < best.1 { here } else { best }
        });
        // Steps along the tangent converge quadratically for a point of the curve.
        for _ in 0..10 {
            let next = (s + gap(s).1).clamp(0.0, self.length());
            let closer = gap(next).0;
            if closer >= distance {
                break;
            }
            (s, distance) = (next, closer);
        }
        (s, distance)
    }

    /// Moves an end of each of two curves to where they meet, from close by: the first curve's last and the second
    /// one's first point. Nothing happens where the curves touch without crossing.
    pub(crate) fn meet(&mut self, next: &mut Self, reach: f64) {
        let mut u = if self.reversed { self.from } else { self.to };
        let mut v = if next.reversed { next.to } else { next.from };
        let (u0, v0) = (u, v);
        for _ in 0..20 {
            let ((p, a), (q, b)) = (self.along(u), next.along(v));
            let gap = [q[0] - p[0], q[1] - p[1]];
            let cross = a[0] * b[1] - a[1] * b[0];
            if cross.abs() < 1e-4 {
                return;
            }
            // p + a du = q + b dv, each in the direction of its own curve.
            let du = (gap[0] * b[1] - gap[1] * b[0]) / cross;
            let dv = (gap[0] * a[1] - gap[1] * a[0]) / cross;
            u += if self.reversed { -du } else { du };
            v += if next.reversed { -dv } else { dv };
            if du.abs() + dv.abs() < 1e-15 * (self.lengths.total() + next.lengths.total()) {
                break;
            }
        }
        if !((u - u0).abs() <= reach && (v - v0).abs() <= reach) {
            return;
        }
        let u = u.clamp(0.0, self.lengths.total());
        let v = v.clamp(0.0, next.lengths.total());
        if self.reversed {
            self.from = u.min(self.to);
        } else {
            self.to = u.max(self.from);
        }
        if next.reversed {
            next.to = v.max(next.from);
        } else {
            next.from = v.min(next.to);
        }
    }
}
