//! Stating a linear problem: domain, equations, conditions.

mod concrete;
mod condition;
mod lowered_geometry;
mod lowering;
mod means;
mod mistake;
mod statement;

use std::sync::Arc;

use ndarray::ArrayView2;

pub use concrete::{ConcreteCondition, ConcreteEquation, ConcretePlace, ConcreteProblem};
pub use condition::{Condition, Imposition, Place};
pub(crate) use lowered_geometry::is_laplacian;
pub(crate) use mistake::list;
pub use mistake::{Mistake, MistakeReason};
pub use statement::ProblemStatement;

use crate::SolveError;
use crate::domain::Domain;
use crate::factored::FactoredProblem;
use crate::options::Options;
use crate::solution::Solution;

/// A linear boundary-value, initial-value or fitting problem.
///
/// ```
/// use std::f64::consts::PI;
/// use fastlsq_solve::{BoxDomain, LinearProblem, X, Y, laplacian, sin, unknown};
/// // −Δu = f on the unit square, u = 0 on its boundary.
/// let u = unknown("u");
/// let u = LinearProblem::on(BoxDomain::unit(2))
///     .equation(-laplacian(u), 2.0 * PI * PI * sin(PI * X) * sin(PI * Y))
///     .dirichlet(0.0)
///     .solve()?;
/// assert!((u.value(&[0.5, 0.5])? - 1.0).abs() < 1e-10);
/// # Ok::<(), fastlsq_solve::SolveError>(())
/// ```
///
/// Systems name their unknowns in equations and conditions:
/// ```
/// use fastlsq_solve::{BoxDomain, LinearProblem, WALLS, X, Y, div, grad, laplacian, unknowns, vector};
/// // Stokes flow, driven by a force along x.
/// let [u, v, p] = unknowns(["u", "v", "p"]);
/// let stokes = LinearProblem::on(BoxDomain::unit(2))
///     .equation(-laplacian([u, v]) + grad(p), Y * vector([1.0, 0.0]))
///     .equation(div([u, v]), 0.0)
///     .condition(WALLS, [u, v], 0.0);
/// # let _ = stokes;
/// ```
#[derive(Debug, Clone)]
pub struct LinearProblem {
    statement: ProblemStatement,
}

impl LinearProblem {
    /// A problem on this domain.
    pub fn on(domain: impl Domain + 'static) -> Self {
        Self::of(ProblemStatement::on(Arc::new(domain)))
    }

    /// As [`on`](Self::on), for a domain that is already shared.
    #[must_use]
    pub fn on_shared(domain: Arc<dyn Domain>) -> Self {
        Self::of(ProblemStatement::on(domain))
    }

    /// The problem with this statement.
    #[must_use]
    pub fn of(statement: ProblemStatement) -> Self {
        Self { statement }
    }

    /// Regression: a function with these values at these points (one row per point).
    ///
    /// # Errors
    /// No points, or points that do not span a box.
    pub fn fit(points: ArrayView2<'_, f64>, values: &[f64]) -> Result<Self, SolveError> {
        ProblemStatement::fit(points, values).map(Self::of)
    }

    crate::stating_methods!();

    /// p + iq, the complex amplitude of waves p cos ωt + q sin ωt, leaves the obstacle: r^{1/2}(∂ᵣ − ik)(p + iq) → 0 far away.
    /// On the [outside of an obstacle](crate::DomainExt::exterior), where Δp + k²p = 0 and the same for q, such a pair is made
    /// of Hankel functions.
    ///
    /// ```
    /// use fastlsq_solve::{Ball, BoundingBox, DomainExt, LinearProblem, WALLS, X, cos, laplacian, sin, unknowns};
    /// // A plane wave e^{ikx} hits a disc that lets no pressure arise: the scattered wave is its negative there.
    /// let (k, [p, q]) = (3.0, unknowns(["p", "q"]));
    /// let plane = Ball::unit(2).exterior(&BoundingBox::new(&[-3.0, -3.0], &[3.0, 3.0])?)?;
    /// let scattered = LinearProblem::on(plane)
    ///     .equation(laplacian(p) + k * k * p, 0.0)
    ///     .equation(laplacian(q) + k * k * q, 0.0)
    ///     .condition(WALLS, p, -cos(k * X))
    ///     .condition(WALLS, q, -sin(k * X))
    ///     .outgoing(p, q)
    ///     .solve()?;
    /// assert!((scattered.at(p, &[-1.0, 0.0])? + 3.0_f64.cos()).abs() < 1e-9);
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    #[must_use]
    pub fn outgoing(
        mut self,
        real: impl Into<fastlsq_ops::Unknown>,
        imaginary: impl Into<fastlsq_ops::Unknown>,
    ) -> Self {
        self.statement.outgoing(real.into(), imaginary.into());
        self
    }

    /// Solves with everything chosen automatically.
    ///
    /// # Errors
    /// What cannot be answered: see [`SolveError`]. A tolerance that was not reached is not an error;
    /// the report says so.
    pub fn solve(&self) -> Result<Solution, SolveError> {
        self.solve_with(&Options::new())
    }

    /// Solves with these options; what they leave open is chosen automatically.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_with(&self, options: &Options) -> Result<Solution, SolveError> {
        crate::search::solve(&self.statement.linear()?, options)
    }

    /// For the problem's own data, makes the choices that the options leave open, then assembles and
    /// factors once: any other data cost one product (the paper's matrix cache).
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn factor_with(&self, options: &Options) -> Result<FactoredProblem, SolveError> {
        crate::search::factor(&self.statement.linear()?, options)
    }
}
