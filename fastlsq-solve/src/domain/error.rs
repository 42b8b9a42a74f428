//! What can be wrong with a domain or with a request for its points.

use super::PartSelector;

/// Why a domain cannot be made or sampled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// There are no axes.
    #[error("the domain has no axes: use at least one dimension")]
    ZeroDimension,
    /// The corners of a box have different lengths.
    #[error(
        "lo has {lo} coordinates but hi has {hi}: give both corners of the box in the same dimension"
    )]
    CornerMismatch {
        /// Length of the lower corner.
        lo: usize,
        /// Length of the upper corner.
        hi: usize,
    },
    /// A bound, centre or width is NaN or infinite.
    #[error("{what} on axis {axis} is {value}: use finite numbers whose differences are finite")]
    NonFinite {
        /// Which quantity.
        what: &'static str,
        /// The axis it belongs to.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// The lower bound of an axis is not below its upper bound.
    #[error(
        "axis {axis} runs from {lo} to {hi}, which is empty: the lower bound must be the smaller one"
    )]
    EmptyExtent {
        /// The axis.
        axis: usize,
        /// Its lower bound.
        lo: f64,
        /// Its upper bound.
        hi: f64,
    },
    /// A radius is zero, negative, infinite or NaN.
    #[error("the radius is {radius}: use a positive finite number")]
    BadRadius {
        /// The radius.
        radius: f64,
    },
    /// No boundary part has the name asked for.
    #[error("no boundary part is named \"{name}\": {}", list(known))]
    UnknownPart {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The selector matches none of the parts.
    #[error("{}: {}", nothing_selected(selector), list(known))]
    NothingSelected {
        /// The selector.
        selector: PartSelector,
        /// The names there are.
        known: Vec<String>,
    },
    /// A part number is too large.
    #[error("boundary part {index} does not exist: the domain has {count}, numbered from 0")]
    PartIndex {
        /// The number asked for.
        index: usize,
        /// How many parts there are.
        count: usize,
    },
    /// An axis number is too large.
    #[error("axis {axis} does not exist: the domain has {dim}, numbered from 0")]
    AxisIndex {
        /// The axis asked for.
        axis: usize,
        /// How many axes there are.
        dim: usize,
    },
    /// A part's measure is negative, infinite or NaN, or all measures are zero.
    #[error(
        "boundary part \"{part}\" has measure {measure}: points cannot be shared out in proportion; sample the parts one by one or correct Domain::parts"
    )]
    BadMeasure {
        /// The part's name.
        part: String,
        /// Its measure.
        measure: f64,
    },
    /// Rejection from the bounding box finds next to nothing inside.
    #[error(
        "only {accepted} of {tried} points of the bounding box lie in the domain: check Domain::contains, tighten Domain::bounding_box, or override Domain::sample_interior"
    )]
    HopelessRejection {
        /// Points inside.
        accepted: usize,
        /// Points tried.
        tried: usize,
    },
    /// A `Domain` implementation contradicts itself.
    #[error(
        "{what} gave {got_rows} × {got_columns} numbers instead of {rows} × {columns}: correct the Domain implementation"
    )]
    WrongShape {
        /// The call.
        what: &'static str,
        /// Rows expected.
        rows: usize,
        /// Columns expected.
        columns: usize,
        /// Rows returned.
        got_rows: usize,
        /// Columns returned.
        got_columns: usize,
    },
    /// More points than memory can hold.
    #[error("{count} points of {dim} coordinates do not fit in memory: ask for fewer")]
    TooManyPoints {
        /// Points asked for.
        count: usize,
        /// Coordinates of each.
        dim: usize,
    },
    /// The kind of domain cannot do this.
    #[error("{operation} is not available on this domain: {hint}")]
    Unsupported {
        /// What was asked.
        operation: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "the domain has no boundary parts".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    format!("the parts are {}", quoted.join(", "))
}

fn nothing_selected(selector: &PartSelector) -> &'static str {
    match selector {
        PartSelector::AllWalls => "the domain has no walls",
        PartSelector::Initial => {
            "the domain has no initial part (make it a space-time domain with `over(t0, t1)`)"
        }
        PartSelector::Final => {
            "the domain has no final part (make it a space-time domain with `over(t0, t1)`)"
        }
        PartSelector::Named(_) | PartSelector::Face(_) | PartSelector::Everything => {
            "no part of the boundary is selected"
        }
    }
}
