//! Stating a linear problem: domain, equations, conditions.

mod change;
mod condition;

use std::sync::Arc;

use fastlsq_ops::{EquationRow, Operator, identity, normal_derivative, partial_order};
use ndarray::{Array2, ArrayView2};

pub use condition::{Condition, Imposition, Place};

use crate::SolveError;
use crate::data::{Data, PointFunction};
use crate::domain::{BoxDomain, Domain, PartSelector};
use crate::factored::FactoredProblem;
use crate::options::Options;
use crate::solution::Solution;

/// One equation L u = f in the interior.
#[derive(Debug, Clone)]
pub(crate) struct Equation {
    pub(crate) label: String,
    pub(crate) operator: EquationRow,
    pub(crate) source: Data,
}

/// A linear boundary-value, initial-value or fitting problem.
///
/// ```
/// use std::f64::consts::PI;
/// use fastlsq_solve::{BoxDomain, LinearProblem, laplacian};
/// // −Δu = f on the unit square, u = 0 on its boundary.
/// let u = LinearProblem::on(BoxDomain::unit(2))
///     .equation(-laplacian(2), |x| 2.0 * PI * PI * (PI * x[0]).sin() * (PI * x[1]).sin())
///     .dirichlet(|_| 0.0)
///     .solve()?;
/// assert!((u.value(&[0.5, 0.5])? - 1.0).abs() < 1e-10);
/// # Ok::<(), fastlsq_solve::SolveError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinearProblem {
    pub(crate) domain: Arc<dyn Domain>,
    pub(crate) unknowns: Vec<String>,
    pub(crate) equations: Vec<Equation>,
    pub(crate) conditions: Vec<Condition>,
    /// Axes with periodic conditions; how many derivatives must agree follows from the equations.
    periodic: Vec<usize>,
    /// A mistake made while stating the problem; it surfaces when the problem is solved.
    pub(crate) mistake: Option<SolveError>,
}

impl LinearProblem {
    /// A problem for one unknown u on this domain.
    pub fn on(domain: impl Domain + 'static) -> Self {
        Self::on_shared(Arc::new(domain))
    }

    /// As [`on`](Self::on), for a domain that is already shared.
    #[must_use]
    pub fn on_shared(domain: Arc<dyn Domain>) -> Self {
        Self {
            domain,
            unknowns: vec!["u".to_owned()],
            equations: Vec::new(),
            conditions: Vec::new(),
            periodic: Vec::new(),
            mistake: None,
        }
    }

    /// A problem that could not be stated; solving it returns this error.
    pub(crate) fn mistaken(error: SolveError) -> Self {
        let mut problem = Self::on(BoxDomain::unit(1));
        problem.mistake = Some(error);
        problem
    }

    /// Regression: a function with these values at these points (one row a point).
    ///
    /// # Errors
    /// No points, or points that do not span a box.
    pub fn fit(points: ArrayView2<'_, f64>, values: &[f64]) -> Result<Self, SolveError> {
        let lo = points.fold_axis(ndarray::Axis(0), f64::INFINITY, |a, b| a.min(*b));
        let hi = points.fold_axis(ndarray::Axis(0), f64::NEG_INFINITY, |a, b| a.max(*b));
        let domain = BoxDomain::new(&lo.to_vec(), &hi.to_vec())?;
        Ok(Self::on(domain).data(points.to_owned(), values))
    }

