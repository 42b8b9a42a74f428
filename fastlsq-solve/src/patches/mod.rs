//! Many small sums of functions in place of one: adaptive patches with exact traces and direct elimination.
//!
//! One global sum of waves resolves what is smooth on the scale of the domain. Corners, layers, peaks, interfaces and
//! hundreds of wave lengths are local; here the domain, a union of boxes, is cut into a tree of leaves, each with
//! functions of its own, and the leaves are tied together by what passes through their sides.
//!
//! # A leaf
//! A leaf is a box, mapped to [−1, 1]^d. On it u = Σⱼ cⱼ ψⱼ, where the ψ are features (Legendre polynomials or random
//! waves) that were made orthonormal once, on the reference leaf. Let B c be the values of u at the n Gauss nodes of
//! every side, the *traces*, and A c = f the equation L u = f at points inside. The traces λ are met exactly, the equation
//! in the sense of least squares: with a right inverse B⁺ and a basis Z of the kernel of B,
//!
//! c = S λ + P f,  P = Z (A Z)⁺,  S = (1 − P A) B⁺.
//!
//! For constant coefficients, S and P depend on the leaf only through the coefficients in its own coordinates,
//! c_α h^{−α}; leaves in which these agree up to a common factor share their operators. For −Δ, all leaves do.
//! Leaves whose coefficients vary have operators of their own, made from tables that all leaves share (`harmonic`).
//!
//! In space a trace is not the values at nodes but the coefficients of polynomials of total degree n − 1 on the face: half
//! as many numbers for the same order.
//!
//! # The skeleton
//! The unknowns that are left are the traces on sides between leaves. Each such side has one equation per node: the fluxes
//! n·a∇u of the two neighbours cancel, where a are the coefficients of the second derivatives. As the flux of a leaf is
//! D c = D S λ + D P f, this is a square system with dense blocks, made of the leaves' Dirichlet-to-Neumann maps D S.
//! Sides on the outer boundary are known where values are given; otherwise their traces are unknowns too, and the
//! condition B u = g at the nodes, a row for c, is their equation.
//!
//! Neighbours differ by one halving at most. Where they differ, the unknowns live on the larger side: the smaller
//! sides interpolate them, and their fluxes are projected in L2 onto the larger side (a *mortar*). Polynomial traces and
//! fluxes of degree n − 1 pass unchanged.
//!
//! # Elimination
//! Two neighbours are merged by eliminating the traces that only they are tied to; the Schur complement is the
//! Dirichlet-to-Neumann map of their union. Merging goes on up to the whole domain. On a uniform grid of N leaves this is nested
//! dissection, O(N^{3/2}) in two dimensions and O(N²) in three. A front depends only on the shapes of
//! its halves and on how they meet, so that equal fronts are factored once: those of a uniform grid, of the levels
//! around a corner, of the part of a tree that a refinement leaves alone.
//!
//! The maps S, P and D S carry rounding errors, and for convection or near a resonance of a subdomain these are amplified. One
//! or two steps of iterative refinement with the same factors, from the residuals of equation, traces and fluxes,
//! remove them.
//!
//! # Equations that are not linear
//! The same step with the residual of nonlinear equations is a step of Newton's method, and the factors need only belong to
//! coefficients nearby (`newton`).
//!
//! # Adaptivity and the error
//! The *indicator* of a leaf is the rms of its residual at fresh points, over the largest coefficient of the equation in the
//! leaf's coordinates (h² × residual / a for diffusion), relative to the largest |u|. Leaves above a share of the
//! largest indicator are split, unless their residual is rounding. The *estimate* of the relative error in L2 is κ times
//! the residuals' L2 norm, weighted like the indicators. κ tells how this problem turns residuals into errors: the last
//! refinement changed u by the error of the solve before, whose residual is known. Iterative refinement measures rounding.
//! The loop ends when the estimate meets the tolerance, when only rounding is left, or at a limit.
//!
//! On a line, the first tree is fine enough at ends and interfaces for the layers that the equation may have there: the real roots
//! of aλ² + bλ + c tell how thin they are (`mesh`).
//!
//! In space, where leaves of one kind make equal fronts on a uniform tree, the first tree is chosen by the sources, and all
//! leaves are split where many need it (`first_cuts`).
//!
//! # Use
//! ```
//! use fastlsq_solve::patches::{Data, FaceCondition, PatchOptions, PatchProblem, Piece};
//! use fastlsq_solve::{Action, MultiIndex, Operator, Term};
//!
//! // −Δu = 1 on an L, u = 0 on its boundary: r^{2/3} at the inner corner, r² log r at the others.
//! let second = |axis| MultiIndex::along(2, axis, 2).map(|alpha| Term::new(-1.0, Action::derivative(alpha)));
//! let minus_laplacian = Operator::from_terms(2, [second(0)?, second(1)?]);
//! let piece = |lo, hi| Piece::new(lo, hi, minus_laplacian.clone(), Data::new(|_| 1.0));
//! let problem = PatchProblem::new(
//!     vec![piece(&[0.0, 0.0], &[2.0, 1.0]), piece(&[0.0, 1.0], &[1.0, 2.0])],
//!     vec![FaceCondition::values([Data::new(|_| 0.0)])],
//! )?;
//! let u = problem.solve(&PatchOptions::new().tolerance(1e-7))?;
//! assert!(u.report().error_estimate < 1e-7);
//! // Symmetric in x and y.
//! assert!((u.value(&[1.3, 0.4])? - u.value(&[0.4, 1.3])?).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is given
//! Sources, boundary values, jumps across interfaces and the numbers of functionals are data: neither operators nor factors depend on
//! them (`kept`). A jump of u is added to the traces that a leaf takes from the skeleton, a jump of the flux to the fluxes that
//! it gives (`interface`). Functionals border the system (`functional`, `border`). Transposed solves go through the same tree
//! (`adjoint`), and so does inverse iteration for eigenfunctions (`modes`).
//!
//! # Where things are
//! `problem`, `interface`, `functional`, `pointwise`, `stated`, `rectilinear`, `options`, `report`, `error`: what is asked and answered.
//! `grid`, `tree`, `mesh`: cells. `quadrature`, `reference`, `compression`, `coefficients`, `frame`, `operator`, `harmonic`, `leaf`, `outer`: one leaf.
//! `skeleton`, `assembly`, `ordering`, `front`, `fronts`, `joint`, `front_cost`, `cache`, `elimination`, `border`, `adjoint`,
//! `sharing`: all leaves. `store`, `groups`, `step`, `first_cuts`, `indicator`, `judgement`, `adapt`, `newton`: the loop.
//! `solution`, `kept`, `modes`, `rows`, `layout`: what comes out.

