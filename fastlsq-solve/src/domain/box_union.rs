//! Unions of axis-parallel boxes.

mod cells;

use super::checks::check_memory;
use super::select::axis_name;
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, Curve, Domain, DomainError, Outline, Quadrature,
};
use cells::{Cells, Face};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;

/// A union of axis-parallel boxes, less other boxes, in any dimension: an L, a T, a U, a room with pillars.
///
/// Its parts are named after the planes that its faces lie on: "x=-1" is all of the boundary with x = −1.
///
/// ```
/// use fastlsq_solve::domain::{BoundingBox, BoxUnion, Domain};
/// let l_shape = BoxUnion::new(&[
///     BoundingBox::new(&[0.0, 0.0], &[2.0, 1.0])?,
///     BoundingBox::new(&[0.0, 0.0], &[1.0, 2.0])?,
/// ])?;
/// assert_eq!(l_shape.volume()?, 3.0);
/// assert_eq!(l_shape.corners().len(), 6);
/// let pierced = l_shape.without(&BoundingBox::new(&[0.25, 0.25], &[0.5, 0.75])?)?;
/// assert_eq!(pierced.holes().len(), 1);
/// # Ok::<(), fastlsq_solve::domain::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoxUnion {
    /// What was put in (true) and taken out (false), in turn.
    history: Vec<(BoundingBox, bool)>,
    boxes: Vec<BoundingBox>,
    names: Vec<String>,
    /// The faces, with the number of the part each belongs to.
    faces: Vec<(usize, Face)>,
    bounds: BoundingBox,
}

impl BoxUnion {
    /// The union of these boxes; they may overlap.
    ///
    /// # Errors
    /// No boxes, boxes of different dimensions, or more cells between their faces than memory holds.
    pub fn new(boxes: &[BoundingBox]) -> Result<Self, DomainError> {
        Self::of_history(boxes.iter().map(|part| (part.clone(), true)).collect())
    }

    /// The union with one more box.
    ///
    /// # Errors
    /// A box of another dimension.
    pub fn with(&self, part: &BoundingBox) -> Result<Self, DomainError> {
        let mut history = self.history.clone();
        history.push((part.clone(), true));
        Self::of_history(history)
    }

    /// The union without a box.
    ///
    /// # Errors
    /// A box of another dimension, or one that leaves nothing.
    pub fn without(&self, part: &BoundingBox) -> Result<Self, DomainError> {
        let mut history = self.history.clone();
        history.push((part.clone(), false));
        Self::of_history(history)
    }

    /// Boxes without common interior points that make up the domain.
    #[must_use]
    pub fn boxes(&self) -> &[BoundingBox] {
        &self.boxes
    }

    fn of_history(history: Vec<(BoundingBox, bool)>) -> Result<Self, DomainError> {
        let cells = Cells::new(&history)?;
        let boxes = cells.boxes()?;
        let Some(first) = boxes.first() else {
            return Err(DomainError::EmptyShape);
        };
        let (mut lo, mut hi) = (first.lo().to_vec(), first.hi().to_vec());
        for part in &boxes {
            for axis in 0..lo.len() {
                lo[axis] = lo[axis].min(part.lo()[axis]);
                hi[axis] = hi[axis].max(part.hi()[axis]);
            }
        }
        let mut names: Vec<String> = Vec::new();
        let faces = cells.faces().into_iter().map(|face| {
            let name = format!("{}={}", axis_name(lo.len(), face.axis), face.lo[face.axis]);
            let known = names.iter().position(|known| *known == name);
            let part = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            (part, face)
        });
        let faces = faces.collect();
        Ok(Self {
            history,
            boxes,
            names,
            faces,
            bounds: BoundingBox::new(&lo, &hi)?,
        })
    }

    fn faces_of(&self, part: usize) -> impl Iterator<Item = &Face> {
        let own = self.faces.iter().filter(move |(index, _)| *index == part);
        own.map(|(_, face)| face)
    }
}

impl Domain for BoxUnion {
    fn dim(&self) -> usize {
        self.bounds.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        Ok(self.bounds.clone())
    }

