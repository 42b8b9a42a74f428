//! What a discovery found.

use std::fmt;

use fastlsq_basis::{MultiIndex, SinusoidalBasis};
use ndarray::ArrayView2;

use crate::fit::expansion;
use crate::regression::{Candidate, PathPoint};
use crate::{DiscoveryError, FieldFit, LawFit};

/// One term of the law that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct LawTerm {
    /// Its place in the dictionary.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its coefficient.
    pub coefficient: f64,
    /// An interval that holds the coefficient with about 95 % probability, if the law is right.
    pub interval: (f64, f64),
    /// The Cramér–Rao standard deviation at the estimated noise: no unbiased estimate does better.
    /// `None` without a likelihood refit.
    pub cramer_rao: Option<f64>,
    /// Probability that the term belongs to the law: from the information criteria of all laws that
    /// were fitted, or the bootstrap frequency without a likelihood refit.
    pub inclusion: f64,
}

/// A doubt about the result, by name.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// These terms are nearly dependent on the data: their coefficients cannot be told apart.
    Collinear {
        /// Names of the terms.
        terms: Vec<String>,
        /// 1 − R² of the first regressed on the others.
        independence: f64,
    },
    /// The field only moves: any law can be traded for u_t = −c u_x.
    TravellingWave {
        /// Speed along each other axis.
        velocity: Vec<f64>,
        /// Relative residual of the pure transport law.
        residual: f64,
    },
    /// Another law explains the data about as well.
    Rival {
        /// The other law.
        law: String,
        /// How much worse its information criterion is.
        difference: f64,
    },
    /// The LASSO did not converge at this many penalties.
    LassoGap {
        /// Number of penalties.
        penalties: usize,
    },
    /// The features could not hold a solution of the law as exactly as the noise would allow.
    NotEnforced {
        /// Relative residual that remained.
        residual: f64,
    },
    /// The law leaves much of the target unexplained.
    Unexplained {
        /// Relative residual on held-out rows.
        held_out: f64,
    },
    /// The fit spends so many degrees of freedom that the noise level is uncertain.
    Overfit {
        /// Degrees of freedom of the fit.
        degrees_of_freedom: f64,
        /// Number of samples.
        samples: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collinear {
                terms,
                independence,
            } => write!(
                f,
                "{} are collinear on these data (1 − R² = {independence:.1e}): their coefficients cannot be told apart; use richer data or drop terms",
                terms.join(", ")
            ),
            Self::TravellingWave { velocity, residual } => write!(
                f,
                "the field is a travelling wave (velocity {velocity:.4?}, residual {residual:.1e}): pure transport explains it as well as the true law does; use data in which shapes change"
            ),
            Self::Rival { law, difference } => {
                write!(
                    f,
                    "{law} is nearly as likely (criterion {difference:.1} higher)"
                )
            }
            Self::LassoGap { penalties } => {
                write!(f, "the LASSO did not converge at {penalties} penalties")
            }
            Self::NotEnforced { residual } => write!(
                f,
                "no combination of the features solves the law better than {residual:.1e}: use more features"
            ),
            Self::Unexplained { held_out } => write!(
                f,
                "the law leaves {:.0} % of the target unexplained on held-out rows: a term may be missing",
                100.0 * held_out
            ),
            Self::Overfit {
                degrees_of_freedom,
                samples,
            } => write!(
                f,
                "the fit spends {degrees_of_freedom:.0} degrees of freedom on {samples} samples: give more samples"
            ),
        }
    }
}

/// A field that solves the law that was found.
#[derive(Debug, Clone)]
pub(crate) struct LawField {
    pub(crate) basis: SinusoidalBasis,
    pub(crate) beta: Vec<f64>,
}

/// The law behind the data, with everything that supports or weakens it.
///
/// Prints as the equation, such as `u_t = −0.998 u u_x + 0.0201 u_xx`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Discovered {
    /// Name of the target derivative.
    pub target: String,
    /// Names of all candidate terms.
    pub names: Vec<String>,
    /// The terms of the law.
    pub terms: Vec<LawTerm>,
    /// Estimated standard deviation of the noise.
    pub noise: f64,
    /// Relative error of the law on held-out blocks of rows.
    pub held_out: f64,
    /// The LASSO path by rising penalty, for plotting.
    pub path: Vec<PathPoint>,
    /// The best supports by regression alone, best first.
    pub candidates: Vec<Candidate>,
    /// Every law fitted by the likelihood, best first; empty without a refit.
    pub laws: Vec<LawFit>,
    /// Frequency of each term over bootstrap replicates of the regression; empty without replicates.
    pub frequencies: Vec<f64>,
    /// Named doubts.
    pub warnings: Vec<Warning>,
    /// The fit behind the derivatives; `None` for difference baselines.
    pub fit: Option<FieldFit>,
    pub(crate) field: Option<LawField>,
}

