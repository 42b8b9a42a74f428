//! The statement of a problem: domain, equations, conditions, parameters. The same for all kinds of problems.

use std::sync::Arc;

use fastlsq_ops::{Coordinate, Expr, Parameter, Unknown, unknown};
use ndarray::{Array2, ArrayView2};

use super::condition::{Condition, Left, Place, Trace};
use crate::SolveError;
use crate::domain::Motion;
use crate::domain::{BoxDomain, Domain, PartSelector};

/// One equation, left = right in the interior.
#[derive(Debug, Clone)]
pub(crate) struct Equation {
    pub(crate) label: String,
    pub(crate) left: Expr,
    pub(crate) right: Expr,
    /// The region where it holds, if not everywhere.
    pub(crate) region: Option<String>,
}

/// What a problem says, before anything is made of it.
///
/// [`LinearProblem`](crate::LinearProblem) and the nonlinear and inverse problems of other crates are
/// stated by the same methods, which are documented there.
#[derive(Debug, Clone)]
pub struct ProblemStatement {
    pub(crate) domain: Arc<dyn Domain>,
    pub(crate) equations: Vec<Equation>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) periodic: Vec<Coordinate>,
    /// Parts whose values and slopes are those of their images.
    pub(crate) identified: Vec<(PartSelector, Motion)>,
    /// Real and imaginary parts of waves that leave their obstacle.
    pub(crate) outgoing: Vec<[Unknown; 2]>,
    pub(crate) parameters: Vec<(Parameter, f64)>,
    /// A domain that could not be made; it surfaces when the problem is solved.
    pub(crate) mistake: Option<SolveError>,
}

impl ProblemStatement {
    /// Nothing yet, on this domain.
    #[must_use]
    pub fn on(domain: Arc<dyn Domain>) -> Self {
        Self {
            domain,
            equations: Vec::new(),
            conditions: Vec::new(),
            periodic: Vec::new(),
            identified: Vec::new(),
            outgoing: Vec::new(),
            parameters: Vec::new(),
            mistake: None,
        }
    }

    /// On a domain that may have failed to be made; solving then returns the reason.
    pub fn on_result(domain: Result<Arc<dyn Domain>, SolveError>) -> Self {
        match domain {
            Ok(domain) => Self::on(domain),
            Err(error) => Self {
                mistake: Some(error),
                ..Self::on(Arc::new(BoxDomain::unit(1)))
            },
        }
    }

    /// The box around points, with their values as data.
    ///
    /// # Errors
    /// No points, or points that do not span a box.
    pub fn fit(points: ArrayView2<'_, f64>, values: &[f64]) -> Result<Self, SolveError> {
        let lo = points.fold_axis(ndarray::Axis(0), f64::INFINITY, |a, b| a.min(*b));
        let hi = points.fold_axis(ndarray::Axis(0), f64::NEG_INFINITY, |a, b| a.max(*b));
        let domain = BoxDomain::new(&lo.to_vec(), &hi.to_vec())?;
        let mut statement = Self::on(Arc::new(domain));
        statement.data(points.to_owned(), values);
        Ok(statement)
    }

    /// Adds the equation left = right.
    pub fn equation(&mut self, left: Expr, right: Expr) {
        self.equation_of(None, left, right);
    }

    /// Adds the equation left = right in one of the regions of the domain.
    pub fn equation_in(&mut self, region: &str, left: Expr, right: Expr) {
        self.equation_of(Some(region.to_owned()), left, right);
    }

    fn equation_of(&mut self, region: Option<String>, left: Expr, right: Expr) {
        let number = self.equations.len() + 1;
        let label = match &region {
            Some(region) => format!("equation {number} ({region})"),
            None => format!("equation {number}"),
        };
        self.equations.push(Equation {
            label,
            left,
            right,
            region,
        });
    }

    /// Adds a condition.
    pub fn with(&mut self, condition: Condition) {
        self.conditions.push(condition);
    }

    fn trace(&mut self, part: PartSelector, trace: Trace, right: Expr) {
        let left = Left::OnlyUnknown(trace);
        self.with(Condition::new(Place::Part(part), left, right));
    }

    /// Adds u = g on all walls.
    pub fn dirichlet(&mut self, right: Expr) {
        self.trace(PartSelector::AllWalls, Trace::Value, right);
    }

    /// Adds ∂u/∂n = g on all walls.
    pub fn neumann(&mut self, right: Expr) {
        self.trace(PartSelector::AllWalls, Trace::NormalDerivative, right);
    }

    /// Adds a u + b ∂u/∂n = g on all walls.
    pub fn robin(&mut self, a: Expr, b: Expr, right: Expr) {
        self.trace(PartSelector::AllWalls, Trace::Mixed(a, b), right);
    }

    /// Adds u = g at the initial time.
    pub fn initial_value(&mut self, right: Expr) {
        self.trace(PartSelector::Initial, Trace::Value, right);
    }

