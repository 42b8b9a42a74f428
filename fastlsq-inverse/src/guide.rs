//! How to state an inverse problem of one's own.
//!
//! # 1. The problem, with names for what is not known
//! State it like a [`LinearProblem`](crate::LinearProblem): domain, equations, conditions. Wherever a number
//! is unknown (in a coefficient, a source, a boundary value) write a [`parameter`](crate::parameter()).
//!
//! # 2. What is sought
//! `.find(Sought::new(p, start))` for each parameter that is to be found, with bounds and prior knowledge;
//! `.parameter(p, value)` for one whose value is known after all. Derivatives with respect to the parameters
//! follow from the statement, and so does the product rule in −∇·(a∇u):
//! ```
//! use fastlsq_inverse::{BoxDomain, InverseProblem, Observations, Options, Sought};
//! use fastlsq_inverse::{X, div, grad, parameter, unknown};
//! use ndarray::array;
//!
//! // −((1 + p x) u′)′ = 1, u(0) = u(1) = 0, on an interval: one reading of u for one parameter.
//! let (u, p) = (unknown("u"), parameter("p"));
//! let fit = InverseProblem::on(BoxDomain::unit(1))
//!     .equation(-div((1.0 + p * X) * grad(u)), 1.0)
//!     .dirichlet(0.0)
//!     .find(Sought::new(p, 0.0).within(-0.5, 5.0))
//!     .observe(Observations::of(u, array![[0.5]], &[0.085]).deviation(1e-3))
//!     .options(Options::new().features(60).bandwidth(3.0))
//!     .fit()?;
//! // In closed form u(½) = (ln(1 + p/2)/ln(1 + p) − ½)/p.
//! let p = fit.parameters[0];
//! assert!((((1.0 + p / 2.0).ln() / (1.0 + p).ln() - 0.5) / p - 0.085).abs() < 1e-6);
//! # Ok::<(), fastlsq_inverse::InverseError>(())
//! ```
//!
//! # 3. What was measured
//! [`Observations`](crate::Observations): any linear expression of the unknowns at any points, with standard
//! deviations. Make test
//! data with something other than the method itself (a series, another solver): [`reference`](mod@crate::reference)
//! has a few. Errors of the discretisation act like noise. [`ModelError`](crate::ModelError) tells their
//! size from further discretisations (other seeds, more features); where it is comparable to the noise, add
//! it to the deviations with [`set_deviations`](crate::Prepared::set_deviations) and to the posterior with
//! [`widen`](crate::Fit::widen).
//!
//! # 4. Can the data tell?
//! [`InverseProblem::identifiability`](crate::InverseProblem::identifiability) before any fit. If a parameter is
//! not determined: more sensors, less noise, or a [prior](crate::Sought::prior).
//!
//! # 5. Fit
//! [`fit`](crate::InverseProblem::fit) runs Levenberg–Marquardt from the start;
//! [`FitOptions`](crate::FitOptions) has L-BFGS-B and Adam, several starts, and tempering for starts that are far off.
//! [`prepare`](crate::InverseProblem::prepare) once, then
//! [`with_values`](crate::Prepared::with_values) for each new set of readings.
