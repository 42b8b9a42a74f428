//! Circular cylinders.

use super::forward::forward;
use super::{Ball, Domain, DomainError, DomainExt, Product};

/// A disc of the first two axes along an interval of the third. Its parts are "side", "bottom" and "top".
#[derive(Clone, Debug)]
pub struct Cylinder {
    prism: Product,
}

impl Cylinder {
    /// The points within `radius` of a vertical line, with heights in [lo, hi].
    ///
    /// # Errors
    /// A radius that is not positive, an interval that is empty, numbers that are not finite.
    pub fn new(center: [f64; 2], radius: f64, lo: f64, hi: f64) -> Result<Self, DomainError> {
        let disc = Ball::new(&center, radius)?.named("side");
        let prism = Product::new(disc, lo, hi)?.with_ends("bottom", "top");
        Ok(Self { prism })
    }
}

impl Domain for Cylinder {
    forward!(|this| this.prism; everything);
}
