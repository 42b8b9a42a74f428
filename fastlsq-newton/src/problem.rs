//! Stating a nonlinear problem: residual closures in the interior and on the boundary.

use std::sync::Arc;

use fastlsq_solve::{Condition, Data, Domain, EquationRow, LinearProblem, PartSelector};

use crate::NewtonError;
use crate::jet::{Jet, Real};
use crate::options::NewtonOptions;
use crate::residual::Residual;
use crate::solution::NonlinearSolution;

/// A nonlinear boundary-value or initial-value problem.
///
/// ```
/// use std::f64::consts::PI;
/// use fastlsq_newton::{BoxDomain, NonlinearProblem};
/// // −Δu + u³ = f on the unit square, u = 0 on its boundary.
/// let exact = |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin();
/// let u = NonlinearProblem::on(BoxDomain::unit(2))
///     .equation(move |u, x| -u.laplacian() + u.value().powi(3)
///         - (2.0 * PI * PI * exact(x) + exact(x).powi(3)))
///     .dirichlet(|_| 0.0)
///     .solve()?;
/// assert!((u.value(&[0.3, 0.6])? - exact(&[0.3, 0.6])).abs() < 1e-12);
/// # Ok::<(), fastlsq_newton::NewtonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct NonlinearProblem {
    /// Domain, unknowns and linear conditions; nonlinear equations and conditions stand in it as
    /// rows without operators, so that points are sampled in one place.
    pub(crate) frame: LinearProblem,
    /// The residual of each block of the frame, where it is nonlinear.
    pub(crate) residuals: Vec<Option<Residual>>,
    pub(crate) parameter: Option<(String, f64)>,
}

impl NonlinearProblem {
    /// A problem for one unknown u on this domain.
    pub fn on(domain: impl Domain + 'static) -> Self {
        Self {
            frame: LinearProblem::on(domain),
            residuals: Vec::new(),
            parameter: None,
        }
    }

    /// Names the unknowns of a system. Call it before equations and conditions are added.
    #[must_use]
    pub fn unknowns(mut self, names: &[&str]) -> Self {
        self.frame = self.frame.unknowns(names);
        let unknowns = names.len();
        self.residuals = self
            .residuals
            .into_iter()
            .map(|r| r.map(|r| r.with_unknowns(unknowns)))
            .collect();
        self
    }

    /// Declares a parameter (a viscosity, a load) with its value; residuals read it with
    /// [`Jet::parameter`], and continuation moves it.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: f64) -> Self {
        self.parameter = Some((name.to_owned(), value));
        self
    }

    /// Adds the equation R(u, ∇u, …; x) = 0 in the interior.
    #[must_use]
    pub fn equation(
        mut self,
        residual: impl Fn(&Jet<'_>, &[f64]) -> Real + Send + Sync + 'static,
    ) -> Self {
        let unknowns = self.frame.unknown_names().len();
        let label = format!("equation {}", self.frame.equation_count() + 1);
        let residual = Residual::new(
            label,
            Arc::new(residual),
            self.frame.domain().dim(),
            unknowns,
        );
        self.residuals
            .insert(self.frame.equation_count(), Some(residual));
        self.frame = self
            .frame
            .equation(EquationRow::zero(unknowns), |_: &[f64]| 0.0);
        self
    }

    /// Adds the nonlinear condition R(u, ∇u, …; x) = 0 on a part of the boundary.
    #[must_use]
    pub fn condition(
        mut self,
        part: PartSelector,
        residual: impl Fn(&Jet<'_>, &[f64]) -> Real + Send + Sync + 'static,
    ) -> Self {
        let unknowns = self.frame.unknown_names().len();
        let number = self.frame.conditions().len() + 1;
        let condition = Condition::on(part, EquationRow::zero(unknowns), |_: &[f64]| 0.0)
            .named(format!("nonlinear condition {number}"));
        let residual = Residual::new(
            format!("nonlinear condition {number}"),
            Arc::new(residual),
            self.frame.domain().dim(),
            unknowns,
        );
        self.frame = self.frame.with(condition);
        self.residuals.push(Some(residual));
        self
    }

    /// Adds a linear condition.
    #[must_use]
    pub fn with(self, condition: Condition) -> Self {
        self.linear(|frame| frame.with(condition))
    }

    /// u = g on all walls.
    #[must_use]
    pub fn dirichlet(self, data: impl Into<Data>) -> Self {
        self.linear(|frame| frame.dirichlet(data))
    }

    /// u = g on one named part of the boundary.
    #[must_use]
    pub fn dirichlet_on(self, part: &str, data: impl Into<Data>) -> Self {
        self.linear(|frame| frame.dirichlet_on(part, data))
    }

    /// u_k = g on all walls, for one unknown of a system.
    #[must_use]
    pub fn dirichlet_for(self, unknown: &str, data: impl Into<Data>) -> Self {
        self.linear(|frame| frame.dirichlet_for(unknown, data))
    }

    /// ∂u/∂n = g on all walls.
    #[must_use]
    pub fn neumann(self, data: impl Into<Data>) -> Self {
        self.linear(|frame| frame.neumann(data))
    }

    /// ∂u/∂n = g on one named part of the boundary.
    #[must_use]
    pub fn neumann_on(self, part: &str, data: impl Into<Data>) -> Self {
        self.linear(|frame| frame.neumann_on(part, data))
    }

    /// u = g at the initial time of a space-time domain.
    #[must_use]
    pub fn initial_value(self, data: impl Into<Data>) -> Self {
        self.linear(|frame| frame.initial_value(data))
    }

    /// ∂u/∂t = g at the initial time of a space-time domain.
    #[must_use]
    pub fn initial_velocity(self, data: impl Into<Data>) -> Self {
        self.linear(|frame| frame.initial_velocity(data))
    }

    /// u and its derivatives up to `order − 1` across the axis agree on opposite faces.
    #[must_use]
    pub fn periodic(self, axis: usize, order: u32) -> Self {
        let dim = self.frame.domain().dim();
        let unknowns = self.frame.unknown_names().len();
        self.linear(|mut frame| {
            for unknown in 0..unknowns {
                for n in 0..order {
                    let operator = fastlsq_solve::partial_order(dim, axis, n).on(unknown, unknowns);
                    frame = frame.with(Condition::opposite(axis, operator));
                }
            }
            frame
        })
    }

    /// Adds linear conditions through the frame and keeps the list of residuals in step.
    fn linear(mut self, add: impl FnOnce(LinearProblem) -> LinearProblem) -> Self {
        self.frame = add(self.frame);
        let blocks = self.frame.equation_count() + self.frame.conditions().len();
        self.residuals.resize(blocks, None);
        self
    }

    /// The names of the unknowns.
    #[must_use]
    pub fn unknown_names(&self) -> &[String] {
        self.frame.unknown_names()
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &dyn Domain {
        self.frame.domain()
    }

    /// Solves with everything chosen automatically.
    ///
    /// # Errors
    /// What cannot be answered: see [`NewtonError`]. An iteration that does not converge is no
    /// error; the report says so.
    pub fn solve(&self) -> Result<NonlinearSolution, NewtonError> {
        self.solve_with(&NewtonOptions::new())
    }

    /// Solves with these options; what they leave open is chosen automatically.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_with(&self, options: &NewtonOptions) -> Result<NonlinearSolution, NewtonError> {
        crate::bench::solve(self, options)
    }
}
