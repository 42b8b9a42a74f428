//! Fitting: from observations to parameters with their widths.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use faer::Mat;
use fastlsq_solve::{EquationRow, RowSource, Sites, Solution};

use crate::engine::{Prepared, Scaled};
use crate::optimise::{
    LbfgsbOptions, LevenbergMarquardtOptions, Limits, Method, MinimiseOptions, Minimum,
    OptimiseError, Progress, SquaresOptions, minimise_squares_with_progress,
    minimise_with_progress, scattered_starts,
};
use crate::report::Warning;
use crate::statistics::{Identifiability, Posterior, two_sided_quantile};
use crate::{InverseError, Linearisation, ModelError};

/// How the parameters are found.
#[derive(Debug, Clone, PartialEq)]
pub enum FitMethod {
    /// Levenberg–Marquardt on the residuals: few steps, each with the Jacobian.
    LevenbergMarquardt(LevenbergMarquardtOptions),
    /// A method that needs the gradient only.
    Gradient(Method),
}

/// Method, limits and starts of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// Default: Levenberg–Marquardt.
    pub method: FitMethod,
    /// Iteration limit and what to keep. Default: 200 iterations.
    pub limits: Limits,
    /// Further starts spread over the box, besides the one that was given. Default: 0.
    pub further_starts: usize,
    /// Where to start instead of the problem's start. Default: there.
    pub start: Option<Vec<f64>>,
    /// Factors on the deviations of the observations, one preliminary fit each, by
    /// Levenberg–Marquardt, from the end of the one before. Default: none.
    pub tempering: Vec<f64>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            method: FitMethod::LevenbergMarquardt(LevenbergMarquardtOptions::default()),
            limits: Limits {
                max_iterations: 200,
                ..Limits::default()
            },
            further_starts: 0,
            start: None,
            tempering: Vec::new(),
        }
    }
}

impl FitOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// L-BFGS-B instead of Levenberg–Marquardt.
    #[must_use]
    pub fn lbfgsb(self) -> Self {
        self.gradient(Method::Lbfgsb(LbfgsbOptions::default()))
    }

    /// A method that needs the gradient only.
    #[must_use]
    pub fn gradient(mut self, method: Method) -> Self {
        self.method = FitMethod::Gradient(method);
        self
    }

    /// The most iterations.
    #[must_use]
    pub fn max_iterations(mut self, iterations: u64) -> Self {
        self.limits.max_iterations = iterations;
        self
    }

    /// Keeps every iterate.
    #[must_use]
    pub fn record_trajectory(mut self) -> Self {
        self.limits.record_trajectory = true;
        self
    }

    /// Starts from these parameters, those of an earlier fit for instance, instead of the problem's
    /// start; outside the box they are moved to its side.
    #[must_use]
    pub fn starting_at(mut self, parameters: &[f64]) -> Self {
        self.start = Some(parameters.to_vec());
        self
    }

    /// Preliminary fits with the deviations of the observations multiplied by these factors, from
    /// large to small. While the data count little, priors keep the parameters near what is known, and
    /// a start that is far off does not jump into another valley.
    #[must_use]
    pub fn tempering(mut self, factors: &[f64]) -> Self {
        self.tempering = factors.to_vec();
        self
    }

    /// This many further starts, spread evenly over the box; the best end is kept.
    #[must_use]
    pub fn further_starts(mut self, starts: usize) -> Self {
        self.further_starts = starts;
        self
    }
}

/// Parameters that explain the observations, how sure they are, and the solution that belongs to
/// them.
#[derive(Debug, Clone)]
pub struct Fit<const K: usize> {
    /// The parameters.
    pub parameters: [f64; K],
    /// Their names.
    pub names: Vec<String>,
    /// The misfit ½‖residuals‖² at the fit.
    pub misfit: f64,
    /// How the optimisation went, in physical units: history, trajectory, status.
    pub minimum: Minimum,
    /// Where the other starts ended: parameters and misfit, best first; only with several starts.
    pub other_ends: Vec<([f64; K], f64)>,
    /// Cramér–Rao at the fit.
    pub identifiability: Identifiability,
    /// Laplace's approximation of the posterior.
    pub posterior: Posterior,
    /// The predicted observations.
    pub predicted: Vec<f64>,
    /// The solution of the forward problem at the fit.
    pub solution: Solution,
    /// What a reader should know.
    pub warnings: Vec<Warning>,
    /// Evaluations of the misfit with its gradient (or of the residuals, with or without their
    /// Jacobian) over the whole fit: all starts and all preliminary fits.
    pub evaluations: u64,
    /// Seconds for the fit; discretising is not included.
    pub seconds: f64,
    /// The deviations of the observations that it was made with.
    deviations: Vec<f64>,
    linearisation: Linearisation,
}

