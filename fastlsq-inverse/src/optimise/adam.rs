//! Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) as argmin solvers.
//!
//! With the gradient g at step t = 1, 2, …
//! ```text
//! m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²,
//! x ← P( x − α_t λ x − α_t m̂ / (√v̂ + ε) ),   m̂ = m/(1 − β₁ᵗ),   v̂ = v/(1 − β₂ᵗ)
//! ```
//! where λ = 0 for Adam, and P is the projection onto the box.

use argmin::core::{CostFunction, Error, Gradient, KV, Problem, Solver, TerminationStatus};
use argmin::kv;

use super::bounds::Bounds;
use super::error::{OptimiseError, require};
use super::evaluate::{GradientState, check_state, evaluate, feasible_start};
use super::learning_rate::LearningRate;
use super::stop::{ConvergenceTest, Stop, Stopping, termination};

/// Settings of [`Adam`] and, with a weight decay beside them, of [`AdamW`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdamOptions {
    /// Step size α_t. Default constant 1e-3.
    pub learning_rate: LearningRate,
    /// β₁, the memory of the gradient. Default 0.9.
    pub beta1: f64,
    /// β₂, the memory of its square. Default 0.999.
    pub beta2: f64,
    /// ε in the denominator. Default 1e-8.
    pub epsilon: f64,
    /// Converged when the projected gradient ‖P(x − g) − x‖∞ is at most this. Default 0: the
    /// iteration limit decides.
    pub gradient_tolerance: f64,
}

impl Default for AdamOptions {
    fn default() -> Self {
        Self {
            learning_rate: LearningRate::Constant(1e-3),
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            gradient_tolerance: 0.0,
        }
    }
}

impl AdamOptions {
    /// The default settings with this constant learning rate.
    #[must_use]
    pub fn with_rate(rate: f64) -> Self {
        Self {
            learning_rate: LearningRate::Constant(rate),
            ..Self::default()
        }
    }

    fn validate(&self) -> Result<(), OptimiseError> {
        self.learning_rate.validate()?;
        for (name, beta) in [("beta1", self.beta1), ("beta2", self.beta2)] {
            require((0.0..1.0).contains(&beta), name, beta, "in [0, 1)")?;
        }
        require(self.epsilon > 0.0, "epsilon", self.epsilon, "positive")?;
        let tolerance = self.gradient_tolerance;
        require(
            tolerance >= 0.0,
            "gradient_tolerance",
            tolerance,
            "0 or positive",
        )
    }
}

/// The Adam solver, for argmin's `Executor` over `Vec<f64>`; deterministic.
///
/// Each iteration takes one step and evaluates the objective once. Values need not decrease: the
/// best iterate is the state's best parameter vector. A value or gradient that is not finite is an
/// error that names the point.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Adam {
    bounds: Bounds,
    options: AdamOptions,
    weight_decay: f64,
    first_moment: Vec<f64>,
    second_moment: Vec<f64>,
    steps: u64,
    gradient_norm: f64,
    stop: Option<Stop>,
}

impl Adam {
    /// A solver for this box ([`Bounds::unbounded`] where there is none).
    pub fn new(bounds: Bounds, options: AdamOptions) -> Result<Self, OptimiseError> {
        options.validate()?;
        Ok(Self {
            bounds,
            options,
            weight_decay: 0.0,
            first_moment: Vec::new(),
            second_moment: Vec::new(),
            steps: 0,
            gradient_norm: 0.0,
            stop: None,
        })
    }

    /// Why the solver has stopped, if it has.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Moves x by one step.
    fn step(&mut self, x: &mut [f64], gradient: &[f64]) {
        let AdamOptions {
            beta1,
            beta2,
            epsilon,
            ..
        } = self.options;
        let rate = self.options.learning_rate.at(self.steps);
        self.steps += 1;
        let t = self.steps as f64;
        let correction1 = 1.0 - beta1.powf(t);
        let correction2 = 1.0 - beta2.powf(t);
        let moments = self.first_moment.iter_mut().zip(&mut self.second_moment);
        for ((x, g), (m, v)) in x.iter_mut().zip(gradient).zip(moments) {
            *m = beta1 * *m + (1.0 - beta1) * g;
            *v = beta2 * *v + (1.0 - beta2) * g * g;
            let scale = (*v / correction2).sqrt() + epsilon;
            *x -= rate * self.weight_decay * *x + rate * (*m / correction1) / scale;
        }
        self.bounds.clamp(x);
    }

