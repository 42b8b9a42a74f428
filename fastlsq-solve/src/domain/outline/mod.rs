//! Boundaries of domains in the plane as oriented curves.

mod clip;
mod corners;
mod holes;
mod inside;

use super::checks::check_memory;
use super::{BoundaryPart, BoundaryPoints, BoundingBox, Curve, DomainError};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

pub(crate) use clip::{Judge, Verdict, changes, compact, join, pieces};
pub use corners::Corner;
pub use holes::Hole;
pub(crate) use inside::Inside;

/// Ends of curves that are closer than this share of the size of the outline belong together.
pub(super) const GAP: f64 = 1e-6;

/// The boundary of a domain in the plane: named parts, each of one or more curves with the domain on their left.
///
/// What a domain's boundary can tell follows from it: exact measures, points and normals, the corners, the holes.
#[derive(Clone, Debug)]
pub struct Outline {
    parts: Vec<String>,
    /// The part that a curve belongs to, and the curve.
    curves: Vec<(usize, Curve)>,
}

impl Outline {
    /// Curves with the names of their parts; curves of one name are one part, in the order of first appearance.
    ///
    /// # Errors
    /// No curves, or a curve at whose end no other begins.
    pub fn new<N: Into<String>>(
        curves: impl IntoIterator<Item = (N, Curve)>,
    ) -> Result<Self, DomainError> {
        let mut outline = Self {
            parts: Vec::new(),
            curves: Vec::new(),
        };
        for (name, curve) in curves {
            let name = name.into();
            let known = outline.parts.iter().position(|part| *part == name);
            let part = known.unwrap_or_else(|| {
                outline.parts.push(name);
                outline.parts.len() - 1
            });
            outline.curves.push((part, curve));
        }
        outline.checked()
    }

    /// Curves of numbered parts, some of which may have none.
    pub(crate) fn of_parts(
        parts: Vec<String>,
        curves: Vec<(usize, Curve)>,
    ) -> Result<Self, DomainError> {
        Self { parts, curves }.checked()
    }

    /// Curves that need not be closed: only pieces of them will be used.
    pub(crate) fn unchecked(parts: Vec<String>, curves: Vec<(usize, Curve)>) -> Self {
        Self { parts, curves }
    }

    fn checked(self) -> Result<Self, DomainError> {
        if self.curves.is_empty() {
            return Err(DomainError::EmptyShape);
        }
        let starts: Vec<[f64; 2]> = self.curves().map(|curve| curve.start().0).collect();
        let reach = GAP * self.size();
        for curve in self.curves() {
            let end = curve.end().0;
            let near = |start: &&[f64; 2]| distance(**start, end) <= reach;
            if !starts.iter().any(|start| near(&start)) {
                return Err(DomainError::OpenOutline { point: end });
            }
        }
        Ok(self)
    }

    /// The curves, in the order of their parts' first appearance or as the shape lists them.
    pub fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.curves.iter().map(|(_, curve)| curve)
    }

    /// The curves with the number of the part each belongs to.
    pub(crate) fn numbered(&self) -> &[(usize, Curve)] {
        &self.curves
    }

    /// The names of the parts.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.parts
    }

    /// The parts with their lengths.
    #[must_use]
    pub fn parts(&self) -> Vec<BoundaryPart> {
        let length = |part: usize| {
            let own = self.curves.iter().filter(|(index, _)| *index == part);
            own.map(|(_, curve)| curve.length()).sum()
        };
        let named = self.parts.iter().enumerate();
        named
            .map(|(index, name)| BoundaryPart::wall(name.clone(), length(index)))
            .collect()
    }

    /// `count` points of a part, uniform in length, with their outward normals.
    ///
    /// # Errors
    /// No such part, or one without curves.
    pub fn sample(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        check_memory(count, 2)?;
        let Some(name) = self.parts.get(part) else {
            return Err(DomainError::PartIndex {
                index: part,
                count: self.parts.len(),
            });
        };
        let own: Vec<&Curve> = self
            .curves
            .iter()
            .filter(|(index, _)| *index == part)
            .map(|(_, curve)| curve)
            .collect();
        let total: f64 = own.iter().map(|curve| curve.length()).sum();
        let Some(last) = own.last().filter(|_| total > 0.0) else {
            return Err(DomainError::UnreachedPart { part: name.clone() });
        };
        let unit = sampler.points(count, 1);
        let mut points = Array2::zeros((count, 2));
        let mut normals = Array2::zeros((count, 2));
        for (i, u) in unit.iter().enumerate() {
            let mut rest = u * total;
            let here = own.iter().find(|curve| {
                let inside = rest < curve.length();
                if !inside {
                    rest -= curve.length();
                }
                inside
            });
            let (position, [x, y]) = here.map_or_else(|| last.end(), |curve| curve.at(rest));
            for (k, (x, n)) in position.into_iter().zip([y, -x]).enumerate() {
                points[(i, k)] = x;
                normals[(i, k)] = n;
            }
        }
        Ok(BoundaryPoints { points, normals })
    }

    /// The enclosed area, ½∮ (x dy − y dx).
    #[must_use]
    pub fn area(&self) -> f64 {
        let [cx, cy] = self.center();
        let sweep = |[x, y]: [f64; 2], [u, v]: [f64; 2]| 0.5 * ((x - cx) * v - (y - cy) * u);
        self.curves().map(|curve| curve.integrate(sweep)).sum()
    }

    /// Lower and upper corner of a box around the curves, as points along them show it.
    fn extremes(&self) -> ([f64; 2], [f64; 2]) {
        let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for curve in self.curves() {
            // Ends of a straight line; enough points of others to see an extremum to second order.
            let steps = if curve.panels() == 1 {
                1
            } else {
                4 * curve.panels()
            };
            for k in 0..=steps {
                let (position, _) = curve.at(curve.length() * k as f64 / steps as f64);
                for axis in 0..2 {
                    lo[axis] = lo[axis].min(position[axis]);
                    hi[axis] = hi[axis].max(position[axis]);
                }
            }
        }
        (lo, hi)
    }

    fn center(&self) -> [f64; 2] {
        let (lo, hi) = self.extremes();
        [0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1])]
    }

    /// The larger extent of the outline.
    pub(crate) fn size(&self) -> f64 {
        let (lo, hi) = self.extremes();
        (hi[0] - lo[0]).max(hi[1] - lo[1])
    }

    /// A box around the curves, a hair larger than points along them show.
    ///
    /// # Errors
    /// If the curves enclose nothing.
    pub fn bounds(&self) -> Result<BoundingBox, DomainError> {
        let (lo, hi) = self.extremes();
        let straight = self.curves().all(|curve| curve.panels() == 1);
        let margin = if straight { 0.0 } else { 1e-4 * self.size() };
        BoundingBox::new(&lo.map(|x| x - margin), &hi.map(|x| x + margin))
    }

    /// The same outline with curves changed one by one.
    pub(crate) fn mapped(&self, change: impl Fn(&Curve) -> Curve) -> Self {
        Self {
            parts: self.parts.clone(),
            curves: self
                .curves
                .iter()
                .map(|(part, curve)| (*part, change(curve)))
                .collect(),
        }
    }

    /// The same outline with other names.
    pub(crate) fn renamed(&self, parts: Vec<String>) -> Self {
        Self {
            parts,
            curves: self.curves.clone(),
        }
    }
}

pub(crate) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}
