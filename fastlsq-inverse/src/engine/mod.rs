//! The engine: the solution as a function of the parameters, with exact derivatives.
//!
//! With weighted rows A(θ), data b(θ), coefficients β = argmin ‖Aβ − b‖² + μ‖β‖² and residual
//! ρ = b − Aβ,
//! ```text
//! dβ = G[Aᵀ(db − dA β) + dAᵀρ],   G = (AᵀA + μI)⁻¹,
//! ```
//! so for a functional with covector v = ∂J/∂β, one adjoint solve w = A G v (and, if the operator
//! depends on θ, one solve z = G v) gives the whole gradient, whatever the number of parameters:
//! ```text
//! dJ = wᵀ(db − dA β) + ρᵀ dA z.
//! ```
//! Conditions that hold exactly enter with their multipliers in the place of ρ. The dA are never
//! formed: terms c(x; θ) T contribute (∂c/∂θₖ)(xᵢ) (Tu)(xᵢ).

mod blocks;
mod evaluate;
mod misfit;

use std::sync::{Arc, Mutex};

use faer::Mat;
use fastlsq_solve::auto::HeldOut;
use fastlsq_solve::{Factored, LsqInfo, RowSource, Solution, Symmetry, System};

use crate::InverseError;
use crate::optimise::Bounds;
use crate::problem::{InverseProblem, feasible};
use blocks::Dependences;
use evaluate::State;

pub use evaluate::Linearisation;
pub(crate) use misfit::Scaled;

/// An inverse problem with its forward problem discretised: ready to be evaluated, differentiated and
/// fitted, again and again.
#[derive(Debug)]
pub struct Prepared<const K: usize> {
    pub(crate) problem: InverseProblem<K>,
    pub(crate) bounds: Bounds,
    /// The start, inside the box.
    pub(crate) start: [f64; K],
    /// Coordinates of the given start that lay outside.
    pub(crate) start_projected: Vec<usize>,
    /// Bases, points and weights, with the data of the start.
    system: System,
    dependences: Dependences<K>,
    /// The factors, if they are the same for all parameters.
    fixed: Option<Fixed>,
    /// Rows of the observations, one an observation.
    rows: Mat<f64>,
    values: Vec<f64>,
    deviations: Vec<f64>,
    /// Whether the deviations were given (or are to be estimated).
    noise_known: bool,
    report: fastlsq_solve::Report,
    names: Vec<String>,
    /// The last state of a problem whose operator depends on the parameters.
    last: Mutex<Option<Arc<State<K>>>>,
}

/// What is the same for all parameters if only the data depend on them.
#[derive(Debug)]
struct Fixed {
    factored: Box<dyn Factored>,
    /// Hᵀ carried through the adjoint, one column an observation, where that is the cheaper way.
    sensor_map: Option<Mat<f64>>,
}

impl<const K: usize> Prepared<K> {
    pub(crate) fn new(problem: InverseProblem<K>) -> Result<Self, InverseError> {
        let (bounds, start, start_projected) = feasible(&problem.parameters)?;
        let start: [f64; K] = std::array::from_fn(|k| start.get(k).copied().unwrap_or(0.0));
        if problem.data.is_empty() && problem.terms.is_empty() {
            return Err(InverseError::NothingDepends);
        }
        let domain = problem.forward.domain();
        let unknowns = problem.forward.unknown_names().len();
        for observations in &problem.observations {
            observations.validate(domain, unknowns)?;
        }
        if problem
            .observations
            .iter()
            .all(crate::Observations::is_empty)
        {
            return Err(InverseError::NoObservations);
        }

        // A symmetry of the start need not be one of the answer.
        let mut options = problem.options.clone();
        if options.symmetry == Symmetry::Detect {
            options.symmetry = Symmetry::Ignore;
        }
        let at_start = problem.forward_at(&start).factor_with(&options)?;
        let system = at_start.system().clone();
        let solution = at_start.solution();
        let (report, names) = (solution.report().clone(), solution.names().to_vec());
        let dependences = Dependences::new(&problem, &system)?;

        let bases = system.basis_refs();
        let count: usize = problem
            .observations
            .iter()
            .map(crate::Observations::len)
            .sum();
        let mut rows = Mat::zeros(count, system.ncols());
        let (mut values, mut deviations) = (Vec::new(), Vec::new());
        let mut noise_known = true;
        for observations in &problem.observations {
            let own = rows.as_mut().subrows_mut(values.len(), observations.len());
            observations
                .operator
                .assemble_into(&bases, observations.sites(), own)?;
            values.extend(&observations.values);
            match &observations.deviations {
                Some(sigmas) => deviations.extend(sigmas),
                None => {
                    noise_known = false;
                    deviations.extend(vec![1.0; observations.len()]);
                }
            }
        }
        let fixed = if problem.terms.is_empty() {
            let factored = at_start.into_factored();
            let sensor_map = if count <= system.ncols() {
                Some(factored.adjoint(rows.transpose().to_owned().as_ref())?)
            } else {
                None
            };
            Some(Fixed {
                factored,
                sensor_map,
            })
        } else {
            None
        };
        Ok(Self {
            problem,
            bounds,
            start,
            start_projected,
            system,
            dependences,
            fixed,
            rows,
            values,
            deviations,
            noise_known,
            report,
            names,
            last: Mutex::new(None),
        })
    }

