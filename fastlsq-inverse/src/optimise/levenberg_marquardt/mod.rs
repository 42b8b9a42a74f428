//! Levenberg–Marquardt in a box, as an argmin solver.
//!
//! Minimises ½‖r(x)‖² by steps that solve the damped linear problem
//! ```text
//! minimise ½‖J s + r‖² + ½ λ ‖D s‖²   over   l ≤ x + s ≤ u
//! ```
//! exactly (an active-set method on Householder triangles: the normal equations are never formed).
//! D holds the largest column norms of J so far (Moré 1978); λ follows the ratio of actual to
//! promised decrease (Nielsen 1999).

mod damped_step;
mod householder;
mod options;

use argmin::core::{Error, IterState, Jacobian, KV, Operator, Problem, Solver, TerminationStatus};
use argmin::kv;

use self::damped_step::DampedStep;
use self::householder::{Columns, triangularise};
pub use self::options::LevenbergMarquardtOptions;
use super::bounds::Bounds;
use super::error::OptimiseError;
use super::evaluate::{check_state, feasible_start};
use super::stop::{ConvergenceTest, GradientNorms, Stop, Stopping, termination};
use super::vector::{add_scaled, all_finite, difference, dot};

/// The argmin state of [`LevenbergMarquardt`]: gradient Jᵀr, Jacobian by rows, residuals.
pub type ResidualState = IterState<Vec<f64>, Vec<f64>, Vec<Vec<f64>>, (), Vec<f64>, f64>;

/// A step is taken when it achieves at least this fraction of the promised decrease.
const LEAST_GAIN: f64 = 1e-4;
const LEAST_DAMPING: f64 = 1e-18;

/// The Levenberg–Marquardt solver, for argmin's `Executor` over `Vec<f64>`: `Operator` gives the
/// residuals, `Jacobian` the rows of their Jacobian, and the cost is ½‖r‖².
///
/// Every iterate and every evaluated point lies in the box. Residuals that are not finite make the
/// solver take a shorter step; at the start they are an error. The solver and its state can be
/// stored and read back: a resumed run continues bit for bit.
///
/// The model neglects the curvature of the residuals. Where they are large at the minimum and
/// strongly curved, convergence is slow and [`Lbfgsb`](super::Lbfgsb) the better choice.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevenbergMarquardt {
    bounds: Bounds,
    options: LevenbergMarquardtOptions,
    damping: f64,
    growth: f64,
    scale: Vec<f64>,
    gradient_norms: GradientNorms,
    stop: Option<Stop>,
}

/// The problem linearised at an iterate, reduced to at most n rows.
struct Linearised {
    jacobian: Columns,
    residuals: Vec<f64>,
    gradient: Vec<f64>,
}

impl LevenbergMarquardt {
    /// A solver for this box ([`Bounds::unbounded`] where there is none).
    pub fn new(bounds: Bounds, options: LevenbergMarquardtOptions) -> Result<Self, OptimiseError> {
        options.validate()?;
        Ok(Self {
            bounds,
            damping: options.initial_damping,
            options,
            growth: 2.0,
            scale: Vec::new(),
            gradient_norms: GradientNorms::default(),
            stop: None,
        })
    }

    /// Why the solver has stopped, if it has.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// The damped step in the box.
    fn step(&self, x: &[f64], at: &Linearised) -> Vec<f64> {
        let root = self.damping.sqrt();
        let damping: Vec<f64> = self.scale.iter().map(|d| root * d).collect();
        let lower = difference(self.bounds.lower(), x);
        let upper = difference(self.bounds.upper(), x);
        DampedStep {
            jacobian: &at.jacobian,
            residuals: &at.residuals,
            damping: &damping,
            lower: &lower,
            upper: &upper,
        }
        .solve()
    }

