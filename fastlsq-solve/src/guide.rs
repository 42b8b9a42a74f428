//! A guide: from the statement of a problem to the report, and when to use another method.
//!
//! # 1. State the problem
//! A [`LinearProblem`](crate::LinearProblem) lives on a domain, and is written as on paper. Time is the last
//! coordinate of a space-time domain, and an initial value is a condition on one part of its boundary:
//! ```
//! use std::f64::consts::PI;
//! use fastlsq_solve::{DomainExt, Interval, LinearProblem, T, X, laplacian, sin, unknown};
//! let u = unknown("u");
//! // u_t = u_xx on [0, 1] × [0, ½], from sin πx, with cold ends
//! let rod = LinearProblem::on(Interval::unit().over(0.0, 0.5)?)
//!     .equation(u.d(T), laplacian(u)) // Δ is over space
//!     .initial_value(sin(PI * X))
//!     .dirichlet(0.0);
//! let u = rod.solve()?;
//! assert!((u.value(&[0.5, 0.1])? - (-0.1 * PI * PI).exp()).abs() < 1e-9);
//! # Ok::<(), fastlsq_solve::SolveError>(())
//! ```
//! | condition | call |
//! |---|---|
//! | u = g on all walls | `.dirichlet(g)` |
//! | ∂u/∂n = g on all walls | `.neumann(g)` |
//! | u(x₀) = v; the mean of u is v | `.value_at(&x0, v)`; `.mean(v)` |
//! | a u + b ∂u/∂n = g on all walls | `.robin(a, b, g)` |
//! | u or u_t at the first time | `.initial_value(g)`, `.initial_velocity(g)` |
//! | anything on a face, a named part, … | `.condition(X.lo(), u, g)`, `.condition("inlet", normal_derivative(u), g)` |
//! | opposite faces agree | `.periodic(X)` |
//! | measured values | `.data(points, values)`, [`LinearProblem::fit`](crate::LinearProblem::fit) |
//! | with a weight, rows or a label of its own, exactly, at points | `.with(`[`Condition`](crate::Condition)`)` |
//!
//! All sides are expressions ([`Expr`](crate::Expr)): numbers, coordinates, functions of them, derivatives of anything.
//! Helmholtz's equation is `laplacian(u) + k * k * u`, a diffusion in a medium `div(exp(X) * grad(u))`, and what has
//! no formula is a closure, `|x: &[f64]| …` or [`given`](crate::given). A domain has as many of the coordinates `X`, `Y`, `Z`
//! as it has axes, and `T` if it is over time, or names of its own
//! ([`with_coordinates`](crate::DomainExt::with_coordinates)).
//!
//! A system has as many unknowns as its equations name, and vectors where that is shorter. Its conditions name their
//! unknowns too:
//! ```
//! use fastlsq_solve::{BoxDomain, LinearProblem, WALLS, X, Y, exp, grad, sin, unknown, unknowns};
//! // A potential and its field: (u, v) = ∇φ without sources.
//! let ([u, v], phi, exact) = (unknowns(["u", "v"]), unknown("φ"), exp(X) * sin(Y));
//! let solution = LinearProblem::on(BoxDomain::unit(2))
//!     .equation(grad(phi), [u, v])
//!     .equation(u.d(X) + v.d(Y), 0.0)
//!     .condition(WALLS, phi, &exact)
//!     .solve()?;
//! assert!((solution.at(v, &[0.3, 0.6])? - 0.3_f64.exp() * 0.6_f64.cos()).abs() < 1e-9);
//! # Ok::<(), fastlsq_solve::SolveError>(())
//! ```
//! Mistakes in the statement surface as one error of `solve` that lists them all.
//!
//! # 2. Solve, and read the report
//! Print [`u.report()`](crate::Solution::report). It says, in this order:
//! - how it ended ([`Status`](crate::Status)): a tolerance that was not reached is not an error, and the
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
//! solution is even or odd along that axis, and features of that parity suffice. This is detected
//! automatically; the report says so. A difference of 1e-12 in the data switches it off.
//! It can be ignored or declared with [`Options::symmetry`](crate::Options::symmetry).
//!
//! # 6. The same equation again
//! [`factor_with`](crate::LinearProblem::factor_with) keeps the factors; other sources and boundary
//! values cost one product each ([`FactoredProblem`](crate::FactoredProblem)).
//!
//! # When this is the wrong tool
//! Sums of smooth waves converge fast to smooth functions, and slowly to others.
//! - *Shocks* (hyperbolic laws without viscosity): use finite volumes. Where coefficients jump, name the
//!   [regions](crate::DomainExt::with_region), with unknowns of their own.
//! - *Singularities* other than those of corners and holes in the plane, whose functions are added to the features
//!   automatically: give the singular function with [`Options::beside`](crate::Options::beside), or use adaptive finite
//!   elements.
//! - *Problems without a unique solution* (only Neumann conditions, a Helmholtz operator at an
//!   eigenvalue, too few conditions, sources that contradict them): the report says so
//!   ([`posedness`](crate::Report::posedness)), and what is free. Fix it with
//!   [`value_at`](crate::LinearProblem::value_at) or [`mean`](crate::LinearProblem::mean), or ask for the
//!   solution of [least norm](crate::Options::least_norm).
//! - *Rough data* and noise: fit with a ridge or deviations; do not expect more digits than the data have.
//! - *Long times* and fine detail that moves: the number of features grows with the number of waves in the space-time
//!   volume. State the same problem, linear or not, as a `NonlinearProblem` of `fastlsq-newton`: its solution is followed in
//!   time; the report of a `LinearProblem` on space-time that does not meet its tolerance recommends this.
//! - *Thousands of wave lengths* in the domain.
//! - *Large systems* on complicated three-dimensional geometry: the matrices are dense.
//!
//! In all these cases the report tells you so: the estimate stays large, and `status` is not `ToleranceMet`.
