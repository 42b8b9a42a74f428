//! Functions on an interval or a circle: polynomials on pieces, joined smoothly, with conditions built in.
//!
//! On each piece of a mesh u is a polynomial; derivatives below the order m of the equation are continuous where pieces
//! meet, so that F(u) is in L2 and its orthogonal projection onto the space makes sense without integration by parts. The
//! energy identities of the continuum hold (see [the module above](super)). In contrast to a
//! [`TrialSpace`](super::TrialSpace) the basis is local: bubbles that live on one piece, and m functions for each joint that
//! live on its two pieces. Matrices are banded, so that work and memory grow with the number of pieces, and a piece may
//! be as small as a layer requires. The basis is orthonormal but for neighbouring joints; the mass matrix M takes
//! care of these.
//!
//! Conditions at the ends are linear in the derivatives below m. They cut down the functions of the end joints; data
//! g enter by functions that are orthogonal to the space, so that the rate of the coefficients does not see the rate of g.
//!
//! Meshes are refined without loss: a halved piece holds the same polynomial.

mod band;
mod element;
mod expansion;
mod joint;
mod piece;
mod projection;
mod resolution;
mod space;

pub use band::{BandFactors, BandMatrix};
pub use element::Element;
pub use projection::SlopeTerm;
pub use space::{EndCondition, LineSpace};
