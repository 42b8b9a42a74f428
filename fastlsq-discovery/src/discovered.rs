//! What a discovery found.

use std::fmt;

use fastlsq_basis::{MultiIndex, SinusoidalBasis};
use fastlsq_ops::Expr;
use fastlsq_solve::Limit;
use ndarray::ArrayView2;

use crate::fit::expansion;
use crate::regression::{Candidate, PathPoint};
use crate::verdict::{STEADY, Status, Warning};
use crate::{DiscoveryError, FieldFit, LawFit};

/// One term of the law that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct LawTerm {
    /// Its place in the dictionary.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The term itself.
    pub expression: Expr,
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
    /// The limit that ended the call before it was done, if one did: other laws may do better.
    pub stopped: Option<Limit>,
    /// Named doubts.
    pub warnings: Vec<Warning>,
    /// The fit behind the derivatives; `None` for difference baselines.
    pub fit: Option<FieldFit>,
    pub(crate) field: Option<LawField>,
    /// The target derivative.
    pub(crate) left: Expr,
}

impl Discovered {
    /// Whether the law explains the data, and alone.
    #[must_use]
    pub fn status(&self) -> Status {
        let lost = |w: &Warning| matches!(w, Warning::Unexplained { .. });
        let technical = |w: &Warning| matches!(w, Warning::LassoGap { .. });
        if self.terms.is_empty() || self.warnings.iter().any(lost) {
            Status::NotExplained
        } else if self.warnings.iter().all(technical)
            && self.terms.iter().all(|term| term.inclusion >= STEADY)
        {
            Status::Explained
        } else {
            Status::Ambiguous
        }
    }

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

    /// The law as an expression that vanishes, left − right: `u_t + 0.998 u u_x − 0.0201 u_xx`.
    ///
    /// It is an equation like any other, to be solved from other initial values:
    /// ```
    /// use std::f64::consts::PI;
    /// use fastlsq_discovery::{Dictionary, Discovery, datasets::DataSet};
    /// use fastlsq_solve::{DomainExt, Interval, LinearProblem, X, sin};
    ///
    /// let samples = DataSet::heat().sample(400, 0.0, 0)?;
    /// let library = Dictionary::parse(&["x", "t"], &["u", "u_x", "u_xx", "u u_x"])?;
    /// let law = Discovery::new(library, "u_t")?.run(&samples)?;
    /// let u = LinearProblem::on(Interval::unit().over(0.0, 1.0)?)
    ///     .equation(law.equation(), 0.0)
    ///     .initial_value(sin(2.0 * PI * X))
    ///     .dirichlet(0.0)
    ///     .solve()?;
    /// // The truth is u_t = 0.1 u_xx.
    /// let exact = (-0.4 * PI * PI * 0.5_f64).exp();
    /// assert!((u.value(&[0.25, 0.5])? - exact).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn equation(&self) -> Expr {
        let right = self.terms.iter();
        right.fold(self.left.clone(), |rest, term| {
            rest - term.coefficient * &term.expression
        })
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

    /// A readable account: status, law, intervals, bounds, inclusion, warnings.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = format!("{}: {self}\n", self.status());
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
        let terms = self.terms.iter();
        let terms = terms.map(|term| (term.coefficient, term.expression.clone()));
        f.write_str(&equation(&self.left, terms))
    }
}

/// `u_t = −0.998 u u_x + 0.0201 u_xx`.
pub(crate) fn equation(target: &Expr, terms: impl Iterator<Item = (f64, Expr)>) -> String {
    let mut text = format!("{target} =");
    let mut first = true;
    for (c, term) in terms {
        let sign = match (first, c < 0.0) {
            (true, true) => " −",
            (true, false) => " ",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        text += sign;
        text += &significant(c.abs(), 3);
        let name = term.to_string();
        if term.terms().len() > 1 || (name != "1" && name.starts_with(|c: char| c.is_ascii_digit()))
        {
            // Neither "2 u + u_x" nor "2 1/u" is meant.
            text += &format!(" ({name})");
        } else if name != "1" {
            text.push(' ');
            text += &name;
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
    use fastlsq_ops::Expr;

    fn equation<const N: usize>(target: &str, terms: [(f64, &str); N]) -> String {
        let read = |text: &str| Expr::parse(text).unwrap_or_else(|_| 0.0.into());
        let terms = terms.into_iter().map(|(c, text)| (c, read(text)));
        super::equation(&read(target), terms)
    }

    #[test]
    fn prints_as_on_paper() {
        assert_eq!(
            equation("u_t", [(-0.998, "u u_x"), (0.0201, "u_xx")]),
            "u_t = −0.998 u u_x + 0.0201 u_xx"
        );
        assert_eq!(
            equation("u_xx", [(-4.25, "u"), (-1.0, "1")]),
            "u_xx = −4.25 u − 1.00"
        );
        assert_eq!(equation("u_t", [(2e-7, "u")]), "u_t = 2.00e−7 u");
        assert_eq!(equation("u_t", [(0.99999, "u")]), "u_t = 1.00 u");
        assert_eq!(equation("u_t", []), "u_t = 0");
        assert_eq!(
            equation("u_t", [(2.0, "u - u_xx"), (-3.0, "1/(1 + u)")]),
            "u_t = 2.00 (u − u_xx) − 3.00 (1/(1 + u))"
        );
    }
}
