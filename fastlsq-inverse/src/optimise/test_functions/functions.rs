//! The functions themselves.

use crate::optimise::error::{EvaluationError, OptimiseError};
use crate::optimise::objective::Objective;

/// Both slices must have one entry per variable.
fn check_shape(function: &dyn Objective, x: &[f64], g: &[f64]) -> Result<(), OptimiseError> {
    let expected = function.dimension();
    match [("parameter vector", x.len()), ("gradient", g.len())]
        .into_iter()
        .find(|&(_, found)| found != expected)
    {
        None => Ok(()),
        Some((what, found)) => Err(OptimiseError::Length {
            what,
            expected,
            found,
        }),
    }
}

/// Σ 100 (x_{i+1} − x_i²)² + (1 − x_i)², with its minimum 0 at (1, …, 1).
#[derive(Clone, Copy, Debug)]
pub struct Rosenbrock {
    dimension: usize,
}

impl Rosenbrock {
    /// In `dimension` ≥ 2 variables (fewer count as 2).
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension: dimension.max(2),
        }
    }
}

impl Objective for Rosenbrock {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, EvaluationError> {
        check_shape(self, x, g)?;
        g.fill(0.0);
        let mut value = 0.0;
        for i in 0..x.len().saturating_sub(1) {
            let valley = x[i + 1] - x[i] * x[i];
            let slope = 1.0 - x[i];
            value += 100.0 * valley * valley + slope * slope;
            g[i] += -400.0 * x[i] * valley - 2.0 * slope;
            g[i + 1] += 200.0 * valley;
        }
        Ok(value)
    }
}

/// Beale's function of two variables: Σ (aᵢ − x + x yⁱ)² with a = (1.5, 2.25, 2.625);
/// minimum 0 at (3, ½).
#[derive(Clone, Copy, Debug, Default)]
pub struct Beale;

impl Objective for Beale {
    fn dimension(&self) -> usize {
        2
    }

    fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, EvaluationError> {
        check_shape(self, x, g)?;
        let (a, b) = (x[0], x[1]);
        g.fill(0.0);
        let mut value = 0.0;
        let (mut power, mut derivative) = (1.0, 0.0);
        for constant in [1.5, 2.25, 2.625] {
            derivative = derivative * b + power;
            power *= b;
            let residual = constant - a + a * power;
            value += residual * residual;
            g[0] += 2.0 * residual * (power - 1.0);
            g[1] += 2.0 * residual * a * derivative;
        }
        Ok(value)
    }
}

/// Powell's singular function on blocks of four variables:
/// (a + 10b)² + 5(c − d)² + (b − 2c)⁴ + 10(a − d)⁴. Its Hessian is singular at the minimum 0 in
/// the origin.
#[derive(Clone, Copy, Debug)]
pub struct PowellSingular {
    blocks: usize,
}

impl PowellSingular {
    /// In 4 × `blocks` variables (no block counts as one).
    #[must_use]
    pub fn new(blocks: usize) -> Self {
        Self {
            blocks: blocks.max(1),
        }
    }
}

impl Objective for PowellSingular {
    fn dimension(&self) -> usize {
        4 * self.blocks
    }

    fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, EvaluationError> {
        check_shape(self, x, g)?;
        let mut value = 0.0;
        for (x, g) in x.chunks_exact(4).zip(g.chunks_exact_mut(4)) {
            let p = x[0] + 10.0 * x[1];
            let q = x[2] - x[3];
            let r = x[1] - 2.0 * x[2];
            let s = x[0] - x[3];
            value += p * p + 5.0 * q * q + r.powi(4) + 10.0 * s.powi(4);
            let (r3, s3) = (4.0 * r.powi(3), 40.0 * s.powi(3));
            g[0] = 2.0 * p + s3;
            g[1] = 20.0 * p + r3;
            g[2] = 10.0 * q - 2.0 * r3;
            g[3] = -10.0 * q - s3;
        }
        Ok(value)
    }
}

/// The sample problem that is distributed with the original L-BFGS-B code:
/// (x₁ − 1)² + 4 Σ (xᵢ − xᵢ₋₁²)², with its minimum 0 at (1, …, 1).
#[derive(Clone, Copy, Debug)]
pub struct ChainedQuartic {
    dimension: usize,
}

impl ChainedQuartic {
    /// In `dimension` ≥ 1 variables (0 counts as 1); the classic choice is 25.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension: dimension.max(1),
        }
    }
}

impl Objective for ChainedQuartic {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, EvaluationError> {
        check_shape(self, x, g)?;
        g.fill(0.0);
        let mut value = (x[0] - 1.0) * (x[0] - 1.0);
        g[0] = 2.0 * (x[0] - 1.0);
        for i in 1..x.len() {
            let residual = x[i] - x[i - 1] * x[i - 1];
            value += 4.0 * residual * residual;
            g[i] += 8.0 * residual;
            g[i - 1] -= 16.0 * residual * x[i - 1];
        }
        Ok(value)
    }
}

/// ½ Σ wᵢ (xᵢ − cᵢ)² + ½ κ Σ (xᵢ₊₁ − cᵢ₊₁ − xᵢ + cᵢ)²: a convex quadratic with its minimum 0 at c.
#[derive(Clone, Debug)]
pub struct TridiagonalQuadratic {
    weights: Vec<f64>,
    centre: Vec<f64>,
    coupling: f64,
}

impl TridiagonalQuadratic {
    /// With one weight wᵢ and one centre cᵢ per variable (the shorter list decides) and the
    /// coupling κ.
    #[must_use]
    pub fn new(mut weights: Vec<f64>, mut centre: Vec<f64>, coupling: f64) -> Self {
        let dimension = weights.len().min(centre.len());
        weights.truncate(dimension);
        centre.truncate(dimension);
        Self {
            weights,
            centre,
            coupling,
        }
    }
}

impl Objective for TridiagonalQuadratic {
    fn dimension(&self) -> usize {
        self.centre.len()
    }

    fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, EvaluationError> {
        check_shape(self, x, g)?;
        let offset: Vec<f64> = x.iter().zip(&self.centre).map(|(x, c)| x - c).collect();
        let mut value = 0.0;
        for ((g, weight), e) in g.iter_mut().zip(&self.weights).zip(&offset) {
            value += 0.5 * weight * e * e;
            *g = weight * e;
        }
        for (i, pair) in offset.windows(2).enumerate() {
            let jump = pair[1] - pair[0];
            value += 0.5 * self.coupling * jump * jump;
            g[i] -= self.coupling * jump;
            g[i + 1] += self.coupling * jump;
        }
        Ok(value)
    }
}
