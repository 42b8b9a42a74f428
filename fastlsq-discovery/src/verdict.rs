//! How far to trust a law: status, named doubts, and what the rows came from.

use std::fmt;

/// Whether an answer explains the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The law accounts for the target as far as the noise lets one see, and its terms are stable.
    Explained,
    /// The law accounts for the target, but another law does too, or some of its terms come and go.
    Ambiguous,
    /// The law leaves much of the target unexplained: terms are missing, or noise hides it.
    NotExplained,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explained => "explained",
            Self::Ambiguous => "ambiguous",
            Self::NotExplained => "not explained",
        })
    }
}

/// A term that belongs to the law with less probability than this makes the answer ambiguous.
pub(crate) const STEADY: f64 = 0.75;

/// What the rows of the regression were made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowSource {
    /// One fit of all samples.
    Fit,
    /// Differences on a grid.
    Differences,
    /// Local fits of scattered samples in overlapping windows.
    Windows,
}

impl fmt::Display for RowSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fit => f.write_str("one fit of all samples"),
            Self::Differences => f.write_str("differences on a grid"),
            Self::Windows => f.write_str("local fits in overlapping windows"),
        }
    }
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
    /// No term of the dictionary stands out from the noise.
    OnlyNoise,
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
                let side = if *difference < 0.0 { "lower" } else { "higher" };
                let difference = difference.abs();
                write!(
                    f,
                    "{law} is nearly as likely (criterion {difference:.1} {side})"
                )
            }
            Self::LassoGap { penalties } => {
                write!(f, "the LASSO did not converge at {penalties} penalties")
            }
            Self::NotEnforced { residual } => write!(
                f,
                "no combination of the features solves the law better than {residual:.1e}: use more features"
            ),
            Self::OnlyNoise => f.write_str(
                "no term stands out from the noise: give more samples, less noise or other terms",
            ),
            Self::Unexplained { held_out } => write!(
                f,
                "the law leaves {:.1} % of the target unexplained on held-out rows: a term may be missing",
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
