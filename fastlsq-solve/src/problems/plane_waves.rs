//! Δu + 100 u = f on the unit square as a least-squares system of any size, with plane waves as data.
//!
//! What the matrix cache, speed and memory are measured on: any number of right-hand sides, each with a known
//! solution.

use std::f64::consts::PI;
use std::sync::Arc;

use faer::MatRef;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{FrequencyLaw, SinusoidalBasis};
use fastlsq_ops::{EquationRow, Frame, Space, StatementError, laplacian, unknown};
use ndarray::{Array2, ArrayView1};

use crate::{BoxDomain, Domain, DomainExt, PartSelector, RowBlock, SolveError, System};

const WAVENUMBER: f64 = 10.0;
/// The factor on the rows of the boundary, as in the paper.
const WEIGHT: f64 = 100.0;
/// Points at which errors are measured.
const TEST_POINTS: usize = 1000;

/// The sizes of a system.
#[derive(Debug, Clone, Copy)]
pub struct WaveSizes {
    /// Features.
    pub features: usize,
    /// Rows of the equation.
    pub interior: usize,
    /// Rows of the boundary condition.
    pub boundary: usize,
    /// The bandwidth σ.
    pub bandwidth: f64,
}

impl WaveSizes {
    /// This many rows, a sixth of them on the boundary, and σ = 10.
    #[must_use]
    pub fn of(rows: usize, features: usize) -> Self {
        Self {
            features,
            interior: rows - rows / 6,
            boundary: rows / 6,
            bandwidth: 10.0,
        }
    }

    /// All rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.interior.saturating_add(self.boundary)
    }
}

/// The rows of Δu + 100 u = f and u = g for features and points that are drawn once; each [`PlaneWave`] gives them data.
#[derive(Debug, Clone)]
pub struct HelmholtzWaves {
    basis: Arc<SinusoidalBasis>,
    interior: Array2<f64>,
    boundary: Array2<f64>,
    test: Array2<f64>,
}

impl HelmholtzWaves {
    /// Δ + k² with k = 10.
    ///
    /// # Errors
    /// None that can occur.
    pub fn operator() -> Result<EquationRow, StatementError> {
        let u = unknown("u");
        Frame::new(Space::new(2), [u]).row(laplacian(u) + WAVENUMBER * WAVENUMBER * u)
    }

    /// Draws features and points.
    ///
    /// # Errors
    /// No features, a bandwidth that is not positive.
    pub fn new(sizes: WaveSizes, seed: u64) -> Result<Self, SolveError> {
        let domain = BoxDomain::unit(2);
        let mut sampler = UnitSampler::independent(seed);
        let interior = domain.sample_interior(sizes.interior, &mut sampler)?;
        let walls =
            domain.sample_selected(&PartSelector::AllWalls, sizes.boundary, &mut sampler)?;
        let law = FrequencyLaw::Isotropic(sizes.bandwidth);
        Ok(Self {
            basis: Arc::new(SinusoidalBasis::random(2, sizes.features, &law, seed)?),
            interior,
            boundary: walls.points,
            test: domain.sample_interior(TEST_POINTS, &mut sampler)?,
        })
    }

    /// The features.
    #[must_use]
    pub fn basis(&self) -> &SinusoidalBasis {
        &self.basis
    }

    /// The points of the equation.
    #[must_use]
    pub fn interior(&self) -> &Array2<f64> {
        &self.interior
    }

    /// The rows with the data of one wave.
    ///
    /// # Errors
    /// Sizes that make no system.
    pub fn system(&self, wave: PlaneWave) -> Result<System, SolveError> {
        let at = |points: &Array2<f64>, f: &dyn Fn(ArrayView1<'_, f64>) -> f64| {
            points.rows().into_iter().map(f).collect()
        };
        let source = at(&self.interior, &|x| wave.source(x));
        let trace = at(&self.boundary, &|x| wave.value(x));
        let equation = RowBlock::new("equation", Self::operator()?, self.interior.clone(), source);
        let mut boundary = RowBlock::new(
            "boundary",
            EquationRow::value(2, 0, 1),
            self.boundary.clone(),
            trace,
        );
        boundary.weight = WEIGHT;
        System::new(vec![self.basis.clone()], vec![equation, boundary])
    }

    /// The relative error of these coefficients (one column) at independent points.
    ///
    /// # Errors
    /// Not one coefficient for each feature.
    pub fn error(&self, beta: MatRef<'_, f64>, wave: PlaneWave) -> Result<f64, SolveError> {
        let beta: Vec<f64> = match beta.col_iter().next() {
            Some(column) => column.iter().copied().collect(),
            None => Vec::new(),
        };
        let values = EquationRow::value(2, 0, 1).apply(&[self.basis()], &beta, &self.test)?;
        let (mut difference, mut norm) = (0.0, 0.0);
        for (x, value) in self.test.rows().into_iter().zip(values) {
            let exact = wave.value(x);
            difference += (value - exact).powi(2);
            norm += exact.powi(2);
        }
        Ok((difference / norm).sqrt())
    }
}

/// A plane wave sin(p·x + q).
#[derive(Debug, Clone, Copy)]
pub struct PlaneWave {
    p: [f64; 2],
    q: f64,
}

impl PlaneWave {
    /// One wave.
    pub const PLAIN: Self = Self {
        p: [8.0, 6.5],
        q: 0.3,
    };

    /// Waves with frequencies up to the wavenumber along each axis.
    #[must_use]
    pub fn random(count: usize, seed: u64) -> Vec<Self> {
        let draws = UnitSampler::independent(seed ^ 0x0a7e).points(count, 3);
        let wave = |u: ArrayView1<'_, f64>| Self {
            p: [0, 1].map(|k| WAVENUMBER * (2.0 * u[k] - 1.0)),
            q: 2.0 * PI * u[2],
        };
        draws.rows().into_iter().map(wave).collect()
    }

    fn value(&self, x: ArrayView1<'_, f64>) -> f64 {
        (self.p[0] * x[0] + self.p[1] * x[1] + self.q).sin()
    }

    /// Its image under Δ + k².
    fn source(&self, x: ArrayView1<'_, f64>) -> f64 {
        let squared = self.p[0] * self.p[0] + self.p[1] * self.p[1];
        (WAVENUMBER * WAVENUMBER - squared) * self.value(x)
    }
}

#[cfg(test)]
mod tests {
    use super::{HelmholtzWaves, PlaneWave, WaveSizes};
    use crate::{Backend, CpuBackend, LsqOptions};

    #[test]
    fn one_factorisation_solves_every_wave() {
        let sizes = WaveSizes::of(1200, 300);
        assert_eq!(sizes.rows(), 1200);
        let waves = HelmholtzWaves::new(sizes, 0).unwrap();
        let system = waves.system(PlaneWave::PLAIN).unwrap();
        let factored = CpuBackend
            .factor(&system, &LsqOptions::new().keep_q(true))
            .unwrap();
        for wave in PlaneWave::random(3, 1) {
            let data = waves.system(wave).unwrap().right_hand_side();
            let beta = factored.solve(data.as_ref()).unwrap();
            let error = waves.error(beta.as_ref(), wave).unwrap();
            assert!(error < 1e-5, "{error:e}");
            // The solution of one wave is not that of another.
            assert!(waves.error(beta.as_ref(), PlaneWave::PLAIN).unwrap() > 0.1);
            let short = beta.as_ref().subrows(0, 299);
            assert!(waves.error(short, wave).is_err());
        }
        assert!(HelmholtzWaves::new(WaveSizes::of(600, 0), 0).is_err());
    }
}
