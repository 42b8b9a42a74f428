//! What expressions are made of: coordinates, unknowns and parameters, as handles that are copied.

use std::fmt;

use crate::Name;
use fastlsq_basis::typography::subscript;

/// A coordinate of the point; the domain decides which exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coordinate {
    /// The first coordinate of space.
    X,
    /// The second coordinate of space.
    Y,
    /// The third coordinate of space.
    Z,
    /// Time, the last axis of a space-time domain.
    Time,
    /// Any axis by its number, time included: the entry x\[k\] of a point.
    Axis(usize),
    /// An axis by the name that the domain gives it.
    Named(Name),
}

/// The first coordinate of space.
pub const X: Coordinate = Coordinate::X;
/// The second coordinate of space.
pub const Y: Coordinate = Coordinate::Y;
/// The third coordinate of space.
pub const Z: Coordinate = Coordinate::Z;
/// Time.
pub const T: Coordinate = Coordinate::Time;

/// Any axis by its number, from 0: the entry x\[k\] of a point.
#[must_use]
pub fn axis(number: usize) -> Coordinate {
    Coordinate::Axis(number)
}

/// An axis by the name that the domain gives it.
#[must_use]
pub fn coordinate(name: &str) -> Coordinate {
    Coordinate::Named(Name::new(name))
}

impl Coordinate {
    /// The face of a box where this coordinate is smallest.
    #[must_use]
    pub fn lo(self) -> Face {
        Face {
            coordinate: self,
            upper: false,
        }
    }

    /// The face of a box where this coordinate is largest.
    #[must_use]
    pub fn hi(self) -> Face {
        Face {
            coordinate: self,
            upper: true,
        }
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X => f.write_str("x"),
            Self::Y => f.write_str("y"),
            Self::Z => f.write_str("z"),
            Self::Axis(k) => write!(f, "x{}", subscript(*k)),
            Self::Time => f.write_str("t"),
            Self::Named(name) => name.fmt(f),
        }
    }
}

/// A face of a box: where a coordinate is smallest or largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Face {
    /// The coordinate that is constant on the face.
    pub coordinate: Coordinate,
    /// Whether it is the upper of the two faces.
    pub upper: bool,
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.upper { "hi" } else { "lo" };
        write!(f, "{}={end}", self.coordinate)
    }
}

/// An unknown function of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unknown(Name);

/// The unknown function of this name.
#[must_use]
pub fn unknown(name: &str) -> Unknown {
    Unknown(Name::new(name))
}

/// Several unknown functions at once: `let [u, v, p] = unknowns(["u", "v", "p"]);`
#[must_use]
pub fn unknowns<const N: usize>(names: [&str; N]) -> [Unknown; N] {
    names.map(unknown)
}

/// A number that an expression contains by name: a load, a wavenumber, something to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Parameter(Name);

/// The parameter of this name.
#[must_use]
pub fn parameter(name: &str) -> Parameter {
    Parameter(Name::new(name))
}

/// Several parameters at once.
#[must_use]
pub fn parameters<const N: usize>(names: [&str; N]) -> [Parameter; N] {
    names.map(parameter)
}

macro_rules! named {
    ($($handle:ident),*) => {$(
        impl $handle {
            /// The name.
            #[must_use]
            pub fn name(&self) -> &str {
                self.0.as_str()
            }

            pub(crate) fn is_improper(&self) -> bool {
                self.0.is_improper()
            }
        }

        impl fmt::Display for $handle {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<&str> for $handle {
            fn from(name: &str) -> Self {
                Self(Name::new(name))
            }
        }
    )*};
}
named!(Unknown, Parameter);
