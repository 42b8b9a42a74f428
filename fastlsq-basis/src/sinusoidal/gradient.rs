//! Derivatives of rows with respect to the frequencies, for learning the bandwidth.
//!
//! With z = w·x + b and a row entry E = p(w) sin z + q(w) cos z,
//! ∂E/∂w_a = (∂p/∂w_a) sin z + (∂q/∂w_a) cos z + x_a (p cos z − q sin z).
//! Since w = L ŵ in the coordinates x̂ of the map, ∂E/∂L_ab = ŵ_b ∂E/∂ŵ_a follows by a column scaling.

use faer::MatMut;
use ndarray::{Array2, ArrayView2};

use super::{FrequencyLaw, Parity, SinusoidalBasis};
use crate::BasisError;
use crate::basis::{Basis, validate_points, validate_request};
use crate::error::{require_finite, require_size};
use crate::form::{Coefficient, Form};
use crate::sincos::sin_cos;

/// Points handled together.
const BLOCK: usize = 256;

impl SinusoidalBasis {
    /// Writes ∂/∂ω_{j,axis} of Σₜ cₜ(xᵢ) D^{αₜ}φⱼ(xᵢ) into `out[(i, j)]`, where ω is the frequency in
    /// the coordinates of the input map.
    ///
    /// # Errors
    /// Wrong shapes or axis; forms with integrals or multipliers; features with declared parity.
    pub fn write_frequency_derivative(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        axis: usize,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        self.for_each_derivative(points, form, &[axis], |i, j, _, value| out[(i, j)] = value)
    }

    /// Writes ∂/∂L_ab of the rows, for w = L ŵ with one common factor L.
    ///
    /// # Errors
    /// As [`write_frequency_derivative`](Self::write_frequency_derivative); laws without a common
    /// factor (blocks, low-order mixes).
    pub fn write_factor_derivative(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        (a, b): (usize, usize),
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        if b >= self.dim {
            return Err(BasisError::Axis {
                axis: b,
                dim: self.dim,
            });
        }
        self.require_common_factor()?;
        self.write_frequency_derivative(points, form, a, out.as_mut())?;
        for j in 0..self.len() {
            let draw = self.draw[j * self.dim + b];
            for i in 0..out.nrows() {
                out[(i, j)] *= draw;
            }
        }
        Ok(())
    }

    /// G_ab = Σᵢⱼ rᵢ (∂A_ij/∂L_ab) βⱼ: the gradient of rᵀA(L)β with r and β held fixed.
    ///
    /// This is half of the envelope gradient of ‖A(L)β* − b‖² (paper, learnable bandwidth). No
    /// matrix of derivatives is formed.
    ///
    /// # Errors
    /// As [`write_factor_derivative`](Self::write_factor_derivative).
    pub fn factor_gradient(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        residual: &[f64],
        coefficients: &[f64],
    ) -> Result<Array2<f64>, BasisError> {
        require_size("the residual", points.nrows(), residual.len())?;
        require_size("the coefficient vector", self.len(), coefficients.len())?;
        require_finite("the residual", residual)?;
        require_finite("the coefficient vector", coefficients)?;
        validate_points(self.dim, points)?;
        form.validate(self.dim, points.nrows())?;
        self.require_common_factor()?;
        let axes: Vec<usize> = (0..self.dim).collect();
        let mut by_frequency = vec![0.0; self.len() * self.dim];
        self.for_each_derivative(points, form, &axes, |i, j, a, value| {
            by_frequency[j * self.dim + a] += residual[i] * value * coefficients[j];
        })?;
        let mut gradient = Array2::zeros((self.dim, self.dim));
        for (g, draw) in by_frequency
            .chunks_exact(self.dim)
            .zip(self.draw.chunks_exact(self.dim))
        {
            for a in 0..self.dim {
                for b in 0..self.dim {
                    gradient[(a, b)] += g[a] * draw[b];
                }
            }
        }
        Ok(gradient)
    }

    /// The same draw under w ~ N(0, L Lᵀ) with the lower triangle of this matrix as L.
    ///
    /// # Errors
    /// A matrix of the wrong size.
    pub fn with_factor(&self, factor: ArrayView2<'_, f64>) -> Result<Self, BasisError> {
        require_size("the factor's row count", self.dim, factor.nrows())?;
        require_size("the factor's column count", self.dim, factor.ncols())?;
        let lower = (0..self.dim).flat_map(|a| (0..=a).map(move |b| (a, b)));
        self.with_law(&FrequencyLaw::Cholesky(
            lower.map(|at| factor[at]).collect(),
        ))
    }

    /// ∂/∂L has a meaning only where one L makes all frequencies from the draw.
    fn require_common_factor(&self) -> Result<(), BasisError> {
        match &self.law {
            Some(FrequencyLaw::Blocks(_) | FrequencyLaw::LowOrder { .. }) => Err(unsupported(
                "the derivative by a factor that its features do not share (differentiate by the frequencies instead)",
            )),
            _ => Ok(()),
        }
    }

    /// Calls `emit(i, j, a, ∂E_ij/∂ω_a)` for every entry and every listed axis.
    fn for_each_derivative(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        axes: &[usize],
        mut emit: impl FnMut(usize, usize, usize, f64),
    ) -> Result<(), BasisError> {
        if let Some(&axis) = axes.iter().find(|&&axis| axis >= self.dim) {
            return Err(BasisError::Axis {
                axis,
                dim: self.dim,
            });
        }
        if self.parity.iter().any(|p| *p != Parity::None) {
            return Err(unsupported(
                "the derivative of symmetrised features by their frequency",
            ));
        }
        if form.terms().iter().any(|term| !term.action.is_derivative()) {
            return Err(unsupported("the derivative of integrals by the frequency"));
        }
        let scale = self.scale();
        let rows = points.nrows();
        let mut z = [0.0; BLOCK];
        let (mut sin, mut cos) = ([0.0; BLOCK], [0.0; BLOCK]);
        for start in (0..rows).step_by(BLOCK) {
            let count = BLOCK.min(rows - start);
            for j in 0..self.len() {
                let w = self.frequency(j);
                for (i, z) in z[..count].iter_mut().enumerate() {
                    *z = w
                        .iter()
                        .zip(points.row(start + i))
                        .fold(self.phases[j], |sum, (w, x)| sum + w * x);
                }
                sin_cos(&z[..count], &mut sin[..count], &mut cos[..count]);
                for &a in axes {
                    let half = self.map.half()[a];
                    let terms: Vec<_> = form
                        .terms()
                        .iter()
                        .map(|term| {
                            let alpha = &term.action.derivative;
                            let value = alpha.monomial(w) * scale;
                            let slope = alpha.monomial_derivative(w, a) / half * scale;
                            (term.coefficient, alpha.order() % 4, value, slope)
                        })
                        .collect();
                    for i in 0..count {
                        let x = self.map.apply(a, points[(start + i, a)]);
                        let (s, c) = (sin[i], cos[i]);
                        let cycle = [s, c, -s, -c, s];
                        let mut sum = 0.0;
                        for (coefficient, phase, value, slope) in &terms {
                            let weight = match coefficient {
                                Coefficient::Constant(c) => *c,
                                Coefficient::PerPoint(values) => values[start + i],
                            };
                            let phase = *phase as usize;
                            sum += weight * (slope * cycle[phase] + value * x * cycle[phase + 1]);
                        }
                        emit(start + i, j, a, sum);
                    }
                }
            }
        }
        Ok(())
    }
}

fn unsupported(action: &str) -> BasisError {
    BasisError::Unsupported {
        basis: "sinusoidal basis",
        action: action.into(),
    }
}
