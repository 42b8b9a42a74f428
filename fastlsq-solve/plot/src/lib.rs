//! Figures and films of functions, as data: made of panels, drawn as SVG or PNG with one look.
//!
//! - [`Figure`]: panels beside each other, saved by the extension of a file's name
//! - [`Panel`]: a pair of [`Axis`] with layers: [`Map`]s, [`Band`]s, boxes, [`Series`]
//! - [`Film`]: figures one after the other, as an animated PNG
//!
//! Colours of maps are evenly spaced to the eye: viridis where values have one sign, blue–white–red, with white at zero, where
//! they have both. The font comes with the crate, so that a picture is the same on every machine. No type of the drawing library
//! is part of the interface.

mod axis;
mod bar;
mod canvas;
mod colour;
mod contour;
mod error;
mod figure;
mod film;
mod legend;
mod map;
mod panel;
mod series;

pub use axis::Axis;
pub use error::PlotError;
pub use figure::Figure;
pub use film::Film;
pub use map::Map;
pub use panel::Panel;
pub use series::{Band, Look, Series};

/// The README's example, so that it is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