    /// The same problem with other measured values (and the same points and deviations): another
    /// draw of the noise, another experiment. Nothing is factored again.
    ///
    /// # Errors
    /// Another number of values, or values that are not finite.
    pub fn with_values(mut self, values: &[f64]) -> Result<Self, InverseError> {
        self.set_values(values)?;
        Ok(self)
    }

    /// As [`with_values`](Self::with_values), in place.
    ///
    /// # Errors
    /// As [`with_values`](Self::with_values).
    pub fn set_values(&mut self, values: &[f64]) -> Result<(), InverseError> {
        if values.len() != self.values.len() {
            return Err(InverseError::Shape {
                label: "all observations".to_owned(),
                what: "values",
                expected: self.values.len(),
                found: values.len(),
            });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(InverseError::Observation {
                label: "all observations".to_owned(),
                index,
                what: "value",
                value: values[index],
                requirement: "it must be finite",
            });
        }
        self.values = values.to_vec();
        Ok(())
    }

    /// Other standard deviations for the measured values: with the [model error](crate::ModelError)
    /// added to the noise, for instance. Nothing is factored again.
    ///
    /// # Errors
    /// Another number of deviations, or deviations that are not positive and finite.
    pub fn set_deviations(&mut self, deviations: &[f64]) -> Result<(), InverseError> {
        if deviations.len() != self.deviations.len() {
            return Err(InverseError::Shape {
                label: "all observations".to_owned(),
                what: "deviations",
                expected: self.deviations.len(),
                found: deviations.len(),
            });
        }
        let unusable = |sigma: &f64| !(sigma.is_finite() && *sigma > 0.0);
        if let Some(index) = deviations.iter().position(unusable) {
            return Err(InverseError::Observation {
                label: "all observations".to_owned(),
                index,
                what: "deviation",
                value: deviations[index],
                requirement: "it must be positive and finite",
            });
        }
        self.deviations = deviations.to_vec();
        self.noise_known = true;
        Ok(())
    }

    /// The inverse problem as it was stated.
    #[must_use]
    pub fn problem(&self) -> &InverseProblem<K> {
        &self.problem
    }

    /// The start, inside the box.
    #[must_use]
    pub fn start(&self) -> &[f64; K] {
        &self.start
    }

    /// The box of the parameters.
    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The measured values of all observations, one after the other.
    #[must_use]
    pub fn observed(&self) -> &[f64] {
        &self.values
    }

    /// The standard deviations of the values; 1 where none were given.
    #[must_use]
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    pub(crate) fn noise_known(&self) -> bool {
        self.noise_known
    }

    /// Whether the operator depends on the parameters (or the data only).
    #[must_use]
    pub fn operator_depends(&self) -> bool {
        self.fixed.is_none()
    }

    /// Bases, rows and weights of the forward problem.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The factorisation: the one that serves all parameters, or that of the last ones evaluated.
    #[must_use]
    pub fn factorisation(&self) -> Option<LsqInfo> {
        if let Some(fixed) = &self.fixed {
            return Some(fixed.factored.info().clone());
        }
        let last = self.last.lock().ok()?;
        Some(last.as_ref()?.factorisation()?.clone())
    }

    /// The solution of the forward problem for these parameters; its report says how well equations
    /// and conditions are met at points that were not fitted.
    ///
    /// # Errors
    /// Functions of the parameters that are not finite, a solve that fails.
    pub fn solution(&self, parameters: &[f64; K]) -> Result<Solution, InverseError> {
        let beta = self.state(parameters)?.beta(self)?;
        let held_out = HeldOut::new(
            &self.problem.forward_at(parameters),
            self.problem.options.seed,
        )?;
        let score = held_out.score(self.system.bases(), &beta)?;
        let mut report = self.report.clone();
        report.error_estimate *= if report.held_out_residual > 0.0 {
            score.worst / report.held_out_residual
        } else {
            1.0
        };
        report.held_out_residual = score.worst;
        for (block, held_out) in report.blocks.iter_mut().zip(&score.blocks) {
            block.held_out = *held_out;
        }
        report.choice = "forward problem of an inverse problem".to_owned();
        Ok(Solution::from_parts(
            self.system.bases().to_vec(),
            self.names.clone(),
            beta,
            report,
        )?)
    }
}