/// A quantity derived from the fit at one point, with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The value at the fit.
    pub value: f64,
    /// Its posterior standard deviation.
    pub deviation: f64,
    /// The lower end of the band.
    pub lower: f64,
    /// The upper end of the band.
    pub upper: f64,
}

impl<const K: usize> Fit<K> {
    /// The interval that holds a parameter with this probability; `None` for a parameter that does
    /// not exist or a level outside (0, 1).
    #[must_use]
    pub fn interval(&self, parameter: usize, level: f64) -> Option<(f64, f64)> {
        self.posterior.interval(parameter, level)
    }

    /// Widens the posterior by what an error of the discretisation does to the parameters.
    ///
    /// To first order an offset o of the observations moves the fit by δ = C Jᵀ Σ⁻¹ o, with the
    /// posterior covariance C, the Jacobian J of the observations and the squares Σ of their
    /// deviations. The covariance gains δδᵀ for each offset of the model error.
    ///
    /// # Errors
    /// A model error for another number of observations.
    pub fn widen(&mut self, error: &ModelError) -> Result<(), InverseError> {
        let jacobian = &self.linearisation.jacobian;
        for offset in error.offsets() {
            if offset.len() != self.deviations.len() {
                return Err(InverseError::Shape {
                    label: "the model error".to_owned(),
                    what: "observations",
                    expected: self.deviations.len(),
                    found: offset.len(),
                });
            }
        }
        let shifts = error.offsets().iter().map(|offset| {
            let pull: Vec<f64> = (0..K)
                .map(|k| {
                    let terms = offset.iter().zip(&self.deviations).enumerate();
                    terms
                        .map(|(i, (o, sigma))| jacobian[(i, k)] * o / (sigma * sigma))
                        .sum()
                })
                .collect();
            self.posterior.response_to(&pull)
        });
        let shifts: Vec<Vec<f64>> = shifts.collect();
        self.posterior.widen(&shifts);
        Ok(())
    }

    /// Any operator of the solution at points, with the band that the uncertainty of the parameters
    /// leaves at this level.
    ///
    /// # Errors
    /// An operator or points that do not fit, a level outside (0, 1).
    pub fn band<'a>(
        &self,
        operator: impl Into<EquationRow>,
        sites: impl Into<Sites<'a>>,
        level: f64,
    ) -> Result<Vec<Band>, InverseError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(InverseError::Option {
                option: "level",
                value: level,
                requirement: "a probability between 0 and 1",
            });
        }
        let (operator, sites) = (operator.into(), sites.into());
        let values = self.solution.apply_row(&operator, sites)?;
        let bases: Vec<_> = self.solution.bases().iter().map(AsRef::as_ref).collect();
        let slopes = &self.linearisation.coefficient_jacobian;
        let mut by_parameter = Vec::with_capacity(K);
        for k in 0..K {
            let column: Vec<f64> = (0..slopes.nrows()).map(|j| slopes[(j, k)]).collect();
            by_parameter.push(operator.apply(&bases, &column, sites)?);
        }
        let quantile = two_sided_quantile(level);
        let bands = values.into_iter().enumerate().map(|(i, value)| {
            let slopes: Vec<f64> = by_parameter.iter().map(|column| column[i]).collect();
            let deviation = self.posterior.deviation_of(&slopes);
            Band {
                value,
                deviation,
                lower: value - quantile * deviation,
                upper: value + quantile * deviation,
            }
        });
        Ok(bands.collect())
    }
}

impl<const K: usize> fmt::Display for Fit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "misfit {:.4e} after {} iterations, {} evaluations, {:.2} s; {}",
            self.misfit,
            self.minimum.iterations,
            self.minimum.evaluations,
            self.seconds,
            self.minimum.status
        )?;
        for (k, name) in self.names.iter().enumerate() {
            let (lower, upper) = self.interval(k, 0.95).unwrap_or((f64::NAN, f64::NAN));
            writeln!(
                f,
                "  {name:>12} = {:<14.8} ± {:.2e}   95 %: [{lower:.6}, {upper:.6}]",
                self.parameters[k], self.posterior.deviations[k]
            )?;
        }
        write!(
            f,
            "  held-out residual of the forward problem {:.1e}",
            self.solution.report().held_out_residual
        )?;
        for warning in &self.warnings {
            write!(f, "\n  note: {warning}")?;
        }
        Ok(())
    }
}

