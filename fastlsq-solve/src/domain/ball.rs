//! Balls.

use super::checks::{check_finite, check_memory};
use super::{BoundaryPart, BoundaryPoints, BoundingBox, Curve, Domain, DomainError, Outline};
use fastlsq_basis::sampling::UnitSampler;
use ndarray::Array2;
use std::f64::consts::{PI, TAU};

/// The ball |x − c| ≤ r in any dimension: an interval, a disc, a ball, …
///
/// Its one part is "sphere".
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    center: Vec<f64>,
    radius: f64,
}

impl Ball {
    /// The ball of a given centre and radius.
    ///
    /// # Errors
    /// If there are no axes, the radius is not positive, a number is not finite, or the radius is
    /// lost in rounding beside the centre.
    pub fn new(center: &[f64], radius: f64) -> Result<Self, DomainError> {
        if !(radius.is_finite() && radius > 0.0) {
            return Err(DomainError::BadRadius { radius });
        }
        check_finite("the centre", center)?;
        let ball = Self {
            center: center.to_vec(),
            radius,
        };
        ball.bounding_box()?;
        Ok(ball)
    }

    /// The ball of radius 1 around the origin. With `dim` = 0 every use of it is
    /// [`DomainError::ZeroDimension`].
    #[must_use]
    pub fn unit(dim: usize) -> Self {
        Self {
            center: vec![0.0; dim],
            radius: 1.0,
        }
    }

    /// The centre.
    #[must_use]
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// c + r x for each row x.
    fn place(&self, mut points: Array2<f64>) -> Array2<f64> {
        for mut point in points.rows_mut() {
            for (x, c) in point.iter_mut().zip(&self.center) {
                *x = c + self.radius * *x;
            }
        }
        points
    }

    fn check(&self, count: usize) -> Result<(), DomainError> {
        if self.center.is_empty() {
            return Err(DomainError::ZeroDimension);
        }
        // Drawing a direction may take one coordinate more than the point has.
        check_memory(count, self.center.len().saturating_add(1))
    }
}

/// Volume of the unit ball, π^(d/2)/Γ(d/2 + 1), by V_d = V_{d−2} 2π/d from V₀ = 1 and V₁ = 2.
pub(super) fn unit_volume(dim: usize) -> f64 {
    let start = if dim.is_multiple_of(2) { 1.0 } else { 2.0 };
    (2..=dim)
        .filter(|d| d % 2 == dim % 2)
        .fold(start, |volume, d| volume * 2.0 * PI / d as f64)
}

impl Domain for Ball {
    fn dim(&self) -> usize {
        self.center.len()
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        let corner = |sign: f64| -> Vec<f64> {
            self.center.iter().map(|c| c + sign * self.radius).collect()
        };
        BoundingBox::new(&corner(-1.0), &corner(1.0))
    }

    fn contains(&self, point: &[f64]) -> bool {
        let scaled = |(x, c): (&f64, &f64)| (x - c) / self.radius;
        point.len() == self.center.len()
            && !point.is_empty()
            && point
                .iter()
                .zip(&self.center)
                .map(|pair| scaled(pair).powi(2))
                .sum::<f64>()
                <= 1.0
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        if self.center.is_empty() {
            return Vec::new();
        }
        let dim = self.center.len();
        let area = unit_volume(dim) * dim as f64 * power(self.radius, dim - 1);
        vec![BoundaryPart::wall("sphere", area)]
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        self.check(count)?;
        if part != 0 {
            return Err(DomainError::PartIndex {
                index: part,
                count: 1,
            });
        }
        let normals = sampler.directions(count, self.dim());
        Ok(BoundaryPoints {
            points: self.place(normals.clone()),
            normals,
        })
    }

    fn sample_interior(
        &self,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<Array2<f64>, DomainError> {
        self.check(count)?;
        Ok(self.place(sampler.ball_points(count, self.dim())))
    }

    fn volume(&self) -> Result<f64, DomainError> {
        self.check(0)?;
        Ok(unit_volume(self.dim()) * power(self.radius, self.dim()))
    }

    fn outline(&self) -> Option<Outline> {
        let [x, y] = *self.center.as_slice() else {
            return None;
        };
        let radius = self.radius;
        let circle = Curve::parametric(move |t| {
            let angle = TAU * t;
            [x + radius * angle.cos(), y + radius * angle.sin()]
        });
        Outline::new([("sphere", circle.ok()?)]).ok()
    }

    fn reflect(&self, axis: usize) -> Option<f64> {
        self.center.get(axis).copied()
    }
}

/// x^exponent.
pub(super) fn power(x: f64, exponent: usize) -> f64 {
    x.powi(i32::try_from(exponent).unwrap_or(i32::MAX))
}
