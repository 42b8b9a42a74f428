//! Solids inside a triangulated surface.

use super::checks::{check_finite, check_memory};
use super::{BoundaryPart, BoundaryPoints, BoundingBox, Domain, DomainError};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;
use std::collections::HashMap;

/// Bins along each axis of the grid that holds the triangles, at most.
const MOST_BINS: usize = 512;

/// What a closed surface of triangles encloses, cavities excepted.
///
/// Each connected piece of the surface is a part of the boundary: "surface", or "surface 1", "surface 2", … if there are
/// several. With the feature `stl`, [`from_stl`](Self::from_stl) reads a file.
///
/// ```
/// use fastlsq_solve::domain::{Domain, Surface};
/// let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
/// let tetrahedron = Surface::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!((tetrahedron.volume()? - 1.0 / 6.0).abs() < 1e-15);
/// assert!(tetrahedron.contains(&[0.2, 0.2, 0.2]) && !tetrahedron.contains(&[0.4, 0.4, 0.4]));
/// # Ok::<(), fastlsq_solve::domain::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Surface {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
    /// For each piece, the numbers of its triangles, with the area of all up to and including each.
    pieces: Vec<Vec<(usize, f64)>>,
    bounds: BoundingBox,
    volume: f64,
    /// Triangles over the cells of a grid in the plane of the second and third axis.
    bins: Vec<Vec<usize>>,
    along: usize,
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Surface {
    /// Vertices, and the numbers of three of them for each triangle, all counter-clockwise seen from outside or all clockwise.
    ///
    /// # Errors
    /// Vertices that do not exist or are not finite, triangles without area, a surface that is not closed: every edge must
    /// belong to two triangles that run through it in opposite directions.
    pub fn new(vertices: &[[f64; 3]], triangles: &[[usize; 3]]) -> Result<Self, DomainError> {
        let mut surface = Self {
            bounds: around(vertices)?,
            vertices: vertices.to_vec(),
            triangles: triangles.to_vec(),
            pieces: Vec::new(),
            volume: 0.0,
            bins: Vec::new(),
            along: 1,
        };
        for (index, corners) in triangles.iter().enumerate() {
            let exists = corners.iter().all(|&k| k < vertices.len());
            let is_sound = |area: f64| area.is_finite() && area > 0.0;
            if !(exists && is_sound(surface.area(index))) {
                return Err(DomainError::BadTriangle { index });
            }
        }
        let neighbours = surface.neighbours()?;
        surface.pieces = surface.connected(&neighbours);
        let center = surface.vertices[0];
        let sixth = |[a, b, c]: &[usize; 3]| {
            let [a, b, c] = [a, b, c].map(|k| minus(surface.vertices[*k], center));
            dot(a, cross(b, c)) / 6.0
        };
        let volume: f64 = surface.triangles.iter().map(sixth).sum();
        if !(volume.is_finite() && volume.abs() > 1e-14 * surface.bounds.volume()) {
            return Err(DomainError::EmptyShape);
        }
        if volume < 0.0 {
            surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        surface.volume = volume.abs();
        surface.sort_into_bins();
        Ok(surface)
    }

    /// The solid in an STL file, of either kind.
    ///
    /// # Errors
    /// A file that cannot be read, and those of [`new`](Self::new).
    #[cfg(feature = "stl")]
    pub fn from_stl(
        reader: &mut (impl std::io::Read + std::io::Seek),
    ) -> Result<Self, DomainError> {
        let mesh = stl_io::read_stl(reader).map_err(|error| DomainError::Stl {
            reason: error.to_string(),
        })?;
        let vertex = |v: &stl_io::Vertex| [v[0], v[1], v[2]].map(f64::from);
        let vertices: Vec<[f64; 3]> = mesh.vertices.iter().map(vertex).collect();
        let triangles: Vec<[usize; 3]> = mesh.faces.iter().map(|face| face.vertices).collect();
        Self::new(&vertices, &triangles)
    }

    /// The corners of a triangle.
    fn corners(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|k| self.vertices[k])
    }

    /// Twice its area times its normal.
    fn normal(&self, triangle: usize) -> [f64; 3] {
        let [a, b, c] = self.corners(triangle);
        cross(minus(b, a), minus(c, a))
    }

    fn area(&self, triangle: usize) -> f64 {
        if self.triangles[triangle]
            .iter()
            .any(|&k| k >= self.vertices.len())
        {
            return f64::NAN;
        }
        let normal = self.normal(triangle);
        0.5 * dot(normal, normal).sqrt()
    }

    /// The three triangles beside each.
    fn neighbours(&self) -> Result<Vec<[usize; 3]>, DomainError> {
        let edge = |corners: &[usize; 3], k: usize| (corners[k], corners[(k + 1) % 3]);
        let mut owners = HashMap::with_capacity(3 * self.triangles.len());
        for (index, corners) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = edge(corners, k);
                if owners.insert((a, b), index).is_some() {
                    return Err(self.open(a, b));
                }
            }
        }
        let beside = |corners: &[usize; 3]| {
            let mut own = [0; 3];
            for (k, own) in own.iter_mut().enumerate() {
                let (a, b) = edge(corners, k);
                *own = *owners.get(&(b, a)).ok_or_else(|| self.open(a, b))?;
            }
            Ok(own)
        };
        self.triangles.iter().map(beside).collect()
    }

    fn open(&self, a: usize, b: usize) -> DomainError {
        DomainError::OpenSurface {
            from: self.vertices[a],
            to: self.vertices[b],
        }
    }

    fn connected(&self, neighbours: &[[usize; 3]]) -> Vec<Vec<(usize, f64)>> {
        let mut seen = vec![false; self.triangles.len()];
        let mut pieces = Vec::new();
        for first in 0..self.triangles.len() {
            let (mut piece, mut open, mut total) = (Vec::new(), vec![first], 0.0);
            while let Some(index) = open.pop() {
                if std::mem::replace(&mut seen[index], true) {
                    continue;
                }
                total += self.area(index);
                piece.push((index, total));
                open.extend(neighbours[index]);
            }
            if !piece.is_empty() {
                pieces.push(piece);
            }
        }
        pieces
    }

    /// The cell of the grid that holds a coordinate of the second or third axis.
    fn cell(&self, axis: usize, x: f64) -> usize {
        let (lo, hi) = (self.bounds.lo()[axis], self.bounds.hi()[axis]);
        let place = (x - lo) / (hi - lo) * self.along as f64;
        (place.max(0.0) as usize).min(self.along - 1)
    }

    fn sort_into_bins(&mut self) {
        self.along = (self.triangles.len() as f64).sqrt().ceil() as usize;
        self.along = self.along.clamp(1, MOST_BINS);
        self.bins = vec![Vec::new(); self.along * self.along];
        for index in 0..self.triangles.len() {
            let corners = self.corners(index);
            let range = |axis: usize| {
                let along = corners.map(|corner| self.cell(axis, corner[axis]));
                let [a, b, c] = along;
                a.min(b).min(c)..=a.max(b).max(c)
            };
            let (second, third) = (range(1), range(2));
            for i in second {
                for j in third.clone() {
                    self.bins[i * self.along + j].push(index);
                }
            }
        }
    }

    /// Twice the signed area that an edge and a point span in the plane of the second and third axis, and whether it is
    /// positive. A point on the edge counts as if moved a hair along the second axis, and far less along the third: the same
    /// for all triangles around it.
    fn side(&self, a: usize, b: usize, [y, z]: [f64; 2]) -> (f64, bool) {
        // In one order for both triangles at the edge, so that rounding is the same.
        let (first, last, sign) = if a < b { (a, b, 1.0) } else { (b, a, -1.0) };
        let (p, q) = (self.vertices[first], self.vertices[last]);
        let (along_y, along_z) = (q[1] - p[1], q[2] - p[2]);
        let area = along_y * (z - p[2]) - along_z * (y - p[1]);
        let turned = if area != 0.0 {
            area
        } else if along_z != 0.0 {
            -along_z
        } else {
            along_y
        };
        (sign * area, sign * turned > 0.0)
    }

    /// Whether the line through a point along the first axis meets a triangle beyond it.
    fn is_before(&self, triangle: usize, [x, y, z]: [f64; 3]) -> bool {
        let [a, b, c] = self.triangles[triangle];
        let sides = [(b, c), (c, a), (a, b)].map(|(p, q)| self.side(p, q, [y, z]));
        if sides.iter().any(|(_, positive)| *positive != sides[0].1) {
            return false;
        }
        let total: f64 = sides.iter().map(|(area, _)| area).sum();
        let pairs = sides.iter().zip(self.corners(triangle));
        let crossing: f64 = pairs.map(|((area, _), corner)| area * corner[0]).sum();
        total != 0.0 && crossing / total >= x
    }
}

