//! Radau IIA methods of orders 5, 9 and 13 with the order chosen along the way.
//!
//! The increments Z = (z₁ … z_s) of the stages solve hF(Z) = A⁻¹Z. A simplified Newton iteration with one
//! Jacobian J decouples in the eigenvectors of A⁻¹ into one real and (s − 1)/2 complex systems
//! (λ − hJ) w = r. The residual is formed from Z itself, so rounding in the eigenvectors slows the iteration
//! but does not enter its result. (Hairer and Wanner, *Solving Ordinary Differential Equations II*, IV.8;
//! *Stiff differential equations solved by Radau methods*, 1999.)

mod factors;
mod table;

use super::linearised::Linearised;
use super::norm::worse;
use super::stepper::{State, StepFailure};
use super::trajectory::Form;
use super::{Ode, Segment};
use factors::Factors;
use faer::Mat;
use table::Table;

/// Newton iterations per step at most; one more for each pair of stages.
const ITERATIONS: usize = 8;
/// The part of the tolerance that the iteration may leave: small beside the error of the method, which
/// adds up over some hundred steps.
const LEFT: f64 = 1e-3;
/// Relative rounding of the increments: the iteration cannot get below this.
const ROUNDING: f64 = 3e-14;
/// Contraction above which the Jacobian is renewed.
const RENEW: f64 = 0.02;
/// Contraction below which, for some steps in a row, the next higher order is tried.
const EASY: f64 = 0.05;
/// Steps in a row.
const EASY_STEPS: usize = 4;

/// A Radau method with what it keeps from step to step.
#[derive(Debug)]
pub(super) struct Radau {
    tables: Vec<Table>,
    /// The table in use.
    order: usize,
    /// The highest table that the tolerance asks for.
    highest: usize,
    /// What the iteration may leave, in units of the tolerance.
    left: f64,
    jacobian: Option<Box<dyn Linearised>>,
    /// Whether the Jacobian belongs to the present point.
    fresh: bool,
    factors: Option<Factors>,
    last: Option<Segment>,
    easy: usize,
    accepted: Option<(f64, f64)>,
}

/// The end of one Newton iteration.
enum StepOutcome {
    /// Stages, iterations and contraction.
    Converged(Mat<f64>, usize, f64),
    Failed {
        not_finite: bool,
    },
}

impl Radau {
    pub(super) fn new(relative: f64) -> Self {
        let tables: Vec<Table> = [3, 5, 7].into_iter().filter_map(Table::new).collect();
        // An error of h⁴, h⁶, h⁸: the higher the accuracy, the more stages pay.
        let wanted = match relative {
            r if r > 1e-4 => 0,
            r if r > 1e-7 => 1,
            _ => 2,
        };
        let highest = wanted.min(tables.len().saturating_sub(1));
        Self {
            tables,
            order: highest,
            highest,
            left: LEFT.max(ROUNDING / relative),
            jacobian: None,
            fresh: false,
            factors: None,
            last: None,
            easy: 0,
            accepted: None,
        }
    }

