//! Cylinder waves: the solutions of Helmholtz' equation in the plane that separate in polar coordinates.

mod bessel;

use faer::MatMut;
use ndarray::ArrayView2;

use crate::basis::{Basis, validate_request};
use crate::error::{require_derivative, require_finite};
use crate::form::Form;
use crate::saved::SavedBasis;
use crate::{BasisError, MultiIndex};
use bessel::{write_first_kind, write_second_kind};

/// Which of the solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum CylinderKind {
    /// J_n: smooth at the centre.
    Regular,
    /// Y_n: singular at the centre, in a hole of the domain.
    Singular,
    /// The real part of Σ cₙ H_n⁽¹⁾, for complex cₙ: J_n and −Y_n by turns.
    OutgoingReal,
    /// The imaginary part of the same sum: Y_n and J_n by turns.
    OutgoingImaginary,
}

/// C_n(kr) cos nθ and C_n(kr) sin nθ, n = 0 … N, in polar coordinates around a point of the plane, where C is a Bessel
/// function: every one of them solves Δu + k²u = 0.
///
/// With z = C_n(kr) e^{inθ} the derivatives are (∂ₓ + i∂ᵧ) z_n = −k z_{n+1} and (∂ₓ − i∂ᵧ) z_n = k z_{n−1}, so that those
/// of every order are sums of neighbours.
///
/// [`outgoing`](Self::outgoing) gives the two bases of a complex wave p + iq that leaves the centre (in the convention
/// e^{−iωt}): the *same* coefficients belong to both.
///
/// ```
/// use fastlsq_basis::{Basis, CylinderBasis};
/// let waves = CylinderBasis::regular([0.2, 0.1], 5.0, 8, 1.0)?;
/// assert_eq!(waves.len(), 17);
/// let (value, bent) = (waves.value_at(&[0.7, 0.4])?, waves.laplacian_at(&[0.7, 0.4])?);
/// assert!(value.iter().zip(bent).all(|(u, l)| (l + 25.0 * u).abs() < 1e-11));
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Parameters", into = "Parameters")
)]
pub struct CylinderBasis {
    center: [f64; 2],
    wave_number: f64,
    kind: CylinderKind,
    radius: f64,
    /// What the functions of each order are multiplied by, so that they are of size one at the radius.
    scales: Vec<f64>,
}

/// A [`CylinderBasis`] as it may stand in a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    center: [f64; 2],
    wave_number: f64,
    kind: CylinderKind,
    radius: f64,
    highest: usize,
}

#[cfg(feature = "serde")]
impl From<CylinderBasis> for Parameters {
    fn from(basis: CylinderBasis) -> Self {
        Self {
            center: basis.center,
            wave_number: basis.wave_number,
            kind: basis.kind,
            radius: basis.radius,
            highest: basis.highest(),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parameters> for CylinderBasis {
    type Error = BasisError;

    fn try_from(stored: Parameters) -> Result<Self, BasisError> {
        Self::new(
            stored.kind,
            stored.center,
            stored.wave_number,
            stored.highest,
            stored.radius,
        )
    }
}

/// Higher orders are of no use: their functions leave the range of floating point.
const HIGHEST: usize = 2000;

impl CylinderBasis {
    /// J_n(kr) cos nθ and sin nθ around a centre, up to the order `highest`, of size one within the radius.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn regular(
        center: [f64; 2],
        wave_number: f64,
        highest: usize,
        radius: f64,
    ) -> Result<Self, BasisError> {
        Self::new(CylinderKind::Regular, center, wave_number, highest, radius)
    }

    /// Y_n(kr) cos nθ and sin nθ around a centre, up to the order `highest`, of size one at the radius.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn singular(
        center: [f64; 2],
        wave_number: f64,
        highest: usize,
        radius: f64,
    ) -> Result<Self, BasisError> {
        Self::new(CylinderKind::Singular, center, wave_number, highest, radius)
    }

    /// The bases of the real and of the imaginary part of Σ (aₙ + i bₙ) H_n⁽¹⁾(kr) cos nθ + … sin nθ.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn outgoing(
        center: [f64; 2],
        wave_number: f64,
        highest: usize,
        radius: f64,
    ) -> Result<[Self; 2], BasisError> {
        let of = |kind| Self::new(kind, center, wave_number, highest, radius);
        Ok([
            of(CylinderKind::OutgoingReal)?,
            of(CylinderKind::OutgoingImaginary)?,
        ])
    }

