//! Where an equation holds: regions of R^d, their boundaries and their points.
//!
//! A [`Domain`] gives points in its interior, uniform in volume, and on the named parts of its
//! boundary, uniform in surface measure, each with its outward normal.
//! All points come from a [`UnitSampler`], independent or quasi-random, so that a seed determines them.
//!
//! | shapes | |
//! |---|---|
//! | any dimension | [`BoxDomain`], [`BoxUnion`], [`Ball`], [`Annulus`], [`Implicit`] (a level set) |
//! | the line | [`Interval`] |
//! | the plane | [`Polygon`], [`Ellipse`], [`ClosedCurve`] |
//! | space | [`Cylinder`], [`Torus`], [`Surface`] (triangles, from an STL file with the feature `stl`) |
//! | from others | [`DomainExt`]: union, intersection, difference, complement, cut, translated, rotated, scaled, along an interval, over time, with regions, the outside of an obstacle |
//!
//! A domain of your own is five methods. Domains of the plane that know their [`Outline`] know their [`Corner`]s and
//! [`Hole`]s too, and set operations between them are exact.
//!
//! ```
//! use fastlsq_solve::domain::{BoxDomain, Domain, DomainExt, PartSelector, UnitSampler};
//!
//! let rectangle = BoxDomain::new(&[0.0, 0.0], &[1.0, 3.0])?;
//! let mut sampler = UnitSampler::halton(0);
//! let inside = rectangle.sample_interior(1000, &mut sampler)?;
//! assert_eq!(inside.dim(), (1000, 2));
//!
//! // Half of the points on the two long sides would be too few: three quarters are there.
//! let walls = rectangle.sample_selected(&PartSelector::AllWalls, 400, &mut sampler)?;
//! assert_eq!(walls.points.column(0).iter().filter(|&&x| x == 0.0).count(), 150);
//!
//! // The same rectangle over time, and one of its parts by name.
//! let history = rectangle.over(0.0, 2.0)?;
//! let left = history.sample_selected(&"x=lo".into(), 10, &mut sampler)?;
//! assert!(left.normals.rows().into_iter().all(|n| n[0] == -1.0 && n[1] == 0.0 && n[2] == 0.0));
//! # Ok::<(), fastlsq_solve::domain::DomainError>(())
//! ```

mod annulus;
mod ball;
mod bounding_box;
mod box_domain;
mod box_union;
mod checks;
mod closed_curve;
mod combined;
mod curve;
mod cylinder;
mod divided;
mod ellipse;
mod error;
mod exterior;
mod extruded;
mod forward;
mod half_space;
mod implicit;
mod interval;
mod motion;
mod moved;
mod outline;
mod part;
mod parted;
mod planar;
mod polygon;
mod product;
mod quadrature;
mod region;
mod rejection;
mod renamed;
mod renamed_parts;
mod select;
mod space_time;
mod surface;
mod torus;

pub(crate) use checks::checked_interior;

pub use annulus::Annulus;
pub use ball::Ball;
pub use bounding_box::BoundingBox;
pub use box_domain::BoxDomain;
pub use box_union::BoxUnion;
pub use closed_curve::ClosedCurve;
pub use combined::{Combined, SetOperation};
pub use curve::Curve;
pub use cylinder::Cylinder;
pub use divided::{Divided, REST, Region};
pub use ellipse::Ellipse;
pub use error::DomainError;
pub use exterior::Exterior;
pub use fastlsq_basis::sampling::{Sequence, UnitSampler};
pub use half_space::HalfSpace;
pub use implicit::Implicit;
pub use interval::Interval;
pub use motion::Motion;
pub use moved::Moved;
pub use outline::{Corner, Hole, Outline};
pub use part::{BoundaryPart, BoundaryPoints, FINAL, INITIAL, PartKind, PartSelector, WALLS};
pub use parted::Parted;
pub use polygon::Polygon;
pub use product::Product;
pub use quadrature::Quadrature;
pub use region::Domain;
pub use renamed::Renamed;
pub use renamed_parts::RenamedParts;
pub use select::DomainExt;
pub use space_time::SpaceTime;
pub use surface::Surface;
pub use torus::Torus;
