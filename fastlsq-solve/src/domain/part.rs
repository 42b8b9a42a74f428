//! The pieces of a boundary and how to refer to them.

use std::fmt;

use fastlsq_ops::Face;
use ndarray::Array2;

/// What role a piece of the boundary plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// The boundary of space, at all times.
    Wall,
    /// All of space at the first time.
    Initial,
    /// All of space at the last time.
    Final,
    /// What bounds a region inside the domain against the others.
    Interface,
}

impl PartKind {
    /// Whether it is all of space at one time.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::Initial | Self::Final)
    }
}

/// A named piece of the boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryPart {
    /// The name by which a condition refers to it.
    pub name: String,
    /// Its role.
    pub kind: PartKind,
    /// Its (d − 1)-dimensional measure: 1 for a point, length, area, …
    pub measure: f64,
}

impl BoundaryPart {
    /// A piece of the boundary of space.
    pub fn wall(name: impl Into<String>, measure: f64) -> Self {
        Self {
            name: name.into(),
            kind: PartKind::Wall,
            measure,
        }
    }
}

/// Points of the boundary with the outward unit normal at each.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryPoints {
    /// One point per row.
    pub points: Array2<f64>,
    /// The normal at the point of the same row. On the walls of a space-time domain its time
    /// component is zero; it is −e_t at the first and +e_t at the last time.
    pub normals: Array2<f64>,
}

impl BoundaryPoints {
    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.nrows()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which parts of a boundary are meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PartSelector {
    /// Every [`PartKind::Wall`].
    AllWalls,
    /// Space at the first time.
    Initial,
    /// Space at the last time.
    Final,
    /// The parts of this name.
    Named(String),
    /// A face of a box, by its coordinate.
    Face(Face),
    /// All parts.
    Everything,
}

impl PartSelector {
    /// Whether a part is meant.
    #[must_use]
    pub fn matches(&self, part: &BoundaryPart) -> bool {
        match self {
            Self::AllWalls => part.kind == PartKind::Wall,
            Self::Initial => part.kind == PartKind::Initial,
            Self::Final => part.kind == PartKind::Final,
            Self::Named(name) => part.name == *name,
            Self::Face(face) => part.name == face.to_string(),
            Self::Everything => true,
        }
    }
}

/// The boundary of space, at all times.
pub const WALLS: PartSelector = PartSelector::AllWalls;
/// Space at the first time.
pub const INITIAL: PartSelector = PartSelector::Initial;
/// Space at the last time.
pub const FINAL: PartSelector = PartSelector::Final;

impl PartSelector {
    /// As it stands in a program.
    pub(crate) fn as_written(&self) -> String {
        match self {
            Self::AllWalls => "WALLS".to_owned(),
            Self::Initial => "INITIAL".to_owned(),
            Self::Final => "FINAL".to_owned(),
            Self::Everything => "PartSelector::Everything".to_owned(),
            Self::Named(name) => format!("{name:?}"),
            Self::Face(face) => {
                let end = if face.upper { "hi" } else { "lo" };
                format!("{}.{end}()", face.coordinate.to_string().to_uppercase())
            }
        }
    }
}

impl fmt::Display for PartSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllWalls => f.write_str("walls"),
            Self::Initial => f.write_str("initial"),
            Self::Final => f.write_str("final"),
            Self::Everything => f.write_str("whole boundary"),
            Self::Named(name) => f.write_str(name),
            Self::Face(face) => face.fmt(f),
        }
    }
}

impl From<Face> for PartSelector {
    fn from(face: Face) -> Self {
        Self::Face(face)
    }
}

impl From<&str> for PartSelector {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for PartSelector {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}
