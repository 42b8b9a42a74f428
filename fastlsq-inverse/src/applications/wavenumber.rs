//! The Helmholtz wavenumber from a few dozen sensors.

use fastlsq_solve::{
    BoxDomain, Options, Sequence, UnitSampler, X, Y, laplacian, parameter, sin, unknown,
};
use ndarray::Array2;

use crate::reference::with_noise;
use crate::{InverseError, InverseProblem, Observations, Sought};

/// Δu + k²u = f on the unit square with known f and boundary values: which k explains the readings?
///
/// Source and boundary values are those of u = sin(κx) sin(κy) with the true κ, so the readings have a
/// closed form. The operator depends on the parameter: each evaluation factors once.
#[derive(Debug, Clone)]
pub struct Wavenumber {
    /// The true wavenumber κ.
    pub truth: f64,
    /// Where the search starts.
    pub start: f64,
    /// The sensors, one row per point.
    pub sensors: Array2<f64>,
    /// How the forward problem is discretised.
    pub options: Options,
}

impl Wavenumber {
    /// 50 sensors, start 9.5, truth 10.
    #[must_use]
    pub fn standard() -> Self {
        let mut sampler = UnitSampler::new(Sequence::Halton, 7);
        Self {
            truth: 10.0,
            start: 9.5,
            sensors: sampler.points(50, 2),
            options: Options::new().features(500).bandwidth(8.0).rows(1200, 500),
        }
    }

    /// u at the sensors, exactly.
    #[must_use]
    pub fn exact_readings(&self) -> Vec<f64> {
        let k = self.truth;
        let rows = self.sensors.rows().into_iter();
        rows.map(|x| (k * x[0]).sin() * (k * x[1]).sin()).collect()
    }

    /// Readings with normal noise of this share of the largest amplitude (which is 1).
    #[must_use]
    pub fn readings(&self, noise: f64, seed: u64) -> Vec<f64> {
        with_noise(&self.exact_readings(), noise, seed)
    }

    /// The inverse problem with these readings; without noise the deviation only sets the unit of the
    /// misfit.
    #[must_use]
    pub fn problem(&self, readings: &[f64], noise: f64) -> InverseProblem {
        let (u, k) = (unknown("u"), parameter("k"));
        let kappa = self.truth;
        let exact = sin(kappa * X) * sin(kappa * Y);
        let deviation = if noise > 0.0 { noise } else { 1e-3 };
        InverseProblem::on(BoxDomain::unit(2))
            .equation(laplacian(u) + k * k * u, -kappa * kappa * &exact)
            .dirichlet(exact)
            .find(Sought::new(k, self.start).within(9.0, 10.9))
            .observe(Observations::of(u, self.sensors.clone(), readings).deviation(deviation))
            .options(self.options.clone())
    }

    /// The misfit along the box of the wavenumber: (k, misfit) at this many values, for a figure.
    ///
    /// # Errors
    /// As [`InverseProblem::prepare`].
    pub fn misfit_curve(
        &self,
        readings: &[f64],
        noise: f64,
        count: usize,
    ) -> Result<Vec<(f64, f64)>, InverseError> {
        let prepared = self.problem(readings, noise).prepare()?;
        (0..count)
            .map(|i| {
                let k = 9.0 + 1.9 * i as f64 / count.saturating_sub(1).max(1) as f64;
                Ok((k, prepared.misfit(&[k])?.0))
            })
            .collect()
    }
}
