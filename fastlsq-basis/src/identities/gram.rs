//! Exact L² inner products of sinusoidal features over a box.

use faer::Mat;

use super::{require_corners, span_factor};
use crate::sinusoidal::{Parity, SinusoidalBasis};
use crate::{Basis, BasisError};

/// G_ij = ∫ φᵢ φⱼ dx over the box with these corners, with the features' own factor (1/N if they are
/// normalised).
///
/// A product of two waves is half the difference of the waves at the difference and the sum of
/// their frequencies, each of which integrates in closed form. On [−π, π] with whole frequencies
/// this is the orthogonality of Fourier modes: ∫ sin(nx) sin(mx) dx = π δ_nm.
///
/// # Errors
/// Corners of another dimension or not finite.
///
/// ```
/// use fastlsq_basis::{SinusoidalBasis, identities::gram_over_box};
/// use ndarray::array;
/// use std::f64::consts::PI;
/// let basis = SinusoidalBasis::explicit(array![[1.0], [2.0]].view(), &[0.0, 0.0])?;
/// let gram = gram_over_box(&basis, &[-PI], &[PI])?;
/// assert!((gram[(0, 0)] - PI).abs() < 1e-15 && gram[(0, 1)].abs() < 1e-15);
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
pub fn gram_over_box(
    basis: &SinusoidalBasis,
    lower: &[f64],
    upper: &[f64],
) -> Result<Mat<f64>, BasisError> {
    require_corners(basis.dim(), lower, upper)?;
    let bounds = Bounds::new(basis, lower, upper);
    let mut gram = Mat::zeros(basis.len(), basis.len());
    for j in 0..basis.len() {
        for i in 0..=j {
            let value = bounds.inner_product(i, j);
            gram[(i, j)] = value;
            gram[(j, i)] = value;
        }
    }
    Ok(gram)
}

/// The box as the features see it.
struct Bounds<'a> {
    basis: &'a SinusoidalBasis,
    /// Middle of the box, relative to the centre of symmetry along parity axes.
    middle: Vec<f64>,
    span: Vec<f64>,
}

impl<'a> Bounds<'a> {
    fn new(basis: &'a SinusoidalBasis, lower: &[f64], upper: &[f64]) -> Self {
        let middle = (0..basis.dim())
            .map(|axis| {
                let middle = 0.5 * lower[axis] + 0.5 * upper[axis];
                match basis.parity()[axis] {
                    Parity::None => middle,
                    Parity::Even | Parity::Odd => middle - basis.map().center()[axis],
                }
            })
            .collect();
        let span = lower.iter().zip(upper).map(|(a, b)| b - a).collect();
        Self {
            basis,
            middle,
            span,
        }
    }

    /// ∫ φᵢ φⱼ: the axes with parity factor out, the others share one phase.
    fn inner_product(&self, i: usize, j: usize) -> f64 {
        let (v, w) = (self.basis.frequency(i), self.basis.frequency(j));
        let (b, c) = (self.basis.phases()[i], self.basis.phases()[j]);
        let mut separate = self.basis.scale() * self.basis.scale();
        let (mut difference, mut sum) = (Wave::new(b - c), Wave::new(b + c));
        for axis in 0..self.basis.dim() {
            let (middle, span) = (self.middle[axis], self.span[axis]);
            let (minus, plus) = (v[axis] - w[axis], v[axis] + w[axis]);
            let cosine = |w: f64| span_factor(w, span) * (w * middle).cos();
            match self.basis.parity()[axis] {
                Parity::None => {
                    difference.extend(minus, middle, span);
                    sum.extend(plus, middle, span);
                }
                Parity::Even => separate *= 0.5 * (cosine(minus) + cosine(plus)),
                Parity::Odd => separate *= 0.5 * (cosine(minus) - cosine(plus)),
            }
        }
        // sin · sin = ½ (cos of the difference − cos of the sum)
        separate * 0.5 * (difference.cosine() - sum.cosine())
    }
}

/// The integral of a cosine of several variables, built axis by axis.
struct Wave {
    factor: f64,
    phase: f64,
}

impl Wave {
    fn new(phase: f64) -> Self {
        Self { factor: 1.0, phase }
    }

    fn extend(&mut self, frequency: f64, middle: f64, span: f64) {
        self.factor *= span_factor(frequency, span);
        self.phase += frequency * middle;
    }

    fn cosine(&self) -> f64 {
        self.factor * self.phase.cos()
    }
}
