//! What a fit found.

use std::fmt;

use fastlsq_solve::dense;
use fastlsq_solve::{EquationRow, Expr, Frame, Limit, Parameter, Sites, Solution};
use ndarray::Array2;

use crate::optimise::Minimum;
use crate::report::Warning;
use crate::statistics::{Identifiability, Posterior, two_sided_quantile};
use crate::{InverseError, Linearisation, ModelError};

/// Parameters that explain the observations, how sure they are, and the solution that belongs to
/// them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fit {
    /// The parameters, in the order in which they were stated to be sought.
    pub parameters: Vec<f64>,
    /// Their names.
    pub names: Vec<String>,
    /// The misfit ½‖residuals‖² at the fit.
    pub misfit: f64,
    /// How the optimisation went, in physical units: history, trajectory, status.
    pub minimum: Minimum,
    /// Where the other starts ended: parameters and misfit, best first; only with several starts.
    pub other_ends: Vec<(Vec<f64>, f64)>,
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
    /// The limit that ended the fit before it was done, if one did.
    pub stopped: Option<Limit>,
    /// Evaluations of the misfit with its gradient (or of the residuals, with or without their
    /// Jacobian) over the whole fit: all starts and all preliminary fits.
    pub evaluations: u64,
    /// Seconds for the fit; discretising is not included.
    pub seconds: f64,
    /// The deviations of the observations that it was made with.
    pub(super) deviations: Vec<f64>,
    pub(super) linearisation: Linearisation,
    /// Where expressions of the unknowns and the parameters become concrete.
    pub(super) frame: Frame,
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

impl Fit {
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
            let pull: Vec<f64> = (0..jacobian.ncols())
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

    /// The value of a parameter that was sought.
    #[must_use]
    pub fn value(&self, parameter: impl Into<Parameter>) -> Option<f64> {
        let parameter = parameter.into();
        let found = self.names.iter().position(|own| own == parameter.name());
        found.and_then(|k| self.parameters.get(k).copied())
    }

    /// Any expression of the unknowns and the parameters, linear or not, at points, with the band that
    /// the uncertainty of the parameters leaves at this level.
    ///
    /// # Errors
    /// An expression or points that do not fit, a level outside (0, 1).
    pub fn band<'a>(
        &self,
        expression: impl Into<Expr>,
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
        let sites = sites.into();
        sites.validate(self.solution.dim())?;
        let residual = self.frame.lower_scalar(&expression.into())?.residual();
        let rows = residual.jet_rows();
        let bases: Vec<_> = self.solution.bases().iter().map(AsRef::as_ref).collect();
        let jets_of = |beta: &[f64]| EquationRow::apply_all(&rows, &bases, beta, sites);
        let jets = jets_of(self.solution.coefficients())?;
        let table = Array2::from_shape_fn((sites.len(), jets.len()), |(i, j)| jets[j][i]);
        let at_fit = residual.evaluate(table.view(), &sites, &self.parameters)?;

        // dR/dθₖ = Σ ∂R/∂(jet) · jet(∂u/∂θₖ) + ∂R/∂θₖ
        let slopes = &self.linearisation.coefficient_jacobian;
        let mut by_parameter = Vec::with_capacity(slopes.ncols());
        for k in 0..slopes.ncols() {
            let column = dense::column(slopes.as_ref(), k);
            let mut total = at_fit.parameter_slopes.column(k).to_vec();
            for (j, moved) in jets_of(&column)?.into_iter().enumerate() {
                for (i, (total, moved)) in total.iter_mut().zip(moved).enumerate() {
                    *total += at_fit.slopes[(i, j)] * moved;
                }
            }
            by_parameter.push(total);
        }
        let quantile = two_sided_quantile(level);
        let bands = at_fit.values.into_iter().enumerate().map(|(i, value)| {
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

impl fmt::Display for Fit {
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
