//! Powers and logarithms of a complex variable around a point of the plane.

use std::f64::consts::PI;

use ndarray::{ArrayView2, ArrayViewMut2};

use super::Factor;
use crate::error::require_finite;
use crate::saved::SavedFactor;
use crate::{BasisError, MultiIndex};

/// Re or Im of ζ^α or ζ^α log ζ, where ζ = (z − c)/ρ, z = x₀ + i x₁, is turned so that the branch cut has a chosen
/// direction: harmonic functions of the plane, singular at c only.
///
/// At a corner of angle ω they are the singular functions of the Laplacian (α = kπ/ω, and ζ^m log ζ where that is an
/// integer m); in a hole, log r (α = 0 with the logarithm) and the Laurent terms (α = −m). All derivatives are in closed
/// form: ∂ₓᵃ∂ᵧᵇ Re f(z) = Re(iᵇ f⁽ᵃ⁺ᵇ⁾(z)), so that the Laplacian is zero to the last bit.
///
/// ```
/// use fastlsq_basis::{Basis, ComplexPower, Weighted};
/// use std::sync::Arc;
/// // r^{2/3} sin(2θ/3) around the origin, the angle counted from the positive axis, the cut below it.
/// let cut = -0.25 * std::f64::consts::PI;
/// let singular = ComplexPower::new([0.0, 0.0], 2.0 / 3.0)?.cut_along(cut)?.imaginary();
/// let basis = Weighted::functions([Arc::new(singular) as _])?;
/// assert_eq!(basis.laplacian_at(&[-0.3, 0.2])?, [0.0]);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Unchecked")
)]
pub struct ComplexPower {
    center: [f64; 2],
    exponent: f64,
    /// The direction of the branch cut.
    cut: f64,
    /// The length ρ.
    scale: f64,
    logarithm: bool,
    imaginary: bool,
}

/// A [`ComplexPower`] as it may stand in a file.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    center: [f64; 2],
    exponent: f64,
    cut: f64,
    scale: f64,
    logarithm: bool,
    imaginary: bool,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for ComplexPower {
    type Error = BasisError;

    fn try_from(stored: Unchecked) -> Result<Self, BasisError> {
        let power = Self::new(stored.center, stored.exponent)?
            .cut_along(stored.cut)?
            .scaled(stored.scale)?;
        Ok(Self {
            logarithm: stored.logarithm,
            imaginary: stored.imaginary,
            ..power
        })
    }
}

impl ComplexPower {
    /// Re (z − c)^α, its cut along the negative real direction.
    ///
    /// # Errors
    /// Numbers that are not finite.
    pub fn new(center: [f64; 2], exponent: f64) -> Result<Self, BasisError> {
        require_finite("the centre of a complex power", &center)?;
        require_finite("the exponent of a complex power", &[exponent])?;
        Ok(Self {
            center,
            exponent,
            cut: PI,
            scale: 1.0,
            logarithm: false,
            imaginary: false,
        })
    }

    /// Turns ζ so that its cut, where arg ζ jumps from π to −π, leaves the centre in the direction of this angle; with
    /// it turns the direction where arg ζ = 0, which is the opposite one.
    ///
    /// # Errors
    /// An angle that is not finite.
    pub fn cut_along(mut self, angle: f64) -> Result<Self, BasisError> {
        require_finite("the direction of a branch cut", &[angle])?;
        self.cut = angle;
        Ok(self)
    }

    /// The length ρ that ζ is measured in (1 unless given): about the size of the domain for powers, the size of the
    /// hole for Laurent terms, so that neither overflows.
    ///
    /// # Errors
    /// A length that is not positive and finite.
    pub fn scaled(mut self, length: f64) -> Result<Self, BasisError> {
        if !(length > 0.0 && length.is_finite()) {
            return Err(BasisError::Parameter {
                what: "length of a complex power",
                value: length,
                requirement: "a positive finite number",
            });
        }
        self.scale = length;
        Ok(self)
    }

    /// The same times log ζ.
    #[must_use]
    pub fn times_log(mut self) -> Self {
        self.logarithm = true;
        self
    }

    /// The imaginary part.
    #[must_use]
    pub fn imaginary(mut self) -> Self {
        self.imaginary = true;
        self
    }

    /// The real and the imaginary part, in this order.
    #[must_use]
    pub fn pair(self) -> [Self; 2] {
        let real = Self {
            imaginary: false,
            ..self
        };
        [real.clone(), real.imaginary()]
    }

    /// c.
    #[must_use]
    pub fn center(&self) -> [f64; 2] {
        self.center
    }

    /// α.
    #[must_use]
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    fn is_few(&self) -> bool {
        self.exponent.fract() == 0.0 && self.exponent.abs() <= FEW
    }

    fn needs_logarithm(&self) -> bool {
        self.logarithm || !self.is_few()
    }

