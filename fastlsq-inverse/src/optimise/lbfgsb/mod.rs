//! L-BFGS-B: limited-memory BFGS in a box, as an argmin solver.
//!
//! The method of Byrd, Lu, Nocedal and Zhu (SIAM J. Sci. Comput. 16, 1995) with the subspace
//! projection of Morales and Nocedal (ACM TOMS 38, 2011). One iteration:
//!
//! 1. `cauchy`: follow the projected steepest-descent path to the first minimiser of the quadratic
//!    model; this decides which variables sit on a side of the box;
//! 2. `subspace`: minimise the model over the others;
//! 3. `line_search`, `more_thuente`: a strong-Wolfe step towards that point, no longer than the
//!    box allows;
//! 4. `compact`: remember the step and the change of the gradient, if their product is positive
//!    enough.

mod cauchy;
mod compact;
mod line_search;
mod more_thuente;
mod options;
mod subspace;

use argmin::core::{CostFunction, Error, Gradient, KV, Problem, Solver, State, TerminationStatus};
use argmin::kv;

use self::cauchy::{CauchyPoint, cauchy_point};
use self::compact::CompactMemory;
use self::line_search::{Iterate, SearchLine, SearchResult, longest_feasible_step, search};
pub use self::options::LbfgsbOptions;
use self::subspace::subspace_minimiser;
use super::bounds::Bounds;
use super::error::OptimiseError;
use super::evaluate::{GradientState, check_state, evaluate, feasible_start};
use super::stop::{ConvergenceTest, GradientNorms, Stop, Stopping, termination};
use super::vector::{all_finite, difference, dot};

/// Steps are never longer than this multiple of the direction, with or without bounds.
const LONGEST_STEP: f64 = 1e10;

/// A negligible decrease means convergence only if the line search took at least this fraction of
/// the step that the model proposed. A step cut shorter says that the model is bad, not that the
/// minimum is near: the model is then forgotten and the next step decides.
const TRUSTED_STEP: f64 = 0.1;

/// The L-BFGS-B solver, for argmin's `Executor` over `Vec<f64>`.
///
/// Every iterate and every point at which the objective is evaluated lies in the box; a start
/// outside is projected onto it. The solver and its state can be stored and read back: a run
/// resumed from a checkpoint continues bit for bit.
///
/// A point without finite value or gradient inside a line search shortens the step; at the start
/// it is the error [`OptimiseError::NonFiniteValue`] or [`OptimiseError::NonFiniteGradient`].
///
/// ```
/// use argmin::core::{Executor, State};
/// use fastlsq_inverse::optimise::test_functions::Rosenbrock;
/// use fastlsq_inverse::optimise::{ArgminObjective, Bounds, Lbfgsb, LbfgsbOptions};
///
/// let bounds = Bounds::uniform(2, -2.0, 0.5)?;
/// let problem = ArgminObjective::new(Rosenbrock::new(2));
/// let result = Executor::new(problem, Lbfgsb::new(bounds, LbfgsbOptions::default())?)
///     .configure(|state| state.param(vec![-1.2, 0.5]).max_iters(100))
///     .run()?;
/// let minimum = result.state().get_best_param().ok_or("no iterate")?;
/// assert!((minimum[0] - 0.5).abs() < 1e-12 && (minimum[1] - 0.25).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lbfgsb {
    bounds: Bounds,
    options: LbfgsbOptions,
    memory: CompactMemory,
    gradient_norms: GradientNorms,
    stop: Option<Stop>,
}

/// What became of a line search.
enum Attempt {
    /// A lower point.
    Lower { iterate: Iterate, step: f64 },
    /// No lower point, where the slope promised to first order a decrease of this size.
    NotLower { promised: f64 },
    /// The model gave no descent direction.
    NoDirection,
}

impl Lbfgsb {
    /// A solver for this box.
    pub fn new(bounds: Bounds, options: LbfgsbOptions) -> Result<Self, OptimiseError> {
        options.validate()?;
        let memory = CompactMemory::new(options.memory);
        Ok(Self {
            bounds,
            options,
            memory,
            gradient_norms: GradientNorms::default(),
            stop: None,
        })
    }

    /// The box.
    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Why the solver has stopped, if it has.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// ‖P(x − g) − x‖∞ at the last iterate.
    #[must_use]
    pub fn projected_gradient_norm(&self) -> f64 {
        self.gradient_norms.projected
    }

    /// Where the model says the minimum is, in the box; `None` if the memory is unusable.
    fn target(&self, at: &Iterate) -> Option<Vec<f64>> {
        let cauchy = if self.memory.is_empty() || self.bounds.is_constrained() {
            cauchy_point(&at.x, &at.gradient, &self.bounds, &self.memory)
        } else {
            // Without any bound every variable is free wherever the path would end.
            CauchyPoint::at(&at.x, &self.memory)
        };
        subspace_minimiser(&at.x, &at.gradient, &self.bounds, &self.memory, cauchy).ok()
    }

