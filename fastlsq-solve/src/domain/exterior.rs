//! What lies outside of an obstacle, without end.

use super::forward::forward;
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Combined, Domain, DomainError, DomainExt,
    Outline, PartKind, SetOperation,
};
use fastlsq_basis::sampling::UnitSampler;
use std::sync::Arc;

/// All of the plane outside of an obstacle; made by [`exterior`](DomainExt::exterior).
///
/// Its boundary is that of the obstacle, with normals that point into it. The box is where the solution is looked at, sampled
/// and measured; it bounds nothing.
///
/// Unknowns that live there are made of functions that solve the equation and behave at infinity as they must: for
/// Laplace's equation they stay bounded; for Helmholtz's they [leave the obstacle](crate::LinearProblem::outgoing).
#[derive(Clone, Debug)]
pub struct Exterior {
    /// The box without the obstacle.
    near: Arc<Combined>,
    obstacle: Arc<dyn Domain>,
    /// For each part, its number in the near field.
    parts: Vec<usize>,
}

/// How the sides of the box are told from parts of the obstacle.
const FAR: &str = "\u{221e} ";

impl Exterior {
    /// The outside of an obstacle that lies inside a box.
    ///
    /// # Errors
    /// Dimensions other than 2 or that differ, an obstacle that the box does not hold, one with a time.
    pub fn new(
        obstacle: impl Domain + 'static,
        near_field: &BoundingBox,
    ) -> Result<Self, DomainError> {
        let obstacle: Arc<dyn Domain> = Arc::new(obstacle);
        if obstacle.dim() != 2 {
            return Err(DomainError::Unsupported {
                operation: "an exterior in other than two dimensions",
                hint: "cut the obstacle out of a large box or ball, with a condition on its walls",
            });
        }
        let own = obstacle.bounding_box()?;
        let inside =
            |k: usize| near_field.lo()[k] < own.lo()[k] && own.hi()[k] < near_field.hi()[k];
        if near_field.dim() != 2 || !(0..2).all(inside) {
            return Err(DomainError::ObstacleOutside {
                lo: own.lo().to_vec(),
                hi: own.hi().to_vec(),
            });
        }
        let sides = BoxDomain::new(near_field.lo(), near_field.hi())?;
        let sides = sides.renamed(|name| format!("{FAR}{name}"));
        let near = Combined::new(SetOperation::Difference, sides, Arc::clone(&obstacle))?;
        let numbered = near.parts().into_iter().enumerate();
        let parts = numbered.filter(|(_, part)| !part.name.starts_with(FAR));
        Ok(Self {
            parts: parts.map(|(index, _)| index).collect(),
            near: Arc::new(near),
            obstacle,
        })
    }

    /// The obstacle.
    #[must_use]
    pub fn obstacle(&self) -> &dyn Domain {
        &*self.obstacle
    }
}

impl Domain for Exterior {
    forward!(|this| this.obstacle; dim, coordinates);
    forward!(|this| this.near; bounding_box, sample_interior, volume, holes);

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == 2 && point.iter().all(|x| x.is_finite()) && !self.obstacle.contains(point)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.near.parts();
        parts.retain(|part| part.kind == PartKind::Wall && !part.name.starts_with(FAR));
        parts
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        match self.parts.get(part) {
            Some(&index) => self.near.sample_part(index, count, sampler),
            None => Err(DomainError::PartIndex {
                index: part,
                count: self.parts.len(),
            }),
        }
    }

    fn outline(&self) -> Option<Outline> {
        // Not the outline of the near field: it would close where nothing ends.
        None
    }

    fn is_unbounded(&self) -> bool {
        true
    }
}
