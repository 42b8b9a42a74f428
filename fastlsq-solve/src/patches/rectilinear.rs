//! Domains that are unions of boxes, recognised by their boundary.

use fastlsq_basis::sampling::UnitSampler;

use crate::domain::{Domain, PartKind};

/// Coordinates that differ by less than this share of the domain's size are the same.
const SAME: f64 = 1e-11;
/// Points of a part that are looked at.
const SAMPLES: usize = 32;

/// A domain whose boundary consists of flat faces at right angles to the axes.
#[derive(Debug, Clone)]
pub(super) struct Rectilinear {
    /// Lower and upper corners of boxes that tile it.
    pub(super) boxes: Vec<(Vec<f64>, Vec<f64>)>,
    faces: Vec<FlatFace>,
    slack: f64,
}

/// Lower and upper corners of boxes that tile a domain, if it is a union of boxes.
pub(crate) fn boxes_of(domain: &dyn Domain) -> Option<Vec<(Vec<f64>, Vec<f64>)>> {
    Rectilinear::of(domain).map(|shape| shape.boxes)
}

/// A piece of the boundary.
#[derive(Debug, Clone)]
struct FlatFace {
    /// The domain's part that it belongs to.
    part: usize,
    axis: usize,
    /// Whether the outward normal points up the axis.
    upper: bool,
    lo: Vec<f64>,
    hi: Vec<f64>,
}

impl Rectilinear {
    /// The domain's boxes and faces, if it is a union of boxes of space: in the plane by its outline, in space by the
    /// planes that its parts lie in.
    pub(super) fn of(domain: &dyn Domain) -> Option<Self> {
        let walls = domain.parts();
        if walls.is_empty() || walls.iter().any(|part| part.kind != PartKind::Wall) {
            return None;
        }
        match domain.outline() {
            Some(_) if domain.dim() == 2 => Self::of_outline(domain),
            _ => Self::of_box(domain).or_else(|| Self::of_planes(domain)),
        }
    }

    /// The number of the domain's part at a point of the boundary with this normal.
    pub(super) fn part_at(&self, point: &[f64], normal: &[f64]) -> Option<usize> {
        let axis = normal.iter().position(|n| n.abs() > 0.5)?;
        let upper = normal[axis] > 0.0;
        let holds = |face: &&FlatFace| {
            face.axis == axis
                && face.upper == upper
                && point
                    .iter()
                    .enumerate()
                    .all(|(k, x)| *x >= face.lo[k] - self.slack && *x <= face.hi[k] + self.slack)
        };
        self.faces.iter().find(holds).map(|face| face.part)
    }

    fn of_box(domain: &dyn Domain) -> Option<Self> {
        let (dim, count) = (domain.dim(), domain.parts().len());
        if count != 2 * dim {
            return None;
        }
        let bounds = domain.bounding_box().ok()?;
        let volume = domain.volume().ok()?;
        if (bounds.volume() - volume).abs() > SAME * bounds.volume() {
            return None;
        }
        let mut faces = Vec::with_capacity(count);
        for part in 0..count {
            let one = domain
                .sample_part(part, 1, &mut UnitSampler::halton(0))
                .ok()?;
            let normal = one.normals.row(0).to_vec();
            let axis = normal.iter().position(|n| n.abs() > 0.5)?;
            let upper = normal[axis] > 0.0;
            let (mut lo, mut hi) = (bounds.lo().to_vec(), bounds.hi().to_vec());
            let level = if upper { hi[axis] } else { lo[axis] };
            (lo[axis], hi[axis]) = (level, level);
            faces.push(FlatFace {
                part,
                axis,
                upper,
                lo,
                hi,
            });
        }
        let size = bounds.extents().fold(0.0, f64::max);
        Some(Self {
            boxes: vec![(bounds.lo().to_vec(), bounds.hi().to_vec())],
            faces,
            slack: SAME * size,
        })
    }

