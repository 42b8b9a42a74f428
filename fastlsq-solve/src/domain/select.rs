//! Parts of a boundary by name or role, and points on several of them at once.

use super::checks::{check_memory, checked_part};
use super::{
    BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, Combined, Divided, Domain, DomainError,
    Exterior, HalfSpace, Moved, PartSelector, Parted, Product, Renamed, RenamedParts, SetOperation,
    SpaceTime,
};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::{Coordinate, Space};
use ndarray::{Array2, s};
use std::sync::Arc;

/// What every [`Domain`] can do beyond its own methods.
pub trait DomainExt: Domain {
    /// The numbers of the parts that `selector` means, in order.
    ///
    /// # Errors
    /// If there are none; the error lists the parts there are.
    fn select(&self, selector: &PartSelector) -> Result<Vec<usize>, DomainError> {
        select(&self.parts(), selector)
    }

    /// `count` points on the selected parts together, uniform in surface measure: each part gets a
    /// number of points in proportion to its measure, and at least one if there are enough.
    /// The points of a part follow each other, in the order of the parts.
    ///
    /// # Errors
    /// If nothing is selected or a measure is not a finite number ≥ 0.
    fn sample_selected(
        &self,
        selector: &PartSelector,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let parts = self.parts();
        let chosen = select(&parts, selector)?;
        let measured: Vec<&BoundaryPart> = chosen.iter().map(|&part| &parts[part]).collect();
        let dim = self.dim();
        check_memory(count, dim)?;
        let counts = share_out(&measured, count)?;
        let mut all = BoundaryPoints {
            points: Array2::zeros((count, dim)),
            normals: Array2::zeros((count, dim)),
        };
        let mut start = 0;
        for (part, share) in chosen.into_iter().zip(counts) {
            if share == 0 {
                continue;
            }
            let sampled = checked_part(self, part, share, sampler)?;
            let rows = s![start..start + share, ..];
            all.points.slice_mut(rows).assign(&sampled.points);
            all.normals.slice_mut(rows).assign(&sampled.normals);
            start += share;
        }
        Ok(all)
    }

    /// The name of the face of a box where an axis is smallest or largest.
    ///
    /// # Errors
    /// If there is no such face; the error lists the parts there are.
    fn face(&self, axis: usize, upper: bool) -> Result<String, DomainError> {
        let space = self.coordinates();
        let name = if space.has_time() && axis + 1 == space.dim() {
            (if upper { "final" } else { "initial" }).to_owned()
        } else {
            face_name(space.space_axes(), axis, upper)
        };
        self.select(&PartSelector::Named(name.clone()))?;
        Ok(name)
    }

    /// The same domain with other names for its coordinates: `.with_coordinates(["r", "z"])`.
    fn with_coordinates<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Renamed<Self>
    where
        Self: Sized + 'static,
    {
        Renamed::new(self, names)
    }

    /// The number of the time axis, the last one, if the domain has an initial or final part.
    fn time_axis(&self) -> Option<usize> {
        let timed = self.parts().iter().any(|part| part.kind.is_time());
        if timed {
            self.dim().checked_sub(1)
        } else {
            None
        }
    }

    /// The space-time domain of this one over the times [t0, t1].
    ///
    /// ```
    /// use fastlsq_solve::domain::{Ball, Domain, DomainExt};
    /// let heated_ball = Ball::unit(3).over(0.0, 2.0)?;
    /// assert_eq!(heated_ball.dim(), 4);
    /// # Ok::<(), fastlsq_solve::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`SpaceTime::new`].
    fn over(self, t0: f64, t1: f64) -> Result<SpaceTime, DomainError>
    where
        Self: Sized + 'static,
    {
        SpaceTime::new(self, t0, t1)
    }

    /// The prism of this shape along [lo, hi] as a further axis of space.
    ///
    /// # Errors
    /// Those of [`Product::new`].
    fn along(self, lo: f64, hi: f64) -> Result<Product, DomainError>
    where
        Self: Sized + 'static,
    {
        Product::new(self, lo, hi)
    }