    fn contains(&self, point: &[f64]) -> bool {
        self.boxes.iter().any(|part| part.contains(point))
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let measure = |part: usize| self.faces_of(part).map(Face::measure).sum();
        let named = self.names.iter().enumerate();
        named
            .map(|(part, name)| BoundaryPart::wall(name.clone(), measure(part)))
            .collect()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let faces: Vec<&Face> = self.faces_of(part).collect();
        let measures: Vec<f64> = faces.iter().map(|face| face.measure()).collect();
        if faces.is_empty() {
            return Err(DomainError::PartIndex {
                index: part,
                count: self.names.len(),
            });
        }
        let dim = self.dim();
        check_memory(count, dim)?;
        // The coordinate that chooses the face is also the first one within it.
        let unit = sampler.points(count, dim.saturating_sub(1).max(1));
        let (mut points, mut normals) = (Array2::zeros((count, dim)), Array2::zeros((count, dim)));
        for (i, u) in unit.rows().into_iter().enumerate() {
            let (chosen, rest) = choose(&measures, u[0]);
            let face = faces[chosen];
            let within = (0..dim).filter(|axis| *axis != face.axis);
            for (k, axis) in within.enumerate() {
                let share = if k == 0 { rest } else { u[k] };
                points[(i, axis)] = between(face.lo[axis], face.hi[axis], share);
            }
            points[(i, face.axis)] = face.lo[face.axis];
            normals[(i, face.axis)] = face.outward;
        }
        Ok(BoundaryPoints { points, normals })
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        let dim = self.dim();
        check_memory(count, dim)?;
        let volumes: Vec<f64> = self.boxes.iter().map(BoundingBox::volume).collect();
        let mut points = sampler.points(count, dim);
        for mut point in points.rows_mut() {
            let (chosen, rest) = choose(&volumes, point[0]);
            let part = &self.boxes[chosen];
            point[0] = rest;
            for (x, (lo, hi)) in point.iter_mut().zip(part.lo().iter().zip(part.hi())) {
                *x = between(*lo, *hi, *x);
            }
        }
        Ok(points)
    }

    fn volume(&self) -> Result<f64, DomainError> {
        Ok(self.boxes.iter().map(BoundingBox::volume).sum())
    }

    fn quadrature(&self, count: usize) -> Result<Quadrature, DomainError> {
        let total = self.volume()?;
        let share = |part: &BoundingBox| (count as f64 * part.volume() / total).ceil() as usize;
        let rules = self
            .boxes
            .iter()
            .map(|part| Quadrature::gauss(part, share(part)));
        Quadrature::joined(&rules.collect::<Result<Vec<_>, _>>()?, self.dim())
    }

    fn outline(&self) -> Option<Outline> {
        if self.dim() != 2 {
            return None;
        }
        let curves = self.faces.iter().map(|(part, face)| {
            let (a, b) = ([face.lo[0], face.lo[1]], [face.hi[0], face.hi[1]]);
            // With the domain on the left: up where it ends on the right, to the left where it ends above.
            let forwards = (face.axis == 0) == (face.outward > 0.0);
            let side = if forwards {
                Curve::segment(a, b)
            } else {
                Curve::segment(b, a)
            };
            side.map(|side| (*part, side))
        });
        let curves = curves.collect::<Result<_, _>>().ok()?;
        Outline::of_parts(self.names.clone(), curves).ok()
    }
}

fn between(lo: f64, hi: f64, u: f64) -> f64 {
    super::bounding_box::between(lo, hi, u)
}

/// Which of several measures a share u of their sum falls into, and which share of that one it is.
fn choose(measures: &[f64], u: f64) -> (usize, f64) {
    let mut rest = u * measures.iter().sum::<f64>();
    for (k, measure) in measures.iter().enumerate() {
        if rest < *measure {
            return (k, rest / measure);
        }
        rest -= measure;
    }
    (measures.len().saturating_sub(1), 1.0 - f64::EPSILON)
}
