//! The position of a source from four sensors (the listing in the paper's appendix).

use fastlsq_solve::{BoxDomain, Options, X, Y, exp, laplacian, parameters, unknown};
use ndarray::Array2;

use crate::reference::{PoissonSeries, with_noise};
use crate::{InverseProblem, Observations, Sought};

/// −Δu = exp(−|x − s|²/0.1) on the unit square, u = 0 around it: where is s?
///
/// Readings come from the sine series of the solution. As published, with noise 0.01, the noise is
/// 42 % of the signal and the data cannot tell; with 0.001 they can.
#[derive(Debug, Clone)]
pub struct SourcePosition {
    /// The true position.
    pub truth: [f64; 2],
    /// Where the search starts.
    pub start: [f64; 2],
    /// The sensors.
    pub sensors: Vec<[f64; 2]>,
    /// The standard deviation of a reading.
    pub noise: f64,
    /// How the forward problem is discretised.
    pub options: Options,
}

impl SourcePosition {
    /// The paper's set-up with this noise.
    #[must_use]
    pub fn paper(noise: f64) -> Self {
        Self {
            truth: [0.4, 0.6],
            start: [0.5, 0.5],
            sensors: vec![[0.3, 0.3], [0.7, 0.7], [0.3, 0.7], [0.7, 0.3]],
            noise,
            options: Options::new()
                .features(800)
                .bandwidth(5.0)
                .rows(3000, 400)
                .weight(100.0),
        }
    }

    /// The readings without noise, from the sine series.
    #[must_use]
    pub fn exact_readings(&self) -> Vec<f64> {
        let [a, b] = self.truth;
        let series = PoissonSeries::new(48, move |x, y| {
            (-((x - a).powi(2) + (y - b).powi(2)) / 0.1).exp()
        });
        self.sensors
            .iter()
            .map(|[x, y]| series.value(*x, *y))
            .collect()
    }

    /// Readings with noise from this seed.
    #[must_use]
    pub fn readings(&self, seed: u64) -> Vec<f64> {
        with_noise(&self.exact_readings(), self.noise, seed)
    }

    /// The sensors, one row per point.
    #[must_use]
    pub fn sensor_points(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.sensors.len(), 2), |(i, axis)| self.sensors[i][axis])
    }

    /// The inverse problem with these readings.
    #[must_use]
    pub fn problem(&self, readings: &[f64]) -> InverseProblem {
        let u = unknown("u");
        let [s1, s2] = parameters(["s₁", "s₂"]);
        let [a, b] = self.start;
        let distance_squared = (X - s1).powi(2) + (Y - s2).powi(2);
        InverseProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(u), exp(-distance_squared / 0.1))
            .dirichlet(0.0)
            .find(Sought::new(s1, a).within(0.1, 0.9))
            .find(Sought::new(s2, b).within(0.1, 0.9))
            .observe(Observations::of(u, self.sensor_points(), readings).deviation(self.noise))
            .options(self.options.clone())
    }
}
