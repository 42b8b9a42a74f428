//! The paper's discovery experiment, step by step as published.

use faer::Mat;
use fastlsq_basis::{Basis, FrequencyLaw, MultiIndex, SinusoidalBasis};
use fastlsq_solve::dense::column;
use fastlsq_solve::lsq::{LsqOptions, factor};

use crate::DiscoveryError;
use crate::datasets::DataSet;
use crate::dictionary::{Dictionary, Jets};
use crate::fit::{column_of, expansion};
use crate::regression::{LassoOptions, PathPoint, Regression, lasso_path, paper_penalties};
use crate::rows::{Baseline, grid_derivatives};
use crate::samples::rms;

/// u = e^{−x/2} sin 2x with noise; features with a fixed bandwidth and ridge; a LASSO sweep over
/// {u, u′, u²}; the first model with exactly {u, u′}; least squares on that support.
///
/// ```
/// use fastlsq_discovery::PaperExperiment;
/// let quick = PaperExperiment { samples: 400, features: 200, ..PaperExperiment::default() };
/// let outcome = quick.run()?;
/// assert_eq!(outcome.path.len(), 100);
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PaperExperiment {
    /// Equally spaced samples on [0, 2π]. Paper: 2000.
    pub samples: usize,
    /// Standard deviation of the noise. Paper: 0.01.
    pub noise: f64,
    /// Number of features. Paper: 1500.
    pub features: usize,
    /// Bandwidth in physical units. Paper: 3.
    pub bandwidth: f64,
    /// Ridge. Paper: 1e-8.
    pub ridge: f64,
    /// Penalties of the sweep. Paper: 100 values from 1e-5 to 1e1.
    pub penalties: Vec<f64>,
    /// Coefficients below this count as zero. Paper: 1e-2.
    pub threshold: f64,
    /// Seed of noise and features.
    pub seed: u64,
}

impl Default for PaperExperiment {
    fn default() -> Self {
        Self {
            samples: 2000,
            noise: 0.01,
            features: 1500,
            bandwidth: 3.0,
            ridge: 1e-8,
            penalties: paper_penalties(),
            threshold: 1e-2,
            seed: 0,
        }
    }
}

/// What the paper's experiment gives, with the curves of its figure.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PaperOutcome {
    /// The sample points.
    pub x: Vec<f64>,
    /// The true second derivative e^{−x/2}(−3.75 sin 2x − 2 cos 2x).
    pub exact: Vec<f64>,
    /// The second derivative of the fit.
    pub fitted: Vec<f64>,
    /// Root mean square error of the fitted second derivative over the whole interval.
    pub error: f64,
    /// The same over the inner 90 % of the interval.
    pub inner_error: f64,
    /// Root mean square error of the central difference quotient.
    pub difference_error: f64,
    /// The LASSO path over {u, u′, u²}.
    pub path: Vec<PathPoint>,
    /// u″ as predicted by each point of the path: Σ cₖTₖ on the fit.
    pub predictions: Vec<Vec<f64>>,
    /// The place on the path of the first model with exactly {u, u′}, if there is one.
    pub selected: Option<usize>,
    /// Least-squares coefficients of {u, u′}.
    pub coefficients: [f64; 2],
}

impl PaperExperiment {
    /// Runs it.
    ///
    /// # Errors
    /// Sizes or parameters out of range.
    pub fn run(&self) -> Result<PaperOutcome, DiscoveryError> {
        let data = DataSet::damped_oscillator(2.0 * std::f64::consts::PI);
        let samples = data.sample(self.samples, self.noise, self.seed)?;
        let law = FrequencyLaw::Isotropic(self.bandwidth);
        let basis = SinusoidalBasis::random(1, self.features, &law, self.seed)?;
        let phi = basis.values(samples.points())?;
        let options = LsqOptions::new().ridge(self.ridge);
        let beta = factor(&phi, column_of(samples.values()).as_ref(), &options)?.into_solution();
        let beta = column(beta.as_ref(), 0);

        let library = Dictionary::parse(&["x"], &["u", "u_x", "u^2"])?;
        let second = MultiIndex::new([2]);
        let jets = Jets::new(&library, &second)?;
        let derivatives = jets
            .alphas
            .iter()
            .map(|alpha| expansion(&basis, &beta, samples.points(), alpha))
            .collect::<Result<Vec<_>, _>>()?;
        let columns = jets.columns(&library, samples.points(), &derivatives)?;
        let regression = Regression::new(columns.as_ref(), &derivatives[0]);
        let lasso = LassoOptions {
            penalties: self.penalties.clone(),
            standardise: false,
            ..LassoOptions::default()
        };
        let path = lasso_path(&regression, &lasso)?;
        let selected = path.iter().position(|point| {
            let active: Vec<bool> = point
                .coefficients
                .iter()
                .map(|c| c.abs() > self.threshold)
                .collect();
            active == [true, true, false]
        });
        let predictions = path
            .iter()
            .map(|point| predict(&columns, &point.coefficients))
            .collect();
        let refit = regression.on_support(&[0, 1]).coefficients;

        let x: Vec<f64> = samples.points().column(0).to_vec();
        let exact: Vec<f64> = x
            .iter()
            .map(|x| DataSet::damped_oscillator_curvature(*x))
            .collect();
        let differences = grid_derivatives(&samples, &[second], Baseline::Differences)?;
        let error_of = |values: &[f64], share: f64| {
            let skip = (0.5 * (1.0 - share) * values.len() as f64) as usize;
            let errors: Vec<f64> = values.iter().zip(&exact).map(|(a, b)| a - b).collect();
            rms(errors.get(skip..errors.len() - skip).unwrap_or(&errors))
        };
        Ok(PaperOutcome {
            error: error_of(&derivatives[0], 1.0),
            inner_error: error_of(&derivatives[0], 0.9),
            difference_error: differences.first().map_or(f64::NAN, |d| error_of(d, 1.0)),
            fitted: derivatives.into_iter().next().unwrap_or_default(),
            coefficients: [refit[0], refit[1]],
            x,
            exact,
            path,
            predictions,
            selected,
        })
    }
}

fn predict(columns: &Mat<f64>, coefficients: &[f64]) -> Vec<f64> {
    let values = columns * column_of(coefficients);
    values.col(0).iter().copied().collect()
}
