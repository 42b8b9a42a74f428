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
use fastlsq_solve::patches::Patching;
use fastlsq_solve::rows::HeldOut;
use fastlsq_solve::{
    ConcreteProblem, Factored, Frame, LsqInfo, RowSource, Solution, Symmetry, System,
};

use crate::InverseError;
use crate::optimise::Bounds;
use crate::problem::{InverseProblem, Observed, feasible, observe};
use blocks::Dependences;
use evaluate::State;

pub use evaluate::Linearisation;
pub(crate) use misfit::Scaled;

/// An inverse problem with its forward problem discretised: ready to be evaluated, differentiated and
/// fitted, again and again.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) problem: InverseProblem,
    pub(crate) bounds: Bounds,
    /// The start, inside the box.
    pub(crate) start: Vec<f64>,
    /// Coordinates of the given start that lay outside.
    pub(crate) start_projected: Vec<usize>,
    /// Bases, points and weights, with the data of the start.
    system: System,
    dependences: Dependences,
    /// The factors, if they are the same for all parameters.
    fixed: Option<Fixed>,
    /// Rows of the observations, one per observation.
    rows: Mat<f64>,
    /// What the observed expressions contain besides the unknowns.
    offsets: Vec<f64>,
    values: Vec<f64>,
    deviations: Vec<f64>,
    /// Whether the deviations were given (or are to be estimated).
    noise_known: bool,
    report: fastlsq_solve::Report,
    /// Space and unknowns, with the sought parameters free.
    pub(crate) frame: Frame,
    /// The last state of a problem whose operator depends on the parameters.
    last: Mutex<Option<Arc<State>>>,
}

/// What is the same for all parameters if only the data depend on them.
#[derive(Debug)]
struct Fixed {
    factored: Box<dyn Factored>,
    /// Hᵀ carried through the adjoint, one column per observation, where that is the cheaper way.
    sensor_map: Option<Mat<f64>>,
}

impl Prepared {
    pub(crate) fn new(problem: InverseProblem) -> Result<Self, InverseError> {
        let (bounds, start, start_projected) = feasible(&problem.sought)?;
        problem.validate()?;
        let free = problem.free();
        let concrete = problem.statement().concrete(&free)?;
        let known = Frame::new(concrete.space.clone(), concrete.unknowns.iter().copied())
            .with_values(problem.statement().parameters().iter().copied());
        let frame = known.clone().with_free(free.iter().copied());
        refuse_nonlinear(&concrete, &frame)?;
        let domain = concrete.domain.as_ref();
        for observations in &problem.observations {
            observations.validate(domain)?;
        }
        if problem
            .observations
            .iter()
            .all(crate::Observations::is_empty)
        {
            return Err(InverseError::NoObservations);
        }

        if problem.options.least_norm {
            return Err(InverseError::Unsupported {
                what: "a forward problem of least norm",
                hint: "fix a value with .value_at(…) or a mean with .mean(…)",
            });
        }
        // A symmetry of the start need not be one of the answer.
        let mut options = problem.options.clone();
        if options.symmetry == Symmetry::Detect {
            options.symmetry = Symmetry::Ignore;
        }
        // Patches are made for their own data, and their operators are not taken apart: they are used only where asked for.
        if !matches!(options.patches, Patching::Always(_)) {
            options.patches = Patching::Never;
        }
        let at_start = problem.forward_at(&start).factor_with(&options)?;
        let system = at_start.system().clone();
        let report = at_start.solution().report().clone();
        let dependences = Dependences::new(&concrete, &system, &start)?;
        if dependences.has_terms() && report.patches.is_some() {
            return Err(InverseError::Unsupported {
                what: "patches where a sought parameter changes an operator",
                hint: "seek only sources and boundary values, or leave out Options::patches",
            });
        }
        let observed = observe(&problem.observations, &known, &free, &system)?;
        let fixed = if dependences.has_terms() {
            None
        } else {
            let factored = at_start.into_factored();
            let sensor_map = if observed.rows.nrows() <= system.ncols() {
                let turned = observed.rows.transpose().to_owned();
                Some(factored.adjoint(turned.as_ref())?)
            } else {
                None
            };
            Some(Fixed {
                factored,
                sensor_map,
            })
        };
        let Observed {
            rows,
            offsets,
            values,
            deviations,
            noise_known,
        } = observed;
        Ok(Self {
            problem,
            bounds,
            start,
            start_projected,
            system,
            dependences,
            fixed,
            rows,
            offsets,
            values,
            deviations,
            noise_known,
            report,
            frame,
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
    pub fn problem(&self) -> &InverseProblem {
        &self.problem
    }

    /// The start, inside the box.
    #[must_use]
    pub fn start(&self) -> &[f64] {
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
    pub fn solution(&self, parameters: &[f64]) -> Result<Solution, InverseError> {
        let beta = self.state(parameters)?.beta(self)?;
        let forward = self.problem.forward_at(parameters).statement().linear()?;
        let held_out = HeldOut::new(&forward, self.problem.options.seed)?;
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
            (forward.space, forward.unknowns),
            self.system.bases().to_vec(),
            beta,
            report,
        )?
        .on_domain(forward.domain)?)
    }
}

/// Fails with the first term that is not linear in the unknowns.
fn refuse_nonlinear(problem: &ConcreteProblem, frame: &Frame) -> Result<(), InverseError> {
    let equations = problem.equations.iter();
    let equations = equations.map(|e| (&e.statement, &e.label, &e.expression));
    let conditions = problem.conditions.iter();
    let conditions = conditions.map(|c| (&c.statement, &c.label, &c.expression));
    let mut all = equations.chain(conditions);
    match all.find(|(statement, ..)| !statement.is_linear()) {
        None => Ok(()),
        Some((_, label, expression)) => Err(InverseError::Nonlinear {
            label: label.clone(),
            term: frame
                .first_nonlinear(expression)
                .as_ref()
                .unwrap_or(expression)
                .to_string(),
        }),
    }
}