    fn observe(&mut self, x: &[f64], gradient: &[f64]) {
        self.gradient_norm = self.bounds.projected_gradient_norm(x, gradient);
        self.stop = (self.gradient_norm <= self.options.gradient_tolerance)
            .then_some(Stop::Converged(ConvergenceTest::ProjectedGradient));
    }
}

impl<O> Solver<O, GradientState> for Adam
where
    O: CostFunction<Param = Vec<f64>, Output = f64>
        + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    fn name(&self) -> &str {
        "Adam"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: GradientState,
    ) -> Result<(GradientState, Option<KV>), Error> {
        let (x, moved) = feasible_start(state.take_param(), &self.bounds)?;
        let (value, gradient) = evaluate(problem, &x)?.required(&x)?;
        self.first_moment = vec![0.0; x.len()];
        self.second_moment = vec![0.0; x.len()];
        self.steps = 0;
        self.observe(&x, &gradient);
        let kv = kv!(
            "projected_gradient_norm" => self.gradient_norm;
            "start_coordinates_projected" => moved as u64;
        );
        Ok((state.param(x).cost(value).gradient(gradient), Some(kv)))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        state: GradientState,
    ) -> Result<(GradientState, Option<KV>), Error> {
        let (Some(start), Some(gradient)) = (&state.param, &state.grad) else {
            return Err(OptimiseError::MissingStart.into());
        };
        check_state(&self.bounds, start, gradient)?;
        let mut x = start.clone();
        self.step(&mut x, gradient);
        let (value, gradient) = evaluate(problem, &x)?.required(&x)?;
        self.observe(&x, &gradient);
        let kv = kv!(
            "projected_gradient_norm" => self.gradient_norm;
            "learning_rate" => self.options.learning_rate.at(self.steps - 1);
        );
        Ok((state.param(x).cost(value).gradient(gradient), Some(kv)))
    }

    fn terminate(&mut self, _state: &GradientState) -> TerminationStatus {
        termination(self.stop)
    }
}

impl Stopping for Adam {
    fn stop(&self) -> Option<Stop> {
        self.stop
    }
}

/// Settings of [`AdamW`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdamWOptions {
    /// What it shares with Adam.
    pub adam: AdamOptions,
    /// Decoupled weight decay λ: each step first shrinks x by the factor 1 − α_t λ. Default 0.01.
    pub weight_decay: f64,
}

impl Default for AdamWOptions {
    fn default() -> Self {
        Self {
            adam: AdamOptions::default(),
            weight_decay: 0.01,
        }
    }
}

/// The AdamW solver: [`Adam`] with decoupled weight decay.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdamW(Adam);

impl AdamW {
    /// A solver for this box ([`Bounds::unbounded`] where there is none).
    pub fn new(bounds: Bounds, options: AdamWOptions) -> Result<Self, OptimiseError> {
        let decay = options.weight_decay;
        require(
            decay >= 0.0 && decay.is_finite(),
            "weight_decay",
            decay,
            "0 or positive",
        )?;
        let mut adam = Adam::new(bounds, options.adam)?;
        adam.weight_decay = decay;
        Ok(Self(adam))
    }

    /// Why the solver has stopped, if it has.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.0.stop
    }
}

impl<O> Solver<O, GradientState> for AdamW
where
    O: CostFunction<Param = Vec<f64>, Output = f64>
        + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    fn name(&self) -> &str {
        "AdamW"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        state: GradientState,
    ) -> Result<(GradientState, Option<KV>), Error> {
        self.0.init(problem, state)
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        state: GradientState,
    ) -> Result<(GradientState, Option<KV>), Error> {
        self.0.next_iter(problem, state)
    }

    fn terminate(&mut self, _state: &GradientState) -> TerminationStatus {
        termination(self.0.stop)
    }
}

impl Stopping for AdamW {
    fn stop(&self) -> Option<Stop> {
        self.0.stop
    }
}