fn around(vertices: &[[f64; 3]]) -> Result<BoundingBox, DomainError> {
    if vertices.len() < 4 {
        return Err(DomainError::EmptyShape);
    }
    let bound = |sign: f64| -> Vec<f64> {
        let along = |k: usize| {
            let values = vertices.iter().map(|v| sign * v[k]);
            sign * values.fold(f64::NEG_INFINITY, f64::max)
        };
        (0..3).map(along).collect()
    };
    for vertex in vertices {
        check_finite("a vertex", vertex)?;
    }
    BoundingBox::new(&bound(-1.0), &bound(1.0))
}

impl Domain for Surface {
    fn dim(&self) -> usize {
        3
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        Ok(self.bounds.clone())
    }

    fn contains(&self, point: &[f64]) -> bool {
        let Ok(point) = <[f64; 3]>::try_from(point) else {
            return false;
        };
        let within = |k: usize| (self.bounds.lo()[k]..=self.bounds.hi()[k]).contains(&point[k]);
        if !(0..3).all(within) {
            return false;
        }
        let bin = self.cell(1, point[1]) * self.along + self.cell(2, point[2]);
        let before = self.bins[bin].iter();
        before.filter(|&&t| self.is_before(t, point)).count() % 2 == 1
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let several = self.pieces.len() > 1;
        let area = |piece: &Vec<(usize, f64)>| piece.last().map_or(0.0, |(_, total)| *total);
        let numbered = self.pieces.iter().enumerate();
        numbered
            .map(|(k, piece)| {
                let name = if several {
                    format!("surface {}", k + 1)
                } else {
                    "surface".to_owned()
                };
                BoundaryPart::wall(name, area(piece))
            })
            .collect()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        check_memory(count, 6)?;
        let piece = self.pieces.get(part).ok_or(DomainError::PartIndex {
            index: part,
            count: self.pieces.len(),
        })?;
        let total = piece.last().map_or(0.0, |(_, total)| *total);
        let unit = sampler.points(count, 3);
        let (mut points, mut normals) = (Array2::zeros((count, 3)), Array2::zeros((count, 3)));
        for (i, u) in unit.rows().into_iter().enumerate() {
            let place = piece.partition_point(|(_, upto)| *upto <= u[0] * total);
            let (triangle, _) = piece[place.min(piece.len() - 1)];
            let ([a, b, c], normal) = (self.corners(triangle), self.normal(triangle));
            let length = dot(normal, normal).sqrt();
            // Uniform over the triangle.
            let (root, share) = (u[1].sqrt(), u[2]);
            let weights = [1.0 - root, root * (1.0 - share), root * share];
            for k in 0..3 {
                points[(i, k)] = weights[0] * a[k] + weights[1] * b[k] + weights[2] * c[k];
                normals[(i, k)] = normal[k] / length;
            }
        }
        Ok(BoundaryPoints { points, normals })
    }

    fn volume(&self) -> Result<f64, DomainError> {
        Ok(self.volume)
    }
}