    /// ζ^α from ζ and, where [needed](Self::needs_logarithm), its logarithm.
    fn power(&self, zeta: (f64, f64), (log, angle): (f64, f64)) -> (f64, f64) {
        if self.is_few() {
            let base = if self.exponent < 0.0 {
                reciprocal(zeta)
            } else {
                zeta
            };
            return whole_power(base, self.exponent.abs() as u32);
        }
        let size = (self.exponent * log).exp();
        let (sin, cos) = (self.exponent * angle).sin_cos();
        (size * cos, size * sin)
    }

    /// For n = 0 … `highest`: the n-th derivative of ζ^α (log ζ)^p is ζ^{α−n} (A log ζ + B), A = 0 for p = 0.
    fn polynomials(&self, highest: u32) -> Vec<(f64, f64)> {
        let (mut a, mut b) = if self.logarithm {
            (1.0, 0.0)
        } else {
            (0.0, 1.0)
        };
        (0..=highest)
            .map(|n| {
                let here = (a, b);
                let power = self.exponent - f64::from(n);
                (a, b) = (power * a, power * b + a);
                here
            })
            .collect()
    }
}

/// The largest exponent of a power by multiplication.
const FEW: f64 = 32.0;

fn times((a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    (a * c - b * d, a * d + b * c)
}

/// |z|, without overflow and underflow on the way.
fn radius((x, y): (f64, f64)) -> f64 {
    let square = x * x + y * y;
    if square.is_normal() {
        square.sqrt()
    } else {
        x.hypot(y)
    }
}

/// 1/z; infinite at 0.
fn reciprocal(z: (f64, f64)) -> (f64, f64) {
    let length = radius(z);
    if length == 0.0 {
        return (f64::INFINITY, f64::INFINITY);
    }
    (z.0 / length / length, -z.1 / length / length)
}

/// zⁿ by repeated squaring.
fn whole_power(mut z: (f64, f64), mut n: u32) -> (f64, f64) {
    let mut product = (1.0, 0.0);
    while n > 0 {
        if n % 2 == 1 {
            product = times(product, z);
        }
        z = times(z, z);
        n /= 2;
    }
    product
}

/// iᵇ for b = 0, 1, 2, 3.
const UNITS: [(f64, f64); 4] = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];

impl Factor for ComplexPower {
    fn dim(&self) -> usize {
        2
    }

    fn write_derivatives(
        &self,
        points: ArrayView2<'_, f64>,
        orders: &[MultiIndex],
        mut out: ArrayViewMut2<'_, f64>,
    ) {
        let highest = orders.iter().map(MultiIndex::order).max().unwrap_or(0);
        let polynomials = self.polynomials(highest);
        // ζ = e^{iτ}(z − c)/ρ takes the direction of the cut to the negative real axis.
        let turn = PI - self.cut;
        let unit = (turn.cos() / self.scale, turn.sin() / self.scale);
        let mut derivatives = vec![(0.0, 0.0); polynomials.len()];
        for (i, point) in points.rows().into_iter().enumerate() {
            let from_center = (point[0] - self.center[0], point[1] - self.center[1]);
            let zeta = times(unit, from_center);
            let logarithm = if self.needs_logarithm() {
                (radius(zeta).ln(), zeta.1.atan2(zeta.0))
            } else {
                (0.0, 0.0)
            };
            // (dζ/dz)ⁿ ζ^{α−n}, from one n to the next by a division.
            let mut power = self.power(zeta, logarithm);
            let inverse = times(unit, reciprocal(zeta));
            for (n, (value, &(a, b))) in derivatives.iter_mut().zip(&polynomials).enumerate() {
                let exponent = self.exponent - n as f64;
                if n > 0 {
                    power = if exponent == 0.0 {
                        // The power is 1, at the centre too.
                        (0..n).fold((1.0, 0.0), |product, _| times(product, unit))
                    } else {
                        times(power, inverse)
                    };
                }
                let vanishes = a == 0.0 && b == 0.0;
                *value = if vanishes || (zeta == (0.0, 0.0) && exponent > 0.0) {
                    (0.0, 0.0)
                } else if a == 0.0 {
                    // Without a logarithm its infinite value at the centre must not become 0 · ∞.
                    (b * power.0, b * power.1)
                } else {
                    times(power, (a * logarithm.0 + b, a * logarithm.1))
                };
            }
            for (k, order) in orders.iter().enumerate() {
                let along_y = order.orders().get(1).copied().unwrap_or(0);
                let (unit_re, unit_im) = UNITS[(along_y % 4) as usize];
                let (re, im) = derivatives[order.order() as usize];
                out[(k, i)] = if self.imaginary {
                    unit_re * im + unit_im * re
                } else {
                    unit_re * re - unit_im * im
                };
            }
        }
    }

    fn to_saved(&self) -> Option<SavedFactor> {
        Some(SavedFactor::ComplexPower(self.clone()))
    }
}
