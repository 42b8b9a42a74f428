//! A shape along an interval.

use super::extruded::Extruded;
use super::forward::forward;
use super::select::{axis_name, face_name};
use super::{BoundaryPart, Domain, DomainError};
use fastlsq_ops::Space;
use std::sync::Arc;

/// Ω × [lo, hi], the interval being the last axis: a prism over Ω.
///
/// Its parts are those of Ω under their own names, then the ends, "z=lo" and "z=hi" over a shape of the plane. Over time
/// it would be a [`SpaceTime`](super::SpaceTime) domain.
#[derive(Clone, Debug)]
pub struct Product {
    solid: Extruded,
    ends: [String; 2],
}

impl Product {
    /// `base` along [lo, hi].
    ///
    /// # Errors
    /// Unless lo < hi and both are finite; if `base` is not a proper domain or has a time.
    pub fn new(base: impl Domain + 'static, lo: f64, hi: f64) -> Result<Self, DomainError> {
        let dim = base.dim();
        if Extruded::is_timed(&base) {
            return Err(DomainError::Unsupported {
                operation: "a product with a space-time domain",
                hint: "make the product of the space first, then put it over time",
            });
        }
        Ok(Self {
            solid: Extruded::new(Arc::new(base), lo, hi)?,
            ends: [false, true].map(|upper| face_name(dim + 1, dim, upper)),
        })
    }

    /// The same with other names for the lower and the upper end.
    #[must_use]
    pub fn with_ends(mut self, lower: &str, upper: &str) -> Self {
        self.ends = [lower.to_owned(), upper.to_owned()];
        self
    }

    /// The shape Ω.
    #[must_use]
    pub fn base(&self) -> &dyn Domain {
        &*self.solid.base
    }
}

impl Domain for Product {
    forward!(|this| this.solid; dim, bounding_box, contains, sample_part, sample_interior, volume, quadrature, periodic_pair);

    fn coordinates(&self) -> Space {
        let (base, dim) = (self.base().coordinates(), self.dim());
        if base == Space::new(dim - 1) {
            return Space::new(dim);
        }
        // The base has names of its own: the new axis is z, or x₃, …, unless that is one of them.
        let mut names: Vec<String> = base.names().into_iter().map(str::to_owned).collect();
        let own = [axis_name(dim, dim - 1), format!("x{dim}")];
        names.extend(own.into_iter().find(|name| !names.contains(name)));
        Space::new(dim).renamed(names.iter().map(String::as_str))
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        let mut parts = self.solid.sides();
        let ends = self.ends.iter();
        parts.extend(ends.map(|name| BoundaryPart::wall(name.clone(), self.solid.base_volume)));
        parts
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        if axis == self.base().dim() {
            Some(0.5 * self.solid.lo + 0.5 * self.solid.hi)
        } else {
            self.base().reflect(axis)
        }
    }
}