    /// A ∪ B.
    ///
    /// # Errors
    /// Those of [`Combined::new`].
    fn union(self, other: impl Domain + 'static) -> Result<Combined, DomainError>
    where
        Self: Sized + 'static,
    {
        Combined::new(SetOperation::Union, self, other)
    }

    /// A ∩ B.
    ///
    /// # Errors
    /// Those of [`Combined::new`].
    fn intersection(self, other: impl Domain + 'static) -> Result<Combined, DomainError>
    where
        Self: Sized + 'static,
    {
        Combined::new(SetOperation::Intersection, self, other)
    }

    /// A ∖ B.
    ///
    /// ```
    /// use fastlsq_solve::domain::{Ball, BoxDomain, Domain, DomainExt};
    /// let hole = Ball::new(&[0.5, 0.5], 0.2)?.named("hole");
    /// let plate = BoxDomain::unit(2).difference(hole)?;
    /// assert_eq!(plate.parts().last().map(|part| part.name.as_str()), Some("hole"));
    /// # Ok::<(), fastlsq_solve::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Combined::new`].
    fn difference(self, other: impl Domain + 'static) -> Result<Combined, DomainError>
    where
        Self: Sized + 'static,
    {
        Combined::new(SetOperation::Difference, self, other)
    }

    /// What a box holds besides this set.
    ///
    /// # Errors
    /// Those of [`Combined::new`].
    fn complement(self, bounds: &BoundingBox) -> Result<Combined, DomainError>
    where
        Self: Sized + 'static,
    {
        BoxDomain::new(bounds.lo(), bounds.hi())?.difference(self)
    }

    /// What of this set lies in a half-space.
    ///
    /// # Errors
    /// If that is nothing, or the dimensions differ.
    fn cut(self, half_space: &HalfSpace) -> Result<Combined, DomainError>
    where
        Self: Sized + 'static,
    {
        half_space.cut_off(Arc::new(self))
    }

    /// The set shifted by a vector.
    ///
    /// # Errors
    /// A vector of another dimension or not finite.
    fn translated(self, shift: &[f64]) -> Result<Moved, DomainError>
    where
        Self: Sized + 'static,
    {
        Moved::translate(self, shift)
    }

    /// The set turned about the origin, from the first towards the second axis.
    ///
    /// # Errors
    /// Fewer than two axes, an angle that is not finite.
    fn rotated(self, angle: f64) -> Result<Moved, DomainError>
    where
        Self: Sized + 'static,
    {
        Moved::rotate(self, [0, 1], angle)
    }

    /// The set turned about the origin, from one axis towards another.
    ///
    /// # Errors
    /// Axes that do not exist or are the same, an angle that is not finite.
    fn rotated_in(self, axes: [usize; 2], angle: f64) -> Result<Moved, DomainError>
    where
        Self: Sized + 'static,
    {
        Moved::rotate(self, axes, angle)
    }

    /// The set stretched from the origin by a positive factor.
    ///
    /// # Errors
    /// A factor that is not positive and finite.
    fn scaled(self, factor: f64) -> Result<Moved, DomainError>
    where
        Self: Sized + 'static,
    {
        Moved::scale(self, factor)
    }

    /// The same domain, in which the boundary points that satisfy a predicate form a part of this name.
    ///
    /// ```
    /// use fastlsq_solve::domain::{Ball, Domain, DomainExt};
    /// let disc = Ball::unit(2).with_part("inlet", |x| x[0] < -0.5)?;
    /// let parts = disc.parts();
    /// assert_eq!(parts[1].name, "inlet");
    /// assert!((parts[1].measure - 2.0 * std::f64::consts::PI / 3.0).abs() < 1e-8);
    /// # Ok::<(), fastlsq_solve::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// If no point of the boundary satisfies it, or the domain has a time.
    fn with_part(
        self,
        name: &str,
        predicate: impl Fn(&[f64]) -> bool + Send + Sync + 'static,
    ) -> Result<Parted, DomainError>
    where
        Self: Sized + 'static,
    {
        Parted::new(self, name, predicate)
    }

    /// The same domain, in which what lies in a shape is a region of this name, with equations of its own. What is
    /// left is the region [`REST`](super::REST); what lies between, with normals out of the shape, is a part of the
    /// boundary with the region's name.
    ///
    /// ```
    /// use fastlsq_solve::domain::{Ball, BoxDomain, Domain, DomainExt};
    /// let plate = BoxDomain::unit(2).with_region("inclusion", Ball::new(&[0.5, 0.5], 0.2)?)?;
    /// let names: Vec<String> = plate.regions().into_iter().map(|region| region.name).collect();
    /// assert_eq!(names, ["inclusion", "rest"]);
    /// assert_eq!(plate.parts().last().map(|part| part.name.clone()), Some("inclusion".to_owned()));
    /// # Ok::<(), fastlsq_solve::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Divided::new`].
    fn with_region(self, name: &str, shape: impl Domain + 'static) -> Result<Divided, DomainError>
    where
        Self: Sized + 'static,
    {
        Divided::new(self, name, shape)
    }

    /// All of the plane outside of this shape; the box is where the solution is looked at.
    ///
    /// # Errors
    /// Those of [`Exterior::new`].
    fn exterior(self, near_field: &BoundingBox) -> Result<Exterior, DomainError>
    where
        Self: Sized + 'static,
    {
        Exterior::new(self, near_field)
    }

    /// The same domain, all of its parts under one name.
    fn named(self, name: &str) -> RenamedParts
    where
        Self: Sized + 'static,
    {
        RenamedParts::new(self, |_| name.to_owned())
    }

    /// The same domain with other names for its parts.
    fn renamed(self, rename: impl Fn(&str) -> String) -> RenamedParts
    where
        Self: Sized + 'static,
    {
        RenamedParts::new(self, rename)
    }
}

impl<D: Domain + ?Sized> DomainExt for D {}

/// What the faces of a box with this many axes are called: "x=lo", "y=hi", "x₄=lo".
pub(super) fn face_name(axes: usize, axis: usize, upper: bool) -> String {
    let end = if upper { "hi" } else { "lo" };
    format!("{}={end}", axis_name(axes, axis))
}

/// What an axis is called among this many: x, y and z, or x₀, x₁, … beyond three.
pub(super) fn axis_name(axes: usize, axis: usize) -> String {
    let space = Space::new(axes);
    match space.names().get(axis) {
        Some(name) => (*name).to_owned(),
        None => Coordinate::Axis(axis).to_string(),
    }
}

fn select(parts: &[BoundaryPart], selector: &PartSelector) -> Result<Vec<usize>, DomainError> {
    let chosen: Vec<usize> = (0..parts.len())
        .filter(|&index| selector.matches(&parts[index]))
        .collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let known = parts.iter().map(|part| part.name.clone()).collect();
    Err(match selector {
        PartSelector::Named(name) => DomainError::UnknownPart {
            name: name.clone(),
            known,
        },
        other => DomainError::NothingSelected {
            selector: other.clone(),
            known,
        },
    })
}

/// Splits `count` in proportion to the parts' measures by rounding the running total, so that the
/// shares add up; then one each to parts left empty, from the fullest.
fn share_out(parts: &[&BoundaryPart], count: usize) -> Result<Vec<usize>, DomainError> {
    if parts.len() == 1 {
        return Ok(vec![count]);
    }
    // Relative to the largest, so that the total cannot overflow.
    let largest = parts.iter().map(|part| part.measure).fold(0.0, f64::max);
    let improper = |part: &&&BoundaryPart| {
        !(part.measure.is_finite() && part.measure >= 0.0) || largest == 0.0
    };
    if let Some(part) = parts.iter().find(improper) {
        return Err(DomainError::BadMeasure {
            part: part.name.clone(),
            measure: part.measure,
        });
    }
    let total: f64 = parts.iter().map(|part| part.measure / largest).sum();
    let (mut running, mut given) = (0.0, 0);
    let mut counts = Vec::with_capacity(parts.len());
    for part in parts {
        running += part.measure / largest;
        let upto = ((count as f64 * (running / total)).round() as usize).min(count);
        counts.push(upto - given);
        given = upto;
    }
    for (empty, part) in parts.iter().enumerate() {
        if counts[empty] == 0 && part.measure > 0.0 && take_from_fullest(&mut counts) {
            counts[empty] = 1;
        }
    }
    Ok(counts)
}

/// Takes one from the largest count (the last of equals) if that leaves some.
fn take_from_fullest(counts: &mut [usize]) -> bool {
    match counts.iter_mut().max() {
        Some(fullest) if *fullest > 1 => {
            *fullest -= 1;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shares(measures: &[f64], count: usize) -> Result<Vec<usize>, DomainError> {
        let parts: Vec<BoundaryPart> = measures
            .iter()
            .map(|&measure| BoundaryPart::wall("wall", measure))
            .collect();
        share_out(&parts.iter().collect::<Vec<_>>(), count)
    }

    #[test]
    fn shares_of_simple_boundaries() {
        assert_eq!(shares(&[1.0; 4], 10).unwrap(), [3, 2, 3, 2]);
        assert_eq!(shares(&[1.0, 2.0, 3.0], 600).unwrap(), [100, 200, 300]);
        assert_eq!(shares(&[1.0, 1e6], 100).unwrap(), [1, 99]);
        assert_eq!(shares(&[1.0, 1e6], 1).unwrap(), [0, 1]);
        assert_eq!(shares(&[1.0, 0.0], 5).unwrap(), [5, 0]);
        assert_eq!(shares(&[1e308, 1e308], 5).unwrap(), [3, 2]);
        assert_eq!(shares(&[1e-320, 1e-320], 4).unwrap(), [2, 2]);
        assert_eq!(shares(&[0.0], 7).unwrap(), [7]);
        for bad in [
            [-1.0, 1.0],
            [f64::NAN, 1.0],
            [f64::INFINITY, 1.0],
            [0.0, 0.0],
        ] {
            assert!(matches!(
                shares(&bad, 3),
                Err(DomainError::BadMeasure { .. })
            ));
        }
    }

    proptest! {
        #[test]
        fn shares_add_up_and_are_within_one_of_their_quota(
            measures in prop::collection::vec(0.1..10.0_f64, 2..20), count in 0_usize..100_000,
        ) {
            let counts = shares(&measures, count).unwrap();
            prop_assert_eq!(counts.iter().sum::<usize>(), count);
            let total: f64 = measures.iter().sum();
            if count >= 100 * measures.len() {
                for (share, measure) in counts.iter().zip(&measures) {
                    let quota = count as f64 * measure / total;
                    prop_assert!((*share as f64 - quota).abs() < 1.0 + 1e-9 * quota);
                }
            } else if count >= measures.len() {
                prop_assert!(counts.iter().all(|&share| share >= 1));
            }
        }
    }
}
