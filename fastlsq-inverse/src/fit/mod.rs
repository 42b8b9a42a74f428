//! Fitting: from observations to parameters with their widths.

mod options;
mod result;
mod run;

use std::ops::ControlFlow;
use std::time::Instant;

use faer::Mat;
use fastlsq_solve::{RowSource, SolveError, Stage};

pub use options::{FitMethod, FitOptions};
pub use result::{Band, Fit};

use crate::InverseError;
use crate::engine::{Prepared, Scaled};
use crate::optimise::{Minimum, OptimiseError, Progress, Status, scattered_starts};
use crate::report::Warning;
use crate::statistics::{Identifiability, Posterior};
use run::tempered_run;

impl Prepared {
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
    pub fn identifiability_at(&self, parameters: &[f64]) -> Result<Identifiability, InverseError> {
        Ok(self.identifiability_of(parameters, &self.jacobian_at(parameters)?))
    }

    fn identifiability_of(&self, parameters: &[f64], jacobian: &Mat<f64>) -> Identifiability {
        Identifiability::new(
            &self.problem.sought,
            parameters,
            jacobian.as_ref(),
            self.noise_known(),
        )
    }

    /// The parameters that explain the observations best. Limits and the progress callback of the problem's options apply
    /// to the fit too: where one stops it, the best parameters until then are returned ([`Fit::stopped`]).
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and a limit that is reached before the start was evaluated; a fit that has not
    /// converged is not an error.
    pub fn fit(&self) -> Result<Fit, InverseError> {
        self.fit_with(&FitOptions::new())
    }

    /// As [`fit`](Self::fit), with another method, several starts or other limits.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); several starts need a finite box.
    pub fn fit_with(&self, options: &FitOptions) -> Result<Fit, InverseError> {
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
    ) -> Result<Fit, InverseError> {
        let begin = Instant::now();
        if let Some(&value) = options
            .tempering
            .iter()
            .find(|f| !(f.is_finite() && **f > 0.0))
        {
            return Err(InverseError::Option {
                option: "tempering",
                value,
                requirement: "factors must be positive and finite",
            });
        }
        let control = self.problem.options.started().control().clone();
        control.enter(Stage::Preparing).map_err(SolveError::from)?;
        let scaled = Scaled::new(self, &control)?;
        // Making a result of the best parameters takes about as much work as the first evaluation did.
        let evaluation = control.agreed(begin.elapsed());
        let scaled = scaled.under(control.clone().reserving(evaluation + evaluation / 2));
        let mut starts = vec![self.first_start(options)?];
        if options.further_starts > 0 {
            let more = scattered_starts(&self.bounds, options.further_starts);
            starts.extend(more.map_err(OptimiseError::from)?);
        }
        let mut runs = Vec::with_capacity(starts.len());
        let (mut failure, mut cut) = (None, false);
        let mut evaluations = 0;
        for start in &starts {
            if !runs.is_empty() && scaled.control().is_over() {
                cut = true;
                break;
            }
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
        let parameters = minimum.parameters.clone();
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
            .map(|run| (run.parameters.clone(), run.value))
            .collect();
        fit.evaluations = evaluations;
        if cut || fit.minimum.status == Status::Interrupted {
            fit.stopped = scaled.control().check().err();
        }
        fit.seconds = begin.elapsed().as_secs_f64();
        Ok(fit)
    }

    /// The start that the options give, in the box, or the problem's.
    fn first_start(&self, options: &FitOptions) -> Result<Vec<f64>, InverseError> {
        let Some(given) = &options.start else {
            return Ok(self.start.to_vec());
        };
        if given.len() != self.start.len() {
            return Err(InverseError::Shape {
                label: "the start of the fit".to_owned(),
                what: "parameters",
                expected: self.start.len(),
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
        parameters: Vec<f64>,
        minimum: Minimum,
        begin: Instant,
    ) -> Result<Fit, InverseError> {
        let linearisation = self.linearise(&parameters)?;
        let jacobian = self.jacobian_at(&parameters)?;
        let identifiability = self.identifiability_of(&parameters, &jacobian);
        let residuals = self.residuals_at(&parameters)?;
        let squares: f64 = residuals.iter().map(|r| r * r).sum();
        let freedom = residuals.len().saturating_sub(parameters.len());
        let ratio = (squares / freedom.max(1) as f64).sqrt();
        let noise_factor = if self.noise_known() || freedom == 0 || ratio == 0.0 {
            1.0
        } else {
            ratio
        };
        let definitions = &self.problem.sought;
        let posterior = Posterior::new(definitions, &parameters, jacobian.as_ref(), noise_factor);

        let mut warnings = Vec::new();
        for &k in &self.start_projected {
            warnings.push(Warning::StartProjected {
                name: definitions[k].name().to_owned(),
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
                name: definitions[k].name().to_owned(),
                value: parameters[k],
            });
        }
        if self.noise_known() && freedom > 0 && ratio > 1.0 + 5.0 / (2.0 * freedom as f64).sqrt() {
            warnings.push(Warning::PoorFit { ratio });
        }
        if self.noise_known() {
            warnings.extend(identifiability.warnings());
        }
        let solution = self.solution(&parameters)?;
        Ok(Fit {
            parameters,
            names: definitions.iter().map(|p| p.name().to_owned()).collect(),
            misfit: minimum.value,
            minimum,
            other_ends: Vec::new(),
            identifiability,
            posterior,
            predicted: linearisation.predicted.clone(),
            solution,
            warnings,
            stopped: None,
            evaluations: 0,
            seconds: begin.elapsed().as_secs_f64(),
            deviations: self.deviations().to_vec(),
            linearisation,
            frame: self.frame.clone(),
        })
    }

    /// How many features the forward problem has, over all unknowns.
    #[must_use]
    pub fn feature_count(&self) -> usize {
        self.system().ncols()
    }
}