    /// The cells between the planes of all parts that lie inside, if each part has a plane of its own.
    fn of_planes(domain: &dyn Domain) -> Option<Self> {
        let dim = domain.dim();
        let bounds = domain.bounding_box().ok()?;
        let slack = SAME * bounds.extents().fold(0.0, f64::max);
        let mut levels: Vec<Vec<f64>> = vec![Vec::new(); dim];
        let mut faces = Vec::new();
        for part in 0..domain.parts().len() {
            let mut sampler = UnitSampler::halton(0);
            let points = domain.sample_part(part, SAMPLES, &mut sampler).ok()?;
            let normal = points.normals.row(0).to_vec();
            let axis = normal.iter().position(|n| n.abs() > 0.5)?;
            let level = points.points[(0, axis)];
            let flat = |i: usize| {
                (points.points[(i, axis)] - level).abs() <= slack
                    && (points.normals[(i, axis)].abs() - 1.0).abs() <= SAME
            };
            let known = levels[axis].iter().any(|x| (x - level).abs() <= slack);
            if known || !(0..points.points.nrows()).all(flat) {
                return None;
            }
            levels[axis].push(level);
            let (mut lo, mut hi) = (bounds.lo().to_vec(), bounds.hi().to_vec());
            (lo[axis], hi[axis]) = (level, level);
            faces.extend([false, true].map(|upper| FlatFace {
                part,
                axis,
                upper,
                lo: lo.clone(),
                hi: hi.clone(),
            }));
        }
        levels.iter_mut().for_each(|l| l.sort_by(f64::total_cmp));
        let counts: Vec<usize> = levels.iter().map(|l| l.len().saturating_sub(1)).collect();
        let mut boxes = Vec::new();
        let mut volume = 0.0;
        for index in 0..counts.iter().product() {
            let mut rest = index;
            let (mut lo, mut hi) = (Vec::with_capacity(dim), Vec::with_capacity(dim));
            for (levels, count) in levels.iter().zip(&counts) {
                lo.push(levels[rest % count]);
                hi.push(levels[rest % count + 1]);
                rest /= count;
            }
            let ends = || lo.iter().zip(&hi);
            let middle: Vec<f64> = ends().map(|(a, b)| 0.5 * (a + b)).collect();
            if domain.contains(&middle) {
                volume += ends().map(|(a, b)| b - a).product::<f64>();
                boxes.push((lo, hi));
            }
        }
        let whole = domain.volume().ok()?;
        ((volume - whole).abs() <= SAME * whole).then_some(Self {
            boxes,
            faces,
            slack,
        })
    }

