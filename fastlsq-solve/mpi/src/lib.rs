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
//!   fronts are made where they belong, Schur complements go up the tree where it crosses ranks. A front near the root is
//!   factored by the ranks below it together where the costs say that this is faster; the rank that has it then has the bits
//!   that it would have computed alone. Other data and adjoints go through the same tree.
//! - Everything else (the search, residuals at fresh points, evolutions) is done by all ranks alike. Solution and report are
//!   on all of them. The clock is that of rank 0, and its progress callback is the one that is asked.
//!
//! # What goes wrong
//! Ranks [meet](fastlsq_solve::team::meet) before they do something together. A rank that has ended, that states another problem,
//! runs another version or computes with other numbers is detected there; the job ends on all ranks, with a message on
//! standard error and a status that is not zero. The same happens if a rank exits in the middle of something. The smallest
//! amount of memory that a rank has is that of all: what would not fit there is refused on all of them, as an error like any
//! other. A rank that is killed ends the job through `mpirun`.
//!
//! # What it costs
//! **Rows.** [`fastlsq_solve::lsq::RowsCost`] has the formulas. In short: sharing pays while M/P, the rows of a rank, are several
//! times N. The numbers of rows that an automatic search tries (M ≈ 2.3 N) leave nothing to share; millions of rows do.
//!
//! **Patches.** A box of patches is halved down to single ones. The front of a part with e unknowns on its cut and b on its open
//! surface takes 2e³/3 + 2e²b + 2eb² operations, on the rank that has its first patch; where the halves of a part have
//! different owners, the b² numbers of one Schur complement travel, and 2b traces for each solve. With P ranks there are log₂ P
//! levels of fronts that fewer than P ranks work on:
//!
//! | level, from the root | fronts | in the plane, n×n patches with s unknowns on a side: e, b | in space, n×n×n: e, b |
//! |---|---|---|---|
//! | 0 | 1 | ns, 0 | n²s, 0 |
//! | 1 | 2 | ns/2, ns | n²s/2, n²s |
//! | 2 | 4 | ns/2, ns | n²s/4, n²s |
//! | 3 | 8 | ns/4, 3ns/4 or 5ns/4 | n²s/4, 3n²s/4 |
//!
//! These levels are most of the work. By the formula, subtrees alone gain no more than a factor of 6.7 in the plane (128×128
//! patches) and of 4 in space (16×16×16), however many ranks there are, and 4.8 and 3.6 with eight of them.
//!
//! **Fronts by several ranks** share these operations, and cost messages; [`FrontCost`](fastlsq_solve::patches::FrontCost) has the
//! formulas, and chooses for every front how many ranks are fastest. What leaves the owner of a front and comes back, e² + 2(e + b)b
//! numbers, does not shrink with more ranks. Two ranks, milliseconds of processor time of the busier one, on cores that others
//! used as well:
//!
//! | e, b | work by one | work by two | messages | gain | by the formula |
//! |---|---|---|---|---|---|
//! | 800, 0 | 10.2 | 8.1 | 3.6 | 0.87 | 0.51 |
//! | 1600, 0 | 60 | 50 | 15 | 0.92 | 0.82 |
//! | 400, 800 | 25 | 25 | 6 | 0.82 | 0.69 |
//! | 800, 1600 | 155 | 135 | 24 | 0.98 | 1.02 |
//! | 1600, 3200 | 1580 | 1172 | 94 | 1.25 | 1.35 |
//!
//! Work includes packing and copies; messages are bytes at 2.1e9 a second, measured separately, because they would otherwise
//! include the time of waiting for others. The formula has 3e10 operations a second and 5e8 bytes a second, packing and copies
//! included; both were fitted to such times, and with them the choice is made. By the formula, with one core to a rank it
//! begins to pay at e = 740 with b = 2e and at 2300 with b = 0 for two ranks, at 1020 and 4000 for sixteen. It stops paying
//! where the columns of a front are fewer than a few panels of 96 for each rank, and where a rank has many cores: its
//! operations become fast, the packing by one core does not (32 cores to a rank: from e = 23000 with b = 2e on two ranks). On
//! the clock the gain at 1600, 3200 was between 0.77 and 1.08 in eight runs, while other work had the cores; what idle ones
//! would gain is not known.
//!
//! # Constants
//! Measured by `cargo xtask mpi --model` on two cores that other work used, in four runs: 4.5e9 … 1.5e10 operations a second of a
//! thread (QR of 20000×300), 3.8e-7 … 4.2e-7 s latency, 1.1e9 … 3.4e9 bytes a second between two processes. The best of them are
//! nearest to what the machine can do. Counted runs of 1 to 8 ranks: messages and bytes are as predicted, of rows and of patches,
//! fronts single and joint; operations of the busiest rank are 1.008 of the prediction for rows and 1.0000 for fronts. With fronts by
//! several ranks, the busiest of eight does 1.24 of an even share, without them 1.63 (16×16 patches).
//!
//! `cargo xtask mpi --model` measures the constants of the machine at hand, compares predicted with counted operations,
//! messages and bytes, times fronts, and draws a forecast for more nodes (`forecast-rows.svg`, `forecast-patches.svg`).
//! Ten million rows of 500 features on four ranks (`cargo xtask mpi --memory`) took at most 478 MiB on any of them.
//!
//! # The binding
//! `ferrompi`: a C shim that is compiled against the MPI at hand, which needs a C compiler and nothing else; blocking calls
//! are safe functions, so that nothing is unsafe here; failures are results. The other candidate, `mpi` (rsmpi), generates its
//! bindings from the headers at hand and needs libclang for it. It has more of the standard, but nothing more that is used here:
//! point-to-point messages, a broadcast and a reduction of numbers, `MPI_Abort`.

mod departure;
mod error;
mod job;

pub use error::MpiError;
pub use fastlsq_solve;
pub use job::Mpi;