    /// The waves of a kind with wave number k > 0 around a centre, up to the order `highest` or the last one that floating
    /// point holds; `radius` is where functions that are singular at the centre are of size one.
    ///
    /// # Errors
    /// Numbers that are not finite; a wave number or a radius that is not positive; more than 2000 orders.
    pub fn new(
        kind: CylinderKind,
        center: [f64; 2],
        wave_number: f64,
        highest: usize,
        radius: f64,
    ) -> Result<Self, BasisError> {
        require_finite("the centre of cylinder waves", &center)?;
        for (what, value) in [
            ("wave number", wave_number),
            ("radius of cylinder waves", radius),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(BasisError::Parameter {
                    what,
                    value,
                    requirement: "a positive finite number",
                });
            }
        }
        if highest > HIGHEST {
            return Err(BasisError::Parameter {
                what: "order of cylinder waves",
                value: highest as f64,
                requirement: "at most 2000",
            });
        }
        let x = wave_number * radius;
        let (mut first, mut second) = (vec![0.0; highest + 1], vec![0.0; highest + 1]);
        write_first_kind(x, &mut first);
        write_second_kind(x, &mut second);
        let scale = |n: usize| match kind {
            // Oscillating functions are of size one already.
            CylinderKind::Regular if n as f64 <= x => 1.0,
            CylinderKind::Regular => 1.0 / first[n].abs(),
            _ => 1.0 / first[n].hypot(second[n]),
        };
        let scales: Vec<f64> = (0..=highest)
            .map(scale)
            .take_while(|scale| scale.is_normal() && *scale < 1e250)
            .collect();
        if scales.is_empty() {
            return Err(BasisError::Parameter {
                what: "wave number times radius",
                value: x,
                requirement: "so large that Bessel functions there are finite",
            });
        }
        Ok(Self {
            center,
            wave_number,
            kind,
            radius,
            scales,
        })
    }

    /// k.
    #[must_use]
    pub fn wave_number(&self) -> f64 {
        self.wave_number
    }

    /// The highest order.
    #[must_use]
    pub fn highest(&self) -> usize {
        self.scales.len() - 1
    }

    /// Columns for each of cos nθ and sin nθ.
    fn width(&self) -> usize {
        match self.kind {
            CylinderKind::Regular | CylinderKind::Singular => 1,
            CylinderKind::OutgoingReal | CylinderKind::OutgoingImaginary => 2,
        }
    }
}

/// D^α z_n = iᵇ Σₘ wₘ z_{n+m} with b the order along y: wₘ for m = −|α|, …, |α|.
fn shifts(alpha: &MultiIndex, wave_number: f64) -> Vec<f64> {
    let order = alpha.order() as usize;
    let along_x = alpha.orders().first().copied().unwrap_or(0) as usize;
    let mut weights = vec![0.0; 2 * order + 1];
    weights[order] = 1.0;
    for step in 0..order {
        let mut next = vec![0.0; weights.len()];
        // ∂ₓ = ½(D₊ + D₋) and ∂ᵧ = (D₊ − D₋)/2i, where D₊ z_n = −k z_{n+1} and D₋ z_n = k z_{n−1}.
        let up = if step < along_x { -0.5 } else { 0.5 };
        for (m, weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            next[m + 1] += up * wave_number * weight;
            next[m - 1] += 0.5 * wave_number * weight;
        }
        weights = next;
    }
    weights
}

/// A complex number.
type Complex = (f64, f64);

fn times((a, b): Complex, (c, d): Complex) -> Complex {
    (a * c - b * d, a * d + b * c)
}

