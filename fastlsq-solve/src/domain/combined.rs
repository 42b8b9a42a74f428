//! Unions, intersections and differences of domains.

use super::bounding_box::BoundingBox;
use super::outline::{GAP, Judge, Verdict, changes, join, pieces};
use super::planar::Planar;
use super::rejection;
use super::{BoundaryPart, BoundaryPoints, Domain, DomainError, Outline};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::Space;
use std::sync::{Arc, OnceLock};

/// How far beside its surface a point is judged, relative to the size of the shape.
const BESIDE: f64 = 1e-8;
/// Points for the estimate of a volume.
const VOLUME_POINTS: usize = 1 << 17;

/// How two sets make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetOperation {
    /// A ∪ B.
    Union,
    /// A ∩ B.
    Intersection,
    /// A ∖ B.
    Difference,
}

impl SetOperation {
    fn holds(self, first: bool, second: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Union => first || second(),
            Self::Intersection => first && second(),
            Self::Difference => first && !second(),
        }
    }
}

/// Two domains as one set; made by [`union`](super::DomainExt::union), [`intersection`](super::DomainExt::intersection)
/// and [`difference`](super::DomainExt::difference).
///
/// Its parts are what remains of the parts of both, under their names; a part of which nothing remains is dropped. A point of
/// either boundary belongs to the new one if the set lies on one side of it only; what both share is kept once.
/// Where both outlines are known, in the plane, the pieces are cut where they cross, so that measures, corners and
/// normals are exact; otherwise points that do not remain are rejected, and measures are estimated to better than 10⁻³.
#[derive(Clone, Debug)]
pub struct Combined {
    operation: SetOperation,
    first: Arc<dyn Domain>,
    second: Arc<dyn Domain>,
    bounds: BoundingBox,
    boundary: Boundary,
    volume: OnceLock<f64>,
}

#[derive(Clone, Debug)]
enum Boundary {
    Planar(Box<Planar>),
    Sampled(Vec<SampledPart>),
}

/// What remains of a part of an operand.
#[derive(Clone, Debug)]
struct SampledPart {
    /// Whether it is the second operand's.
    second: bool,
    index: usize,
    part: BoundaryPart,
}

impl Combined {
    /// The set that the operation makes of two domains.
    ///
    /// # Errors
    /// Domains of different dimensions or with a time, a result that is empty.
    pub fn new(
        operation: SetOperation,
        first: impl Domain + 'static,
        second: impl Domain + 'static,
    ) -> Result<Self, DomainError> {
        let (a, b) = (first.bounding_box()?, second.bounding_box()?);
        if a.dim() != b.dim() {
            return Err(DomainError::DimensionMismatch {
                what: "the second domain",
                expected: a.dim(),
                found: b.dim(),
            });
        }
        let bounds = match operation {
            SetOperation::Difference => a,
            SetOperation::Union => hull(&a, &b, f64::min, f64::max)?,
            SetOperation::Intersection => {
                hull(&a, &b, f64::max, f64::min).map_err(|_| DomainError::EmptyShape)?
            }
        };
        Self::build(operation, Arc::new(first), Arc::new(second), bounds)
    }

    pub(super) fn build(
        operation: SetOperation,
        first: Arc<dyn Domain>,
        second: Arc<dyn Domain>,
        bounds: BoundingBox,
    ) -> Result<Self, DomainError> {
        let timed =
            |domain: &Arc<dyn Domain>| domain.parts().iter().any(|part| part.kind.is_time());
        if timed(&first) || timed(&second) {
            return Err(DomainError::Unsupported {
                operation: "a set operation on space-time domains",
                hint: "combine the spaces first, then put the result over time",
            });
        }
        let mut combined = Self {
            operation,
            first,
            second,
            bounds,
            boundary: Boundary::Sampled(Vec::new()),
            volume: OnceLock::new(),
        };
        let outlines = (combined.first.outline(), combined.second.outline());
        if let (Some(first), Some(second)) = outlines {
            let planar = Planar::new(combined.clipped(&first, &second)?)?;
            combined.bounds = planar.bounds.clone();
            combined.boundary = Boundary::Planar(Box::new(planar));
        } else {
            combined.boundary = Boundary::Sampled(combined.shares()?);
        }
        Ok(combined)
    }

    /// The operation.
    #[must_use]
    pub fn operation(&self) -> SetOperation {
        self.operation
    }

    /// The two operands.
    #[must_use]
    pub fn operands(&self) -> (&dyn Domain, &dyn Domain) {
        (&*self.first, &*self.second)
    }

    /// What becomes of a boundary point of an operand.
    fn judge(&self, second: bool, x: &[f64], normal: &[f64]) -> Verdict {
        let largest = self.bounds.extents().fold(0.0, f64::max);
        let beside = |sign: f64| -> Vec<f64> {
            let step = sign * BESIDE * largest;
            x.iter().zip(normal).map(|(x, n)| x + step * n).collect()
        };
        let (behind, before) = (beside(-1.0), beside(1.0));
        // A surface that both have belongs to the first.
        if second && self.first.contains(&behind) != self.first.contains(&before) {
            return Verdict::Drop;
        }
        match (self.holds(&behind), self.holds(&before)) {
            (true, false) => Verdict::Keep,
            (false, true) => Verdict::Flip,
            _ => Verdict::Drop,
        }
    }

    fn holds(&self, point: &[f64]) -> bool {
        let second = || self.second.contains(point);
        self.operation.holds(self.first.contains(point), second)
    }