    /// The cells between all sides of the outline that lie inside.
    fn of_outline(domain: &dyn Domain) -> Option<Self> {
        let outline = domain.outline()?;
        let slack = SAME * outline.size();
        let mut levels: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        for curve in outline.curves() {
            for (position, _) in [curve.start(), curve.end()] {
                for (levels, x) in levels.iter_mut().zip(position) {
                    if !levels.iter().any(|known| (known - x).abs() <= slack) {
                        levels.push(x);
                    }
                }
            }
        }
        let snap = |axis: usize, x: f64| {
            let mut near = levels[axis].iter().copied();
            near.find(|known| (known - x).abs() <= slack).unwrap_or(x)
        };
        let mut faces = Vec::new();
        for (part, curve) in outline.numbered() {
            let (from, to) = (curve.start().0, curve.end().0);
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let straight = (dx.hypot(dy) - curve.length()).abs() <= slack;
            if !straight || dx.abs().min(dy.abs()) > slack {
                return None;
            }
            // The domain lies on the left: the normal is (dy, −dx).
            let (axis, upper) = if dx.abs() > dy.abs() {
                (1, dx < 0.0)
            } else {
                (0, dy > 0.0)
            };
            let end = |pick: fn(f64, f64) -> f64| -> Vec<f64> {
                (0..2).map(|k| snap(k, pick(from[k], to[k]))).collect()
            };
            faces.push(FlatFace {
                part: *part,
                axis,
                upper,
                lo: end(f64::min),
                hi: end(f64::max),
            });
        }
        let [mut xs, mut ys] = levels;
        xs.sort_by(f64::total_cmp);
        ys.sort_by(f64::total_cmp);
        let mut boxes = Vec::new();
        let mut area = 0.0;
        for y in ys.windows(2) {
            for x in xs.windows(2) {
                if domain.contains(&[0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1])]) {
                    boxes.push((vec![x[0], y[0]], vec![x[1], y[1]]));
                    area += (x[1] - x[0]) * (y[1] - y[0]);
                }
            }
        }
        let whole = (area - outline.area()).abs() <= 1e-9 * area;
        (whole && !boxes.is_empty()).then_some(Self {
            boxes,
            faces,
            slack,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, BoundingBox, BoxDomain, BoxUnion, DomainExt, Interval, Polygon};

    #[test]
    fn unions_of_boxes_are_recognised_however_they_are_stated() {
        let square = Rectilinear::of(&BoxDomain::unit(2)).unwrap();
        assert_eq!(square.boxes.len(), 1);
        assert_eq!(square.part_at(&[1.0, 0.3], &[1.0, 0.0]), Some(1));
        assert_eq!(square.part_at(&[0.2, 0.0], &[0.0, -1.0]), Some(2));
        let line = Rectilinear::of(&Interval::unit()).unwrap();
        assert_eq!(line.part_at(&[0.0], &[-1.0]), Some(0));
        let part = |lo: [f64; 2], hi: [f64; 2]| BoundingBox::new(&lo, &hi).unwrap();
        let union = BoxUnion::new(&[part([0.0, 0.0], [2.0, 1.0]), part([0.0, 0.0], [1.0, 2.0])]);
        let polygon = Polygon::new(&[
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ]);
        let difference = BoxDomain::new(&[0.0, 0.0], &[2.0, 2.0])
            .unwrap()
            .difference(BoxDomain::new(&[1.0, 1.0], &[3.0, 3.0]).unwrap());
        for l_shape in [
            Rectilinear::of(&union.unwrap()),
            Rectilinear::of(&polygon.unwrap()),
            Rectilinear::of(&difference.unwrap()),
        ] {
            assert_eq!(l_shape.unwrap().boxes.len(), 3);
        }
        // A part of one's own cuts a side where it begins.
        let parted = BoxDomain::unit(2).with_part("inlet", |x| x[0] == 0.0 && x[1] > 0.25);
        let parted = Rectilinear::of(&parted.unwrap()).unwrap();
        assert_eq!(parted.boxes.len(), 2);
        let parts = [0.2, 0.3].map(|y| parted.part_at(&[0.0, y], &[-1.0, 0.0]));
        assert!(parts[0].is_some() && parts[1].is_some() && parts[0] != parts[1]);
    }

    #[test]
    fn unions_of_boxes_in_space_are_found_by_their_planes() {
        let part = |lo: [f64; 3], hi: [f64; 3]| BoundingBox::new(&lo, &hi).unwrap();
        let cube = part([0.0; 3], [2.0; 3]);
        let corner = BoxUnion::new(&[cube]).unwrap();
        let corner = corner.without(&part([1.0; 3], [2.0; 3])).unwrap();
        let found = Rectilinear::of(&corner).unwrap();
        assert_eq!(found.boxes.len(), 7);
        // The faces of the corner that was taken out look into it.
        let inner = found.part_at(&[1.0, 1.5, 1.5], &[1.0, 0.0, 0.0]);
        assert!(inner.is_some() && inner != found.part_at(&[2.0, 0.5, 0.5], &[1.0, 0.0, 0.0]));
        let lonely = Rectilinear::of(&BoxDomain::unit(3)).unwrap();
        assert_eq!(lonely.boxes.len(), 1);
    }

    #[test]
    fn other_domains_are_not() {
        assert!(Rectilinear::of(&Ball::unit(2)).is_none());
        assert!(Rectilinear::of(&Ball::unit(3)).is_none());
        let triangle = Polygon::new(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        assert!(Rectilinear::of(&triangle.unwrap()).is_none());
        let turned = BoxDomain::unit(2).rotated(0.3);
        assert!(turned.is_ok_and(|turned| Rectilinear::of(&turned).is_none()));
        let history = Interval::unit().over(0.0, 1.0).unwrap();
        assert!(Rectilinear::of(&history).is_none());
    }
}
