//! A domain with a part of one's own.

use super::checks::check_memory;
use super::forward::forward;
use super::outline::{GAP, Verdict, changes, compact, pieces};
use super::rejection;
use super::{BoundaryPart, BoundaryPoints, Corner, Domain, DomainError, Hole, Outline};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::{Array2, s};
use std::fmt;
use std::sync::Arc;

type Predicate = dyn Fn(&[f64]) -> bool + Send + Sync;

/// Another domain, some of whose boundary is a part of its own; made by [`with_part`](super::DomainExt::with_part).
#[derive(Clone)]
pub struct Parted {
    inner: Arc<dyn Domain>,
    predicate: Arc<Predicate>,
    boundary: Boundary,
}

#[derive(Clone, Debug)]
enum Boundary {
    Planar(Box<Outline>),
    Sampled(Vec<Part>),
}

/// A part: what of the inner domain's parts belongs to it.
#[derive(Clone, Debug)]
struct Part {
    part: BoundaryPart,
    /// Whether it consists of the points that satisfy the predicate.
    chosen: bool,
    /// Numbers of the inner domain's parts, with the measure of what belongs here.
    pieces: Vec<(usize, f64)>,
}

impl fmt::Debug for Parted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parted")
            .field("inner", &self.inner)
            .field("boundary", &self.boundary)
            .finish_non_exhaustive()
    }
}

impl Parted {
    pub(super) fn new(
        inner: impl Domain + 'static,
        name: &str,
        predicate: impl Fn(&[f64]) -> bool + Send + Sync + 'static,
    ) -> Result<Self, DomainError> {
        let mut parted = Self {
            inner: Arc::new(inner),
            predicate: Arc::new(predicate),
            boundary: Boundary::Sampled(Vec::new()),
        };
        parted.boundary = match parted.inner.outline() {
            Some(outline) => Boundary::Planar(Box::new(parted.split(&outline, name)?)),
            None => Boundary::Sampled(parted.shares(name)?),
        };
        Ok(parted)
    }

    /// The outline with its curves cut where the predicate changes.
    fn split(&self, outline: &Outline, name: &str) -> Result<Outline, DomainError> {
        let reach = GAP * outline.size();
        let judge = |chosen: bool| {
            move |x: [f64; 2], _: [f64; 2]| {
                if (self.predicate)(&x) == chosen {
                    Verdict::Keep
                } else {
                    Verdict::Drop
                }
            }
        };
        let mut names = outline.names().to_vec();
        let own = names.iter().position(|known| known == name);
        let own = own.unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        let (mut curves, mut reached) = (Vec::new(), false);
        for (part, curve) in outline.numbered() {
            let cuts = changes(curve, &judge(true));
            for piece in pieces(curve, cuts.clone(), &judge(true), reach) {
                curves.push((own, piece));
                reached = true;
            }
            for piece in pieces(curve, cuts, &judge(false), reach) {
                curves.push((*part, piece));
            }
        }
        if !reached {
            return Err(DomainError::UnreachedPart {
                part: name.to_owned(),
            });
        }
        compact(&names, curves)
    }

    /// The parts of the inner domain less what satisfies the predicate, and the new one.
    fn shares(&self, name: &str) -> Result<Vec<Part>, DomainError> {
        let (mut parts, mut chosen) = (Vec::new(), Vec::new());
        for (index, part) in self.inner.parts().into_iter().enumerate() {
            if part.kind.is_time() {
                return Err(DomainError::Unsupported {
                    operation: "naming a part of a space-time domain",
                    hint: "name the part of the space first, then put the space over time",
                });
            }
            let share = rejection::share(&*self.inner, index, &self.sign(true))?;
            if share > 0.0 {
                chosen.push((index, share * part.measure));
            }
            if share < 1.0 {
                let measure = (1.0 - share) * part.measure;
                parts.push(Part {
                    part: BoundaryPart::wall(part.name, measure),
                    chosen: false,
                    pieces: vec![(index, measure)],
                });
            }
        }
        if chosen.is_empty() {
            return Err(DomainError::UnreachedPart {
                part: name.to_owned(),
            });
        }
        parts.push(Part {
            part: BoundaryPart::wall(name, chosen.iter().map(|(_, measure)| measure).sum()),
            chosen: true,
            pieces: chosen,
        });
        Ok(parts)
    }

    /// The sign of a normal that stays as it is, where the point does, or does not, satisfy the predicate.
    fn sign(&self, chosen: bool) -> impl Fn(&[f64], &[f64]) -> Option<f64> + '_ {
        move |x, _| ((self.predicate)(x) == chosen).then_some(1.0)
    }

    /// Points of a part, shared out over its pieces by their measures.
    fn sample_pieces(
        &self,
        part: &Part,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let dim = self.dim();
        check_memory(count, 2 * dim)?;
        let mut all = BoundaryPoints {
            points: Array2::zeros((count, dim)),
            normals: Array2::zeros((count, dim)),
        };
        let (mut running, mut start) = (0.0, 0);
        for (index, measure) in &part.pieces {
            running += measure / part.part.measure;
            let end = ((count as f64 * running).round() as usize).min(count);
            let sign = self.sign(part.chosen);
            let own = rejection::sample_part(&*self.inner, *index, end - start, sampler, &sign)?;
            all.points.slice_mut(s![start..end, ..]).assign(&own.points);
            all.normals
                .slice_mut(s![start..end, ..])
                .assign(&own.normals);
            start = end;
        }
        Ok(all)
    }
}

impl Domain for Parted {
    forward!(|this| this.inner; dim, bounding_box, contains, sample_interior, volume, coordinates, quadrature, is_unbounded, periodic_pair);

    fn parts(&self) -> Vec<BoundaryPart> {
        match &self.boundary {
            Boundary::Planar(outline) => outline.parts(),
            Boundary::Sampled(parts) => parts.iter().map(|part| part.part.clone()).collect(),
        }
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        match &self.boundary {
            Boundary::Planar(outline) => outline.sample(part, count, sampler),
            Boundary::Sampled(parts) => match parts.get(part) {
                Some(part) => self.sample_pieces(part, count, sampler),
                None => Err(DomainError::PartIndex {
                    index: part,
                    count: parts.len(),
                }),
            },
        }
    }

    fn outline(&self) -> Option<Outline> {
        match &self.boundary {
            Boundary::Planar(outline) => Some((**outline).clone()),
            Boundary::Sampled(_) => None,
        }
    }

    fn corners(&self) -> Vec<Corner> {
        self.outline()
            .map_or_else(|| self.inner.corners(), |outline| outline.corners())
    }

    fn holes(&self) -> Vec<Hole> {
        self.outline()
            .map_or_else(|| self.inner.holes(), |outline| outline.holes())
    }
}
