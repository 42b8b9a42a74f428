//! A guide: from the statement of a problem to the report, and when to use another method.
//!
//! # 1. State the problem
//! A [`LinearProblem`](crate::LinearProblem) lives on a domain. Time is the last axis of a space-time
//! domain, and an initial value is a condition on one part of its boundary:
//! ```
//! use std::f64::consts::PI;
//! use fastlsq_solve::{DomainExt, Interval, LinearProblem, partial, partial_order};
//! // u_t = u_xx on [0, 1] × [0, ½], from sin πx, with cold ends
//! let rod = LinearProblem::on(Interval::unit().over(0.0, 0.5)?)
//!     .equation(partial(2, 1) - partial_order(2, 0, 2), |_| 0.0)
//!     .initial_value(|x| (PI * x[0]).sin())
//!     .dirichlet(|_| 0.0);
//! let u = rod.solve()?;
//! assert!((u.value(&[0.5, 0.1])? - (-0.1 * PI * PI).exp()).abs() < 1e-9);
//! # Ok::<(), fastlsq_solve::SolveError>(())
//! ```
//! | condition | call |
//! |---|---|
//! | u = g on all walls, or one of them | `.dirichlet(g)`, `.dirichlet_on("x0=lo", g)` |
//! | ∂u/∂n = g | `.neumann(g)`, `.neumann_on("x0=hi", g)` |
//! | a u + b ∂u/∂n = g | `.robin(a, b, g)` |
//! | u or u_t at the first time | `.initial_value(g)`, `.initial_velocity(g)` |
//! | opposite faces agree | `.periodic(axis)` |
//! | measured values | `.data(points, values)`, [`LinearProblem::fit`](crate::LinearProblem::fit) |
//! | anything else | `.with(`[`Condition`](crate::Condition)`)`: any operator, any part, own weight, rows and label |
//!
//! Operators are sums of [`identity`](crate::identity), [`partial`](crate::partial),
//! [`laplacian`](crate::laplacian) and others: that of Helmholtz is `laplacian(2) + k * k * identity(2)`.
//! Several unknowns are named with `.unknowns(&["u", "v"])`; operators are then placed with
//! [`Operator::on`](crate::Operator::on). A mistake in the statement surfaces as an error of `solve`.
//!
//! # 2. Solve, and read the report
//! Print [`u.report()`](crate::Solution::report). It says, in this order:
//! - how it ended ([`Status`](crate::Status)): a tolerance that was not reached is no error, and the
//!   best solution found is there;
//! - the *estimated relative error* of u, calibrated by the candidates tried on the way: where one is
//!   clearly worse than the final u, its distance to u is its error, and tells how this problem turns
//!   residuals into errors;
//! - the *held-out residual* of each equation and condition: rms(Bu − g) at points that no fit has seen,
//!   relative to the size of the terms of B u over the domain. The largest one names the
//!   block that is hardest to satisfy;
//! - features, rows, rank, condition. A rank far below the number of features is normal;
//! - bandwidths, symmetry, method, time, seed: all it takes to repeat the solve.
//!
//! # 3. Choose options only if you must
//! - [`tolerance`](crate::Options::tolerance) is the one knob most problems need: fewer digits cost less.
//! - [`max_features`](crate::Options::max_features), [`time_limit`](crate::Options::time_limit) and
//!   [`memory_limit`](crate::Options::memory_limit) bound the cost.
//! - [`bandwidth`](crate::Options::bandwidth) σ is the typical wave number of u: about 2π over its
//!   shortest wave length, a little more with many features. Too small is worse than too large.
//! - [`features`](crate::Options::features): rank and accuracy level off together; beyond that more
//!   features add time only.
//! - [`oversampling`](crate::Options::oversampling): more rows for the same features, for data that are
//!   measured or come from another computation.
//! - [`basis`](crate::Options::basis) takes any other basis, for comparison or for functions that waves
//!   do not suit.
//!
//! # 4. The rule for weights
//! By default each block of rows is divided by the root mean square of its entries and multiplied
//! by √(rows of the first block / its own rows), so that all blocks are comparable; conditions then
//! count ten times as much as equations. [`Condition::weight`](crate::Condition::weight) replaces
//! that factor ten for one condition. [`Options::weight`](crate::Options::weight) switches the rule
//! off: rows of equations count 1, those of conditions λ, as in the paper. With a rank-revealing solve
//! the error depends little on λ between 10 and 1000.
//! [`Condition::exact`](crate::Condition::exact) needs no weight: the data hold to rounding at
//! the condition's points, as equality constraints.
//!
//! # 5. Symmetry
//! If a reflection maps domain, equations, conditions and data to themselves up to signs, a unique
//! solution is even or odd along that axis, and features of that parity suffice. This is found out
//! automatically; the report says so. A difference of 1e-12 in the data switches it off.
//! It can be ignored or declared with [`Options::symmetry`](crate::Options::symmetry).
//!
//! # 6. The same equation again
//! [`factor_with`](crate::LinearProblem::factor_with) keeps the factors; other sources and boundary
//! values cost one product each ([`FactoredProblem`](crate::FactoredProblem)).
//!
//! # When this is the wrong tool
//! Sums of smooth waves converge fast to smooth functions, and slowly to others.
//! - *Shocks and jumps* (hyperbolic laws without viscosity, discontinuous coefficients or data): use
//!   finite volumes, or split the domain at the jump.
//! - *Corner singularities* (re-entrant corners, conditions that change type at a point): the error
//!   stalls at two to four digits; add the singular function to the basis, or use adaptive finite elements.
//! - *Problems without a unique solution* (only Neumann conditions, a Helmholtz operator at an
//!   eigenvalue, too few conditions, sources that contradict them): residuals are relative to the
//!   terms of Bu, which may then grow without bound, so that they and the estimate look small. Look at
//!   the size of u, and add the condition that is missing, such as a value at one point.
//! - *Rough data* and noise: fit with a ridge or deviations; do not expect more digits than the data have.
//! - *Thousands of wave lengths* in the domain, or long times of chaotic or weakly damped waves: the number
//!   of features grows with the number of waves in the space-time volume. Split time into slabs.
//! - *Large systems* on complicated three-dimensional geometry: the matrices are dense.
//!
//! In all of these the report tells: the estimate stays large, and `status` is not `ToleranceMet`.
