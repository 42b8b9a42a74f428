//! Stating an inverse problem: a linear problem, what of it depends on the parameters, what was
//! measured.

mod dependence;
mod observations;
mod parameter;

use fastlsq_solve::{EquationRow, Field, LinearProblem, Options};

pub use dependence::ParameterFunction;
pub use observations::Observations;
pub use parameter::Parameter;

pub(crate) use dependence::{DataDependence, Function, Samples, TermDependence};
pub(crate) use parameter::feasible;

use crate::InverseError;
use crate::engine::Prepared;
use crate::fit::{Fit, FitOptions};
use crate::statistics::Identifiability;

/// A linear problem with K unknown numbers in it, and observations of its solution.
///
/// What depends on the parameters is written as closures over dual numbers, which look like any
/// other formula; all derivatives follow from them.
///
/// ```
/// use fastlsq_inverse::{BoxDomain, InverseProblem, LinearProblem, Observations, Options, Parameter};
/// use fastlsq_inverse::laplacian;
/// use ndarray::array;
///
/// // −u″ = q, u(0) = 0, u(1) = g: which q and g explain u(¼) = 0.4 and u(¾) = 0.6?
/// let line = LinearProblem::on(BoxDomain::unit(1))
///     .equation(-laplacian(1), |_| 0.0)
///     .dirichlet(|_| 0.0);
/// let parameters = [Parameter::new("q", 1.0), Parameter::new("g", 0.0)];
/// let fit = InverseProblem::of(line, parameters)
///     .source(0, |_, p| p[0])
///     .data("walls", |x, p| x[0] * p[1])
///     .observe(Observations::of_values(array![[0.25], [0.75]], &[0.4, 0.6]).deviation(0.01))
///     .options(Options::new().features(40).bandwidth(2.0))
///     .fit()?;
/// // u = g x + q x (1 − x)/2
/// assert!((fit.parameters[0] - 3.2).abs() < 1e-6 && (fit.parameters[1] - 0.4).abs() < 1e-6);
/// # Ok::<(), fastlsq_inverse::InverseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct InverseProblem<const K: usize> {
    pub(crate) forward: LinearProblem,
    pub(crate) parameters: [Parameter; K],
    pub(crate) data: Vec<DataDependence<K>>,
    pub(crate) terms: Vec<TermDependence<K>>,
    pub(crate) observations: Vec<Observations>,
    pub(crate) options: Options,
}

impl<const K: usize> InverseProblem<K> {
    /// The problem of finding these parameters of a linear problem.
    ///
    /// The linear problem is stated as usual; what the parameters determine is then replaced or added
    /// by [`source`](Self::source), [`data`](Self::data) and [`term`](Self::term).
    #[must_use]
    pub fn of(forward: LinearProblem, parameters: [Parameter; K]) -> Self {
        Self {
            forward,
            parameters,
            data: Vec::new(),
            terms: Vec::new(),
            observations: Vec::new(),
            options: Options::new(),
        }
    }

    /// The source f(x; θ) of an equation, numbered from 0, in place of the one stated.
    #[must_use]
    pub fn source(self, equation: usize, function: impl ParameterFunction<K>) -> Self {
        let label = equation_label(equation);
        self.data(&label, function)
    }

    /// The data g(x; θ) of the condition (or equation) with this label, in place of those stated.
    #[must_use]
    pub fn data(mut self, label: &str, function: impl ParameterFunction<K>) -> Self {
        self.data.retain(|other| other.label != label);
        self.data.push(DataDependence {
            label: label.to_owned(),
            function: Function::new(function),
        });
        self
    }

    /// A further term c(x; θ) T u on the left of an equation, numbered from 0.
    #[must_use]
    pub fn term(
        self,
        equation: usize,
        operator: impl Into<EquationRow>,
        coefficient: impl ParameterFunction<K>,
    ) -> Self {
        let label = equation_label(equation);
        self.term_in(&label, operator, coefficient)
    }

    /// A further term c(x; θ) T u on the left of the condition (or equation) with this label.
    #[must_use]
    pub fn term_in(
        mut self,
        label: &str,
        operator: impl Into<EquationRow>,
        coefficient: impl ParameterFunction<K>,
    ) -> Self {
        self.terms.push(TermDependence {
            label: label.to_owned(),
            operator: operator.into(),
            coefficient: Function::new(coefficient),
        });
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

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter; K] {
        &self.parameters
    }

    /// Discretises and, where the operator does not depend on the parameters, factors: once for any
    /// number of evaluations, fits and sets of measured values.
    ///
    /// # Errors
    /// Whatever makes the problem unanswerable: see [`InverseError`].
    pub fn prepare(&self) -> Result<Prepared<K>, InverseError> {
        Prepared::new(self.clone())
    }

    /// What the observations can tell about the parameters, seen from the start, before any fit.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn identifiability(&self) -> Result<Identifiability, InverseError> {
        self.prepare()?.identifiability()
    }

    /// The parameters that explain the observations best.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); a fit that has not converged is no error.
    pub fn fit(&self) -> Result<Fit<K>, InverseError> {
        self.prepare()?.fit()
    }

    /// As [`fit`](Self::fit), with another method, several starts or other limits.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_with(&self, options: &FitOptions) -> Result<Fit<K>, InverseError> {
        self.prepare()?.fit_with(options)
    }

    /// The linear problem for given parameters, to be solved by itself.
    #[must_use]
    pub fn forward_at(&self, parameters: &[f64; K]) -> LinearProblem {
        let parameters = *parameters;
        let mut problem = self.forward.clone();
        for data in &self.data {
            let function = data.function.clone();
            problem = problem.with_data(&data.label, move |x| function.at(x, &parameters));
        }
        for term in &self.terms {
            let function = term.coefficient.clone();
            let field = Field::new("c", move |x| function.at(x, &parameters));
            problem = problem.with_term(&term.label, &field * &term.operator);
        }
        problem
    }
}

fn equation_label(equation: usize) -> String {
    format!("equation {}", equation.saturating_add(1))
}
