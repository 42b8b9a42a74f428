//! Problems whose bandwidth is worth learning.

use std::f64::consts::PI;

use fastlsq_solve::{
    BoxDomain, LinearProblem, Options, Sequence, Solution, SolveError, UnitSampler, X, Y,
    laplacian, problems, sin, unknown,
};
use ndarray::Array2;

use crate::{BandwidthLearner, InverseError, Shape};

/// The KdV soliton 3c sech²(√c/2 (x − ct − x₀)), c = 30, x₀ = −1, on [−2, 2] × [0, 0.1], to be fitted
/// from samples (paper, regression).
#[derive(Debug, Clone)]
pub struct TravellingProfile {
    /// The speed c.
    pub speed: f64,
    /// Sample points, one row (x, t) per point.
    pub points: Array2<f64>,
    /// Values there.
    pub values: Vec<f64>,
}

impl TravellingProfile {
    /// The soliton at this many points.
    #[must_use]
    pub fn kdv(samples: usize) -> Self {
        let points = Self::spread(samples, 3);
        let values = points.rows().into_iter().map(|p| Self::soliton(p[0], p[1]));
        Self {
            speed: 30.0,
            values: values.collect(),
            points,
        }
    }

    fn spread(count: usize, seed: u64) -> Array2<f64> {
        let mut points = UnitSampler::new(Sequence::Halton, seed).points(count, 2);
        for mut row in points.rows_mut() {
            row[0] = 4.0 * row[0] - 2.0;
            row[1] *= 0.1;
        }
        points
    }

    fn soliton(x: f64, t: f64) -> f64 {
        let z = 0.5 * 30.0_f64.sqrt() * (x - 30.0 * t + 1.0);
        90.0 / z.cosh().powi(2)
    }

    /// The fit as a linear problem.
    ///
    /// # Errors
    /// None for the tables of this module.
    pub fn problem(&self) -> Result<LinearProblem, SolveError> {
        let domain = BoxDomain::new(&[-2.0, 0.0], &[2.0, 0.1])?;
        Ok(LinearProblem::on(domain).data(self.points.clone(), &self.values))
    }

    /// The learner of a full covariance, in coordinates in which the domain is [−1, 1]².
    ///
    /// # Errors
    /// As [`BandwidthLearner::normalised`].
    pub fn learner(&self, sigma: f64, options: &Options) -> Result<BandwidthLearner, InverseError> {
        BandwidthLearner::normalised(&self.problem()?, Shape::Full, sigma, options)
    }

    /// The speed in physical units for one in the learner's coordinates.
    #[must_use]
    pub fn physical_speed(&self, normalised: f64) -> f64 {
        // x̂ = x/2, t̂ = t/0.05 − 1
        normalised * 2.0 / 0.05
    }

    /// The relative error of a fit at points that were not fitted.
    ///
    /// # Errors
    /// A solution of another dimension.
    pub fn error(&self, fit: &Solution) -> Result<f64, SolveError> {
        let points = Self::spread(4000, 11);
        let values = fit.values(points.view())?;
        let exact = points.rows().into_iter().map(|p| Self::soliton(p[0], p[1]));
        let (mut difference, mut size) = (0.0, 0.0);
        for (value, exact) in values.into_iter().zip(exact) {
            difference += (value - exact).powi(2);
            size += exact * exact;
        }
        Ok((difference / size).sqrt())
    }
}

/// −Δu = f with u = sin 12πx sin πy: twelve times faster along x than along y.
#[must_use]
pub fn anisotropic_poisson() -> LinearProblem {
    let exact = sin(12.0 * PI * X) * sin(PI * Y);
    LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(unknown("u")), 145.0 * PI * PI * &exact)
        .dirichlet(exact)
}

fn anisotropic_solution(x: &[f64]) -> f64 {
    (12.0 * PI * x[0]).sin() * (PI * x[1]).sin()
}

/// The relative error of a solution of [`anisotropic_poisson`].
///
/// # Errors
/// A solution of another dimension.
pub fn anisotropic_error(u: &Solution) -> Result<f64, SolveError> {
    let points = UnitSampler::new(Sequence::Halton, 5).points(4000, 2);
    let values = u.values(points.view())?;
    let (mut difference, mut size) = (0.0, 0.0);
    for (value, point) in values.into_iter().zip(points.rows()) {
        let exact = anisotropic_solution(&[point[0], point[1]]);
        difference += (value - exact).powi(2);
        size += exact * exact;
    }
    Ok((difference / size).sqrt())
}

/// The paper's experiment: Helmholtz k = 10 with 500 features, σ₀ = 5, 3000 rows inside and 600 on
/// the boundary, ridge 1e-10.
///
/// # Errors
/// As [`BandwidthLearner::new`].
pub fn helmholtz_learner(shape: Shape) -> Result<BandwidthLearner, InverseError> {
    let options = Options::new()
        .features(500)
        .rows(3000, 600)
        .weight(100.0)
        .lsq(fastlsq_solve::LsqOptions::new().ridge(1e-10));
    BandwidthLearner::new(&problems::helmholtz_2d(10.0).problem, shape, 5.0, &options)
}
