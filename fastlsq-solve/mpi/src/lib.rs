//! FastLSQ past one machine: the same solve by the ranks of an MPI job.
//!
//! Every rank runs the same program and states the same problem; [`Mpi`] is the backend that makes them work together:
//!
//! ```no_run
//! use fastlsq_mpi::Mpi;
//! use fastlsq_solve::{BoxDomain, LinearProblem, Options, X, Y, laplacian, sin, unknown};
//!
//! let mpi = Mpi::world()?;
//! let u = unknown("u");
//! let solution = LinearProblem::on(BoxDomain::unit(2))
//!     .equation(-laplacian(u), sin(3.0 * X) * Y)
//!     .dirichlet(0.0)
//!     .solve_with(&Options::new().backend(mpi.clone()))?;
//! if mpi.rank() == 0 {
//!     println!("{}", solution.report());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```sh
//! mpirun -n 4 target/release/program
//! ```
//!
//! # What is shared
//! - **Rows.** They are cut into streams by their number alone, the ranks share out the streams, and triangles are merged
//!   along a tree of fixed order ([`fastlsq_solve::team`]). So the answer is that of one process, to the last bit. Small
//!   systems are one stream: all ranks do them, and nothing is sent but a meeting of 64 bytes.
//! - **Other right-hand sides and adjoints** of a factored problem go up and down the same tree; Q stays where it was made,
//!   so that a rank keeps M/P×N numbers of it.
//! - **Patches.** Leaves are dealt out along a space-filling curve, in runs that are subtrees but for their ends; operators and
//!   fronts are made where they belong, Schur complements go up the tree where it crosses ranks.
//! - Everything else (the search, residuals at fresh points, evolutions) is done by all ranks alike. Solution and report are
//!   on all of them. The clock is that of rank 0, and its progress callback is the one that is asked.
//!
//! # What goes wrong
//! Ranks [meet](fastlsq_solve::team::meet) before they do something together. A rank that has ended, that states another problem,
//! runs another version or computes with other numbers is found out there; the job ends on all ranks, with a message on
//! standard error and a status that is not zero. The smallest amount of memory that a rank has is that of all: what
//! would not fit there is refused on all of them, as an error like any other. A rank that is killed ends the job through
//! `mpirun`.
//!
//! # What it costs
//! [`fastlsq_solve::lsq::RowsCost`] has the formulas. In short: sharing pays while M/P, the rows of a rank, are several times N.
//! The numbers of the features that an automatic search tries (M ≈ 2.3 N) leave nothing to share; millions of rows do, and so do
//! many patches. `cargo xtask mpi --model` measures the constants of the machine at hand, compares predicted with counted
//! operations, messages and bytes, and draws a forecast for more nodes.
//!
//! # The binding
//! `ferrompi`: a C shim that is compiled against the MPI at hand (Open MPI 4.1 and MPICH 4.0 of Debian were tried), no libclang, and
//! nothing unsafe here. The other candidate, `mpi` (rsmpi), generates its bindings and needs libclang for it; it has more of
//! the standard, but nothing more that is used here.

mod error;
mod job;

pub use error::MpiError;
pub use fastlsq_solve;
pub use job::Mpi;
