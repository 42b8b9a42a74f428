//! Derivatives of rows with respect to the frequencies, for learning the bandwidth.
//!
//! With z = w·x + b and a row entry E = p(w) sin z + q(w) cos z,
//! ∂E/∂w_a = (∂p/∂w_a) sin z + (∂q/∂w_a) cos z + x_a (p cos z − q sin z).
//! Since w = L ŵ in the coordinates x̂ of the map, ∂E/∂L_ab = ŵ_b ∂E/∂ŵ_a follows by a column scaling.

use faer::MatMut;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::{FrequencyLaw, Parity, SinusoidalBasis};
use crate::BasisError;
use crate::basis::{Basis, validate_points, validate_request};
use crate::error::{require_finite, require_size};
use crate::form::Form;
use crate::grouping::{Group, group_by_coefficient};
use crate::identities::cycle_components;
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
        self.require_differentiable(form, axis)?;
        let groups = group_by_coefficient(form);
        let mut pairs = Pairs::new();
        for j in 0..self.len() {
            let sums = self.sums(&groups, j, axis);
            for start in (0..points.nrows()).step_by(BLOCK) {
                let count = pairs.evaluate(self, j, points, start);
                for i in 0..count {
                    let row = start + i;
                    let x = self.map.apply(axis, points[(row, axis)]);
                    out[(row, j)] = sums
                        .iter()
                        .zip(&groups)
                        .map(|(sum, group)| {
                            let (by_sine, by_cosine) = sum.at(x);
                            group.weight(row) * (by_sine * pairs.sin[i] + by_cosine * pairs.cos[i])
                        })
                        .sum();
                }
            }
        }
        Ok(())
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

    /// G_ab = Σᵢⱼ rᵢ (∂A_ij/∂L_ab) βⱼ: the gradient of rᵀA(L)β with r and β held fixed, computed in
    /// parallel with a result that does not depend on the number of threads.
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
        for axis in 0..self.dim {
            self.require_differentiable(form, axis)?;
        }
        let groups = group_by_coefficient(form);
        let by_frequency: Vec<Vec<f64>> = (0..self.len())
            .into_par_iter()
            .map(|j| self.contracted(points, &groups, residual, j))
            .collect();
        let mut gradient = Array2::zeros((self.dim, self.dim));
        for ((slopes, beta), draw) in by_frequency
            .iter()
            .zip(coefficients)
            .zip(self.draw.chunks_exact(self.dim))
        {
            for a in 0..self.dim {
                for b in 0..self.dim {
                    gradient[(a, b)] += beta * slopes[a] * draw[b];
                }
            }
        }
        Ok(gradient)
    }

    /// Σᵢ rᵢ ∂A_ij/∂ω_a for one feature j and every axis a.
    fn contracted(
        &self,
        points: ArrayView2<'_, f64>,
        groups: &[Group<'_>],
        residual: &[f64],
        j: usize,
    ) -> Vec<f64> {
        let sums: Vec<Vec<Sums>> = (0..self.dim)
            .map(|axis| self.sums(groups, j, axis))
            .collect();
        let mut slopes = vec![0.0; self.dim];
        let mut pairs = Pairs::new();
        for start in (0..points.nrows()).step_by(BLOCK) {
            let count = pairs.evaluate(self, j, points, start);
            for (axis, slope) in slopes.iter_mut().enumerate() {
                for (sum, group) in sums[axis].iter().zip(groups) {
                    for i in 0..count {
                        let row = start + i;
                        let (by_sine, by_cosine) =
                            sum.at(self.map.apply(axis, points[(row, axis)]));
                        let value = by_sine * pairs.sin[i] + by_cosine * pairs.cos[i];
                        *slope += residual[row] * group.weight(row) * value;
                    }
                }
            }
        }
        slopes
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
            Some(
                FrequencyLaw::Subspace(_) | FrequencyLaw::Blocks(_) | FrequencyLaw::LowOrder { .. },
            ) => Err(unsupported(
                "the derivative by a factor that its features do not share (differentiate by the frequencies instead)",
            )),
            _ => Ok(()),
        }
    }

    /// Checks that the derivative by a frequency component has a closed form.
    fn require_differentiable(&self, form: &Form<'_>, axis: usize) -> Result<(), BasisError> {
        if axis >= self.dim {
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
        Ok(())
    }

    /// The sums over the terms of each group, for one feature and one component of its frequency.
    fn sums(&self, groups: &[Group<'_>], j: usize, axis: usize) -> Vec<Sums> {
        let w = self.frequency(j);
        let half = self.map.half()[axis];
        groups
            .iter()
            .map(|group| {
                let mut sums = Sums::default();
                for (constant, action) in &group.terms {
                    let alpha = &action.derivative;
                    let (p, q) = cycle_components(alpha.order());
                    let factor = constant * self.scale();
                    let value = factor * alpha.monomial(w);
                    let slope = factor * alpha.monomial_derivative(w, axis) / half;
                    sums.value.0 += p * value;
                    sums.value.1 += q * value;
                    sums.slope.0 += p * slope;
                    sums.slope.1 += q * slope;
                }
                sums
            })
            .collect()
    }
}

/// The pair (p, q) of p sin z + q cos z, and its derivative by a component of the frequency.
#[derive(Default)]
struct Sums {
    value: (f64, f64),
    slope: (f64, f64),
}

impl Sums {
    /// The derivative's own pair, where z grows by x for each unit of the component.
    fn at(&self, x: f64) -> (f64, f64) {
        (
            self.slope.0 - x * self.value.1,
            self.slope.1 + x * self.value.0,
        )
    }
}

/// Sines and cosines of one feature at a block of points.
struct Pairs {
    z: [f64; BLOCK],
    sin: [f64; BLOCK],
    cos: [f64; BLOCK],
}

impl Pairs {
    fn new() -> Self {
        Self {
            z: [0.0; BLOCK],
            sin: [0.0; BLOCK],
            cos: [0.0; BLOCK],
        }
    }

    /// Evaluates up to a block of points from row `start` on, and says how many.
    fn evaluate(
        &mut self,
        basis: &SinusoidalBasis,
        j: usize,
        points: ArrayView2<'_, f64>,
        start: usize,
    ) -> usize {
        let count = BLOCK.min(points.nrows() - start);
        let z = &mut self.z[..count];
        z.fill(basis.phases[j]);
        for (axis, w) in basis.frequency(j).iter().enumerate() {
            for (i, z) in z.iter_mut().enumerate() {
                *z += w * points[(start + i, axis)];
            }
        }
        sin_cos(z, &mut self.sin[..count], &mut self.cos[..count]);
        count
    }
}

fn unsupported(action: &str) -> BasisError {
    BasisError::Unsupported {
        basis: "sinusoidal basis",
        action: action.into(),
    }
}