    /// The pieces of both outlines that remain.
    ///
    /// Curves are cut where the verdict on their points changes, and where the other outline is cut: what is too short
    /// to be noticed on one curve is noticed on the other.
    fn clipped(&self, first: &Outline, second: &Outline) -> Result<Outline, DomainError> {
        let names: Vec<String> = first
            .names()
            .iter()
            .chain(second.names())
            .cloned()
            .collect();
        let reach = GAP * first.size().min(second.size());
        let judges: [Box<Judge<'_>>; 2] = [
            Box::new(|x, n| self.judge(false, &x, &n)),
            Box::new(|x, n| self.judge(true, &x, &n)),
        ];
        let outlines = [first, second];
        let cuts = [0, 1].map(|k: usize| -> Vec<Vec<f64>> {
            outlines[k]
                .curves()
                .map(|curve| changes(curve, &*judges[k]))
                .collect()
        });
        let mut remaining = Vec::new();
        for (k, outline) in outlines.into_iter().enumerate() {
            let offset = if k == 0 { 0 } else { first.names().len() };
            let (other, other_cuts) = (outlines[1 - k], &cuts[1 - k]);
            let crossings: Vec<[f64; 2]> = (other.curves().zip(other_cuts))
                .flat_map(|(curve, cuts)| cuts.iter().map(|&s| curve.at(s).0))
                .collect();
            for ((part, curve), own) in outline.numbered().iter().zip(&cuts[k]) {
                let mut places = own.clone();
                for &crossing in &crossings {
                    let (place, gap) = curve.nearest(crossing);
                    if gap <= reach {
                        places.push(place);
                    }
                }
                let kept = pieces(curve, places, &*judges[k], reach).into_iter();
                remaining.extend(kept.map(|piece| (offset + part, piece)));
            }
        }
        join(&names, remaining)
    }

    /// The parts of both of which something remains, with their estimated measures.
    fn shares(&self) -> Result<Vec<SampledPart>, DomainError> {
        let mut remaining = Vec::new();
        for (domain, second) in [(&self.first, false), (&self.second, true)] {
            for (index, mut part) in domain.parts().into_iter().enumerate() {
                let sign = |x: &[f64], n: &[f64]| self.sign(second, x, n);
                part.measure *= rejection::share(&**domain, index, &sign)?;
                if part.measure > 0.0 {
                    remaining.push(SampledPart {
                        second,
                        index,
                        part,
                    });
                }
            }
        }
        if remaining.is_empty() {
            return Err(DomainError::EmptyShape);
        }
        Ok(remaining)
    }

    /// Which way the normal of a point of an operand's part goes; `None` if the point does not remain.
    fn sign(&self, second: bool, x: &[f64], normal: &[f64]) -> Option<f64> {
        match self.judge(second, x, normal) {
            Verdict::Keep => Some(1.0),
            Verdict::Flip => Some(-1.0),
            Verdict::Drop => None,
        }
    }
}

/// The box whose sides are taken from two others.
fn hull(
    a: &BoundingBox,
    b: &BoundingBox,
    lower: fn(f64, f64) -> f64,
    upper: fn(f64, f64) -> f64,
) -> Result<BoundingBox, DomainError> {
    let combine = |a: &[f64], b: &[f64], f: fn(f64, f64) -> f64| -> Vec<f64> {
        a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect()
    };
    BoundingBox::new(
        &combine(a.lo(), b.lo(), lower),
        &combine(a.hi(), b.hi(), upper),
    )
}

impl Domain for Combined {
    fn dim(&self) -> usize {
        self.first.dim()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        Ok(self.bounds.clone())
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dim() && self.holds(point)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        match &self.boundary {
            Boundary::Planar(planar) => planar.outline.parts(),
            Boundary::Sampled(parts) => parts.iter().map(|source| source.part.clone()).collect(),
        }
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        match &self.boundary {
            Boundary::Planar(planar) => planar.outline.sample(part, count, sampler),
            Boundary::Sampled(parts) => match parts.get(part) {
                Some(source) => {
                    let domain = if source.second {
                        &self.second
                    } else {
                        &self.first
                    };
                    let sign = |x: &[f64], n: &[f64]| self.sign(source.second, x, n);
                    rejection::sample_part(&**domain, source.index, count, sampler, &sign)
                }
                None => Err(DomainError::PartIndex {
                    index: part,
                    count: parts.len(),
                }),
            },
        }
    }

    fn volume(&self) -> Result<f64, DomainError> {
        if let Boundary::Planar(planar) = &self.boundary {
            return Ok(planar.area);
        }
        if let Some(&volume) = self.volume.get() {
            return Ok(volume);
        }
        let volume = rejection::volume_from(self, VOLUME_POINTS)?;
        Ok(*self.volume.get_or_init(|| volume))
    }

    fn coordinates(&self) -> Space {
        self.first.coordinates()
    }

    fn outline(&self) -> Option<Outline> {
        match &self.boundary {
            Boundary::Planar(planar) => Some(planar.outline.clone()),
            Boundary::Sampled(_) => None,
        }
    }

    fn is_unbounded(&self) -> bool {
        let (first, second) = (self.first.is_unbounded(), self.second.is_unbounded());
        match self.operation {
            SetOperation::Union => first || second,
            SetOperation::Intersection => first && second,
            SetOperation::Difference => first && !second,
        }
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        let (first, second) = (self.first.reflect(axis)?, self.second.reflect(axis)?);
        (first == second).then_some(first)
    }
}
