//! The laws that were found on grids, and how far to trust them.

use std::fmt;

use super::library::GridLibrary;
use fastlsq_ops::Expr;
use fastlsq_solve::Limit;

use crate::verdict::{Status, Warning};
use crate::written::{self, LawTerm};

/// The law of one field.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GridLaw {
    /// The derivative on the left-hand side.
    pub target: String,
    /// Whether the law explains the data.
    pub status: Status,
    /// The terms of the law.
    pub terms: Vec<LawTerm>,
    /// Root mean square of what the law leaves of the target on windows it was not fitted to, over
    /// that of the target, both without the part of noise.
    pub unexplained: f64,
    /// Residual sum of squares over what the noise alone would leave: near 1 for the true law, more where there is so
    /// little noise that the accuracy of data and sums shows.
    pub reduced_residual: f64,
    /// Number of windows.
    pub windows: usize,
    /// Bootstrap frequency of each term of the library; empty without replicates.
    pub frequencies: Vec<f64>,
    /// Other laws by rising criterion, as text with the difference to the best; none after a refit.
    pub rivals: Vec<(String, f64)>,
    /// Named doubts.
    pub warnings: Vec<Warning>,
    pub(crate) library: GridLibrary,
}

impl GridLaw {
    /// The places of the law's terms in the library.
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

    /// The law as an expression that vanishes, left − right, to be put into a problem as it is. Terms that were given as
    /// code stand in it by their names.
    #[must_use]
    pub fn equation(&self) -> Expr {
        written::vanishing(self.library.expression(&self.target), &self.terms)
    }

    /// A readable account: status, law, intervals, inclusion, warnings.
    #[must_use]
    pub fn summary(&self) -> String {
        let facts = format!(
            "unexplained {:.1e}, residual over noise {}, {} windows",
            self.unexplained,
            written::significant(self.reduced_residual, 3),
            self.windows
        );
        let law = self.to_string();
        written::account(self.status, &law, &self.terms, &facts, &self.warnings)
    }
}

impl fmt::Display for GridLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.library.expression(&self.target);
        let text = written::law(&left, &self.terms);
        f.write_str(&self.library.unquoted(&text))
    }
}

/// One law for each target.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GridLaws {
    /// The laws, in the order of the targets.
    pub laws: Vec<GridLaw>,
    /// Time (along the last axis) over which solutions follow the samples without a new start, if the laws were refitted
    /// by them; `None` otherwise.
    pub horizon: Option<f64>,
    /// Standard deviation of the noise of each field on each trajectory.
    pub noise: Vec<Vec<f64>>,
    /// Half-widths of the test functions of each law in points of the first trajectory.
    pub half_widths: Vec<Vec<usize>>,
    /// The limit that ended the call before it was done, if one did: other laws may do better.
    pub stopped: Option<Limit>,
}

impl GridLaws {
    /// The least trustworthy status of all laws.
    #[must_use]
    pub fn status(&self) -> Status {
        let any = |status| self.laws.iter().any(|law| law.status == status);
        if any(Status::NotExplained) {
            Status::NotExplained
        } else if any(Status::Ambiguous) {
            Status::Ambiguous
        } else {
            Status::Explained
        }
    }

    /// The law of a target by name, such as `u_t`.
    #[must_use]
    pub fn law(&self, target: &str) -> Option<&GridLaw> {
        self.laws.iter().find(|law| law.target == target)
    }

    /// All laws with their intervals and warnings; the status comes first.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = format!("{}\n", self.status());
        for law in &self.laws {
            text += &law.summary();
        }
        if let Some(horizon) = self.horizon {
            text += &format!("  refitted by solutions over times of {horizon:.3}\n");
        }
        text + &written::ending(self.stopped)
    }
}

impl fmt::Display for GridLaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, law) in self.laws.iter().enumerate() {
            if k > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{law}")?;
        }
        Ok(())
    }
}