    /// Names the unknowns of a system; operators are then placed with
    /// [`Operator::on`](fastlsq_ops::Operator::on).
    #[must_use]
    pub fn unknowns(mut self, names: &[&str]) -> Self {
        self.unknowns = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Adds the equation L u = f in the interior.
    #[must_use]
    pub fn equation(
        mut self,
        operator: impl Into<EquationRow>,
        source: impl PointFunction,
    ) -> Self {
        let label = format!("equation {}", self.equations.len() + 1);
        self.equations.push(Equation {
            label,
            operator: operator.into(),
            source: Data::new(source),
        });
        self
    }

    /// Adds any condition.
    #[must_use]
    pub fn with(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// B u = g on a part of the boundary.
    #[must_use]
    pub fn condition(
        self,
        part: PartSelector,
        operator: impl Into<EquationRow>,
        data: impl PointFunction,
    ) -> Self {
        self.with(Condition::on(part, operator, data))
    }

    /// u = g on all walls.
    #[must_use]
    pub fn dirichlet(self, data: impl PointFunction) -> Self {
        let operator = self.only_unknown(&identity(self.domain.dim()));
        self.condition(PartSelector::AllWalls, operator, data)
    }

    /// u = g on one named part of the boundary.
    #[must_use]
    pub fn dirichlet_on(self, part: &str, data: impl PointFunction) -> Self {
        let operator = self.only_unknown(&identity(self.domain.dim()));
        self.condition(PartSelector::Named(part.to_owned()), operator, data)
    }

    /// u_k = g on all walls, for one unknown of a system.
    #[must_use]
    pub fn dirichlet_for(mut self, unknown: &str, data: impl PointFunction) -> Self {
        let operator = self.place(unknown, &identity(self.domain.dim()));
        self.with(
            Condition::on(PartSelector::AllWalls, operator, data).named(format!("walls {unknown}")),
        )
    }

    /// ∂u/∂n = g on all walls.
    #[must_use]
    pub fn neumann(self, data: impl PointFunction) -> Self {
        let operator = self.only_unknown(&normal_derivative(self.domain.dim()));
        self.condition(PartSelector::AllWalls, operator, data)
    }

    /// ∂u/∂n = g on one named part of the boundary.
    #[must_use]
    pub fn neumann_on(self, part: &str, data: impl PointFunction) -> Self {
        let operator = self.only_unknown(&normal_derivative(self.domain.dim()));
        self.condition(PartSelector::Named(part.to_owned()), operator, data)
    }

    /// a u + b ∂u/∂n = g on all walls.
    #[must_use]
    pub fn robin(self, a: f64, b: f64, data: impl PointFunction) -> Self {
        let dim = self.domain.dim();
        let operator = self.only_unknown(&(a * identity(dim) + b * normal_derivative(dim)));
        self.condition(PartSelector::AllWalls, operator, data)
    }

    /// u = g at the initial time of a space-time domain.
    #[must_use]
    pub fn initial_value(self, data: impl PointFunction) -> Self {
        let operator = self.only_unknown(&identity(self.domain.dim()));
        self.condition(PartSelector::Initial, operator, data)
    }

    /// ∂u/∂t = g at the initial time of a space-time domain.
    #[must_use]
    pub fn initial_velocity(self, data: impl PointFunction) -> Self {
        let operator = self.only_unknown(&time_derivative(self.domain.dim()));
        self.with(Condition::on(PartSelector::Initial, operator, data).named("initial velocity"))
    }

    /// u_k = g at the initial time, for one unknown of a system.
    #[must_use]
    pub fn initial_value_for(mut self, unknown: &str, data: impl PointFunction) -> Self {
        let operator = self.place(unknown, &identity(self.domain.dim()));
        self.with(
            Condition::on(PartSelector::Initial, operator, data)
                .named(format!("initial {unknown}")),
        )
    }

    /// ∂u_k/∂t = g at the initial time, for one unknown of a system.
    #[must_use]
    pub fn initial_velocity_for(mut self, unknown: &str, data: impl PointFunction) -> Self {
        let operator = self.place(unknown, &time_derivative(self.domain.dim()));
        self.with(
            Condition::on(PartSelector::Initial, operator, data)
                .named(format!("initial velocity {unknown}")),
        )
    }

    /// u and its derivatives across the axis, up to one order less than the equation's, agree on
    /// opposite faces.
    #[must_use]
    pub fn periodic(mut self, axis: usize) -> Self {
        self.periodic.push(axis);
        self
    }

    /// The problem with its periodic axes spelt out as conditions.
    pub(crate) fn expanded(&self) -> Self {
        let mut problem = self.clone();
        let (dim, unknowns) = (self.domain.dim(), self.unknowns.len());
        let orders = self.equations.iter().map(|e| e.operator.order());
        let order = orders.max().unwrap_or(1).max(1);
        for axis in std::mem::take(&mut problem.periodic) {
            for (index, unknown) in self.unknowns.iter().enumerate() {
                for n in 0..order {
                    let operator = partial_order(dim, axis, n).on(index, unknowns);
                    let label = format!("periodic x{axis} {unknown} order {n}");
                    let condition = Condition::opposite(axis, operator).named(label);
                    problem.conditions.push(condition);
                }
            }
        }
        problem
    }

    /// u(xᵢ) = vᵢ at given points (one row a point): data fitting, alone or beside an equation.
    #[must_use]
    pub fn data(self, points: Array2<f64>, values: &[f64]) -> Self {
        let operator = self.only_unknown(&identity(points.ncols()));
        self.with(Condition::at(points, operator, values))
    }

    /// The same problem on another domain.
    #[must_use]
    pub fn moved_to(mut self, domain: Arc<dyn Domain>) -> Self {
        self.domain = domain;
        self
    }

    /// How many equations there are; their blocks come before those of the conditions.
    #[must_use]
    pub fn equation_count(&self) -> usize {
        self.equations.len()
    }

    /// The conditions, in the order of their blocks.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The conditions, to be changed.
    pub fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    /// The domain, shared.
    #[must_use]
    pub fn shared_domain(&self) -> Arc<dyn Domain> {
        self.domain.clone()
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &dyn Domain {
        self.domain.as_ref()
    }

    /// The names of the unknowns.
    #[must_use]
    pub fn unknown_names(&self) -> &[String] {
        &self.unknowns
    }

    /// Solves with everything chosen automatically.
    ///
    /// # Errors
    /// What cannot be answered: see [`SolveError`]. A tolerance that was not reached is no error;
    /// the report says so.
    pub fn solve(&self) -> Result<Solution, SolveError> {
        self.solve_with(&Options::new())
    }

    /// Solves with these options; what they leave open is chosen automatically.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_with(&self, options: &Options) -> Result<Solution, SolveError> {
        crate::auto::solve(self, options)
    }

    /// Makes the choices that the options leave open for the problem's own data, then assembles and
    /// factors once: any other data cost one product (the paper's matrix cache).
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn factor_with(&self, options: &Options) -> Result<FactoredProblem, SolveError> {
        crate::auto::factor(self, options)
    }

    /// The operator as a row for a problem with one unknown (the first, where there are several).
    fn only_unknown(&self, operator: &Operator) -> EquationRow {
        operator.on(0, self.unknowns.len())
    }

    /// The operator placed on a named unknown; a wrong name is kept as the problem's mistake.
    fn place(&mut self, unknown: &str, operator: &Operator) -> EquationRow {
        let index = self.unknowns.iter().position(|name| name == unknown);
        if index.is_none() && self.mistake.is_none() {
            self.mistake = Some(SolveError::Unknown {
                name: unknown.to_owned(),
                known: self.unknowns.clone(),
            });
        }
        operator.on(index.unwrap_or(0), self.unknowns.len())
    }
}

/// ∂/∂t, where time is the last axis.
fn time_derivative(dim: usize) -> Operator {
    partial_order(dim, dim.saturating_sub(1), 1)
}
