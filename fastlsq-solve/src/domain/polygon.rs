//! Polygons, with holes.

use super::checks::check_finite;
use super::outline::distance;
use super::planar::{Planar, planar_domain};
use super::{Curve, DomainError, Outline};

/// A polygon, with or without polygonal holes.
///
/// Its parts are its sides: "side 0" from the first to the second vertex and so on, "hole 1 side 0" for the holes. Sides
/// that are given one name are one part.
///
/// ```
/// use fastlsq_solve::domain::{Domain, Polygon};
/// let l_shape = Polygon::new(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]])?;
/// assert!((l_shape.volume()? - 3.0).abs() < 1e-12);
/// let reentrant = l_shape.corners().into_iter().filter(|corner| corner.angle > 4.0);
/// assert_eq!(reentrant.map(|corner| corner.position).collect::<Vec<_>>(), [[1.0, 1.0]]);
/// # Ok::<(), fastlsq_solve::domain::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polygon {
    /// The outer ring counter-clockwise, then the holes clockwise.
    rings: Vec<Vec<[f64; 2]>>,
    /// For each side of each ring, its number among the ring's sides as they were given.
    order: Vec<Vec<usize>>,
    /// For each side of each ring, its name.
    names: Vec<Vec<String>>,
    planar: Planar,
}

impl Polygon {
    /// The polygon with these vertices in turn, either way round; the last is joined to the first.
    ///
    /// # Errors
    /// Fewer than three vertices, numbers that are not finite, sides without length, sides that meet.
    pub fn new(vertices: &[[f64; 2]]) -> Result<Self, DomainError> {
        let (ring, order) = oriented(vertices, 1.0)?;
        let names = order.iter().map(|side| format!("side {side}")).collect();
        Self::of_rings(vec![ring], vec![order], vec![names])
    }

    /// The polygon without what these vertices enclose.
    ///
    /// # Errors
    /// Those of [`Polygon::new`]; a hole that is not inside.
    pub fn with_hole(&self, vertices: &[[f64; 2]]) -> Result<Self, DomainError> {
        let number = self.rings.len();
        let (ring, sides) = oriented(vertices, -1.0)?;
        let inside = ring.first().is_some_and(|&vertex| self.holds(vertex));
        let named = sides
            .iter()
            .map(|side| format!("hole {number} side {side}"));
        let (mut rings, mut order) = (self.rings.clone(), self.order.clone());
        let mut names = self.names.clone();
        names.push(named.collect());
        rings.push(ring);
        order.push(sides);
        let polygon = Self::of_rings(rings, order, names)?;
        if !inside {
            return Err(DomainError::HoleOutside { hole: number });
        }
        Ok(polygon)
    }

    /// Names for the sides, in the order in which vertices were given, holes after the outer ring. Sides with the same name are
    /// one part.
    ///
    /// # Errors
    /// A number of names that is not that of the sides.
    pub fn with_names(&self, names: &[&str]) -> Result<Self, DomainError> {
        let expected = self.rings.iter().map(Vec::len).sum();
        if names.len() != expected {
            return Err(DomainError::NameCount {
                expected,
                found: names.len(),
            });
        }
        let mut rest = names;
        let sided = self.order.iter().map(|ring| {
            let (own, others) = rest.split_at(ring.len().min(rest.len()));
            rest = others;
            ring.iter()
                .filter_map(|&side| own.get(side))
                .map(ToString::to_string)
                .collect()
        });
        let names = sided.collect();
        Self::of_rings(self.rings.clone(), self.order.clone(), names)
    }

    /// The vertices: the outer ring counter-clockwise, then the holes clockwise.
    #[must_use]
    pub fn rings(&self) -> &[Vec<[f64; 2]>] {
        &self.rings
    }

