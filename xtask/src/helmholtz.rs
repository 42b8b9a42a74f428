//! Δu + 100 u = f on the unit square as a least-squares system of any size, with plane waves as data:
//! what speed and memory are measured on. The error of every solution is known.

use std::f64::consts::PI;
use std::sync::Arc;

use anyhow::Result;
use faer::MatRef;
use fastlsq_solve::{
    BoxDomain, Domain, DomainExt, FrequencyLaw, Operator, PartSelector, RowBlock, SinusoidalBasis,
    System, UnitSampler, identity, laplacian,
};
use ndarray::{Array2, ArrayView1};

const WAVENUMBER: f64 = 10.0;
/// The factor on the rows of the boundary, as in the paper.
const WEIGHT: f64 = 100.0;
/// Points at which errors are measured.
const TEST_POINTS: usize = 1000;

/// Δ + k² with k = 10.
pub(crate) fn operator() -> Operator {
    laplacian(2) + WAVENUMBER * WAVENUMBER * identity(2)
}

/// The sizes of a system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// Features.
    pub(crate) features: usize,
    /// Rows of the equation.
    pub(crate) interior: usize,
    /// Rows of the boundary condition.
    pub(crate) boundary: usize,
    /// The bandwidth σ.
    pub(crate) bandwidth: f64,
}

impl Sizes {
    /// This many rows, a sixth of them on the boundary.
    pub(crate) fn of(rows: usize, features: usize) -> Self {
        Self {
            features,
            interior: rows - rows / 6,
            boundary: rows / 6,
            bandwidth: 10.0,
        }
    }

    /// All rows.
    pub(crate) fn rows(&self) -> usize {
        self.interior + self.boundary
    }
}

/// Features and points, drawn once.
pub(crate) struct Helmholtz {
    basis: Arc<SinusoidalBasis>,
    interior: Array2<f64>,
    boundary: Array2<f64>,
    test: Array2<f64>,
}

impl Helmholtz {
    /// Draws features and points.
    pub(crate) fn new(sizes: Sizes, seed: u64) -> Result<Self> {
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
    pub(crate) fn basis(&self) -> &SinusoidalBasis {
        &self.basis
    }

    /// The points of the equation.
    pub(crate) fn interior(&self) -> &Array2<f64> {
        &self.interior
    }

    /// The rows with the data of one wave.
    pub(crate) fn system(&self, wave: Wave) -> Result<System> {
        let at = |points: &Array2<f64>, f: &dyn Fn(ArrayView1<'_, f64>) -> f64| {
            points.rows().into_iter().map(f).collect()
        };
        let source = at(&self.interior, &|x| wave.source(x));
        let trace = at(&self.boundary, &|x| wave.value(x));
        let equation = RowBlock::new("equation", operator(), self.interior.clone(), source);
        let mut boundary = RowBlock::new("boundary", identity(2), self.boundary.clone(), trace);
        boundary.weight = WEIGHT;
        Ok(System::new(
            vec![self.basis.clone()],
            vec![equation, boundary],
        )?)
    }

    /// The relative error of these coefficients (one column) at independent points.
    pub(crate) fn error(&self, beta: MatRef<'_, f64>, wave: Wave) -> Result<f64> {
        let beta: Vec<f64> = (0..beta.nrows()).map(|j| beta[(j, 0)]).collect();
        let values = identity(2).apply(self.basis(), &beta, &self.test)?;
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
pub(crate) struct Wave {
    p: [f64; 2],
    q: f64,
}

impl Wave {
    /// One wave.
    pub(crate) const PLAIN: Self = Self {
        p: [8.0, 6.5],
        q: 0.3,
    };

    /// Waves with frequencies up to the wavenumber along each axis.
    pub(crate) fn random(count: usize, seed: u64) -> Vec<Self> {
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
