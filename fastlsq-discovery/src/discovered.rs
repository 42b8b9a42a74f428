//! What a discovery found.

use std::fmt;

use fastlsq_basis::{MultiIndex, SinusoidalBasis};
use fastlsq_ops::Expr;
use fastlsq_solve::Limit;
use ndarray::ArrayView2;

use crate::fit::expansion;
use crate::regression::{Candidate, PathPoint};
use crate::verdict::{RowSource, Status, Warning};
use crate::written::{self, LawTerm};
use crate::{Dictionary, DiscoveryError, FieldFit, LawFit};

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
    /// What the rows were made from.
    pub source: RowSource,
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
    /// The fit behind the derivatives; `None` for difference baselines and windows.
    pub fit: Option<FieldFit>,
    pub(crate) field: Option<LawField>,
    /// The target derivative.
    pub(crate) left: Expr,
    pub(crate) library: Dictionary,
}

impl Discovered {
    /// Whether the law explains the data, and whether no other law does.
    #[must_use]
    pub fn status(&self) -> Status {
        let lost = |w: &Warning| matches!(w, Warning::Unexplained { .. } | Warning::OnlyNoise);
        let technical = |w: &Warning| matches!(w, Warning::LassoGap { .. });
        if !self.terms.iter().any(LawTerm::has_sign) || self.warnings.iter().any(lost) {
            Status::NotExplained
        } else if self.warnings.iter().all(technical) && self.terms.iter().all(LawTerm::is_steady) {
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

    /// Coefficient of a term in any form it may be written: that of `(u^2)_x` is half that of `u u_x`;
    /// 0 for terms outside the law.
    #[must_use]
    pub fn coefficient(&self, text: &str) -> f64 {
        written::coefficient(&self.terms, self.library.find(text))
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
        written::vanishing(self.left.clone(), &self.terms)
    }

    /// D^αu of the best estimate of the field: the solution of the law that fits the data, or the
    /// smooth fit where no likelihood refit was made; `None` for difference baselines and windows.
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
        let mut facts = format!("held-out error {:.2e}, from {}", self.held_out, self.source);
        if !self.noise.is_nan() {
            facts = format!("noise {:.2e}, {facts}", self.noise);
        }
        let law = self.to_string();
        let text = written::account(self.status(), &law, &self.terms, &facts, &self.warnings);
        text + &written::ending(self.stopped)
    }
}

impl fmt::Display for Discovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written::law(&self.left, &self.terms))
    }
}