    /// Adds ∂u/∂t = g at the initial time.
    pub fn initial_velocity(&mut self, right: Expr) {
        self.trace(PartSelector::Initial, Trace::TimeDerivative, right);
        if let Some(condition) = self.conditions.last_mut() {
            condition.label = Some("initial velocity".to_owned());
        }
    }

    /// Makes the unknowns periodic along a coordinate.
    pub fn periodic(&mut self, along: Coordinate) {
        self.periodic.push(along);
    }

    /// Makes the unknowns on a part of the boundary agree with those on its image.
    pub fn identify(&mut self, part: PartSelector, motion: Motion) {
        self.identified.push((part, motion));
    }

    /// Says that p + iq leaves the obstacle.
    pub fn outgoing(&mut self, real: Unknown, imaginary: Unknown) {
        self.outgoing.push([real, imaginary]);
    }

    /// Adds u(xᵢ) = vᵢ at given points.
    pub fn data(&mut self, points: Array2<f64>, values: &[f64]) {
        let place = Place::Points {
            points,
            values: values.to_vec(),
        };
        let left = Left::OnlyUnknown(Trace::Value);
        self.with(Condition::new(place, left, 0.0.into()));
    }

    /// Adds u = v at one point.
    pub fn value_at(&mut self, point: &[f64], value: f64) {
        self.with(Condition::value_at(point, value));
    }

    /// Adds: the mean of u over space is v.
    pub fn mean(&mut self, value: f64) {
        self.with(Condition::mean(value));
    }

    /// Gives a parameter its value, in place of any that it had.
    pub fn parameter(&mut self, parameter: Parameter, value: f64) {
        self.parameters.retain(|(own, _)| *own != parameter);
        self.parameters.push((parameter, value));
    }

