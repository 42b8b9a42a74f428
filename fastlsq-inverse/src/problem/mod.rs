//! Stating an inverse problem: equations and conditions with parameters in them, what is sought, what
//! was measured.

mod observations;
mod sought;

use std::sync::Arc;

use fastlsq_solve::{Control, Domain, LinearProblem, Options, Parameter, ProblemStatement};

pub use observations::Observations;
pub use sought::Sought;

pub(crate) use observations::{Observed, observe};
pub(crate) use sought::feasible;

use crate::InverseError;
use crate::engine::Prepared;
use crate::fit::{Fit, FitOptions};
use crate::statistics::Identifiability;

/// A linear problem with unknown numbers in it, and observations of its solution.
///
/// It is stated like any other problem; parameters may stand in equations, coefficients, sources and
/// conditions alike, as long as everything is linear in the unknown functions. All derivatives with respect to the
/// parameters follow from the statement.
///
/// ```
/// use fastlsq_inverse::{BoxDomain, InverseProblem, Observations, Options, Sought};
/// use fastlsq_inverse::{X, laplacian, parameter, unknown};
/// use ndarray::array;
///
/// // −u″ = q, u(0) = 0, u(1) = g: which q and g explain u(¼) = 0.4 and u(¾) = 0.6?
/// let (u, q, g) = (unknown("u"), parameter("q"), parameter("g"));
/// let fit = InverseProblem::on(BoxDomain::unit(1))
///     .equation(-laplacian(u), q)
///     .dirichlet(g * X)
///     .find(Sought::new(q, 1.0))
///     .find(Sought::new(g, 0.0))
///     .observe(Observations::of(u, array![[0.25], [0.75]], &[0.4, 0.6]).deviation(0.01))
///     .options(Options::new().features(40).bandwidth(2.0))
///     .fit()?;
/// // u = g x + q x (1 − x)/2
/// assert!((fit.parameters[0] - 3.2).abs() < 1e-6 && (fit.parameters[1] - 0.4).abs() < 1e-6);
/// # Ok::<(), fastlsq_inverse::InverseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct InverseProblem {
    statement: ProblemStatement,
    pub(crate) sought: Vec<Sought>,
    pub(crate) observations: Vec<Observations>,
    pub(crate) options: Options,
}

impl InverseProblem {
    /// A problem on this domain.
    pub fn on(domain: impl Domain + 'static) -> Self {
        Self::of(ProblemStatement::on(Arc::new(domain)))
    }

    /// As [`on`](Self::on), for a domain that is already shared.
    #[must_use]
    pub fn on_shared(domain: Arc<dyn Domain>) -> Self {
        Self::of(ProblemStatement::on(domain))
    }

    /// The problem with this statement: that of a [`LinearProblem`] with parameters, for instance.
    #[must_use]
    pub fn of(statement: ProblemStatement) -> Self {
        Self {
            statement,
            sought: Vec::new(),
            observations: Vec::new(),
            options: Options::new(),
        }
    }

    fastlsq_solve::stating_methods!();

    /// Adds a parameter that is to be found; their order is that of all results.
    #[must_use]
    pub fn find(mut self, sought: Sought) -> Self {
        self.sought.push(sought);
        self
    }

    /// Adds observations.
    #[must_use]
    pub fn observe(mut self, observations: Observations) -> Self {
        self.observations.push(observations);
        self
    }

    /// How the forward problem is discretised (default: chosen automatically at the start).
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    fastlsq_solve::limit_setters!(options);

    /// Time limit, memory limit and progress callback.
    #[must_use]
    pub fn control(&self) -> &Control {
        self.options.control()
    }

    /// The problem of a call that begins now: its parts share one deadline.
    fn started(&self) -> Self {
        Self {
            options: self.options.started(),
            ..self.clone()
        }
    }

    /// What is sought.
    #[must_use]
    pub fn sought(&self) -> &[Sought] {
        &self.sought
    }

    /// The parameters that are sought.
    pub(crate) fn free(&self) -> Vec<Parameter> {
        self.sought.iter().map(|sought| sought.parameter).collect()
    }

    /// Discretises and, where the operator does not depend on the parameters, factors: once for any
    /// number of evaluations, fits and sets of measured values.
    ///
    /// # Errors
    /// Whatever makes the problem unanswerable: see [`InverseError`].
    pub fn prepare(&self) -> Result<Prepared, InverseError> {
        Prepared::new(self.clone())
    }

    /// What the observations can tell about the parameters, seen from the start, before any fit.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn identifiability(&self) -> Result<Identifiability, InverseError> {
        self.started().prepare()?.identifiability()
    }

    /// The parameters that explain the observations best.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); a fit that has not converged is not an error.
    pub fn fit(&self) -> Result<Fit, InverseError> {
        self.started().prepare()?.fit()
    }

    /// As [`fit`](Self::fit), with another method, several starts or other limits.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_with(&self, options: &FitOptions) -> Result<Fit, InverseError> {
        self.started().prepare()?.fit_with(options)
    }

    /// The linear problem for given values of what is sought, to be solved by itself. Parameters
    /// without a value are an error when it is solved.
    #[must_use]
    pub fn forward_at(&self, parameters: &[f64]) -> LinearProblem {
        let mut statement = self.statement.clone();
        for (sought, value) in self.sought.iter().zip(parameters) {
            statement.parameter(sought.parameter, *value);
        }
        LinearProblem::of(statement)
    }

    /// Checks what is sought against the statement.
    pub(crate) fn validate(&self) -> Result<(), InverseError> {
        let occurring = self.statement.free_parameters();
        for (index, sought) in self.sought.iter().enumerate() {
            let name = || sought.name().to_owned();
            let same = |other: &Sought| other.parameter == sought.parameter;
            if self.sought.iter().take(index).any(same) {
                return Err(InverseError::SoughtTwice { name: name() });
            }
            let given = self.statement.parameters().iter();
            if let Some((_, value)) = given.copied().find(|(own, _)| *own == sought.parameter) {
                let name = name();
                return Err(InverseError::GivenAndSought { name, value });
            }
            if !occurring.contains(&sought.parameter) {
                return Err(InverseError::NothingDepends { name: name() });
            }
        }
        Ok(())
    }
}
