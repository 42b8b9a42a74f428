//! Ellipses.

use super::checks::check_finite;
use super::planar::{Planar, planar_domain};
use super::{Curve, DomainError, Outline};
use std::f64::consts::{PI, TAU};

/// The ellipse ((x₀ − c₀)/a)² + ((x₁ − c₁)/b)² ≤ 1. Its one part is "ellipse".
#[derive(Clone, Debug)]
pub struct Ellipse {
    center: [f64; 2],
    half_axes: [f64; 2],
    planar: Planar,
}

impl Ellipse {
    /// The ellipse of a given centre and half axes a, b.
    ///
    /// # Errors
    /// Half axes that are not positive, numbers that are not finite.
    pub fn new(center: [f64; 2], half_axes: [f64; 2]) -> Result<Self, DomainError> {
        check_finite("the centre", &center)?;
        if let Some(&radius) = half_axes.iter().find(|a| !(a.is_finite() && **a > 0.0)) {
            return Err(DomainError::BadRadius { radius });
        }
        let curve = Curve::parametric(move |t| {
            let angle = TAU * t;
            [
                center[0] + half_axes[0] * angle.cos(),
                center[1] + half_axes[1] * angle.sin(),
            ]
        })?;
        let mut planar = Planar::new(Outline::new([("ellipse", curve)])?)?;
        planar.area = PI * half_axes[0] * half_axes[1];
        Ok(Self {
            center,
            half_axes,
            planar,
        })
    }

    /// The centre.
    #[must_use]
    pub fn center(&self) -> [f64; 2] {
        self.center
    }

    /// The half axes.
    #[must_use]
    pub fn half_axes(&self) -> [f64; 2] {
        self.half_axes
    }

    fn holds(&self, point: [f64; 2]) -> bool {
        let scaled = |k: usize| (point[k] - self.center[k]) / self.half_axes[k];
        scaled(0).powi(2) + scaled(1).powi(2) <= 1.0
    }
}

planar_domain!(Ellipse);