    fn of_rings(
        rings: Vec<Vec<[f64; 2]>>,
        order: Vec<Vec<usize>>,
        names: Vec<Vec<String>>,
    ) -> Result<Self, DomainError> {
        let sides: Vec<[[f64; 2]; 2]> = rings.iter().flat_map(|ring| sides(ring)).collect();
        let mut first = 0;
        let mut neighbours = Vec::with_capacity(sides.len());
        for ring in &rings {
            neighbours.extend((0..ring.len()).map(|k| first + (k + 1) % ring.len()));
            first += ring.len();
        }
        check_crossings(&sides, &neighbours)?;
        let named = names.iter().flatten();
        let curves: Result<Vec<_>, _> = named
            .zip(&sides)
            .map(|(name, [a, b])| Curve::segment(*a, *b).map(|side| (name.clone(), side)))
            .collect();
        let planar = Planar::new(Outline::new(curves?)?)?;
        Ok(Self {
            rings,
            order,
            names,
            planar,
        })
    }

    /// Even or odd crossings of a ray to the right.
    fn holds(&self, [x, y]: [f64; 2]) -> bool {
        let crossings = self
            .rings
            .iter()
            .flat_map(|ring| sides(ring))
            .filter(|[a, b]| {
                (a[1] > y) != (b[1] > y) && x <= a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1])
            });
        crossings.count() % 2 == 1
    }
}

planar_domain!(Polygon);

fn sides(ring: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| [*a, *b])
}

/// The ring in the direction of the sign (positive: counter-clockwise), with the numbers of its sides as given.
fn oriented(vertices: &[[f64; 2]], sign: f64) -> Result<(Vec<[f64; 2]>, Vec<usize>), DomainError> {
    if vertices.len() < 3 {
        return Err(DomainError::TooFewVertices {
            found: vertices.len(),
        });
    }
    for vertex in vertices {
        check_finite("a vertex", vertex)?;
    }
    let origin = vertices[0];
    let twice: f64 = sides(vertices)
        .map(|[a, b]| {
            (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0])
        })
        .sum();
    let mut ring = vertices.to_vec();
    let mut sides: Vec<usize> = (0..ring.len()).collect();
    if twice * sign < 0.0 {
        // v₀, vₙ₋₁, …, v₁: the sides follow as n−1, n−2, …, 0.
        ring[1..].reverse();
        sides.reverse();
    }
    Ok((ring, sides))
}

/// Fails if two sides have a point in common other than the joint of neighbours.
fn check_crossings(sides: &[[[f64; 2]; 2]], next: &[usize]) -> Result<(), DomainError> {
    for (i, &[a, b]) in sides.iter().enumerate() {
        if a == b {
            return Err(DomainError::BadCurve { length: 0.0 });
        }
        for (j, &[c, d]) in sides.iter().enumerate().skip(i + 1) {
            let meets = if next[i] == j {
                folds_back(a, b, d)
            } else if next[j] == i {
                folds_back(c, d, b)
            } else {
                touches([a, b], [c, d])
            };
            if let Some(point) = meets {
                return Err(DomainError::SelfIntersection {
                    first: i,
                    second: j,
                    point,
                });
            }
        }
    }
    Ok(())
}

fn cross(o: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
}

/// Where the side b–c runs back over a–b.
fn folds_back(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Option<[f64; 2]> {
    let back = (a[0] - b[0]) * (c[0] - b[0]) + (a[1] - b[1]) * (c[1] - b[1]);
    let level = 1e-14 * distance(a, b) * distance(b, c);
    (cross(b, a, c).abs() <= level && back > 0.0).then_some(b)
}

/// Where two segments meet.
fn touches([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> Option<[f64; 2]> {
    let (p, q) = (cross(a, b, c), cross(a, b, d));
    let (r, s) = (cross(c, d, a), cross(c, d, b));
    if (p > 0.0) != (q > 0.0) && (r > 0.0) != (s > 0.0) && p != q {
        let t = p / (p - q);
        return Some([c[0] + t * (d[0] - c[0]), c[1] + t * (d[1] - c[1])]);
    }
    // An end of one on the other.
    let within = |o: [f64; 2], u: [f64; 2], v: [f64; 2]| {
        distance(u, o) + distance(o, v) <= distance(u, v) * (1.0 + 1e-14)
    };
    let ends = [(c, a, b), (d, a, b), (a, c, d), (b, c, d)];
    ends.into_iter()
        .find(|&(o, u, v)| within(o, u, v))
        .map(|(o, _, _)| o)
}
