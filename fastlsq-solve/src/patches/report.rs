//! What was done, and how well.

use std::fmt;
use std::time::Duration;

use crate::control::Limit;
use crate::report::Status;

/// Why refinement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PatchStatus {
    /// The estimate is below the tolerance.
    ToleranceMet,
    /// What is left of the residual is rounding.
    RoundingFloor,
    /// Every leaf that should be split is as deep as allowed.
    DepthLimit,
    /// As many leaves as allowed.
    LeafLimit,
    /// As many solves as allowed.
    RoundLimit,
    /// As much memory as allowed.
    MemoryLimit,
    /// As much time as allowed.
    TimeLimit,
    /// The progress callback ended it.
    Cancelled,
    /// Newton's method does not settle.
    Unsettled,
    /// The tree was made for other data.
    OtherData,
}

impl From<Limit> for PatchStatus {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Time { .. } => Self::TimeLimit,
            Limit::Memory { .. } => Self::MemoryLimit,
            Limit::Cancelled => Self::Cancelled,
        }
    }
}

impl From<PatchStatus> for Status {
    fn from(status: PatchStatus) -> Self {
        match status {
            PatchStatus::ToleranceMet => Self::ToleranceMet,
            PatchStatus::RoundingFloor => Self::Saturated,
            PatchStatus::Cancelled => Self::Cancelled,
            _ => Self::LimitReached,
        }
    }
}

impl fmt::Display for PatchStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ToleranceMet => "tolerance met",
            Self::RoundingFloor => "limited by rounding",
            Self::DepthLimit => "stopped at the limit of depth",
            Self::LeafLimit => "stopped at the limit of patches",
            Self::RoundLimit => "stopped at the limit of solves",
            Self::MemoryLimit => "stopped at the limit of memory",
            Self::TimeLimit => "stopped at the limit of time",
            Self::Cancelled => "cancelled",
            Self::Unsettled => "Newton's method did not settle",
            Self::OtherData => "on patches made for other data",
        })
    }
}

/// One leaf for a picture.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeafBox {
    /// The lower corner.
    pub lo: Vec<f64>,
    /// The upper corner.
    pub hi: Vec<f64>,
    /// Halvings below its root cell.
    pub depth: u32,
    /// Its indicator.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub indicator: f64,
}

/// One solve on the way.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Round {
    /// Leaves.
    pub leaves: usize,
    /// Unknown traces.
    pub skeleton: usize,
    /// The largest indicator of a leaf.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub indicator: f64,
    /// Residual × h²/a in L2, relative to u.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub residual: f64,
    /// The change of u since the last solve, relative in L2.
    pub change: Option<f64>,
    /// The estimated error, relative in L2.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub estimate: f64,
    /// Fronts that were not known from earlier solves.
    pub fronts: usize,
    /// Leaf operators that were not known from earlier solves.
    pub operators: usize,
}

/// Wall time for each stage, over all rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PatchTimes {
    /// The reference leaf.
    pub reference: Duration,
    /// Leaf operators and data.
    pub leaves: Duration,
    /// Factors of the skeleton.
    pub elimination: Duration,
    /// Traces and coefficients.
    pub solve: Duration,
    /// Indicators and estimates.
    pub indicators: Duration,
    /// Everything.
    pub total: Duration,
}

/// What was done, and how well.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PatchReport {
    /// Why refinement ended.
    pub status: PatchStatus,
    /// The estimated error of u, relative in L2.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub error_estimate: f64,
    /// The largest indicator of a leaf: residual × h²/a, relative to the largest |u|.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub indicator: f64,
    /// Leaves.
    pub leaves: usize,
    /// The deepest leaf.
    pub depth: u32,
    /// The functions of a leaf, in words.
    pub functions: String,
    /// Functions of one unknown in a leaf.
    pub rank: usize,
    /// Points in a leaf at which each equation is written down.
    pub inner_points: usize,
    /// Unknown traces of the last solve.
    pub skeleton: usize,
    /// The largest number of unknowns eliminated at once.
    pub widest_front: usize,
    /// Bytes of leaf operators and fronts.
    pub memory: usize,
    /// All solves.
    pub rounds: Vec<Round>,
    /// Times of the stages.
    pub times: PatchTimes,
    /// The leaves, for a picture.
    pub boxes: Vec<LeafBox>,
    /// The seed.
    pub seed: u64,
}

impl fmt::Display for PatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} patches, up to {} halvings deep, {} in each; {} unknown traces; {} solves; {}",
            self.leaves,
            self.depth,
            self.functions,
            self.skeleton,
            self.rounds.len(),
            self.status
        )
    }
}
