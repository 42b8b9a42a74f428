//! What can go wrong before or during a discovery.

use fastlsq_basis::BasisError;
use fastlsq_ops::OperatorError;
use fastlsq_solve::Limit;
use fastlsq_solve::lsq::LsqError;
use thiserror::Error;

/// A question that cannot be answered. Doubts about an answer are warnings in the report instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// Points and values do not fit together.
    #[error("{points} points but {values} values: give one value for each point")]
    Lengths {
        /// Number of points.
        points: usize,
        /// Number of values.
        values: usize,
    },
    /// A NaN or an infinity in the data.
    #[error("{what} {index} is {value}: remove or repair the samples that are not finite")]
    NotFinite {
        /// Coordinates or values.
        what: &'static str,
        /// The first offending sample.
        index: usize,
        /// What was found there.
        value: f64,
    },
    /// Too few samples for anything to be said.
    #[error("{found} samples are too few: at least {needed} are needed for this request")]
    TooFewPoints {
        /// Samples given.
        found: usize,
        /// Samples needed.
        needed: usize,
    },
    /// All samples share one coordinate.
    #[error(
        "all samples have {axis} = {value}: nothing can be learnt about derivatives along {axis}; drop that axis"
    )]
    FlatAxis {
        /// Name of the axis.
        axis: String,
        /// The common coordinate.
        value: f64,
    },
    /// The field does not vary.
    #[error(
        "every sample has the value {value}: a constant field satisfies any law without a source; give data that vary"
    )]
    ConstantData {
        /// The common value.
        value: f64,
    },
    /// Names of axes that cannot be told apart.
    #[error(
        "the axes {axes:?} need distinct one-letter names other than the field's, one for each of {dim} coordinates"
    )]
    AxisNames {
        /// The names given.
        axes: Vec<String>,
        /// Coordinates of a point.
        dim: usize,
    },
    /// Names of axes and fields of a grid that cannot be told apart.
    #[error(
        "the axes {axes:?} need distinct one-letter names, and the fields {fields:?} distinct names of letters and digits that are not those of axes"
    )]
    GridNames {
        /// The axes.
        axes: Vec<String>,
        /// The fields.
        fields: Vec<String>,
    },
    /// A term that cannot be read.
    #[error("`{text}` is not a term: {reason}; {advice}")]
    Term {
        /// The text.
        text: String,
        /// Why it cannot be read.
        reason: String,
        /// What can be written instead.
        advice: &'static str,
    },
    /// No terms to choose from.
    #[error("the dictionary is empty: add at least one term besides the target {target}")]
    EmptyDictionary {
        /// The target derivative.
        target: String,
    },
    /// The same term twice.
    #[error("the term {name} is in the dictionary twice: remove one")]
    DuplicateTerm {
        /// Its name.
        name: String,
    },
    /// The target stands on both sides.
    #[error(
        "the target {name} is also a term of the dictionary: the law {name} = {name} would always win; remove the term"
    )]
    TargetInDictionary {
        /// The target.
        name: String,
    },
    /// A term of the dictionary that is not finite on the fitted field.
    #[error(
        "the term {name} is {value} at sample {index}: it is not defined on the range of the data; remove or guard it"
    )]
    TermNotFinite {
        /// The term.
        name: String,
        /// Row at which it fails.
        index: usize,
        /// Its value there.
        value: f64,
    },
    /// The law cannot be found from data on which every candidate vanishes.
    #[error("every column of the dictionary vanishes on the data: choose terms that do not")]
    VanishingDictionary,
    /// Differences need a grid.
    #[error(
        "{method} needs samples on a tensor grid (every combination of {counts:?} coordinates once) but there are {found}: use the fit by features for scattered data"
    )]
    NotAGrid {
        /// The method that was asked for.
        method: &'static str,
        /// Distinct coordinates along each axis.
        counts: Vec<usize>,
        /// Samples given.
        found: usize,
    },
    /// An axis of a grid that cannot be used.
    #[error("axis {axis} has {value} at place {index}: {reason}")]
    Axis {
        /// The axis, counted from 0.
        axis: usize,
        /// The first offending coordinate.
        index: usize,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        reason: &'static str,
    },
    /// Too few points along an axis of a grid.
    #[error("axis {axis} has {found} points: at least {needed} are needed; give a longer record")]
    ShortRecord {
        /// The axis, counted from 0.
        axis: usize,
        /// Points along it.
        found: usize,
        /// Points needed.
        needed: usize,
    },
    /// A field that does not fit its axes.
    #[error(
        "the field {field} has the shape {found:?} but the axes have {expected:?} points: give one axis for each dimension, in the order of the array"
    )]
    FieldShape {
        /// The field.
        field: String,
        /// Its shape.
        found: Vec<usize>,
        /// Points along the axes.
        expected: Vec<usize>,
    },
    /// An infinite value in a field.
    #[error("the field {field} is infinite at place {index}: mark missing values by NaN")]
    InfiniteField {
        /// The field.
        field: String,
        /// Place in the order of the array, the last axis fastest.
        index: usize,
    },
    /// A field without a single value.
    #[error("every value of the field {field} is missing: leave the field out")]
    AllMissing {
        /// The field.
        field: String,
    },
    /// A field of a grid that does not vary.
    #[error(
        "the field {field} has the value {value} everywhere: a constant satisfies any law without a source; give data that vary"
    )]
    ConstantField {
        /// The field.
        field: String,
        /// Its value.
        value: f64,
    },
    /// A field in units so far from 1 that products of its values overflow or vanish.
    #[error(
        "the largest value of the field {field} is {size:e}: change its unit so that it is nearer to 1"
    )]
    FieldScale {
        /// The field.
        field: String,
        /// Its largest absolute value.
        size: f64,
    },
    /// Units in which a term of the law overflows or vanishes.
    #[error(
        "{term} would be about 1e{decades:.0}, mostly because the steps or values of the {culprit} are about {size:.1e}: change its unit"
    )]
    Units {
        /// The term.
        term: String,
        /// Decimal logarithm of its size.
        decades: f64,
        /// The field or axis to blame.
        culprit: String,
        /// Its largest value, or its spacing.
        size: f64,
    },
    /// Trajectories, or data and library, with other fields or axes.
    #[error(
        "expected the fields {expected:?} over {} axes but found {found:?} over {}: use the same names in the same order",
        dims.0, dims.1
    )]
    OtherTrajectory {
        /// Fields expected.
        expected: Vec<String>,
        /// Fields found.
        found: Vec<String>,
        /// Axes expected and found.
        dims: (usize, usize),
    },
    /// A field that is not there.
    #[error("there is no field {field}, only {known:?}")]
    NoField {
        /// The name asked for.
        field: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Not enough room for windows between the edges and the missing values.
    #[error(
        "only {found} windows of half-widths {half_widths:?} fit between edges and missing values, and {needed} are needed: give longer records with fewer gaps, fewer terms or smaller half-widths, which are at least 8"
    )]
    TooFewWindows {
        /// Windows found.
        found: usize,
        /// Windows needed.
        needed: usize,
        /// Half-widths in points.
        half_widths: Vec<usize>,
    },
    /// A file that cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A setting outside its range.
    #[error("{what} = {value} is not allowed: {requirement}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },
    /// A matrix decomposition did not converge.
    #[error("the {what} did not converge: rescale the data or use fewer features")]
    Decomposition {
        /// Which decomposition.
        what: &'static str,
    },
    /// The penalised regression failed.
    #[error("the LASSO solver refused the problem: {0}")]
    Lasso(String),
    /// The features could not be evaluated.
    #[error(transparent)]
    Basis(#[from] BasisError),
    /// A term could not be evaluated.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// A least-squares problem could not be solved.
    #[error(transparent)]
    LeastSquares(LsqError),
    /// A limit was reached, or the call cancelled, before there was a law.
    #[error("stopped before there was a law: {0}")]
    Stopped(#[from] Limit),
}

impl From<LsqError> for DiscoveryError {
    fn from(error: LsqError) -> Self {
        match error {
            LsqError::Stopped(limit) => Self::Stopped(limit),
            other => Self::LeastSquares(other),
        }
    }
}

impl DiscoveryError {
    /// A term that is there already, possibly in another form.
    pub(crate) fn duplicate(name: &str, twin: &str) -> Self {
        Self::DuplicateTerm {
            name: match name == twin {
                true => name.to_owned(),
                false => format!("{name} (as {twin})"),
            },
        }
    }

    /// The limit behind this error, if that is all it says.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Self::Stopped(limit) => Some(*limit),
            Self::LeastSquares(LsqError::TooLarge { needed, limit, .. }) => Some(Limit::Memory {
                needed: *needed,
                limit: *limit,
            }),
            _ => None,
        }
    }
}
