//! Where an equation holds: regions of R^d, their boundaries and their points.
//!
//! A [`Domain`] gives points in its interior, uniform in volume, and on the named parts of its
//! boundary, uniform in surface measure, each with its outward normal. There are [`BoxDomain`] (and
//! [`Interval`]), [`Ball`] and [`SpaceTime`], in any dimension; a domain of your own is five methods.
//! All points come from a [`UnitSampler`], independent or quasi-random, so that a seed determines them.
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

mod ball;
mod bounding_box;
mod box_domain;
mod checks;
mod error;
mod interval;
mod part;
mod region;
mod rejection;
mod renamed;
mod select;
mod space_time;

pub(crate) use checks::checked_interior;

pub use ball::Ball;
pub use bounding_box::BoundingBox;
pub use box_domain::BoxDomain;
pub use error::DomainError;
pub use fastlsq_basis::sampling::{Sequence, UnitSampler};
pub use interval::Interval;
pub use part::{BoundaryPart, BoundaryPoints, FINAL, INITIAL, PartKind, PartSelector, WALLS};
pub use region::Domain;
pub use renamed::Renamed;
pub use select::DomainExt;
pub use space_time::SpaceTime;