impl<const K: usize> Prepared<K> {
    /// What the observations can tell about the parameters, seen from the start.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn identifiability(&self) -> Result<Identifiability, InverseError> {
        self.identifiability_at(&self.start)
    }

    /// What the observations can tell about the parameters near these values.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn identifiability_at(
        &self,
        parameters: &[f64; K],
    ) -> Result<Identifiability, InverseError> {
        Ok(self.identifiability_of(parameters, &self.jacobian_at(parameters)?))
    }

    fn identifiability_of(&self, parameters: &[f64; K], jacobian: &Mat<f64>) -> Identifiability {
        Identifiability::new(
            &self.problem.parameters,
            parameters,
            jacobian.as_ref(),
            self.noise_known(),
        )
    }

    /// The parameters that explain the observations best.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); a fit that has not converged is no error.
    pub fn fit(&self) -> Result<Fit<K>, InverseError> {
        self.fit_with(&FitOptions::new())
    }

    /// As [`fit`](Self::fit), with another method, several starts or other limits.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); several starts need a finite box.
    pub fn fit_with(&self, options: &FitOptions) -> Result<Fit<K>, InverseError> {
        self.fit_with_progress(options, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`fit_with`](Self::fit_with), with a callback that sees iteration, misfit and parameters (in
    /// physical units) after every iteration and may stop the run.
    ///
    /// # Errors
    /// As [`fit_with`](Self::fit_with).
    pub fn fit_with_progress(
        &self,
        options: &FitOptions,
        progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Fit<K>, InverseError> {
        let begin = Instant::now();
        if let Some(&value) = options
            .tempering
            .iter()
            .find(|f| !(f.is_finite() && **f > 0.0))
        {
            return Err(InverseError::Option {
                option: "tempering",
                value,
                requirement: "factors are positive and finite",
            });
        }
        let scaled = Scaled::new(self)?;
        let mut starts = vec![self.first_start(options)?];
        if options.further_starts > 0 {
            let more = scattered_starts(&self.bounds, options.further_starts);
            starts.extend(more.map_err(OptimiseError::from)?);
        }
        let mut runs = Vec::with_capacity(starts.len());
        let mut failure = None;
        let mut evaluations = 0;
        for start in &starts {
            match tempered_run(&scaled, start, options, &mut evaluations, progress) {
                Ok(minimum) => runs.push(minimum),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        runs.sort_by(|a, b| a.value.total_cmp(&b.value));
        let starts = runs.len();
        if runs.is_empty() {
            return Err(failure.unwrap_or(InverseError::NoParameters));
        }
        let minimum = runs.remove(0);
        let parameters = as_array(&minimum.parameters);
        let margin = 1e-6 * minimum.value.max(1e-12);
        let agreeing = 1 + runs
            .iter()
            .filter(|r| r.value <= minimum.value + margin)
            .count();
        let mut fit = self.conclude(parameters, minimum, begin)?;
        if agreeing < starts {
            fit.warnings
                .push(Warning::SeveralMinima { agreeing, starts });
        }
        fit.other_ends = runs
            .iter()
            .map(|run| (as_array(&run.parameters), run.value))
            .collect();
        fit.evaluations = evaluations;
        fit.seconds = begin.elapsed().as_secs_f64();
        Ok(fit)
    }

    /// The start that the options give, in the box, or the problem's.
    fn first_start(&self, options: &FitOptions) -> Result<Vec<f64>, InverseError> {
        let Some(given) = &options.start else {
            return Ok(self.start.to_vec());
        };
        if given.len() != K {
            return Err(InverseError::Shape {
                label: "the start of the fit".to_owned(),
                what: "parameters",
                expected: K,
                found: given.len(),
            });
        }
        let mut start = given.clone();
        self.bounds
            .project(&mut start)
            .map_err(OptimiseError::from)?;
        Ok(start)
    }

    /// Statistics and solution at the end of a run.
    fn conclude(
        &self,
        parameters: [f64; K],
        minimum: Minimum,
        begin: Instant,
    ) -> Result<Fit<K>, InverseError> {
        let linearisation = self.linearise(&parameters)?;
        let jacobian = self.jacobian_at(&parameters)?;
        let identifiability = self.identifiability_of(&parameters, &jacobian);
        let residuals = self.residuals_at(&parameters)?;
        let squares: f64 = residuals.iter().map(|r| r * r).sum();
        let freedom = residuals.len().saturating_sub(K);
        let ratio = (squares / freedom.max(1) as f64).sqrt();
        let noise_factor = if self.noise_known() || freedom == 0 || ratio == 0.0 {
            1.0
        } else {
            ratio
        };
        let definitions = &self.problem.parameters;
        let posterior = Posterior::new(definitions, &parameters, jacobian.as_ref(), noise_factor);

        let mut warnings = Vec::new();
        for &k in &self.start_projected {
            warnings.push(Warning::StartProjected {
                name: definitions[k].name.clone(),
                given: definitions[k].start,
                used: self.start[k],
            });
        }
        if !minimum.status.is_converged() {
            warnings.push(Warning::NotConverged {
                status: minimum.status.to_string(),
            });
        }
        for &k in &minimum.at_bounds {
            warnings.push(Warning::OnBound {
                name: definitions[k].name.clone(),
                value: parameters[k],
            });
        }
        if self.noise_known() && freedom > 0 && ratio > 1.0 + 5.0 / (2.0 * freedom as f64).sqrt() {
            warnings.push(Warning::PoorFit { ratio });
        }
        if self.noise_known() {
            warnings.extend(identifiability.warnings());
        }
        Ok(Fit {
            parameters,
            names: definitions.iter().map(|p| p.name.clone()).collect(),
            misfit: minimum.value,
            minimum,
            other_ends: Vec::new(),
            identifiability,
            posterior,
            predicted: linearisation.predicted.clone(),
            solution: self.solution(&parameters)?,
            warnings,
            evaluations: 0,
            seconds: begin.elapsed().as_secs_f64(),
            deviations: self.deviations().to_vec(),
            linearisation,
        })
    }

    /// How many features the forward problem has, over all unknowns.
    #[must_use]
    pub fn feature_count(&self) -> usize {
        self.system().ncols()
    }
}

fn as_array<const K: usize>(values: &[f64]) -> [f64; K] {
    std::array::from_fn(|k| values.get(k).copied().unwrap_or(f64::NAN))
}

/// The preliminary fits, and the one that counts.
fn tempered_run<const K: usize>(
    scaled: &Scaled<'_, K>,
    start: &[f64],
    options: &FitOptions,
    evaluations: &mut u64,
    progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Minimum, InverseError> {
    let mut from = start.to_vec();
    let preliminary = FitOptions::new().max_iterations(30);
    for factor in &options.tempering {
        let end = run(&scaled.tempered(*factor), &from, &preliminary, progress)?;
        *evaluations += end.evaluations;
        from = end.parameters;
    }
    let minimum = run(scaled, &from, options, progress)?;
    *evaluations += minimum.evaluations;
    Ok(minimum)
}

/// One optimisation, in scaled parameters; its record in physical ones.
fn run<const K: usize>(
    scaled: &Scaled<'_, K>,
    start: &[f64],
    options: &FitOptions,
    progress: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Minimum, InverseError> {
    let bounds = scaled.bounds().map_err(OptimiseError::from)?;
    let from = scaled.scaled(start);
    let mut watched = |inner: &Progress<'_>| {
        let parameters = scaled.physical(inner.parameters);
        progress(&Progress {
            parameters: &parameters,
            ..*inner
        })
    };
    let limits = options.limits.clone();
    let mut minimum = match &options.method {
        FitMethod::LevenbergMarquardt(method) => {
            let options = SquaresOptions {
                method: method.clone(),
                limits,
            };
            minimise_squares_with_progress(scaled, &from, &bounds, &options, &mut watched)?
        }
        FitMethod::Gradient(method) => {
            let options = MinimiseOptions {
                method: method.clone(),
                limits,
            };
            minimise_with_progress(scaled, &from, &bounds, &options, &mut watched)?
        }
    };
    minimum.parameters = scaled.physical(&minimum.parameters).to_vec();
    minimum.start = scaled.physical(&minimum.start).to_vec();
    for point in &mut minimum.trajectory {
        *point = scaled.physical(point).to_vec();
    }
    for (slope, scale) in minimum.gradient.iter_mut().zip(scaled.scales()) {
        *slope /= scale;
    }
    Ok(minimum)
}
