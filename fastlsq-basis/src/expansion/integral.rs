//! Exact integrals of expansions.

use super::amplitude::Amplitude;
use super::{SinusoidalExpansion, dot};
use crate::error::{require_dim, require_finite};
use crate::identities::{require_corners, span_factor};
use crate::{BasisError, MultiIndex};

impl SinusoidalExpansion {
    /// ∫ u dx over the box with these corners.
    ///
    /// Each wave contributes its value at the middle times Π hₖ sinc(wₖhₖ/2), which is exact and needs
    /// no exception at zero frequency.
    ///
    /// # Errors
    /// Corners of another dimension or not finite.
    pub fn integral_over_box(&self, lower: &[f64], upper: &[f64]) -> Result<f64, BasisError> {
        require_corners(self.dim, lower, upper)?;
        let middle = middle(lower, upper);
        Ok(self
            .waves()
            .map(|(w, a)| box_factor(w, lower, upper) * a.at(dot(w, &middle)))
            .sum())
    }

    /// ∫ u v dx over the box with these corners, without forming the product.
    ///
    /// # Errors
    /// Expansions of different dimensions; corners of another dimension or not finite.
    pub fn inner_product_over_box(
        &self,
        other: &Self,
        lower: &[f64],
        upper: &[f64],
    ) -> Result<f64, BasisError> {
        require_dim("the other expansion", self.dim, other.dim)?;
        require_corners(self.dim, lower, upper)?;
        let middle = middle(lower, upper);
        let mut sum = 0.0;
        let wave = |frequency: &[f64], amplitude: Amplitude| {
            box_factor(frequency, lower, upper) * amplitude.at(dot(frequency, &middle))
        };
        for (v, a) in self.waves() {
            for (w, b) in other.waves() {
                let plus: Vec<f64> = v.iter().zip(w).map(|(v, w)| v + w).collect();
                let minus: Vec<f64> = v.iter().zip(w).map(|(v, w)| v - w).collect();
                sum += 0.5 * (wave(&plus, a.times(b)) + wave(&minus, a.times(b.mirrored())));
            }
        }
        Ok(sum)
    }

    /// F(x) = ∫_from^{x_axis} u dx_axis, the antiderivative along an axis that vanishes at `from`.
    ///
    /// # Errors
    /// An axis that does not exist, a limit that is not finite.
    pub fn antiderivative(&self, axis: usize, from: f64) -> Result<AxisAntiderivative, BasisError> {
        if axis >= self.dim {
            return Err(BasisError::Axis {
                axis,
                dim: self.dim,
            });
        }
        require_finite("the lower limit", &[from])?;
        Ok(AxisAntiderivative {
            integrand: self.clone(),
            axis,
            from,
        })
    }
}

/// F(x) = ∫_from^{xₖ} u dxₖ for an expansion u.
///
/// Waves with wₖ = 0 integrate to xₖ times a wave, so F need not be an expansion; it is evaluated as
/// h sinc(wₖh/2) times the wave at the middle of the interval, h = xₖ − from, which covers all wₖ.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisAntiderivative {
    integrand: SinusoidalExpansion,
    axis: usize,
    from: f64,
}

impl AxisAntiderivative {
    /// F(x).
    ///
    /// # Errors
    /// A point of another dimension or not finite.
    pub fn value(&self, x: &[f64]) -> Result<f64, BasisError> {
        require_dim("the point", self.integrand.dim, x.len())?;
        require_finite("the point", x)?;
        let span = x[self.axis] - self.from;
        let mut middle = x.to_vec();
        middle[self.axis] = 0.5 * x[self.axis] + 0.5 * self.from;
        Ok(self
            .integrand
            .waves()
            .map(|(w, a)| span_factor(w[self.axis], span) * a.at(dot(w, &middle)))
            .sum())
    }

    /// D^α F(x). One derivative along the axis of integration gives the integrand back.
    ///
    /// # Errors
    /// A point or a multi-index of another dimension, a point that is not finite.
    pub fn derivative(&self, alpha: &MultiIndex, x: &[f64]) -> Result<f64, BasisError> {
        require_dim("the multi-index", self.integrand.dim, alpha.dim())?;
        let mut orders = alpha.orders().to_vec();
        if let Some(lower) = orders[self.axis].checked_sub(1) {
            orders[self.axis] = lower;
            return self
                .integrand
                .derivative(&MultiIndex::new(orders))?
                .value(x);
        }
        Self {
            integrand: self.integrand.derivative(alpha)?,
            ..*self
        }
        .value(x)
    }

    /// u.
    #[must_use]
    pub fn integrand(&self) -> &SinusoidalExpansion {
        &self.integrand
    }

    /// The axis of integration.
    #[must_use]
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// The lower limit, where F vanishes.
    #[must_use]
    pub fn from(&self) -> f64 {
        self.from
    }
}

fn middle(lower: &[f64], upper: &[f64]) -> Vec<f64> {
    lower
        .iter()
        .zip(upper)
        .map(|(a, b)| 0.5 * a + 0.5 * b)
        .collect()
}

/// Π hₖ sinc(wₖhₖ/2).
fn box_factor(w: &[f64], lower: &[f64], upper: &[f64]) -> f64 {
    w.iter()
        .zip(lower.iter().zip(upper))
        .map(|(w, (a, b))| span_factor(*w, b - a))
        .product()
}
