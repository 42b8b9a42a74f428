//! How well a question was posed: whether it has an answer, one answer, and one that rounding does not spoil.
//!
//! A problem L u = f, B u = g is judged by a function v that nearly solves it with zero data. The problem is solved for white
//! noise, as large in every block as its terms are for a plain function of size one; where some function with hardly any
//! residual exists, the answer v consists largely of it, and two steps of inverse iteration leave nothing else. The
//! amplification is
//! ```text
//! A = ‖v‖ / max_b ( rms(B_b v) / s_b ),     s_b = rms of the terms of B_b for a plain function of size one,
//! ```
//! with the residuals at fresh points, so that v is a certificate: a function of size one all of whose residuals are below
//! 1/A. A is of the order of one for well-posed problems, 400 at a distance of 1/1000 from a resonance, and 10⁵ … 10¹⁵
//! for others. Where tiny changes of the data grow the faster the finer they are (heat backwards), A is the larger the
//! finer the features: a second look with finer ones tells that from a resonance.
//! Features have no parity here, since a null function of the other parity would be overlooked.
//!
//! What v looks like tells what is missing: see `free`. Data that contradict each other are another matter: they show as a
//! residual that stays, relative to the data, however many features there are.

mod certificate;
mod free;

use std::fmt;

pub use certificate::{Look, Question, judge, judge_closely, probe_features};

/// Amplifications above this are no longer those of a well-posed problem: the largest of the experiment `posed`, at a
/// distance of 1/1000 from a resonance, is 400.
pub(crate) const LARGEST_AMPLIFICATION: f64 = 1e4;
/// Above this amplification the null function is there as far as a modest number of features can tell.
const NULL_FUNCTION: f64 = 1e6;
/// A residual above this share of the data, and not falling with more features, is a contradiction. Those of the experiment
/// `posed` leave 7 % and more; a well-posed problem that is hard to resolve was seen to leave 0.4 %.
pub(crate) const CONTRADICTION: f64 = 2e-2;

/// How well a question was posed.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Posedness {
    /// Not looked at: a fit of data alone, or a function that no solve has made.
    #[default]
    NotExamined,
    /// One solution, which depends on the data as a well-posed problem's does.
    Fine {
        /// How many times larger a change of u can be than the change of the data behind it.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
        amplification: f64,
    },
    /// Many solutions: something that is not zero solves the problem with zero data.
    Undetermined {
        /// As for `Fine`.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
        amplification: f64,
        /// What is free.
        free: String,
        /// What to do about it.
        advice: String,
    },
    /// No solution: equations and conditions do not hold together, or u is singular.
    Contradictory {
        /// The residual that stays, as a share of the data.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
        misfit: f64,
        /// The equations and conditions that are not met.
        blocks: Vec<String>,
    },
    /// One solution, but tiny changes of the data change it much.
    IllConditioned {
        /// As for `Fine`.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
        amplification: f64,
        /// How the changes show, or where they come from.
        cause: String,
    },
}

impl Posedness {
    /// Whether nothing speaks against the question.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        matches!(self, Self::Fine { .. } | Self::NotExamined)
    }

    /// How many times larger a change of u can be than the change of the data behind it; 1 where that was not examined.
    #[must_use]
    pub fn amplification(&self) -> f64 {
        match self {
            Self::Fine { amplification }
            | Self::Undetermined { amplification, .. }
            | Self::IllConditioned { amplification, .. } => amplification.max(1.0),
            Self::NotExamined | Self::Contradictory { .. } => 1.0,
        }
    }

    /// The estimated error of u, given what the candidates of a search say and how well they meet the data.
    pub(crate) fn estimate(&self, estimate: f64, residual: f64) -> f64 {
        let rounding = f64::EPSILON * self.amplification();
        match self {
            Self::NotExamined => estimate,
            Self::Fine { .. } => estimate.max(rounding),
            Self::Undetermined { .. } => estimate.max(1.0),
            Self::Contradictory { misfit, .. } => estimate.max(*misfit),
            Self::IllConditioned { amplification, .. } => estimate
                .max((amplification * residual).min(1.0))
                .max(rounding),
        }
    }
}

impl fmt::Display for Posedness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotExamined => f.write_str("not examined"),
            Self::Fine { amplification } => {
                write!(f, "well posed (amplification {amplification:.0e})")
            }
            Self::Undetermined { free, advice, .. } => {
                write!(f, "undetermined: {free}; {advice}")
            }
            Self::Contradictory { misfit, blocks } => write!(
                f,
                "contradictory: {} not met, and {} of the data remains whatever the features; equations and conditions \
                 contradict each other (for example, values that jump where parts of the boundary meet), or u is singular there",
                listed(blocks),
                percent(*misfit),
            ),
            Self::IllConditioned {
                amplification,
                cause,
            } => write!(
                f,
                "ill-conditioned: {cause}; changes of the data grow {amplification:.0e}-fold, so rounding alone can change u by {:.0e} of its size",
                (amplification * f64::EPSILON).min(1.0)
            ),
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// "a is", "a and b are", "a, b and c are".
fn listed(names: &[String]) -> String {
    match names {
        [] => "equations and conditions are".to_owned(),
        [only] => format!("{only} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
    }
}
