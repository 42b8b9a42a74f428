//! How to state an inverse problem of one's own.
//!
//! # 1. The forward problem, as if everything were known
//! State it with [`LinearProblem`](crate::LinearProblem): domain, equations, conditions. Where a source or
//! boundary value is unknown, put anything; where a coefficient is unknown, leave its term out.
//!
//! # 2. What the parameters determine
//! Closures `|x, p| …` take the point and the parameters as dual numbers ([`Dual`](crate::Dual)), which
//! compute like `f64` and carry their derivatives along.
//! - `.source(0, |x, p| …)`: the source of the first equation;
//! - `.data("walls", |x, p| …)`: the data of the condition with this label;
//! - `.term(0, identity(2), |x, p| …)`: a further term c(x; p) T u on the left of an equation.
//!
//! For −∇·(a∇u) = −aΔu − ∇a·∇u with a = 1 + p₀x₀ this means three terms, or two where ∂a/∂x₁ = 0:
//! ```
//! use fastlsq_inverse::{BoxDomain, InverseProblem, LinearProblem, Observations, Options, Parameter};
//! use fastlsq_inverse::{laplacian, partial};
//! use ndarray::array;
//!
//! // −((1 + p x) u′)′ = 1, u(0) = u(1) = 0, on an interval: one reading of u for one parameter.
//! let rod = LinearProblem::on(BoxDomain::unit(1)).equation(-laplacian(1), |_| 1.0).dirichlet(|_| 0.0);
//! let fit = InverseProblem::of(rod, [Parameter::new("p", 0.0).within(-0.5, 5.0)])
//!     .term(0, -laplacian(1), |x, p| p[0] * x[0])
//!     .term(0, -partial(1, 0), |_, p| p[0])
//!     .observe(Observations::of_values(array![[0.5]], &[0.085]).deviation(1e-3))
//!     .options(Options::new().features(60).bandwidth(3.0))
//!     .fit()?;
//! // In closed form u(½) = (ln(1 + p/2)/ln(1 + p) − ½)/p.
//! let p = fit.parameters[0];
//! assert!((((1.0 + p / 2.0).ln() / (1.0 + p).ln() - 0.5) / p - 0.085).abs() < 1e-6);
//! # Ok::<(), fastlsq_inverse::InverseError>(())
//! ```
//!
//! # 3. What was measured
//! [`Observations`](crate::Observations): any operator at any points, with standard deviations. Make test
//! data with something else than the method itself (a series, another solver): [`reference`](mod@crate::reference)
//! has a few. Errors of the discretisation act like noise. [`ModelError`](crate::ModelError) tells their
//! size from further discretisations (other seeds, more features); where it compares with the noise, add
//! it to the deviations with [`set_deviations`](crate::Prepared::set_deviations) and to the posterior with
//! [`widen`](crate::Fit::widen).
//!
//! # 4. Can the data tell?
//! [`InverseProblem::identifiability`](crate::InverseProblem::identifiability) before any fit. If a parameter is
//! not determined: more sensors, less noise, or a [prior](crate::Parameter::prior).
//!
//! # 5. Fit
//! [`fit`](crate::InverseProblem::fit) runs Levenberg–Marquardt from the start;
//! [`FitOptions`](crate::FitOptions) has L-BFGS-B and Adam, several starts, and tempering for starts that are far off.
//! [`prepare`](crate::InverseProblem::prepare) once, then
//! [`with_values`](crate::Prepared::with_values) for each new set of readings.