impl Basis for CylinderBasis {
    fn dim(&self) -> usize {
        2
    }

    fn len(&self) -> usize {
        self.width() * (2 * self.scales.len() - 1)
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let mut terms = Vec::with_capacity(form.terms().len());
        let mut reach = 0;
        for term in form.terms() {
            require_derivative("basis of cylinder waves", term.action)?;
            let alpha = &term.action.derivative;
            reach = reach.max(alpha.order() as usize);
            terms.push((shifts(alpha, self.wave_number), alpha));
        }
        let orders = self.scales.len() + reach;
        let (mut first, mut second) = (vec![0.0; orders], vec![0.0; orders]);
        let mut turns: Vec<Complex> = vec![(1.0, 0.0); orders];
        let mut combined: Vec<Complex> = vec![(0.0, 0.0); 2 * reach + 1];
        for (i, point) in points.rows().into_iter().enumerate() {
            let (x, y) = (point[0] - self.center[0], point[1] - self.center[1]);
            let radius = x.hypot(y);
            let argument = self.wave_number * radius;
            write_first_kind(argument, &mut first);
            if self.kind != CylinderKind::Regular {
                write_second_kind(argument, &mut second);
            }
            let turn = if radius > 0.0 {
                (x / radius, y / radius)
            } else {
                (1.0, 0.0)
            };
            for n in 1..orders {
                turns[n] = times(turns[n - 1], turn);
            }
            combined.fill((0.0, 0.0));
            for ((weights, alpha), term) in terms.iter().zip(form.terms()) {
                let coefficient = term.coefficient.at(i);
                let offset = reach - alpha.order() as usize;
                let along_y = alpha.orders().get(1).copied().unwrap_or(0);
                for (m, weight) in weights.iter().enumerate() {
                    let value = coefficient * weight;
                    let target = &mut combined[offset + m];
                    match along_y % 4 {
                        0 => target.0 += value,
                        1 => target.1 += value,
                        2 => target.0 -= value,
                        _ => target.1 -= value,
                    }
                }
            }
            // Σₘ wₘ C_{n+m} e^{i(n+m)θ}, where C_{−n} = (−1)ⁿ C_n.
            let sum = |n: usize, table: &[f64]| -> Complex {
                let mut total = (0.0, 0.0);
                for (m, weight) in combined.iter().enumerate() {
                    let place = n as isize + m as isize - reach as isize;
                    let order = place.unsigned_abs();
                    let (cos, sin) = turns[order];
                    let size = table[order];
                    let z = if place >= 0 {
                        (size * cos, size * sin)
                    } else if order.is_multiple_of(2) {
                        (size * cos, -size * sin)
                    } else {
                        (-size * cos, size * sin)
                    };
                    let product = times(*weight, z);
                    total = (total.0 + product.0, total.1 + product.1);
                }
                total
            };
            let mut column = 0;
            for (n, scale) in self.scales.iter().enumerate() {
                let zero = (0.0, 0.0);
                let (j, y) = match self.kind {
                    CylinderKind::Regular => (sum(n, &first), zero),
                    CylinderKind::Singular => (zero, sum(n, &second)),
                    _ => (sum(n, &first), sum(n, &second)),
                };
                let trigonometric = [(j.0, y.0), (j.1, y.1)];
                for (j, y) in trigonometric.into_iter().take(if n == 0 { 1 } else { 2 }) {
                    let values: &[f64] = match self.kind {
                        CylinderKind::Regular => &[j],
                        CylinderKind::Singular => &[y],
                        CylinderKind::OutgoingReal => &[j, -y],
                        CylinderKind::OutgoingImaginary => &[y, j],
                    };
                    for value in values {
                        let value = scale * value;
                        if !value.is_finite() {
                            return Err(BasisError::NotFinite {
                                what: "a cylinder wave (a point may lie at its centre)",
                                index: i,
                                value,
                            });
                        }
                        out[(i, column)] = value;
                        column += 1;
                    }
                }
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        Some(SavedBasis::Cylinder(self.clone()))
    }
}