    /// Nielsen's rule after a step with this ratio of actual to promised decrease.
    fn relax(&mut self, gain: f64) {
        let factor = (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
        self.damping = (self.damping * factor).max(LEAST_DAMPING);
        self.growth = 2.0;
    }

    fn tighten(&mut self) {
        self.damping *= self.growth;
        self.growth *= 2.0;
    }

    fn step_is_small(&self, x: &[f64], step: &[f64]) -> bool {
        let norm = |v: &[f64]| {
            v.iter()
                .zip(&self.scale)
                .map(|(v, d)| (v * d).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        norm(step) <= self.options.step_tolerance * norm(x)
    }

    /// Takes in the Jacobian at an accepted point; returns Jᵀr.
    fn observe(&mut self, x: &[f64], jacobian: &[Vec<f64>], residuals: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; x.len()];
        let mut squares = vec![0.0; x.len()];
        for (row, r) in jacobian.iter().zip(residuals) {
            add_scaled(&mut gradient, *r, row);
            for (square, entry) in squares.iter_mut().zip(row) {
                *square += entry * entry;
            }
        }
        self.scale.resize(x.len(), 0.0);
        for (scale, square) in self.scale.iter_mut().zip(&squares) {
            *scale = scale.max(square.sqrt());
            if *scale == 0.0 {
                // A parameter without influence so far must still be damped.
                *scale = 1.0;
            }
        }
        gradient
    }
}

impl<O> Solver<O, ResidualState> for LevenbergMarquardt
where
    O: Operator<Param = Vec<f64>, Output = Vec<f64>>
        + Jacobian<Param = Vec<f64>, Jacobian = Vec<Vec<f64>>>,
{
    fn name(&self) -> &str {
        "Levenberg-Marquardt"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: ResidualState,
    ) -> Result<(ResidualState, Option<KV>), Error> {
        let (x, moved) = feasible_start(state.take_param(), &self.bounds)?;
        let residuals = problem.apply(&x)?;
        if residuals.is_empty() {
            return Err(OptimiseError::Empty { what: "residuals" }.into());
        }
        let value = half_square(&residuals);
        if !value.is_finite() {
            return Err(OptimiseError::NonFiniteValue {
                point: x[..].into(),
                value,
            }
            .into());
        }
        let jacobian = checked_jacobian(problem, &x, residuals.len())?;
        self.damping = self.options.initial_damping;
        self.growth = 2.0;
        self.scale.clear();
        let gradient = self.observe(&x, &jacobian, &residuals);
        self.gradient_norms = GradientNorms::start(&self.bounds, &x, &gradient);
        self.stop = (self.gradient_norms.projected <= self.options.gradient_tolerance)
            .then_some(Stop::Converged(ConvergenceTest::ProjectedGradient));
        let kv = kv!(
            "projected_gradient_norm" => self.gradient_norms.projected;
            "start_coordinates_projected" => moved as u64;
        );
        let state = state.param(x).cost(value).gradient(gradient);
        Ok((state.jacobian(jacobian).residuals(residuals), Some(kv)))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        state: ResidualState,
    ) -> Result<(ResidualState, Option<KV>), Error> {
        let (Some(x), Some(gradient), Some(jacobian), Some(residuals)) =
            (&state.param, &state.grad, &state.jacobian, &state.residuals)
        else {
            return Err(OptimiseError::MissingStart.into());
        };
        check_state(&self.bounds, x, gradient)?;
        check_shape(jacobian, residuals.len(), x.len())?;
        let value = state.cost;
        let at = Linearised::new(jacobian, residuals, gradient);
        for _ in 0..self.options.trials {
            let mut trial: Vec<f64> = x
                .iter()
                .zip(self.step(x, &at))
                .map(|(x, s)| x + s)
                .collect();
            self.bounds.clamp(&mut trial);
            if !all_finite(&trial) {
                self.tighten();
                continue;
            }
            let step = difference(&trial, x);
            let promised = at.decrease(&step);
            let new_residuals = problem.apply(&trial)?;
            check_length("residual vector", residuals.len(), new_residuals.len())?;
            let new_value = half_square(&new_residuals);
            let decrease = value - new_value;
            let small_promise = promised <= self.options.decrease_tolerance * value;
            let small_step = self.step_is_small(x, &step);

            // Also false when the residuals are not finite.
            if decrease > 0.0 && decrease >= LEAST_GAIN * promised {
                let rows = checked_jacobian(problem, &trial, new_residuals.len())?;
                let new_gradient = self.observe(&trial, &rows, &new_residuals);
                self.gradient_norms
                    .update(&self.bounds, &trial, &new_gradient);
                self.relax(decrease / promised);
                let LevenbergMarquardtOptions {
                    gradient_tolerance,
                    relative_gradient_tolerance,
                    ..
                } = self.options;
                let norms = self.gradient_norms;
                let small_decrease = decrease <= self.options.decrease_tolerance * value;
                self.stop = if norms.are_small(gradient_tolerance, relative_gradient_tolerance) {
                    Some(Stop::Converged(ConvergenceTest::ProjectedGradient))
                } else if small_promise && small_decrease {
                    Some(Stop::Converged(ConvergenceTest::RelativeDecrease))
                } else if small_step {
                    Some(Stop::Converged(ConvergenceTest::SmallStep))
                } else {
                    None
                };
                let kv = self.metrics();
                let state = state.param(trial).cost(new_value).gradient(new_gradient);
                return Ok((state.jacobian(rows).residuals(new_residuals), Some(kv)));
            }
            let test = match (small_promise, small_step) {
                (true, _) => Some(ConvergenceTest::RelativeDecrease),
                (false, true) => Some(ConvergenceTest::SmallStep),
                (false, false) => None,
            };
            if let Some(test) = test.filter(|_| new_value.is_finite()) {
                self.stop = Some(Stop::Converged(test));
                return Ok((state, Some(self.metrics())));
            }
            self.tighten();
        }
        self.stop = Some(Stop::Stalled);
        Ok((state, Some(self.metrics())))
    }

    fn terminate(&mut self, _state: &ResidualState) -> TerminationStatus {
        termination(self.stop)
    }
}

impl LevenbergMarquardt {
    fn metrics(&self) -> KV {
        kv!(
            "projected_gradient_norm" => self.gradient_norms.projected;
            "damping" => self.damping;
        )
    }
}

impl Stopping for LevenbergMarquardt {
    fn stop(&self) -> Option<Stop> {
        self.stop
    }
}

impl Linearised {
    fn new(rows: &[Vec<f64>], residuals: &[f64], gradient: &[f64]) -> Self {
        let mut jacobian: Columns = (0..gradient.len())
            .map(|k| rows.iter().map(|row| row[k]).collect())
            .collect();
        let mut residuals = residuals.to_vec();
        if residuals.len() > jacobian.len() {
            triangularise(&mut jacobian, &mut residuals);
            let rows = jacobian.len();
            residuals.truncate(rows);
            for column in &mut jacobian {
                column.truncate(rows);
            }
        }
        Self {
            jacobian,
            residuals,
            gradient: gradient.to_vec(),
        }
    }

    /// ½‖r‖² − ½‖r + J s‖², written so that nothing cancels: −(gᵀs + ½‖J s‖²).
    fn decrease(&self, step: &[f64]) -> f64 {
        let mut image = vec![0.0; self.residuals.len()];
        for (column, s) in self.jacobian.iter().zip(step) {
            add_scaled(&mut image, *s, column);
        }
        -(dot(&self.gradient, step) + 0.5 * dot(&image, &image))
    }
}

fn half_square(residuals: &[f64]) -> f64 {
    0.5 * dot(residuals, residuals)
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), OptimiseError> {
    if expected == found {
        Ok(())
    } else {
        Err(OptimiseError::Length {
            what,
            expected,
            found,
        })
    }
}

/// The Jacobian with its shape and entries checked.
fn checked_jacobian<O>(
    problem: &mut Problem<O>,
    x: &Vec<f64>,
    residuals: usize,
) -> Result<Vec<Vec<f64>>, Error>
where
    O: Jacobian<Param = Vec<f64>, Jacobian = Vec<Vec<f64>>>,
{
    let rows = problem.jacobian(x)?;
    check_shape(&rows, residuals, x.len())?;
    for (row, entries) in rows.iter().enumerate() {
        if let Some(column) = entries.iter().position(|v| !v.is_finite()) {
            let (point, value) = (x[..].into(), entries[column]);
            return Err(OptimiseError::NonFiniteJacobian {
                point,
                row,
                column,
                value,
            }
            .into());
        }
    }
    Ok(rows)
}

fn check_shape(rows: &[Vec<f64>], residuals: usize, n: usize) -> Result<(), OptimiseError> {
    check_length("list of Jacobian rows", residuals, rows.len())?;
    rows.iter()
        .try_for_each(|row| check_length("Jacobian row", n, row.len()))
}
