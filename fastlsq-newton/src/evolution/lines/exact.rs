//! Linear evolutions with constant coefficients in time: the exponential of their matrix.

use std::sync::Arc;

use faer::Mat;
use fastlsq_solve::dense::cholesky;
use fastlsq_solve::space::line::LineSpace;

use super::system::System;
use crate::evolution::ode::{Ode, Propagator};

/// The maximum number of coefficients: the eigenvalues cost the cube of this.
const LARGEST: usize = 400;

/// c(t) = L⁻ᵀ e^{tA} Lᵀ c(0) with M = LLᵀ and A = L⁻¹KL⁻ᵀ, the matrix of the equation in an orthonormal basis.
#[derive(Debug, Clone)]
pub(crate) struct Exact {
    pub(crate) space: Arc<LineSpace>,
    start: f64,
    data: Vec<f64>,
    lower: Mat<f64>,
    matrix: Mat<f64>,
    constant: Vec<f64>,
    propagator: Propagator,
    first: Vec<f64>,
}

impl Exact {
    /// The evolution of y; `None` if the eigenvectors of the matrix are too ill-conditioned.
    pub(crate) fn new(system: &System<'_>, y: &[f64]) -> Option<Self> {
        let (start, dim) = (system.problem.times.0, y.len());
        if dim > LARGEST {
            return None;
        }
        let lower = cholesky(system.space.mass().to_dense())?;
        let zero = vec![0.0; dim];
        // L⁻¹ K L⁻ᵀ = L⁻¹ (L⁻¹ Kᵀ)ᵀ.
        let mut matrix = system.matrix(start, &zero)?.to_dense();
        for _ in 0..2 {
            forward(&lower, &mut matrix);
            matrix = matrix.transpose().to_owned();
        }
        let scale = matrix.norm_max();
        let asymmetry = (&matrix - matrix.transpose()).norm_max();
        if asymmetry <= 1e-12 * scale {
            // Symmetric but for rounding in the projection.
            matrix = Mat::from_fn(dim, dim, |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]));
        }
        let mut constant = vec![0.0; dim];
        system.rate(start, &zero, &mut constant);
        let constant = upper_times(&lower, &constant);
        let propagator = Propagator::new(&matrix, &constant).ok()?;
        propagator.is_spectral().then(|| Self {
            space: Arc::clone(&system.space),
            start,
            data: system.problem.data(start).unwrap_or_default(),
            first: upper_times(&lower, y),
            lower,
            matrix,
            constant,
            propagator,
        })
    }

    /// The first time.
    pub(crate) fn start(&self) -> f64 {
        self.start
    }

    /// Legendre coefficients of the derivative of order k in time.
    pub(crate) fn expansion(&self, t: f64, k: usize) -> Vec<f64> {
        let mut y = self.propagator.apply(t - self.start, &self.first);
        for order in 0..k {
            let mut rate = vec![0.0; y.len()];
            fastlsq_solve::dense::times(self.matrix.as_ref(), &y, &mut rate);
            if order == 0 {
                for (rate, b) in rate.iter_mut().zip(&self.constant) {
                    *rate += b;
                }
            }
            y = rate;
        }
        // c = L⁻ᵀ y.
        for i in (0..y.len()).rev() {
            let known: f64 = (i + 1..y.len()).map(|j| self.lower[(j, i)] * y[j]).sum();
            y[i] = (y[i] - known) / self.lower[(i, i)];
        }
        let data = if k == 0 { &self.data[..] } else { &[] };
        self.space.expansion(&y, data)
    }
}

/// B ← L⁻¹B.
fn forward(lower: &Mat<f64>, b: &mut Mat<f64>) {
    let n = lower.nrows();
    for j in 0..b.ncols() {
        for i in 0..n {
            let known: f64 = (0..i).map(|k| lower[(i, k)] * b[(k, j)]).sum();
            b[(i, j)] = (b[(i, j)] - known) / lower[(i, i)];
        }
    }
}

/// Lᵀx.
fn upper_times(lower: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    (0..x.len())
        .map(|i| (i..x.len()).map(|j| lower[(j, i)] * x[j]).sum())
        .collect()
}
