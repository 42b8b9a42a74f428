//! What can be wrong with a domain or with a request for its points.

use super::PartSelector;
use fastlsq_ops::StatementError;

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
    /// An axis so far from the origin that the number format tells few of its points apart.
    #[error(
        "axis {axis} runs from {lo} to {hi}, where coordinates have too few digits: numbers there are {spacing:.1e} apart; measure them from a point of the domain"
    )]
    TooFewDigits {
        /// The axis.
        axis: usize,
        /// Its lower bound.
        lo: f64,
        /// Its upper bound.
        hi: f64,
        /// The distance between neighbouring numbers at its far end.
        spacing: f64,
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
    /// There is nothing inside.
    #[error(
        "the shape is empty: no point lies inside it; check the operands, the sign of the level set (negative inside) or the bounds"
    )]
    EmptyShape,
    /// A level set reaches the boundary of its bounds.
    #[error(
        "the level set is {value} at {point:?} on the boundary of its bounds, where it must be positive: enlarge the bounds"
    )]
    BoundsTooSmall {
        /// The point.
        point: Vec<f64>,
        /// The level there.
        value: f64,
    },
    /// A triangle without area, or with vertices that do not exist.
    #[error(
        "triangle {index} (numbered from 0) has no area, or vertices that do not exist: leave it out, or check its vertices"
    )]
    BadTriangle {
        /// Its number.
        index: usize,
    },
    /// A surface with a hole or with sides that do not fit.
    #[error(
        "the surface is not closed at the edge from {from:?} to {to:?}: every edge belongs to two triangles that run through it in opposite directions"
    )]
    OpenSurface {
        /// Where the edge begins.
        from: [f64; 3],
        /// Where it ends.
        to: [f64; 3],
    },
    /// A file that is not an STL file.
    #[error("the STL file cannot be read: {reason}")]
    Stl {
        /// What is wrong.
        reason: String,
    },
    /// A region whose name is taken.
    #[error("a region, or a part of the boundary, is already named \"{name}\": use another name")]
    RegionName {
        /// The name.
        name: String,
    },
    /// A region that does not exist.
    #[error("no region is named \"{name}\": {}", regions(known))]
    UnknownRegion {
        /// The name.
        name: String,
        /// The regions there are.
        known: Vec<String>,
    },
    /// An obstacle that sticks out of the box around it.
    #[error(
        "the obstacle between {lo:?} and {hi:?} does not lie inside the box of the near field: use a larger box"
    )]
    ObstacleOutside {
        /// The lower corner of the box around the obstacle.
        lo: Vec<f64>,
        /// The upper corner.
        hi: Vec<f64>,
    },
    /// A level set is NaN or infinite.
    #[error("the level set is {value} at {point:?}: it must be finite within its bounds")]
    BadLevel {
        /// The point.
        point: Vec<f64>,
        /// The level there.
        value: f64,
    },
    /// A level set cannot be evaluated with its gradient.
    #[error("the level set must be a function of the coordinates x, y, z, … with a gradient: {0}")]
    LevelExpression(#[from] StatementError),
    /// A level set is flat where it is zero.
    #[error(
        "the gradient of the level set vanishes at {point:?} on its boundary, which has no normal there: use a level that changes sign with a slope"
    )]
    VanishingGradient {
        /// The point.
        point: Vec<f64>,
    },
    /// Two sides of a boundary meet where they should not.
    #[error(
        "sides {first} and {second} of the boundary meet near {point:?}: they may only share the end where one follows the other"
    )]
    SelfIntersection {
        /// One side, numbered from 0 over the outer ring and the holes in turn.
        first: usize,
        /// The other side.
        second: usize,
        /// Where they meet.
        point: [f64; 2],
    },
    /// A ring has too few vertices.
    #[error("a polygon has at least three vertices, not {found}")]
    TooFewVertices {
        /// The vertices given.
        found: usize,
    },
    /// A hole is not within the polygon.
    #[error("hole {hole} does not lie inside the polygon: holes are numbered from 1")]
    HoleOutside {
        /// Its number.
        hole: usize,
    },
    /// The number of names is not that of the sides or parts.
    #[error("{found} names for {expected} sides: give one name for each")]
    NameCount {
        /// The number of sides.
        expected: usize,
        /// The number of names.
        found: usize,
    },
    /// A curve without length, or one that is not finite.
    #[error("a curve has the length {length}: use finite coordinates that differ")]
    BadCurve {
        /// Its length.
        length: f64,
    },
    /// A curve ends where none begins.
    #[error(
        "the outline is not closed: a curve ends at {point:?}, and no curve begins there; give curves with the domain on their left, end to start"
    )]
    OpenOutline {
        /// The loose end.
        point: [f64; 2],
    },
    /// A direction of length zero, or one that is not finite.
    #[error("the direction {direction:?} has no unit vector: use a finite one that is not zero")]
    BadDirection {
        /// The direction.
        direction: Vec<f64>,
    },
    /// No point of the boundary belongs to a part.
    #[error("no point of the boundary belongs to the part \"{part}\": check where it should be")]
    UnreachedPart {
        /// The part's name.
        part: String,
    },
    /// Two things that must have the same number of axes do not.
    #[error("{what} has {found} axes, not {expected}: use the same dimension throughout")]
    DimensionMismatch {
        /// What was given.
        what: &'static str,
        /// The axes needed.
        expected: usize,
        /// The axes it has.
        found: usize,
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

/// The regions of a domain, or how to make some.
fn regions(known: &[String]) -> String {
    if known.is_empty() {
        "the domain is not divided; name a part of it with .with_region(…)".to_owned()
    } else {
        format!("there are {}", known.join(", "))
    }
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