    /// One line search towards the target.
    fn try_step<O>(
        &self,
        problem: &mut Problem<O>,
        at: &Iterate,
        first_iteration: bool,
    ) -> Result<Attempt, Error>
    where
        O: CostFunction<Param = Vec<f64>, Output = f64>
            + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
    {
        let Some(target) = self.target(at) else {
            return Ok(Attempt::NoDirection);
        };
        let direction = difference(&target, &at.x);
        let slope = dot(&direction, &at.gradient);
        let usable = all_finite(&direction) && slope < 0.0 && slope.is_finite();
        if !usable {
            return Ok(Attempt::NoDirection);
        }
        // The target is in the box, so a step of 1 is feasible up to rounding.
        let longest_step = if first_iteration && self.bounds.is_constrained() {
            1.0
        } else {
            longest_feasible_step(&at.x, &direction, &self.bounds, LONGEST_STEP).max(1.0)
        };
        let first_step = if self.memory.is_empty() && !self.bounds.is_boxed() {
            // Without curvature information the length of the gradient means nothing.
            (1.0 / dot(&direction, &direction).sqrt()).min(longest_step)
        } else {
            1.0
        };
        let line = SearchLine {
            direction: &direction,
            slope,
            first_step,
            longest_step,
        };
        let most = self.options.line_search_evaluations;
        let result = search(problem, &self.bounds, at, &line, self.options.wolfe(), most)?;
        Ok(match result {
            SearchResult::Lower { iterate, step } => Attempt::Lower { iterate, step },
            SearchResult::NotLower => Attempt::NotLower {
                promised: -slope * first_step.min(1.0),
            },
        })
    }

    /// Whether the decrease from one value to the other is negligible (or none).
    fn decrease_is_negligible(&self, before: f64, after: f64) -> bool {
        let scale = before.abs().max(after.abs()).max(self.options.value_floor);
        before - after <= self.options.decrease_tolerance * scale
    }

    /// Remembers the pair if sᵀy is positive enough to keep B positive definite.
    fn learn(&mut self, from: &Iterate, to: &Iterate) {
        let step = difference(&to.x, &from.x);
        let change = difference(&to.gradient, &from.gradient);
        let product = dot(&step, &change);
        if product > f64::EPSILON * -dot(&step, &from.gradient) {
            self.memory.update(step, change);
        }
    }
}

impl<O> Solver<O, GradientState> for Lbfgsb
where
    O: CostFunction<Param = Vec<f64>, Output = f64>
        + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    fn name(&self) -> &str {
        "L-BFGS-B"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: GradientState,
    ) -> Result<(GradientState, Option<KV>), Error> {
        let (x, moved) = feasible_start(state.take_param(), &self.bounds)?;
        let (value, gradient) = evaluate(problem, &x)?.required(&x)?;
        self.memory.clear();
        self.gradient_norms = GradientNorms::start(&self.bounds, &x, &gradient);
        self.stop = (self.gradient_norms.projected <= self.options.gradient_tolerance)
            .then_some(Stop::Converged(ConvergenceTest::ProjectedGradient));
        let kv = kv!(
            "projected_gradient_norm" => self.gradient_norms.projected;
            "start_coordinates_projected" => moved as u64;
        );
        Ok((state.param(x).cost(value).gradient(gradient), Some(kv)))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: GradientState,
    ) -> Result<(GradientState, Option<KV>), Error> {
        let (Some(x), Some(gradient)) = (state.take_param(), state.take_gradient()) else {
            return Err(OptimiseError::MissingStart.into());
        };
        check_state(&self.bounds, &x, &gradient)?;
        let at = Iterate {
            x,
            value: state.get_cost(),
            gradient,
        };
        let first_iteration = state.get_iter() == 0;
        let mut restarted = false;
        let (next, step) = loop {
            let attempt = self.try_step(problem, &at, first_iteration)?;
            match attempt {
                Attempt::Lower { iterate, step } => break (iterate, step),
                Attempt::NotLower { promised }
                    if self.decrease_is_negligible(at.value, at.value - promised) =>
                {
                    self.stop = Some(Stop::Converged(ConvergenceTest::RelativeDecrease));
                    break (at.clone(), 0.0);
                }
                _ if self.memory.is_empty() => {
                    self.stop = Some(Stop::Stalled);
                    break (at.clone(), 0.0);
                }
                Attempt::NotLower { .. } | Attempt::NoDirection => {}
            }
            self.memory.clear();
            restarted = true;
        };
        if self.stop.is_none() {
            self.gradient_norms
                .update(&self.bounds, &next.x, &next.gradient);
            let LbfgsbOptions {
                gradient_tolerance,
                relative_gradient_tolerance,
                ..
            } = self.options;
            if self
                .gradient_norms
                .are_small(gradient_tolerance, relative_gradient_tolerance)
            {
                self.stop = Some(Stop::Converged(ConvergenceTest::ProjectedGradient));
            } else if self.decrease_is_negligible(at.value, next.value) {
                if step >= TRUSTED_STEP || self.memory.is_empty() {
                    self.stop = Some(Stop::Converged(ConvergenceTest::RelativeDecrease));
                } else {
                    self.memory.clear();
                }
            } else {
                self.learn(&at, &next);
            }
        }
        let kv = kv!(
            "projected_gradient_norm" => self.gradient_norms.projected;
            "step_length" => step;
            "active_bounds" => self.bounds.active(&next.x).len() as u64;
            "memory_restarted" => restarted;
        );
        // The state keeps the previous iterate beside the new one.
        state.param = Some(at.x);
        state.grad = Some(at.gradient);
        Ok((
            state.param(next.x).cost(next.value).gradient(next.gradient),
            Some(kv),
        ))
    }

    fn terminate(&mut self, _state: &GradientState) -> TerminationStatus {
        termination(self.stop)
    }
}

impl Stopping for Lbfgsb {
    fn stop(&self) -> Option<Stop> {
        self.stop
    }
}