    /// One step whose error estimate is within the tolerance.
    pub(super) fn step(
        &mut self,
        ode: &dyn Ode,
        state: &mut State,
    ) -> Result<Segment, StepFailure> {
        let mut h = state.next_step();
        let mut first_or_rejected = self.last.is_none();
        let mut shrunk = false;
        let mut not_finite = false;
        loop {
            let Some(table) = self.tables.get(self.order).cloned() else {
                return Err(state.failure(h, false));
            };
            if state.too_small(h) {
                return Err(state.failure(h, not_finite));
            }
            if self.jacobian.is_none() {
                self.renew(ode, state);
            }
            let reusable = |factors: &Factors| factors.fits(h, table.stages());
            let factors = match (self.factors.take().filter(reusable), &self.jacobian) {
                (Some(factors), _) => factors,
                (None, Some(jacobian)) => Factors::new(&table, h, jacobian.as_ref()),
                (None, None) => return Err(state.failure(h, false)),
            };
            let outcome = self.iterate(ode, state, &table, &factors, h);
            let (z, iterations, contraction) = match outcome {
                StepOutcome::Converged(z, iterations, contraction) => (z, iterations, contraction),
                StepOutcome::Failed {
                    not_finite: infinite,
                } => {
                    not_finite = infinite;
                    if self.fresh {
                        h *= 0.5;
                        shrunk = true;
                        self.easy = 0;
                        self.order = self.order.saturating_sub(1);
                    } else {
                        self.renew(ode, state);
                    }
                    continue;
                }
            };
            let error = self.error(ode, state, &table, &factors, h, &z, first_or_rejected);
            self.factors = Some(factors);
            let budget = (2 * ITERATIONS + 1) as f64 / (2 * ITERATIONS + iterations) as f64;
            let power = -1.0 / (table.stages() as f64 + 1.0);
            let mut factor = (0.9 * budget * error.max(1e-10).powf(power)).clamp(0.125, 8.0);
            if error.is_nan() || error >= 1.0 {
                not_finite = error.is_nan();
                h *= if error.is_nan() {
                    0.125
                } else {
                    factor.min(0.9)
                };
                first_or_rejected = true;
                shrunk = true;
                if !self.fresh {
                    self.renew(ode, state);
                }
                continue;
            }
            // Gustafsson's predictive control: errors that grow from step to step are foreseen.
            if let Some((step, before)) = self.accepted {
                let predicted = 0.9 * (h / step) * (error * error / before).max(1e-20).powf(power);
                factor = factor.min(predicted).clamp(0.125, 8.0);
            }
            self.accepted = Some((h, error.max(1e-2)));
            if shrunk {
                factor = factor.min(1.0);
            }
            return Ok(self.accept(ode, state, &table, (h, error), z, factor, contraction));
        }
    }