impl Discovered {
    /// The places of the law's terms in the dictionary.
    #[must_use]
    pub fn support(&self) -> Vec<usize> {
        self.terms.iter().map(|term| term.index).collect()
    }

    /// Coefficient of a term by name; 0 for terms outside the law.
    #[must_use]
    pub fn coefficient(&self, name: &str) -> f64 {
        self.terms
            .iter()
            .find(|term| term.name == name)
            .map_or(0.0, |term| term.coefficient)
    }

    /// D^αu of the best estimate of the field: the solution of the law that fits the data, or the
    /// smooth fit where no likelihood refit was made; `None` for difference baselines.
    ///
    /// # Errors
    /// Points or a multi-index of another dimension.
    pub fn field_derivative(
        &self,
        points: ArrayView2<'_, f64>,
        alpha: &MultiIndex,
    ) -> Result<Option<Vec<f64>>, DiscoveryError> {
        match (&self.field, &self.fit) {
            (Some(field), _) => expansion(&field.basis, &field.beta, points, alpha).map(Some),
            (None, Some(fit)) => fit.derivative(points, alpha).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// A readable account: the law, intervals, bounds, inclusion, warnings.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = format!("{self}\n");
        for term in &self.terms {
            text += &format!(
                "  {:<10} {} in [{}, {}], inclusion {:.3}",
                term.name,
                significant(term.coefficient, 5),
                significant(term.interval.0, 5),
                significant(term.interval.1, 5),
                term.inclusion
            );
            if let Some(bound) = term.cramer_rao {
                text += &format!(", Cramér–Rao {bound:.1e}");
            }
            text.push('\n');
        }
        text += &format!(
            "  noise {:.2e}, held-out error {:.2e}\n",
            self.noise, self.held_out
        );
        for warning in &self.warnings {
            text += &format!("  warning: {warning}\n");
        }
        text
    }
}

impl fmt::Display for Discovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = self.terms.iter().map(|t| (t.coefficient, t.name.as_str()));
        f.write_str(&equation(&self.target, terms))
    }
}

/// `u_t = −0.998 u u_x + 0.0201 u_xx`.
pub(crate) fn equation<'a>(target: &str, terms: impl Iterator<Item = (f64, &'a str)>) -> String {
    let mut text = format!("{target} =");
    let mut first = true;
    for (c, name) in terms {
        let sign = match (first, c < 0.0) {
            (true, true) => " −",
            (true, false) => " ",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        text += sign;
        text += &significant(c.abs(), 3);
        if name != "1" {
            text.push(' ');
            text += name;
        }
        first = false;
    }
    if first {
        text += " 0";
    }
    text
}

/// The number to some significant digits, in plain notation where that is short.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // The exponent after rounding: 0.9999 to three digits is 1.00.
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let size: i32 = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    if !(-4..6).contains(&size) {
        return scientific.replace('-', "−");
    }
    let decimals = (digits as i32 - 1 - size).max(0) as usize;
    format!("{value:.decimals$}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::equation;

    #[test]
    fn prints_as_on_paper() {
        let burgers = [(-0.998, "u u_x"), (0.0201, "u_xx")];
        assert_eq!(
            equation("u_t", burgers.into_iter()),
            "u_t = −0.998 u u_x + 0.0201 u_xx"
        );
        assert_eq!(
            equation("u_xx", [(-4.25, "u"), (-1.0, "1")].into_iter()),
            "u_xx = −4.25 u − 1.00"
        );
        assert_eq!(
            equation("u_t", [(2e-7, "u")].into_iter()),
            "u_t = 2.00e−7 u"
        );
        assert_eq!(
            equation("u_t", [(0.99999, "u")].into_iter()),
            "u_t = 1.00 u"
        );
        assert_eq!(equation("u_t", std::iter::empty()), "u_t = 0");
    }
}
