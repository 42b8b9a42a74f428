//! Laws of fields on grids in weak form: windows instead of one fit.
//!
//! For a window with test function ψ, D^τu = Σ cₖD^{αₖ}gₖ(u) becomes ∫(−1)^{|τ|}D^τψ u =
//! Σ cₖ∫(−1)^{|αₖ|}D^{αₖ}ψ gₖ(u): only values of the fields are needed, and the trapezoidal rule
//! integrates smooth compact functions with spectral accuracy. Noise is white on the grid, so the
//! covariance of the rows is known; it weights them, and what it adds to the moments is subtracted.
//!
//! `axis`, `samples`, `read`, `fill`, `units`: data. `noise`, `smooth`: what the data say about their noise.
//! `term`, `library`, `notation`, `column`: candidate terms. `windows`, `assembly`, `carried`, `simulated`: rows and their
//! moments, from which the module `evidence` makes a law. `refine`: windows that suit it. `conclude`, `law`: the answer.
//! `likely`, `refit`: laws by likelihood, whose solutions come from `flow` and `shooting` (ordinary systems) or from `panes`
//! (one dimension and time). `discovery`: the story.

mod assembly;
mod axis;
mod carried;
mod column;
mod conclude;
mod discovery;
mod fill;
mod flow;
mod law;
mod library;
mod likely;
mod noise;
mod notation;
mod options;
mod panes;
mod read;
mod refine;
mod refit;
mod samples;
mod shooting;
mod simulated;
mod smooth;
mod term;
mod units;
mod windows;

pub use discovery::GridDiscovery;
pub use law::{GridLaw, GridLaws};
pub use library::GridLibrary;
pub use options::GridOptions;
pub use read::{read_npy, read_npz};
pub use samples::GridData;
pub(crate) use units::MOST_DECADES;
pub(crate) use windows::exponent;