    /// The same statement on another domain.
    pub fn move_to(&mut self, domain: Arc<dyn Domain>) {
        self.domain = domain;
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &dyn Domain {
        self.domain.as_ref()
    }

    /// The domain, shared.
    #[must_use]
    pub fn shared_domain(&self) -> Arc<dyn Domain> {
        self.domain.clone()
    }

    /// The equations, each as left − right.
    #[must_use]
    pub fn equations(&self) -> Vec<Expr> {
        let residual = |equation: &Equation| &equation.left - &equation.right;
        self.equations.iter().map(residual).collect()
    }

    /// The conditions.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The conditions, to be changed.
    pub fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    /// The parameters that have values.
    #[must_use]
    pub fn parameters(&self) -> &[(Parameter, f64)] {
        &self.parameters
    }

    /// The unknowns, in the order in which the equations name them; those of the conditions if there are no
    /// equations, and u if nothing names one.
    #[must_use]
    pub fn unknowns(&self) -> Vec<Unknown> {
        let mut found: Vec<Unknown> = Vec::new();
        let mut add = |expression: &Expr| {
            for unknown in expression.unknowns() {
                if !found.contains(&unknown) {
                    found.push(unknown);
                }
            }
        };
        for equation in &self.equations {
            add(&equation.left);
            add(&equation.right);
        }
        if self.equations.is_empty() {
            for condition in &self.conditions {
                if let Left::Expression(left) = &condition.left {
                    add(left);
                }
            }
        }
        if found.is_empty() {
            found.push(unknown("u"));
        }
        found
    }

    /// The parameters that occur anywhere, in the order in which they first do.
    #[must_use]
    pub fn free_parameters(&self) -> Vec<Parameter> {
        let mut found: Vec<Parameter> = Vec::new();
        let mut add = |expression: &Expr| {
            for parameter in expression.parameters() {
                if !found.contains(&parameter) {
                    found.push(parameter);
                }
            }
        };
        for equation in &self.equations {
            add(&equation.left);
            add(&equation.right);
        }
        for condition in &self.conditions {
            match &condition.left {
                Left::Expression(left) => add(left),
                Left::OnlyUnknown(Trace::Mixed(a, b)) => {
                    add(a);
                    add(b);
                }
                Left::OnlyUnknown(_) => {}
            }
            add(&condition.right);
        }
        found
    }
}

/// The methods that state a problem, the same for every kind: they go through the field `statement`.
#[doc(hidden)]
#[macro_export]
macro_rules! stating_methods {
    () => {
        /// Adds the equation left = right in the interior. Either side may be a number, an expression or a
        /// closure `|x: &[f64]| …`; an equation between vectors is one equation for each component.
        #[must_use]
        pub fn equation(
            mut self,
            left: impl Into<$crate::Expr>,
            right: impl Into<$crate::Expr>,
        ) -> Self {
            self.statement.equation(left.into(), right.into());
            self
        }

        /// Adds the equation left = right in one of the [regions]($crate::DomainExt::with_region) of the domain.
        ///
        /// An unknown all of whose equations hold in one region lives there: it has features of its own, and conditions
        /// on a part of the boundary speak of it where that part and its region meet. On the interface between two regions
        /// conditions tie their unknowns together. Outside of its region it is zero.
        #[must_use]
        pub fn equation_in(
            mut self,
            region: &str,
            left: impl Into<$crate::Expr>,
            right: impl Into<$crate::Expr>,
        ) -> Self {
            self.statement
                .equation_in(region, left.into(), right.into());
            self
        }

        /// Adds the condition left = right on a part of the boundary: a face (`X.lo()`), a named part, or
        /// [`WALLS`]($crate::WALLS), [`INITIAL`]($crate::INITIAL), [`FINAL`]($crate::FINAL).
        #[must_use]
        pub fn condition(
            mut self,
            part: impl Into<$crate::PartSelector>,
            left: impl Into<$crate::Expr>,
            right: impl Into<$crate::Expr>,
        ) -> Self {
            self.statement
                .with($crate::Condition::on(part, left, right));
            self
        }

        /// Adds a [`Condition`]($crate::Condition) with settings of its own: a weight, a number of rows, a
        /// name, values at points.
        #[must_use]
        pub fn with(mut self, condition: $crate::Condition) -> Self {
            self.statement.with(condition);
            self
        }

        /// u = g on all walls, for the only unknown.
        #[must_use]
        pub fn dirichlet(mut self, right: impl Into<$crate::Expr>) -> Self {
            self.statement.dirichlet(right.into());
            self
        }

        /// ∂u/∂n = g on all walls, for the only unknown.
        #[must_use]
        pub fn neumann(mut self, right: impl Into<$crate::Expr>) -> Self {
            self.statement.neumann(right.into());
            self
        }

        /// a u + b ∂u/∂n = g on all walls, for the only unknown.
        #[must_use]
        pub fn robin(
            mut self,
            a: impl Into<$crate::Expr>,
            b: impl Into<$crate::Expr>,
            right: impl Into<$crate::Expr>,
        ) -> Self {
            self.statement.robin(a.into(), b.into(), right.into());
            self
        }

        /// u = g at the initial time of a space-time domain, for the only unknown.
        #[must_use]
        pub fn initial_value(mut self, right: impl Into<$crate::Expr>) -> Self {
            self.statement.initial_value(right.into());
            self
        }

        /// ∂u/∂t = g at the initial time of a space-time domain, for the only unknown.
        #[must_use]
        pub fn initial_velocity(mut self, right: impl Into<$crate::Expr>) -> Self {
            self.statement.initial_velocity(right.into());
            self
        }

        /// All unknowns and their derivatives along the coordinate, up to one order less than the highest
        /// along it in the equations, agree on opposite faces.
        #[must_use]
        pub fn periodic(mut self, along: $crate::Coordinate) -> Self {
            self.statement.periodic(along);
            self
        }

        /// All unknowns, and their normal derivatives if an equation is of second order, are the same on a part of the
        /// boundary and on its image under a [`Motion`]($crate::Motion): two congruent parts are glued together.
        #[must_use]
        pub fn identified(
            mut self,
            part: impl Into<$crate::PartSelector>,
            motion: $crate::Motion,
        ) -> Self {
            self.statement.identify(part.into(), motion);
            self
        }

        /// u(xᵢ) = vᵢ at given points (one row per point), for the only unknown: data fitting, alone or
        /// beside an equation.
        #[must_use]
        pub fn data(mut self, points: $crate::ndarray::Array2<f64>, values: &[f64]) -> Self {
            self.statement.data(points, values);
            self
        }

        /// u = v at one point, for the only unknown: this fixes a solution that is determined up to a constant. In
        /// systems, and for other expressions, use [`Condition::value_at`]($crate::Condition::value_at).
        #[must_use]
        pub fn value_at(mut self, point: &[f64], value: f64) -> Self {
            self.statement.value_at(point, value);
            self
        }

        /// The mean of u over space is v (at all times, where there is time), for the only unknown: this fixes a solution
        /// that is determined up to a constant. In systems, and for other expressions, use
        /// [`Condition::mean`]($crate::Condition::mean).
        #[must_use]
        pub fn mean(mut self, value: f64) -> Self {
            self.statement.mean(value);
            self
        }

        /// Gives a parameter its value.
        #[must_use]
        pub fn parameter(mut self, parameter: impl Into<$crate::Parameter>, value: f64) -> Self {
            self.statement.parameter(parameter.into(), value);
            self
        }

        /// The same problem on another domain.
        #[must_use]
        pub fn moved_to(mut self, domain: std::sync::Arc<dyn $crate::Domain>) -> Self {
            self.statement.move_to(domain);
            self
        }

        /// What the problem says: equations, conditions, parameters.
        #[must_use]
        pub fn statement(&self) -> &$crate::ProblemStatement {
            &self.statement
        }

        /// What the problem says, to be changed.
        pub fn statement_mut(&mut self) -> &mut $crate::ProblemStatement {
            &mut self.statement
        }

        /// The domain.
        #[must_use]
        pub fn domain(&self) -> &dyn $crate::Domain {
            self.statement.domain()
        }

        /// The unknowns, in the order in which the equations name them.
        #[must_use]
        pub fn unknowns(&self) -> Vec<$crate::Unknown> {
            self.statement.unknowns()
        }
    };
}