mod adapt;
mod adjoint;
mod assembly;
mod border;
mod cache;
mod coefficients;
mod compression;
mod data;
mod elimination;
mod error;
mod first_cuts;
mod frame;
mod front;
mod front_cost;
mod fronts;
mod functional;
mod grid;
mod groups;
mod harmonic;
mod indicator;
mod interface;
mod joint;
mod judgement;
mod kept;
mod layout;
mod leaf;
mod mesh;
mod modes;
mod newton;
mod operator;
mod options;
mod ordering;
mod outer;
mod pointwise;
mod problem;
mod quadrature;
mod rectilinear;
mod reference;
mod report;
mod reported;
mod rows;
mod sharing;
mod skeleton;
mod solution;
mod stated;
mod step;
mod store;
#[cfg(test)]
mod tests;
mod tree;

pub use data::Data;
pub use error::PatchError;
pub use front_cost::FrontCost;
pub use functional::Functional;
pub use interface::Interface;
pub use kept::{FactoredPatches, PatchData};
pub use newton::{NewtonPatches, PatchStart, PatchStep};
pub use options::{LeafFeatures, LeafSize, PatchOptions, Patching};
pub use pointwise::{PointEquations, PointJet, PointValues};
pub use problem::{FaceCondition, PatchProblem, Piece};
pub use report::{LeafBox, PatchReport, PatchStatus, PatchTimes, Round};
pub use solution::PatchSolution;

#[cfg(feature = "conformance")]
pub(crate) use joint::joint_front_seconds;
pub(crate) use modes::{Mode, ModeRequest};
pub(crate) use rectilinear::boxes_of;
pub(crate) use rows::PatchRows;
