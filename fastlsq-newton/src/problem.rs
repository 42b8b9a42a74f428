//! Stating a nonlinear problem, and making it concrete.

use std::sync::Arc;

use fastlsq_solve::search::Features;
use fastlsq_solve::{
    ConcreteProblem, Domain, EquationRow, Field, Parameter, ProblemStatement, SolveError, Statement,
};

use crate::NewtonError;
use crate::evolution::Evolution;
use crate::options::NewtonOptions;
use crate::residual::Residual;
use crate::solution::NonlinearSolution;

/// A nonlinear boundary-value or initial-value problem.
///
/// It is stated as a [`LinearProblem`](fastlsq_solve::LinearProblem) is, by the same methods; one that is linear after
/// all costs one solve.
///
/// ```
/// use std::f64::consts::PI;
/// use fastlsq_newton::{BoxDomain, NonlinearProblem, X, Y, laplacian, sin, unknown};
/// // −Δu + u³ = f on the unit square, u = 0 on its boundary.
/// let u = unknown("u");
/// let exact = sin(PI * X) * sin(PI * Y);
/// let solution = NonlinearProblem::on(BoxDomain::unit(2))
///     .equation(-laplacian(u) + u.powi(3), -laplacian(&exact) + exact.powi(3))
///     .dirichlet(0.0)
///     .solve()?;
/// let value = solution.value(&[0.3, 0.6])?;
/// assert!((value - (0.3 * PI).sin() * (0.6 * PI).sin()).abs() < 1e-12);
/// # Ok::<(), fastlsq_newton::NewtonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct NonlinearProblem {
    statement: ProblemStatement,
}

impl NonlinearProblem {
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

    fastlsq_solve::stating_methods!();

    /// Solves with everything chosen automatically: in time, step by step, if it is an
    /// [evolution](crate::evolution); otherwise, or if options ask for features, in one sum of
    /// waves.
    ///
    /// # Errors
    /// What cannot be answered: see [`NewtonError`]. An iteration that does not converge is not an
    /// error; the report says so.
    pub fn solve(&self) -> Result<NonlinearSolution, NewtonError> {
        self.solve_with(&NewtonOptions::new())
    }

    /// Solves with these options; what they leave open is chosen automatically.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_with(&self, options: &NewtonOptions) -> Result<NonlinearSolution, NewtonError> {
        crate::search::solve(self, options)
    }

    /// Evolves the problem in time, or says why it is no [evolution](crate::evolution).
    ///
    /// # Errors
    /// [`NewtonError::NoEvolution`], and as [`solve`](Self::solve).
    pub fn evolve_with(&self, options: &NewtonOptions) -> Result<NonlinearSolution, NewtonError> {
        let concrete = Concrete::new(self, None)?;
        options.solve.validate(&concrete.frame)?;
        let evolution = Evolution::recognise(&self.statement.concrete(&[])?)
            .map_err(|reason| NewtonError::NoEvolution { reason })?;
        self.evolved(&evolution, concrete.linear, &options.started())
    }

    /// The problem evolved in time.
    pub(crate) fn evolved(
        &self,
        evolution: &Evolution,
        linear: bool,
        options: &NewtonOptions,
    ) -> Result<NonlinearSolution, NewtonError> {
        let functions = (self.domain().coordinates(), self.unknowns());
        let (solution, report) = evolution.evolve(functions, options)?;
        let solution = solution.on_domain(self.statement.shared_domain())?;
        let first = solution.bases().first().cloned();
        let features = first
            .map(Features::Given)
            .ok_or(SolveError::NothingToSolve)?;
        Ok(NonlinearSolution::evolved(
            solution, features, linear, report,
        ))
    }

    /// The parameter that is moved: the one that was asked for, or the only one.
    pub(crate) fn moving(&self, asked: Option<Parameter>) -> Result<(Parameter, f64), NewtonError> {
        let known = self.statement.parameters();
        match (asked, known) {
            (Some(asked), _) => {
                let found = known.iter().find(|(own, _)| *own == asked);
                found.copied().ok_or(NewtonError::NoParameter)
            }
            (None, [only]) => Ok(*only),
            (None, []) => Err(NewtonError::NoParameter),
            (None, several) => Err(NewtonError::SeveralParameters {
                names: several.iter().map(|(own, _)| own.to_string()).collect(),
            }),
        }
    }
}

/// A nonlinear problem made concrete.
#[derive(Debug, Clone)]
pub(crate) struct Concrete {
    /// Rows and data of what is linear; the other blocks stand in it as rows without operators, so that points are sampled
    /// in one place.
    pub(crate) frame: ConcreteProblem,
    /// The residual of each block that is nonlinear or depends on the parameter that is moved.
    pub(crate) residuals: Vec<Option<Residual>>,
    /// The parameter that is moved, with its value.
    pub(crate) parameter: Option<(Parameter, f64)>,
    /// Whether every block is linear in the unknowns.
    pub(crate) linear: bool,
}

impl Concrete {
    /// The problem with one parameter free, or none.
    pub(crate) fn new(
        problem: &NonlinearProblem,
        parameter: Option<(Parameter, f64)>,
    ) -> Result<Self, NewtonError> {
        if problem.statement.equations().is_empty() {
            return Err(NewtonError::NoEquation);
        }
        let free: Vec<Parameter> = parameter.iter().map(|(own, _)| *own).collect();
        let mut frame = problem.statement.concrete(&free)?;
        let mut residuals = Vec::new();
        let mut linear = true;
        let mut take =
            |label: &str, operator: &mut EquationRow, data: &mut Field, own: &Statement| {
                linear &= own.is_linear();
                let moves = !own.is_linear() || own.has_free_parameters();
                if moves {
                    *operator = EquationRow::zero(own.unknowns());
                    *data = Field::constant(0.0);
                }
                residuals.push(moves.then(|| Residual::new(label, own.residual())));
            };
        for equation in &mut frame.equations {
            let (operator, source) = (&mut equation.operator, &mut equation.source);
            take(&equation.label, operator, source, &equation.statement);
        }
        for condition in &mut frame.conditions {
            let (operator, data) = (&mut condition.operator, &mut condition.data);
            take(&condition.label, operator, data, &condition.statement);
        }
        Ok(Self {
            frame,
            residuals,
            parameter,
            linear,
        })
    }

    /// The value of the parameter that is moved.
    pub(crate) fn value(&self) -> f64 {
        self.parameter.map_or(0.0, |(_, value)| value)
    }
}