    fn renew(&mut self, ode: &dyn Ode, state: &State) {
        self.jacobian = Some(ode.linearise(state.t, &state.y));
        self.fresh = true;
        self.factors = None;
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the facts about one accepted step"
    )]
    fn accept(
        &mut self,
        ode: &dyn Ode,
        state: &mut State,
        table: &Table,
        (h, error): (f64, f64),
        z: Mat<f64>,
        factor: f64,
        contraction: f64,
    ) -> Segment {
        let stages = table.stages();
        let end = state.after(h);
        let y: Vec<f64> = state
            .y
            .iter()
            .enumerate()
            .map(|(i, y)| y + z[(i, stages - 1)])
            .collect();
        let mut rate = vec![0.0; y.len()];
        ode.rate(end, &y, &mut rate);
        let segment = Segment {
            start: state.t,
            end,
            first: state.y.clone(),
            last: y.clone(),
            error: state.norm.relative(error),
            form: Form::Collocation(table.nodes.clone(), z),
        };
        let cut_short = h < 0.99 * state.step;
        self.fresh = false;
        self.easy = if contraction < EASY { self.easy + 1 } else { 0 };
        if self.easy >= EASY_STEPS && self.order < self.highest {
            self.order += 1;
            self.easy = 0;
        }
        if contraction > RENEW {
            self.jacobian = None;
        }
        // Factors are kept, and the step with them, where a new step would gain little.
        let keep = self.jacobian.is_some() && (1.0..1.2).contains(&factor);
        let next = if keep { h } else { h * factor };
        state.step = if cut_short {
            state.step.max(next)
        } else {
            next
        };
        state.accept(end, y, rate);
        self.last = Some(segment.clone());
        segment
    }

    /// Start of the iteration: the last step's polynomial, continued.
    fn guess(&self, state: &State, table: &Table, h: f64) -> Mat<f64> {
        let mut z = Mat::zeros(state.y.len(), table.stages());
        if let Some(last) = &self.last {
            // Far beyond its own step a polynomial is worse than none.
            if h <= 4.0 * (last.end() - last.start()) {
                for (j, node) in table.nodes.iter().enumerate() {
                    let ahead = last.at(state.t + node * h);
                    for (i, (ahead, y)) in ahead.iter().zip(&state.y).enumerate() {
                        z[(i, j)] = ahead - y;
                    }
                }
            }
        }
        z
    }

    fn iterate(
        &self,
        ode: &dyn Ode,
        state: &State,
        table: &Table,
        factors: &Factors,
        h: f64,
    ) -> StepOutcome {
        let (dim, stages) = (state.y.len(), table.stages());
        let mut z = self.guess(state, table, h);
        let mut y = vec![0.0; dim];
        let mut rate = vec![0.0; dim];
        let mut residual = Mat::zeros(dim, stages);
        let (mut before, mut contraction) = (f64::INFINITY, 0.0_f64);
        for iteration in 1..=ITERATIONS + stages / 2 {
            for j in 0..stages {
                for i in 0..dim {
                    y[i] = state.y[i] + z[(i, j)];
                }
                rate.fill(0.0);
                ode.rate(state.t + table.nodes[j] * h, &y, &mut rate);
                for i in 0..dim {
                    let own: f64 = (0..stages).map(|k| table.inverse[(j, k)] * z[(i, k)]).sum();
                    residual[(i, j)] = h * rate[i] - own;
                }
            }
            let change = factors.solve(table, &residual);
            let size = (0..stages)
                .map(|j| state.norm.of(&column(&change, j)))
                .fold(0.0, worse);
            if !size.is_finite() {
                return StepOutcome::Failed { not_finite: true };
            }
            z += &change;
            if iteration > 1 {
                let ratio = size / before;
                contraction = if iteration == 2 {
                    ratio
                } else {
                    (contraction * ratio).sqrt()
                };
                if ratio >= 1.0 && size > 10.0 * self.left {
                    return StepOutcome::Failed { not_finite: false };
                }
                // Rounding sets the floor: no contraction, but nothing left to gain either.
                let left = if ratio >= 1.0 {
                    0.0
                } else {
                    size * ratio / (1.0 - ratio)
                };
                if left <= self.left {
                    return StepOutcome::Converged(z, iteration, contraction);
                }
                let remaining = ITERATIONS + stages / 2 - iteration;
                if left * ratio.powi(remaining as i32) > self.left {
                    return StepOutcome::Failed { not_finite: false };
                }
            } else if size <= 1e-2 * self.left {
                return StepOutcome::Converged(z, iteration, 0.0);
            }
            before = size;
        }
        StepOutcome::Failed { not_finite: false }
    }

    /// (γ − hJ)⁻¹(h f₀ + Σ eᵢzᵢ): the difference from an embedded method of order s, with stiff
    /// components damped.
    #[expect(clippy::too_many_arguments, reason = "the facts about one step")]
    fn error(
        &self,
        ode: &dyn Ode,
        state: &State,
        table: &Table,
        factors: &Factors,
        h: f64,
        z: &Mat<f64>,
        again: bool,
    ) -> f64 {
        let dim = state.y.len();
        let weighted: Vec<f64> = (0..dim)
            .map(|i| {
                (0..table.stages())
                    .map(|j| table.error[j] * z[(i, j)])
                    .sum()
            })
            .collect();
        let estimate = |rate: &[f64]| {
            let parts = rate.iter().zip(&weighted);
            let mut error: Vec<f64> = parts.map(|(rate, own)| h * rate + own).collect();
            factors.solve_real(&mut error);
            error
        };
        let error = estimate(&state.rate);
        let size = state.norm.of(&error);
        if size < 1.0 || !again || !size.is_finite() {
            return size;
        }
        let shifted: Vec<f64> = state.y.iter().zip(&error).map(|(y, e)| y + e).collect();
        let mut rate = vec![0.0; dim];
        ode.rate(state.t, &shifted, &mut rate);
        state.norm.of(&estimate(&rate))
    }
}

fn column(matrix: &Mat<f64>, j: usize) -> Vec<f64> {
    matrix.col(j).iter().copied().collect()
}
